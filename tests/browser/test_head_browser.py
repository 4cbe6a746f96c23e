"""HeadBrowser in a page: what is typed is computed there, and every head, word and number can be reached."""

import numpy as np
import pytest

from attnlib import trained
from attnlib.lab import random_decoder
from attnlib.vocabulary import EDGES
from attnlib.widgets import HeadBrowser

LONG = " ".join(["we have the moon . it called the ship"] * 4)  # 36 words
EDGED = " ".join(f"{edge}we{edge}" for edge in EDGES)
SMALL = {"d": 6, "num_layers": 2, "num_heads": 3, "reach": 5}


def small(words, sentence, **options):
    return HeadBrowser(
        sentence, words, random_decoder(np.random.default_rng(0), vocabulary=len(words), **SMALL), **options
    )


def opened(show, browser=None, **options):
    page = show(browser or HeadBrowser(title="q"), **options)
    page.get_by_label("Sentence").wait_for()
    return page


@pytest.fixture
def write(rested):
    """Type a sentence, and wait until all that is read of it is written."""

    def write_it(page, sentence):
        page.get_by_label("Sentence").fill(sentence)
        rested(page)

    return write_it


def table_of(page):
    return [row.locator("th, td").all_text_contents() for row in page.locator(".attn-side tbody tr").all()]


def expected(browser, query):
    """The table below the picture, by attnlib."""
    weights = browser.weights
    return [
        [f"{layer + 1}.{head + 1}", *(f"{weight:.2f}" for weight in weights[layer, head, query, : query + 1])]
        for layer in range(weights.shape[0])
        for head in range(weights.shape[1])
    ]


def numbers(page):
    return page.locator(".attn-number").all_text_contents()


def grid(weights):
    return [f"{weight:.2f}" for i, row in enumerate(weights) for weight in row[: i + 1]]


def line(page):
    return page.locator("[aria-live=polite]").text_content()


def next_of(page):
    """The likeliest next words, as the page shows them."""
    return [
        row.locator("th, td").all_text_contents()
        for row in page.get_by_role("group", name="the next word").locator("tbody tr").all()
    ]


def next_by(browser):
    """The same, by attnlib."""
    return [[word, *(f"{chance:.2f}" for chance in chances)] for word, chances in browser.next_words]


def head(page, layer, number):
    return page.get_by_role("button", name=f"Layer {layer}, head {number}")


def pixels(canvas):
    """How opaque each cell of a canvas is."""
    data = "(canvas) => [...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data]"
    return np.array(canvas.evaluate(data)[3::4])


def test_what_is_shown_at_first_is_what_python_computes(show):
    browser = HeadBrowser(title="q")
    page = opened(show)
    assert table_of(page) == expected(browser, 4)
    assert numbers(page) == grid(browser.weights[0, 0])
    assert (
        page.locator(".attn-key").all_text_contents()
        == page.locator(".attn-query").all_text_contents()
        == browser.tokens
    )
    canvases = page.locator(".attn-layer canvas")
    assert canvases.count() == 8
    assert page.problems == []  # before the test itself reads what is painted
    for canvas, weights in zip(canvases.all(), browser.weights.reshape(8, 5, 5), strict=True):
        assert np.abs(pixels(canvas) - 255 * weights.ravel()).max() <= 1
    assert "Numbers: trained." in page.locator("figcaption").text_content()


def test_the_small_pictures_have_the_colour_of_weights_from_the_start(show):
    page = opened(show, color_scheme="light")
    colour = page.locator(".attn-layer canvas").first.evaluate(
        "canvas => [...canvas.getContext('2d').getImageData(0, 0, 1, 1).data]"
    )
    assert colour == [0x6A, 0xA5, 0xD8, 255]


@pytest.mark.parametrize(
    "sentence", ["we", "we have we have", "The owl saw the moon. The dog saw the star.", LONG, EDGED]
)
def test_a_typed_sentence_is_computed_in_the_page(sentence, show, write):
    page = opened(show)
    browser = HeadBrowser(sentence)
    write(page, sentence)
    n = len(browser.tokens)
    assert table_of(page) == expected(browser, n - 1)
    assert numbers(page) == (grid(browser.weights[0, 0]) if n <= 8 else [])
    assert np.abs(pixels(page.locator(".attn-large canvas")) - 255 * browser.weights[0, 0].ravel()).max() <= 1
    most = np.argsort(-browser.weights[0, 0, n - 1, :n], kind="stable")[:3]
    said = ", ".join(f"“{browser.tokens[j]}” {browser.weights[0, 0, n - 1, j]:.2f}" for j in most)
    assert line(page) == f"Layer 1, head 1: {browser.tokens[-1]} reads most from {said}."
    assert next_of(page) == next_by(browser)
    assert [len(row) for row in next_of(page)] == [2, 2, 2]
    assert page.problems == []


