"""How many of a page's endpoints analyze_page finds: every way to ask, at load and by a step."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic

import pytest
import pytest_asyncio

from tests.browser.conftest import Site, serving
from tests.browser.toolboxes import Caller
from verifaible.browser.analysis.analyze import Analysis, analyze
from verifaible.browser.analysis.data_requests import DataRequest
from verifaible.browser.analysis.watch import RequestWatch
from verifaible.browser.steps.playing import play
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web
from verifaible.schema.action import Click

#: Method, path pattern, kind: all that the page asks for at load.
AT_LOAD = [
    ("GET", "/api/list", "fetch"),
    ("GET", "/api/detail/{id}", "XHR"),
    ("POST", "/api/search", "XHR"),
    ("POST", "/api/filter", "fetch"),
    ("GET", "/jsonp/quote", "JSONP"),
    ("GET", "/jsonp/dotted", "JSONP"),
    ("POST", "/graphql", "fetch"),
    ("POST", "/graphql/batch", "fetch"),
    ("GET", "/graphql/read", "fetch"),
    ("POST", "/rpc", "fetch"),
    ("POST", "/batch", "fetch"),
    ("POST", "/beacon", "beacon"),
    ("PUT", "/api/item/{id}", "fetch"),
    ("DELETE", "/api/item/{id}", "fetch"),
    ("PATCH", "/api/item/{id}", "XHR"),
    ("GET", "/data/rates.csv", "fetch"),
    ("GET", "/data/feed.xml", "XHR"),
    ("GET", "/partials/rows", "fetch"),
    ("GET", "/hq/list", "script data"),
    ("GET", "/api/ping", "fetch"),
    ("GET", "/api/broken", "fetch"),
    ("GET", "/api/missing", "fetch"),
    ("GET", "/api/frame", "fetch"),
    ("GET", "/api/sync", "XHR"),
    ("POST", "/api/upload", "fetch"),
    ("POST", "/api/track", "fetch"),
    ("GET", "/api/plain", "fetch"),
    ("POST", "/api/proto", "fetch"),
    ("GET", "/api/days/{date}", "fetch"),
    ("GET", "/api/users/{uuid}/orders", "fetch"),
    ("GET", "/api/files/{hash}", "fetch"),
    ("HEAD", "/api/head", "fetch"),
    ("GET", "/api/worker", "fetch"),
    ("GET", "/api/later", "fetch"),
]
BY_CLICK = [
    ("GET", "/api/click", "fetch", 1),
    ("GET", "/jsonp/click", "JSONP", 2),
    ("POST", "/api/click", "fetch", 3),
]
PAGE = r"""
<h1>Prices</h1><button id="one">Fetch</button><button id="two">Ask</button><button id="three">Send</button>
<iframe id="inner" src="/frame"></iframe>
<script>
window.shop = { quoteTaken(data) { window.quoted = data; } };
function takeQuote(data) { window.quote = data; }
const asJson = (method, body) => ({ method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
function xhr(method, url, body, type, wait = true) {
  const request = new XMLHttpRequest();
  request.open(method, url, wait);
  if (type) request.setRequestHeader("content-type", type);
  request.send(body);
}
function addScript(src) { const script = document.createElement("script"); script.src = src; document.head.append(script); }
function loadList() {
  for (const page of [1, 2, 3]) fetch(`/api/list?page=${page}&size=20&_=${Date.now()}`);
}
loadList();
for (const id of [10234, 10235]) xhr("GET", `/api/detail/${id}?lang=en`);
xhr("POST", "/api/search", "q=gold+price&page=1", "application/x-www-form-urlencoded");
fetch("/api/filter", asJson("POST", { from: "2025-01-01", to: "2025-02-01", tags: ["a", "b"], page: { size: 50, number: 1 } }));
addScript("/jsonp/quote?callback=takeQuote&code=600000&_=" + Date.now());
addScript("/jsonp/dotted?cb=shop.quoteTaken&code=1");
fetch("/graphql", asJson("POST", { operationName: "Prices", query: "query Prices($day: String!) { prices(day: $day) { name value } }", variables: { day: "2025-01-15" } }));
fetch("/graphql", asJson("POST", { query: "mutation { touch }" }));
fetch("/graphql/batch", asJson("POST", [{ query: "query First { a }" }, { query: "query Second { b }" }]));
fetch("/graphql/read?operationName=Read&query=" + encodeURIComponent("query Read { c }"));
fetch("/rpc", asJson("POST", { jsonrpc: "2.0", method: "market.last", params: [1], id: 1 }));
fetch("/batch", asJson("POST", { requests: [{ method: "GET", url: "/things/1" }, { method: "GET", url: "/things/2" }] }));
navigator.sendBeacon("/beacon", JSON.stringify({ event: "view" }));
fetch("/api/item/7", asJson("PUT", { name: "x" }));
fetch("/api/item/8", { method: "DELETE" });
xhr("PATCH", "/api/item/9", "{}", "application/json");
fetch("/data/rates.csv");
xhr("GET", "/data/feed.xml");
fetch("/partials/rows");
addScript("/hq/list?list=sh600000,sz000001");
fetch("/api/ping");
fetch("/api/broken");
fetch("/api/missing");
xhr("GET", "/api/sync", null, "", false);
const form = new FormData(); form.append("title", "Report"); form.append("file", new Blob(["a,b"]), "rows.csv");
fetch("/api/upload", { method: "POST", body: form });
fetch("/api/track", { method: "POST", body: "e=1", keepalive: true });
fetch("/api/plain");
fetch("/api/proto", { method: "POST", body: new Uint8Array([8, 150, 255]) });
fetch("/api/days/2025-01-15");
fetch("/api/users/3f2504e0-4f89-11d3-9a0c-0305e82c3301/orders");
fetch("/api/files/9e107d9d372bb6826bd81d3542a419d6");
fetch("/api/head", { method: "HEAD" });
new Worker("/worker.js");
setTimeout(() => fetch("/api/later"), 30);
document.querySelector("#one").addEventListener("click", function showMore() { fetch("/api/click?page=2"); });
document.querySelector("#two").onclick = () => addScript("/jsonp/click?callback=takeQuote&n=1");
document.querySelector("#three").onclick = () => fetch("/api/click", asJson("POST", { chosen: true }));
</script>
<script src="/static/app.js"></script>
"""


@pytest.fixture
def page(site: Site) -> str:
    return fill(site)


def fill(site: Site) -> str:
    """Serve the fixture page with all it asks for; its URL."""
    json_type = {"content-type": "application/json"}
    data = json.dumps(
        {"total": 2, "rows": [{"name": "gold", "value": 91.25}, {"name": "silver", "value": 7}]}
    )
    for method_path in {pattern for _, pattern, _ in AT_LOAD} | {"/api/click"}:
        path = method_path.replace("{id}", "7")
        site.pages[path] = (200, json_type, data)
    for path in (
        "/api/detail/10234",
        "/api/detail/10235",
        "/api/item/8",
        "/api/item/9",
        "/api/days/2025-01-15",
    ):
        site.pages[path] = (200, json_type, data)
    site.pages["/api/users/3f2504e0-4f89-11d3-9a0c-0305e82c3301/orders"] = (200, json_type, data)
    site.pages["/api/files/9e107d9d372bb6826bd81d3542a419d6"] = (200, json_type, data)
    for path, name in (
        ("/jsonp/quote", "takeQuote"),
        ("/jsonp/click", "takeQuote"),
        ("/jsonp/dotted", "shop.quoteTaken"),
    ):
        site.file(path, "application/javascript", f'/**/ {name}({{"code": "600000", "price": 9.5}});')
    site.file("/data/rates.csv", "text/csv", "a,b\n1,2\n")
    site.file("/data/feed.xml", "application/xml", "<feed><a>1</a></feed>")
    site.file("/partials/rows", "text/html", "<tr><td>1</td></tr>")
    site.file(
        "/hq/list",
        "application/javascript",
        'var hq_str_sh600000="Bank,9.50,9.48";\nvar hq_str_sz000001="Bank,11.2,11.1";\n',
    )
    site.file("/api/plain", "text/plain", '{"as": "text"}')
    site.pages["/api/ping"] = (204, {}, "")
    site.pages["/api/broken"] = (500, json_type, '{"error": "no"}')
    site.pages["/api/missing"] = (404, json_type, '{"error": "none"}')
    site.file("/worker.js", "application/javascript", 'fetch("/api/worker?from=worker");')
    site.file("/static/app.js", "application/javascript", "function unused() { return 1; }")
    site.html("/frame", '<p>Inside</p><script>fetch("/api/frame")</script>')
    return site.html("/prices", PAGE, "Prices")


def path_of(one: DataRequest) -> str:
    return "/" + one.pattern.split("/", 3)[3]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def analysis(live_web: Web, browser: Browser) -> Analysis:
    """The page from before it was loaded until its buttons were clicked."""
    with serving() as site:
        async with browser.page(live_web) as session:
            watch = RequestWatch(session)
            await watch.start()
            await session.open(fill(site))
            starts = []
            for name in ("#one", "#two", "#three"):
                starts.append(monotonic())
                await play(session, [Click(type="click", selector=name)])
            return await analyze(session, await watch.stop(), starts)


def test_endpoints_at_load_and_by_click(analysis: Analysis) -> None:
    found = {(one.method, path_of(one), one.kind): one for one in analysis.requests}
    wanted = [*AT_LOAD, *[each[:3] for each in BY_CLICK]]
    missing = [each for each in wanted if each not in found]
    assert len(missing) <= 0.05 * len(wanted), missing
    assert missing == []
    extra = set(found) - set(wanted)
    assert extra == set(), "what only dresses the page is no endpoint"
    for method, path, kind, step in BY_CLICK:
        assert found[(method, path, kind)].when == f"step {step}", path
    assert found[("GET", "/api/list", "fetch")].when == "at load"


def test_what_requests_send_and_get(analysis: Analysis) -> None:
    by_path: dict[tuple[str, str], list[DataRequest]] = {}
    for one in analysis.requests:
        by_path.setdefault((one.method, path_of(one)), []).append(one)
    (listed,) = by_path[("GET", "/api/list")]
    assert listed.calls == 3
    assert dict(listed.values) == {"page": ("1", "2", "3"), "size": ("20",)}, "without the cache-buster"
    assert listed.beginning.startswith('{"total": 2, "rows": [{"name": "gold"')
    (detail,) = by_path[("GET", "/api/detail/{id}")]
    assert [example.rpartition("/")[2] for example in detail.examples] == ["10234", "10235"]
    (search,) = by_path[("POST", "/api/search")]
    assert (search.parameters, search.sent) == ((("q", "gold price"), ("page", "1")), "")
    (filtered,) = by_path[("POST", "/api/filter")]
    assert filtered.sent.startswith('{"from":"2025-01-01","to":"2025-02-01","tags":["a","b"]')
    queries = [one.sent for one in by_path[("POST", "/graphql")]]
    assert len(queries) == 2 and "query Prices" in queries[0] and "mutation { touch }" in queries[1]
    (upload,) = by_path[("POST", "/api/upload")]
    assert 'name="title"' in upload.sent and 'filename="rows.csv"' in upload.sent
    assert by_path[("POST", "/api/proto")][0].sent.startswith("3 bytes of ")
    assert {one.status for one in by_path[("GET", "/api/broken")]} == {500}
    assert '"code": "600000"' in by_path[("GET", "/jsonp/quote")][0].beginning


async def test_summary_of_a_busy_page_keeps_to_its_tokens(
    page: str, settings: Settings, live_web: Web, browser: Browser
) -> None:
    from verifaible.tools.analyze_page import token_estimate

    call = Caller(settings, live_web, browser)
    text = (await call("analyze_page", url=page)).text
    assert token_estimate(text) <= 2_000
    assert 'section="requests"' in text, "the rest is to be had"
    whole = ""
    offset = 0
    for _ in range(20):
        part = (await call("analyze_page", url=page, section="requests", offset=offset)).text
        whole += part
        if "Next part: offset=" not in part:
            break
        offset = int(part.rpartition("Next part: offset=")[2].split(".")[0])
    for _, path, _ in AT_LOAD:
        assert path in whole, path


class Stream:
    """An event stream that sends two events and then stays open until it is closed."""

    def __init__(self) -> None:
        self.end = threading.Event()
        stream = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("access-control-allow-origin", "*")
                self.end_headers()
                self.wfile.write(b'data: {"price": 91.25}\n\ndata: {"price": 91.5}\n\n')
                self.wfile.flush()
                stream.end.wait(30)

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/ticks"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def stream() -> Iterator[Stream]:
    opened = Stream()
    yield opened
    opened.end.set()
    opened.server.shutdown()
    opened.server.server_close()


@pytest.mark.nightly
async def test_event_stream_that_stays_open(
    site: Site, stream: Stream, settings: Settings, live_web: Web, browser: Browser
) -> None:
    url = site.html(
        "/live",
        f'<p id="p">-</p><script>new EventSource("{stream.url}").onmessage = (event) => {{ p.textContent = event.data; }};</script>',
    )
    text = (await Caller(settings, live_web, browser)("analyze_page", url=url)).text
    assert f"GET {stream.url} -> 200, text/event-stream" in text
    assert ", SSE" in text
    assert 'answer: {"price": 91.25}' in text


@pytest.mark.nightly
async def test_answer_of_many_reports_at_one_address(site: Site, live_web: Web, browser: Browser) -> None:
    """A word that names a report keeps calls apart; many such words become one entry."""
    script = "for (const r of ['RATES', 'YIELDS']) fetch('/q?report=' + r + '&page=1');"
    many = "for (let n = 0; n < 9; n++) fetch('/p?city=' + 'abcdefghi'[n].repeat(3));"
    for path in ("/q", "/p"):
        site.file(path, "application/json", "[]")
    url = site.html("/reports", f"<p>Reports</p><script>{script}{many}</script>")
    async with browser.page(live_web) as session:
        await session.open(url)
        analysis = await analyze(session)
    assert [dict(one.parameters)["report"] for one in analysis.requests if path_of(one) == "/q"] == [
        "RATES",
        "YIELDS",
    ]
    (cities,) = [one for one in analysis.requests if path_of(one) == "/p"]
    assert (cities.calls, len(dict(cities.values)["city"])) == (9, 9)
