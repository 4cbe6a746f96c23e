"""Questions that chapter 4 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

RISES, STAYS, FALLS = "It rises with d_k", "It stays about the same from 16 to 256", "It falls as d_k grows"

PREDICTIONS: dict[str, Question] = {
    "next-divisor": NumberQuestion(
        prompt="Which divisor belongs to d_k = 1,024?",
        right=32.0,
        tolerance=1.0,
        wrong=[
            (
                64.0,
                1.0,
                "That is four times 16, as if the divisor grew as d_k does. Four times as wide is only twice the divisor.",
            ),
            (1024.0, 1.0, "That is d_k. The divisors found for 4, 16, 64 and 256 were smaller."),
            (256.0, 1.0, "That is d_k / 4, which is right only at width 16. Go from 256 to 1,024: four times as wide."),
            (20.0, 1.0, "The divisors double each time. They do not grow by 4."),
            (24.0, 1.0, "The divisors double each time. They do not grow by 8."),
        ],
        explanation="1,024 is four times 256, so twice 16.",
    ),
    "four-coins": NumberQuestion(
        prompt="Four products, each 1 or −1: sixteen equally likely cases. What is the mean of the squares of the sums? "
        "(The sum is 4 in one case, 2 in four cases, 0 in six, −2 in four and −4 in one.)",
        right=4.0,
        wrong=[
            (64.0, 0.01, "That is the sum of the squares. There are sixteen cases."),
            (0.0, 0.01, "That is the mean of the sums. Square them first."),
            (2.0, 0.01, "That is the root of the mean square. The question asks for the mean square itself."),
            (
                8.0,
                0.01,
                "That counts each of the five sums once. But 2 and −2 come in four cases each, and 0 comes in six.",
            ),
            (
                12.8,
                0.01,
                "That divides the sum of the squares by 5, the number of different sums. Divide it by the number of cases.",
            ),
        ],
        explanation="(16 + 16 + 0 + 16 + 16) / 16.",
        provenance="exact",
    ),
    "same-tokens": ChoiceQuestion(
        prompt="Every token of a sentence is the same vector x, not 0. W_Q and W_K are drawn at random, and d_k = 256. "
        "What are the weights of a row?",
        options=[
            (
                "One key takes nearly all, and which one changes from draw to draw",
                "Over draws the scores do spread. But look at one draw: which keys are there in a row?",
            ),
            ("All alike", "All keys are x W_K, so all scores of the row are one number."),
            (
                "Each token reads mostly itself",
                "Its own key is the same vector as the keys of all others.",
            ),
        ],
        right=1,
        reveal="The scores change from draw to draw, and not within a row.",
    ),
    "by-width": ChoiceQuestion(
        prompt="Take 16 random keys, d_k = 1,024, and divide the scores by d_k in place of its root. "
        "What is the mean largest weight of a row, about?",
        options=[
            ("0.96", "That is without any division. Scores that spread by 32 are divided by 1,024 now."),
            ("0.25", "That is about what the root gives: scores that spread by 1. Here they spread by 32/1,024."),
            ("0.07", "The scores spread by 32/1,024, about 0.03, so all keys get nearly 1/16."),
        ],
        right=2,
    ),
    "bet-mean": ChoiceQuestion(
        title="Mean 1",
        prompt="First bet: all components have *mean 1*, and still variance 1. From d_k = 16 to 256, what does the "
        "mean largest weight do?",
        options=[
            (
                RISES,
                "The mean 1 of the keys adds the same large number to all scores of a row, and the softmax ignores it. What differs still grows as √d_k.",
            ),
            (STAYS, "What differs in a row grows as √d_k, as before."),
            (FALLS, "For that, what differs in a row would have to grow more slowly than √d_k."),
        ],
        right=1,
        reveal="It is larger than with mean 0: between 0.3 and 0.4, against a quarter.",
    ),
    "bet-equal": ChoiceQuestion(
        title="Equal components",
        prompt="Second bet: in each vector all components are *equal*, one random number d_k times. "
        "From d_k = 16 to 256, what does the mean largest weight do?",
        options=[
            (RISES, "A score is d_k times *one* product, and grows as d_k. The root takes too little away."),
            (STAYS, "For that, products would have to cancel. Here they are all the same."),
            (FALLS, "The scores grow faster than the root, not more slowly."),
        ],
        right=0,
    ),
    "bet-length": ChoiceQuestion(
        title="Length 1",
        prompt="Third bet: every vector is divided by its length, so that it has *length 1*. The scores are divided by the "
        "root as before. d_k is 256. How large is the mean largest weight?",
        options=[
            ("0.7 or more: one key takes most", "A score is a cosine now, 1 at most, and it is divided by 16."),
            (
                "About a quarter, as before",
                "That takes scores that spread by 1. Cosines of random vectors spread by 1/16 here.",
            ),
            (
                "About 0.06: all keys get nearly the same",
                "Cosines of random vectors spread by 1/16 here, and the root divides them by 16 once more.",
            ),
        ],
        right=2,
    ),
    "both-quarter": NumberQuestion(
        prompt="W_Q and W_K are both divided by 4. By what are all scores divided?",
        right=16.0,
        wrong=[
            (4.0, 0.01, "A score holds both matrices: a query made with one, a key with the other."),
            (8.0, 0.01, "The two factors multiply. They do not add."),
            (2.0, 0.01, "The two factors multiply: 4 · 4."),
            (1.0, 0.01, "A smaller query with a smaller key gives a smaller score."),
            (256.0, 0.01, "Each of the two factors counts once: 4 · 4."),
        ],
        explanation="4 for the query times 4 for the key. (In chapter 2, one U was both.)",
        provenance="exact",
    ),
    "good-rates": ChoiceQuestion(
        prompt="At d_k = 256, with the root, the good "
        "rates turn out to be 1/16 to 4. Now take the root away, and start with W_Q/c and W_K/c, where c is the fourth root of d_k. Which rates are good for W_Q and W_K now?",
        options=[
            ("The same, 1/16 to 4", "The scores start alike. But with the same rate each step now moves them further."),
            (
                "1/64 to 1",
                "That divides by c = 4 once. The gradient is c times as large, and the matrix must move 1/c as far.",
            ),
            ("1/256 to 1/4", "The two train alike if r′ = r/c², and c² = √256 = 16."),
            ("1 to 64", "The other way round: smaller matrices must move less far."),
        ],
        right=2,
        reveal="Try it below: with the root, and with the small start.",
    ),
    "too-good": ChoiceQuestion(
        prompt="This model is trained, and then tested on tosses that are drawn anew. What is its mean squared error?",
        options=[
            (
                "1: nothing can be guessed",
                "Nothing can be guessed from what was tossed *before*. What else does a row read?",
            ),
            ("About 0.5: half of the tosses are guessed right", "A guess of 1 or −1 at random has an error of 2."),
            ("Nearly 0", "It need not guess: the next toss stands in the text that it reads."),
            (
                "Far above 1: it has learned the tosses of training by heart",
                "Training shows each of the 512 texts about 37 times. But after any tosses so far, 1 comes about as often as −1.",
            ),
        ],
        right=2,
    ),
    # What the root rests on
    "one-is-equal": NumberQuestion(
        prompt="d_k = 6. All means are 0, all variances 1. The components of q are uncorrelated, those of k all equal, "
        "and q is independent of k. What is the variance of q·k?",
        right=6.0,
        wrong=[
            (36.0, 0.01, "That is with equal components in *both*. Here Σ_q is the identity."),
            (1.0, 0.01, "Σ_k is full of ones, and its diagonal has six of them."),
            (12.0, 0.01, "Multiply the matrices entry by entry: outside the diagonal Σ_q has zeros."),
        ],
        explanation="Σ_q is the identity, so the trace is that of Σ_k: six ones.",
        provenance="exact",
    ),
    "uncorrelated": ChoiceQuestion(
        title="Is uncorrelated enough?",
        prompt="Draw the components of q independently, normal with variance 1. Toss a coin for each key, and let the key be "
        "q or −q. Then no component of k is correlated with any component of q. With d_k = 64, what is the variance of q·k?",
        options=[
            ("About 64, as always", "That rule assumes *independent* q and k. Who sees this k knows q up to its sign."),
            ("About 8", "√64 is the standard deviation of the rule, and the rule does not hold here."),
            ("About 4,200", "The score is ‖q‖² or −‖q‖², and ‖q‖² is about 64. The square of that is about 4,096."),
        ],
        right=2,
    ),
    "twice-a": NumberQuestion(
        prompt="The components are independent and uniform between −a and a. If a becomes twice as large, by what factor is the "
        "variance of a score multiplied?",
        right=16.0,
        wrong=[
            (2.0, 0.01, "That is what happens to a component."),
            (4.0, 0.01, "That is what happens to the variance of *one* component. A product has two."),
            (8.0, 0.01, "The variance of each of the two components becomes 4 times as large."),
        ],
        explanation="The variance of each component becomes 4 times as large, that of a product 16 times.",
        provenance="exact",
    ),
    "best-cosine": ChoiceQuestion(
        title="The best that a cosine can do",
        prompt="16 keys of length 1, d_k = 64. One equals the query, and the 15 others point the opposite way: cosines of 1 and −1. "
        "These cosines are divided by 8. About how much weight does the matching key get?",
        options=[
            ("0.9", "The scores are 1/8 and −1/8. How much larger is e to the first than e to the second?"),
            ("0.33", "That is without the division: e² is about 7.4, against 15."),
            ("0.08", "e to the 1/4 is about 1.28, so it counts 1.28 against 15."),
        ],
        right=2,
    ),
}
