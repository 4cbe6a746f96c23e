"""Markup and typed numbers: Python and the page read them alike."""

import functools
import html
import json
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

from anywidget_static import esbuild
from attnlib.markup import marked, unmarked
from attnlib.questions import NumberQuestion, OrderQuestion, Question
from attnlib.questions.numbers import SENTENCES, near, read_number, rounded
from attnlib.widgets.answers import QuestionWidget

FOLDER = Path("attnlib/widgets").absolute()
SCRIPT = """
import * as answers from "FOLDER/answers.mjs";
let text = "";
for await (const chunk of process.stdin) text += chunk;
globalThis.document = { createElement: (tag) => ({ tag, setAttribute() {}, append(inner) { this.inner = inner; } }) };
const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
const escaped = (text) => text.replace(/[&<>"']/g, (sign) => SIGNS[sign]);
const html = (node) => typeof node === "string" ? escaped(node) : `<${node.tag}>${escaped(node.inner)}</${node.tag}>`;
const { sentences, calls } = JSON.parse(text);
const call = { read_number: (text) => answers.read_number(text, sentences), fill: answers.fill, near: answers.near, rounded: answers.rounded, marked: (text) => answers.marked(text).map(html).join("") };
process.stdout.write(JSON.stringify(calls.map(([name, ...values]) => call[name](...values))));
"""


@functools.cache
def bundled(script):
    """A script with all that it imports; styles are left out."""
    with tempfile.TemporaryDirectory() as folder:
        esbuild.run({"script": script}, Path(folder), "--format=esm", "--loader:.css=empty")
        return Path(folder, "script.js").read_text(encoding="utf8")


