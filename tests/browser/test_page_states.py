"""Pages that are not ready at once: what waits to be scrolled to, what is still loading, what never comes."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest
from pydantic import ValidationError

from tests.browser.citing import Bench
from tests.browser.citing import drawn as pixels_of
from tests.browser.conftest import PATIENCE_S, Answer, Site
from tests.browser.grid_pages import grid
from verifaible.browser.page import readiness, watched
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import paint
from verifaible.browser.pictures.picture import take_picture
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import AnchorAmbiguous, AnchorNotFound, PageBlocked, ToolError
from verifaible.evidence import observe as observing
from verifaible.evidence.mark import draw
from verifaible.evidence.material import Material, page_files, page_from_files
from verifaible.evidence.observe import observe
from verifaible.evidence.place import place
from verifaible.evidence.replay import replay
from verifaible.extract.page import page_document
from verifaible.net.web import Web
from verifaible.schema.anchor import Anchor, AnchorRequest, Rect
from verifaible.tools.cite import CiteArguments

DOT = base64.b64decode("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==")
TALL = '<div style="height:9000px">Tall</div>'


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)
    monkeypatch.setattr(observing, "PATIENCE_MS", 100)


async def read(session: PageSession, url: str, **anchor: object) -> Material:
    observed = await observe(session, url, (), AnchorRequest.model_validate(anchor))
    return observed.material


# --- what loads when it comes into view


async def test_lazy_images_and_frames_are_loaded(site: Site, browser: Browser, live_web: Web) -> None:
    site.file("/dot.gif", "image/gif", DOT)
    site.html("/frame", "<p>Words of the frame</p>")
    body = (
        f'<p>Top</p>{TALL}<img loading="lazy" src="/dot.gif" alt="dot">{TALL}'
        '<iframe loading="lazy" src="/frame"></iframe>'
    )
    async with browser.page(live_web) as session:
        material = await read(session, site.html("/page", body))
        assert await session.page.evaluate("scrollY") == 0
    assert "Words of the frame" in material.document.text
    assert [image.complete for image in material.document.images] == [True]
    assert {"GET /dot.gif", "GET /frame"} <= set(site.seen)


@pytest.mark.nightly
async def test_what_an_observer_puts_in_is_loaded(site: Site, browser: Browser, live_web: Web) -> None:
    boxes = "".join(f'<section data-n="{n}" style="height:1500px"></section>' for n in range(8))
    body = f"""{boxes}<script>
    const seen = new IntersectionObserver((entries) => entries.forEach((entry) => {{
      if (!entry.isIntersecting) return;
      seen.unobserve(entry.target);
      fetch("/part?n=" + entry.target.dataset.n).then((r) => r.text()).then((t) => entry.target.textContent = t);
    }}));
    document.querySelectorAll("section").forEach((each) => seen.observe(each));</script>"""
    site.pages["/part"] = lambda path, _: (200, {"content-type": "text/plain"}, f"Part {path[-1]}.")
    async with browser.page(live_web) as session:
        material = await read(session, site.html("/page", body))
    assert material.document.text.split("\n") == [f"Part {n}." for n in range(8)]


@pytest.mark.nightly
async def test_what_a_throttled_scroll_listener_puts_in_is_loaded(
    site: Site, browser: Browser, live_web: Web
) -> None:
    site.file("/dot.gif", "image/gif", DOT)
    body = f"""<p>Top of the page</p>{TALL}<img data-src="/dot.gif" alt="dot" width="20" height="20"><script>
    let due = 0;
    addEventListener("scroll", () => {{ due = due || setTimeout(() => {{
      due = 0;
      for (const img of document.querySelectorAll("img[data-src]"))
        if (img.getBoundingClientRect().top < innerHeight) img.src = img.dataset.src;
    }}, 150); }});</script>"""
    async with browser.page(live_web) as session:
        material = await read(session, site.html("/page", body))
    assert [image.complete for image in material.document.images] == [True]


async def test_content_of_a_box_that_scrolls_in_place_of_the_page(
    site: Site, browser: Browser, live_web: Web
) -> None:
    site.file("/dot.gif", "image/gif", DOT)
    body = (
        '<style>body{margin:0}</style><div id="box" style="height:100vh;overflow-y:auto"><p>Top of it.</p>'
        f'{TALL}<img loading="lazy" src="/dot.gif" alt="dot"></div>'
    )
    async with browser.page(live_web) as session:
        material = await read(session, site.html("/page", body))
        assert await session.page.evaluate("box.scrollTop") == 0
    assert [image.complete for image in material.document.images] == [True]


@pytest.mark.nightly
async def test_a_page_without_end_is_read_after_a_few_rounds(
    site: Site, browser: Browser, live_web: Web
) -> None:
    body = """<p>Item 0 of many.</p><div id="list"></div><script>
    let n = 0, asking = false; // once at a time, or the page itself would depend on how quick the machine is
    const more = async () => {
      if (asking) return;
      asking = true;
      const text = await (await fetch("/more?" + ++n)).text();
      list.insertAdjacentHTML("beforeend", `<p style="height:1200px">${text}</p>`);
      asking = false;
    };
    more();
    addEventListener("scroll", () => { if (innerHeight + scrollY > document.body.scrollHeight - 300) more(); });
    </script>"""
    site.pages["/more"] = lambda path, _: (200, {"content-type": "text/plain"}, f"Item {path[6:]} of many.")
    url = site.html("/page", body)
    texts = []
    for _ in range(2):
        async with asyncio.timeout(PATIENCE_S), browser.page(live_web) as session:
            texts.append((await read(session, url)).document.text)
    assert "Item 2 of many." in texts[0]
    assert texts[0] == texts[1]


async def test_a_page_on_which_nothing_is_lazy_is_not_scrolled(
    site: Site, browser: Browser, live_web: Web
) -> None:
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", f"<p>Top</p>{TALL}<p>End</p>"))
        await session.page.evaluate(
            "() => { window.moves = 0; Element.prototype.scrollTo = () => { window.moves += 1; }; }"
        )
        passed = await session.evaluate("reveal", {"start": 0, "stops": readiness.MAX_STOPS})
        assert passed == {"scrolled": False, "bottom": 0, "changed": False}
        assert await session.page.evaluate("window.moves") == 0


async def test_watching_leaves_the_page_its_own_functions(
    site: Site, browser: Browser, live_web: Web
) -> None:
    body = """<p id="p">-</p><script>
    let calls = 0;
    const once = () => { calls += 1; };
    addEventListener("ping", once, { once: true });
    dispatchEvent(new Event("ping"));
    dispatchEvent(new Event("ping"));
    const keys = Object.keys(window).filter((key) => key.includes("verifaible"));
    p.textContent = JSON.stringify([calls, keys, IntersectionObserver.prototype.observe.length <= 1]);</script>"""
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        text = page_document(await take_snapshot(session.page)).text
    assert json.loads(text) == [1, [], True]


# --- what is still loading, and what never comes

NAV = "<nav><a href=#>Home</a><a href=#>Markets</a><a href=#>2024</a><a href=#>2025</a></nav>"
FOOT = "<footer>Call 030 5550101, Monday to Friday. We answer in two days at the latest.</footer>"

HALF_LOADED = [
    pytest.param(
        f'{NAV}<main><div class="spinner" style="width:40px;height:40px"></div></main>{FOOT}', id="spinner"
    ),
    pytest.param(
        f'{NAV}<main><h1>Yields</h1><div class="skeleton-line" style="height:20px;background:#eee"></div></main>{FOOT}',
        id="skeleton",
    ),
    pytest.param(f'{NAV}<main aria-busy="true"><h1>Yields</h1></main>{FOOT}', id="aria-busy"),
    pytest.param(f"{NAV}<main><h1>Yields</h1><p>Loading…</p></main>{FOOT}", id="loading"),
    pytest.param(f"{NAV}<main><h1>收益率</h1><p>数据加载中，请稍候</p></main>{FOOT}", id="loading-chinese"),
    pytest.param(
        f'{NAV}<main><div role="progressbar" style="width:200px;height:8px"></div></main>{FOOT}', id="bar"
    ),
    pytest.param(f"{NAV}<main><progress></progress></main>{FOOT}", id="progress"),
    pytest.param(f'{NAV}<div id="app"></div>{FOOT}<script src="/app.js"></script>', id="script-failed"),
    pytest.param(
        f"{NAV}<h1>Yields</h1><table><tr><th>Day</th><th>Rate</th></tr></table>{FOOT}"
        '<script>fetch("/rates.json").then((r) => r.json()).catch(() => 0)</script>',
        id="data-failed",
    ),
]


@pytest.mark.parametrize("body", HALF_LOADED)
async def test_half_loaded_pages_are_refused(site: Site, browser: Browser, live_web: Web, body: str) -> None:
    async with browser.page(live_web) as session:
        with pytest.raises(PageBlocked, match="a half-loaded page"):
            await read(session, site.html("/page", body))


TABLE = "<table><tr><th>Day</th><th>Rate</th></tr><tr><td>2 May</td><td>5.31</td></tr><tr><td>3 May</td><td>5.33</td></tr></table>"

INNOCENT = [
    pytest.param(
        f'{NAV}<main>{TABLE}<div class="spinner" style="width:9px;height:9px"></div></main>', id="spinner-too"
    ),
    pytest.param(
        f'{NAV}<main><p>The overnight rate was 5.31 per cent on 2 May.</p></main><aside><div class="loader" '
        'style="width:50px;height:50px"></div></aside>',
        id="in-the-margin",
    ),
    pytest.param(
        '<p>The rate is 5.31</p><div class="loading" style="display:none">Loading…</div>', id="hidden"
    ),
    pytest.param('<p>The rate is 5.31</p><script src="/lost.js"></script>', id="a-script-failed"),
    pytest.param(f'<div class="loading-bay">{TABLE}</div>', id="named-so"),
    pytest.param('<body class="loading"><p>The rate is 5.31</p></body>', id="class-left-on-the-body"),
    pytest.param(f"<main>{TABLE}<p>Loading chart…</p></main>", id="chart-to-come"),
    pytest.param('<p>Turnout</p><div role="progressbar" aria-valuenow="61">61</div>', id="bar-with-a-value"),
    pytest.param(
        f'<div id="app">{TABLE}</div><script>fetch("/lost").catch(() => 0)</script>', id="data-besides"
    ),
]


@pytest.mark.parametrize("body", INNOCENT)
async def test_pages_with_such_signs_beside_their_content_pass(
    site: Site, browser: Browser, live_web: Web, body: str
) -> None:
    async with browser.page(live_web) as session:
        await read(session, site.html("/page", body))


async def test_a_page_that_needs_a_moment_is_given_one(
    site: Site, browser: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observing, "PATIENCE_MS", 400)  # as ever: the moment is one of the clock
    body = f"""{NAV}<main id="m"><p>Loading…</p></main><script>
    setTimeout(() => {{ m.innerHTML = "<p>The overnight rate was 5.31 per cent on 2 May.</p>"; }}, 400);</script>"""
    async with browser.page(live_web) as session:
        material = await read(session, site.html("/page", body))
    assert "5.31 per cent" in material.document.text


async def test_long_polling_and_an_endless_video_are_not_half_loaded(
    site: Site, browser: Browser, live_web: Web, settings: Settings, hold: threading.Event
) -> None:
    def never(_path: str, _body: bytes) -> Answer:
        hold.wait(20)
        return 200, {}, ""

    site.pages["/poll"] = never
    site.pages["/film.mp4"] = never
    body = (
        '<p>The rate is 5.31</p><video src="/film.mp4" autoplay muted></video>'
        '<script>fetch("/poll").catch(() => 0)</script>'
    )
    async with browser.page(live_web) as session:
        session._settings = settings.model_copy(update={"settle_timeout_s": 2})
        material = await read(session, site.html("/page", body))
    assert "5.31" in material.document.text


@pytest.fixture
def hold() -> Iterator[threading.Event]:
    """Keeps a request unanswered until the test is over."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def broken_off() -> Iterator[str]:
    """A server that promises more of a page than it sends."""
    server = socket.create_server(("127.0.0.1", 0))
    body = b"<!doctype html><title>T</title><p>The overnight rate was 5.31 per cent.</p><table><tr><td>a</td>"
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 99999\r\nconnection: close\r\n\r\n"

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(head + body)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/"
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join()


