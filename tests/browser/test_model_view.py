"""ModelView in a page: every head is drawn, chosen, sorted, and large in three forms."""

import dataclasses

import numpy as np
import pytest

from attnlib.models.packing import pack_vectors
from attnlib.models.recording import Recording
from attnlib.scaled_dot_product import softmax
from attnlib.widgets import ModelView

HABITS = ["previous token", "first token", None, "itself"]


def grids(n, layers=2, heads=4):
    """Heads with habits, one after another."""
    scores = np.random.default_rng(0).normal(size=(layers, heads, n, n))
    i = np.arange(n)
    for at in np.ndindex(layers, heads):
        habit = HABITS[at[1] % 4]
        if habit == "previous token":
            scores[at][i[1:], i[:-1]] += 20
        if habit == "first token":
            scores[at][:, 0] += 20
        if habit == "itself":
            scores[at][i, i] += 20
    return softmax(np.where(np.tri(n, dtype=bool), scores, -np.inf))


def words(n):
    return [f"w{i}" for i in range(n)]


def recording(n=6, **options):
    return Recording.from_grids(grids(n), words(n), name="tiny", **options)


def opened(show, *recordings, options=None, **settings):
    page = show(ModelView(*(recordings or [recording()]), title="q", **(settings or {})), **(options or {}))
    page.locator("[data-widget-mounted]").wait_for()
    page.locator(".attn-all-heads[width]").first.wait_for()
    return page


def cell(page, name):
    return page.locator(".attn-board").first.locator(f"[aria-label^='{name}']")


def line(page):
    return page.locator(".attn-one [aria-live=polite]").first.text_content()


def heading(page):
    return page.locator(".attn-head-steps > .attn-pair").text_content()


def test_every_head_has_a_cell_with_its_name_and_what_it_does(show):
    page = opened(show)
    names = (
        page.locator(".attn-board")
        .first.locator("[role=gridcell]")
        .evaluate_all("all => all.map((one) => one.ariaLabel)")
    )
    assert [name.split(",")[0] for name in names] == [f"{i}.{j}" for i in (1, 2) for j in (1, 2, 3, 4)]
    for name, habit in zip(names, HABITS * 2, strict=True):
        assert name.endswith(f", {habit} 1.00") == bool(habit)
    assert page.locator(".attn-head-mark").all_text_contents() == ["←", "⇤", "•"] * 2


def test_the_overview_is_painted_weight_by_weight(show):
    page = opened(show)
    drawn = page.locator(".attn-all-heads").first.evaluate("""(canvas) => {
        const side = canvas.width / 4;
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return [...Array(6).keys()].map((i) => [...Array(6).keys()].map((j) => {
            const at = (k) => Math.floor(2 + (k + 0.5) * (side - 4) / 6);
            const p = 4 * (at(i) * canvas.width + at(j));
            return data[p + 3] ? data[p] : -1;
        }));
    }""")
    shades, weights = np.array(drawn), grids(6)[0, 0]
    assert ((shades == -1) == ~np.tri(6, dtype=bool)).all()
    seen = weights[np.tri(6, dtype=bool)]
    assert np.abs(np.corrcoef(seen, shades[np.tri(6, dtype=bool)])[0, 1]) > 0.999


def test_a_head_is_chosen_by_mouse_and_by_keyboard(show):
    page = opened(show)
    cell(page, "2.4").click()
    assert heading(page) == "Head 2.4, itself 1.00"
    assert cell(page, "2.4").get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert heading(page) == "Head 2.2, first token 1.00"
    cell(page, "1.1").hover()
    assert page.locator(".attn-pointed").first.text_content() == "Head 1.1, previous token 1.00"


def test_heads_are_sorted_by_a_score(show):
    page = opened(show)
    page.get_by_label("Sort by").select_option("itself")
    names = (
        page.locator(".attn-board")
        .first.locator("[role=gridcell]")
        .evaluate_all("all => all.map((one) => one.ariaLabel)")
    )
    assert {names[0][:3], names[1][:3]} == {"1.4", "2.4"}
    order = np.argsort(-recording().scores["itself"].ravel(), kind="stable")
    expected = [f"{at // 4 + 1}.{at % 4 + 1}" for at in order]
    assert [name[:3] for name in names] == expected
    assert page.locator(".attn-head-name").all_text_contents() == expected
    page.get_by_role("button", name="next head").click()
    assert heading(page).startswith(f"Head {expected[expected.index('1.1') + 1]}")


