"""A store of 300 pages, 5 % of them changed: what has to be opened in a browser, and what is said wrongly.

The pages are served over HTTP on loopback, and their captures hold what that server answered. A browser's look is
replaced by what is true of a page.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

from tests.unit.evidence import samples
from verifaible.config import Settings
from verifaible.evidence.check import many
from verifaible.evidence.check.due import Due, chosen, must_be_opened
from verifaible.evidence.check.many import Looker, Replays, replay_many
from verifaible.evidence.make.capture import state_sha256, write_capture
from verifaible.evidence.store.store import Store
from verifaible.runs.executor import Local
from verifaible.schema.action import ActionStep
from verifaible.schema.check import Check, IndexRow
from verifaible.schema.citation import CaptureRef, Citation, CitationDraft
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

#: Status, headers, body; of a path and the headers of a request.
Answer: TypeAlias = tuple[int, Mapping[str, str], str]
Page: TypeAlias = Callable[[Mapping[str, str]], Answer]

HTML = {"content-type": "text/html; charset=utf-8"}
LONG_AGO, LATER = "Mon, 02 Mar 2026 08:00:00 GMT", "Tue, 03 Mar 2026 08:00:00 GMT"
TOLD = (("user-agent", "Chromium"), ("accept-language", "en-US,en;q=0.9"))


@dataclass
class Site:
    """A server on loopback whose pages follow the standard, or do not."""

    url: str = ""
    pages: dict[str, Page] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    sent: int = 0


@pytest.fixture
def site() -> Iterator[Site]:
    served = Site()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            asked = {name.lower(): value for name, value in self.headers.items()}
            served.seen.append(f"{self.command} {self.path}")
            page = served.pages.get(self.path)
            status, headers, body = page(asked) if page else (404, {"content-type": "text/plain"}, "none")
            payload = body.encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 304:
                self.send_header("content-length", str(len(payload)))
            with suppress(ConnectionError):
                self.end_headers()
                if self.command != "HEAD" and status != 304:
                    served.sent += len(payload)
                    self.wfile.write(payload)

        do_GET = do_HEAD = do_POST = _serve

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield served
    server.shutdown()
    server.server_close()


def plain(body: str, **headers: str) -> Page:
    return lambda asked: (200, {**HTML, **headers}, body)


def tagged(body: str, weak: str = "", **headers: str) -> Page:
    """A page with an ETag that is kept as RFC 9110 asks for; ``weak`` is the same for every body."""
    tag = f'W/"{weak}"' if weak else f'"{hashlib.sha256(body.encode()).hexdigest()[:12]}"'
    told = {**HTML, "etag": tag, **headers}

    def page(asked: Mapping[str, str]) -> Answer:
        same = asked.get("if-none-match", "").removeprefix("W/") == tag.removeprefix("W/")
        return (304, told, "") if same else (200, told, body)

    return page


def dated(body: str, at: str = LONG_AGO) -> Page:
    told = {**HTML, "last-modified": at}
    return lambda asked: (304, told, "") if asked.get("if-modified-since") == at else (200, told, body)


def liar(then: Page, now: Page) -> Page:
    """Whoever sends a validator is told that nothing has changed."""

    def page(asked: Mapping[str, str]) -> Answer:
        if asked.get("if-none-match") or asked.get("if-modified-since"):
            return 304, {k: v for k, v in then({})[1].items() if k in ("etag", "last-modified")}, ""
        return now(asked)

    return page


def moved(to: str) -> Page:
    return lambda asked: (302, {"location": to}, "")


def gone(asked: Mapping[str, str]) -> Answer:
    return 404, {"content-type": "text/plain"}, "no such page"


def html(words: str, more: str = "") -> str:
    return f"<!doctype html><title>Release</title><p>Before it. {words} And after it.</p>{more}"


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def fetched(url: str, method: str = "GET") -> WebExchange:
    """One exchange as a browser's capture has it."""
    headers = {"accept": "text/html", "user-agent": "Chromium", "accept-language": "en-US,en;q=0.9"}
    try:
        answer = build_opener(_NoRedirect).open(Request(url, headers=headers, method=method), timeout=20)
    except HTTPError as error:
        answer = error
    with answer:
        found = tuple((k, v) for k, v in answer.headers.items() if k.lower() != "content-length")
        response = WebResponse(answer.status, found, answer.read())
    sent = WebRequest(url, method, (("accept", "text/html"), ("user-agent", "Chromium")))
    return WebExchange(sent, response, datetime.now(UTC))


