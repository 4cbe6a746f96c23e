"""Questions that chapter 0 asks on the way, kept out of the page's code so that no cell gives an answer away."""

import numpy as np

from attnlib.questions import ChoiceQuestion, NumberQuestion, OrderQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "agreement": NumberQuestion(
        prompt="Two names of 16 fields differ in 5 of them. What is their dot product?",
        right=6.0,
        tolerance=0.01,
        wrong=[
            (11.0, 0.1, "That is how many fields are equal. Each of the 5 others takes 1 away."),
            (-6.0, 0.1, "The sign: equal fields give 1, and there are more of them."),
            (
                5.0,
                0.1,
                "That is how many fields differ. But the equal fields count, too, and each that differs takes 1 away.",
            ),
            (16.0, 0.1, "That is the dot product of a name with itself, where no field differs."),
        ],
        explanation="11 · 1 + 5 · (−1) = 6.",
        provenance="exact",
    ),
    "same-vector": ChoiceQuestion(
        prompt="A program looks up the row of each word in a table. Is the row of *Houston* the same in "
        "“we have Houston” and in “we have a problem Houston”?",
        options=[
            (
                "No, since the word plays another part",
                "That is what we want. But a table is asked for one word at a time, and sees no other.",
            ),
            (
                "No, since it is the third word of one and the fifth of the other",
                "A table does not see a word's place either. That comes in chapter 8.",
            ),
            ("Yes", "The table is asked for the word *Houston*, and for nothing else."),
        ],
        right=2,
        reveal="A row that knows its context needs a step in which words *read from each other*. In this book that "
        "step is attention.",
    ),
    "which-product": ChoiceQuestion(
        prompt="`P` is 2 × 3. Which product exists, and what is its shape?",
        options=[
            ("`P @ P`, 2 × 3", "The inner sizes are 3 and 2. They do not agree, so this product does not exist."),
            (
                "`P @ P.T`, 2 × 2",
                "2 × 3 times 3 × 2: the 3s agree and disappear. It holds the dot products of P's rows.",
            ),
            (
                "`P @ P.T`, 3 × 3",
                "The *inner* sizes disappear, 3 and 3. The outer ones are left. 3 × 3 is the shape of `P.T @ P`.",
            ),
        ],
        right=1,
    ),
    "base-two": NumberQuestion(
        prompt="With b = 2: the scores are 1, 3 and 3. What share does the *first* get? As a fraction, or with two decimals.",
        right=1 / 9,
        tolerance=0.006,
        wrong=[
            (1 / 7, 0.005, "That shares out the scores themselves, 1 of 7. Raise 2 to each first: 2, 8, 8."),
            (4 / 9, 0.01, "That is the share of each of the two others."),
            (1 / 5, 0.01, "2 more in the score multiplies the amount by 2 · 2 = 4, not by 2."),
            (1 / 8, 0.006, "That is 2 of 16. Its own amount belongs to the sum too: 2 of 2 + 8 + 8."),
            (1 / 4, 0.01, "That is 2 of 8, the ratio of two amounts. A share divides by the sum of all three."),
        ],
        explanation="The amounts are 2, 8 and 8, and 2/18 = 1/9. With 1 taken off each score: 1/(1 + 4 + 4), the same.",
        provenance="exact",
    ),
    "naive-prints": ChoiceQuestion(
        prompt="What does this print? `amounts = np.exp(np.array([1000.0, 1002.0])); print((amounts / amounts.sum()).round(2))`",
        options=[
            ("`[0.12 0.88]`", "That is the right answer on paper. But can a computer hold e¹⁰⁰⁰?"),
            ("`[0.5 0.5]`", "Two infinities are not shared out half and half: one divided by the other has no value."),
            (
                "`[nan nan]`",
                "e¹⁰⁰⁰ is too large to be held and becomes infinity, and infinity divided by infinity is “not a number”.",
            ),
            ("`[0. 1.]`", "The lead is only 2, and e² ≈ 7.4. And first of all: can a computer hold e¹⁰⁰⁰?"),
        ],
        right=2,
        reveal="NumPy warns, and goes on with nan. Nearly every number that is computed from it is nan too.",
    ),
    "hot": ChoiceQuestion(
        prompt="The temperature T grows without end. What do the weights of the five words approach?",
        options=[
            (
                "1 for *have*, 0 for the others",
                "That happens when T falls towards 0: a low temperature magnifies the differences between scores.",
            ),
            (
                "1/5 each",
                "Finite scores divided by a huge T are nearly 0, and e⁰ = 1 for each: the differences no longer count.",
            ),
            ("0 each", "They still sum to 1. All amounts approach e⁰ = 1."),
            (
                "What they were: only differences count, and T changes all scores alike",
                "A *shift* changes no difference. T *divides* each difference.",
            ),
        ],
        right=1,
        reveal="And as T goes to 0, the highest score takes all, or those that tie for it share it alike.",
    ),
    "hidden-share": NumberQuestion(
        prompt="Of five words, *we* had the weight 0.052 and *have* 0.871. Then *have* gets the score −∞. What is "
        "the new weight of *we*? Two decimals are enough.",
        right=0.4025,
        tolerance=0.01,
        wrong=[
            (0.052, 0.003, "Then the weights would sum to 0.129. They sum to 1 again: divide by what is left."),
            (
                0.27,
                0.01,
                "That gives each of the four other words a quarter of the 0.871. But the ratios of their weights stay: divide by what is left.",
            ),
            (0.923, 0.005, "What *have* had goes to all four, not to *we* alone: their ratios stay."),
            (0.25, 0.01, "The four are not alike: their scores are as before, and so are the ratios of their weights."),
        ],
        explanation="0.052 / (1 − 0.871) ≈ 0.40. The amount of *have* is gone from the sum; the other amounts stand, "
        "and so do their ratios.",
        provenance="hand-made scores",
    ),
    "sick-grid": ChoiceQuestion(
        prompt="A grid of weights, one row for each query: (0.5, 0.2, 0.1), (0.3, 0.3, 0.2), (0.2, 0.5, 0.7). What "
        "is wrong with it?",
        options=[
            ("Nothing: all weights are positive", "All of them are positive. But add up the first row."),
            ("The softmax went over the queries", "The columns sum to 1, and the rows to 0.8, 0.8 and 1.4."),
            (
                "The scores were not shifted",
                "To shift all that one softmax goes over changes no weight. It keeps the amounts in the range of the computer.",
            ),
            ("It is not symmetric", "It need not be, since a word need not ask for what it offers. Add up a row."),
        ],
        right=1,
        reveal="The third query takes 1.4 from the values, the others 0.8.",
    ),
    "bold-name": ChoiceQuestion(
        prompt="In each row of envelopes one key is made 5 times as large, and the softmax stays as it is. What "
        "happens to the answers?",
        options=[
            (
                "Nothing: each name still agrees with itself in every field",
                "So it does, and scores 16 or more. But what does the loud key score when one of the seven others is called?",
            ),
            (
                "The loud name is found less often",
                "When it is called, its key scores 5 · 16 = 80, more surely first than before.",
            ),
            (
                "The loud key takes answers from others",
                "Of all names 22.7 % agree with it in 10 fields or more. Then it scores 5 · 4 = 20 or more, above 16.",
            ),
        ],
        right=2,
        reveal="How many answers it takes is measured below.",
    ),
    "ten-words": NumberQuestion(
        prompt="A model chooses among 10 words and knows nothing. "
        "What cross-entropy does it pay if it gives each the same share? Two decimals are enough.",
        right=float(np.log(10)),
        tolerance=0.01,
        wrong=[
            (0.1, 0.001, "That is the share p of the right word. The cross-entropy is −ln p."),
            (-2.303, 0.01, "The sign: a share is below 1, so its logarithm is negative, and −ln p is positive."),
            (1.0, 0.01, "That is the logarithm to base 10. Here it is the natural one, to base e."),
            (3.32, 0.01, "That is the logarithm to base 2. Here it is the natural one, to base e."),
            (10.0, 0.01, "That is the number of words. Each share is 1/10: take −ln of it."),
        ],
        explanation="−ln(1/10) = ln 10 ≈ 2.30.",
        provenance="exact",
    ),
    "houston-reads": ChoiceQuestion(
        prompt="Which word does *Houston* read most in *we have Houston*, where no key offers an object?",
        options=[
            ("*we*", "It offers a subject, and *Houston* does not ask for one."),
            (
                "*have*",
                "It offers the deed, and *Houston* asks a little for a deed. That is enough for the largest weight: *have* gets 0.55.",
            ),
            ("*Houston*, itself", "It offers an addressee, and does not ask for one."),
            ("all three alike", "With equal scores they would be. But it asks a little for a deed."),
        ],
        right=1,
        reveal="With *problem* in the sentence, *problem* gets 0.79, and *have* 0.09.",
        provenance="hand-made matrices",
    ),
    "which-came-first": OrderQuestion(
        prompt="What came first?",
        options=[
            ("Attention helps a translating network, step by step, to look back at the source text", ""),
            (
                "A network made of attention and feed-forward parts alone, the *Transformer*",
                "It took attention from an earlier kind of translating network, and left the rest of that away.",
            ),
            ("GPT, a Transformer trained to guess the next word", "It is built from the blocks of the Transformer."),
            (
                "*Formal Algorithms for Transformers*, exact pseudocode for the Transformer and for GPT",
                "It describes models such as GPT, so these were there before it.",
            ),
        ],
        reveal="2014, 2017, 2018 and 2022. Attention is older than GPT, and was not invented for it.",
    ),
}