def test_buttons_beside_its_name_go_to_the_next_head(show):
    page = opened(show, head=3)
    page.get_by_role("button", name="next head").click()
    assert heading(page) == "Head 2.1, previous token 1.00"
    for _ in range(5):
        page.get_by_role("button", name="previous head").click()
    assert heading(page) == "Head 2.4, itself 1.00"


def test_the_tab_key_enters_at_the_chosen_head(show):
    page = opened(show, layer=1, head=1)
    assert page.locator(".attn-board").first.locator("[tabindex='0']").get_attribute("aria-label")[:3] == "2.2"
    page.get_by_role("button", name="next head").click()
    assert page.locator(".attn-board").first.locator("[tabindex='0']").get_attribute("aria-label")[:3] == "2.3"


def test_a_score_of_few_queries_gives_no_sign_and_says_so(show):
    tokens = ["the", "cat", "saw", "the", "dog", "run"]
    weights = np.tile(np.eye(6)[[0, 1, 2, 1, 4, 5]], (1, 2, 1, 1))
    page = opened(show, Recording.from_grids(weights, tokens), sort="induction")
    assert cell(page, "1.1").get_attribute("aria-label") == "1.1, itself 0.80, induction 1.00 (1 query)"
    assert page.locator(".attn-head-mark").all_text_contents() == ["•", "•"]


def test_what_a_score_means_is_one_click_away(show):
    page = opened(show)
    page.get_by_text("What the signs and scores mean").click()
    assert page.get_by_text("The weight on the token right before the query.").is_visible()
    assert page.get_by_text("The entropy has none: it says how many keys are read, and not which.").is_visible()


def test_a_short_text_has_a_number_in_each_cell(show):
    page = opened(show, layer=1, head=2)
    shown = page.locator(".attn-table [role=gridcell]").all_text_contents()
    expected = recording().grid(1, 2)
    assert shown == [f"{expected[i, j]:.2f}" if j <= i else "–" for i in range(6) for j in range(6)]
    page.locator("[data-cell='3,1']").click()
    assert line(page) == f"w3 (query 4) reads {expected[3, 1]:.2f} from w1 (key 2)."
    assert page.get_by_label("Query").locator("option:checked").text_content() == "4 w3"


