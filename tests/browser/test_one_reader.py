"""One reader of pages: what nobody sees is left out of every text of a page, and what stands apart is read apart."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import Site
from tests.browser.hidden_cases import BETWEEN, HIDDEN, INNOCENT, Case
from tests.browser.shown import shown_text
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


async def texts(site: Site, browser: Browser, web: Web, url: str) -> dict[str, str]:
    """The text of a page as each door gives it: to read, to act upon, and to cite."""
    async with browser.page(web) as session:
        await session.open(url)
        read = await shown_text(session)
    return {"web_fetch": await whole(web, browser, url), "Document": read}


async def test_what_nobody_sees_is_in_no_text(site: Site, browser: Browser, live_web: Web) -> None:
    url, names = together(site, HIDDEN)
    read = await texts(site, browser, live_web, url)
    leaks = {door: [name for words, name in names.items() if words in text] for door, text in read.items()}
    assert leaks == {"web_fetch": [], "Document": []}
    assert all("food became dearer" in text for text in read.values())
    fetched = read["web_fetch"]
    assert not any(each in fetched for each in UNSEEN)
    assert not any(0xE0000 <= ord(each) <= 0xE01EF for each in fetched)
    assert "test_action_steps can open closed details" in fetched.partition("--- content")[0]


async def test_what_readers_see_is_in_every_text(site: Site, browser: Browser, live_web: Web) -> None:
    url, names = together(site, INNOCENT)
    read = await texts(site, browser, live_web, url)
    lost = {door: [name for words, name in names.items() if words not in text] for door, text in read.items()}
    assert lost == {"web_fetch": [], "Document": []}


async def test_what_stands_apart_is_read_apart(site: Site, browser: Browser, live_web: Web) -> None:
    """All in one page, each behind a name: what is written, and what is read."""
    body = "".join(f"<div>case{number}z {markup}</div>" for number, (markup, _) in enumerate(BETWEEN))
    read = await texts(
        site, browser, live_web, site.html("/page", f"{PARAGRAPH}{body}<p>case{len(BETWEEN)}z")
    )
    for door, text in read.items():
        plain = re.sub(r"[*`\\]|^- ", "", text, flags=re.MULTILINE)
        found = dict(re.findall(r"case(\d+)z(.*?)(?=case\d+z)", plain, re.DOTALL))
        told = [" ".join(found[str(number)].split()) for number in range(len(BETWEEN))]
        assert told == [expected for _, expected in BETWEEN], door
        assert "quagga" not in text, door


async def test_struck_words_are_marked_in_a_cell(site: Site, browser: Browser, live_web: Web) -> None:
    table = "<table><tr><th>City<th>Price<tr><td>Linz<td>$<del>12</del><ins>15</ins></table>"
    url = site.html("/page", f"{PARAGRAPH}{table}")
    assert "| Linz | $~~12~~15 |" in (await fetch(live_web, browser, url)).text
