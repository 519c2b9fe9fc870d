"""Nothing that a page does reaches this machine or its network: real Chromium, real servers that count.

Each way of ``egress_attacks`` is tried twice: on a host that must not be reached, and on one that may be.
The second shows that the way works in this browser, and that the first had its time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from html import escape
from time import monotonic

import pytest
import pytest_asyncio
from playwright.async_api import Request

from tests.browser.egress_attacks import ATTACKS, FORMS, Attack
from tests.browser.egress_servers import Counter, Names, counters
from tests.browser.egress_site import AttackSite, attack_site
from tests.kit.marks import nightly
from verifaible.browser.chromium.launch import find_browser
from verifaible.browser.page.session import PageSession
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import PageNotLoaded, ToolError, UrlRefused
from verifaible.net.guard import UrlGuard
from verifaible.net.web import Web

SITE = "site.example"
#: A host that may be reached, on any port of a counter.
OPEN = "open.example"
HERE = [["127.0.0.1"]]
NAMES = {
    SITE: HERE,
    OPEN: HERE,
    "inside.example": HERE,
    "mixed.example": [["93.184.216.34", "127.0.0.1"]],
    "mapped.example": [["::ffff:127.0.0.1"]],
    "intranet": HERE,
    "metadata.google.internal": HERE,
}
#: How many pages are open at once.
AT_ONCE = 4
#: What works in a browser works within this time.
PATIENCE_S = 60.0
#: The pages of a way are opened this often, and each time waited for so long, until the open host is
#: reached: on a very busy machine a way that works does not work every time.
ROUNDS_S = (5.0, 10.0, 20.0, 40.0)


@dataclass
class Ground:
    """Where the attacks take place."""

    site: AttackSite
    web: Web
    browser: Browser
    refused: dict[str, list[str]] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        return f"http://{SITE}:{self.site.port}"

    def serve(self, name: str, html: str) -> str:
        """Add a page and give its address."""
        self.site.pages[name] = html
        return f"{self.origin}/page/{name}"


@pytest.fixture(scope="module")
def served() -> Iterator[AttackSite]:
    with attack_site() as site:
        yield site


def web_of(site: AttackSite, settings: Settings, *allowed: str) -> Web:
    names = Names({name: list(answers) for name, answers in NAMES.items()})
    return Web("live", settings, UrlGuard([f"{SITE}:{site.port}", OPEN, *allowed], resolver=names))


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    home = tmp_path_factory.mktemp("egress")
    return Settings(home=home, page_timeout_s=20.0, settle_timeout_s=0.4)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def ground(served: AttackSite, quick: Settings) -> AsyncIterator[Ground]:
    async with Browser(quick, offline=False) as browser:
        yield Ground(served, web_of(served, quick), browser)


@dataclass(frozen=True)
class Outcome:
    """What came of an attack.

    Attributes:
        closed: hits on the closed host.
        open: hits on the open host.
        refused: what was refused to the page for the closed host's name.
        said: what the pages for the open host did, to find out why it was not reached.
    """

    closed: list[str]
    open: list[str]
    refused: list[str]
    said: list[str]


def watch(session: PageSession, said: list[str]) -> None:
    """Write down what a context does, with the time since now."""
    start = monotonic()

    def note(kind: str, what: str = "") -> None:
        said.append(f"{monotonic() - start:.2f} {kind} {what}")

    def failed(request: Request) -> None:
        note("failed", f"{request.url} {request.failure}")

    note("opened")
    session.context.on("request", lambda request: note("request", request.url))
    session.context.on("requestfailed", failed)
    session.context.on("response", lambda response: note("response", f"{response.url} {response.status}"))
    session.context.on("page", lambda page: note("page", page.url))
    session.page.on("domcontentloaded", lambda _: note("read"))
    session.page.on("load", lambda _: note("loaded"))
    session.page.on("crash", lambda _: note("crashed"))
    session.page.on("framenavigated", lambda frame: note("navigated", frame.url))
    session.page.on("download", lambda download: note("download", download.url))


async def attack(ground: Ground, number: int, way: Attack, closed: Counter, allowed: Counter) -> Outcome:
    """Open the page for the closed host by address and by name, then for the open one.

    The pages stay open until the open host is reached. All are opened again if it is not: whatever led
    there would have led to the closed host in the same round.
    """
    site = f"{SITE}:{ground.site.port}"
    hosts = (f"127.0.0.1:{closed.port}", f"inside.example:{closed.port}", f"{OPEN}:{allowed.port}")
    refused: list[str] = []
    said: list[str] = []
    for limit_s in ROUNDS_S if way.works else (0.1,):
        async with AsyncExitStack() as pages:
            for place, host in enumerate(hosts):
                session = await pages.enter_async_context(ground.browser.page(ground.web))
                if "inside" in host:
                    inside = session.traffic
                if host == hosts[-1]:
                    watch(session, said)
                try:
                    await session.open(ground.serve(f"{number}-{place}", way.page(host, site)))
                except ToolError as error:
                    said.append(f"{host}: {error}")
            with suppress(TimeoutError):
                await asyncio.wait_for(allowed.came.wait(), limit_s)
            refused += inside.refused
        if allowed.hits and refused:
            break
    return Outcome(closed.hits, allowed.hits, refused, said)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def outcomes(ground: Ground, request: pytest.FixtureRequest) -> AsyncIterator[dict[str, Outcome]]:
    """All chosen attacks, a few at a time; the counters stay until every test has looked at them."""
    asked = {item.name for item in request.session.items}
    ways = [way for way in ATTACKS if f"{test_no_way_leads_inside.__name__}[{way.name}]" in asked]
    found: dict[str, Outcome] = {}
    turn = asyncio.Semaphore(AT_ONCE)
    async with counters(2 * len(ways)) as made:

        async def one(number: int, way: Attack) -> None:
            async with turn:
                found[way.name] = await attack(ground, number, way, made[2 * number], made[2 * number + 1])

        await asyncio.gather(*(one(number, way) for number, way in enumerate(ways)))
        yield found


#: Of each kind of way one: what a page embeds, asks for, runs elsewhere, is led to, opens, and is sent by its headers.
USUAL = (
    *("img", "module", "font", "object", "manifest", "EventSource", "worker in a worker", "import map"),
    *("redirect 302", "Refresh header", "pop-up", "download", "Link header"),
)


@pytest.mark.parametrize(
    "way",
    [way if way.name in USUAL else nightly(way) for way in ATTACKS],
    ids=[way.name for way in ATTACKS],
)
def test_no_way_leads_inside(way: Attack, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[way.name]
    assert outcome.closed == []
    assert way.works is None or bool(outcome.open) is way.works, "\n".join(outcome.said)
    if way.works:
        assert "'inside.example' was refused: it resolves to an address that is not public" in "".join(
            outcome.refused
        )
        assert "127.0.0.1" not in "".join(outcome.refused)


async def test_webrtc_would_reach_a_server_without_the_guard(served: AttackSite) -> None:
    """What the browser's arguments prevent happens without them."""
    from playwright.async_api import async_playwright

    way = next(way for way in ATTACKS if way.name == "WebRTC over STUN")
    async with counters(1) as (reached,), async_playwright() as playwright:
        found = find_browser(Settings(), playwright.chromium.executable_path)
        browser = await playwright.chromium.launch(executable_path=found.path, chromium_sandbox=False)
        page = await browser.new_page()
        served.pages["peer"] = way.page(f"127.0.0.1:{reached.port}", "")
        await page.goto(f"http://127.0.0.1:{served.port}/page/peer")
        await asyncio.wait_for(reached.came.wait(), PATIENCE_S)
        await browser.close()
    assert set(reached.hits) == {"udp"}


