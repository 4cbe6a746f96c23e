"""Widgets in a bare page of their own: hostile tokens, broken state, and sizes the book does not use."""

import json
import re

import numpy as np
import pytest

from attnlib.widgets import AttentionGrid, TokenPlane


def test_state_that_is_not_json_leaves_the_table(show):
    whole = AttentionGrid("ab", np.eye(2))
    html = whole.to_html()
    page = show(re.sub(r"(json\">).*?(</script>)", r"\1{oops\2", html, flags=re.DOTALL), whole)
    page.locator("[role=gridcell]").first.wait_for()
    assert page.locator("table").count() == 2
    assert page.locator("table[role=grid]").count() == 1
    assert "widget attention_grid" in page.problems[0]


@pytest.mark.parametrize("n", [1, 2, 40])
def test_any_number_of_tokens_is_drawn(n, show):
    rng = np.random.default_rng(0)
    page = show(AttentionGrid([f"t{i}" for i in range(n)], rng.normal(size=(n, 3))))
    page.locator("[role=gridcell]").first.wait_for()
    assert page.locator("[role=gridcell]").count() == n * n
    assert set(page.locator("tbody .attn-sum").all_text_contents()) == {"1.00"}
    assert page.problems == []


def test_cross_attention_has_its_own_columns(show):
    rng = np.random.default_rng(0)
    grid = AttentionGrid("ab", rng.normal(size=(2, 4)), rng.normal(size=(3, 4)), key_tokens="xyz", masked=True)
    page = show(grid)
    page.locator("[role=gridcell]").first.wait_for()
    texts = page.locator("[role=gridcell]").all_text_contents()
    expected = [f"{w:.2f}" if ok else "–" for w, ok in zip(grid.weights.flat, grid.allowed.flat, strict=True)]
    assert texts == expected


def test_the_page_shows_before_and_after_its_script_the_same_numbers(show):
    rng = np.random.default_rng(0)
    grid = AttentionGrid("abcd", rng.normal(size=(4, 3)), scaled=True, masked=True, temperature=1.7)
    still = show(grid, java_script_enabled=False).locator("tbody td").all_text_contents()
    live = show(grid)
    live.locator("[role=gridcell]").first.wait_for()
    assert live.locator("tbody td").all_text_contents() == still


def test_the_state_in_the_page_is_the_state_in_python(show):
    grid = AttentionGrid("ab", np.eye(2), temperature=2.0)
    page = show(grid, java_script_enabled=False)
    assert json.loads(page.locator("script[type='application/json']").text_content()) == grid.state()


@pytest.mark.parametrize("size", [1.0, 30.0, 1e3])
def test_the_arithmetic_ends_at_the_weight_for_scores_of_any_size(size, show):
    query = np.array([[-size, 0.5], [size, 1.0]])
    page = show(AttentionGrid("ab", query, np.array([[size, 1.0], [size, 0.5]]), selected=[0, 1]))
    page.locator("[role=gridcell]").first.wait_for()
    for row in (0, 1):
        page.locator(f"[data-cell='{row},1']").hover()
        part, total, weight = re.search(
            r"≈ ([\d.]+) / ([\d.]+) ≈ ([\d.]+)$", page.locator("dd").last.text_content()
        ).groups()
        assert float(part) / float(total) == pytest.approx(float(weight), abs=0.01)
        assert weight == page.locator(f"[data-cell='{row},1']").text_content()


@pytest.mark.parametrize("score", [0.5, 1.7581, 8.476586, 11.3, -3.217])
def test_the_power_that_is_written_is_that_of_the_score_that_is_written(score, show):
    page = show(AttentionGrid("a", [[1.0]], [[score], [0.0]], key_tokens="xy", selected=[0, 0]))
    page.locator("[role=gridcell]").first.wait_for()
    shown, power = re.search(r"exp\((\S+)\).* ≈ (\S+) / ", page.locator("dd").last.text_content()).groups()
    found = np.exp(float(shown.replace("−", "-")))
    if "×10" in power:
        assert f"{found:.1e}" == f"{power.split('×')[0]}e+0{'⁰¹²³⁴⁵⁶⁷⁸⁹'.index(power[-1])}"
    else:
        assert f"{found:.{len(power.partition('.')[2])}f}" == power


@pytest.mark.parametrize("masked", [False, True])
def test_many_tokens_are_shades_with_words(masked, show):
    grid = AttentionGrid([f"t{i}" for i in range(30)], np.random.default_rng(0).normal(size=(30, 3)), masked=masked)
    page = show(grid)
    cells = page.locator("[role=gridcell]")
    page.locator("[role=grid]:not([aria-busy])").wait_for()

    def told():
        weights = np.where(grid.allowed, grid.weights, np.nan) if masked else grid.weights
        return [f"{w:.2f}" if w == w else "blocked" for w in weights.flat]

    labels = "all => all.map((cell) => cell.ariaLabel.split(': ')[1])"
    assert cells.evaluate_all(labels) == told()
    page.get_by_label("temperature").fill("2.5")
    grid.temperature = 2.5
    page.locator("[data-cell='7,3']").hover()
    assert page.locator("dd").last.text_content().endswith(f" ≈ {grid.weights[7, 3]:.2f}")
    page.locator("[role=grid]:not([aria-busy])").wait_for()
    assert cells.evaluate_all(labels) == told()
    assert set(page.locator("tbody .attn-sum").all_text_contents()) == {"1.00"}
    assert page.locator(".attn-blocked").count() == (435 if masked else 0)
    opacity = page.locator("canvas").evaluate(
        "canvas => [...canvas.getContext('2d').getImageData(0, 0, 30, 30).data].filter((_, at) => at % 4 === 3)"
    )
    assert np.abs(np.reshape(opacity, (30, 30)) / 255 - grid.weights).max() < 0.01
    assert page.problems == []


