"""While an input moves, a grid is painted; at rest it is written, and the two look alike. What is out of sight waits."""

import io
import re
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anywidget_static import esbuild
from attnlib import widgets
from attnlib.widgets import AttentionGrid, HeadBrowser, MetricEllipse, TokenPlane
from tests.helpers.tiers import some_of
from tools import chromium
from tools.site import FLAGS

ROOT = Path(__file__).parents[2]

EDGE = 40  # of 255: the most that a pixel at a rounded corner differs; those of letters differ by nothing
CORNER = 56  # and where an outline turns, as the frame of a cell does
FILM = ".attn-film"
# A slider that a pointer holds, moved to a share of its way.
MOVE = """(slider, share) => {
  const { min, max } = slider;
  slider.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  slider.value = Number(min) + (max - min) * share;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
}"""


BOXES = """(films) => films.map((film) => {
  const { left, top, right, bottom } = film.getBoundingClientRect();
  return [left, top, right, bottom].map(Math.round);
})"""
MARKED = """() => [...document.querySelectorAll("td")].flatMap((cell, at) =>
  cell.classList.contains("attn-marked") ? [at] : [])"""
MIDDLE = """() => {
  const { left, top, width, height } = document.querySelector("td[data-cell='3,4']").getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}"""
# What any live region says from now on.
HEAR = """() => {
  window.said = [];
  const hear = (changes) => {
    for (const { target } of changes) {
      const element = target.closest ? target : target.parentElement;
      const region = element?.closest("[aria-live], [role=status], [role=alert]");
      if (region?.textContent) said.push(region.textContent);
    }
  };
  new MutationObserver(hear).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
# Marks a cell; how many cells were measured then.
MARK = """async () => {
  const measure = Element.prototype.getBoundingClientRect;
  let measured = 0;
  Element.prototype.getBoundingClientRect = function () {
    measured += this.localName === "td";
    return measure.call(this);
  };
  document.querySelector("td[data-cell='3,4']").classList.add("attn-marked");
  await new Promise(requestAnimationFrame);
  return measured;
}"""
# What a sentence, a number beside a slider and a cell hold: at rest, after a change while a pointer is held down, and at its end.
WRITTEN = """import { pace } from "anywidget_static/pace.mjs";
import * as ui from "UI";
globalThis.written = (way) => {
  const home = document.body.appendChild(document.createElement("div"));
  const nodes = ["p", "output", "td"].map((tag) => home.appendChild(document.createElement(tag)));
  const texts = () => nodes.map((node) => node.textContent);
  const change = (text) => {
    for (const node of nodes) ui[way](node, text);
    return texts();
  };
  pace(home, () => {});
  const still = change("still");
  for (const name of ["pointerdown", "pointermove"]) home.dispatchEvent(new PointerEvent(name, { bubbles: true }));
  const moved = change("moved");
  dispatchEvent(new PointerEvent("pointerup"));
  return [still, moved, texts()];
};"""
# From now on nothing that waits comes to its time, until `rest`.
HOLD = "() => { window.held = []; window.setTimeout = (call, _, ...given) => held.push(() => call(...given)); }"


def a_grid(n=9, **options):
    x = np.random.default_rng(0).normal(size=(n, 8))
    return AttentionGrid([f"word{i}" for i in range(n)], x, masked=False, **options)


def a_plane():
    return TokenPlane(["word0", "word1"], np.array([[1.0, 0.5], [-1.0, 2.0]]))


@pytest.fixture
def held(show):
    """A page in which no time passes for its widgets, with the slider of one of them moved."""

    def held_page(widget, slider="input[type=range] >> nth=0", share=0.4, **options):
        page = show(widget, **options)
        page.locator(slider).wait_for()
        page.evaluate(HOLD)
        page.locator(slider).evaluate(MOVE, share)
        return page

    return held_page


def rest(page):
    page.evaluate("""async () => {
      do {
        while (held.length) held.shift()();
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
      } while (document.querySelector("[data-paced=waiting], .attn-film"));
    }""")


def kinds(page):
    """What the accessibility tree holds, in its order: roles and names, no number in them; texts that stand alone, not."""
    found = re.findall(
        r"^( *- [\w/]+(?: \"[^\"]*\")?)", page.locator("[data-widget] figure").aria_snapshot(), re.MULTILINE
    )
    return [re.sub(r"[−\d.]+", "0", one) for one in found if "- text" not in one]


def texts(page):
    return page.locator("td[data-cell]").all_text_contents()


def picture(page):
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)


@pytest.fixture
def pool():
    """Pages of this test's browser alone."""
    return defaultdict(list)


