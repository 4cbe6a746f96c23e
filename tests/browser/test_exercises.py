"""A student at the exercises of chapter 1: answers wrong, reads why, tries again, and finds the answer there later."""

import pytest

from tools.site import scroll_through

CHAPTER = "chapters/01_dot_product.html"
KEY = "attention-book:chapters/01_dot_product#choice-which-shape"
SHARED = "#choice-which-shape?answer=2"
COLUMNS = "That is the shape of XᵀX, which compares axes."


class Question:
    """One exercise of the open page."""

    def __init__(self, page, id):
        self.page, self.box = page, page.locator(f"#ex-{id}")
        self.box.scroll_into_view_if_needed()
        self.box.locator("[data-widget-mounted]").first.wait_for(state="attached")
        self.box.locator(":is(.attn-options button, input)").first.wait_for()

    @property
    def reply(self):
        return self.box.locator(".attn-reply").text_content()

    def choose(self, text):
        self.box.get_by_role("button", name=text).click()

    def type(self, text):
        self.box.get_by_label("Your answer").fill(text)
        self.page.keyboard.press("Enter")


def test_a_wrong_answer_is_told_why_and_the_right_one_is_there_after_a_reload(site, open_page):
    page = open_page(f"{site}/{CHAPTER}")
    shape = Question(page, "which-shape")
    assert shape.box.locator(".exercise-meta").text_content() == "Concept · easy · 2 minutes"
    shape.choose("3 × 3")
    assert shape.reply.startswith(f"Not yet. {COLUMNS}")
    page.reload()
    shape = Question(page, "which-shape")
    assert shape.reply.startswith(f"Not yet. {COLUMNS}")
    shape.choose("7 × 7")
    assert shape.reply.startswith("Yes.")
    thief = Question(page, "thief")
    thief.type("1/2")
    assert "1/2 is the cosine" in thief.reply
    thief.type("2")
    assert thief.reply.startswith("Yes.")
    page.reload()
    assert Question(page, "which-shape").reply.startswith("Yes. One weight for each pair")
    thief = Question(page, "thief")
    assert thief.reply.startswith("Yes.")
    assert thief.box.get_by_label("Your answer").input_value() == "2"
    assert page.problems == []


def test_start_again_forgets_the_answer(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    shape = Question(page, "which-shape")
    shape.choose("7 × 7")
    assert page.evaluate("key => localStorage.getItem(key)", KEY) is not None
    shape.choose("Start again")
    assert page.evaluate("key => localStorage.getItem(key)", KEY) is None
    page.reload()
    assert Question(page, "which-shape").reply == ""


def test_a_shared_answer_comes_before_the_kept_one(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    Question(page, "which-shape").choose("7 × 7")
    Question(page, "average-limits").choose("It has 1.5 there")
    page.goto(f"{served}/index.html")
    page.goto(f"{served}/{CHAPTER}{SHARED}")
    assert "the output softmax(XXᵀ)X" in Question(page, "which-shape").reply
    assert Question(page, "average-limits").reply.startswith("Not yet.")  # the address does not speak of it
    assert page.problems == []


def test_a_shared_answer_leaves_the_kept_one_as_it_is_until_the_reader_answers(served, open_page, until):
    page = open_page(f"{served}/{CHAPTER}")
    Question(page, "which-shape").choose("7 × 7")
    page.goto(f"{served}/index.html")
    page.goto(f"{served}/{CHAPTER}{SHARED}")
    shape = Question(page, "which-shape")
    assert "the output softmax(XXᵀ)X" in shape.reply
    assert page.locator("#choice-which-shape > [data-link]").get_attribute("href") == SHARED
    page.goto(f"{served}/index.html")
    page.goto(f"{served}/{CHAPTER}")
    assert Question(page, "which-shape").reply.startswith("Yes.")
    page.evaluate("(link) => { location.hash = link; }", SHARED)  # the widget lives by now
    until(page, "document.querySelector('#choice-which-shape .attn-reply').textContent.includes('the output softmax')")
    page.goto(f"{served}/index.html")
    page.goto(f"{served}/{CHAPTER}")
    assert Question(page, "which-shape").reply.startswith("Yes.")
    page.goto(f"{served}/index.html")
    page.goto(f"{served}/{CHAPTER}{SHARED}")
    Question(page, "which-shape").choose("3 × 3")
    page.goto(f"{served}/index.html")
    page.goto(f"{served}/{CHAPTER}")
    assert Question(page, "which-shape").reply.startswith(f"Not yet. {COLUMNS}")
    assert page.problems == []


@pytest.mark.parametrize("kept", ["not JSON", "null", "3", '["another question","answer=1"]', '["", 7]'])
def test_what_is_kept_of_another_question_is_left_alone(kept, served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.evaluate("([key, kept]) => localStorage.setItem(key, kept)", [KEY, kept])
    page.reload()
    shape = Question(page, "which-shape")
    assert shape.reply == ""
    shape.choose("7 × 7")
    assert shape.reply.startswith("Yes.")
    assert page.problems == []


def test_storage_that_is_switched_off_costs_only_the_memory(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('off', 'SecurityError'); } })"
    )
    page.reload()
    shape = Question(page, "which-shape")
    shape.choose("3 × 3")
    assert shape.reply.startswith("Not yet.")
    shape.choose("Start again")
    assert shape.reply == ""
    assert page.problems == []


def test_only_questions_are_kept(served, open_page, until):
    page = open_page(f"{served}/{CHAPTER}")
    scroll_through(page)
    page.locator("#token-plane-attention-in-the-plane").get_by_label("times applied").fill("3")
    until(page, "document.querySelector('#token-plane-attention-in-the-plane > .headerlink').hash.includes('?')")
    assert not page.evaluate("Object.keys(localStorage).some((key) => key.includes('token-plane'))")


def test_hints_open_one_by_one_without_a_script(served, open_page):
    page = open_page(f"{served}/{CHAPTER}", java_script_enabled=False)
    hints = page.locator("#ex-longer-query ~ details.hint")
    assert not page.get_by_text("the first is 1.5 times the second").is_visible()
    hints.nth(0).locator("summary").click()
    assert page.get_by_text("the first is 1.5 times the second").is_visible()
    assert not page.get_by_text("so the lead is too").is_visible()