def in_the_page(name, cases):
    """What answers.mjs gives for each case."""
    result = subprocess.run(
        ["node", "--input-type=module", "-e", bundled(SCRIPT.replace("FOLDER", FOLDER.as_posix()))],
        input=json.dumps({"sentences": SENTENCES, "calls": [[name, *case] for case in cases]}),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(result.stdout)


READ = {
    "0.5": 0.5, ".5": 0.5, "5.": 5.0, "1/2": 0.5, "-1 / 2": -0.5, "1/-2": -0.5, "1e-3": 0.001, "2E2": 200.0, "+3": 3.0,
    "−0.5": -0.5,
    "–2": -2.0, "  7 ": 7.0, "0,5": 0.5, "-,25": -0.25, "12,34": 12.34, "0,500": 0.5, "007": 7.0, "1e-400": 0.0,
    "1/3": 1 / 3,
    "1/2/4": 0.125, "1 - 1/4": 0.75, "-2^2": -4.0, "2^-1": 0.5, "2**3**2": 512.0, "3 × 4·2": 24.0, "2*-3": -6.0,
    "1,234,567": 1234567.0, "-12,345.5": -12345.5, "ln 2": np.log(2), "ln(1/2)": np.log(0.5), "Log(10)": np.log(10),
    "e": np.e, "250^2": 62500.0,
    "1/(1+e)": 1 / (1 + np.e), "sqrt 2": 2**0.5, "√2": 2**0.5, "sqrt(3^2 + 4^2)": 5.0, "exp(-1)": np.exp(-1),
}  # fmt: skip
UNREAD = {
    "": "Type a number first", "  ": "Type a number first", "two": "not a number", "1 2": "not a number",
    "0x10": "not a number",
    "1e": "not a number", ".": "not a number", "-": "not a number", "1/2/": "not a number", "(1": "not a number",
    "1)": "not a number", "()": "not a number", "ln": "not a number",
    "constructor": "not a number", "sqrt(0-1)": "not a number", "foo^0": "not a number", "2(": "not a number",
    "2 ln 2": "not a number", "NaN": "not a number", "Infinity": "not a number",
    "1;alert(1)": "not a number", "<b>1</b>": "not a number", "٣": "not a number", "5%": "not a number",
    "1_000": "not a number", "1,2,3": "not a number", "1,000": "two ways", "-12,345": "two ways", "1/0": "infinite",
    "0/0": "not a number",
    "ln 0": "infinite", "9^999": "too large", "1e999": "too large", "-1e999": "too large", "1/1e-320": "too large",
    "1" * 41: "too long", "1^(0/0)": "not a number", "1^1e999": "not a number",
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_a_number_is_read_in_every_usual_form(text):
    value, note = read_number(text)
    assert value == pytest.approx(READ[text], rel=1e-15)
    assert ("decimal point" in note) == (text.count(",") == 1 and "." not in text)
    assert note.startswith("Read as") == (
        "decimal point" in note or re.search("[√^lsx]|[*]{2}", text.lower()) is not None
    )


@pytest.mark.parametrize("text", UNREAD)
def test_anything_else_gets_a_sentence(text):
    value, note = read_number(text)
    assert value is None
    assert UNREAD[text] in note
    assert note.endswith(".")


def test_the_page_reads_numbers_as_python_does():
    rng = np.random.default_rng(0)
    drawn = ["".join(rng.choice(list("0123456789.,/eE+-−– x"), size=rng.integers(1, 8))) for _ in range(3000)]
    parts = [
        "0",
        "1",
        "2",
        "3",
        "0.5",
        ".25",
        "1e-3",
        "e",
        "+",
        "-",
        "*",
        "/",
        "^",
        "**",
        "×",
        "(",
        ")",
        "ln",
        "log",
        "sqrt",
        "exp",
        "√",
        "foo",
    ]
    drawn += [" ".join(rng.choice(parts, size=rng.integers(1, 8))) for _ in range(6000)]
    texts = [*READ, *UNREAD, *drawn]
    expected = [read_number(text) for text in texts]
    values = [float("nan") if value is None else value for value, _ in expected]
    found = in_the_page("read_number", [[text] for text in texts])
    assert [note for _, note in found] == [note for _, note in expected]
    np.testing.assert_allclose([float("nan") if value is None else value for value, _ in found], values, rtol=1e-14)
    assert sum(value is not None for value, _ in expected[:3000]) > 300
    assert sum("Read as" in note for _, note in expected[3000:]) > 100


ROUNDED = {
    "0.7": True, "0.73": True, ".7": True, "0,7": True, "0.8": False, "1": False, "0": False, "0.731": True,
    "0.732": False,
    "7/10": False, "7e-1": False, "": False, "-0.7": False,
}  # fmt: skip


def test_a_number_rounded_too_far_is_told_from_a_wrong_one():
    cases = [(text, read_number(text)[0] or 0.0, 0.7311) for text in ROUNDED]
    cases += [
        ("−4.4", -4.4, -4.394),
        ("4", 4.0, 4.394),
        ("28", 28.0, 27.6),
        ("0.1", 0.1, 0.0866),
        ("0.09", 0.09, 0.0866),
    ]
    expected = [*ROUNDED.values(), True, True, True, False, True]
    assert [rounded(*case) for case in cases] == expected
    assert in_the_page("rounded", cases) == expected


MARKED = {
    "`W_Q` and *this*": "<code>W_Q</code> and <em>this</em>",
    "2*3*4": "2*3*4",
    "2 * 3 * 4": "2 * 3 * 4",
    "*a b*!": "<em>a b</em>!",
    "`*x*`": "<code>*x*</code>",
    "*a": "*a",
    "``": "``",
    "W_Q and √d_k, `d_v`": "W<sub>Q</sub> and √d<sub>k</sub>, <code>d_v</code>",
    "is_causal, _x, 2_3, xy_z": "is_causal, _x, 2_3, xy_z",
    "<b>`<i>`</b>": "&lt;b&gt;<code>&lt;i&gt;</code>&lt;/b&gt;",
    "": "",
}


@pytest.mark.parametrize("text", MARKED)
def test_only_code_emphasis_and_an_index_are_elements(text):
    assert marked(text) == MARKED[text]
    assert unmarked(text) == html.unescape(re.sub("</?(code|em|sub)>", "", MARKED[text].replace("<sub>", "_")))


def test_the_page_marks_texts_as_python_does():
    rng = np.random.default_rng(0)
    drawn = ["".join(rng.choice(list("ab_ `*<é&'\""), size=rng.integers(0, 14))) for _ in range(3000)]
    texts = [*MARKED, *drawn]
    assert in_the_page("marked", [[text] for text in texts]) == [marked(text) for text in texts]


def test_a_number_at_the_edge_of_its_tolerance_is_near():
    cases = [(0.725, 0.73, 0.005), (0.735, 0.73, 0.005), (0.7249, 0.73, 0.005), (-1.0, -1.0, 0.0), (1.0, -1.0, 0.5)]
    assert [near(*case) for case in cases] == [True, True, False, True, False]
    assert in_the_page("near", cases) == [near(*case) for case in cases]


def test_the_page_fills_a_sentence_in_as_python_does():
    early, values = OrderQuestion.sentences["early"], {"step": 2, "text": "a {b}", "reply": "It $& needs {step}."}
    assert in_the_page("fill", [[early, values]]) == [early.format(**values)]


@pytest.mark.parametrize("module", ["answers", "choice", "number_question"])
def test_no_sentence_of_a_reply_stands_in_a_script(module):
    script = (FOLDER / f"{module}.mjs").read_text(encoding="utf8")
    for sentence in (OrderQuestion.sentences | NumberQuestion.sentences).values():
        for part in re.split(r"\{\w+\}", sentence):
            assert len(part) < 4 or part not in script, part


def test_what_says_no_reply_is_no_question():
    with pytest.raises(NotImplementedError):
        Question("Who judges this?").reply(1)
    with pytest.raises(NotImplementedError):
        QuestionWidget(prompt="Who judges this?")