@pytest.mark.parametrize("n", [20, 100])
def test_a_longer_text_is_a_picture_that_says_what_is_pointed_at(show, n):
    page = opened(show, recording(n))
    canvas = page.locator(".attn-large-cells canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    i, j = n - 3, 4
    before = page.locator(".attn-models").bounding_box()["height"]
    page.mouse.move(box["x"] + box["width"] * (j + 0.5) / n, box["y"] + box["height"] * (i + 0.5) / n)
    expected = recording(n).grid(0, 0)[i, j]
    page.get_by_text(f"w{i} (query {i + 1}) reads").wait_for()
    assert line(page) == f"w{i} (query {i + 1}) reads {expected:.2f} from w{j} (key {j + 1})."
    assert page.locator(".attn-models").bounding_box()["height"] == before
    page.mouse.down()
    page.mouse.up()
    assert page.get_by_label("Query").locator("option:checked").text_content() == f"{i + 1} w{i}"


def test_arcs_show_those_of_the_token_that_is_pointed_at(show):
    page = opened(show, form="arcs", head=2)
    weights = recording().grid(0, 2)
    page.get_by_role("group", name="queries").get_by_role("button", name="w5").hover()
    best = np.argsort(-weights[5], kind="stable")[:3]
    assert line(page) == f"w5 reads most from {', '.join(f'w{j} {weights[5, j]:.2f}' for j in best)}."
    page.get_by_role("group", name="keys").get_by_role("button", name="w1").focus()
    assert line(page).startswith("w1 is read most by ")
    page.get_by_role("group", name="keys").get_by_role("button", name="w1").click()
    assert page.get_by_label("Key").locator("option:checked").text_content() == "2 w1"


def test_arcs_are_kept_and_let_go(show):
    page = opened(show, form="arcs", head=2)
    queries, keys = (page.get_by_role("group", name=name) for name in ("queries", "keys"))
    query = page.get_by_label("Query").locator("option:checked")
    assert query.text_content() == "all"
    assert page.get_by_text("Point at a word; press it to keep it.").is_visible()
    every = line(page)
    word = queries.get_by_role("button", name="w4")
    word.click()
    assert query.text_content() == "5 w4"
    word.click()
    assert (query.text_content(), line(page)) == ("all", every)
    word.click()
    page.keyboard.press("Escape")
    assert (query.text_content(), line(page)) == ("all", every)
    page.keyboard.press("ArrowRight")
    assert line(page).startswith("w4 is read most by")
    assert keys.locator(":focus").text_content() == "w4"
    page.keyboard.press("ArrowLeft")
    assert queries.locator(":focus").text_content() == "w4"


def test_what_weighs_less_than_the_least_is_not_drawn(show):
    page = opened(show, form="arcs", head=2, least=0.5, query=5)
    assert line(page) == "w5: no arc is drawn."


def test_a_weight_that_is_not_drawn_is_no_zero(show):
    page = opened(show, layer=1, head=2, least=0.3)
    weights = recording().grid(1, 2)
    shown = page.locator(".attn-table [role=gridcell]").all_text_contents()
    drawn = [f"{weights[i, j]:.2f}" if weights[i, j] >= 0.3 else "" for i in range(6) for j in range(6)]
    assert shown == [text if j <= i else "–" for text, (i, j) in zip(drawn, np.ndindex(6, 6), strict=True)]
    assert "" in drawn
    i, j = np.argwhere((weights < 0.3) & np.tri(6, dtype=bool))[0]
    told = page.locator(f"[data-cell='{i},{j}']").get_attribute("aria-label")
    assert told == f"w{i} reads from w{j}: {weights[i, j]:.2f}, not drawn"


def test_numbers_go_from_the_products_to_the_weight(show):
    rng = np.random.default_rng(3)
    q, k = rng.normal(size=(2, 2, 4, 6, 8)).astype(np.float16).astype(float)
    scores = np.where(np.tri(6, dtype=bool), q @ k.swapaxes(-1, -2) * 0.5, -np.inf)
    given = Recording.from_grids(softmax(scores), words(6), queries=q, keys=k, scale=0.5)
    page = opened(show, given, form="numbers", query=4, key=2)
    said = page.locator(".attn-weight-sums dd").all_text_contents()
    assert said[0] == f"{q[0, 0, 4] @ k[0, 0, 2]:.2f}".replace("-", "−")
    assert said[-1] == f"{softmax(scores)[0, 0, 4, 2]:.3f}"
    assert page.locator(".attn-products i").count() == 8
    page.locator(".attn-products i").nth(3).hover()
    assert page.locator(".attn-one .attn-pointed").first.text_content().startswith("Component 4: q ")


def with_sums(sinks=None, bias=None, heads=2):
    """A recording of causal heads with their queries and keys, and the weights that these give."""
    rng = np.random.default_rng(4)
    q, k = rng.normal(size=(2, 1, heads, 6, 4)).astype(np.float16).astype(float)
    scores = np.where(np.tri(6, dtype=bool), q @ k.swapaxes(-1, -2), -np.inf) + (0 if bias is None else bias)
    scores = np.where(scores < -50_000, -np.inf, scores)
    logits = np.full((1, heads), -np.inf) if sinks is None else np.array(sinks, float)
    last = np.broadcast_to(logits[..., None, None], (1, heads, 6, 1))
    weights = softmax(np.concatenate([scores, last], axis=-1))[..., :6]
    made = Recording.from_grids(weights, words(6), queries=q, keys=k, sinks=sinks, causal=True)
    vectors = {at: dataclasses.replace(one, bias=bias) for at, one in made.vectors.items()}
    return dataclasses.replace(made, vectors=vectors), weights


def sums(page):
    terms, values = (page.locator(f".attn-weight-sums {name}").all_text_contents() for name in ("dt", "dd"))
    return dict(zip(terms, values, strict=True))


def test_a_learned_sink_has_its_part_of_the_sum(show):
    given, weights = with_sums(sinks=[[2.5, 0]])
    page = opened(show, given, form="numbers", query=3, key=1)
    found = sums(page)
    assert any(term.startswith("of the learned sink") and "2.50" in term for term in found)
    assert list(found.values())[-1] == f"{weights[0, 0, 3, 1]:.3f}"
    assert "the weight that was recorded" not in found


def test_what_a_mask_blocks_has_no_arithmetic(show):
    """A window of two keys: it is no bias, and a key beyond it is not read."""
    window = np.where(np.tri(6, k=-2, dtype=bool), -60_000.0, 0)
    given, weights = with_sums(bias=window)
    page = opened(show, given, form="numbers", query=4, key=3)
    assert list(sums(page).values())[-1] == f"{weights[0, 0, 4, 3]:.3f}"
    assert not any("bias" in term for term in sums(page))
    page.get_by_label("Key").select_option(index=2)
    assert page.get_by_text("This query may not read this key").is_visible()
    assert sums(page) == {}


def test_in_numbers_keys_that_weigh_less_than_the_least_are_left_out(show):
    given, weights = with_sums()
    page = opened(show, given, form="numbers", query=5, key=0, least=0.15)
    rows = page.locator(".attn-one tbody th").all_text_contents()
    heavy = {f"w{j} ({j + 1})" for j in range(6) if weights[0, 0, 5, j] >= 0.15}
    assert len(heavy) < 5
    assert set(rows) == heavy | {"w0 (1)"}  # and the one that is looked at
    assert page.get_by_label("Least weight drawn").is_visible()


def test_without_vectors_the_row_is_shown_and_where_vectors_are(show):
    vectors = np.random.default_rng(0).normal(size=(2, 4, 6, 3))
    whole = recording(queries=vectors, keys=vectors)
    given = dataclasses.replace(whole, vectors={at: whole.vectors[at] for at in [(0, 2), (1, 1), (1, 3)]})
    page = opened(show, given, form="numbers", query=4, head=3)
    assert page.locator(".attn-one tbody tr").count() == 5
    said = page.locator(".attn-one .attn-pointed")
    assert said.first.text_content() == "Queries and keys are recorded for 1.3, 2.2 and 2.4."
    said.get_by_role("button", name="2.2").click()
    assert heading(page).startswith("Head 2.2")
    assert page.locator(".attn-products i").count() == 3
    page = opened(show, form="numbers")
    assert page.get_by_text("Of this text the weights were recorded, without queries and keys.").is_visible()


def test_a_kept_head_stays_kept_in_another_text(show):
    page = opened(show, recording(), recording(5), head=2)
    page.get_by_role("button", name="Keep this head").click()
    page.get_by_label("Reading").select_option(index=1)
    assert page.get_by_role("button", name="Keep this head").get_attribute("aria-pressed") == "true"
    cell(page, "2.2").click()
    assert page.locator(".attn-kept-heads span button").all_text_contents() == ["1.3 ×"]


def test_a_head_that_only_the_second_model_has_does_not_end_the_view(show):
    larger = Recording.from_grids(grids(6, layers=3, heads=8), words(6), name="larger")
    page = opened(show, recording(), larger, beside=1)
    page.locator(".attn-board").nth(1).locator("[aria-label^='3.8']").click()
    assert page.locator("figure").is_visible()
    assert heading(page) == "Head 2.4"


def test_where_no_effect_is_known_no_head_is_called_silenced(show):
    effects = {"what": "chance", "labels": ["moon"], "before": [0.5], "after": np.full((2, 4, 1), 0.125)}
    page = opened(show, recording(effects=effects), recording(5), silenced=True)
    assert heading(page).endswith(", silenced")
    page.get_by_label("Reading").select_option(index=1)
    assert not heading(page).endswith(", silenced")
    assert page.locator(".attn-silent").count() == 0


def test_a_chosen_place_beyond_a_shorter_text_is_its_last_token(show):
    page = opened(show, recording(6), recording(4), form="arcs", query=5)
    page.get_by_label("Reading").select_option(index=1)
    word = page.get_by_role("group", name="queries").get_by_role("button", name="w3")
    assert word.get_attribute("aria-pressed") == "true"
    word.click()
    assert page.get_by_label("Query").locator("option:checked").text_content() == "all"


def test_a_text_that_goes_before_it_is_unpacked_is_no_fault(show):
    page = opened(show, recording(40), recording(40))
    page.evaluate(
        """async () => {
          const menu = [...document.querySelectorAll("label")].find((one) => one.textContent.startsWith("Beside"))
            .querySelector("select");
          for (const i of [2, 0]) { menu.selectedIndex = i; menu.dispatchEvent(new Event("change", { bubbles: true })); }
          for (let i = 0; i < 20; i++) await new Promise((done) => setTimeout(done));
        }"""
    )
    assert page.problems == []


def test_another_order_leaves_no_listeners_of_the_cells_before(show):
    page = opened(show, recording())
    page.evaluate(
        """() => {
          globalThis.given = [];
          const add = EventTarget.prototype.addEventListener;
          EventTarget.prototype.addEventListener = function (name, call, options) {
            if (name === "focusin" && this.matches?.("[role=rowgroup]")) given.push(this);
            return add.call(this, name, call, options);
          };
        }"""
    )
    for index in (1, 2, 0):
        page.get_by_label("Sort by").select_option(index=index)
    assert page.evaluate("given.map(({ isConnected }) => isConnected)") == [False, False, True]


def test_two_readings_stand_beside_each_other(show):
    page = opened(show, recording(), Recording.from_grids(grids(4), words(4), name="other"))
    assert page.locator(".attn-board:visible").count() == 1
    page.get_by_label("Beside").select_option(index=2)
    assert page.locator(".attn-board:visible").count() == 2
    assert page.locator(".attn-table:visible").count() == 2
    page.get_by_label("Reading").select_option(index=1)
    assert page.locator(".attn-one .attn-pair").first.text_content() == "other: w0 w1 w2 w3"
    assert page.get_by_label("Reading").locator("option").all_text_contents()[0] == "tiny: w0 w1 w2 w3 w4 w5"


def captions(page):
    return page.locator(".attn-columns").last.locator(".attn-pair:visible").all_text_contents()


def test_each_of_two_sides_has_its_caption_and_its_sentence(show):
    other = Recording.from_grids(grids(4), ["[CLS]", "so", "w2", "end"], [True, False, False, False], name="tiny")
    page = opened(show, recording(), other, beside=1, head=3)
    texts = ["w0 w1 w2 w3 w4 w5", "so w2 end"]
    assert captions(page) == [f"Head 1.4, itself 1.00: {text}" for text in texts]
    assert page.locator(".attn-one [aria-live=polite]:visible").count() == 2
    page.get_by_role("button", name="previous head").click()
    shown = captions(page)
    assert all(one.startswith("Head 1.3") and one.endswith(text) for one, text in zip(shown, texts, strict=True))
    page.get_by_label("Beside").select_option(index=0)
    assert captions(page) == []
    assert page.locator(".attn-one [aria-live=polite]:visible").count() == 1
    page.get_by_role("button", name="next head").click()
    assert captions(page) == []


def test_long_texts_that_begin_alike_differ_in_the_menu(show):
    long = [[*words(30), last] for last in ("big", "small")]
    page = opened(show, *[Recording.from_grids(grids(31), tokens, name="tiny") for tokens in long])
    names = page.get_by_label("Reading").locator("option").all_text_contents()
    assert len(set(names)) == 2
    assert all(len(name) <= 52 for name in names)
    assert names[1].endswith("small")


def test_a_place_is_chosen_in_both_texts_only_where_they_have_the_same_token(show):
    other = Recording.from_grids(grids(6), ["w0", "x", "w2", "y", "z", "u"], name="tiny")
    page = opened(show, recording(), other, beside=1, head=2)
    first, second = page.locator(".attn-columns").last.locator(".attn-one").all()
    said = lambda side: side.locator("[aria-live=polite]").text_content()  # noqa: E731
    first.locator("[data-cell='4,2']").click()
    assert said(first).startswith("w4 (query 5) reads")
    assert said(second).startswith("u (query 6) reads")
    assert said(second).endswith("from w2 (key 3).")
    second.locator("[data-cell='3,1']").click()
    assert said(second).startswith("y (query 4) reads")
    assert said(second).endswith("from x (key 2).")
    assert said(first).startswith("w5 (query 6) reads")
    second.locator("[data-cell='2,0']").click()
    assert said(first).startswith("w2 (query 3) reads")
    assert said(first).endswith("from w0 (key 1).")
    second.locator("[data-cell='3,1']").click()
    for index in (3, 0):  # another query, then all of them
        page.get_by_label("Query").select_option(index=index)
    assert not said(second).startswith("y (query 4)")


def test_the_scores_to_sort_by_are_those_of_the_reading_that_is_shown(show):
    repeated = Recording.from_grids(grids(6), list("abacde"), name="tiny")
    page = opened(show, recording(), repeated)
    sort = page.get_by_label("Sort by")
    assert "same token" not in sort.inner_text()
    page.get_by_label("Reading").select_option(index=1)
    sort.select_option("same token")
    assert sort.input_value() == "same token"


def test_the_sentence_of_a_key_that_is_blocked_stays_while_a_key_is_held_down(show, rested):
    page = opened(show, with_sums()[0], form="numbers", query=4, key=2)
    page.get_by_label("Key").focus()
    for _ in range(3):
        page.keyboard.down("ArrowDown")
    page.keyboard.up("ArrowDown")
    rested(page)
    assert page.locator(".attn-one .attn-pointed").first.text_content().startswith("This query may not")


def test_a_weight_that_was_rounded_to_0_is_bounded_by_its_rounding(show):
    row = np.array([0.0998] * 10 + [0.0019, 0.0001])
    flat = Recording.from_grids(np.tile(row, (1, 1, 12, 1)), words(12), name="tiny")
    page = opened(show, flat, form="numbers", query=0, key=10)
    (below,) = [one for one in page.locator(".attn-one tbody tr").all() if one.text_content().startswith("w10")]
    assert below.locator("td").last.text_content() == "below −3.9"


def test_what_silencing_changes_is_shown_where_it_was_recorded(show):
    effects = {"what": "chance", "labels": ["moon", "sun"], "before": [0.5, 0.25], "after": np.full((2, 4, 2), 0.125)}
    page = opened(show, recording(effects=effects))
    page.get_by_label("Silence this head").check()
    rows = page.locator(".attn-effects tbody tr").all()
    assert [row.locator("th, td").all_text_contents() for row in rows] == [
        ["moon", "0.500", "0.125"],
        ["sun", "0.250", "0.125"],
    ]
    assert page.locator(".attn-effects thead th").all_text_contents() == ["chance", "with it", "without it"]
    assert heading(page).endswith(", silenced")
    assert opened(show).get_by_label("Silence this head").is_hidden()


def test_a_kernel_answers_for_each_of_two_sides(show):
    """What Python sent stands beside its own text, and a text without a model says so."""
    given, weights = with_sums()
    bare, other = (dataclasses.replace(given, vectors={}, tokens=[f"{name}{i}" for i in range(6)]) for name in "ab")
    view = ModelView(bare, other, bare, title="q", beside=1, form="numbers", silenced=True)
    view.live = [True, True, False]
    view.vectors_now = [{"shown": 1, **pack_vectors({(0, 0): given.vectors[0, 0]}, 6, 6)}]
    told = {"what": "chance", "labels": ["moon"], "before": [0.5], "after": [0.25]}
    view.effects_now = [{"shown": 1, "heads": [[0, 0]], **told}]
    page = show(view)
    page.locator(".attn-products i").first.wait_for()
    first, second = page.locator(".attn-columns").nth(1).locator(".attn-one").all()
    assert first.get_by_text("Queries and keys come from Python here, where it runs.").is_visible()
    assert second.locator(".attn-weight-sums dd").last.text_content() == f"{weights[0, 0, 5].max():.3f}"
    parts = page.locator(".attn-effects > div")
    assert parts.count() == 2
    assert "Python computes what changes" in parts.first.text_content()
    assert parts.last.locator("tbody td").all_text_contents() == ["0.500", "0.250"]
    page.get_by_label("Beside").select_option(index=3)
    assert second.get_by_text("Of this text the weights were recorded, without queries and keys.").is_visible()
    assert parts.count() == 1


def test_heads_are_kept_and_let_go(show):
    page = opened(show)
    page.get_by_role("button", name="Keep this head").click()
    cell(page, "2.2").click()
    page.get_by_role("button", name="Keep this head").click()
    cell(page, "1.3").click()
    chips = page.locator(".attn-kept-heads span button")
    assert chips.all_text_contents() == ["1.1 ×", "2.2 ×"]
    assert page.locator(".attn-kept").evaluate_all("all => all.map((one) => one.ariaLabel.slice(0, 3))") == [
        "1.1",
        "2.2",
    ]
    page.get_by_role("button", name="let 1.1 go").click()
    assert chips.all_text_contents() == ["2.2 ×"]
    cell(page, "2.2").click()
    assert page.get_by_role("button", name="Keep this head").get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="Keep this head").click()
    cell(page, "1.3").click()
    assert chips.count() == 0