async def test_a_document_that_breaks_off_is_refused(
    broken_off: str, browser: Browser, live_web: Web
) -> None:
    async with browser.page(live_web) as session:
        with pytest.raises(ToolError, match="half-loaded"):
            await read(session, broken_off)


@pytest.mark.nightly
@pytest.mark.parametrize("end", ['<td class="nu', "<script>var a = [1, 2,", "<style>p { col"])
async def test_a_source_that_ends_inside_a_tag_or_a_script_is_refused(
    site: Site, browser: Browser, live_web: Web, end: str
) -> None:
    site.file("/page", "text/html", f"<!doctype html><p>The overnight rate was 5.31 per cent.</p>{end}")
    async with browser.page(live_web) as session:
        with pytest.raises(PageBlocked, match="half-loaded"):
            await read(session, f"{site.url}/page")


async def test_a_source_that_leaves_out_optional_end_tags_is_whole(
    site: Site, browser: Browser, live_web: Web
) -> None:
    site.file(
        "/page", "text/html", "<!doctype html><script>1</script><p>5 < 6 and 7 > 6, it says<!-- end -->"
    )
    async with browser.page(live_web) as session:
        material = await read(session, f"{site.url}/page")
    assert "5 < 6" in material.document.text


# --- rows that are there only while they are scrolled to

