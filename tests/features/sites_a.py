"""Sites 1 to 10: sockets, streams, workers, stores, ranges, GraphQL, JSONP."""
import gzip, hashlib, json, struct, threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.features.common import shell, text
from tests.features.server import Headers, Req, Route, Routes

Step = dict[str, Any]

A: Routes = {}
B: Routes = {}
PAGES: list[dict[str, Any]] = []


def page(id: str, feature: str, path: str, quote: str | None = None, steps: Iterable[Step] = (), **kw: Any) -> None:
    PAGES.append({"id": id, "feature": feature, "path": path, "steps": list(steps), "quote": quote,
                  **kw, "capturable": kw.get("capturable", True)})


def at(path: str, where: Routes = A) -> Callable[[Route], Route]:
    def deco(f: Route) -> Route:
        where[path] = f
        return f
    return deco


def click(s: str, ms: int = 300) -> Step: return {"type": "click", "selector": s, "wait_ms": ms}
def typ(s: str, v: str, ms: int = 300) -> Step: return {"type": "type", "selector": s, "value": v, "wait_ms": ms}
def sel(s: str, v: str, ms: int = 300) -> Step: return {"type": "select", "selector": s, "value": v, "wait_ms": ms}
def press(s: str, v: str, ms: int = 300) -> Step: return {"type": "press", "selector": s, "value": v, "wait_ms": ms}
def wait(ms: int) -> Step: return {"type": "wait", "wait_ms": ms}


# 1 ------------------------------------------------------------------ WebSocket
page("ws-departures", "WebSocket feed: subscribe message, snapshot, then text and binary deltas",
     "/ws-departures/", None, [sel("#stop", "quay", 2500)],
     row="14 Marsh Lane", column="Expected", value="10:52")


@at("/ws-departures/")
def _(r: Req) -> None:
    r.send(shell("Departures", "Havenbrook Buses", text("ws-departures.html"), color="#7c2d12", nav=("Departures", "Tickets", "Lost property")))


@at("/ws-departures/feed")
def _(r: Req) -> None:
    if r.headers.get("Upgrade", "").lower() != "websocket":
        return r.send("Upgrade required", "text/plain", 426)
    ws = r.websocket()
    first = ws.recv()
    if not first:
        return
    m = json.loads(first)
    rid = m.get("rid")
    threading.Thread(target=lambda: [None for _ in iter(ws.recv, None)], daemon=True).start()
    rows = [{"id": "a", "service": "9 Saltmarket", "due": "10:41", "expected": "On time", "bay": "A"},
            {"id": "b", "service": "14 Marsh Lane", "due": "10:45", "expected": "10:47", "bay": "C"},
            {"id": "c", "service": "22 Königsweg", "due": "10:58", "expected": "On time", "bay": "B"}]
    if m.get("stop") != "quay":
        rows = rows[:1]
    ws.split_text({"op": "snapshot", "rid": rid, "rows": rows})
    if m.get("stop") == "quay":
        r.stopping.wait(.3)
        ws.text({"op": "delta", "rid": rid, "id": "a", "set": {"expected": "10:43"}})
        r.stopping.wait(.3)
        ws.binary(json.dumps({"op": "delta", "rid": rid, "id": "b", "set": {"expected": "10:52", "bay": "D"}}).encode())
        r.stopping.wait(.3)
        ws.text({"op": "alert", "rid": rid, "text": "Service 14 uses bay D because of gas works."})
    while ws.open and not r.stopping.wait(2):
        ws.text({"op": "beat", "rid": rid})


# 2 ------------------------------------------------------------------ SSE
page("sse-count", "server-sent events that go on replacing the figure; the stream never ends",
     "/sse-count/", "Turnout in Ostermark is 61.3 per cent with 4 of 4 districts counted", [wait(2500)])


