"""Exercises of chapter 10: a real model."""

from attnlib.exercises.checkers_10 import JOIN_PIECES, MEAN_POOLED, SILENCE_ONE
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion

EXERCISES = (
    Exercise(
        id="cosine-pencil",
        title="A cosine with a pencil",
        difficulty="easy",
        minutes=4,
        misconception="Two vectors are compared by their dot product, whatever their lengths.",
        hints=(
            "First the mean of the two rows.",
            "The dot product of the mean and the other vector, divided by both lengths.",
        ),
        question=NumberQuestion(
            prompt="A text has two tokens. Their rows in the last layer are (4, 0) and (0, 2). The vector of another "
            "text is (1, 2). What is the cosine of the two texts?",
            right=0.8,
            wrong=[
                (4.0, 0.01, "That is the dot product with the mean. Divide by both lengths."),
                (8.0, 0.01, "That is the dot product with the sum. Divide by both lengths; the cosine of sum and mean is the same."),
                (1.79, 0.01, "Divide by both lengths, √5 and √5."),
                (0.6, 0.01, "The mean is (2, 1). Multiply it with (1, 2), number by number."),
                (0.67, 0.01, "You averaged two cosines. First the mean of the rows, then one cosine."),
            ],
            explanation="The mean is (2, 1), of length √5. The product is 4, and 4 / (√5 · √5) = 0.8.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="which-real-head",
        title="One head, two texts",
        difficulty="medium",
        minutes=4,
        misconception="A head has one story, and one text is enough to find it.",
        hints=(
            "Compare the two grids of 3.10. What changed, and what did not in 3.8?",
            "*The* stands twice in the first text. What does the second *the* read?",
        ),
        question=ChoiceQuestion(
            prompt="Which sentence about 3.10 is true of both texts?",
            options=[
                ("It rests on the first token", "In the first text it does. In the second, where do the three *roses* look?"),
                ("It reads the same word elsewhere, where there is one", "In the first text *the* stands twice. Where do these two look?"),
                (
                    "It rests on the first token, or reads the same word elsewhere, and a repeated word alone does not decide which",
                    "*Rose* reads the other roses; *the* does not read the other *the*. What decides is not known.",
                ),
                ("It is a spare copy of 3.8", "In the first text both rest on `[CLS]`. In the second they differ."),
            ],
            right=2,
            provenance="recorded",
        ),
    ),
    Exercise(
        id="arrives",
        title="What arrives?",
        difficulty="easy",
        minutes=3,
        misconception="The share of the weight is the share of what a head adds.",
        hints=(
            "Multiply each weight by the length of what stands there.",
            "0.6 · 0.2 from [CLS], 0.4 · 4 from the word. Which share has the first?",
        ),
        question=NumberQuestion(
            prompt="A query puts 0.6 of its weight on `[CLS]`, where the value times the output projection has the length 0.2, and 0.4 on a word "
            "where it has the length 4. Which share of weight × length comes from `[CLS]`? To two places.",
            right=0.07,
            tolerance=0.002,
            wrong=[
                (0.6, 0.01, "That is the share of the weight."),
                (0.12, 0.001, "That is weight × length at [CLS]. Divide by the sum over both keys."),
                (0.075, 0.001, "You divided by what comes from the word. Divide by the sum of both."),
                (0.048, 0.001, "The weights are missing: only the lengths were compared."),
                (0.93, 0.01, "That is the word's share."),
            ],
            explanation="0.12 / (0.12 + 1.6) = 0.07.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="no-places",
        title="From chapter 8: without places",
        difficulty="medium",
        minutes=3,
        misconception="A model with 72 heads knows word order by itself.",
        hints=(
            "Which words stand in the two sentences? What does attention without a mask see of their order?",
            "Each token has the same other tokens in both, so it gets the same row. What does the mean do with these rows?",
        ),
        question=ChoiceQuestion(
            prompt="Take MiniLM's learned places away: what is added is the same at every place. There is no mask. What is then the cosine of "
            "*The dog bites the man.* and *The man bites the dog.*?",
            options=[
                ("0.973 as before: places hardly mattered", "Without places that difference could not be. What is left to tell the sentences apart?"),
                ("Less than before: the model is damaged", "The model is damaged, but in the same way for both sentences."),
                ("1, but for rounding", "Each token gets the same row in both sentences, only at another place, and the mean does not see places."),
                ("It depends on the heads", "Without a mask and places, each head gives the same output in another order, whatever its matrices."),
            ],
            right=2,
        ),
    ),
    Exercise(
        id="join-pieces",
        title="From pieces to words",
        difficulty="medium",
        minutes=7,
        misconception="Weights of a split word are averaged on both sides.",
        hints=(
            "First the keys: add up the columns of each word. Then the queries: the mean of the rows of each word.",
            "With `belongs = np.equal.outer(np.arange(m), word)`, of shape m × n, both are matrix products.",
        ),
        properties=JOIN_PIECES,
    ),
    Exercise(
        id="mean-pooled",
        title="A sentence's vector",
        difficulty="easy",
        minutes=5,
        misconception="The mean runs over all rows, padding too.",
        hints=(
            "`rows[own]` are the rows that count.",
            "The mean over axis 0, and then divide it by `np.linalg.norm` of it.",
        ),
        properties=MEAN_POOLED,
    ),
    Exercise(
        id="silence-one",
        title="One head silent",
        difficulty="medium",
        minutes=6,
        misconception="A head is silenced in the output, where its columns can be found.",
        hints=(
            "In the output all heads are mixed. Where are they still side by side?",
            "Head a has the columns a · d_v to (a + 1) · d_v − 1 of the blends, with d_v = width / h. Do not change the argument itself.",
        ),
        properties=SILENCE_ONE,
    ),
    Exercise(
        id="small-change",
        title="What a small change shows",
        difficulty="medium",
        minutes=4,
        misconception="Parts that can each be spared can be spared together.",
        hints=(
            "What happened to the cosines of *different* pairs with all 72 heads silent?",
            "Each was silenced *while all others were there*, and one thing was measured.",
        ),
        question=ChoiceQuestion(
            prompt="Silence any one head of a model: no cosine of your sentences changes by more than 0.02. What follows?",
            options=[
                ("The heads can be left out, all of them", "Each was silenced while the others were there. Without MiniLM's 72, four fewer partners were found, and sentences of different pairs had 0.49 in place of 0.06."),
                (
                    "For these sentences, silencing one head in this way changes no cosine by more than 0.02",
                    "This claims no more than was measured. Whether a fall of 0.02 is little depends on where it starts: from 1 it is an angle of 11°, from 0.5 only one of 1°.",
                ),
                ("All heads do the same", "One may make up for another, or each may add a little of something else. This does not tell."),
                ("Attention is not needed for meaning", "Silencing one head says nothing of silencing 72."),
            ],
            right=1,
        ),
    ),
)  # fmt: skip
