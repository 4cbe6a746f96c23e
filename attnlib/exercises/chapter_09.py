"""Exercises of chapter 9: a model that was trained."""

from attnlib.exercises.checkers_09 import HEAD_ADDS, PREVIOUS_SCORE
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion, OrderQuestion

EXERCISES = (
    Exercise(
        id="pencil-direction",
        title="A direction with a pencil",
        difficulty="easy",
        minutes=4,
        misconception="How much a head says for a word hangs on the length of what it adds.",
        hints=(
            "Subtract the column of swims from that of paints first.",
            "A dot product with that difference, and then divide by the root mean square.",
        ),
        question=NumberQuestion(
            prompt="A head adds (2, −1, 0) to the last row. The unembedding's column of *paints* is (3, 1, 0), and that of *swims* (1, 2, 5). "
            "The row's root mean square is 2. How much does the head add to the logit of *paints* less that of *swims*?",
            right=2.5,
            wrong=[
                (5.0, 0.01, "Divide by the row's root mean square."),
                (-2.5, 0.01, "You took *swims* less *paints*. The question asks for *paints* less *swims*."),
                (1.25, 0.01, "Divide by 2 once: RMS norm divides by the root mean square, not by its square."),
                (0.0, 0.01, "The head adds 0 in the third column, so the 5 counts for nothing. Which products are left?"),
                (1.5, 0.01, "The two products are 2 · 2 and (−1) · (−1): the second is positive."),
            ],
            explanation="(2, −1, 0) · (2, −1, −5) = 5, and 5 / 2 = 2.5.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="print-band",
        title="What does it print?",
        difficulty="easy",
        minutes=3,
        misconception="The bands of W_O are its columns, or take turns.",
        hints=(
            "Write the 6 × 2 numbers down. Three heads share six rows.",
            "Code counts from 0. Which two rows has the head with the index 1?",
        ),
        question=ChoiceQuestion(
            prompt="There are three heads with d_v = 2. What does this print, and which head's band is it, if heads are counted from 1? "
            "`w_o = np.arange(12).reshape(6, 2); print(w_o.reshape(3, 2, 2)[1].tolist())`",
            options=[
                ("`[[0, 1], [2, 3]]`, head 1", "That is the index 0. Code counts from 0, the text from 1."),
                ("`[[4, 5], [6, 7]]`, head 2", "Rows 2 and 3, in code. In the text it is the second head."),
                ("`[[2, 3], [8, 9]]`, head 2", "Those are every third row. A head's rows are neighbours."),
                ("`[[1, 3], [5, 7]]`, head 2", "That goes down a column. A band is made of rows."),
            ],
            right=1,
        ),
    ),
    Exercise(
        id="which-job",
        title="Which is which?",
        difficulty="medium",
        minutes=4,
        misconception="An induction head reads the earlier occurrence of the same word.",
        hints=(
            "Look at row 4, the second *red*. Which word would help to say what comes next?",
            "The word after the first *red* stands in column 2.",
        ),
        question=OrderQuestion(
            prompt="Put the four jobs in the order of the grids: step 1 is the job of grid 1, and so on.",
            options=[
                ("Previous-token head", ""),
                ("Induction head", "There row 4, the second red, would read column 2, the word after the first red."),
                ("Reads the earlier occurrence of its own word", "There row 4, the second red, would read column 1, the first red."),
                ("Rests on one word", "There all rows would read one word, whatever it is."),
            ],
            order=[2, 1, 3, 0],
            reveal="An induction head reads one column further than a head that reads the same word.",
        ),
    ),
    Exercise(
        id="why-rival",
        title="Why the other three?",
        difficulty="easy",
        minutes=3,
        misconception="A story is tested by what it says will happen, and that is enough.",
        hints=(
            "Suppose 2.4's score fell whichever head is silenced. What would you say of the story?",
            "A test has to be able to come out otherwise, for the story and for its rivals.",
        ),
        question=ChoiceQuestion(
            prompt="With head 1.4 silent, the weight of 2.4 on its word falls to 0.05. Why was the same test also "
            "run with 1.1, 1.2 or 1.3 silent instead?",
            options=[
                ("To find the best head of layer 1", "No head is ranked here. Which rival to the story is ruled out?"),
                ("To see whether any loss in layer 1 would do the same", "Then the fall would say little about 1.4."),
                ("To make the mean of five draws more exact", "The draws do that. The other heads are another experiment."),
                ("To prove that 1.4 writes into the key of 2.4", "The test does not tell which of 2.4's matrices needs 1.4."),
            ],
            right=1,
        ),
    ),
    Exercise(
        id="fine",
        title="From chapter 0: a fine on a score",
        difficulty="medium",
        minutes=4,
        misconception="A lower score by 3.7 makes a weight 3.7 times smaller, or 0.",
        hints=(
            "The quotient of two weights is e to the difference of their scores.",
            "The difference gets smaller by 0.3 − (−3.4) = 3.7. So the quotient is divided by e^3.7.",
        ),
        question=NumberQuestion(
            prompt="With equal biases, a far key has 55 times the weight of a near one. Now the near one has a bias of 0.3, and the far one "
            "of −3.4. How many times the weight of the near key does the far key have now?",
            right=1.36,
            tolerance=0.05,
            wrong=[
                (14.86, 0.1, "A difference of scores is a quotient of weights: divide by e to the 3.7."),
                (51.3, 0.1, "A bias is added to the score, and the weight has e to the score."),
                (2224.6, 20, "The far key is fined: divide."),
                (1.84, 0.03, "The near key's bias counts as well: 0.3 − (−3.4) = 3.7."),
                (40.45, 0.5, "That is the factor by which it shrinks. Divide 55 by it."),
            ],
            explanation="55 / e^3.7 = 55 / 40.45. The fine is paid, and the far key still has more.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="previous-score",
        title="Who reads the token before?",
        difficulty="easy",
        minutes=6,
        misconception="A grid is read by its columns, and every row has a token before it.",
        hints=(
            "The cells are [1, 0], [2, 1], [3, 2], …: a diagonal one below the main one.",
            "`weights[:, later, later - 1]` with `later = np.arange(1, n)` picks them in every head.",
        ),
        properties=PREVIOUS_SCORE,
    ),
    Exercise(
        id="head-adds",
        title="How much does a head add?",
        difficulty="medium",
        minutes=6,
        misconception="What a head adds is as long as its cells' additions together.",
        hints=(
            "First the vectors: blend the values of each head, then send each blend through that head's rows of w_o.",
            "`w_o.reshape(h, d_v, -1)` holds a band for each head, and `@` multiplies head by head.",
        ),
        properties=HEAD_ADDS,
    ),
    Exercise(
        id="bright-head",
        title="A bright head falls silent",
        difficulty="medium",
        minutes=4,
        misconception="A bright cell explains the answer, and what can be removed did nothing.",
        hints=(
            "What would you see if two heads did the same job?",
            "Removing one thing tests whether it is needed *while all others are there*.",
        ),
        question=ChoiceQuestion(
            prompt="A head puts a weight of 0.97 on the word that the answer depends on. Without it, the answers are as good as before. "
            "What follows?",
            options=[
                ("The head does nothing", "The answers may have had margin to spare, or other heads did enough. Measure the margin, and silence sets."),
                (
                    "The model does not need the head here. Whether it takes part is still open",
                    "Others may do its work. Silencing sets of heads, and what each adds, narrows it down.",
                ),
                ("The weight was measured wrongly", "The weight is what it is. It says where a head reads, not what comes of it."),
                ("The answer does not depend on that word", "It does. Swap the word, and the answer changes: other heads read it too."),
            ],
            right=1,
        ),
    ),
    # What the model lacks
    Exercise(
        id="longer-text",
        title="Thirteen names",
        difficulty="easy",
        minutes=3,
        misconception="What has learned to read twelve facts can read thirteen.",
        hints=(
            "Which matrix meets the facts of the text, and how wide is each of its keys?",
            "In which shapes of the two layers does the number of names appear?",
        ),
        question=ChoiceQuestion(
            prompt="Two layers were trained to find one of 12 facts in the text: a feed-forward layer, which reads all facts together with the question, and "
            "attention. Now a text has 13 names. Which of the two can be applied to it without new parameters?",
            options=[
                ("Both", "The keys of the feed-forward layer have 44 numbers: 8 of the question and 36 of the facts."),
                ("Attention alone", "One more row of keys and values, made by the same matrices. (Whether it finds the right one is another question.)"),
                ("The feed-forward layer alone", "Its keys are as wide as all it reads together, and that grew by three."),
                ("Neither", "What in W_Q, W_K or W_V knows how many names there are?"),
            ],
            right=1,
        ),
    ),
)  # fmt: skip