TABLE_WITH_SPACERS = """<div id="box" style="height:300px;overflow-y:auto"><table><thead><tr><th>Name</th><th>Price</th>
</tr></thead><tbody id="rows"></tbody></table></div><script>
const H = 30, N = 500;
function draw() {
  const from = Math.min(Math.max(0, Math.floor(box.scrollTop / H) - 2), N - 14);
  const pad = (n) => n > 0 ? `<tr style="height:${n * H}px"><td colspan="2"></td></tr>` : "";
  rows.innerHTML = pad(from) + Array.from({ length: 14 }, (_, i) => `<tr style="height:${H}px"><td>Item ${from + i}</td>
    <td>${(from + i) * 2}.50</td></tr>`).join("") + pad(N - from - 14);
}
box.onscroll = () => setTimeout(draw, 10);
draw();</script>"""

GROWING_TABLE = """<div id="box" style="height:200px;overflow-y:auto"><table><tr><th>Name</th><th>Price</th></tr>
<tbody id="rows"></tbody></table></div><script>
let page = 0, busy = false;
async function more() {
  if (busy || page >= 6) return;
  busy = true;
  const found = await (await fetch("/rows?page=" + page++)).json();
  rows.insertAdjacentHTML("beforeend", found.map((n) => `<tr><td>Item ${n}</td><td>${n * 2}.50</td></tr>`).join(""));
  busy = false;
}
box.onscroll = () => { if (box.scrollTop + box.clientHeight > box.scrollHeight - 20) more(); };
more();</script>"""

