"""Predictions of chapter 8: what its text asks before the reader scrolls."""

from attnlib.questions import ChoiceQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "who-met-whom": ChoiceQuestion(
        title="Two sentences, the same words",
        prompt="*Anna met Tom* and *Tom met Anna*. Attention as chapters 1 to 4 have it: no mask, and embeddings that say "
        "nothing about places. How do the outputs for *met* differ?",
        options=[
            ("Not at all", "The same words are read, with the same scores. Only the order of the sum differs."),
            (
                "The weights differ: *met* reads the word on its left more",
                "What is “left”, to a score? It is made from two vectors, and neither holds a place.",
            ),
            (
                "The weights are the same, and the blend differs",
                "A blend is a sum, and a sum does not depend on the order of what is added.",
            ),
        ],
        right=0,
    ),
    "both-later": ChoiceQuestion(
        title="Both move",
        prompt="The query stands at 4 and the key at 0. Both move 20 places on. What happens to their score?",
        options=[
            ("It falls: both are turned further", "Both are, by the same angles. What is the angle between them?"),
            ("It stays, to the last digit", "Every hand turns, and the angle between two hands stays."),
            ("It stays for the slow pairs only", "In each pair, query and key turn alike: fast pairs and slow ones."),
        ],
        right=1,
    ),
}
