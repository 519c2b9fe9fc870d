"""What the readers stand on: facts of the engine's answer to ``DOMSnapshot.captureSnapshot``.

If one of these fails after an update of the browser, ``extract/layout`` is what has to be looked at.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Site
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.warm import Browser
from verifaible.errors import PageError, PageNotLoaded
from verifaible.extract.page import page_document
from verifaible.extract.snapshot import Snapshot, SnapshotError
from verifaible.net.web import Web

HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><body style="margin:0;font:16px/20px monospace">'


def texts(snapshot: Snapshot, number: int = 0) -> list[str]:
    """The text of each box in the engine's order."""
    return [snapshot.strings[text] for text in snapshot.documents[number]["layout"]["text"] if text >= 0]


def lines(snapshot: Snapshot, of: str) -> list[tuple[int, int]]:
    """Start and length of each line box of a text."""
    document = snapshot.documents[0]
    index = next(
        at for at, text in enumerate(document["layout"]["text"]) if text >= 0 and snapshot.strings[text] == of
    )
    boxes = document["textBoxes"]
    return [
        (start, length)
        for layout, start, length in zip(boxes["layoutIndex"], boxes["start"], boxes["length"], strict=True)
        if layout == index
    ]


def rare(snapshot: Snapshot, key: str) -> list[str]:
    values = snapshot.documents[0]["nodes"][key]["value"]
    return [snapshot.strings[value] if value >= 0 else "" for value in values]


Fact = Callable[[Snapshot], Any]
FACTS: dict[str, tuple[str, Fact, Any]] = {
    "counters": (
        "<style>h2{counter-increment:a}h2::before{content:'Art ' counter(a)}</style><h2>x</h2><h2>y</h2>",
        texts,
        ["Art ", "1", "x", "Art ", "2", "y"],
    ),
    "quotation marks": (
        "<p><q>a <q>b</q></q></p>",
        lambda s: sorted(set(texts(s))),
        ["a ", "b", "‘", "’", "“", "”"],
    ),
    "::after before children": (
        "<style>p::after{content:'end'}</style><p>words</p>",
        texts,
        ["end", "words"],
    ),
    "list markers": ("<ol start=4><li>x</ol><ul><li>y</ul>", texts, ["4. ", "x", "• ", "y"]),
    "closed shadow roots and slots": (
        "<div id=h>slotted</div><script>h.attachShadow({mode:'closed'}).innerHTML='<p>closed <slot></slot></p>'</script>",
        texts,
        ["closed ", "slotted"],
    ),
    "aria-hidden": ("<p><b aria-hidden=true>not</b></p>", texts, ["not"]),
    "nothing that has no box": (
        "<p hidden>a</p><p style='display:none'>b</p><details><summary>c</summary>d</details><template>e</template>",
        texts,
        ["▸ ", "c"],
    ),
    "styles are not applied": (
        "<p style='visibility:hidden'>a</p><p style='opacity:0'>b</p><p style='color:transparent'>c</p>",
        texts,
        ["a", "b", "c"],
    ),
    "text-transform": ("<p style='text-transform:uppercase'>Straße</p>", texts, ["STRASSE"]),
    "blanks as in the mark-up": (
        "<p>a   b\n c</p>",
        lambda s: (texts(s), lines(s, "a   b\n c")),
        (["a   b\n c"], [(0, 2), (4, 2), (7, 1)]),
    ),
    "br is a text of its own": ("<p>a<br>b</p>", texts, ["a", "\n", "b"]),
    "soft hyphens stay": (
        "<p style='width:6ch'>soft&shy;ware</p>",
        lambda s: (texts(s), lines(s, "soft\xadware")),
        (["soft\xadware"], [(0, 5), (5, 4)]),
    ),
    "lines count UTF-16 units": (
        "<p style='width:3ch'>𝑥𝑥 b</p>",
        lambda s: lines(s, "𝑥𝑥 b"),
        [(0, 4), (5, 1)],
    ),
    "breaks of preformatted text": ("<pre>a\nb</pre>", lambda s: lines(s, "a\nb"), [(0, 1), (1, 1), (2, 1)]),
    "text that is cut off is told whole": (
        "<p style='width:3ch;overflow:hidden;white-space:nowrap;text-overflow:ellipsis'>abcdefgh</p>",
        lambda s: (texts(s), lines(s, "abcdefgh")),
        (["abcdefgh"], [(0, 8)]),
    ),
    "live values": (
        "<input id=i value=140><script>i.value='20'</script><textarea>log</textarea>",
        lambda s: (rare(s, "inputValue"), rare(s, "textValue")),
        (["20"], ["log"]),
    ),
    "options and placeholders have no box": (
        "<select><option>A<option selected>B</select><input placeholder=type>",
        lambda s: (texts(s), len(s.documents[0]["nodes"]["optionSelected"]["index"])),
        ([], 1),
    ),
    "checked boxes": (
        "<input type=checkbox checked><input type=radio>",
        lambda s: len(s.documents[0]["nodes"]["inputChecked"]["index"]),
        1,
    ),
    "drawings": ("<svg><text x=1 y=20>a <tspan>b</tspan></text></svg>", texts, ["a ", "b"]),
    "ruby": ("<ruby>漢<rt>kan</rt></ruby>", texts, ["漢", "kan"]),
    "a document has no style": ("<p>x</p>", lambda s: s.documents[0]["layout"]["styles"][0], []),
}