COLOURS = """(canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const pixels = Array.from({ length: data.length / 4 }, (_, p) => data.slice(4 * p, 4 * p + 4));
    const opaque = pixels.filter(([, , , a]) => a === 255);
    const groups = Object.groupBy(opaque, (colour) => colour.join());
    return Object.values(groups).filter((one) => one.length > opaque.length / 20).length;
}"""


def test_arcs_of_kept_heads_lie_over_each_other_each_in_its_colour(show):
    """The first token's head, the previous token's and the own's: three colours where there was one."""
    page = opened(show, form="arcs", head=0)
    canvas = page.locator("canvas.attn-arc-lines")
    alone = canvas.evaluate(COLOURS)
    page = opened(show, form="arcs", head=0, kept=[(0, 1), (0, 3)])
    together = page.locator("canvas.attn-arc-lines").evaluate(COLOURS)
    assert (alone, together) == (1, 3)
    page.get_by_role("group", name="queries").get_by_role("button", name="w3").hover()
    assert line(page).startswith("w3 reads most from w2 1.00")  # the large head's


def test_a_chosen_token_makes_the_others_step_back_in_a_grid(show):
    page = opened(show, head=2)
    table = page.locator(".attn-one .attn-table")
    assert table.locator(".attn-aside").count() == 0
    assert page.get_by_label("Query").locator("option").first.text_content() == "all"
    page.get_by_label("Query").select_option(index=4)
    kept = table.locator("[role=gridcell]:not(.attn-aside)").evaluate_all("all => all.map((one) => one.dataset.cell)")
    assert kept == [f"3,{j}" for j in range(6)]
    page.locator("[data-cell='2,1']").click()
    kept = table.locator("[role=gridcell]:not(.attn-aside)").evaluate_all("all => all.map((one) => one.dataset.cell)")
    assert set(kept) == {f"2,{j}" for j in range(6)} | {f"{i},1" for i in range(6)}
    page.locator("[data-cell='2,1']").click()
    assert table.locator(".attn-aside").count() == 0
    assert page.get_by_label("Key").locator("option:checked").text_content() == "all"