@pytest.fixture
def density(request):
    """Pixels of the screen for one of the page, where a test is about them."""
    return getattr(request, "param", None)


@pytest.fixture
def browser(browser, density):
    """A browser on a screen of some density. (A page's `device_scale_factor` would lay out a screen of density 1.)"""
    if density is None:
        yield browser
        return
    flags = [*FLAGS, f"--force-device-scale-factor={density}"]
    dense = browser.browser_type.launch(executable_path=chromium.find(), args=flags)
    yield dense
    dense.close()


@pytest.mark.parametrize(("scheme", "density"), [("light", 1), ("dark", 2), ("light", 2.625)], indirect=["density"])
def test_what_is_painted_looks_as_what_is_written(held, scheme):
    page = held(a_grid(), color_scheme=scheme, no_viewport=True)
    before = texts(page)
    painted = picture(page)
    assert page.locator(FILM).count() == 1
    assert texts(page) == before  # the canvas alone has moved
    rest(page)
    assert page.locator(FILM).count() == 0
    assert texts(page) != before
    apart = np.abs(painted - picture(page)).max(axis=-1)
    assert (apart > 8).mean() < 1e-3  # of all pixels
    assert apart.max() <= EDGE


def test_at_rest_the_table_is_up_to_date_and_every_cell_says_its_weight(held):
    grid = a_grid()
    page = held(grid)
    assert page.locator("output").first.text_content() != "1.0"
    rest(page)
    grid.temperature = float(page.locator("output").first.text_content())
    assert texts(page) == [f"{weight:.2f}" for weight in np.ravel(grid.weights)]
    labels = page.locator("td[data-cell]").evaluate_all("cells => cells.map((cell) => cell.ariaLabel)")
    assert [label.split(": ")[1] for label in labels] == texts(page)


@pytest.mark.parametrize("wish", [{"reduced_motion": "reduce"}, {"forced_colors": "active"}])
def test_who_wants_no_motion_or_own_colours_gets_the_table_at_once(held, wish):
    page = held(a_grid(), **wish)
    assert page.locator(FILM).count() == 0
    now = texts(page)
    rest(page)
    assert texts(page) == now


@pytest.mark.parametrize(("widget", "read"), [(a_plane, ".attn-readout"), (MetricEllipse, "[aria-live]")])
def test_what_is_read_is_written_when_the_input_rests(held, widget, read):
    page = held(widget(), slider="input[type=range] >> nth=1", share=0.9)
    before = page.locator(read).first.text_content()
    rest(page)
    assert page.locator(read).first.text_content() != before


@pytest.mark.parametrize("name", [name for name in widgets.__all__ if name != "InputError"])
def test_no_widget_speaks_while_a_pointer_moves_its_sliders_and_handles(show, gallery, centre_of, name):
    page = show(gallery[name])
    page.locator("[data-widget-mounted]").wait_for()
    page.evaluate(HOLD)
    page.evaluate(HEAR)
    for slider in page.locator("input[type=range]:visible").all():
        slider.evaluate(MOVE, 0.35)
        assert page.evaluate("said") == []
        page.evaluate("dispatchEvent(new PointerEvent('pointerup'))")
        rest(page)
        page.evaluate("said.length = 0")
    for handle in page.locator("svg [role=slider]:visible").all():
        x, y = centre_of(handle)
        page.mouse.move(x, y)
        page.mouse.down()
        page.evaluate("said.length = 0")  # what it said when it was taken hold of
        page.mouse.move(x + 9, y, steps=3)
        assert page.evaluate("said") == []
        page.mouse.up()
        rest(page)


