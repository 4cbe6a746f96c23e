"""What follows a question in a page: it waits for a guess, and stands open for who asks, prints, links or has no script."""

import re

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from tools.site import SITE

CHAPTER = "chapters/01_dot_product.html"
OTHER = "chapters/02_learnable_u.html"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def pages():
    for file in sorted((SITE / "chapters").glob("[01]*.html")):
        yield BeautifulSoup(file.read_text(encoding="utf8"), "html.parser").main


def waiting(page):
    """How many of the boxes of a page show only their line."""
    return page.locator(".withheld-door:visible").count()


def box(page, number=0):
    return page.locator(".withheld").nth(number)


def test_every_box_stands_behind_its_question_and_before_the_next_one_widget_or_part():
    found = 0
    for page in pages():
        for waits in page.select(".withheld"):
            found += 1
            question = waits.find_previous_sibling(True)
            assert question.select_one("[data-widget]")["id"] == waits["data-question"]
            assert question.select_one("[data-widget=choice], [data-widget=number_question]")
            assert not waits.select("section, h2, h3, [data-widget]")
            assert not waits.find_parent("section", id="exercises")
            assert waits.find("div").get_text(strip=True)
            if (after := waits.find_next_sibling(True)) and after.name == "p":
                assert after.find_next_sibling(True).select_one("[data-widget]")  # it leads there
    assert found > 60


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_guess_opens_what_follows_and_nothing_else_and_a_later_visit_finds_it_open(options, served, open_page):
    page = open_page(f"{served}/{CHAPTER}", **options)
    everything = waiting(page)
    text = box(page).locator("p").nth(1)
    expect(text).to_be_hidden()
    question = page.locator(f"#{box(page).get_attribute('data-question')}")
    question.scroll_into_view_if_needed()  # it is mounted near the screen
    question.locator(".attn-options button").last.click()  # right or wrong
    expect(text).to_be_visible()
    assert waiting(page) == everything - 1 > 1
    page.reload()
    assert waiting(page) == everything - 1
    expect(box(page).locator("p").nth(1)).to_be_visible()
    page.goto(f"{served}/{OTHER}")
    assert waiting(page) == page.locator(".withheld").count() > 2
    assert page.problems == []


def without_its_script(page, act=lambda route: None):
    """Open the chapter; its scripts are asked for, and what is done with that of the page is said."""
    page.context.route("**/site.js*", act)
    with page.expect_request("**/site.js*"):
        page.goto(page.url, wait_until="commit")


def test_what_was_guessed_is_open_before_the_pages_script_has_come(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.get_by_role("button", name="Show it").first.press("Enter")
    expect(box(page).locator("p").nth(1)).to_be_visible()
    without_its_script(page)
    expect(box(page).locator("p").nth(1)).to_be_visible()
    expect(box(page, 1).locator("p").nth(1)).to_be_hidden()


def test_a_button_that_is_pressed_before_the_pages_script_has_come_opens_its_text(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    late = []
    without_its_script(page, lambda route: late.append(route))
    page.get_by_role("button", name="Show it").first.press("Enter")
    expect(box(page).locator("p").nth(1)).to_be_hidden()
    for route in late:
        route.continue_()
    expect(box(page).locator("p").nth(1)).to_be_visible()
    expect(box(page, 1).locator("p").nth(1)).to_be_hidden()


def test_where_the_pages_script_cannot_come_nothing_waits(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    without_its_script(page, lambda route: route.abort())
    expect(box(page).locator("p").nth(1)).to_be_visible()
    assert waiting(page) == 0


def test_show_it_opens_one_by_the_keyboard_and_the_focus_stays_there(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    everything = waiting(page)
    page.get_by_role("button", name="Show it").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".withheld-door:visible")).to_have_count(everything - 1)
    assert box(page).evaluate("box => box.contains(document.activeElement)")
    page.keyboard.press("Tab")
    assert box(page).evaluate("box => box.compareDocumentPosition(document.activeElement) & 20") in (4, 20)  # on


def test_always_show_opens_every_page_until_the_contents_take_it_back(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.get_by_role("button", name="Always show").first.press("Enter")
    expect(page.locator(".withheld-door:visible")).to_have_count(0)
    page.goto(f"{served}/{OTHER}")
    assert waiting(page) == 0
    page.get_by_role("button", name="Let answers wait for a guess").click()
    assert waiting(page) == page.locator(".withheld").count() > 2
    page.get_by_role("button", name="Show all answers").click()
    assert waiting(page) == 0


def test_a_page_without_its_script_or_on_paper_shows_all(served, open_page):
    page = open_page(f"{served}/{CHAPTER}", java_script_enabled=False)
    for text in page.locator(".withheld > div > p").all():
        assert text.is_visible()
    assert waiting(page) == 0
    page = open_page(f"{served}/{CHAPTER}")
    assert waiting(page) > 2
    page.emulate_media(media="print")
    assert waiting(page) == 0
    for text in page.locator(".withheld > div > p").all():
        assert text.is_visible()


@pytest.mark.parametrize("way", ["address", "link"])
def test_a_link_to_a_place_that_waits_opens_it(way, served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    box(page, 1).evaluate("box => box.lastElementChild.firstElementChild.setAttribute('id', 'in-it')")
    everything = waiting(page)
    box(page, 1).evaluate("box => box.lastElementChild.setAttribute('hidden', '')")  # as browsers without until-found
    if way == "link":
        page.evaluate("document.querySelector('main p').innerHTML = '<a href=\"#in-it\">there</a>'")
        page.get_by_role("link", name="there").click()
    else:
        page.evaluate("location.hash = 'in-it'")
    expect(page.locator("#in-it")).to_be_in_viewport()
    assert waiting(page) == everything - 1


def test_a_page_that_is_opened_at_a_place_that_waits_shows_it_there(served, open_page):
    page = open_page(f"{served}/chapters/03_query_key_value.html")
    place = page.locator(".withheld > div > p[id]").first
    name, everything = place.get_attribute("id"), waiting(page)
    page = open_page(f"{served}/chapters/03_query_key_value.html#{name}")
    expect(page.locator(f"[id='{name}']")).to_be_in_viewport()
    assert waiting(page) == everything - 1
    page.goto(f"{served}/chapters/03_query_key_value.html")
    assert waiting(page) == everything - 1  # and it stays open


def test_the_browsers_own_search_opens_it_and_it_stays_open(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    everything = waiting(page)
    assert box(page).locator("> [hidden]").get_attribute("hidden") == "until-found"
    box(page).evaluate(
        "box => box.lastElementChild.dispatchEvent(new Event('beforematch', { bubbles: true }))"  # as it does
    )
    assert waiting(page) == everything - 1
    page.reload()
    assert waiting(page) == everything - 1


def test_what_was_stored_by_something_else_hides_nothing_for_good(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    everything = waiting(page)
    page.evaluate("localStorage.setItem('attention-book:guessed:chapters/01_dot_product', '{\"a\": 1}')")
    page.reload()
    assert waiting(page) == everything
    page.get_by_role("button", name="Show it").first.press("Enter")
    expect(page.locator(".withheld-door:visible")).to_have_count(everything - 1)
    assert page.problems == []


def test_a_link_with_an_answer_counts_as_a_guess(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    question = box(page).get_attribute("data-question")
    everything = waiting(page)
    page = open_page(f"{served}/{CHAPTER}#{question}?answer=1")
    expect(page.locator(f"#{question} .attn-reply")).to_have_text(re.compile("Yes|Not yet"))
    assert waiting(page) == everything - 1
