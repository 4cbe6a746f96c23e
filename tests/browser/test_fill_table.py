"""FillTable in a page: choosing, checking, having the rest shown, and a phone on which each row is a block."""

import pytest

from attnlib.widgets import FillTable

ROWS, COLUMNS = ["tiles", "window"], ["bytes", "products", "same function?"]
OPTIONS = [["as n²", "as n"], ["as before", "fewer"], ["yes", "no", "up to the rounding of numbers"]]
RIGHT, WHY = [[1, 0, 2], [1, 1, 1]], ["No grid is whole.", "Each query reads *few* keys."]


def opened(show, *, given=(), **options):
    page = show(FillTable(ROWS, COLUMNS, OPTIONS, RIGHT, WHY, given=given, title="Remedies"), **options)
    page.locator(".attn-fill").wait_for()
    return page


def choose(page, row, *indices):
    for column, index in zip(COLUMNS, indices, strict=True):
        if index is not None:
            page.get_by_label(f"{row}, {column}").select_option(index=index + 1)


def check(page):
    page.get_by_role("button", name="Check").click()
    return page.locator("[aria-live]").text_content()


def marks(page):
    return [text for text in page.locator(".attn-verdict").all_text_contents() if text]


def test_a_check_says_what_is_right_and_not_what_would_be(show):
    page = opened(show)
    button = page.get_by_role("button", name="Check")
    assert button.get_attribute("aria-disabled") == "true"
    button.press("Enter")
    assert page.locator("[aria-live]").text_content() == ""
    choose(page, "tiles", 1, 1, None)
    assert button.get_attribute("aria-disabled") == "false"
    assert marks(page) == []
    assert check(page) == "1 of 6 right, 4 open."
    assert marks(page) == ["✓ right", "✗ not right"]
    assert page.get_by_label("tiles, products: not right").count() == 1
    assert page.get_by_role("button", name="Show the rest").count() == 0
    choose(page, "tiles", None, 0, None)
    assert marks(page) == ["✓ right"]  # what was changed is not judged before the next check
    assert page.problems == []


def test_a_second_check_is_said_though_as_much_is_right(show, count_said):
    page = opened(show)
    choose(page, "tiles", 1, 1, None)
    check(page)
    count_said(page)
    choose(page, "tiles", None, None, 0)
    choose(page, "tiles", None, 1, 1)
    check(page)
    assert page.evaluate("said") > 0


def test_a_row_that_is_right_is_explained_and_all_right_leaves_nothing_to_show(show):
    page = opened(show)
    choose(page, "tiles", *RIGHT[0])
    assert page.get_by_text(WHY[0]).count() == 0
    check(page)
    assert page.get_by_role("row", name="why").all_inner_texts() == [f"why\t{WHY[0]}"]
    choose(page, "window", *RIGHT[1])
    assert check(page) == "6 of 6 right."
    assert page.locator(".attn-why em").text_content() == "few"
    assert page.get_by_role("button", name="Show the rest").count() == 0


def test_with_all_cells_checked_the_rest_can_be_shown_and_begun_again(show):
    page = opened(show)
    choose(page, "tiles", *RIGHT[0])
    choose(page, "window", 0, 0, 0)
    assert check(page) == "3 of 6 right."
    page.get_by_role("button", name="Show the rest").press("Enter")
    assert page.locator("[aria-live]").text_content() == "3 of 6 right. The rest is shown."
    assert page.locator("select:visible").count() == 0
    assert page.locator(".attn-fill td > [dir]").all_text_contents() == [
        OPTIONS[j][k] for line in RIGHT for j, k in enumerate(line)
    ]
    assert marks(page) == ["✓ right"] * 3 + ["✗ yours: as n²", "✗ yours: as before", "✗ yours: yes"]
    assert page.locator(".attn-why:visible").count() == 2
    shown = page.locator(".attn-fill").text_content()
    other = opened(show, address=page.locator(".headerlink").get_attribute("href"))
    assert other.locator(".attn-fill").text_content() == shown
    page.get_by_role("button", name="Start again").click()
    assert page.locator("select:visible").count() == 6
    assert marks(page) == []


def test_what_was_right_and_not_yet_checked_is_no_mistake_when_the_rest_is_shown(show):
    page = opened(show)
    choose(page, "tiles", *RIGHT[0])
    choose(page, "window", 0, 0, 0)
    check(page)
    choose(page, "window", 1, None, None)
    page.get_by_role("button", name="Show the rest").press("Enter")
    assert marks(page) == ["✓ right"] * 4 + ["✗ yours: as before", "✗ yours: yes"]
    page.get_by_role("button", name="Check").press("Enter")
    assert page.locator("[aria-live]").text_content() == "4 of 6 right. The rest is shown."


def test_cells_that_are_given_stand_as_text_and_do_not_count(show):
    page = opened(show, given=[(0, 0), (0, 1), (0, 2), (1, 0)])
    assert page.locator("select:visible").count() == 2
    assert page.locator(".attn-why:visible").count() == 1
    choose(page, "window", None, 1, 0)
    assert check(page) == "1 of 2 right."


@pytest.mark.parametrize(("width", "folded"), [(1280, False), (390, True), (340, True)])
def test_where_the_table_has_no_room_each_row_is_a_block_that_is_still_a_table(width, folded, show):
    page = opened(show, viewport={"width": width, "height": 800})
    first, last = (page.get_by_label(f"tiles, {column}").bounding_box() for column in (COLUMNS[0], COLUMNS[-1]))
    assert (last["y"] > first["y"]) == folded
    assert page.locator(".attn-of:visible").count() == (6 if folded else 0)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.get_by_role("columnheader").count() == 3
    assert page.get_by_role("rowheader", name="tiles").count() == 1
    cut = "all => all.filter((menu) => menu.scrollWidth > menu.clientWidth).length"
    assert page.locator("select").evaluate_all(cut) == 0


def test_the_keyboard_fills_and_checks(show):
    page = opened(show, viewport={"width": 390, "height": 800})
    page.get_by_label("tiles, bytes").focus()
    for key in ("ArrowDown", "ArrowDown", "Tab", "ArrowDown", *["Tab"] * 5, "Enter"):
        page.keyboard.press(key)
    assert page.locator("[aria-live]").text_content() == "2 of 6 right, 4 open."
    assert page.problems == []
