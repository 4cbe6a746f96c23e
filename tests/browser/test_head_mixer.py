"""HeadMixer in a page: heads chosen, set to zero, mixed and grouped, and every number held to attnlib."""

import numpy as np
import pytest

from attnlib import causal_mask, cost
from attnlib.lab import weight_back
from attnlib.widgets import HeadMixer

AGAIN = "Start again"
RNG = np.random.default_rng(0)
QUERY, KEY, VALUE = (RNG.normal(size=(6, 5, width)) for width in (4, 4, 3))
W_O = RNG.normal(size=(18, 7))


def six_heads(**options):
    return HeadMixer("abcde", QUERY, KEY, VALUE, W_O, **{"provenance": "random"} | options)


def many_heads(heads=144, n=32, **options):
    weights = np.random.default_rng(1).random((heads, n, n)) ** 8 * np.tri(n)
    weights /= weights.sum(axis=-1, keepdims=True)
    names = [f"{layer}.{head}" for layer in range(1, 13) for head in range(1, 13)]
    return HeadMixer([f"t{i}" for i in range(n)], weights=weights, heads=names[:heads], **options)


def test_outputs_of_another_width_have_a_table_of_their_own(open_alone):
    mixer = six_heads(mixed=True, title="q")
    page = open_alone(mixer)
    for width in (9, 5):
        page.evaluate("(w_o) => home.model.receive({ w_o })", RNG.normal(size=(18, width)).tolist())
        assert page.locator("table").last.locator("thead th.attn-plain").count() == width
        assert page.locator(".attn-problem:not(:empty)").count() == 0


def open_mixer(show, mixer=None, *parts, **options):
    page = show(mixer or HeadMixer(), *parts, **options)
    page.locator("[role=gridcell]").first.wait_for()
    return page


def labels_of(page):
    """What each cell says, once the words of many cells are there."""
    page.locator("[role=grid]:not([aria-busy])").wait_for()
    return page.locator("[role=gridcell]").evaluate_all("all => all.map((cell) => cell.ariaLabel.split(': ')[1])")


def says(page):
    return page.locator("[aria-live=polite]").text_content()


def text(number):
    shown = f"{number:.2f}"
    return shown.replace("-", "" if float(shown) == 0 else "−")


def shows(page, mixer):
    """Whether grid, output and counts are what attnlib computes for the mixer's state, and nothing went wrong."""
    mask = np.ones(mixer.weights[0].shape, bool) if mixer.mask is None else np.array(mixer.mask)
    grid = [text(w) if ok else "–" for w, ok in zip(mixer.weights[mixer.selected].flat, mask.flat, strict=True)]
    assert page.locator("[role=gridcell]").all_text_contents() == grid
    sizes = ["0" if size <= 1e-12 else "< 0.01" if size < 0.005 else text(size) for size in mixer.change]
    output = page.locator("table").last
    assert output.locator("tbody td").all_text_contents() == [*map(text, mixer.output.flat), *sizes]
    marked = output.locator("thead th").evaluate_all("all => all.map((th) => th.classList.contains('attn-changed'))")
    assert marked == (mixer.change > 1e-12).tolist()
    h, g, d_k, d_v = len(mixer.heads), mixer.num_kv_heads, len(mixer.key[0][0]), len(mixer.value[0][0])
    parameters = cost.multi_head_parameters(len(mixer.w_o[0]), d_k, d_v, num_heads=h, num_kv_heads=g)
    counts = page.get_by_text("hold").text_content()
    assert f"hold {parameters} parameters" in counts
    assert f"leaves {g * (d_k + d_v)} numbers" in counts
    pressed = page.locator(".attn-head").evaluate_all("all => all.map((tile) => tile.ariaPressed)")
    assert pressed.index("true") == mixer.selected
    assert page.problems == []
    return True


def test_a_head_changes_its_own_columns_until_w_o_mixes_them(show):
    page = open_mixer(show)
    assert says(page) == "Without head 1, 3 of 6 columns change: a head’s own, and no other’s."
    assert shows(page, HeadMixer())
    page.get_by_label("multiply by W_O").check()
    assert says(page) == "Without head 1, 8 of 8 columns change: those that its rows of W_O write to."
    assert shows(page, HeadMixer(mixed=True))
    page.get_by_label("zero head 1").uncheck()
    assert says(page) == "Zero a head to see which columns of the output change."
    assert shows(page, HeadMixer(mixed=True, zeroed=[]))


def test_the_page_shows_before_and_after_its_script_the_same_numbers(show):
    mixer = HeadMixer(mixed=True)
    still = show(mixer, java_script_enabled=False).locator("tbody td").all_text_contents()
    live = open_mixer(show, mixer)
    assert live.locator("[role=gridcell]").all_text_contents() == still[:25]
    assert live.locator("table").last.locator("tbody td").all_text_contents() == still[50:]