PAGE_TABLE = (
    TABLE_WITH_SPACERS.replace('style="height:300px;overflow-y:auto"', "")
    .replace("box.onscroll", "window.onscroll")
    .replace("box.scrollTop", "scrollY")
    .replace("14", "44")
)


def rows(path: str, _body: bytes) -> Answer:
    first = int(path.rpartition("=")[2]) * 40
    return 200, {"content-type": "application/json"}, json.dumps(list(range(first, first + 40)))


@pytest.mark.parametrize(
    ("body", "row", "value"),
    [
        pytest.param(grid([f"Item {n}" for n in range(300)]), "Item 234", "361", id="grid"),
        pytest.param(
            grid([f"Item {n}" for n in range(900)]),
            "Item 3",
            "14.5",
            id="grid-in-view",
            marks=pytest.mark.nightly,
        ),
        # test_moving_pages cites this row
        pytest.param(TABLE_WITH_SPACERS, "Item 231", "462.50", id="table", marks=pytest.mark.nightly),
        pytest.param(TABLE_WITH_SPACERS, "Item 499", "998.50", id="last-row", marks=pytest.mark.nightly),
        pytest.param(GROWING_TABLE, "Item 201", "402.50", id="growing", marks=pytest.mark.nightly),
        pytest.param(PAGE_TABLE, "Item 340", "680.50", id="page", marks=pytest.mark.nightly),
    ],
)
async def test_a_row_that_must_be_scrolled_to_is_found_again_at_its_place(
    site: Site, browser: Browser, live_web: Web, body: str, row: str, value: str
) -> None:
    site.pages["/rows"] = rows
    url = site.html("/page", body)
    request = AnchorRequest(evidence_type="table", row=(row,), column=("Price",))
    found: list[Anchor] = []
    sealed = None
    for previous in (None, "again"):
        async with browser.page(live_web) as session:
            material = await read(session, url, **request.model_dump())
            placement = place(material, request, found[0] if previous else None, sealed)
            assert placement.verdict == "verified"
            known = found[0] if previous else None
            sealed, drawn = await draw(session, material, placement, lambda now: place(now, request, known))  # noqa: B023
            found.append(drawn.anchor)
            (rect,) = drawn.anchor.rects
            shown = await session.page.evaluate(
                "([x, y]) => document.elementFromPoint(x - scrollX, y - scrollY).textContent",
                [rect.x + rect.width / 2, rect.y + rect.height / 2],
            )
            assert shown == value
    assert found[0].text == value
    assert found[0] == found[1]


