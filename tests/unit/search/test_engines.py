"""Every engine of the live web over HTTP, against stand-ins that speak its documented form."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.servers.search_servers import ENGINES, KEY, Fault, Page, SearchServers
from tests.unit.search.conftest import engine
from verifaible.config import Settings
from verifaible.net.client import HttpClient
from verifaible.net.web import ENGINE_KEYS, Web
from verifaible.schema.web import WebExchange
from verifaible.search.base import EngineFailed, SearchHit, parse_query
from verifaible.search.engines import SearxngEngine

Client = Callable[[], HttpClient]
NAMES = sorted(ENGINES)
WITH_KEY = ("tavily", "exa", "brave")
PAGES = [
    Page(
        "https://www.stats.gov.cn/sj/a.html?x=1&y=%E4%B8%AD",
        "一线城市 & more",
        "Prices <b>fell</b> 0.9%",
        "2026-02-06T08:00:00",
    ),
    Page("https://example.org/b", "Second"),
]


async def find(
    name: str, servers: SearchServers, client: Client, query: str = "house prices", limit: int = 5
) -> tuple[SearchHit, ...]:
    async with client() as opened:
        return await engine(name, servers).find(parse_query(query, limit), opened)


async def failure(name: str, servers: SearchServers, client: Client) -> EngineFailed:
    with pytest.raises(EngineFailed) as caught:
        await find(name, servers, client)
    assert "{" not in caught.value.reason
    assert not caught.value.reason.endswith(".")
    return caught.value


@pytest.mark.parametrize("name", NAMES)
async def test_results_come_in_order_and_whole(name: str, servers: SearchServers, client: Client) -> None:
    servers.pages[name] = PAGES
    first, second = await find(name, servers, client)
    assert (first.url, second.url) == (PAGES[0].url, PAGES[1].url)
    assert (first.title, first.snippet) == ("一线城市 & more", "Prices fell 0.9%")
    assert first.published == "2026-02-06"
    assert (first.source, second.published) == (name, "")


@pytest.mark.parametrize("name", NAMES)
async def test_nothing_found_is_no_failure(name: str, servers: SearchServers, client: Client) -> None:
    assert await find(name, servers, client) == ()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("status", "reason"), [(429, "no more requests"), (404, "HTTP status 404"), (500, "HTTP status 500")]
)
async def test_an_error_status_is_named(
    name: str, status: int, reason: str, servers: SearchServers, client: Client
) -> None:
    servers.faults[name] = Fault(status, b'{"error": "x"}', headers={"retry-after": "7"})
    failed = await failure(name, servers, client)
    assert reason in failed.reason
    assert failed.status == status


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>Maintenance",
        b"[1, 2]",
        b'{"results": "none"',
        b"\xff\xfe\x00",
        b'{"results": 7, "web": {"results": 7}}',
    ],
)
async def test_an_answer_in_another_form_is_a_failure(
    name: str, body: bytes, servers: SearchServers, client: Client
) -> None:
    servers.faults[name] = Fault(200, body)
    await failure(name, servers, client)


@pytest.mark.parametrize("name", NAMES)
async def test_results_without_an_address_are_a_failure(
    name: str, servers: SearchServers, client: Client
) -> None:
    servers.pages[name] = [Page("javascript:alert(1)"), Page("file:///etc/passwd")]
    assert "addresses" in (await failure(name, servers, client)).reason
    servers.pages[name].append(PAGES[1])
    assert [hit.url for hit in await find(name, servers, client)] == [PAGES[1].url]


async def test_nobody_there(servers: SearchServers, client: Client) -> None:
    async with client() as opened:
        with pytest.raises(EngineFailed, match="could not be reached"):
            await SearxngEngine("http://127.0.0.1:9").find(parse_query("x", 5), opened)


async def test_the_guard_holds_for_searches(servers: SearchServers) -> None:
    async with Web.live(Settings()).client() as opened:
        with pytest.raises(EngineFailed, match=r"refused 127\.0\.0\.1.*VERIFAIBLE_LOCAL_ENDPOINTS"):
            await engine("searxng", servers).find(parse_query("x", 5), opened)
    assert servers.asked == []


# --- what is sent ------------------------------------------------------------------------------


async def test_searxng_is_asked_for_json(servers: SearchServers, client: Client) -> None:
    await find("searxng", servers, client, "一线城市 site:stats.gov.cn")
    (asked,) = servers.asked
    assert (asked.method, asked.path) == ("GET", "/search")
    assert asked.query == {"q": ["一线城市 site:stats.gov.cn"], "format": ["json"]}


@pytest.mark.parametrize("end", ["/", "/search", "/search/"])
async def test_searxng_by_any_of_its_addresses(end: str, servers: SearchServers, client: Client) -> None:
    async with client() as opened:
        await SearxngEngine(servers.of("searxng") + end).find(parse_query("x", 5), opened)
    assert servers.asked[0].path == "/search"


async def test_searxng_behind_a_password(servers: SearchServers, client: Client) -> None:
    base = servers.of("searxng").replace("http://", "http://me:p%40ss@")
    async with client() as opened:
        await SearxngEngine(base).find(parse_query("x", 5), opened)
    assert servers.asked[0].headers["authorization"] == "Basic bWU6cEBzcw=="


async def test_searxng_without_json_says_where_to_set_it(servers: SearchServers, client: Client) -> None:
    servers.faults["searxng"] = Fault(403)
    assert "search.formats" in (await failure("searxng", servers, client)).reason


async def test_searxng_whose_engines_are_silent_has_not_searched(
    servers: SearchServers, client: Client
) -> None:
    body = (
        b'{"results": [], "unresponsive_engines": [["google", "Suspended: CAPTCHA"], ["brave", "timeout"]]}'
    )
    servers.faults["searxng"] = Fault(200, body)
    assert "google Suspended: CAPTCHA, brave timeout" in (await failure("searxng", servers, client)).reason


async def test_tavily_is_asked_as_documented(servers: SearchServers, client: Client) -> None:
    await find("tavily", servers, client, "house site:https://www.stats.gov.cn/x prices", limit=50)
    (asked,) = servers.asked
    assert asked.json == {
        "query": "house prices",
        "max_results": 20,
        "search_depth": "basic",
        "include_domains": ["stats.gov.cn"],
    }


async def test_exa_is_asked_as_documented(servers: SearchServers, client: Client) -> None:
    await find("exa", servers, client, "house site:stats.gov.cn prices", limit=7)
    (asked,) = servers.asked
    assert asked.json == {
        "query": "house prices",
        "type": "auto",
        "numResults": 7,
        "contents": {"highlights": True},
        "includeDomains": ["stats.gov.cn"],
    }


async def test_brave_is_asked_as_documented(servers: SearchServers, client: Client) -> None:
    await find("brave", servers, client, "house site:stats.gov.cn " + "word " * 80, limit=50)
    (asked,) = servers.asked
    assert asked.query["count"] == ["20"]
    assert asked.query["q"][0].startswith("house site:stats.gov.cn word")
    assert asked.headers["accept"] == "application/json"


# --- keys --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_KEY)
async def test_a_refused_key_names_its_setting(name: str, servers: SearchServers, client: Client) -> None:
    servers.faults[name] = Fault(401, f'{{"detail": "bad key {KEY}"}}'.encode())
    failed = await failure(name, servers, client)
    assert f"VERIFAIBLE_{name.upper()}_API_KEY" in failed.reason
    assert KEY not in str(failed)


@pytest.mark.parametrize("status", [402, 432, 433])
async def test_a_used_up_quota(status: int, servers: SearchServers, client: Client) -> None:
    servers.faults["tavily"] = Fault(status)
    assert "quota" in (await failure("tavily", servers, client)).reason


@pytest.mark.parametrize("name", WITH_KEY)
async def test_a_key_is_in_a_header_only_and_never_in_results(name: str, servers: SearchServers) -> None:
    servers.pages[name] = [Page(f"https://example.org/{KEY}", f"Title {KEY}", f"Echo {KEY}")]
    kept: list[WebExchange] = []
    async with Web.live(Settings(allow_hosts=("127.0.0.1",))).client(kept) as opened:
        (hit,) = await engine(name, servers).find(parse_query("x", 5), opened)
    assert KEY not in hit.model_dump_json()
    assert KEY not in kept[0].request.url
    assert KEY.encode() not in kept[0].request.body
    carrying = {key.lower() for key, value in kept[0].request.headers if KEY in value}
    assert carrying
    assert carrying <= {"authorization", *ENGINE_KEYS}


@pytest.mark.parametrize("name", WITH_KEY)
async def test_a_key_does_not_follow_a_redirect(name: str, servers: SearchServers, client: Client) -> None:
    servers.faults[name] = Fault(307, headers={"location": servers.of("searxng") + "/search?q=x"})
    assert "307" in (await failure(name, servers, client)).reason
    assert [asked.engine for asked in servers.asked] == [name]