@pytest.mark.parametrize("mask", [None, causal_mask(5)])
def test_keys_are_shared_by_groups_and_the_counts_fall(mask, show):
    page = open_mixer(show, six_heads(mask=mask))
    for groups, text_ in [(3, "3: one for 2 heads (grouped)"), (2, "2: one for 3 heads (grouped)"),
                          (1, "1: one for all (multi-query)"), (6, "6: one for each head")]:  # fmt: skip
        page.locator("select").select_option(text_)
        assert shows(page, six_heads(mask=mask, num_kv_heads=groups))
        labels = page.locator(".attn-head").all_text_contents()
        expected = [f"head {a + 1}" + (f", keys {a * groups // 6 + 1}" if groups < 6 else "") for a in range(6)]
        assert labels == expected
    page.locator("select").focus()
    page.keyboard.press("ArrowDown")
    assert shows(page, six_heads(mask=mask, num_kv_heads=3))
    counts = page.get_by_text("hold").text_content()
    assert "hold 441 parameters in place of 588" in counts
    assert "leaves 21 numbers in place of 42" in counts


def test_a_page_that_has_not_spoken_of_sharing_shows_neither_its_menu_nor_the_costs(show):
    asked, plain = open_mixer(show), open_mixer(show, HeadMixer(sharing=False))
    for page, seen in ((asked, True), (plain, False)):
        assert page.get_by_label("key and value heads").is_visible() == seen
        assert page.get_by_text("in the cache").is_visible() == seen
        page.get_by_label("multiply by W_O").check()
        assert page.get_by_label("zero head 1").is_visible()
        assert page.problems == []


def test_the_table_says_whether_it_holds_the_heads_or_the_output(show):
    page = open_mixer(show)
    name = page.locator(".attn-pair").last
    assert name.text_content() == "Heads side by side"
    page.get_by_label("multiply by W_O").check()
    assert name.text_content() == "Output"


def test_several_heads_can_be_zero_at_once(show):
    page = open_mixer(show, six_heads())
    for head in (5, 2):
        page.get_by_label(f"zero head {head}").press("Space")
    assert says(page) == "Without head 5, head 2, 6 of 18 columns change: a head’s own, and no other’s."
    assert shows(page, six_heads(zeroed=[4, 1]))
    assert page.locator(".attn-off").count() == 2
    page.get_by_label("zero head 5").press("Space")
    assert shows(page, six_heads(zeroed=[1]))


def test_a_head_is_chosen_with_the_mouse_and_with_the_keys(show):
    page = open_mixer(show, six_heads())
    page.get_by_role("button", name="head 3").click()
    assert shows(page, six_heads(selected=2))
    assert page.locator(".attn-pair").first.text_content() == "head 3"
    for key, head in [("ArrowRight", 3), ("End", 5), ("ArrowRight", 5), ("ArrowLeft", 4), ("Home", 0)]:
        page.keyboard.press(key)
        assert shows(page, six_heads(selected=head))
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == f"head {head + 1}"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "zero head 1"
    page.locator("[data-cell='0,0']").focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("“b” reads from “a”: ")


