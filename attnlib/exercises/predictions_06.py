"""Questions that chapter 6 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, NumberQuestion, OrderQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "two-equations": NumberQuestion(
        title="Two equations",
        prompt="With y₁ = ½ u + ½ v and y₂ = ¾ u + ¼ v, one number c gives u = c · y₂ − y₁ for any u and v. Which?",
        right=2.0,
        wrong=[
            (1.0, 0.01, "Then u comes with ¾ − ½, and v is left over with ¼ − ½."),
            (3.0, 0.01, "Then v is left over, with ¾ − ½. It has to cancel."),
            (4.0, 0.01, "Then v is left over, with 1 − ½. It has to cancel: c · ¼ = ½."),
            (1.33, 0.01, "That is one u from y₂ alone. But y₁ takes half a u away, and v has to cancel."),
            (0.5, 0.01, "You may have divided the wrong way round: v comes with c · ¼ from y₂ and with ½ from y₁, and it has to cancel."),
        ],
        explanation="v cancels for c · ¼ = ½, and then u comes with 2 · ¾ − ½ = 1.",
        provenance="exact",
    ),
    "no-swap": ChoiceQuestion(
        title="Straight to the shape",
        prompt="Five words and two heads: the row of each word is two pieces, one for each head. "
        "The code is now `reshape(2, 5, -1)`, without the swap. The pieces of which words are then the five rows of the first head?",
        options=[
            ("Of words 1, 2, 3, 4, 5", "So it should be. But reshape keeps all numbers in their order, and word 1 comes first with both of its pieces."),
            ("Of words 1, 1, 2, 2, 3", "The first five of the ten pieces, in their order."),
            ("Of words 1, 3, 5, 2, 4", "reshape takes neighbours, and leaves nothing out."),
            ("Of word 1 alone", "It has two pieces, and the head has five rows."),
        ],
        right=1,
    ),
    "sum-difference": ChoiceQuestion(
        title="A sum and a difference",
        prompt="Without W_O: how small can training make the error? It is the mean over both columns, "
        "and 1 is what always answering 0 costs.",
        options=[
            ("0: two heads are two blends", "Two blends hold both numbers. But who takes one from the other?"),
            ("¼", "The sum comes out exactly. Of the difference half is left, and ¼ is the mean of 0 and ½."),
            ("½, as with one head", "One of the two columns can be met exactly: it is a blend with shares of ½, times 2."),
            ("1", "Half and half, times 2, is the sum. So one column can be right."),
        ],
        right=1,
    ),
    "useless-head": ChoiceQuestion(
        title="Three heads for two wishes",
        prompt="There is no noise, and W_O may be chosen anew. Which heads can be left out so that u and v are still "
        "guessed without error?",
        options=[
            ("Head 2, and no other", "y₂ adds nothing to y₁ and y₃. But what do y₁ and y₂ hold together?"),
            ("Any one of the three", "Any two of these blends are two equations for u and v."),
            ("None: each has its rows in W_O", "Those rows belong to a W_O for three heads. With fewer heads you may choose another W_O."),
            ("Any two", "One blend is left then, and its two errors add up to 1."),
        ],
        right=1,
    ),
    "mean-grid": ChoiceQuestion(
        title="The mean of two grids",
        prompt="You see only the mean of the grids of two heads: each row from the third on gives ½ to the place before and ½ to the one before that. "
        "The nearer place has the number u, the other v. With the best W_O, which mean squared error over both wishes is possible: 0, ½, or both?",
        options=[
            ("0", "The error is 0 if each head reads one place alone. But perhaps both heads read half and half."),
            ("½", "If both heads have this grid. But perhaps each reads one place."),
            ("Both, and the picture does not tell", "Shares of 1 and 0 have this mean, and so have ½ and ½."),
        ],
        right=2,
        reveal="So have p and 1 − p. With one p for all rows, and not ½, W_O can solve for u and v: without noise "
        "the error is 0.",
    ),
    "count-heads": ChoiceQuestion(
        title="The price of twelve heads",
        prompt="Twelve heads of width 64 in place of one of width 768. What grows?",
        options=[
            ("The parameters", "Twelve matrices of 768 × 64 side by side are one of 768 × 768."),
            ("The multiplications in the matrix products", "A grid takes n² · d_k: twelve times as many grids, and each costs a twelfth."),
            ("The numbers in the grids", "Each head has a grid of n × n weights of its own."),
            ("Nothing", "Count the numbers in the grids."),
        ],
        right=2,
    ),
    "head-steps": OrderQuestion(
        title="Several heads, in order",
        prompt="A layer with several heads makes X + Y from X. In which order do its steps come?",
        options=[
            ("Multiply `X` by `W_Q`, `W_K` and `W_V`", ""),
            ("Cut each row into `h` pieces, and bring the heads to the front", "There is nothing to cut yet but X."),
            ("Multiply queries by keys, divide by √d_k, and set what must not be read to −∞", "The heads have no queries and keys yet."),
            ("Take the softmax of each row, and blend the values", "What must not be read would get a weight."),
            ("Put the heads' rows side by side again", "The heads have no outputs yet."),
            ("Multiply by `W_O`, and add to `X`", "What it multiplies is not there yet. (Band by band it could be done, and added.)"),
        ],
    ),
    "divided": ChoiceQuestion(
        title="Who reads what?",
        prompt="Two heads, without noise: both errors end near 0. What must hold?",
        options=[
            ("Each head reads one number alone", "Two blends that differ hold both numbers, and W_O can take them apart."),
            ("The two blends differ", "Any two blends of u and v that differ will do, if their shares are the same at each place: W_O subtracts."),
            ("Both heads read both numbers", "One head for each number does as well."),
        ],
        right=1,
    ),
    "silent-columns": ChoiceQuestion(
        prompt="Head 1 is silent, and the output is multiplied by W_O. Which columns does the silence change?",
        options=[
            ("*sum* alone", "Head 1's row of W_O is (1, 1). Where does a head write whose row has two numbers that are not 0?"),
            ("*difference* alone", "Head 1's row of W_O is (1, 1), so it writes to the sum, too."),
            ("Both", "Head 1's row of W_O is (1, 1): it adds to both columns, and takes that away when it is silent."),
        ],
        right=2,
    ),
    "crossed": NumberQuestion(
        prompt="With `crossed`, *a* still has y₁ = 4 and y₃ = 2, but y₂ = 0. What does it get for u? (It wants 4.)",
        right=-2.0,
        tolerance=0,
        wrong=[
            (4.0, 0, "That is `plain`, which does not use head 2. Here u = 2 y₂ − y₃."),
            (2.0, 0, "Mind the sign: u = 2 · 0 − 2."),
            (0.0, 0, "Head 3 still speaks: u = 2 · 0 − y₃."),
            (-4.0, 0, "That is v = 2 y₂ − y₁. And u?"),
        ],
        explanation="u = 2 · 0 − 2. The silent head does not leave a gap: the guess for u is now −v.",
        provenance="exact",
    ),
    # Heads, counted and shared
    "shared-keys": ChoiceQuestion(
        title="One set of keys",
        prompt="One head is to read the place before, the other the place before that. Can they, with the same keys and values?",
        options=[
            ("No: the same keys give the same grid", "A grid is made of queries and keys. The queries differ."),
            ("Yes", "The keys say where a token stands. Each query asks for another place."),
            ("Yes, but both outputs are equal", "The values are shared. The weights on them are not."),
        ],
        right=1,
    ),
}  # fmt: skip
