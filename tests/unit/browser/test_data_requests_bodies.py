"""Short forms of addresses and bodies: patterns, shapes, GraphQL, batches, forms; and how calls are folded."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from verifaible.browser.analysis.bodies import (
    answer_shape,
    is_changing,
    path_pattern,
    schema_of,
    sent_body,
    shape_of,
)
from verifaible.browser.analysis.data_requests import data_requests
from verifaible.browser.analysis.objects import named_addresses
from verifaible.browser.analysis.watch import Asked
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

PAGE = "https://example.org/page"
JSON = "application/json"


def exchange(
    url: str,
    body: bytes = b"{}",
    media: str = JSON,
    *,
    method: str = "GET",
    sent: bytes = b"",
    sends: str = "",
    status: int = 200,
) -> WebExchange:
    request = WebRequest(url, method, (("accept", "*/*"), ("content-type", sends)), sent)
    return WebExchange(
        request, WebResponse(status, (("content-type", media),), body), datetime(2026, 3, 2, tzinfo=UTC)
    )


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


@pytest.mark.parametrize(
    ("value", "changing"), [("12", True), ("2025-01-15", True), ("", True), ("RATES", False), ("a1", False)]
)
def test_values_that_change_from_call_to_call(value: str, changing: bool) -> None:
    assert is_changing(value) is changing


def test_shape_shows_every_member_once_with_a_sample() -> None:
    value = {
        "ok": True,
        "rows": [{"a": 1}, {"a": 2, "b": None}],
        "none": [],
        "text": "x" * 50,
        "deep": {"1": {"2": {"3": {"4": 5}}}},
    }
    assert shape_of(value) == (
        '{ok: true, rows: [2 x {a: 2, b: null}], none: [], text: "'
        + "x" * 32
        + '…", deep: {1: {2: {3: {1 members}}}}}'
    )
    assert (
        schema_of(value)
        == "{ok: boolean, rows: [{a: integer, b: null}], none: [], text: string, deep: {1: {2: {3: object}}}}"
    )


@pytest.mark.parametrize("text", ['cb({"a": 1})', '/**/ shop.cb({"a": 1});', "typeof", "<p>"])
def test_shape_of_an_answer(text: str) -> None:
    assert answer_shape(text)[0] == ("{a: 1}" if "{" in text else "")


def test_forms_and_multipart_bodies_show_their_fields() -> None:
    form = sent_body(b"a=1&b=x+y", "application/x-www-form-urlencoded; charset=utf-8")
    assert form
    assert (form.kind, form.fields) == ("form", (("a", "1"), ("b", "x y")))
    parts = b'--q\r\ncontent-disposition: form-data; name="title"\r\n\r\nReport\r\n--q--\r\n'
    multipart = sent_body(parts, "multipart/form-data; boundary=q")
    assert multipart
    assert multipart.fields == (("title", "Report"),)


@pytest.mark.parametrize(
    ("value", "kind", "operations"),
    [
        (
            {"query": "query Day($d: String) { day(d: $d) { a } }", "variables": {"d": "x"}},
            "GraphQL",
            ("query Day",),
        ),
        ({"query": "{ prices { a } }"}, "GraphQL", ("query prices",)),
        ({"operationName": "Saved", "variables": {}, "extensions": {}}, "GraphQL", ("query Saved",)),
        (
            [{"query": "query A { a }"}, {"query": "mutation B { b }"}],
            "GraphQL batch",
            ("query A", "mutation B"),
        ),
        ([{"jsonrpc": "2.0", "method": "one"}, {"jsonrpc": "2.0", "method": "two"}], "batch", ("one", "two")),
        ({"requests": [{"method": "GET", "url": "/a"}]}, "batch", ("GET /a",)),
        ({"query": "gold price"}, "JSON", ()),
    ],
)
def test_operations_of_json_bodies(value: object, kind: str, operations: tuple[str, ...]) -> None:
    found = sent_body(json.dumps(value).encode(), JSON)
    assert found
    assert (found.kind, found.operations) == (kind, operations)


def test_binary_and_empty_bodies() -> None:
    assert sent_body(b"", JSON) is None
    found = sent_body(b"\x08\xff", "application/x-protobuf")
    assert found
    assert (found.kind, found.shape) == ("binary", "2 bytes of application/x-protobuf")


def test_calls_for_other_ids_are_one_entry() -> None:
    found = data_requests([exchange(f"https://example.org/api/items/{n}?lang=en") for n in (7, 8, 9)], [PAGE])
    (one,) = found
    assert (one.pattern, one.calls) == ("https://example.org/api/items/{id}", 3)
    assert one.examples == tuple(f"https://example.org/api/items/{n}" for n in (7, 8, 9))


def test_kinds_causes_and_what_has_no_answer() -> None:
    asked = [
        Asked(f"{PAGE}/a", "GET", "fetch", 1.0, caller="load (app.js:3)", status=200),
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
    exchanges = [exchange(f"{PAGE}/a"), exchange(f"{PAGE}/a")]
    found = {(one.kind, one.cause) for one in data_requests(exchanges, [PAGE], asked, [5.0, 8.0])}
    assert found == {("XHR", "step 2"), ("beacon", "at load"), ("SSE", "at load")}, (
        "equal calls are one, the last"
    )
    (stream,) = [one for one in data_requests(exchanges, [PAGE], asked) if one.kind == "SSE"]
    assert (stream.shape, stream.media_type, stream.status) == ("{p: 1}", "text/event-stream", 200)


def test_script_that_only_gives_data_is_data() -> None:
    body = b'var hq_str_sh600000="Bank,9.50,9.48";\nvar hq_str_sz1="";\n'
    (one,) = data_requests(
        [exchange("https://hq.example.org/list=sh600000", body, "application/javascript")], [PAGE]
    )
    assert (one.kind, one.own) == ("script data", True)
    code = b"var a = {run: function () { return 1; }};"
    assert data_requests([exchange("https://example.org/a.js", code, "application/javascript")], [PAGE]) == ()


def test_addresses_that_scripts_name_with_their_methods() -> None:
    source = (
        b'const x = fetch("/api/one", {method: "POST"}); fetch("/api/two"); $.getJSON("/three.json");'
        b'request.open("put", "/four"); const icon = "/api/icon.svg"; const bare = "/api/five?x=1";'
    )
    scripts = [exchange("https://example.org/app.js", source, "text/javascript")]
    found = {
        (one.method, one.address)
        for one in named_addresses(scripts, PAGE, ["https://example.org/api/two?x=2"])
    }
    site = "https://example.org"
    assert found == {
        ("POST", f"{site}/api/one"),
        ("GET", f"{site}/three.json"),
        ("PUT", f"{site}/four"),
        ("", f"{site}/api/five?x=1"),
    }