@dataclass
class Watched:
    """A store of captures of a site, and what is true of each page now."""

    site: Site
    store: Store
    truth: dict[str, str] = field(default_factory=dict)
    opened: list[str] = field(default_factory=list)

    version = "1.0"

    async def request_headers(self, _: object) -> tuple[tuple[str, str], ...]:
        return TOLD

    def cite(
        self,
        path: str,
        words: str = samples.QUOTE,
        *more: str,
        claim: str = "A claim",
        exchanges: tuple[WebExchange, ...] = (),
        steps: tuple[ActionStep, ...] = (),
        **provenance: Any,
    ) -> Citation:
        """Seal what the server answers now, as a browser that asks for the paths in turn would have."""
        url = self.site.url + path
        seen = samples.evidence(words, url=url)
        asked = [fetched(urljoin(url, each)) for each in (path, *more)]
        seen = replace(seen, exchanges=(*asked, *exchanges), provenance=provenance)
        scratch = self.store.scratch() / "capture.wacz"
        now = datetime.now(UTC)
        sha256 = write_capture(scratch, seen, captured_at=now, signer=self.store.signer)
        capture = CaptureRef(
            sha256=sha256,
            size_bytes=scratch.stat().st_size,
            captured_at=now,
            state_sha256=state_sha256(seen),
            web="live",
        )
        draft = samples.draft_of(seen, capture, claim, words)
        draft = draft.model_copy(update={"created_at": now, "steps": steps})
        citation = self.store.add(draft, capture=scratch, tiles=(samples.TILE,))
        self.truth[citation.id] = "verified"
        return citation

    async def recheck(self, citation: Citation, *_: object, **__: object) -> Check:
        """What a browser's look says."""
        self.opened.append(citation.id)
        return Check.model_validate(
            {
                "citation_id": citation.id,
                "at": datetime.now(UTC),
                "kind": "live",
                "verdict": self.truth[citation.id],
                "message": "Opened.",
            }
        )

    async def look(self, full_every: timedelta = timedelta(days=36500), **due: Any) -> Replays:
        settings = Settings(home=Path(self.store.location), allow_hosts=("127.0.0.1",), robots="never")
        chosen = Due(before=datetime.now(UTC), full_every=full_every, **due)
        looker = Looker(self.store, self, settings, live=True)  # type: ignore[arg-type]
        places = Local(lambda: nullcontext(looker), 4)
        return await replay_many(self.store, places, settings, live=True, due=chosen)

    @property
    def wrong(self) -> list[str]:
        """Citations of which the last check says something else than is true."""
        return [name for name, true in self.truth.items() if self.store.checks(name)[-1].verdict != true]