@at("/sse-count/")
def _(r: Req) -> None:
    r.send(shell("Count night", "The Ostermark Herald", text("sse-count.html"), kind="news", color="#7f1d1d", nav=("Home", "Politics", "Region", "Sport")))


@at("/sse-count/events")
def _(r: Req) -> None:
    last = int(r.headers.get("Last-Event-ID") or 0)

    def parts() -> Iterator[str | bytes | float]:
        yield ": welcome\nretry: 4000\n\n"
        for n, t, town in ((1, 48.9, "Brünn Street school"), (2, 55.1, "Old Maltings"), (3, 63.7, "Harbour office"), (4, 61.3, "St Olave's hall")):
            if n <= last:
                continue
            yield .35
            yield f"event: note\ndata: {town} has\ndata:  declared\n\nid: {n}\nevent: count\ndata: " + json.dumps({"n": n, "turnout": t})
            yield .05
            yield "\n\n"
        while not r.stopping.is_set():
            yield 3
            yield ": keep\n\n"
    r.stream(parts(), "text/event-stream")


# 3 ------------------------------------------------------------------ NDJSON
page("ndjson-grants", "fetch() streaming response: NDJSON lines read from a ReadableStream as chunks come",
     "/ndjson-grants/", None, [sel("#year", "2025"), click("#run", 2000)],
     row="Zoë Hålström", column="Grant (€)", value="48,200")


@at("/ndjson-grants/")
def _(r: Req) -> None:
    r.send(shell("Grant register", "Norrland Research Council", text("ndjson-grants.html"), color="#1e3a8a", nav=("Register", "Calls", "Reports")))


@at("/ndjson-grants/query")
def _(r: Req) -> None:
    q = json.loads(r.body or b"{}")
    rows = {2025: [("Ines Vårdahl", "Peat chemistry", 112000), ("Zoë Hålström", "Lichen clocks", 48200), ("Piet Øverby", "River ice", 73950), ("Märta Sjö", "Folk tunings", 20400)],
            2024: [("Zoë Hålström", "Lichen clocks", 41700)]}.get(q.get("year"), [])
    data = "".join(json.dumps({"holder": a, "field": b, "sum": c}, ensure_ascii=False) + "\n" for a, b, c in rows).encode() + b'{"end":%d}\n' % len(rows)

    def parts() -> Iterator[str | bytes | float]:
        for i in range(0, len(data), 37):  # cuts fall inside characters
            yield data[i:i + 37]
            yield .12
    r.stream(parts(), "application/x-ndjson", [("X-Accel-Buffering", "no")])


# 4 ------------------------------------------------------------------ service worker
page("sw-huts", "service worker composes an API answer from its caches; the network has no such address",
     "/sw-huts/", "Kestrel Hut: gusts to 74 km/h after 18:00, ridge path closed", [wait(1500), click("#show", 800)])


@at("/sw-huts/")
def _(r: Req) -> None:
    r.send(shell("Hut weather", "Fellside Hut Weather", text("sw-huts.html"), color="#334155", nav=("Huts", "Paths", "Rescue")))


@at("/sw-huts/sw.js")
def _(r: Req) -> None:
    r.send(text("sw-huts-2.js"), "text/javascript", headers=[("Cache-Control", "max-age=0")])


@at("/sw-huts/packs/huts.json")
def _(r: Req) -> None: r.json({"kestrel": {"name": "Kestrel Hut", "paths": ["lake", "ridge"]}, "linnet": {"name": "Linnet Hut", "paths": ["gully"]}})
@at("/sw-huts/packs/wind.json")
def _(r: Req) -> None: r.json({"kestrel": {"gust": 74, "from": "18:00", "path": 1}, "linnet": {"gust": 31, "from": "21:00", "path": 0}})


# 5 ------------------------------------------------------------------ blob worker, gzip in JS, large data
page("worker-levels", "Web Worker from a blob: URL gunzips (DecompressionStream) and filters 24,000 rows; virtual table",
     "/worker-levels/", None, [wait(1500), typ("#q", "Vellan Weir 17", 900)],
     row="Vellan Weir 17", column="Level (m)", value="3.406")


