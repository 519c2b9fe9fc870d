"""Which requests of a page count as data, how they are told, and which calls are one entry."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from verifaible.browser.analysis.data_requests import data_requests, path_pattern
from verifaible.browser.traffic.requests import Asked
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

PAGE = "https://example.org/page"


def exchange(
    url: str,
    media: str,
    body: bytes,
    *,
    method: str = "GET",
    sent: bytes = b"",
    sends: str = "application/x-www-form-urlencoded",
    accept: str = "*/*",
    status: int = 200,
    location: str = "",
) -> WebExchange:
    headers = (("accept", accept), ("content-type", sends))
    answered = (("content-type", media), *((("location", location),) if location else ()))
    return WebExchange(
        WebRequest(url, method, headers, sent),
        WebResponse(status, answered, body),
        datetime(2026, 3, 2, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("image/png", b"x"),
        ("text/css", b"a{}"),
        ("application/javascript", b"var a = 1;"),
        ("font/woff2", b"x"),
    ],
)
def test_what_only_dresses_a_page_is_no_data(media: str, body: bytes) -> None:
    assert data_requests([exchange("https://example.org/f", media, body)], [PAGE]) == ()


def test_page_itself_and_redirects_are_no_data() -> None:
    exchanges = [
        exchange(PAGE, "text/html", b"<p>", accept="text/html"),
        exchange("https://example.org/old", "application/json", b"", status=302),
    ]
    assert data_requests(exchanges, [f"{PAGE}#part"]) == ()


def test_what_a_redirect_leads_to_is_what_a_script_asked_for() -> None:
    """An archive answers with the last of the hops, and the browser saw only the first one asked for."""
    exchanges = [
        exchange("https://example.org/data", "", b"", status=302, location="/moved"),
        exchange("https://example.org/moved", "", b"", status=301, location="data.csv#rows"),
        exchange("https://example.org/data.csv", "text/csv", b"a,b"),
        exchange("https://example.org/words.csv", "text/csv", b"c,d"),
    ]
    asked = Asked("https://example.org/data", "GET", "fetch", 1.0)
    (found,) = data_requests(exchanges, [PAGE], [asked])
    assert (found.address, found.kind, found.beginning) == ("https://example.org/data.csv", "fetch", "a,b")


def test_jsonp_without_its_callback_and_cache_buster() -> None:
    url = "https://query.example.org/q.do?jsonCallBack=cb123456&day=2025-02-11&_=1772400000000"
    (found,) = data_requests([exchange(url, "text/javascript", b'cb123456({"a":1})')], [PAGE])
    assert (found.address, found.callback) == ("https://query.example.org/q.do", "jsonCallBack")
    assert found.parameters == (("day", "2025-02-11"),)


def test_repeated_request_is_listed_once_with_its_last_answer() -> None:
    first = exchange("https://example.org/q?page=1&_=1", "application/json", b"[1]")
    again = exchange("https://example.org/q?page=1&_=2", "application/json", b"[1,2]")
    (found,) = data_requests([first, again], [PAGE])
    assert found.beginning == "[1,2]"


def test_posted_form_shows_its_fields() -> None:
    posted = exchange(
        "https://example.org/q", "text/html", b"<tr>", method="POST", sent=b"city=%E9%83%91&empty="
    )
    (found,) = data_requests([posted], [PAGE])
    assert (found.method, found.parameters) == ("POST", (("city", "郑"), ("empty", "")))


def test_answer_is_decoded_as_its_header_says() -> None:
    media = "application/json; charset=gbk"
    (found,) = data_requests(
        [exchange("https://example.org/q", media, '{"城市":"郑州"}'.encode("gbk"))], [PAGE]
    )
    assert found.beginning == '{"城市":"郑州"}'


@pytest.mark.parametrize(
    ("body", "sends", "sent"),
    [
        (b'{"query": "query A { a }"}', "application/json", '{"query": "query A { a }"}'),
        (b"", "application/json", ""),
        (b"\x08\xff", "application/x-protobuf", "2 bytes of application/x-protobuf"),
        (b"a=1 or b=2", "text/plain", "a=1 or b=2"),
    ],
    ids=["JSON", "nothing", "bytes", "text"],
)
def test_what_is_sent_and_is_no_form_is_shown_as_it_is(body: bytes, sends: str, sent: str) -> None:
    url = "https://example.org/q"
    (found,) = data_requests(
        [exchange(url, "application/json", b"{}", method="POST", sent=body, sends=sends)], [PAGE]
    )
    assert (found.sent, found.parameters) == (sent, ())


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/api/items/42", "/api/items/{id}"),
        ("/api/v2/items", "/api/v2/items"),
        ("/days/2025-01-15/rates", "/days/{date}/rates"),
        ("/days/20250115.json", "/days/{date}.json"),
        ("/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/u/{uuid}"),
        ("/f/9e107d9d372bb6826bd81d3542a419d6.json", "/f/{hash}.json"),
        ("/item-48213.html", "/item-{id}.html"),
        ("/commonQuery.do", "/commonQuery.do"),
        ("/report/2025/annual", "/report/{id}/annual"),
        ("/", "/"),
    ],
)
def test_ids_dates_and_hashes_become_placeholders(path: str, pattern: str) -> None:
    assert path_pattern(path) == pattern


def test_calls_for_other_ids_are_one_entry() -> None:
    urls = [f"https://example.org/api/items/{n}" for n in (7, 8, 9)]
    (one,) = data_requests([exchange(f"{url}?lang=en", "application/json", b"{}") for url in urls], [PAGE])
    assert (one.pattern, one.calls) == ("https://example.org/api/items/{id}", 3)
    assert one.examples == tuple(urls)


@pytest.mark.parametrize(
    ("values", "entries"),
    [
        (("12", "13"), 1),
        (("2025-01-15", "2025-01-16"), 1),
        (("", "7"), 1),
        (("RATES", "YIELDS"), 2),
        (("a", "b", "c", "d"), 1),
    ],
    ids=["numbers", "dates", "nothing", "words", "many words"],
)
def test_calls_that_differ_in_a_word_stay_apart_unless_they_are_many(
    values: tuple[str, ...], entries: int
) -> None:
    urls = [f"https://example.org/q?x={value}" for value in values]
    assert len(data_requests([exchange(url, "application/json", b"{}") for url in urls], [PAGE])) == entries


def test_other_bodies_stay_apart_unless_they_are_many() -> None:
    def posted(number: int) -> int:
        found = data_requests(
            [
                exchange(
                    "https://example.org/graphql",
                    "application/json",
                    b"{}",
                    method="POST",
                    sent=b'{"query": "%c"}' % (97 + n),
                    sends="application/json",
                )
                for n in range(number)
            ],
            [PAGE],
        )
        return len(found)

    assert [posted(number) for number in (1, 3, 4)] == [1, 3, 1]


def test_kinds_times_and_what_has_no_answer() -> None:
    asked = [
        Asked(f"{PAGE}/a", "GET", "fetch", 1.0, status=200),
        Asked(f"{PAGE}/b", "POST", "ping", 2.0, b"x=1"),
        Asked(
            f"{PAGE}/live",
            "GET",
            "eventsource",
            3.0,
            answer_type="text/event-stream",
            status=200,
            messages=('{"p": 1}',),
        ),
        Asked(f"{PAGE}/style.css", "GET", "stylesheet", 3.5),
        Asked(f"{PAGE}/a", "GET", "xhr", 9.0, status=200),
    ]
    exchanges = [exchange(f"{PAGE}/a", "application/json", b"{}") for _ in range(2)]
    found = {(one.kind, one.when) for one in data_requests(exchanges, [PAGE], asked, [5.0, 8.0])}
    assert found == {("XHR", "step 2"), ("beacon", "at load"), ("SSE", "at load")}, (
        "equal calls are one, the last"
    )
    (stream,) = [one for one in data_requests(exchanges, [PAGE], asked) if one.kind == "SSE"]
    assert (stream.beginning, stream.media_type, stream.status) == ('{"p": 1}', "text/event-stream", 200)


def test_script_that_only_gives_data_is_data() -> None:
    body = b'var hq_str_sh600000="Bank,9.50,9.48";\nvar hq_str_sz1="";\n'
    (one,) = data_requests(
        [exchange("https://hq.example.org/list=sh600000", "application/javascript", body)], [PAGE]
    )
    assert (one.kind, one.own) == ("script data", True)
    code = b"var a = {run: function () { return 1; }};"
    assert data_requests([exchange("https://example.org/a.js", "application/javascript", code)], [PAGE]) == ()
