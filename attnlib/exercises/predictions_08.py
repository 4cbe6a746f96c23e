"""Questions that chapter 8 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "proportions": ChoiceQuestion(
        title="The same output?",
        prompt="A query reads the context a b b. Each letter is a vector, both key and value. Which context gives "
        "*another* output?",
        options=[
            ("b a b", "The same terms, in another order. A sum does not depend on it."),
            ("a b", "Now b has one term of two, not two of three."),
            ("a b b a b b", "Each weight halves, and each vector is read twice as often."),
        ],
        right=1,
    ),
    "mask-tells": ChoiceQuestion(
        title="Reversed under a mask",
        prompt="One layer with a causal mask reads *a have we Houston problem* in place of *Houston we have a problem*. "
        "For which words does x + y change?",
        options=[
            ("For none: attention does not know an order", "That holds without a mask. With one, *Houston* read only itself while it stood first. What does it read now?"),
            ("For all but *problem*", "*problem* reads the same five vectors. Each other word reads other ones than before."),
            ("For all five", "Which vectors does *problem* read in either order?"),
            ("For *problem* alone", "It reads the same five vectors. What do the others read?"),
        ],
        right=1,
    ),
    "two-verbs": ChoiceQuestion(
        title="One head, two verbs",
        prompt="How near to 100 % can the verb's weight on the biter come, on average over the four sentences?",
        options=[
            ("50 %", "One verb can be right in both of its sentences. And the other one?"),
            ("75 %", "Right twice with one verb. With the other it can be right in one order of two."),
            ("100 %: each verb has scores of its own", "They do not know which noun stands first. Only t tells before from after, and it is the same for both verbs."),
        ],
        right=1,
    ),
    "bitten-turned": NumberQuestion(
        title="The other verb",
        prompt="*bitten-by* has the query (0, 3) and stands at place 1. What is its score with the noun *after* it, at place 2?",
        right=3.0,
        tolerance=0.001,
        wrong=[
            (-3.0, 0.001, "That is its score with the noun before. After two quarter turns the key is (−1, 0)."),
            (0.0, 0.001, "That is the score before the arrows are turned. The query makes one quarter turn, the key of the noun makes two."),
            (9.0, 0.001, "Turning keeps the key's length of 1."),
        ],
        explanation="One quarter turn makes (0, 3) to (−3, 0), and two make (1, 0) to (−1, 0). Their product is 3.",
        provenance="exact",
    ),
    "first-above": NumberQuestion(
        title="The first to beat distance 1",
        prompt="At the distances from 2 to 25 that are not in the table, the score is below 0. Which distance is the first with a higher "
        "score than distance 1?",
        right=26.0,
        tolerance=0,
        wrong=[
            (7.0, 0, "3.48 − 5.39 is below 0: the slow dial holds this crest down."),
            (14.0, 0, "3.25 − 6.25 is below 0: the slow dial holds this crest down."),
            (20.0, 0, "3.55 − 4.62 is below 0. The slow dial still holds this crest down, if less."),
        ],
        explanation="3.58 − 1.38 = 2.20, more than 1.02. Within 16 letters no distance beats distance 1, so the head works there.",
        provenance="computed",
    ),
    "recover": NumberQuestion(
        prompt="In the test, all keys more than 15 back are turned as if they were 15 back. How many of the five runs with RoPE "
        "then get every text of 64 letters right?",
        right=5.0,
        tolerance=0,
        wrong=[
            (2.0, 2.0, "More: the far keys are still there, but no angle is new any more."),
        ],
        explanation="All five are right in all texts.",
        provenance="trained",
    ),
    "half-split": ChoiceQuestion(
        title="The other layout",
        prompt="Now turn the same vector (1, 2, 3, 4) in the half-split layout: make two quarter turns for columns 0 and 2, "
        "one for columns 1 and 3. What is the result?",
        options=[
            ("(−1, −2, −4, 3)", "That is the interleaved layout again."),
            ("(−1, −3, −4, 2)", "The right numbers. But each returns to its own column: the first pair to 0 and 2."),
            ("(−1, −4, −3, 2)", "(1, 3) becomes (−1, −3), in columns 0 and 2, and (2, 4) becomes (−4, 2), in columns 1 and 3."),
            ("(−3, −2, 1, −4)", "The question asks for two quarter turns of the first pair, and one of the second."),
        ],
        right=2,
    ),
    "survives": ChoiceQuestion(
        title="Place your bet",
        prompt="Trained with texts of 16 letters, tried with 64. Which of the three ways stays nearest to 100 %?",
        options=[
            ("Added waves: their formula has a row for every place", "It does. Did training see those rows?"),
            ("RoPE: only the distance counts, and the distance is still 1", "The letter before is at distance 1. But what scores do the other distances get?"),
            ("The bias: all distances past 15 share one number", "That number was learned for a letter that must not be read, and it goes on being used."),
        ],
        right=2,
    ),
    # Waves, and a bias that wakes up
    "distance-of-waves": ChoiceQuestion(
        title="Two rows",
        prompt="Rows 10 and 12 of the table have a dot product. Which two rows have the same one?",
        options=[
            ("20 and 24", "Twice the places are twice the distance."),
            ("30 and 32", "The hands of both rows are two places apart."),
            ("10 and 14", "That is another distance."),
            ("None: each row stands for one place", "Look at the angle between the two hands of one dial."),
        ],
        right=1,
    ),
}  # fmt: skip