def _levels() -> bytes:
    names, x, out = ["Arden Lock", "Brack Mill", "Corrie Foot", "Dunsey Ford", "Vellan Weir", "Whin Pool"], 7, ["station,river,level,trend"]
    for i in range(24000):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        lev = f"{(x >> 8) % 9000 / 1000:.3f}"
        st = f"{names[i % 6]} {i // 6}"
        if st == "Vellan Weir 17":
            lev = "3.406"
        out.append(f"{st},{['Esk', 'Orne', 'Tarr'][x % 3]},{lev},{'rising' if x & 64 else 'falling'}")
    return gzip.compress("\n".join(out).encode(), 6, mtime=0)


_lv: list[bytes] = []


@at("/worker-levels/levels.csv.gz")
def _(r: Req) -> None:
    if not _lv:
        _lv.append(_levels())
    r.send(_lv[0], "application/octet-stream", headers=[("Cache-Control", "public, max-age=600")])


@at("/worker-levels/")
def _(r: Req) -> None:
    r.send(shell("River levels", "Rivers Authority open data", text("worker-levels.html"), color="#075985", nav=("Levels", "Floods", "API")))


# 6 ------------------------------------------------------------------ SharedWorker
page("shared-auction", "SharedWorker holds the data for the page and a same-origin frame (BroadcastChannel between them)",
     "/shared-auction/", "Lot 212 stands at 3,450 crowns with paddle 88", [wait(1200), click("#watch", 1500)])


@at("/shared-auction/")
def _(r: Req) -> None:
    r.send(shell("Lot 212", "Porter's Row Auctions", text("shared-auction.html"), color="#4a044e", nav=("Today", "Catalogues", "Sell")))


@at("/shared-auction/panel.html")
def _(r: Req) -> None:
    r.send(text("shared-auction-2.html"))


@at("/shared-auction/hub.js")
def _(r: Req) -> None:
    r.send(text("shared-auction-3.js"), "text/javascript")


@at("/shared-auction/bids/212.json")
def _(r: Req) -> None: r.json({"opening": 1800, "steps": [200, 250, 400, 300, 500]})


# 7 ------------------------------------------------------------------ IndexedDB + conditional requests
page("idb-library", "IndexedDB copy checked by If-None-Match: the same address answers 200, then 304 without a body",
     "/idb-library/", "Verified today: The Salt Ledger, 3 copies on the shelf at Dunmore", [wait(900), click("#check", 1000)])
_CAT = json.dumps({"books": [{"t": "The Salt Ledger", "copies": 3, "at": "Dunmore"}, {"t": "Fen Almanack", "copies": 0, "at": "Dunmore"}]}).encode()
_TAG = '"' + hashlib.sha1(_CAT).hexdigest()[:16] + '"'


@at("/idb-library/catalogue.json")
def _(r: Req) -> None:
    if r.headers.get("If-None-Match") == _TAG:
        return r.send(b"", None, 304, [("ETag", _TAG), ("X-Checked", "yes")])
    r.send(_CAT, "application/json", headers=[("ETag", _TAG), ("Cache-Control", "no-store")])


@at("/idb-library/")
def _(r: Req) -> None:
    r.send(shell("Shelf check", "Dunmore Libraries", text("idb-library.html"), color="#3f6212", nav=("Search", "My loans", "Branches")))


# 8 ------------------------------------------------------------------ Range requests
page("range-parcels", "HTTP Range requests (206) into one big indexed file, several parts of the same address",
     "/range-parcels/", "Parcel 30418: 1,276 square metres, orchard, no charges registered",
     [typ("#no", "30418"), click("#lookup", 1500)])


