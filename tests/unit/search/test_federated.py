"""Several engines side by side: fusion, what is missing, time-outs, breakers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.servers.search_servers import Fault, Page, SearchServers
from tests.unit.search.conftest import engine
from verifaible.errors import BadArguments, PageNotLoaded
from verifaible.net.client import HttpClient
from verifaible.search.base import MAX_HITS, Query, SearchHit
from verifaible.search.federated import Breaker, FederatedSearch, fuse, same_page_key
from verifaible.search.keyless import MojeekEngine

Client = Callable[[], HttpClient]
A, B, C = (Page(f"https://{letter}.example/page", letter.upper()) for letter in "abc")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def federated(servers: SearchServers, client: Client, *names: str, **options: float) -> FederatedSearch:
    return FederatedSearch([engine(name, servers) for name in names], client, **options)  # type: ignore[arg-type]


async def test_what_several_find_comes_first_and_says_who(servers: SearchServers, client: Client) -> None:
    servers.pages = {"mojeek": [A, B], "bing": [C, B], "tavily": [B]}
    answer = await federated(servers, client, "mojeek", "bing", "tavily").search("words", 5)
    assert [hit.title for hit in answer] == ["B", "A", "C"]
    assert answer[0].engines == ("tavily", "mojeek", "bing")
    assert (answer.answered, answer.faults) == (("mojeek", "bing", "tavily"), ())


async def test_an_engine_that_failed_is_named_with_its_reason(servers: SearchServers, client: Client) -> None:
    servers.pages["mojeek"] = [A]
    servers.faults = {"bing": Fault(404), "exa": Fault(200, b"{"), "searxng": Fault(429)}
    answer = await federated(servers, client, "mojeek", "bing", "exa", "searxng", "brave").search("words", 5)
    assert [hit.title for hit in answer] == ["A"]
    assert answer.answered == ("mojeek", "brave")
    assert {fault.engine: fault.reason for fault in answer.faults} == {
        "bing": "it answered with HTTP status 404",
        "exa": "its answer is no JSON",
        "searxng": "it takes no more requests for now (HTTP status 429)",
    }


async def test_all_failed_is_an_error_with_every_reason(servers: SearchServers, client: Client) -> None:
    servers.faults = {"bing": Fault(404), "mojeek": Fault(200, b"<p>hm</p>")}
    with pytest.raises(PageNotLoaded, match=r"bing: .*404; mojeek: .*Try again in a minute") as caught:
        await federated(servers, client, "bing", "mojeek").search("words", 5)
    assert "'words'" in str(caught.value)


async def test_nothing_found_is_an_answer_if_one_engine_says_so(
    servers: SearchServers, client: Client
) -> None:
    servers.faults["bing"] = Fault(500)
    answer = await federated(servers, client, "bing", "mojeek").search("words", 5)
    assert (len(answer), answer.answered) == (0, ("mojeek",))
    assert [fault.engine for fault in answer.faults] == ["bing"]


async def test_a_slow_engine_is_not_waited_for_beside_a_fast_one(
    servers: SearchServers, client: Client
) -> None:
    servers.pages["mojeek"], servers.held = [A], {"bing"}
    search = federated(servers, client, "bing", "mojeek", timeout_s=20, patience_s=0.05)
    answer = await search.search("words", 5)
    assert [hit.title for hit in answer] == ["A"]
    assert answer.faults[0].reason == "no answer within 0.05 s after the first engine"


async def test_slow_engines_alone_end_in_an_error(servers: SearchServers, client: Client) -> None:
    servers.held = {"bing", "mojeek"}
    with pytest.raises(
        PageNotLoaded, match=r"bing: no answer within 0\.3 s; mojeek: no answer within 0\.3 s"
    ):
        await federated(servers, client, "bing", "mojeek", timeout_s=0.3).search("words", 5)


async def test_an_engine_that_keeps_failing_is_left_alone_then_tried_once(
    servers: SearchServers, client: Client
) -> None:
    clock = Clock()
    servers.pages["mojeek"] = [A]
    servers.faults["bing"] = Fault(404)
    search = FederatedSearch(
        [engine("bing", servers), engine("mojeek", servers)],
        client,
        failures_to_open=2,
        open_s=60,
        clock=clock,
    )

    async def asked() -> int:
        servers.asked.clear()
        await search.search("words", 5)
        return sum(each.engine == "bing" for each in servers.asked)

    assert [await asked() for _ in range(4)] == [1, 1, 0, 0]
    answer = await search.search("words", 5)
    assert "left alone for 60 s" in answer.faults[0].reason
    clock.now += 61
    assert [await asked() for _ in range(2)] == [1, 0]
    clock.now += 61
    del servers.faults["bing"]
    servers.pages["bing"] = [B]
    assert [await asked() for _ in range(2)] == [1, 1]
    assert {hit.title for hit in await search.search("words", 5)} == {"A", "B"}


async def test_retry_after_is_kept_to(servers: SearchServers, client: Client) -> None:
    clock = Clock()
    servers.pages["mojeek"] = [A]
    servers.faults["bing"] = Fault(429, headers={"retry-after": "120"})
    elsewhere = MojeekEngine(base_url=servers.of("mojeek").replace("127.0.0.1", "localhost"))
    search = FederatedSearch([engine("bing", servers), elsewhere], client, clock=clock)
    await search.search("words", 5)
    assert "left alone for 120 s" in (await search.search("words", 5)).faults[0].reason


async def test_site_keeps_to_the_host_whatever_an_engine_does(servers: SearchServers, client: Client) -> None:
    servers.pages["mojeek"] = [A, Page("https://data.b.example/x", "B"), Page("https://notb.example/", "N")]
    answer = await federated(servers, client, "mojeek").search("words site:www.b.example", 5)
    assert [hit.title for hit in answer] == ["B"]


@pytest.mark.parametrize("query", ["", "   ", "?!", "site:example.org"])
async def test_a_query_without_words_is_not_sent(query: str, servers: SearchServers, client: Client) -> None:
    with pytest.raises(BadArguments, match="query"):
        await federated(servers, client, "mojeek").search(query, 5)
    assert servers.asked == []


async def test_what_cannot_be_seen_is_taken_out(servers: SearchServers, client: Client) -> None:
    hidden = "Plain\u200b text\U000e0041\U000e0042\u202e &amp; <b>more</b>"
    servers.pages["tavily"] = [Page("https://example.org/a", hidden, hidden)]
    (hit,) = await federated(servers, client, "tavily").search("words", 5)
    assert (hit.title, hit.snippet) == ("Plain text & more", "Plain text & more")


async def test_a_fault_of_ours_is_not_taken_for_the_engine(client: Client) -> None:
    class Broken:
        name = "broken"

        async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await FederatedSearch([Broken()], client).search("words", 5)


# --- fusion ------------------------------------------------------------------------------------


def hits(*urls: str, **fields: str) -> list[SearchHit]:
    return [SearchHit(title=url, url=url, source="x", **fields) for url in urls]


def test_scores_are_those_of_the_paper() -> None:
    fused = fuse(
        [("one", hits("https://a.example/", "https://b.example/")), ("two", hits("https://b.example/"))], 9
    )
    assert [(hit.title, hit.score) for hit in fused] == [
        ("https://b.example/", round(1 / 62 + 1 / 61, 6)),
        ("https://a.example/", round(1 / 61, 6)),
    ]


def test_an_engine_counts_once_for_a_page() -> None:
    twice = hits("https://a.example/x", "https://a.example/x?utm_source=y")
    (hit,) = fuse([("one", twice)], 9)
    assert (hit.score, hit.engines) == (round(1 / 61, 6), ("one",))


def test_what_the_best_ranked_lacks_comes_from_the_next() -> None:
    bare, full = hits("https://a.example/"), hits("https://a.example/", snippet="s", published="2026-01-02")
    (hit,) = fuse([("one", bare), ("two", full)], 9)
    assert (hit.snippet, hit.published, hit.engines) == ("s", "2026-01-02", ("one", "two"))


def test_the_number_of_hits_is_limited() -> None:
    many = hits(*(f"https://a.example/{number}" for number in range(MAX_HITS)))
    assert [hit.url for hit in fuse([("one", many)], 3)] == [hit.url for hit in many[:3]]


@pytest.mark.parametrize(
    "other",
    [
        "http://example.org/a?b=1&c=2",
        "https://www.example.org/a/?b=1&c=2",
        "https://EXAMPLE.org:443/a?c=2&b=1#part",
        "https://example.org/a?b=1&utm_source=x&c=2&gclid=3",
        "https://example.org/%61?b=1&c=2",
    ],
)
def test_spellings_of_one_page(other: str) -> None:
    assert same_page_key(other) == same_page_key("https://example.org/a?b=1&c=2")


@pytest.mark.parametrize(
    "other",
    [
        "https://example.org/a?b=1",
        "https://example.org/b?b=1&c=2",
        "https://data.example.org/a?b=1&c=2",
        "https://example.org/A?b=1&c=2",
        "https://example.org/a?b=%B8%DF&c=2",
    ],
)
def test_other_pages(other: str) -> None:
    assert same_page_key(other) != same_page_key("https://example.org/a?b=1&c=2")
    assert same_page_key("https://e.org/?q=%B8%DF") != same_page_key("https://e.org/?q=%B8%E0")


# --- the breaker -------------------------------------------------------------------------------


def test_half_open_lets_one_call_through() -> None:
    clock = Clock()
    breaker = Breaker(1, 10, clock)
    assert breaker.enter()
    breaker.failed()
    assert not breaker.enter()
    clock.now += 10
    assert [breaker.enter(), breaker.enter()] == [True, False]
    breaker.abandoned()
    assert breaker.enter()
    breaker.succeeded()
    assert [breaker.enter(), breaker.enter()] == [True, True]


def test_failures_in_between_do_not_add_up() -> None:
    breaker = Breaker(2, 10, Clock())
    for _ in range(5):
        assert breaker.enter()
        breaker.failed()
        breaker.succeeded()
    assert breaker.wait_s == 0