def grid_and_plane():
    grid = AttentionGrid("abc", np.eye(3), title="One")
    plane = TokenPlane("ab", np.eye(2), title="Two")
    return grid, plane


def test_the_link_beside_a_widget_carries_what_it_shows(show):
    page = show(*grid_and_plane())
    link = page.locator("#attention-grid-one > .headerlink")
    page.locator("[role=gridcell]").first.wait_for()
    assert link.get_attribute("href") == "#attention-grid-one"
    page.get_by_label("temperature").fill("2.5")
    page.get_by_label("mask", exact=True).check()
    address = link.get_attribute("href")
    shown = page.locator("[role=gridcell]").all_text_contents()
    other = show(*grid_and_plane(), address=address)
    other.locator(".attn-blocked").first.wait_for()
    assert other.locator("[role=gridcell]").all_text_contents() == shown
    assert other.get_by_label("temperature").input_value() == "2.5"
    other.get_by_role("button", name="Start again").press("Enter")
    assert other.get_by_label("temperature").input_value() == "1"
    assert other.get_by_role("button", name="Start again").filter(visible=True).count() == 0
    assert link.get_attribute("href") == address
    assert page.problems == other.problems == []


def test_a_link_to_a_widget_far_below_brings_it_to_the_screen(show):
    far = "<div style='height: 5000px'></div>"
    page = show(far, *grid_and_plane(), address="#token-plane-two?points=%5B%5B2%2C1%5D%2C%5B0%2C1%5D%5D")
    page.get_by_role("slider", name="a", exact=True).wait_for()
    assert page.get_by_role("slider", name="a", exact=True).get_attribute("aria-valuetext") == "(2.00, 1.00)"
    assert page.evaluate("scrollY") > 3000


def test_length_and_direction_turn_the_selected_token(show):
    page = show(TokenPlane("ab", np.array([[1.0, 0.0], [0.0, 2.0]])))
    a, b = (page.get_by_role("slider", name=name, exact=True) for name in "ab")
    cells = page.locator("tbody td")
    assert cells.all_text_contents()[5:8] == ["2.00", "90°", "0.00"]
    page.get_by_label("direction").fill("60")
    assert a.get_attribute("aria-valuetext") == "(0.50, 0.87)"
    assert cells.all_text_contents()[6:8] == ["30°", "1.74"]
    page.get_by_label("length").fill("2")
    assert a.get_attribute("aria-valuetext") == "(1.00, 1.73)"
    assert b.get_attribute("aria-valuetext") == "(0.00, 2.00)"
    page.get_by_label("length").fill("0")
    assert a.get_attribute("aria-valuetext") == "(0.00, 0.00)"
    assert cells.all_text_contents()[1] == cells.all_text_contents()[6] == "–"
    page.get_by_label("length").fill("1")
    assert a.get_attribute("aria-valuetext") == "(0.50, 0.87)"  # the direction was kept
    assert page.problems == []


def test_the_arithmetic_of_a_temperature_has_all_its_decimals(show):
    page = show(AttentionGrid("a", [[2.0]], [[1.0], [0.0]], key_tokens="xy", temperature=0.25, selected=[0, 0]))
    assert page.locator(".attn-arithmetic dd").nth(1).text_content() == "2.00 / 0.25 = 8.00"


def test_rows_are_pale_only_while_a_cell_has_the_focus(show):
    page = show(AttentionGrid("abc", np.eye(3)))
    page.locator("[data-cell='0,0']").focus()
    assert page.locator("tr.attn-dim").count() == 2
    page.keyboard.press("Tab")
    assert page.locator("tr.attn-dim").count() == 0


@pytest.fixture
def plane(show):
    page = show(TokenPlane("ab", [[1, 0.5], [-1, 2]]))
    page.locator(".attn-token").first.wait_for()
    return page


def place(page):
    return page.locator(".attn-token").first.get_attribute("aria-valuetext")


def test_an_arrow_with_another_key_is_the_browsers(plane):
    before = place(plane)
    prevented = plane.locator(".attn-token").first.evaluate(
        """(handle) => ["altKey", "ctrlKey", "metaKey"].map((name) => {
          const event = new KeyboardEvent("keydown", { key: "ArrowLeft", [name]: true, bubbles: true, cancelable: true });
          handle.dispatchEvent(event);
          return event.defaultPrevented;
        })"""
    )
    assert prevented == [False] * 3
    assert place(plane) == before


def test_the_right_button_drags_nothing(plane):
    before = place(plane)
    box = plane.locator(".attn-token circle").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    plane.mouse.move(x, y)
    plane.mouse.down(button="right")
    plane.mouse.move(x + 40, y, steps=3)
    plane.mouse.up(button="right")
    assert place(plane) == before


def test_a_vector_without_length_keeps_its_direction(plane):
    direction, length = (plane.locator("label", has_text=name).locator("input") for name in ("direction", "length"))
    direction.fill("120")
    length.fill("0")
    assert direction.input_value() == "120"
    direction.press("ArrowLeft")
    assert direction.input_value() == "119"
    assert plane.locator("label", has_text="direction").locator("output").text_content() == "119°"