def test_every_letter_typed_is_answered(show, rested):
    page = opened(show)
    page.get_by_label("Sentence").focus()
    page.keyboard.press("End")
    page.keyboard.type(" over!")
    rested(page)
    assert table_of(page) == expected(HeadBrowser("Houston we have a problem over"), 5)
    for _ in range(2):
        page.keyboard.press("Backspace")
    rested(page)
    assert "“ove” is not a word that it knows" in page.locator(".attn-remarks").text_content()
    assert table_of(page) == expected(HeadBrowser(), 4)
    assert page.evaluate("document.activeElement.tagName") == "INPUT"


def test_a_head_is_chosen_by_mouse_and_keyboard(show):
    page, browser = opened(show), HeadBrowser()
    head(page, 2, 3).click()
    assert numbers(page) == grid(browser.weights[1, 2])
    assert line(page).startswith("Layer 2, head 3: problem reads most from ")
    assert page.locator(".attn-layer [aria-pressed=true]").count() == 1
    head(page, 1, 4).focus()
    page.keyboard.press("Enter")
    assert numbers(page) == grid(browser.weights[0, 3])
    assert head(page, 1, 4).get_attribute("aria-pressed") == "true"
    assert page.locator(".attn-large canvas").get_attribute("aria-label") == "Layer 1, head 4"


def test_a_query_is_chosen_by_mouse_and_keyboard(show, write):
    page, browser = opened(show), HeadBrowser()
    page.get_by_role("button", name="have", exact=True).click()
    assert table_of(page) == expected(browser, 2)
    assert "have reads most from" in line(page)
    assert page.locator(".attn-here").text_content() == "have"
    page.get_by_role("button", name="Houston", exact=True).press("Space")
    assert table_of(page) == expected(browser, 0)
    assert line(page) == "Layer 1, head 1: Houston reads most from “Houston” 1.00."
    write(page, "we")  # fewer words than the one chosen
    assert table_of(page) == expected(HeadBrowser("we"), 0)


def test_a_silenced_head_reads_on_and_what_is_expected_moves(show, write):
    page, text = opened(show), "listen moon fish red roger moon"
    write(page, text)
    layer, number = trained.record()["named"]["previous token"]
    head(page, layer + 1, number + 1).click()
    before = numbers(page)
    page.get_by_label("Silence this head").check()
    browser = HeadBrowser(text, layer=layer, head=number, silenced=True)
    assert numbers(page) == before == grid(browser.weights[layer, number])
    assert table_of(page) == expected(browser, 5) != expected(HeadBrowser(text), 5)
    assert next_of(page) == next_by(browser)
    assert next_of(page)[0][0] == "fish"
    assert float(next_of(page)[0][1]) - float(next_of(page)[0][2]) > 0.3
    assert line(page).startswith(f"Layer {layer + 1}, head {number + 1}, silenced: moon reads most from ")
    head(page, 2, 1).click()  # it is the head shown that is silent
    assert next_of(page) == next_by(HeadBrowser(text, layer=1, head=0, silenced=True))
    page.get_by_label("Silence this head").uncheck()
    assert next_of(page) == next_by(HeadBrowser(text))
    assert page.problems == []


def test_a_token_is_swapped_and_what_is_expected_moves(show, write):
    page, text = opened(show), "Anna met Tom. He"
    write(page, text)
    page.get_by_label("Swap this token", exact=True).select_option("Tom")
    assert next_of(page) == next_by(HeadBrowser(text))  # not yet for a word
    page.get_by_label("for this word", exact=True).select_option("Leo")
    browser = HeadBrowser(text, swapped=2, other="leo")
    assert next_of(page) == next_by(browser)
    assert [row[0] for row in next_of(page)[:1]] == ["paints"]
    assert table_of(page) == expected(browser, 4)
    assert page.locator(".attn-chips button").all_text_contents() == browser.tokens == ["Anna", "met", "Leo", ".", "he"]
    assert (
        page.get_by_label("Swap this token", exact=True).input_value() == "Tom"
    )  # the sentence stands as it was typed
    assert page.get_by_label("Sentence").input_value() == text
    write(page, "Anna met")  # fewer words than the one swapped
    assert next_of(page) == next_by(HeadBrowser("Anna met"))
    write(page, text)
    page.get_by_label("for this word", exact=True).select_option("–")
    assert next_of(page) == next_by(HeadBrowser(text))
    assert page.problems == []


def test_what_is_silenced_and_swapped_is_in_the_link_and_starts_again(show):
    page = opened(show)
    head(page, 2, 4).click()
    page.get_by_label("Silence this head").check()
    page.get_by_label("Swap this token", exact=True).select_option("have")
    page.get_by_label("for this word", exact=True).select_option("met")
    browser = HeadBrowser(layer=1, head=3, silenced=True, swapped=2, other="met")
    assert next_of(page) == next_by(browser)
    other = opened(show, address=page.locator(".headerlink").get_attribute("href"))
    other.locator(".attn-chips", has_text="met").wait_for()
    assert next_of(other) == next_by(browser)
    assert other.get_by_label("Silence this head").is_checked()
    assert other.get_by_label("for this word", exact=True).input_value() == "met"
    other.get_by_role("button", name="Start again").click()
    assert next_of(other) == next_by(HeadBrowser())
    assert not other.get_by_label("Silence this head").is_checked()
    assert other.get_by_label("Swap this token", exact=True).input_value() == "–"
    assert page.problems == other.problems == []