ALPHAS = """(canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return Array.from({ length: canvas.height }, (_, i) =>
        Array.from({ length: canvas.width }, (_, j) => data[4 * (i * canvas.width + j) + 3]));
}"""


def test_a_chosen_token_makes_the_others_step_back_in_a_picture(show):
    n = 20
    page = opened(show, recording(n), query=12)
    alphas = np.array(page.locator(".attn-large-cells canvas").evaluate(ALPHAS))
    lower = np.tri(n, dtype=bool)
    assert (alphas[~lower] == 0).all()
    assert (alphas[12, :13] == 255).all()
    others = lower.copy()
    others[12] = False
    assert (alphas[others] == 64).all()
    page.get_by_label("Query").select_option(index=0)
    page.get_by_label("Query").evaluate("(one) => one.blur()")
    assert (np.array(page.locator(".attn-large-cells canvas").evaluate(ALPHAS))[lower] == 255).all()


def test_effects_that_were_recorded_are_of_one_head(show):
    effects = {"what": "chance", "labels": ["moon"], "before": [0.5], "after": np.full((2, 4, 1), 0.125)}
    page = opened(show, recording(effects=effects), silenced=True, kept=[(1, 1)])
    assert page.get_by_label("Silence these heads").is_checked()
    assert page.get_by_text("What each head alone changes was recorded: let the kept ones go.").is_visible()
    assert page.locator(".attn-silent").count() == 2
    page.get_by_role("button", name="let 2.2 go").click()
    assert page.locator(".attn-effects tbody td").all_text_contents() == ["0.500", "0.125"]
    assert page.locator(".attn-silent").count() == 1


