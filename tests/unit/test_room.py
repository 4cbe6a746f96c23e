"""What a part of a page needs on a phone is estimated from what stands in it."""

from math import ceil
from types import SimpleNamespace

from docutils import nodes
from sphinx import addnodes

from _ext import room
from _ext.disclosures import Disclosure
from _ext.withheld import Withheld


def text(characters):
    return nodes.paragraph("", "x" * characters)


def test_more_text_needs_more_room_and_what_waits_or_is_folded_hardly_any():
    assert room.height(text(400)) > 5 * room.height(text(40))
    assert room.height(Withheld("", *[text(400)] * 20)) == room.CLOSED
    assert room.height(Disclosure("", text(4000))) == room.CLOSED
    assert room.height(nodes.raw("", '<div data-widget="choice">')) == room.WIDGET
    assert room.height(nodes.raw("", "<!-- nothing -->")) == 0
    assert room.height(nodes.container("", nodes.image(), classes=["cell", "tag_sheet"])) == room.SHEET
    pages = [nodes.list_item("", addnodes.compact_paragraph("", "a page")) for _ in range(16)]
    contents = addnodes.compact_paragraph("", "", nodes.bullet_list("", *pages), toctree=True)
    assert room.height(contents) > 16 * room.LINE
    code = nodes.literal_block("", "a = 1\n" * 9 + "b = 2")
    assert room.height(code) == 10 * room.CODE_LINE + 2 * room.GAP


def test_sections_of_the_second_and_third_level_say_their_room():
    inner = nodes.section("", nodes.title("", "Inner"), text(100), ids=["inner"])
    outer = nodes.section("", nodes.title("", "Outer"), text(100), inner, ids=["outer"])
    top = nodes.section("", nodes.title("", "Top"), outer, ids=["top"])
    document = nodes.document(None, None)
    document += top
    context = {"body": '<section id="top"><section id="outer"><section id="inner"></section></section></section>'}
    room.write(SimpleNamespace(), "page", "page.html", context, document)
    for name, part in (("outer", outer), ("inner", inner)):
        assert f'<section style="--room:{ceil(room.MORE * room.height(part))}rem" id="{name}">' in context["body"]
    assert context["body"].startswith('<section id="top">')