@pytest.mark.nightly
async def test_a_row_is_looked_for_first_where_it_stood(site: Site, browser: Browser, live_web: Web) -> None:
    names = [f"Item {n}" for n in range(900)]
    count = "<script>const tops = new Set(); box.addEventListener('scroll', () => tops.add(box.scrollTop))</script>"
    request = AnchorRequest(evidence_type="table", row=("Item 434",), column=("Price",))
    sealed = None
    stops = []
    # Then the same page, and one in which the row stands elsewhere.
    for shown in (names, names, [*names[:10], *names[300:], *names[10:300]]):
        url = site.html("/page", grid(shown) + count)
        async with browser.page(live_web) as session:
            material = (await observe(session, url, (), request, sealed)).material
            found = place(material, request).text
            assert float(found) == shown.index("Item 434") * 1.5 + 10
            stops.append(await session.page.evaluate("tops.size"))
        sealed = sealed or page_from_files(page_files(material))
    assert stops[1] <= 4 < min(stops[0], stops[2])


@pytest.mark.nightly
async def test_rows_that_the_page_has_asked_for_are_waited_for(
    site: Site, browser: Browser, live_web: Web
) -> None:
    def late(path: str, body: bytes) -> Answer:
        time.sleep(0.0 if path.endswith("=0") else 0.6)
        return rows(path, body)

    site.pages["/rows"] = late
    url = site.html("/page", GROWING_TABLE.replace("page >= 6", "page >= 2"))
    async with browser.page(live_web) as session:
        material = await read(session, url, evidence_type="table", row=["Item 77"], column=["Price"])
    assert "Item 77" in {cell.text for cell in material.document.tables[0].cells}


