"""CostCalculator in a page: every control, the numbers of attnlib, broken state, a shared link, axe."""

import pytest

from attnlib.formatting import BYTES, large, text
from attnlib.widgets import CostCalculator
from attnlib.widgets.cost_calculator import MODELS


def opened(show, *, address="", widget=None, **options):
    page = show(widget or CostCalculator(), address=address, **options)
    page.locator(".attn-stack:visible").first.wait_for()
    return page


def cells(page):
    return page.locator("tbody td").all_text_contents()


def told(page):
    return page.locator("[aria-live]").text_content()


def expected(**sizes):
    """The cells of both tables, by attnlib."""
    calculator = CostCalculator(**sizes)
    work, memory = calculator.work, calculator.memory
    rest = [memory["cache"], memory["parameters"]]
    ways = [[memory[way], *rest, memory[way] + sum(rest)] for way in ("all at once", "tile by tile")]
    shares = [[large(adds), f"{text(100 * adds / sum(work.values()), 1)} %"] for adds in work.values()]
    held = [large(part, BYTES) for parts in zip(*ways, strict=True) for part in parts]
    return [text for share in shares for text in share] + held


def test_it_begins_with_the_numbers_of_its_tables_and_of_attnlib(show):
    bare = show(CostCalculator(), java_script_enabled=False)
    still, names = cells(bare), bare.locator("th").all_text_contents()
    page = opened(show)
    assert cells(page) == still == expected()
    assert page.locator("th").all_text_contents() == names
    assert "The n × n grid is 18.2 % of the work" in told(page)
    assert "half of the work: n = 4,608 = 6 d" in page.locator(".attn-half").text_content()
    assert "Radford et al. (2019)" in page.locator(".attn-note").text_content()
    assert page.problems == []


def test_the_keyboard_moves_every_control(show):
    page = opened(show)
    sizes = {"n": 1218, "d": 1024, "num_heads": 8, "num_kv_heads": 4, "num_layers": 13}
    page.locator("select").first.focus()
    for name, key in [
        ("n", "Right"),
        ("d", "Right"),
        ("num_heads", ""),
        ("num_kv_heads", "Left"),
        ("num_layers", "Right"),
    ]:
        page.keyboard.press("Tab")
        if key:
            page.keyboard.press(f"Arrow{key}")
        assert page.locator(":focus + output").text_content() == f"{sizes[name]:,}"
    assert cells(page) == expected(**sizes)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert cells(page) == expected(**sizes, itemsize=2)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.get_by_label("tokens n").evaluate("input => input.nextSibling.textContent") == "5,632"  # 5.5 d
    assert told(page).startswith("The n × n grid is 50.0 % of the work.")
    page.get_by_role("button", name="Start again").press("Enter")
    assert cells(page) == expected()
    assert page.problems == []


def test_the_grid_grows_up_to_the_mark_and_beyond_while_memory_is_full_of_it_before(show):
    page = opened(show)
    widths = (
        "bars => bars.map((bar) => bar.firstChild.getBoundingClientRect().width / bar.getBoundingClientRect().width)"
    )
    page.get_by_label("tokens n").fill("32")  # 4,096
    work, held, tiled = page.locator(".attn-stack").evaluate_all(widths)
    assert work == pytest.approx(4096 / (4608 + 4096), abs=0.01)
    assert work < 0.5 < 0.7 < held
    assert tiled < 0.02
    page.get_by_label("tokens n").fill("34")
    assert page.locator(".attn-stack").evaluate_all(widths)[0] > 0.5
    page.get_by_label("tokens n").fill("64")
    assert "1,048,576 tokens" in page.locator("figcaption").text_content()
    assert cells(page) == expected(n=2**20)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model["name"])
def test_a_published_model_gives_its_sizes_and_its_source(model, show):
    page = opened(show, widget=CostCalculator(chosen=""))
    page.locator("select").first.select_option(model["name"])
    sizes = {name: size for name, size in model.items() if name not in {"name", "source"} and size}
    assert cells(page) == expected(**sizes)
    assert f"Sizes of {model['name']}: {model['source']}." in page.locator(".attn-note").text_content()
    half = CostCalculator(**sizes).crossover
    assert f"half of the work: n = {half:,}" in page.locator(".attn-half").text_content()
    assert page.problems == []


def test_a_changed_size_is_no_longer_the_models(show):
    page = opened(show)
    menu = page.locator("select").first
    shown = "menu => menu.options[menu.selectedIndex].textContent"
    page.get_by_label("tokens n").fill("0")
    assert menu.evaluate(shown) == "GPT-2 small"  # at another length
    page.get_by_label("layers").fill("0")
    assert menu.evaluate(shown) == "sizes of your own"
    assert "Radford" not in page.locator(".attn-note").text_content()


def test_shared_keys_leave_little_of_the_cache_and_most_of_the_work(show):
    page = opened(show)
    page.get_by_label("key and value heads").fill("0")
    assert "With 1 key and value head for 12 queries, 8.3 % of the cache is left, and 87.5 % of the work." in told(page)
    assert cells(page) == expected(num_kv_heads=1)
    page.get_by_label("width d").fill("4")  # 256: the heads must divide
    assert cells(page) == expected(d=256, num_heads=8, num_kv_heads=1)


def test_a_shared_link_shows_the_same(show):
    page = opened(show)
    page.locator("select").first.select_option("Llama 2 70B")
    page.get_by_label("tokens n").fill("40")
    address = page.locator(".headerlink").get_attribute("href")
    other = opened(show, address=address)
    assert cells(other) == cells(page) != expected()
    assert told(other) == told(page)


def test_half_is_no_goal_where_n_does_not_go_so_far(show):
    page = opened(show, widget=CostCalculator(d=2**18, num_heads=16, num_kv_heads=16))
    assert page.get_by_role("button", name="Go where").is_disabled()
    assert opened(show).get_by_role("button", name="Go where").is_enabled()


def test_other_models_have_a_menu_of_their_own(open_alone):
    made = CostCalculator(title="q")
    page = open_alone(made)
    page.evaluate("home.model.receive({ models: [{ ...home.model.get('models')[1], name: 'mine' }] })")
    assert page.get_by_label("model").first.locator("option").all_text_contents() == ["mine", "sizes of your own"]