@pytest.fixture
def watched(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    found = Watched(site, Store(tmp_path / "store"))
    monkeypatch.setattr(many, "recheck", found.recheck)
    return found


NEW = samples.QUOTE.replace("5.33", "5.38")


def _traps(site: Site, watched: Watched) -> dict[str, Callable[[], None]]:
    """Pages that have changed where a hasty look says they have not: cites each; what changes it."""
    pages = site.pages

    def trap(path: str, then: Page, now: Page, *more: str, verdict: str = "changed") -> Callable[[], None]:
        pages[path] = then
        citation = watched.cite(path, samples.QUOTE, *more, claim=path)

        def change() -> None:
            pages[path] = now
            watched.truth[citation.id] = verdict

        return change

    old, new = html(samples.QUOTE), html(NEW)
    just_now = format_datetime(datetime.now(UTC), usegmt=True)
    found = {
        "a 304 to everything": trap("/liar", tagged(old), liar(tagged(old), tagged(new))),
        "a 304 to every date": trap("/late", dated(old), liar(dated(old), dated(new, LATER))),
        "gone, with a validator that is still known": trap(
            "/cached", tagged(old), liar(tagged(old), gone), verdict="gone"
        ),
        "a weak ETag over other digits": trap("/weak", tagged(old, "v1"), tagged(new, "v1")),
        "modified twice within a second": trap("/second", dated(old, just_now), dated(new, just_now)),
        "another language": trap(
            "/vary",
            plain(old, vary="Accept-Language"),
            lambda asked: (200, {**HTML, "vary": "Accept-Language"}, new if "en" in asked.get("accept-language", "") else old),
        ),
        "what no request can repeat": trap("/star", plain(old, vary="X-Region"), plain(old, vary="X-Region")),
        "gone": trap("/gone", tagged(old), gone, verdict="gone"),
    }  # fmt: skip
    pages["/a"] = pages["/b"] = tagged(old)
    found["redirected elsewhere"] = trap("/moved", moved("/a"), moved("/b"), "/a", verdict="moved")
    script = "<script>fetch('/rates.json')</script>"
    pages["/rates.json"] = tagged('{"rate": "5.33"}')
    still = trap("/dynamic", tagged(old + script), tagged(old + script), "/rates.json")

    def data() -> None:
        pages["/rates.json"] = tagged('{"rate": "5.38"}')
        still()

    return {**found, "data of a script": data}


@pytest.mark.parametrize("pages", [40, pytest.param(300, marks=(pytest.mark.slow, pytest.mark.nightly))])
async def test_only_pages_that_changed_are_opened(site: Site, watched: Watched, pages: int) -> None:
    traps = _traps(site, watched)
    old = html(samples.QUOTE)
    kinds: list[Callable[[str], Page]] = [
        tagged,
        dated,
        plain,
        lambda body: tagged(body, "w"),
        lambda body: plain(body, vary="Accept-Encoding, User-Agent"),
    ]
    steady: list[tuple[str, Citation, Callable[[str], Page]]] = []
    for number in range(pages - len(traps)):
        path, make = f"/{number}", kinds[number % len(kinds)]
        site.pages[path] = make(old)
        steady.append((path, watched.cite(path, claim=path), make))
    for change in traps.values():
        change()
    changed = steady[:5]
    for path, citation, make in changed:
        site.pages[path] = dated(html(NEW), LATER) if make is dated else make(html(NEW))
        watched.truth[citation.id] = "changed"
    before = site.sent
    done = await watched.look()
    assert len(watched.truth) == pages
    assert watched.wrong == []
    assert len(watched.opened) == len(traps) + len(changed) == 15
    assert (done.checked, done.unopened) == (pages, pages - 15)
    assert site.sent - before < pages * len(old)  # validators have spared the rest
    said = watched.store.checks(steady[10][1].id)[-1]
    assert (said.kind, said.verdict) == ("live", "verified")
    assert "not opened in a browser" in said.message
    watched.opened.clear()
    await watched.look(full_every=timedelta())
    assert len(watched.opened) == pages


async def opened(watched: Watched, *citations: Citation) -> list[bool]:
    """Of each whether it is opened in a browser, if all are looked at."""
    await watched.look()
    return [each.id in watched.opened for each in citations]


def exchange(site: Site, method: str, path: str, body: bytes, *headers: tuple[str, str]) -> WebExchange:
    """An exchange that a page has had, besides what it is built from."""
    request = WebRequest(site.url + path, method, headers, b"1" if method == "POST" else b"")
    said = (("content-type", "application/json"),)
    return WebExchange(request, WebResponse(200, said, body), datetime.now(UTC))


async def test_what_cannot_be_asked_again_in_the_same_way_is_opened(site: Site, watched: Watched) -> None:
    body = html(samples.QUOTE)
    expected: list[bool] = []
    citations: list[Citation] = []

    def case(is_opened: bool, *more: str, **given: Any) -> None:
        path = f"/{len(expected)}"
        headers = {"set-cookie": given.pop("set-cookie")} if "set-cookie" in given else {}
        site.pages[path] = plain(given.pop("body", body), **headers)
        citations.append(watched.cite(path, given.pop("words", samples.QUOTE), *more, claim=path, **given))
        expected.append(is_opened)

    def asked(method: str, path: str, answer: bytes, *headers: tuple[str, str]) -> dict[str, Any]:
        return {"exchanges": (exchange(site, method, path, answer, *headers),)}

    data, same = b'{"rate": "5.33"}', plain('{"rate": "5.33"}', **{"content-type": "application/json"})
    for name in ("/data.json", "/data.json?day=20260302", "/data.json?_=1772438400000", "/data.json?page=2"):
        site.pages[name] = same
    case(False, **asked("GET", "/data.json", data))
    case(True, **asked("POST", "/data.json", data))
    case(False, **asked("POST", "/beacon", b""))
    case(True, **asked("WEBSOCKET", "/socket", b"{}"))
    case(True, **asked("EVENTSOURCE", "/events", b"{}"))
    case(True, **asked("GET", "/data.json?day=20260302", data))
    case(True, **asked("GET", "/data.json?_=1772438400000", data))
    case(False, body=f"{body}<a href='/data.json?page=2'>", **asked("GET", "/data.json?page=2", data))
    case(True, **asked("GET", "/data.json", data, ("cookie", "seen=1")))
    case(
        True,
        exchanges=(exchange(site, "GET", "/data.json", data), exchange(site, "GET", "/data.json", b"{}")),
    )
    site.pages["/kept.json"] = lambda asked: (200 if "seen=1" in asked.get("cookie", "") else 403, {}, "{}")
    kept = exchange(site, "GET", "/kept.json", b"{}", ("cookie", "seen=1"))
    kept = replace(kept, response=WebResponse(200, (), b"{}"))
    case(False, exchanges=(kept,), **{"set-cookie": "seen=1; Path=/"})
    case(True, not_read=["GET http://127.0.0.1/other.js"])
    case(True, identity={"timezone": "Asia/Shanghai"})
    #: Words that a script made of nothing that was sent.
    case(True, body=html("Other words."))
    assert await opened(watched, *citations) == expected
    assert watched.wrong == []


async def test_nonces_and_tokens_are_no_change_and_words_and_styles_are(site: Site, watched: Watched) -> None:
    def page(number: int, style: str = "", words: str = samples.QUOTE) -> Page:
        token = f"aB3dE5fG7hI9jK1{number}"
        more = f"<script nonce={token}>1</script><input type=hidden name=csrf_token value={token}>"
        policy = {"content-security-policy": f"script-src 'nonce-{token}'"}
        return plain(html(words, f"{more}<!-- {number} --><i style='{style}'></i>"), **policy)

    changes = {"/token": page(2), "/style": page(2, "display:none"), "/words": page(2, words=NEW)}
    citations = []
    for path in changes:
        site.pages[path] = page(1)
        citations.append(watched.cite(path, claim=path))
    site.pages |= changes
    assert await opened(watched, *citations) == [False, True, True]


#: Where words are shown from that a parser leaves out, or takes for a remark or a token.
SHOWN = {
    "deep": "<div>" * 300 + "<p>{0}</p>",
    "after the end": "</body></html><p>{0}</p>",
    "a comment that a script unpacks": "<div><!-- <table><tr><td>{0}</table> --></div>",
    "a comment of data": '<!-- {{"rate": {0}}} -->',
    "data of a drawing": "<svg><text><![CDATA[{0}]]></text></svg>",
    "a measure": "<x-gauge uptime='{0}'></x-gauge>",
    "a field that is seen": "<input name=guid value='{0}000000'>",
    "text beside a token of the same digits": "<input type=hidden name=sign value=5330000>{0}",
}


async def test_a_change_beside_a_token_is_seen_wherever_it_stands(site: Site, watched: Watched) -> None:
    def page(more: str, number: int, *words: str) -> Page:
        token = f"<script nonce=aB3dE5fG7hI9jK1{number}>1</script>"
        return plain(
            f"<!-- {number} -->{html(samples.QUOTE, token + more.format(*words))}<!-- {number} s -->"
        )

    citations, changes = [], {}
    for number, more in enumerate((*SHOWN.values(), "")):
        site.pages[path := f"/{number}"] = page(more, 1, "5330000")
        changes[path] = page(more, 2, "5380000")
        citations.append(watched.cite(path, claim=path))
    site.pages |= changes
    assert await opened(watched, *citations) == [True] * len(SHOWN) + [False]


async def test_what_was_empty_and_what_a_browser_is_told_now_are_changes(
    site: Site, watched: Watched
) -> None:
    data = {"content-type": "application/json", "access-control-allow-origin": "*"}
    rates, pages = '{"rate": "5.33"}', site.pages
    #: What a page asks for besides itself: then, and now.
    asked: dict[str, tuple[Page, Page]] = {
        "/notice": (lambda _: (204, {}, ""), plain("It was withdrawn.")),
        "/empty": (plain(""), plain("It was withdrawn.")),
        "/framed": (plain(rates), plain(rates, **{"x-frame-options": "DENY"})),
        "/elsewhere": (plain(rates, **data), plain(rates, **data | {"access-control-allow-origin": "null"})),
        "/typed": (plain(rates), plain(rates, **{"x-content-type-options": "nosniff"})),
        "/still-empty": (plain(""), plain("")),
    }
    citations = []
    for path, (then, _) in asked.items():
        pages[path], pages[f"/of{path}"] = then, plain(html(samples.QUOTE))
        citations.append(watched.cite(f"/of{path}", samples.QUOTE, path, claim=path))
    pages |= {path: now for path, (_, now) in asked.items()}
    assert await opened(watched, *citations) == [path != "/still-empty" for path in asked]


@pytest.mark.parametrize("at", ["Thu, 01 Jan 1970 00:00:01 GMT", "Tue, 01 Jan 1980 00:00:01 GMT"])
async def test_a_date_that_builds_put_into_every_file_is_no_validator(
    site: Site, watched: Watched, at: str
) -> None:
    old, new = html(samples.QUOTE), html(NEW)
    tag = f'"1-{len(old):x}"'  # of date and size, as servers make it

    def marked(body: str) -> Page:
        told = {**HTML, "last-modified": at, "etag": tag}
        return lambda asked: (304, told, "") if asked.get("if-none-match") == tag else (200, told, body)

    site.pages |= {"/date": dated(old, at), "/tag": marked(old)}
    citations = [watched.cite(path, claim=path) for path in ("/date", "/tag")]
    site.pages |= {"/date": dated(new, at), "/tag": marked(new)}
    assert await opened(watched, *citations) == [True, True]


async def test_words_of_a_script_s_code_are_looked_at_where_they_are_shown(
    site: Site, watched: Watched
) -> None:
    """A script may choose between them, by the clock for instance."""
    code = "b.textContent = new Date().getHours() < 17 ? 'Open now' : 'Closed now'"
    data = '{"state": "Open now"}'
    site.pages |= {
        "/code.js": plain(code, **{"content-type": "text/javascript"}),
        "/data.json": plain(data, **{"content-type": "application/json"}),
    }
    asked = {
        "/inline": (f"<b></b><script>{code}</script>",),
        "/external": ("<b></b><script src=/code.js></script>", "/code.js"),
        "/island": (f"<b></b><script id=d type='application/json'>{data}</script>",),
        "/fetched": ("<b></b><script>fetch('/data.json')</script>", "/data.json"),
        "/written": (f"<b>Open now</b><script>{code}</script>",),
    }
    citations = []
    for path, (body, *more) in asked.items():
        site.pages[path] = plain(f"<!doctype html><title>Shop</title>{body}")
        citations.append(watched.cite(path, "Open now", *more, claim=path))
    assert await opened(watched, *citations) == [True, True, False, False, False]


async def test_addresses_that_say_what_time_it_is_are_of_one_time(site: Site, watched: Watched) -> None:
    then = datetime.now(UTC) - timedelta(days=400)
    names = {
        "/menu/{:%A}.json": True,
        "/menu/{:%b}.json": True,
        "/events.json?year={0:%Y}&month={0:%m}": True,
        "/menu-{:%Y-%m-%d}.json": True,
        "/prices.json": False,
        "/linked/{:%B}.json": False,
    }
    citations = []
    for number, name in enumerate(names):
        path, asked = f"/page{number}", name.format(then).lower()
        site.pages[asked] = plain("{}", **{"content-type": "application/json"})
        said = (
            f"<a href='{asked}'></a>" if "linked" in name else f"<i>0123456789 {then:%Y %m %d %Y-%m-%d}</i>"
        )
        site.pages[path] = plain(html(samples.QUOTE, said))
        got = replace(exchange(site, "GET", asked, b"{}"), recorded_at=then)
        citations.append(watched.cite(path, claim=path, exchanges=(got,)))
    assert await opened(watched, *citations) == list(names.values())


async def test_citations_of_one_capture_are_asked_for_once(site: Site, watched: Watched) -> None:
    site.pages["/a"] = site.pages["/b"] = tagged(html(samples.QUOTE))
    site.pages["/shared.js"] = tagged("let shared = 1", **{"content-type": "text/javascript"})
    first = watched.cite("/a", samples.QUOTE, "/shared.js")
    draft = first.model_dump(exclude={"id"}) | {"claim": "Another claim of the same capture"}
    second = watched.store.add(CitationDraft.model_validate(draft), capture=None, tiles=(samples.TILE,))
    third = watched.cite("/b", samples.QUOTE, "/shared.js")
    site.seen.clear()
    assert await opened(watched, first, second, third) == [False] * 3
    assert sorted(site.seen) == sorted(
        f"{how} {at}" for how in ("GET", "HEAD") for at in ("/a", "/b", "/shared.js")
    )


async def test_what_was_not_verified_is_opened_and_the_browser_s_turn_comes(
    site: Site, watched: Watched
) -> None:
    site.pages["/a"] = tagged(html(samples.QUOTE))
    citation = watched.cite("/a")
    for verdict in ("verified", "blocked"):
        watched.store.add_check(
            samples.check(citation, verdict).model_copy(update={"kind": "live", "at": datetime.now(UTC)})
        )
        watched.opened.clear()
        assert await opened(watched, citation) == [verdict != "verified"]


def test_each_page_is_opened_once_in_a_period_whatever_its_server_says() -> None:
    begin = datetime(2026, 3, 2, tzinfo=UTC)
    due = Due(before=begin, full_every=timedelta(days=30))
    rows = [
        IndexRow.model_validate(
            {"id": f"{number:020x}", "created_at": begin, "verdict": None, "checked_at": None}
            | dict.fromkeys(("claim", "text", "source_url", "title", "capture_sha256"), "")
            | {"evidence_type": "text"}
        )
        for number in range(7, 10_000, 777)
    ]
    full: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        for day in range(1, 181):
            seen = row.model_copy(
                update={"live_checked_at": begin + timedelta(days=day - 1), "live_verdict": "verified"}
            )
            if must_be_opened(seen, due, begin + timedelta(days=day)):
                full.setdefault(index, []).append(day)
    assert {len(days) for days in full.values()} == {6}
    assert all(later - earlier == 30 for days in full.values() for earlier, later in pairwise(days))
    assert len({days[0] for days in full.values()}) > 5  # not all on one day


def test_the_most_urgent_go_first() -> None:
    now = datetime(2026, 3, 31, tzinfo=UTC)

    def row(name: str, page: str, days: int) -> IndexRow:
        told = dict.fromkeys(("claim", "text", "title", "capture_sha256"), "")
        return IndexRow.model_validate(
            {"id": name, "created_at": now - timedelta(days=days), "verdict": None, "checked_at": None}
            | told
            | {"source_url": page, "evidence_type": "text"}
        )

    rows = [
        row("new", "a", 1),
        row("old", "b", 20),
        row("one", "c", 12),
        row("two", "c", 11),
        row("late", "d", 9),
    ]
    due = Due(before=now - timedelta(days=7), limit=3)
    assert [each.id for each in chosen(rows, due, now)] == ["one", "two", "old"]