@pytest.mark.nightly
async def test_a_whole_header_further_down_goes_before_a_part_of_one(
    site: Site, browser: Browser, live_web: Web
) -> None:
    names = [
        "Acme Holdings",
        *(f"Firm {n}" for n in range(80)),
        "Acme",
        *(f"Firm {n}" for n in range(80, 99)),
    ]
    async with browser.page(live_web) as session:
        material = await read(
            session, site.html("/page", grid(names)), evidence_type="table", row=["Acme"], column=["Price"]
        )
    placement = place(material, AnchorRequest(evidence_type="table", row=("Acme",), column=("Price",)))
    assert placement.text == str(81 * 1.5 + 10)


@pytest.mark.nightly
async def test_two_rows_of_one_name_are_ambiguous(site: Site, browser: Browser, live_web: Web) -> None:
    names = ["Total", *(f"Firm {n}" for n in range(80)), "Total"]
    async with browser.page(live_web) as session:
        with pytest.raises(AnchorAmbiguous, match="Total"):
            await read(
                session,
                site.html("/page", grid([*names[1:40], *names])),
                evidence_type="table",
                row=["Total"],
            )


async def test_a_row_that_is_nowhere_is_refused_with_what_was_looked_through(
    site: Site, browser: Browser, live_web: Web
) -> None:
    url = site.html("/page", grid([f"Item {n}" for n in range(300)]))
    async with browser.page(live_web) as session:
        with pytest.raises(AnchorNotFound, match="300 rows were looked through") as refused:
            await read(session, url, evidence_type="table", row=["Item 7000"])
        assert "Item 70" in refused.value.nearest
        assert await session.page.evaluate("box.scrollTop") == 0


@pytest.mark.nightly
async def test_a_table_that_is_whole_is_not_scrolled_through(
    site: Site, browser: Browser, live_web: Web
) -> None:
    lines = "".join(f"<tr><td>Item {n}</td><td>{n}</td></tr>" for n in range(400))
    url = site.html("/page", f"<table><tr><th>Name</th><th>Price</th></tr>{lines}</table>")
    async with browser.page(live_web) as session:
        material = await read(session, url, evidence_type="table", row=["Item 700"])
        assert await session.page.evaluate("scrollY") == 0
    assert material.document.tables[0].height == 401


# --- images by position

CHART = base64.b64encode(DOT).decode()
PICTURES = (
    '<style>body{margin:0}</style><img id="one" alt="Chart one" width="300" height="200" '
    f'style="display:block" src="data:image/gif;base64,{CHART}"><img id="two" alt="Chart two" width="300" '
    f'height="200" style="display:block" src="data:image/gif;base64,{CHART}#2">'
)


def at(x: float, y: float, **more: str) -> AnchorRequest:
    return AnchorRequest.model_validate({"evidence_type": "image", "position": (x, y), **more})


async def image_found(session: PageSession, url: str, request: AnchorRequest) -> str:
    material = await read(session, url, **request.model_dump())
    placement = place(material, request)
    assert placement.anchor is not None or placement.verdict == "gone"
    return placement.anchor.css_path if placement.anchor else placement.nearest


async def test_an_image_is_named_by_a_point_on_it(site: Site, browser: Browser, live_web: Web) -> None:
    url = site.html(
        "/page", f"{PICTURES}<div style='height:5000px'></div>{PICTURES.replace('id=', 'class=')}"
    )
    async with browser.page(live_web) as session:
        assert await image_found(session, url, at(10, 10)) == "#one"
        assert await image_found(session, url, at(299, 399)) == "#two"
        assert await image_found(session, url, at(10, 5410)) == "html > body > img:nth-of-type(3)"
        assert await session.page.evaluate("scrollY") == 0
        nothing = await image_found(session, url, at(900, 100))
        assert "Chart one (#one, 300x200 at 0,0)" in nothing
        assert await image_found(session, url, at(10, 10, selector="#two")) == nothing
        assert await image_found(session, url, at(10, 10, alt="two")) == nothing