def pixels(page, head):
    """The opacity of a tile's cells, 0 … 255, and its colour."""
    data = (
        page.locator("canvas")
        .nth(head)
        .evaluate(
            "(canvas) => [canvas.width, canvas.height, "
            "[...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data]]"
        )
    )
    return np.array(data[2]).reshape(data[1], data[0], 4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_tiles_are_drawn_from_the_weights_in_the_widgets_colour(scheme, show):
    mixer = six_heads(mask=causal_mask(5))
    page = open_mixer(show, mixer, color_scheme=scheme)
    for head in range(6):
        drawn = pixels(page, head)
        assert np.abs(drawn[..., 3] / 255 - mixer.weights[head]).max() < 0.01
        strong = drawn[drawn[..., 3] > 100][:, :3]
        assert np.abs(strong - [[0x6A, 0xA5, 0xD8] if scheme == "light" else [0x22, 0x57, 0x87]]).max() <= 3


@pytest.mark.slow
def test_144_heads_of_32_tokens_are_browsed(show):
    mixer = many_heads(columns=12)
    page = open_mixer(show, mixer)
    assert page.locator(".attn-head").count() == 144
    assert page.locator("input, select").count() == 0
    assert np.abs(pixels(page, 143)[..., 3] / 255 - mixer.weights[143]).max() < 0.01
    page.locator(".attn-head").nth(30).click()
    page.keyboard.press("ArrowDown")
    assert page.locator(".attn-pair").text_content() == "4.7"
    own, one, two = (text(weight_back(mixer.weights[42], back)) for back in (0, 1, 2))
    assert (
        says(page)
        == f"4.7 puts on average {own} of its weight on the token itself, {one} on the one before, {two} on the second before."
    )
    labels = labels_of(page)
    expected = [text(mixer.weights[42, i, j]) if j <= i else "blocked" for i in range(32) for j in range(32)]
    assert labels == expected
    page.locator("[data-cell='20,7']").hover()
    assert page.get_by_text(f"“t20” reads from “t7”: {text(mixer.weights[42, 20, 7])}").is_visible()
    page.locator("[data-cell='20,7']").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_text(f"“t20” reads from “t8”: {text(mixer.weights[42, 20, 8])}").is_visible()
    assert page.problems == []


@pytest.mark.parametrize(("heads", "n"), [(1, 1), (2, 2), (33, 13), (20, 12)])
def test_any_number_of_heads_and_tokens_is_drawn(heads, n, show):
    mixer = many_heads(heads, n)
    page = open_mixer(show, mixer, viewport={"width": 390, "height": 800})
    page.locator(".attn-head").last.click()
    labels = labels_of(page)
    assert labels == [text(mixer.weights[-1, i, j]) if j <= i else "blocked" for i in range(n) for j in range(n)]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.problems == []


def large_picture(page):
    """The opacity of what lies behind the large grid, 0 … 1, and whether it covers the grid's cells and no more."""
    canvas, last = page.locator("[role=gridcell] canvas"), page.locator("[role=gridcell]").last
    box, end = canvas.bounding_box(), last.bounding_box()
    for side, size in (("x", "width"), ("y", "height")):
        assert box[side] + box[size] == pytest.approx(end[side] + end[size], abs=0.6)
    return pixels(page, page.locator("canvas").count() - 1)[..., 3] / 255


@pytest.mark.parametrize("mask", [None, causal_mask(20)])
def test_many_tokens_are_shaded_and_their_output_begins_with_the_first(mask, show):
    parts = [RNG.normal(size=(3, 20, width)) for width in (4, 4, 2)]
    mixer = HeadMixer([f"t{i}" for i in range(20)], *parts, RNG.normal(size=(6, 5)), mask=mask)
    page = open_mixer(show, mixer)
    page.locator(".attn-head").last.click()
    mixer.selected = 2
    assert np.abs(large_picture(page) - mixer.weights[2]).max() < 0.01
    page.get_by_label("zero head 2").check()
    page.get_by_label("multiply by W_O").check()
    page.locator("select").select_option("1: one for all (multi-query)")
    mixer.zeroed, mixer.mixed, mixer.num_kv_heads = [1], True, 1
    assert np.abs(large_picture(page) - mixer.weights[2]).max() < 0.01
    seen = mixer.weights[2].flat if mask is None else np.where(mask, mixer.weights[2], np.nan).flat
    assert labels_of(page) == ["blocked" if np.isnan(weight) else text(weight) for weight in seen]
    page.locator("[data-cell='19,3']").hover()
    assert page.get_by_text(f"“t19” reads from “t3”: {text(mixer.weights[2, 19, 3])}").is_visible()
    page.locator("[data-cell='9,4']").focus()
    page.keyboard.press("ArrowLeft")
    assert page.get_by_text(f"“t9” reads from “t3”: {text(mixer.weights[2, 9, 3])}").is_visible()
    output = page.locator("table").last.locator("tbody td").all_text_contents()
    assert output == [*map(text, mixer.output[:12].flat), *map(text, mixer.change)]
    assert page.get_by_text("Output of the first 12 of 20 tokens").is_visible()
    assert page.problems == []


def test_weights_that_are_not_causal_block_nothing(show):
    weights = RNG.dirichlet(np.ones(4), size=(3, 4))
    page = open_mixer(show, HeadMixer("abcd", weights=weights))
    assert page.locator(".attn-blocked").count() == 0
    shown = HeadMixer("abcd", weights=weights).weights[0]
    assert page.locator("[role=gridcell]").all_text_contents() == [*map(text, shown.flat)]


def test_start_again_and_the_link_carry_the_state(show):
    page = open_mixer(show)
    page.get_by_label("multiply by W_O").check()
    page.get_by_label("zero head 2").check()
    page.locator("select").select_option("1: one for all (multi-query)")
    page.locator(".attn-head").last.click()
    changed = HeadMixer(mixed=True, zeroed=[0, 1], num_kv_heads=1, selected=1)
    assert shows(page, changed)
    link = page.locator("[data-widget] > .headerlink").get_attribute("href")
    other = open_mixer(show, address=link)
    assert shows(other, changed)
    other.get_by_role("button", name=AGAIN).press("Enter")
    assert shows(other, HeadMixer())
    assert not other.get_by_role("button", name=AGAIN).is_visible()


@pytest.mark.parametrize("make", [HeadMixer, six_heads, lambda: many_heads(columns=12)])
@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.slow), 340])
def test_nothing_scrolls_the_page_sideways(make, width, show):
    page = open_mixer(show, make(), viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_printing_paints_the_tiles_at_once(show):
    far = "<div style='height: 9000px'></div>"
    page = show(far, HeadMixer())
    assert page.locator("canvas").count() == 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert np.abs(pixels(page, 0)[..., 3] / 255 - HeadMixer().weights[0]).max() < 0.01