def _parcels() -> bytes:
    uses = ["meadow", "orchard", "house plot", "forest", "road"]
    recs = []
    for n in range(30000, 33000):
        area = (n * 7919) % 8000 + 150
        use = uses[(n * 31) % 5]
        if n == 30418:
            area, use = 1276, "orchard"
        recs.append(f"{n}|{area}|{use}|{n % 3 if n != 30418 else 0}|".encode().ljust(64, b"."))
    idx = b"".join(struct.pack(">II", 30000 + i * 100, 16 + 240 + i * 6400) for i in range(30))
    return b"PARC\0\0\0\1" + struct.pack(">II", 30, 64) + idx + b"".join(recs)


_P: list[bytes] = []


@at("/range-parcels/parcels.bin")
def _(r: Req) -> None:
    if not _P:
        _P.append(_parcels())
    d = _P[0]
    hs = [("Accept-Ranges", "bytes"), ("ETag", '"parc-7"'), ("Cache-Control", "max-age=600")]
    rg = r.headers.get("Range")
    if not rg:
        return r.send(d, "application/octet-stream", headers=hs)
    since, _, until = rg.partition("=")[2].partition("-")
    a, b = int(since), min(int(until or len(d) - 1), len(d) - 1)
    if a >= len(d):
        return r.send(b"", None, 416, [("Content-Range", f"bytes */{len(d)}")])
    r.send(d[a:b + 1], "application/octet-stream", 206, hs + [("Content-Range", f"bytes {a}-{b}/{len(d)}")])


@at("/range-parcels/")
def _(r: Req) -> None:
    r.send(shell("Land register", "Land Register of Varn", text("range-parcels.html"), color="#44403c", nav=("Parcels", "Owners", "Fees")))


# 9 ------------------------------------------------------------------ GraphQL
page("graphql-shop", "GraphQL: many POSTs to one address, told apart only by the body; cursor pagination",
     "/graphql-shop/", "Second winter on the fells and the seams still hold, writes Oda M.",
     [wait(700), click("#reviews", 900), click("#more", 900)])


@at("/graphql-shop/")
def _(r: Req) -> None:
    r.send(shell("Grindal rucksack", "Tarn & Torrent", text("graphql-shop.html"), color="#115e59", nav=("Packs", "Tents", "Sale")))


@at("/graphql-shop/graphql")
def _(r: Req) -> None:
    q = json.loads(r.body or b"{}")
    v = q.get("variables") or {}
    if q.get("operationName") == "Product":
        return r.json({"data": {"product": {"name": "Grindal 38 l rucksack", "price": "1,190 crowns", "stock": 17}}})
    rv = ["Good straps, says Bent K.", "The lid pocket is too small for me, says Ylva.", "Second winter on the fells and the seams still hold, writes Oda M.", "Came a day late, writes Per."]
    i = int(str(v.get("after") or "c0")[1:])
    r.json({"data": {"reviews": {"edges": [{"node": {"text": t}} for t in rv[i:i + v["first"]]],
                                 "pageInfo": {"endCursor": f"c{i + 2}", "hasNextPage": i + 2 < len(rv)}}}})


# 10 ----------------------------------------------------------------- JSONP
page("jsonp-ferry", "JSONP from another origin with a random callback name and a time-stamp in the address",
     "/jsonp-ferry/", "Sailings to Innisvale are suspended until 16:40 because of swell", [click("#now", 900)])


@at("/jsonp-ferry/")
def _(r: Req) -> None:
    r.send(shell("Ferry status", "Innis Sound Ferries", text("jsonp-ferry.html"), color="#1e40af", nav=("Status", "Timetable", "Fares")))


@at("/jsonp-ferry/status.js", B)
def _(r: Req) -> None:
    cb = "".join(c for c in r.query.get("callback", "cb") if c.isalnum() or c == "_")
    r.send(f'/**/{cb}({json.dumps({"route": "Innisvale", "state": "suspended", "until": "16:40", "why": "swell"})});', "text/javascript")
