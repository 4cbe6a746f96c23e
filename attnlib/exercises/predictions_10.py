"""Predictions of chapter 10: what its text asks before the reader scrolls."""

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "who-bites": NumberQuestion(
        title="Who bites whom?",
        prompt="A cosine of 1 is the same direction, and two sentences on different subjects have 0.06 here, on average. What is the cosine of "
        "*The dog bites the man* and *The man bites the dog*? To two places after the point.",
        right=0.97,
        tolerance=0.025,
        wrong=[
            (1.0, 0.004, "Nearly. Places differ, and heads that read with them make the rows differ."),
            (0.5, 0.2, "Half of the meaning, one would think. The model finds them far more alike."),
            (0.06, 0.1, "The words are the same, and mean pooling keeps much of each word."),
            (-1.0, 0.3, "The opposite event is no opposite vector. The words are the same."),
            (0.8, 0.1, "The model finds them more alike: their words are the same, only two nouns have changed places."),
        ],
        explanation="0.973: to this model both are sentences about a dog, a man and a bite.",
        provenance="recorded",
    ),
    "what-arrives": ChoiceQuestion(
        title="What arrives",
        prompt="In layers 2 to 5 more than half of the weight lies on `[CLS]`, on average over a layer's heads. Of the lengths that arrive, how "
        "much comes from `[CLS]`?",
        options=[
            ("More than half, as of the weight", "So it would be with vectors all of one length."),
            ("About a quarter", "The vectors at `[CLS]` are so short that they bring even less."),
            ("An eighth or less", "In these layers, on average over the heads, the vector that lies there is more than ten times shorter than those of words."),
            ("Nothing: the values there are 0", "They are short, and not 0."),
        ],
        right=2,
        provenance="recorded",
    ),
    "perfect-and-needed": ChoiceQuestion(
        title="Clear, and needed?",
        prompt="Silence each head alone, with zeros. Order the 72 heads by how much the 40 cosines change "
        "on average, up or down alike, the greatest change first. Where does 1.3 stand?",
        options=[
            ("First: no other head has so clear a job", "Clear to us. 16 other heads change more."),
            ("Among the first twenty, not first", "16 heads change them more."),
            ("Between 21st and 71st", "16 heads change them more: it shares place 17."),
            ("Last: word order does not matter for meaning", "Without it the cosines change more than without most heads."),
        ],
        right=1,
        provenance="recorded",
    ),
    "all-silent": ChoiceQuestion(
        title="All 72",
        prompt="*Raw words*, the mean of the tokens' vectors from the table, without layers, places, `[CLS]` and `[SEP]`, find 24 of the 40 partners. "
        "The whole model finds 39. How many does it find when all 72 heads are silent?",
        options=[
            ("1, as a guess would", "Each token still has its word, and the mean joins the tokens."),
            ("About 24, as the raw words", "More: 35. Places, normalisation and feed-forward parts are still there."),
            ("About 35, most of the way", "It finds 35: 11 more than the raw words, 4 fewer than with all heads. But in training the later layers never met such rows, so these 4 are not what attention is worth."),
            ("39, as with all heads", "Not quite: it is four fewer."),
        ],
        right=2,
        provenance="recorded",
    ),
    "order-left": ChoiceQuestion(
        title="Without the word before",
        prompt="Now silence 1.3 alone, with zeros: the head that reads the word before. How large is the gap then?",
        options=[
            ("Near 0: this head did the work", "Then no other head would tell the two orders apart. Most of the gap stays."),
            ("About half, 0.0075", "More stays: nine tenths."),
            ("A tenth less, about 0.0135", "0.0136. Nine tenths of the gap stay without the head whose pattern is order itself."),
            ("More than 0.0150", "It is less, but not by much."),
        ],
        right=2,
        provenance="recorded",
    ),
    "long-text": ChoiceQuestion(
        title="Twice as long",
        prompt="Where in these 256 tokens does 1.3 no longer read the token before?",
        options=[
            ("In the second half, at places that the last training did not have", "Soon after its start it is nearly perfect there. Look at the first half."),
            ("In the first half, at places that the last training had", "There the key of the token before stands at an early place. The last training had no keys at late places."),
            ("Everywhere, a little", "The two halves differ much."),
            ("Nowhere: its rule holds for all places", "In the first half it often fails."),
        ],
        right=1,
        provenance="recorded",
    ),
    "delete-half": ChoiceQuestion(
        title="Without the second half",
        prompt="On average tokens 2 to 128 put 0.53 on the token before. Delete the second half of the text, tokens 129 to 256. What do these tokens put on the "
        "token before then?",
        options=[
            ("As little as before", "What was in the second half is gone. Whatever they wrongly read there, they cannot read now."),
            ("Even less", "Nothing of the first half is gone. There is less to read by mistake."),
            ("0.9 or more", "0.99: nearly all that they wrongly read stood in the second half."),
        ],
        right=2,
        provenance="recorded",
    ),
}  # fmt: skip
