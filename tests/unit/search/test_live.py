"""Several engines in turn: which one answers, what is missing, time-outs, pauses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.servers.search_servers import Fault, Page, SearchServers
from tests.unit.search.conftest import engine
from verifaible.config import Settings
from verifaible.errors import BadArguments, PageNotLoaded
from verifaible.net.client import HttpClient
from verifaible.net.web import Web
from verifaible.search.base import Query, SearchHit
from verifaible.search.live import LiveSearch

Client = Callable[[], HttpClient]
A, B, C = (Page(f"https://{letter}.example/page", letter.upper()) for letter in "abc")


def live(servers: SearchServers, client: Client, *names: str, timeout_s: float = 20) -> LiveSearch:
    return LiveSearch([engine(name, servers) for name in names], lambda _: client(), timeout_s=timeout_s)


async def test_the_first_that_finds_something_answers(servers: SearchServers, client: Client) -> None:
    servers.pages = {"brave": [C, B, C], "searxng": [B]}
    answer = await live(servers, client, "tavily", "brave", "searxng").search("words", 5)
    assert [hit.title for hit in answer] == ["C", "B"]
    assert (answer.answered, answer.faults) == (("tavily", "brave"), ())
    assert {each.engine for each in servers.asked} == {"tavily", "brave"}
    assert len(await live(servers, client, "brave").search("words", 1)) == 1


async def test_an_engine_that_failed_is_named_with_its_reason(servers: SearchServers, client: Client) -> None:
    servers.pages["tavily"] = [A]
    servers.faults = {"brave": Fault(404), "exa": Fault(200, b"{"), "searxng": Fault(429)}
    answer = await live(servers, client, "brave", "exa", "searxng", "tavily").search("words", 5)
    assert [hit.title for hit in answer] == ["A"]
    assert {fault.engine: fault.reason for fault in answer.faults} == {
        "brave": "it answered with HTTP status 404",
        "exa": "its answer is no JSON",
        "searxng": "it takes no more requests for now (HTTP status 429)",
    }


async def test_all_failed_is_an_error_with_every_reason(servers: SearchServers, client: Client) -> None:
    servers.faults = {"brave": Fault(404), "tavily": Fault(200, b"<p>hm</p>")}
    with pytest.raises(PageNotLoaded, match=r"brave: .*404; tavily: .*Try again in a minute") as caught:
        await live(servers, client, "brave", "tavily").search("words", 5)
    assert "'words'" in str(caught.value)


async def test_nothing_found_is_an_answer_if_one_engine_says_so(
    servers: SearchServers, client: Client
) -> None:
    servers.faults["brave"] = Fault(500)
    answer = await live(servers, client, "brave", "tavily").search("words", 5)
    assert (len(answer), answer.answered) == (0, ("tavily",))
    assert [fault.engine for fault in answer.faults] == ["brave"]


async def test_a_slow_engine_gives_way_to_the_next(servers: SearchServers, client: Client) -> None:
    servers.pages["tavily"], servers.held = [A], {"brave"}
    answer = await live(servers, client, "brave", "tavily", timeout_s=2).search("words", 5)
    assert [hit.title for hit in answer] == ["A"]
    assert answer.faults[0].reason == "no answer within 2 s"


@pytest.mark.parametrize("seconds", ["20", "120"])
async def test_a_pause_that_an_engine_asks_for_is_kept_to(servers: SearchServers, seconds: str) -> None:
    servers.faults["brave"] = Fault(429, headers={"retry-after": seconds})
    web = Web.live(Settings(allow_hosts=("127.0.0.1", "localhost"))).searching()
    search = live(servers, web.client, "brave")
    for reason in ("no more requests", "left alone"):
        with pytest.raises(PageNotLoaded, match=reason):
            await search.search("words", 5)
    assert len(servers.asked) == 1


async def test_site_keeps_to_the_host_whatever_an_engine_does(servers: SearchServers, client: Client) -> None:
    servers.pages["brave"] = [A]
    servers.pages["tavily"] = [A, Page("https://data.b.example/x", "B"), Page("https://notb.example/", "N")]
    answer = await live(servers, client, "brave", "tavily").search("words site:www.b.example", 5)
    assert [hit.title for hit in answer] == ["B"]


@pytest.mark.parametrize("query", ["", "   ", "?!", "site:example.org"])
async def test_a_query_without_words_is_not_sent(query: str, servers: SearchServers, client: Client) -> None:
    with pytest.raises(BadArguments, match="query"):
        await live(servers, client, "tavily").search(query, 5)
    assert servers.asked == []


async def test_what_cannot_be_seen_is_taken_out(servers: SearchServers, client: Client) -> None:
    hidden = "Plain\u200b text\U000e0041\U000e0042\u202e &amp; <b>more</b>"
    servers.pages["tavily"] = [Page("https://example.org/a", hidden, hidden)]
    (hit,) = await live(servers, client, "tavily").search("words", 5)
    assert (hit.title, hit.snippet) == ("Plain text & more", "Plain text & more")


async def test_a_fault_of_ours_is_not_taken_for_the_engine(client: Client) -> None:
    class Broken:
        name = "broken"
        endpoint = ""

        async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await LiveSearch([Broken()], lambda _: client()).search("words", 5)