async def taken(site: Site, browser: Browser, web: Web, html: str) -> Snapshot:
    url = site.file("/facts", "text/html; charset=utf-8", HEAD + html)
    async with browser.page(web) as session:
        await session.page.goto(url, wait_until="load")
        return await take_snapshot(session.page)


@pytest.mark.parametrize("name", FACTS)
async def test_facts(name: str, site: Site, browser: Browser, live_web: Web) -> None:
    html, fact, expected = FACTS[name]
    assert fact(await taken(site, browser, live_web, html)) == expected


async def test_frames_of_any_site(site: Site, browser: Browser, live_web: Web) -> None:
    site.html("/inner", "<p>other site</p>")
    other = site.url.replace("127.0.0.1", "localhost")
    snapshot = await taken(
        site,
        browser,
        live_web,
        f"<p>outer</p><iframe src='{other}/inner'></iframe><iframe srcdoc='<p>same</p>'></iframe>"
        "<iframe style='display:none' srcdoc='<p>unseen</p>'></iframe>",
    )
    assert [texts(snapshot, number) for number in range(len(snapshot.documents))][:3] == [
        ["outer"],
        ["other site"],
        ["same"],
    ]
    assert not any(texts(snapshot, number) for number in range(3, len(snapshot.documents)))


async def test_passwords_are_left_out(site: Site, browser: Browser, live_web: Web) -> None:
    url = site.file(
        "/facts",
        "text/html",
        HEAD + "<input type=PASSWORD value=stated7431><input id=p type=password><input value=shown>",
    )
    async with browser.page(live_web) as session:
        await session.page.goto(url)
        await session.page.fill("#p", "typed7431")
        data = (await take_snapshot(session.page)).to_json()
    assert b"7431" not in data
    assert b"shown" in data


async def test_places_do_not_move_with_scrolling(site: Site, browser: Browser, live_web: Web) -> None:
    url = site.file("/facts", "text/html", HEAD + "<div style='height:3000px'></div><p id=p>far</p>")
    async with browser.page(live_web) as session:
        await session.page.goto(url)
        before = await take_snapshot(session.page)
        await session.page.evaluate("scrollTo(0, 900)")
        after = await take_snapshot(session.page)
    assert before.documents[0]["textBoxes"]["bounds"] == after.documents[0]["textBoxes"]["bounds"]


async def test_a_page_that_hangs_or_is_gone(site: Site, browser: Browser, live_web: Web) -> None:
    url = site.file("/facts", "text/html", "<p>x</p>")
    async with browser.page(live_web) as session:
        await session.page.goto(url)
        await session.page.evaluate("() => { setTimeout(() => { for (;;); }, 0); }")
        with pytest.raises(PageNotLoaded, match="without end"):
            await take_snapshot(session.page, seconds=1.0)
    async with browser.page(live_web) as session:
        await session.page.close()
        with pytest.raises(PageError, match="Open it again"):
            await take_snapshot(session.page)


async def test_sealed_and_read_back(site: Site, browser: Browser, live_web: Web) -> None:
    snapshot = await taken(site, browser, live_web, "<p>Words \ud800 and 𝑥</p>".replace("\ud800", ""))
    data = snapshot.to_json()
    assert page_document(Snapshot.from_json(data)) == page_document(snapshot)
    assert Snapshot.from_json(data).to_json() == data
    for wrong in (b"", b"[]", b"\xff", json.dumps({"format": "other"}).encode()):
        with pytest.raises(SnapshotError):
            Snapshot.from_json(wrong)