def sparse(n, causal=True):
    """Two heads of many tokens: one reads the token before, the other the first."""
    weights = np.zeros((1, 2, n, n), np.float32)
    i = np.arange(1, n)
    weights[0, 0, i, i - 1] = weights[0, 1, :, 0] = weights[0, 0, 0, 0] = 1
    return Recording.from_grids(weights, words(n), causal=causal)


@pytest.mark.parametrize("n", [512, pytest.param(5000, marks=pytest.mark.slow)])
def test_a_text_of_many_tokens_is_drawn_in_every_form(show, n):
    page = opened(show, sparse(n))
    canvas = page.locator(".attn-large-cells canvas[aria-label]")
    canvas.wait_for()
    assert canvas.evaluate("(one) => [one.width, one.height]") == [n, n]
    assert line(page) == f"w{n - 1} (query {n}) reads 1.00 from w{n - 2} (key {n - 1})."
    box = canvas.bounding_box()
    canvas.hover(position={"x": box["width"] * 100.5 / n, "y": box["height"] * (n // 2 + 0.5) / n})
    page.get_by_text(f"w{n // 2} (query {n // 2 + 1}) reads 0.00 from w100 (key 101).").wait_for()
    cell(page, "1.2").click()
    page.get_by_text("reads 1.00 from w0 (key 1)").wait_for()
    forms = page.locator(".attn-controls")  # the names of all buttons, those of 10,000 words, take a minute
    forms.get_by_role("button", name="arcs").click()
    tokens = page.get_by_role("group", name="queries").locator("button")
    assert tokens.count() == n
    shown = " The 3,000 strongest of 5,000 arcs." if n == 5000 else ""
    page.get_by_text(f"w{n - 1} (query {n}) reads 1.00 from w0 (key 1).{shown}", exact=True).wait_for()
    page.mouse.move(0, 0)  # else a word comes under it when the page scrolls
    tokens.nth(n // 2).focus()
    page.get_by_text(f"w{n // 2} reads most from w0 1.00.").wait_for()
    forms.get_by_role("button", name="numbers").click()
    assert page.locator(".attn-one tbody th").first.text_content() == "w0 (1)"
    assert page.problems == []


def test_hostile_tokens_are_shown_as_text(show):
    tokens = ["<script>", "שלום", "\ud83d", "\U0001f680", "<b>x</b>", ""]
    page = opened(show, Recording.from_grids(grids(6), tokens), form="arcs")
    shown = page.get_by_role("group", name="queries").locator("button").all_text_contents()
    assert shown == [*tokens[:2], "\ufffd", *tokens[3:]]


def test_on_a_phone_the_hint_speaks_of_presses_and_targets_are_large(show):
    phone = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
    page = opened(show, recording(), options=phone, form="arcs")
    assert page.locator(".attn-pointed").first.text_content().startswith("Press a head")
    assert page.get_by_text("Press a word to keep it.").is_visible()
    for target in (page.get_by_label("Least weight drawn"), page.get_by_role("button", name="next head")):
        assert min(target.bounding_box()[side] for side in ("width", "height")) >= 24
    many = Recording.from_grids(grids(6, heads=12), words(6))
    tiny = opened(show, many, options=phone)
    mark = tiny.locator(".attn-head-mark").first
    assert mark.evaluate("node => getComputedStyle(node).backgroundColor") == "rgba(0, 0, 0, 0)"


@pytest.mark.parametrize("form", ["grid", "arcs", "numbers"])
def test_nothing_is_wider_than_a_phone(show, form):
    page = opened(
        show, recording(40), recording(), options={"viewport": {"width": 340, "height": 740}}, form=form, beside=1
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