@pytest.mark.nightly
async def test_the_image_on_top_is_meant_and_what_lies_over_it_is_passed_through(
    site: Site, browser: Browser, live_web: Web
) -> None:
    body = (
        f'{PICTURES}<img id="top" alt="On top" width="80" height="80" style="position:absolute;left:0;top:0" '
        f'src="data:image/gif;base64,{CHART}"><a href="#" style="position:absolute;left:0;top:210px;width:300px;'
        'height:100px"></a>'
    )
    async with browser.page(live_web) as session:
        url = site.html("/page", body)
        assert await image_found(session, url, at(40, 40)) == "#top"
        assert await image_found(session, url, at(100, 100)) == "#one"
        assert await image_found(session, url, at(100, 250)) == "#two"


@pytest.mark.nightly
async def test_images_in_frames_and_shadow_roots(site: Site, browser: Browser, live_web: Web) -> None:
    site.html("/inner", PICTURES)
    body = (
        f'<style>body{{margin:0}}</style><div id="host"></div><iframe id="f" src="/inner" width="400" height="450" '
        'style="border:5px solid;display:block"></iframe><script>host.attachShadow({mode: "open"}).innerHTML = '
        f"`{PICTURES}`;</script>"
    )
    url = site.html("/page", body)
    async with browser.page(live_web) as session:
        request = at(20, 400 + 5 + 250)
        material = await read(session, url, **request.model_dump())
        placement = place(material, request)
        assert placement.anchor is not None
        assert (placement.anchor.frame_path, placement.anchor.css_path) == (("#f",), "#two")


@pytest.mark.parametrize("given", ["640,1220", " 640, 1220 ", "(640 1220)", "640px,1220px", [640, 1220.0]])
def test_a_position_is_two_numbers(given: object) -> None:
    arguments = CiteArguments.model_validate(
        {"claim": "c", "source_url": "https://a.test/", "evidence_type": "image", "element_position": given}
    )
    assert arguments.request().anchor.position == (640, 1220)


@pytest.mark.parametrize("given", ["640", "640,1220,3", "-1,5", "top left", "nan,1", "1,inf", [1]])
def test_what_is_no_position_is_refused_with_an_example(given: object) -> None:
    with pytest.raises(ValidationError, match=r"640,1220|neither number is negative"):
        CiteArguments.model_validate(
            {"claim": "c", "source_url": "https://a.test/", "element_position": given}
        )


# --- from the page to the capture and back


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    """It takes no pictures: nobody looks at them here. A citation is replayed once, offline, before it is stored."""
    return Bench(tmp_path, settings.model_copy(update={"picture_height": 0}), live_web, browser)


@pytest.mark.nightly
async def test_lazy_content_is_in_the_capture(site: Site, bench: Bench) -> None:
    site.file("/dot.gif", "image/gif", DOT)
    body = f'<p>Top of the page</p>{TALL}{TALL}<img loading="lazy" src="/dot.gif" alt="A chart">'
    citation = await bench.cite(site.html("/page", body), evidence_type="image", alt="A chart")
    assert bench.file(citation, "image.bin") == DOT
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


async def test_a_row_that_must_be_scrolled_to_is_cited_and_replayed(site: Site, bench: Bench) -> None:
    url = site.html("/page", grid([f"Item {n}" for n in range(120)]))
    made = await bench.collect(url, evidence_type="table", row=["Item 77"], column=["Price"])
    assert made.citation.anchor.text == "125.5"
    assert (made.check.kind, made.check.verdict, made.check.overlap) == ("self", "verified", 1.0)


async def test_an_image_by_position_is_cited_and_replayed(site: Site, bench: Bench) -> None:
    site.file("/dot.gif", "image/gif", DOT)
    body = f'{PICTURES}<img alt="Chart three" src="/dot.gif" width="300" height="200">'
    made = await bench.collect(
        site.html("/page", body), evidence_type="image", alt="Chart", position=(20, 500)
    )
    assert made.citation.anchor.text == "Chart three"
    assert bench.file(made.citation, "image.bin") == DOT
    assert (made.check.kind, made.check.verdict) == ("self", "verified")