@pytest.mark.parametrize(
    ("state", "scheme"), some_of(product(["dimmed", "selected", "masked", "framed"], ["light", "dark"]), every=2)
)
def test_marks_are_painted_as_they_are_written(show, state, scheme):
    grids = {
        "dimmed": a_grid(),
        "selected": a_grid(selected=(3, 4)),
        "masked": AttentionGrid([f"word{i}" for i in range(9)], np.eye(9), masked=True),
    }
    page = show(grids.get(state) or MetricEllipse(), color_scheme=scheme, viewport={"width": 1280, "height": 1600})
    slider = page.locator("input[type=range]").first
    slider.wait_for()
    if state == "dimmed":
        page.locator("td[data-cell='3,4']").hover()
        page.mouse.move(*[at + 2 for at in page.evaluate(MIDDLE)])
    page.evaluate(HOLD)
    before = page.evaluate(MARKED)
    slider.evaluate(MOVE, 0.05 if state == "framed" else 0.9)
    painted, marked = picture(page), page.evaluate(MARKED)
    assert page.locator(FILM).count() == (2 if state == "framed" else 1)
    assert (marked != before) == (state == "framed")  # the frame is elsewhere at once
    boxes = page.locator(FILM).evaluate_all(BOXES)
    rest(page)
    assert page.evaluate(MARKED) == marked
    written = picture(page)
    for left, top, right, bottom in boxes:
        apart = np.abs(painted - written)[top:bottom, left:right].max(axis=-1)
        assert (apart > EDGE).mean() < 1e-3
        assert apart.max() <= CORNER


def test_a_cell_that_is_marked_while_its_table_is_painted_is_read_anew_alone(held):
    page = held(a_grid())
    before = picture(page)
    assert page.evaluate(MARK) == 0  # no cell's place is measured again
    painted = picture(page)
    assert (painted != before).any()
    ((left, top, right, bottom),) = page.locator(FILM).evaluate_all(BOXES)
    rest(page)
    apart = np.abs(painted - picture(page))[top:bottom, left:right].max(axis=-1)
    assert (apart > EDGE).mean() < 1e-3
    assert apart.max() <= CORNER


@pytest.mark.parametrize("way", ["write", "refill"])
def test_a_sentence_waits_for_rest_and_what_follows_an_input_does_not(way, show, tmp_path):
    ui = (ROOT / "attnlib/widgets/ui.mjs").as_posix()
    esbuild.run({"page": WRITTEN.replace("UI", ui)}, tmp_path, "--format=iife", root=ROOT)
    page = show(a_plane())
    page.evaluate((tmp_path / "page.js").read_text("utf8"))
    assert page.evaluate("written", way) == [["still"] * 3, ["still", "moved", "moved"], ["moved"] * 3]


@pytest.mark.parametrize("name", ["AttentionGrid", "TokenPlane", "AxesPuzzle"])
def test_after_a_drag_a_screen_reader_finds_the_same_in_the_same_order(show, gallery, centre_of, rested, name):
    page = show(gallery[name])
    page.locator("[data-widget-mounted]").wait_for()
    first = kinds(page)
    for control in page.locator("input[type=range]:visible, svg [role=slider]:visible").all():
        x, y = centre_of(control)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 15, y - 10, steps=3)
        page.mouse.up()
    rested(page)
    assert page.get_by_role("button", name="Start again").is_visible()  # something was moved
    assert len(first) > 20
    assert kinds(page) == first


def test_an_old_browser_paints_too_and_cells_that_come_into_sight(held):
    page = held(a_grid(24), share=0.1, viewport={"width": 390, "height": 400})
    page.evaluate("delete Map.groupBy")
    for share in (0.5, 0.4):
        page.evaluate("scrollTo(0, 500)")
        page.evaluate("document.querySelector('.attn-scroll').scrollLeft = 200")
        page.evaluate("new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")
        painted = picture(page)
        assert page.locator(FILM).count() == 1
        if share == 0.5:
            page.locator("input[type=range]").first.evaluate(MOVE, share)
    rest(page)
    apart = np.abs(painted - picture(page)).max(axis=-1)
    assert (apart > 8).mean() < 1e-3
    assert apart.max() <= EDGE


