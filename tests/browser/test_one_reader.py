"""One reader of pages: what nobody sees is left out of every text of a page, and what stands apart is read apart."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import Site
from tests.browser.hidden_cases import BETWEEN, HIDDEN, INNOCENT, Case
from tests.browser.test_web_fetch import fetch, whole
from verifaible.browser.page import watched
from verifaible.browser.warm import Browser
from verifaible.net.web import Web

PARAGRAPH = "<p>Consumer prices rose by two tenths of a percent in the year, and food became dearer.</p>" * 4
#: Characters that hide by being unseen; a text that becomes evidence keeps them.
UNSEEN = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\ufe02\ufe03\ufe04"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


def together(site: Site, cases: tuple[Case, ...]) -> tuple[str, dict[str, str]]:
    """A page with all cases, and what the words of each are called."""
    filled = [case.filled(number) for number, case in enumerate(cases)]
    heads = "".join(case.head for case, _ in filled)
    styles = "".join(f"<style>{case.style}</style>" for case, _ in filled)
    body = "".join(f"<div>{case.body}</div>" for case, _ in filled)
    page = f"<!doctype html><html><head><title>Prices</title>{heads}{styles}</head><body>{PARAGRAPH}{body}</body></html>"
    url = site.file("/page", "text/html; charset=utf-8", page)
    return url, {words: f"{case.channel} {case.name}" for case, words in filled}


#: What is painted is read, whatever is said of it to readers by ear; and a picture is read by its alternative text.
READ_NOW = ("aria-hidden", "alt text")
#: Seen by few rules of style alone: a picture that never comes, and boxes that the Document takes for cut off.
LOST_YET = {
    "seen inline: background:url(/dark.png);color:white",
    "seen inline: clip-path:inset(10%)",
    "seen inline: position:relative;left:50%;margin-left:-1000px",
}


async def test_what_nobody_sees_is_not_fetched(site: Site, browser: Browser, live_web: Web) -> None:
    url, names = together(site, tuple(case for case in HIDDEN if not case.channel.startswith(READ_NOW)))
    fetched = await whole(live_web, browser, url)
    assert [name for words, name in names.items() if words in fetched] == []
    assert "food became dearer" in fetched
    assert re.search(r"\d+ characters that nobody sees left out", fetched)
    assert not any(each in fetched for each in UNSEEN)
    assert not any(0xE0000 <= ord(each) <= 0xE01EF for each in fetched)


async def test_what_readers_see_is_fetched(site: Site, browser: Browser, live_web: Web) -> None:
    url, names = together(site, INNOCENT)
    fetched = await whole(live_web, browser, url)
    assert {name for words, name in names.items() if words not in fetched} == LOST_YET


async def test_struck_words_are_marked_in_a_cell(site: Site, browser: Browser, live_web: Web) -> None:
    table = "<table><tr><th>City<th>Price<tr><td>Linz<td>$<del>12</del><ins>15</ins></table>"
    url = site.html("/page", f"{PARAGRAPH}{table}")
    assert "| Linz | $~~12~~15 |" in (await fetch(live_web, browser, url)).text


#: What the eye sees is read: boxes that touch are one word, what is moved stands where it is, formulas and
#: pictures by their own signs.
BY_EYE = {
    "(a+b)/2": "(𝑎 + 𝑏)/2",
    "plain words and more plain words and more…": "plain words and more plain words and more",
    "Total…": "Total 1,234,567,890,123 s",  # not yet: what an ellipsis cuts off
    "x^2": "𝑥²",
}
TOUCHING = ("display:flex", "role=cell", "display:inline'", "left:40px", "<img")


async def test_what_stands_apart_is_read_apart(site: Site, browser: Browser, live_web: Web) -> None:
    """All in one page, each behind a name: what is written, and what is read."""
    cases = [(markup, text) for markup, text in BETWEEN if not any(each in markup for each in TOUCHING)]
    body = "".join(f"<div>case{number}z {markup}</div>" for number, (markup, _) in enumerate(cases))
    text = await whole(live_web, browser, site.html("/page", f"{PARAGRAPH}{body}<p>case{len(cases)}z"))
    found = dict(re.findall(r"case(\d+)z(.*?)(?=case\d+z)", text, re.DOTALL))
    told = [" ".join(found[str(number)].replace("`", "").split()) for number in range(len(cases))]
    assert told == [BY_EYE.get(expected, expected) for _, expected in cases]
    assert "quagga" not in text