async def test_a_quote_with_the_readings_over_its_words(site: Site, bench: Bench) -> None:
    url = site.html("/page", "<p><ruby>大阪<rt>おおさか</rt></ruby>市の面積は225平方キロである。</p>")
    plain, with_readings = "大阪市の面積は225平方キロ", "大阪おおさか市の面積は225平方キロ"
    made = await bench.collect(url, quote=with_readings)
    assert made.citation.anchor.text.replace("\n", "").replace(" ", "") == with_readings
    assert (made.check.kind, made.check.verdict) == ("self", "verified")
    request = AnchorRequest(evidence_type="text", quote=plain)
    async with bench.browser.page(bench.web) as session:
        placement = place(await read(session, url, **request.model_dump()), request)
    assert (placement.verdict, placement.text) == ("verified", with_readings)  # as the page shows it


# --- what is painted

PLAIN = (
    "<style>body{margin:0}table{border-collapse:collapse}td,th{width:100px;height:40px;padding:0;font-size:4px}</style>"
    "<table><tr><th>Day</th><th>A</th><th>B</th></tr><tr><th>Mon</th><td>1</td><td>2</td></tr>"
    "<tr><th>Tue</th><td>3</td><td>4</td></tr></table>"
    f'<img alt="Chart" width="300" height="200" style="display:block;background:#c8d2ff" src="data:image/gif;base64,{CHART}">'
)
WHITE, YELLOW, GREEN = (255, 255, 255), (255, 224, 102), (223, 243, 227)


@pytest.mark.parametrize(
    ("anchor", "expected"),
    [
        (
            {"evidence_type": "table", "row": ["Tue"], "column": ["B"]},
            {(250, 100): YELLOW, (150, 100): GREEN, (250, 60): GREEN, (250, 20): GREEN, (150, 60): WHITE},
        ),
        (
            {"evidence_type": "table", "row": ["Mon"]},
            {(150, 60): YELLOW, (200, 60): YELLOW, (250, 60): YELLOW, (150, 100): WHITE},
        ),
        (
            {"evidence_type": "table", "column": ["A"]},
            {(150, 60): YELLOW, (150, 80): YELLOW, (150, 100): YELLOW, (250, 60): WHITE},
        ),
        ({"evidence_type": "table", "selector": "table"}, {(150, 60): GREEN, (250, 20): GREEN}),
        ({"evidence_type": "image", "alt": "Chart"}, {(150, 200): (200, 210, 255)}),
    ],
    ids=["cell", "row", "column", "table", "image"],
)
async def test_the_cited_cell_stands_out_and_nothing_is_covered(
    site: Site,
    browser: Browser,
    live_web: Web,
    anchor: dict[str, object],
    expected: dict[tuple[int, int], tuple[int, int, int]],
) -> None:
    request = AnchorRequest.model_validate(anchor)
    async with browser.page(live_web) as session:
        material = await read(session, site.html("/page", PLAIN), **anchor)
        placement = place(material, request)
        assert placement.verdict == "verified"
        _, drawn = await draw(session, material, placement)
        taken = await take_picture(session, drawn.marking, height=4096)
    picture = pixels_of(taken.picture, taken.tiles, marked=True)
    edges = {point: picture.pixel(point[0] - 30, point[1] - 12)[:3] for point in expected}
    assert edges == expected


@pytest.mark.nightly
async def test_a_box_in_a_modal_dialog_is_painted_above_it(
    site: Site, browser: Browser, live_web: Web
) -> None:
    body = (
        '<p>The page below the dialog.</p><dialog id="d" style="padding:0;border:0;margin:0;inset:0 auto auto 0">'
        f"{PLAIN}</dialog><script>d.showModal()</script>"
    )
    request = AnchorRequest(evidence_type="table", row=("Tue",), column=("B",))
    async with browser.page(live_web) as session:
        material = await read(session, site.html("/page", body), **request.model_dump())
        _, drawn = await draw(session, material, place(material, request))
        assert await paint(session, drawn.marking)
        picture = pymupdf.Pixmap(await session.screenshot(Rect(x=0, y=0, width=400, height=400)))
    assert picture.pixel(220, 88)[:3] == YELLOW
