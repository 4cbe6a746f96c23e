"""Exercises of chapter 7: cost."""

from attnlib import cost
from attnlib.exercises.checkers_07 import JOIN_PARTS, WINDOW_MASK
from attnlib.exercises.checkers_07_sums import CAUSAL_SUMS
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion

EXERCISES = (
    Exercise(
        id="pencil-cache",
        title="A cache with a pencil",
        difficulty="easy",
        minutes=3,
        misconception="More heads keep more keys and values, at the same width.",
        hints=(
            "How many numbers are a key and a value of all 12 heads together, in one layer?",
            "2 · 768 numbers, in 12 layers, for each of 100,000 tokens. And then the bytes.",
        ),
        question=NumberQuestion(
            prompt="The model of the opening, d = 768 with 12 heads and 12 layers, has read 100,000 tokens. How many GB are its keys and values, "
            "at 2 bytes a number? One decimal. (1 GB is 10⁹ bytes.)",
            right=cost.cache_bytes(100_000, 12, 64, num_layers=12, itemsize=2) / 1e9,
            unit="GB",
            tolerance=0.06,
            wrong=[
                (1.84, 0.06, "Keys *and* values: two vectors for each token."),
                (7.37, 0.06, "That is at 4 bytes a number."),
                (0.31, 0.02, "That is one layer. All 12 keep theirs."),
                (44.2, 0.5, "The 768 numbers are those of all heads together: 12 · 64."),
                (240.0, 0.5, "Those are the grids of one layer, at one byte."),
            ],
            explanation="2 · 768 · 12 · 100,000 · 2 bytes.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="print-total",
        title="What does it print?",
        difficulty="easy",
        minutes=4,
        misconception="A total of exponentials grows with the largest score.",
        hints=(
            "At first `largest` is −∞, and e^(−∞) is 0. What is `total` after the first score?",
            "The second score is larger by 2: what is there shrinks by e^(−2), and 1 is added. The third is smaller by 1.",
        ),
        question=ChoiceQuestion(
            prompt="What does the loop above print, with the scores 1, 3 and 2?",
            options=[
                ("`1.5`", "e^(−2) + 1 + e^(−1)."),
                ("`30.19`", "That is e + e³ + e². Each has been divided by e³ in the end."),
                ("`3.0`", "Each score adds e^(s − new). That is 1 only for one that is the largest so far."),
                ("`2.37`", "The second score is larger than the first. So the total so far must shrink: it is multiplied by e^(−2)."),
            ],
            right=0,
        ),
    ),
    Exercise(
        id="which-grid",
        title="Which grid?",
        difficulty="medium",
        minutes=4,
        misconception="A running sum needs no correction when a larger score comes.",
        hints=(
            "Add up the rows. Which grid has rows that do not sum to 1?",
            "What was summed before a larger score came should have shrunk. Without that, are the early values weighed too much or too little?",
        ),
        question=ChoiceQuestion(
            prompt="One of the four grids comes from a streaming softmax that corrects its total when a larger score "
            "comes, but forgets to correct its blend. Which grid is it?",
            options=[
                ("Grid 1", "Some of its rows sum to more than 1: values that came before a larger score count as if it had not come."),
                ("Grid 2", "Its rows sum to 1, and are 0 further than two places back and in the future: a window."),
                ("Grid 3", "Its rows sum to 1. This is the softmax."),
                ("Grid 4", "Its rows sum to 1, and are the flattest of the four. How are such weights made?"),
            ],
            right=0,
        ),
    ),
    Exercise(
        id="window-mask",
        title="A window",
        difficulty="easy",
        minutes=8,
        misconception="A window of w reaches w tokens back.",
        hints=(
            "Take w = 1. Which keys may a query read? And with w = 2?",
            "i − j says how far back key j lies. Which values of i − j are allowed?",
            "`np.arange(n)[:, None] - np.arange(n)` is a grid of all i − j. Two conditions, joined by `&`.",
        ),
        properties=WINDOW_MASK,
    ),
    Exercise(
        id="join-parts",
        title="Two halves of the keys",
        difficulty="hard",
        minutes=15,
        misconception="Answers for parts of the keys can be averaged.",
        hints=(
            "What would each total have been, had the larger of both largest scores been subtracted?",
            "The streaming softmax multiplies by e^(old − new). Here both parts have an old largest score, and share a new one.",
            "np.maximum compares entry by entry: one largest score for each query. Divide once, at the end.",
        ),
        properties=JOIN_PARTS,
    ),
    Exercise(
        id="no-feed-forward",
        title="Without feed-forward layers",
        difficulty="medium",
        minutes=5,
        misconception="The crossover is at 6d, whatever the block is made of.",
        hints=(
            "Which terms of 12nd² + 2n²d are left?",
            "Set the grids equal to what is left of the rest, and divide by n and d.",
        ),
        question=NumberQuestion(
            prompt="A block has attention and no feed-forward layer, like those of the model in chapter 9. For d = 512, at how many tokens do "
            "the grids take half of the multiply–adds? Write the number without a comma.",
            right=float(cost.crossover(512) - 4 * 512),
            tolerance=0.5,
            wrong=[
                (3072.0, 0.5, "That is 6d, with the feed-forward layer's 8nd². It is gone."),
                (2048.0, 0.5, "That is 4d. There are two products with the grid, QKᵀ and AV: 2n²d."),
                (768.0, 0.5, "That is 1.5d. W_O takes nd² as well: 4nd² in all."),
                (1536.0, 0.5, "That is 3d. W_O takes nd² as well, and there are two products with the grid."),
                (512.0, 0.5, "At n = d the grids take 2d³ and the projections 4d³."),
            ],
            explanation="4nd² = 2n²d at n = 2d. Without feed-forward layers the grids matter three times as soon.",
        ),
    ),
    Exercise(
        id="mask-saves",
        title="What does the mask save?",
        difficulty="easy",
        minutes=4,
        misconception="Masked scores are not computed.",
        hints=(
            "Look at the order of things in `attention`: when does the mask come in?",
            "A tile of keys that is masked as a whole, for all queries at hand: who can know that before computing it?",
        ),
        question=ChoiceQuestion(
            prompt="A causal mask blocks nearly half of all pairs. In a long text, which function then needs only "
            "about half of the multiply–adds that it needs without a mask?",
            options=[
                ("`attention` with `causal_mask(n)`", "It makes all scores, then puts −∞ on some. The work is done."),
                ("`streaming_attention` with `causal=True`", "It never starts on a tile of keys that lies in the future of all its queries."),
                ("Both", "Given a mask, `attention` computes every score all the same."),
                ("Neither", "One of the two is told `causal=True`, and leaves out whole tiles."),
            ],
            right=1,
        ),
    ),
    Exercise(
        id="same-function",
        title="The same function?",
        difficulty="medium",
        minutes=4,
        misconception="All fast forms of attention are approximations.",
        hints=(
            "For each: is there a text for which it gives other numbers than attention does?",
            "Which of the four changes only the *order* of the sums?",
        ),
        question=ChoiceQuestion(
            prompt="You have a trained model with ordinary attention, and may change how it is computed, but not train it again. With which change does it give the same "
            "answers, up to rounding?",
            options=[
                ("Sliding windows in every layer", "Each query loses what lies further back."),
                ("Linearised attention", "Its weights are other weights, and with the chapter's φ usually flatter."),
                ("One head of keys for all, the mean of the trained ones", "The scores change. Such a model needs further training (Ainslie et al., 2023)."),
                ("A streaming softmax, in tiles of keys", "It adds the same numbers in another order."),
            ],
            right=3,
        ),
    ),
    Exercise(
        id="empty-tile",
        title="From chapter 5: a tile that nobody may read",
        difficulty="medium",
        minutes=4,
        misconception="A key with the score −∞ can do no harm.",
        hints=(
            "Chapter 5: what does a softmax give for a row of −∞ alone? Here a whole tile is such a row.",
            "What is `new` after the first tile? And `scores - new`?",
        ),
        question=ChoiceQuestion(
            prompt="Suppose the chapter's `streamed` sets the scores of padding to −∞, and all keys of the *first* tile are "
            "padding. What does it return?",
            options=[
                ("What it should: those keys weigh 0", "That is true when such a tile comes later. Here it comes first: what is `largest` then?"),
                ("NaN", "`new` is −∞, and `scores - new` is −∞ − (−∞). What is NaN stays NaN."),
                ("0", "Nothing sets the blend back. Look at `scores - new`."),
                ("It stops with an error", "NumPy may warn. What does it compute?"),
            ],
            right=1,
        ),
    ),
    # Other functions, fewer products
    Exercise(
        id="causal-sums",
        title="A state instead of a cache",
        difficulty="medium",
        minutes=15,
        misconception="Causal attention needs a grid to put a mask on.",
        hints=(
            "Two things are kept while you go from token to token: what shape has each?",
            "φ(k)ᵀv of one token is a matrix of d_k × d_v: np.outer(key[i], value[i]).",
            "Order matters: first add the token's own key and value, then let its query read.",
        ),
        properties=CAUSAL_SUMS,
    ),
    Exercise(
        id="state-or-cache",
        title="When the state is smaller",
        difficulty="medium",
        minutes=7,
        misconception="A state of fixed size is always smaller than a cache.",
        hints=(
            "How many numbers does one token leave in the cache: a key and a value, for this one head?",
            "The state has a matrix of d_k × d_v and a vector of d_k, and their sizes stay when the text goes on.",
        ),
        question=NumberQuestion(
            prompt="One head with d_k = d_v = 64. From which number of tokens on does the key–value cache hold *more* numbers than "
            "linearised attention's two sums?",
            right=33.0,
            tolerance=0.1,
            wrong=[
                (32.5, 0.1, "At 32.5 tokens the two would be equal, but a text has whole tokens. What is the first whole number at which the cache holds more?"),
                (32.0, 0.1, "32 tokens leave 4096 numbers. You forgot the sum of the keys, 64 numbers more: 4160."),
                (65.0, 0.5, "A token leaves a key *and* a value: 128 numbers."),
                (66.0, 0.5, "A token leaves a key *and* a value: 128 numbers."),
                (64.0, 0.5, "A token leaves a key *and* a value, and the state has a sum of the keys too."),
            ],
            explanation="The state has 64 · 65 = 4160 numbers. 32 tokens leave 32 · 128 = 4096 in the cache, 33 leave 4224.",
        ),
    ),
)  # fmt: skip
