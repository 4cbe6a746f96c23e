"""The audit's bars, and the strict server that it and the browser tests use."""

import dataclasses
import gzip
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tools import site
from tools.audit import audit
from tools.audit.audit import CATEGORIES, KILOBYTES, Result

PERFECT = dict.fromkeys(CATEGORIES, 100.0)
PHONE = PERFECT | {"performance": 98.0, "paint": 1.6, "shift": 0.049}
GOOD = Result("index.html", [PHONE], PERFECT | {"performance": 60.0}, kilobytes=KILOBYTES)


def test_a_page_on_every_bar_meets_them():
    assert GOOD.missed() == []
    assert GOOD.row().endswith("met")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runs": [PHONE | {"performance": 97.0}]}, "performance on a phone is 97, the bar is 98"),
        ({"runs": [PHONE | {"accessibility": 99.0}]}, "accessibility on a phone is 99, the bar is 100"),
        ({"runs": [PHONE | {"paint": 1.7}]}, "the largest paint on a phone comes after 1.70 s, the bar is 1.6"),
        ({"runs": [PHONE | {"shift": 0.05}]}, "the layout on a phone shifts by 0.050, the bar is less than 0.05"),
        ({"desktop": PERFECT | {"seo": 92.0}}, "seo on a desktop is 92, the bar is 100"),
        ({"desktop": PERFECT | {"best-practices": 96.0}}, "best-practices on a desktop is 96, the bar is 100"),
        ({"kilobytes": KILOBYTES + 1}, f"{KILOBYTES + 1} KB are transferred, the bar is {KILOBYTES}"),
        ({"elsewhere": ["https://example.org/x.js"]}, "asks another site: https://example.org/x.js"),
        ({"errors": ["oops"]}, "console: oops"),
        ({"axe": [("label", "<input>", "why")]}, "axe: label at <input>"),
    ],
)
def test_each_bar_is_missed_by_its_own_fault_and_named(change, message):
    worse = dataclasses.replace(GOOD, **change)
    assert worse.missed() == [message]
    assert worse.row().endswith("MISSED")


@pytest.mark.parametrize(
    ("performances", "counts"),
    [
        ([98, 99, 100], 99),
        ([98, 90, 98, 99], 98),
        ([90, 98, 99, 80, 98], 98),
        ([97, 100, 97, 100, 90], 97),
        ([1, 2, 3], 2),
    ],
)
def test_three_runs_on_a_phone_that_agree_decide(performances, counts, monkeypatch):
    taken = [PHONE | {"performance": float(p), "seo": 100.0 - i} for i, p in enumerate(performances)]
    monkeypatch.setattr(audit, "lighthouse", lambda *asked: taken.pop(0))
    of_worst = {"performance": counts, "seo": 101.0 - len(performances)}
    assert Result("x", audit.on_phone("url", "browser")).mobile == PHONE | of_worst
    assert not taken


def test_runs_go_on_until_they_agree_on_the_paint_too(monkeypatch):
    taken = [PHONE | {"paint": seconds} for seconds in (1.5, 1.7, 1.5, 1.8, 1.9)]
    monkeypatch.setattr(audit, "lighthouse", lambda *asked: taken.pop(0))
    assert Result("x", audit.on_phone("url", "browser")).mobile["paint"] == 1.7
    assert not taken


def test_a_page_that_misses_a_bar_of_the_clock_is_measured_once_more(monkeypatch):
    seconds = {"busy.html": 1.3, "slow.html": 1.7}
    asked = []

    def lighthouse(url, device, browser):
        asked.append(url)
        return PHONE | {"paint": seconds[url.rpartition("/")[2]]}

    monkeypatch.setattr(audit, "lighthouse", lighthouse)
    missed = [PHONE | {"paint": 1.66}] * 3
    good, busy, slow = [Result(page, list(runs), PERFECT) for page, runs in
                        (("good.html", [PHONE]), ("busy.html", missed), ("slow.html", missed))]  # fmt: skip
    audit.once_more([good, busy, slow], "http://x", "browser")
    assert asked == ["http://x/busy.html"] * 5 + ["http://x/slow.html"] * 5
    assert busy.missed() == []
    assert slow.missed() == ["the largest paint on a phone comes after 1.70 s, the bar is 1.6"]


def test_the_median_page_of_the_whole_site_has_a_bar_of_its_own():
    pages = [
        dataclasses.replace(GOOD, kilobytes=size) for size in (audit.MEDIAN - 1, audit.MEDIAN + 1, audit.MEDIAN + 2)
    ]
    assert audit.faults_of(pages, whole=False) == audit.faults_of(pages[:2], whole=True) == []
    assert audit.faults_of(pages, whole=True) == ["201 KB are transferred in the median of all pages, the bar is 200"]


def test_the_strict_server_packs_restricts_and_stays_below_its_path(tmp_path):
    (tmp_path / "index.html").write_text("<p>ð</p>" * 100, encoding="utf8")
    with site.served(tmp_path) as address:
        with urlopen(Request(f"{address}/index.html", headers={"Accept-Encoding": "gzip"})) as answer:
            assert answer.headers["Content-Security-Policy"] == site.POLICY
            assert answer.headers["Content-Encoding"] == "gzip"
            assert gzip.decompress(answer.read()).decode() == "<p>ð</p>" * 100
        with urlopen(f"{address}/index.html") as answer:
            assert "Content-Encoding" not in answer.headers
        (tmp_path / "index.html").write_text("<p>ñ</p>" * 100, encoding="utf8")  # what was packed is out of date
        with urlopen(Request(f"{address}/index.html", headers={"Accept-Encoding": "gzip"})) as answer:
            assert gzip.decompress(answer.read()).decode() == "<p>ñ</p>" * 100
        for path in (address.removesuffix(site.BELOW) + "/index.html", f"{address}/gone.html"):
            with pytest.raises(HTTPError, match="404") as error:
                urlopen(path)
            error.value.close()


def test_every_page_of_a_site_is_audited(tmp_path):
    for name in ("index.html", "chapters/a.html", "_static/part.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert site.pages(tmp_path) == ["chapters/a.html", "index.html"]


def test_a_site_in_a_folder_called_lite_has_its_pages(tmp_path):
    for name in ("lite/html/index.html", "lite/html/lite/index.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert site.pages(tmp_path / "lite/html") == ["index.html"]


def test_a_browser_that_leaves_is_not_news_and_any_other_error_is(capsys):
    server = object.__new__(site.Server)
    for error in (BrokenPipeError("gone"), ConnectionResetError("gone"), OSError("a disk that is full")):
        try:
            raise error
        except OSError:
            server.handle_error(None, ("127.0.0.1", 1))
    said = capsys.readouterr().err
    assert "a disk that is full" in said
    assert "gone" not in said