def test_an_unknown_word_is_named_and_its_nearest_offered(show, write):
    page = opened(show)
    write(page, "Huston, we haev a problme")
    note = page.locator(".attn-remarks")
    assert "“Huston,” is not a word that it knows, and is left out. Nor are 2 others. Nearest:" in note.text_content()
    assert table_of(page) == expected(HeadBrowser("we a"), 1)
    note.get_by_role("button", name="Houston").click()
    assert page.get_by_label("Sentence").input_value() == "Houston we haev a problme"
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    note.get_by_role("button", name="have").press("Enter")
    assert "“problme” is not a word that it knows, and is left out. Nearest:" in note.text_content()
    note.get_by_role("button", name="problem").click()
    assert note.text_content() == ""
    assert table_of(page) == expected(HeadBrowser(), 4)


def test_a_full_stop_behind_an_unknown_word_stays(show, write):
    page = opened(show)
    write(page, "we have a problme. we")
    page.locator(".attn-remarks").get_by_role("button", name="problem").click()
    assert page.get_by_label("Sentence").input_value() == "we have a problem. we"


def test_a_sentence_of_no_known_word_says_so_and_shows_nothing(show, write):
    page = opened(show)
    write(page, "")
    assert "Type a word that it knows, such as “Houston”." in page.locator(".attn-remarks").text_content()
    assert page.locator("canvas:visible").count() == 0
    write(page, "x" * 400)
    assert f"“{'x' * 30}…” is not a word" in page.locator(".attn-remarks").text_content()
    write(page, "moon")
    assert page.locator("canvas:visible").count() == 9
    assert page.problems == []


def test_what_follows_the_32nd_word_is_left_out_and_said(show, write):
    page = opened(show)
    write(page, LONG)
    assert "Only the first 32 words are read." in page.locator(".attn-remarks").text_content()
    assert page.locator(".attn-chips button").count() == 32


def test_all_the_words_can_be_read(show):
    page = opened(show)
    page.locator("summary", has_text="The 80 words it knows").click()
    assert page.get_by_text("Houston we have a problem . listen").is_visible()


def test_start_again_and_the_link(show, write):
    page = opened(show)
    write(page, "we saw the moon, we saw")
    head(page, 2, 2).click()
    page.get_by_role("button", name="moon", exact=True).click()
    shown, address = table_of(page), page.locator(".headerlink").get_attribute("href")
    other = opened(show, address=address)
    other.locator(".attn-here", has_text="moon").wait_for()
    assert table_of(other) == shown == expected(HeadBrowser("we saw the moon we saw"), 3)
    assert numbers(other) == grid(HeadBrowser("we saw the moon we saw").weights[1, 1])
    other.get_by_role("button", name="Start again").click()
    assert other.get_by_label("Sentence").input_value() == "Houston we have a problem"
    assert table_of(other) == expected(HeadBrowser(), 4)
    assert page.problems == other.problems == []


DARK = {
    "the system": lambda page: page.emulate_media(color_scheme="dark"),
    "the page": lambda page: page.evaluate("document.documentElement.dataset.theme = 'dark'"),
    "JupyterLab": lambda page: page.evaluate("document.body.dataset.jpThemeLight = 'false'"),
}


@pytest.mark.parametrize("whose", DARK)
def test_a_change_of_colours_repaints(whose, show, settle):
    page = opened(show, color_scheme="light")
    corner = "canvas => [...canvas.getContext('2d').getImageData(0, 0, 1, 1).data]"
    before = [page.locator(place).first.evaluate(corner) for place in (".attn-layer canvas", ".attn-large canvas")]
    DARK[whose](page)
    settle(page)
    after = [page.locator(place).first.evaluate(corner) for place in (".attn-layer canvas", ".attn-large canvas")]
    assert before[0] == before[1] != after[0] == after[1]


def test_without_javascript_the_tables_say_the_same(show):
    browser = HeadBrowser(title="q")
    page = show(browser, java_script_enabled=False)
    cells = page.locator("table").first.locator("td:not(.attn-corner)").all_text_contents()
    assert cells == [cell for row in expected(browser, 4) for cell in row[1:]]


def test_controls_are_large_enough_for_a_finger(show, write):
    page = opened(show, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    write(page, "we se the moon")
    boxes = [
        control.bounding_box()
        for control in page.locator("figure :is(button, .attn-sentence input, .attn-control, select):visible").all()
    ]
    assert min(box["height"] for box in boxes) >= 32
    assert min(box["width"] for box in boxes) >= 24
    head(page, 2, 4).tap()
    assert line(page).startswith("Layer 2, head 4")