def test_names_are_unique() -> None:
    assert len({way.name for way in ATTACKS}) == len(ATTACKS) >= 40
    assert {*USUAL} <= {way.name for way in ATTACKS}


# --- ways to write a host


#: Of each kind of form one; a page leads to all of them below.
OPENED = (
    *(
        "plain",
        "octal",
        "trailing dot",
        "IPv6",
        "IPv4-mapped in hex",
        "NAT64",
        "localhost",
        "full-width digits",
    ),
    *("soft hyphen", "tab", "backslashes", "user name", "resolves to this machine, too", "cloud metadata"),
)


@pytest.mark.parametrize(
    "form", [form if name in OPENED else nightly(form) for name, form in FORMS.items()], ids=FORMS
)
async def test_no_form_of_a_host_is_opened(form: str, ground: Ground) -> None:
    async with counters(1) as (closed,), ground.browser.page(ground.web) as session:
        with pytest.raises(UrlRefused):
            await session.open(form.format(p=closed.port))
    assert closed.hits == []


#: A picture, a frame, and a frame that is redirected.
LEADS = ('<img src="{}">', '<iframe src="{}"></iframe>', '<iframe src="/to/302/{}"></iframe>')


@pytest.mark.parametrize(
    "each_in_all", [False, nightly(True)], ids=lambda every: "in all" if every else "in turn"
)
async def test_no_form_of_a_host_is_reached_by_a_page(ground: Ground, each_in_all: bool) -> None:
    """One page that leads to each form in all the ways, or in one of them in turn; the last to an open host."""
    async with counters(len(FORMS) + 1) as (allowed, *made):
        parts = []
        for place, (form, closed) in enumerate(zip(FORMS.values(), made, strict=True)):
            url = escape(form.format(p=closed.port), quote=True)
            parts += [lead.format(url) for lead in (LEADS if each_in_all else (LEADS[place % len(LEADS)],))]
        parts.append(f'<img src="http://{OPEN}:{allowed.port}/">')
        async with ground.browser.page(ground.web) as session:
            await session.open(ground.serve("forms", "".join(parts)))
            await asyncio.wait_for(allowed.came.wait(), PATIENCE_S)
        assert {name: each.hits for name, each in zip(FORMS, made, strict=True) if each.hits} == {}


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "view-source:http://127.0.0.1/",
        "data:text/html,<p>x",
        "ftp://127.0.0.1/",
        "javascript:alert(1)",
        "chrome://version",
        "about:blank",
        "blob:http://site.example/1",
        "filesystem:http://site.example/1",
        "ws://127.0.0.1/",
        "http://user:password@site.example/",
    ],
)
async def test_other_schemes_are_refused(url: str, ground: Ground) -> None:
    async with ground.browser.page(ground.web) as session:
        with pytest.raises(UrlRefused):
            await session.open(url)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "view-source:http://site.example/", "data:text/html,x"]
)
async def test_a_page_does_not_lead_to_other_schemes(url: str, ground: Ground) -> None:
    html = f"""<p id="p">here</p><iframe src="{url}"></iframe><script>
    for (const go of [() => location.replace("{url}"), () => open("{url}"), () => fetch("{url}")])
      try {{ Promise.resolve(go()).catch(() => {{}}) }} catch {{ }}</script>"""
    async with ground.browser.page(ground.web) as session:
        await session.open(ground.serve("schemes", html))
        opened = [frame.url for page in session.context.pages for frame in page.frames]
        assert session.page.url == f"{ground.origin}/page/schemes"
        assert [address for address in opened if address.startswith(("file", "view-source"))] == []