def test_when_a_release_was_lost_the_next_move_of_the_mouse_ends_what_was_held(show):
    page = show(a_grid())
    slider = page.locator("input[type=range]").first
    slider.wait_for()
    page.evaluate(HOLD)
    slider.evaluate(MOVE, 0.4)
    assert page.locator(FILM).count() == 1
    page.mouse.move(300, 5)
    rest(page)
    before = texts(page)
    slider.evaluate("(one) => { one.value = 9; one.dispatchEvent(new Event('input', { bubbles: true })) }")
    assert page.locator(FILM).count() == 0
    assert texts(page) != before


def test_a_slider_moved_by_the_keyboard_writes_at_once_and_a_key_held_down_paints(show, rested):
    page = show(a_grid())
    slider = page.locator("input[type=range]").first
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(FILM).count() == 0
    now = texts(page)
    page.evaluate(HOLD)
    page.keyboard.down("ArrowRight")
    page.keyboard.down("ArrowRight")  # repeats
    assert page.locator(FILM).count() == 1
    page.keyboard.up("ArrowRight")
    rest(page)
    rested(page)
    assert texts(page) != now


def test_while_a_sentence_is_typed_its_heads_are_painted_and_the_rest_is_written_when_it_rests(show):
    page = show(HeadBrowser())
    field = page.get_by_label("Sentence")
    field.wait_for()
    page.evaluate(HOLD)
    read, heads = page.locator(".attn-side"), page.locator(".attn-layer canvas").first
    before, painted = read.all_text_contents(), heads.evaluate("canvas => canvas.toDataURL()")
    field.fill("Houston we have a moon")
    assert heads.evaluate("canvas => canvas.toDataURL()") != painted
    assert read.all_text_contents() == before
    rest(page)
    assert "moon" in read.all_text_contents()[1]
    field.fill("Houston we have a star")
    field.press("Enter")  # the text is done: what waits is next, not after a while
    page.evaluate("held.length = 0")
    rest(page)
    assert "star" in read.all_text_contents()[1]


def test_what_is_out_of_sight_is_drawn_when_it_comes_near(show, rested):
    page = show(a_grid(), "<p style='height: 3000px'>far</p>", viewport={"width": 1280, "height": 700})
    slider = page.locator("input[type=range]").first
    slider.wait_for()
    before = texts(page)
    page.evaluate("scrollTo(0, 2500)")
    page.wait_for_function("scrollY > 2000")
    page.evaluate("new Promise((seen) => new IntersectionObserver(seen).observe(document.querySelector('p')))")
    for share in (0.2, 0.5):
        slider.evaluate("(one, share) => { one.value = 10 * share; one.dispatchEvent(new Event('input')) }", share)
    assert texts(page) == before
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_function("(before) => document.querySelector('td[data-cell]').textContent !== before", arg=before[0])
    rested(page)
    assert page.locator("output").first.text_content() == "5.0"


def test_inputs_of_one_frame_are_drawn_twice_at_most(show):
    page = show(a_grid())
    slider = page.locator("input[type=range]").first
    slider.wait_for()
    drawn = slider.evaluate(
        """async (one) => {
          const frame = () => new Promise(requestAnimationFrame);
          await frame();
          await frame();
          let drawn = 0;
          new MutationObserver(() => drawn++).observe(document.querySelector("output"), { childList: true, subtree: true, characterData: true });
          one.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
          for (let i = 1; i < 9; i++) {
            one.value = i;
            one.dispatchEvent(new Event("input", { bubbles: true }));
            await null;
          }
          await frame();
          await frame();
          return [drawn, document.querySelector("output").textContent];
        }"""
    )
    assert drawn == [2, "8.0"]


def test_what_follows_a_release_is_drawn_at_once_and_not_in_the_next_frame(show):
    page = show(a_grid())
    slider = page.locator("input[type=range]").first
    slider.wait_for()
    texts = slider.evaluate(
        """(one) => {
          const to = (value) => {
            one.value = value;
            one.dispatchEvent(new Event("input", { bubbles: true }));
            return document.querySelector("output").textContent;
          };
          one.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
          to(1);
          to(2);
          one.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
          return [document.querySelector("output").textContent, to(3)];
        }"""
    )
    assert texts == ["2.0", "3.0"]
