"""Predictions of chapter 9: what its text asks before the reader scrolls."""

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "added-vectors": NumberQuestion(
        title="What he becomes",
        prompt="*Anna met Tom . he*: the row of *he* starts as the embedding of *he*. How many vectors do all heads "
        "together add to this one row?",
        right=8,
        wrong=[
            (2.0, 0, "Two layers, and each has four heads that add to the row."),
            (4.0, 0, "That is one layer. There are two."),
            (40.0, 0, "A head blends what it reads from five words, and adds one vector to the row."),
            (5.0, 0, "Five words are read. A head adds one blend of them."),
        ],
        explanation="2 · 4. So the final row is a sum of nine vectors, and later we take it apart.",
        provenance="exact",
    ),
    "test-the-story": ChoiceQuestion(
        title="Test the story",
        prompt="Head 2.4 puts a weight of about 0.96 on the word to copy. Now silence 1.4. If the story is "
        "true, what should this weight do?",
        options=[
            ("Stay: 2.4 has matrices of its own", "They read the stream. What would be missing there?"),
            ("Fall to nearly nothing", "By the story 2.4 knows *fish* by its note alone."),
            ("Fall by half: there are two heads in the story", "The story gives 2.4 no other way to find the word."),
            ("Rise: 2.4 has to do the work alone", "Nothing in the story replaces the note."),
        ],
        right=1,
        provenance="trained",
    ),
    "forged-note": ChoiceQuestion(
        prompt="The notes at *fish* and at *red* are swapped. Which word should the last *moon* read in 2.4 then, if the story holds?",
        options=[
            ("*fish*: it still stands after *moon*", "But its row no longer says so. By the story, 2.4 reads the note."),
            ("*red*", "Its row now says “after *moon*”."),
            ("*listen*, the first word", "A note “after *moon*” is there, in another row."),
        ],
        right=1,
        provenance="trained",
    ),
    "second-silent": ChoiceQuestion(
        prompt="Silent alone, 2.2 costs 2 % of the answers, and 2.3 hardly any. What do both together cost?",
        options=[
            ("About 2 %, the sum", "Shares need not add up: margins may stay above 0 without either head, and not without both."),
            ("About 10 %", "More: four times as many."),
            ("About 40 %", "39 %: each is hardly missed while the other is there."),
            ("About 75 %", "That is with 1.2 and 2.2. Without 2.2 and 2.3, 1.2 is still there."),
        ],
        right=2,
        provenance="trained, and recorded",
    ),
    "direction": ChoiceQuestion(
        title="The longest vector",
        prompt="At *he*, head 2.3 reads *Tom* with 0.97, and adds the longest vector of the eight. What is its part in the lead of *paints*?",
        options=[
            ("The largest of the eight", "That would be so if length were all. See how far each arrow reaches to the right."),
            ("Above 0.5, but not the largest", "It reads the right word. But what does it say of the two habits?"),
            ("Between −0.5 and 0.5", "It is almost at a right angle to the difference. But it is long, so a part is left: −1.4."),
            ("Below −0.5: it favours *swims* over *paints*", "The vector is long, but it points a little towards *swims*. The other heads outweigh it."),
        ],
        right=3,
        provenance="trained",
    ),
    "margins": ChoiceQuestion(
        title="Two heads at once",
        prompt="On average, the margin falls by 5.5 without 1.2 and by 3.6 without 2.2: about 9 in sum. Suppose that 2.2 steps in for 1.2, "
        "and nothing else changes. What fall does this story predict for both?",
        options=[
            ("Clearly more than 9", "With 1.2 silent, 2.2 would make up for a part. Without both it cannot. Below it is measured."),
            ("About 9, the sum", "So it would be if 2.2 did the same whether 1.2 is there or not. We supposed that it does more when 1.2 is silent."),
            ("About 5.5, the larger one", "Then 2.2 would add nothing without 1.2. That is the opposite of stepping in."),
        ],
        right=0,
        provenance="trained",
    ),
    "longer-repeats": ChoiceQuestion(
        title="Longer than ever",
        prompt="In training, lists of 6 to 15 words were said twice. Now comes a list of 20. How often is the next "
        "word of the second round right?",
        options=[
            ("About as often as for 12", "It learned to repeat what it met. Below it is measured."),
            ("Clearly less often, but far more than by chance", "Two things are to be explained: what is lost, and what is left."),
            ("Hardly ever", "Something is left, and it has a cause."),
        ],
        right=1,
        provenance="trained",
    ),
    "longer-still": ChoiceQuestion(
        title="Longer still",
        prompt="With 20 words, the word to copy stands 19 places back, and the share of right words is 0.61 to 0.63. "
        "With 28 words, it stands 27 back. What is the share then?",
        options=[
            ("Less: the list is longer", "It may seem so. But which of the two biases costs more?"),
            ("About as much", "There the bias is −2.3, and not −3.4."),
            ("More", "If the biases are the cause, the smaller fine should cost less."),
        ],
        right=2,
        provenance="trained",
    ),
    # What the model lacks
    "whole-text": ChoiceQuestion(
        title="Give it the text",
        prompt="The feed-forward layer now gets the question and all twelve facts of the text, side by side in one "
        "row. Can it learn to give back the fact that is asked for?",
        options=[
            ("No: it has no softmax", "Look at what its keys can be: of the question and of a fact together."),
            ("In part, but later than attention", "Its keys and values are learned for twelve fixed places."),
            ("Yes, and sooner than attention", "After as many steps its error is far larger."),
        ],
        right=1,
    ),
}  # fmt: skip