# --- what is told


async def test_a_refused_page_is_a_typed_error_that_names_host_and_rule(ground: Ground) -> None:
    async with counters(1) as (closed,), ground.browser.page(ground.web) as session:
        with pytest.raises(UrlRefused, match=r"'inside\.example' was refused: it resolves to an") as caught:
            await session.open(f"http://inside.example:{closed.port}/")
    assert "127.0.0.1" not in str(caught.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_page_that_redirects_inside_is_refused(status: int, ground: Ground) -> None:
    async with counters(1) as (closed,), ground.browser.page(ground.web) as session:
        with pytest.raises(UrlRefused, match=r"'inside\.example'"):
            await session.open(f"{ground.origin}/to/{status}/http://inside.example:{closed.port}/")
    assert closed.hits == []


async def test_a_host_without_an_address_is_told(ground: Ground) -> None:
    async with ground.browser.page(ground.web) as session:
        with pytest.raises(PageNotLoaded, match="ERR_NAME_NOT_RESOLVED"):
            await session.open("http://nowhere.example/")
        with pytest.raises(PageNotLoaded, match="ERR_NAME_NOT_RESOLVED"):
            await session.open("https://nowhere.example/")


async def test_what_one_context_was_refused_is_not_told_of_another(ground: Ground) -> None:
    async with ground.browser.page(ground.web) as one, ground.browser.page(ground.web) as other:
        with pytest.raises(UrlRefused):
            await one.open("http://inside.example/")
        await other.open(ground.serve("quiet", "<p>x"))
        assert (len(one.traffic.refused), other.traffic.refused) == (1, [])
