"""Exercises of chapter 3: query, key, value."""

from attnlib.exercises.checkers_03 import CROSS_ATTENTION, READ_ONE
from attnlib.exercises.checkers_03_roles import SWAPPED_ROLES, TURN_THE_KEYS
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion

EXERCISES = (
    Exercise(
        id="pair-grid",
        title="A pair that reads each other",
        difficulty="easy",
        minutes=4,
        misconception="With one place for each token, two tokens cannot read each other at all.",
        hints=(
            "With one place for each token: which score is at most the mean of which two others?",
            "For each row compare the weight on the other token with the weight on itself.",
        ),
        question=ChoiceQuestion(
            prompt="Here are three grids of weights for two tokens, with each row in parentheses. Which grid needs a query and a key for each token, "
            "since it cannot be had with one place for each?",
            options=[
                ("(0.5, 0.5), (0.5, 0.5)", "One place does it: put both tokens on the same point."),
                (
                    "(0.3, 0.7), (0.1, 0.9)",
                    "One place does it: the second token is long, and lies in the direction of the first.",
                ),
                (
                    "(0.4, 0.6), (0.6, 0.4)",
                    "Each reads the other more than itself. The score of the two would have to beat both own scores.",
                ),
            ],
            right=2,
        ),
    ),
    Exercise(
        id="by-pencil",
        title="A third token with a pencil",
        difficulty="easy",
        minutes=5,
        misconception="The token that reads has no part in what it reads.",
        hints=(
            "The token that reads is one of the three: it has a key and a value, too.",
            "First the query of the third token, then three keys, three scores, three powers of 2, and three values.",
        ),
        question=NumberQuestion(
            prompt="The tokens are (1, 0), (0, 1) and (1, 1), as in the text. Now W_Q has the rows 2 and 0, W_K the rows 0 and 1, "
            "and W_V the rows 9 and 18. Take powers of 2 in place of powers of e. What is the output of the *third* token?",
            right=21.0,
            wrong=[
                (18.0, 0.01, "That is the plain mean of the values. The scores are not equal."),
                (
                    22.5,
                    0.01,
                    "You took the scores as weights, or left out the first token. Take powers of 2 first: 1, 4 and 4. The first token counts, since 2 to the power 0 is 1.",
                ),
                (19.8, 0.01, "Its query is 2, not 1: the scores are 0, 2 and 2."),
                (189.0, 0.01, "Divide by the sum of the powers, 9."),
                (21.64, 0.05, "That is with powers of e. Take powers of 2."),
            ],
            explanation="(1 · 9 + 4 · 18 + 4 · 27) / 9 = 189 / 9.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="print-shapes",
        title="What does it print?",
        difficulty="easy",
        minutes=3,
        misconception="W_Q W_Kᵀ is as wide as queries and keys.",
        hints=(
            "The inner sizes of a product agree, and disappear.",
            "Rank counts independent rows. All rows of B combine those of W_K.T: write its shape first.",
        ),
        question=ChoiceQuestion(
            prompt="`X` is 5 × 8, `W_Q` and `W_K` are 8 × 2, with random numbers. What does this print? "
            "`B = W_Q @ W_K.T; print(B.shape, np.linalg.matrix_rank(B), (X @ B @ X.T).shape)`",
            options=[
                (
                    "`(8, 8) 8 (5, 5)`",
                    "Each row of B is made of the two rows of W_Kᵀ. How many dimensions do they span?",
                ),
                ("`(2, 2) 2 (5, 5)`", "The 2 is the inner size: it disappears."),
                ("`(8, 8) 2 (5, 5)`", "8 × 8, but made of two rows: so its rank is 2."),
                (
                    "`(8, 8) 2 (8, 8)`",
                    "X has five rows, and stands on both sides of B. The two 8s of B are inner sizes, and disappear.",
                ),
            ],
            right=2,
        ),
    ),
    Exercise(
        id="cube-corners",
        title="Corners of a cube",
        difficulty="medium",
        minutes=5,
        misconception="Every key can be read most, by some query.",
        hints=(
            "Which keys can be read more than every other? Those on a corner of the convex hull of all, where no second key lies.",
            "The eight combinations are the corners of a cube. A matrix with two columns casts its shadow into the plane.",
            "Hold a cube, or draw one, so that no two corners hide each other. Count the corners on the outline.",
        ),
        question=NumberQuestion(
            prompt="A token has three marks, each 1 or −1, and eight tokens have the eight combinations. Keys are made of the marks "
            "by a matrix of 3 × 2. For how many of the eight keys, at most, can there be a query that reads this key more than every other key?",
            right=6.0,
            tolerance=0,
            wrong=[
                (
                    8.0,
                    0,
                    "Two or more of the corners always lie inside the shadow of the cube, on an edge of it, or hidden behind another one.",
                ),
                (
                    4.0,
                    0,
                    "That is the cube seen straight from the front, with keys that hide each other. Turn it a little.",
                ),
                (2.0, 0, "That is the most with one column."),
                (3.0, 0, "That is the number of marks. Draw the shadow of a cube."),
                (7.0, 0, "Opposite each corner of the outline lies another one, so the number of corners is even."),
            ],
            explanation="The shadow of a cube is a hexagon at most, and two corners lie inside.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="cross-shapes",
        title="Shapes between two sequences",
        difficulty="easy",
        minutes=3,
        misconception="There is one output for each key.",
        hints=(
            "Who asks? Each query gets one row of weights and one output.",
            "Write Q, K and V with their shapes first. Which size do Q and K share, and where does it go?",
        ),
        question=ChoiceQuestion(
            prompt="`X` (it asks) is 4 × 5 and `Z` (it answers) is 9 × 7. `W_Q` is 5 × 6, `W_K` is 7 × 6, `W_V` is 7 × 2. "
            "What are the shapes of the weights and of the output?",
            options=[
                ("4 × 9 and 9 × 2", "There is one output for each *query*, and X holds four."),
                ("9 × 4 and 9 × 2", "Queries are the rows of the grid, and X asks."),
                ("4 × 9 and 4 × 2", "Four queries read nine keys; each output is as wide as a value."),
                ("4 × 4 and 4 × 2", "That is self-attention of X. Here the keys come from Z."),
                ("6 × 6 and 6 × 2", "6 is the width in which queries and keys meet. It disappears in QKᵀ."),
            ],
            right=2,
        ),
    ),
    Exercise(
        id="read-one",
        title="One token reads",
        difficulty="easy",
        minutes=8,
        misconception="What is blended are the tokens, or the keys.",
        hints=(
            "Four steps: query, scores, weights, blend. The figure with the boxes shows them.",
            "The scores of all keys with one query are one product: keys (n × d_k) times the query (d_k).",
            "If the shape of your result is off, ask what you blended: tokens, keys or values.",
        ),
        properties=READ_ONE,
    ),
    Exercise(
        id="cross-attention",
        title="Cross-attention with biases",
        difficulty="medium",
        minutes=10,
        misconception="Values come from the sequence that asks.",
        hints=(
            "Which of the three projections take x, and which take z?",
            "NumPy adds a vector of length d_k to each row of an n × d_k matrix by itself.",
            "Each row of the weights, one for each query, must sum to 1.",
        ),
        properties=CROSS_ATTENTION,
    ),
    Exercise(
        id="turn-the-keys",
        title="Turn the keys",
        difficulty="medium",
        minutes=10,
        misconception="Queries and keys must be alike for a token to be read.",
        hints=(
            "Where does rock's query stand? That is where the key of scissors must go.",
            "Every key makes the same turn. By how many degrees, and which way?",
            "With rows as vectors, the first row of the matrix is where (1, 0) lands, the second where (0, 1) lands.",
        ),
        properties=TURN_THE_KEYS,
    ),
    Exercise(
        id="swapped-roles",
        title="Who swapped what?",
        difficulty="medium",
        minutes=12,
        misconception="Weights whose rows sum to one are right.",
        hints=(
            "What would the weights be for each of the three? You have all that it takes to compute them.",
            "Exchanging the roles transposes the scores, before the softmax. The wrong axis is the same scores with axis=0.",
            "Compare with np.allclose, not with ==: sums in another order are rounded otherwise.",
        ),
        properties=SWAPPED_ROLES,
    ),
    Exercise(
        id="everybody-reads",
        title="A word that everybody reads",
        difficulty="medium",
        minutes=4,
        misconception="A bias of the keys makes keys more popular.",
        hints=(
            "In each row the score of *Houston* must gain more than the other scores.",
            "Multiply out (q + b_q)·(k_j + b_k). Which terms know j, and which of these does not need q?",
        ),
        question=ChoiceQuestion(
            prompt="All matrices are fixed. Every word, whatever its query, should read more from *Houston*. The key of *Houston* "
            "is a corner of the keys' convex hull. Which bias, if any, can do that?",
            options=[
                (
                    "`b_k`",
                    "It moves *every* key by the same vector, so each score of a row gains the same. Nothing changes.",
                ),
                ("`b_q`", "It adds `b_q`·k_j to the score of key j, whoever asks."),
                ("`b_v`", "It adds the same vector to every output, and changes no weight."),
                (
                    "None of them",
                    "One of the four terms of (q + `b_q`)·(k_j + `b_k`) knows the key and not the query. Which?",
                ),
            ],
            right=1,
        ),
    ),
    Exercise(
        id="count-saved",
        title="How much smaller?",
        difficulty="easy",
        minutes=4,
        misconception="The ideal tensor needs one matrix for each token, not for each pair.",
        hints=(
            "The ideal tensor has a cell for each pair of tokens. What is the size of one cell?",
            "Attention has two matrices of d × d_k, and one of d × d_v.",
        ),
        question=NumberQuestion(
            prompt="Take n = 10 tokens with d = 8, d_k = 4 and d_v = 3. How many *times* the numbers of W_Q, W_K and "
            "W_V together does the ideal tensor have? A whole number is enough.",
            right=2400 / 88,
            tolerance=0.5,
            wrong=[
                (240 / 88, 0.3, "You counted one cell for each token. The grid has n × n cells, one for each pair."),
                (2400 / 56, 0.5, "W_Q and W_K are two matrices: 8 · 4 counts twice."),
                (88 / 2400, 0.01, "The other way round: the ideal tensor has more."),
                (2400.0, 0.5, "That is the ideal tensor's count. Divide it by that of the three matrices."),
                (88.0, 0.5, "That is the count of the three matrices. How often does it go into the ideal tensor's?"),
            ],
            explanation="100 cells of 8 · 3 numbers are 2400; 2 · 8 · 4 + 8 · 3 = 88. And the 2400 serve 10 tokens only.",
        ),
    ),
)
