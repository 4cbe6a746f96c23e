"""What holds for every widget: the gallery shows it, it leaves nothing behind, and those of a page are small."""

import json
from pathlib import Path

import pytest

from attnlib import widgets
from tools.site import scroll_through

GALLERY = Path("chapters/appendices/gallery.md")
NAMES = [name for name in widgets.__all__ if name != "InputError"]

MOUNT_AND_REMOVE = """async ([source, state, times]) => {
  const { default: widget } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const listeners = new Map();
  const model = {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; },
    save_changes: () => [...listeners.values()].flat().forEach((listener) => listener()),
    on: (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
    off: (name, listener) => listeners.set(name, listeners.get(name).filter((other) => other !== listener)),
  };
  for (let time = 0; time < times; time++) {
    const el = document.body.appendChild(document.createElement("div"));
    const remove = widget.render({ model, el });
    model.save_changes();
    remove?.();
    el.remove();
  }
  return [...listeners.values()].flat().length;
}"""


def test_the_gallery_shows_every_widget_once_and_how_it_is_made(gallery):
    assert sorted(gallery) == sorted(NAMES)
    text = GALLERY.read_text(encoding="utf8")
    for name in NAMES:
        assert text.count(f"## `{name}`") == 1


def test_every_widget_of_the_gallery_comes_alive_in_the_page(site, open_page):
    page = open_page(f"{site}/chapters/appendices/gallery.html")
    scroll_through(page)
    assert page.locator("[data-widget]").count() == len(NAMES)
    assert page.locator("[data-widget-mounted] > div").count() == len(NAMES)
    assert page.locator(".attn-problem:not(:empty)").count() == 0
    assert page.problems == page.third_party == []


@pytest.mark.parametrize("name", NAMES)
def test_a_widget_mounted_and_removed_200_times_leaves_nothing(name, show, gallery, module_of):
    widget = gallery[name]
    page = show()
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable")

    def counted(times):
        left = page.evaluate(
            MOUNT_AND_REMOVE, [module_of(widget._module), json.loads(json.dumps(widget.state())), times]
        )
        assert left == 0
        tools.send("HeapProfiler.collectGarbage")
        found = {metric["name"]: metric["value"] for metric in tools.send("Performance.getMetrics")["metrics"]}
        return found["Nodes"], found["JSEventListeners"]

    nodes, listeners = counted(5)
    after = counted(200)
    assert after[0] <= nodes + 5
    assert after[1] <= listeners + 2
    assert page.problems == []
