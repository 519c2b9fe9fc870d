"""Sites 11 to 20: redirects, forms, frames, shadow DOM, streamed HTML, modules, wasm, encodings, charsets, scroll."""
import base64, gzip, json, os, secrets, struct, zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.features.common import shell, text
from tests.features.server import Headers, Req, Route, Routes
from tests.features.sites_a import Step, click, typ, sel, wait

A: Routes = {}
B: Routes = {}
PAGES: list[dict[str, Any]] = []
HERE = os.path.dirname(os.path.abspath(__file__))


def page(id: str, feature: str, path: str, quote: str | None = None, steps: Iterable[Step] = (), **kw: Any) -> None:
    PAGES.append({"id": id, "feature": feature, "path": path, "steps": list(steps), "quote": quote,
                  **kw, "capturable": kw.get("capturable", True)})


def at(path: str, where: Routes = A) -> Callable[[Route], Route]:
    def deco(f: Route) -> Route:
        where[path] = f
        return f
    return deco


# 11 ----------------------------------------------------------------- cookies and redirects
page("consent-redirects", "consent wall: redirects over two origins, HttpOnly cookies; one address answers 302, later 200",
     "/consent/", "The council will close the Linden Bridge to lorries from 4 May", [wait(400), click("#accept", 1200)])


@at("/consent/")
def _(r: Req) -> None:
    c = r.cookies
    if c.get("cmp") != "all" or not c.get("sid"):
        return r.redirect(f"{r.B}/consent/sso?back=/consent/wall", 302, [("Cache-Control", "no-store")])
    r.send(shell("Linden Bridge", "Lindau Evening Post", """
<h1>Bridge to close to heavy traffic</h1><p class="muted">Town desk</p>
<p>The council will close the Linden Bridge to lorries from 4 May, after engineers found two worn bearings.</p>
<p>Buses may go on using it.</p>""", kind="news", color="#111827", nav=("Town", "Country", "Letters")), headers=[("Vary", "Cookie")])


@at("/consent/sso", B)
def _(r: Req) -> None:
    r.redirect(f"{r.A}{r.query.get('back', '/consent/wall')}?k={secrets.token_hex(6)}", 307,
               [("Set-Cookie", f"visitor={secrets.token_hex(8)}; Path=/; SameSite=Lax")])


@at("/consent/wall")
def _(r: Req) -> None:
    if r.method == "POST":
        return r.redirect("/consent/", 303, [("Set-Cookie", "cmp=all; Path=/consent/; Max-Age=86400; SameSite=Lax"),
                                             ("Set-Cookie", f"sid={secrets.token_hex(12)}; Path=/consent/; HttpOnly; SameSite=Lax")])
    r.send(shell("Before you read", "Lindau Evening Post", """
<h1>Before you read</h1><p>We and our partners keep small files on your device.</p>
<form method="post" action="/consent/wall"><button id="accept" name="ok" value="1">Accept and read</button> <button type="button">Settings</button></form>""",
                 kind="news", color="#111827"), headers=[("Cache-Control", "no-store")])


# 12 ----------------------------------------------------------------- CSRF + multipart
page("csrf-report", "multipart form with a one-time CSRF token and a session cookie; POST, 303, page at a random address",
     "/csrf-report/", "Your report about Quay Street goes to the Harbour Works team, category 7B",
     [typ("#where", "Quay Street"), sel("#what", "light"), click("#send", 1200)])
_tokens: dict[str, str] = {}
_receipts: dict[str, tuple[str, str]] = {}


@at("/csrf-report/")
def _(r: Req) -> None:
    sid, tok = r.cookies.get("rsid") or secrets.token_hex(10), secrets.token_urlsafe(18)
    _tokens[tok] = sid
    r.send(shell("Report a fault", "Borough of Ansty", f"""
<h1>Report a fault in the street</h1>
<form method="post" action="/csrf-report/send" enctype="multipart/form-data">
<input type="hidden" name="csrf" value="{tok}"><p><label>Where? <input id="where" name="where" required></label></p>
<p><label>What? <select id="what" name="what"><option value="">Choose</option><option value="hole">Hole in the road</option><option value="light">Street light out</option></select></label></p>
<p><label>Photo (if you have one) <input type="file" name="photo" accept="image/*"></label></p>
<button id="send">Send report</button></form>""", color="#1d4ed8", nav=("Services", "Pay", "Councillors")),
        headers=[("Set-Cookie", f"rsid={sid}; Path=/csrf-report/; HttpOnly; SameSite=Strict"), ("Cache-Control", "no-store")])


@at("/csrf-report/send")
def _(r: Req) -> None:
    ct = r.headers.get("Content-Type", "")
    f: dict[str, str] = {}
    if "boundary=" in ct:
        for part in r.body.split(b"--" + ct.split("boundary=")[1].encode()):
            h, _, v = part.partition(b"\r\n\r\n")
            if b'name="' in h:
                f[h.split(b'name="')[1].split(b'"')[0].decode()] = v[:-2].decode("utf-8", "replace")
    if _tokens.pop(f.get("csrf", ""), None) != r.cookies.get("rsid", "-"):
        return r.send(shell("Refused", "Borough of Ansty", "<h1>Your form has run out</h1><p>Please open the form again.</p>", color="#1d4ed8"), status=403)
    rid = secrets.token_hex(5)
    _receipts[rid] = (f.get("where", ""), {"light": "goes to the Harbour Works team, category 7B", "hole": "goes to Highways, category 2A"}.get(f.get("what", ""), "will be sorted by hand"))
    r.redirect(f"/csrf-report/receipt/{rid}", 303)


@at("/csrf-report/receipt/*")
def _(r: Req) -> None:
    rid = r.path.rsplit("/", 1)[1]
    if rid not in _receipts:
        return r.send("<h1>No such receipt</h1>", status=404)
    w, t = _receipts[rid]
    w = w.replace("&", "&amp;").replace("<", "&lt;")
    r.send(shell("Thank you", "Borough of Ansty", f"<h1>Thank you</h1><p>Your report about {w} {t}.</p><p class=muted>Receipt {rid.upper()}</p>", color="#1d4ed8"))


# 13 ----------------------------------------------------------------- nested frames
page("frames-tariff", "frames in frames: another origin, then srcdoc, then blob:, with a postMessage handshake",
     "/frames-tariff/", "Rate A2 applies from 3 March at 0.184 crowns per kilowatt-hour", [wait(1500)])


@at("/frames-tariff/")
def _(r: Req) -> None:
    r.send(shell("Energy prices", "Plain Prices", text("frames-tariff.html"), color="#065f46", nav=("Electricity", "Gas", "Heat")))


@at("/frames-tariff/embed", B)
def _(r: Req) -> None:
    r.send(text("frames-tariff-2.html"))


@at("/frames-tariff/rates.json", B)
def _(r: Req) -> None: r.json({"area": r.query.get("area"), "rate": "A2", "from": "3 March", "price": "0.184"})


# 14 ----------------------------------------------------------------- closed shadow roots
page("shadow-torque", "custom elements upgraded late, closed shadow roots one in another, slots, constructed style sheets",
     "/shadow-torque/", "Tighten the M6 saddle bolt to 9.5 newton metres", [wait(700), click("bench-manual", 700)])


@at("/shadow-torque/")
def _(r: Req) -> None:
    r.send(shell("Workshop manual", "Pedalhaus", """
<h1>Workshop manual</h1><bench-manual model="kestrel-3"><span slot="name">Kestrel 3, saddle and post</span><p>Please switch on JavaScript for the manual.</p></bench-manual>
<script type="module" src="bench.js"></script>""", color="#9a3412", nav=("Bicycles", "Parts", "Manuals"), css="bench-manual:not(:defined){opacity:.2} bench-manual{display:block;cursor:pointer}"))


@at("/shadow-torque/bench.js")
def _(r: Req) -> None:
    r.send(text("shadow-torque.js"), "text/javascript")


@at("/shadow-torque/manual.json")
def _(r: Req) -> None: r.json({"steps": [{"bolt": "seat clamp", "nm": 5, "was": 6}, {"bolt": "M6 saddle bolt", "nm": 9.5, "was": 12}]})


# 15 ----------------------------------------------------------------- streamed HTML, DSD, hydration
page("streamed-ferry", "HTML streamed out of order into a declarative shadow root, then hydrated over the stale server figure",
     "/streamed-ferry/", "Only 4 berths left on the 21:15 night ferry", [wait(2200)])


@at("/streamed-ferry/")
def _(r: Req) -> None:
    full = shell("Night ferries", "Baltmar Lines", text("streamed-ferry.html"), color="#0c4a6e", nav=("Book", "My trip", "On board"))
    a, b, c = full.split("@@CUT@@")

    def parts() -> Iterator[str | bytes | float]:
        yield a
        yield .4
        yield '<p slot="early">The 18:30 ferry is fully booked</p>'
        yield .4
        yield '<p slot="late" data-h="late">Only 12 berths left on the 21:15 night ferry</p>'
        yield b
        yield .3
        yield '<div hidden id="B:1"><p>Check-in is at pier 3 because of dredging.</p></div><script>(function(){var s=document.getElementById("S:1"),b=document.getElementById("B:1");s.replaceChildren(...b.childNodes);b.remove()})()</script>'
        yield '<script>(self.__f=self.__f||[]).push([1,"late:"])</script>'
        yield .2
        yield '<script>self.__f.push([1,"{\\"berths\\":4,\\"at\\":\\"21:15\\"}"])</script><script src="hydrate.js" async></script>'
        yield c
    r.stream(parts(), "text/html; charset=utf-8")


@at("/streamed-ferry/hydrate.js")
def _(r: Req) -> None:
    r.send("""(()=>{const s=self.__f.map(x=>x[1]).join(''), i=s.indexOf(':'), d=JSON.parse(s.slice(i+1)), el=document.querySelector(`[data-h=${s.slice(0,i)}]`);
requestAnimationFrame(()=>{ el.firstChild.data=`Only ${d.berths} berths left on the ${d.at} night ferry`; el.dataset.live='1'; });})();""", "text/javascript", headers=[("Cache-Control", "public, max-age=31536000, immutable")])


# 16 ----------------------------------------------------------------- import maps
page("importmap-market", "import map, dynamic import(), JSON and CSS module scripts, top-level await",
     "/importmap-market/", "Die Anmeldung für den Herbstmarkt schließt am 12. September", [wait(700), sel("#lang", "de", 900)])


@at("/importmap-market/")
def _(r: Req) -> None:
    r.send(shell("Harvest market", "Alm Valley Markets", text("importmap-market.html"),
                 color="#713f12", nav=("Markets", "Stalls"), head='<script type="importmap">{"imports":{"market/":"./assets/m-81f3/","market/app":"./assets/app-2c9e.js","fmt":"./assets/fmt-77aa.js","dates":"./assets/dates-0b1d.json"},"scopes":{"./assets/m-81f3/":{"fmt":"./assets/fmt-de-31c0.js"}}}</script>'))


_MODS = {
    "app-2c9e.js": text("importmap-market-2.js"),
    "fmt-77aa.js": "export const day=d=>new Date(d+'T12:00Z').toLocaleDateString('en-GB',{day:'numeric',month:'long',timeZone:'UTC'});",
    "fmt-de-31c0.js": "await new Promise(r=>setTimeout(r,120)); export const day=d=>new Date(d+'T12:00Z').toLocaleDateString('de-DE',{day:'numeric',month:'long',timeZone:'UTC'});",
    "m-81f3/de.js": "import {day} from 'fmt'; const w=(await fetch(new URL('de.txt',import.meta.url)).then(r=>r.text())).trim(); export const text=d=>w.replace('%',day(d.close));",
    "m-81f3/de.txt": "Die Anmeldung für den Herbstmarkt schließt am %",
    "m-81f3/look.css": "#p{border-left:6px solid #ca8a04}",
    "dates-0b1d.json": '{"close":"2026-09-12"}'}


@at("/importmap-market/assets/*")
def _(r: Req) -> None: pass


def _mod(name: str) -> Route:
    ct = {"js": "text/javascript", "txt": "text/plain; charset=utf-8", "css": "text/css", "json": "application/json"}[name.rsplit(".")[-1]]
    return lambda r: r.send(_MODS[name], ct, headers=[("Cache-Control", "public, max-age=31536000, immutable")])


for _n in _MODS:
    A["/importmap-market/assets/" + _n] = _mod(_n)
del A["/importmap-market/assets/*"]


# 17 ----------------------------------------------------------------- WebAssembly
page("wasm-parcel", "WebAssembly.instantiateStreaming computes the price; words come from the module's memory",
     "/wasm-parcel/", "To zone 4, 2.6 kg: 18.71 crowns (tariff 2026-B, signed for)", [wait(600), sel("#zone", "4"), click("#calc", 600)])


def _wasm() -> bytes:
    def leb(n: int) -> bytes:
        o = b""
        while True:
            b, n = n & 0x7F, n >> 7
            o += bytes([b | (0x80 if n else 0)])
            if not n:
                return o

    def sleb(n: int) -> bytes:
        o = b""
        while True:
            b, n = n & 0x7F, n >> 7
            if (n == 0 and not b & 0x40) or (n == -1 and b & 0x40):
                return o + bytes([b])
            o += bytes([b | 0x80])

    def sec(i: int, d: bytes) -> bytes: return bytes([i]) + leb(len(d)) + d
    def name(s: str) -> bytes: return leb(len(s)) + s.encode()
    c = b"\x41"
    # price(grams, zone) = 415 + grams/100 * zone * 14
    body = b"\x00" + c + sleb(415) + b"\x20\x00" + c + sleb(100) + b"\x6e" + b"\x20\x01\x6c" + c + sleb(14) + b"\x6c\x6a\x0b"
    text = "2026-B, signed for\0".encode()
    return (b"\0asm\1\0\0\0" + sec(1, b"\1\x60\2\x7f\x7f\1\x7f") + sec(3, b"\1\0") + sec(5, b"\1\0\1")
            + sec(7, b"\2" + name("price") + b"\0\0" + name("mem") + b"\2\0")
            + sec(10, b"\1" + leb(len(body)) + body) + sec(11, b"\1\0" + c + sleb(1024) + b"\x0b" + leb(len(text)) + text))


@at("/wasm-parcel/tariff.wasm")
def _(r: Req) -> None: r.send(_wasm(), "application/wasm", headers=[("Cache-Control", "max-age=3600")])


@at("/wasm-parcel/")
def _(r: Req) -> None:
    r.send(shell("Parcel prices", "Norden Post", text("wasm-parcel.html"), color="#b91c1c", nav=("Send", "Track", "Branches")))


# 18 ----------------------------------------------------------------- content encodings
page("encoded-fish", "bodies in gzip, deflate, br and zstd (each where the browser accepts it)",
     "/encoded-fish/", None, [wait(1000)], row="Torvik: Turbot", column="Price per kg", value="182.40")


def _br(d: bytes) -> bytes:  # Brotli stream of stored meta-blocks
    out, first = b"", True
    for i in range(0, len(d), 65536):
        p = d[i:i + 65536]
        out += ((len(p) - 1 << 4 | 1 << 20) if first else (len(p) - 1 << 3 | 1 << 19)).to_bytes(3, "little") + p
        first = False
    return out + b"\x03"


def _enc(r: Req, body: str | bytes, ctype: str, enc: str, fn: Callable[[bytes], bytes]) -> None:
    ok = enc in (r.headers.get("Accept-Encoding") or "")
    if isinstance(body, str):
        body = r._fill(body)
    r.send(fn(body) if ok else body, ctype, headers=([("Content-Encoding", enc)] if ok else []) + [("Vary", "Accept-Encoding")])


@at("/encoded-fish/")
def _(r: Req) -> None:
    _enc(r, shell("Fish prices", "Coast Market Data", """
<h1>Auction prices this morning</h1><table><thead><tr><th>Lot</th><th>Yesterday</th><th>Price per kg</th><th>Note</th></tr></thead><tbody id="t"></tbody></table>
<script src="app.js"></script>""", color="#134e4a", nav=("Prices", "Landings"), head='<link rel="stylesheet" href="look.css">'), "text/html; charset=utf-8", "gzip", gzip.compress)


@at("/encoded-fish/look.css")
def _(r: Req) -> None: _enc(r, "td:nth-child(3){font-weight:700} .thin{display:none}", "text/css", "deflate", zlib.compress)


@at("/encoded-fish/app.js")
def _(r: Req) -> None:
    _enc(r, """fetch('prices.json').then(r=>r.json()).then(rows=>{ for(const x of rows){ const tr=document.getElementById('t').insertRow(); if(x.note==='thin supply') tr.className='thin';
 for(const v of [x.mkt+': '+x.good,x.prev,x.price,x.note]) tr.insertCell().textContent=v; } });""", "text/javascript", "br", _br)


@at("/encoded-fish/prices.json")
def _(r: Req) -> None:
    z = base64.b64decode(open(os.path.join(HERE, "zstd_body.txt")).read())
    if "zstd" in (r.headers.get("Accept-Encoding") or ""):
        return r.send(z, "application/json", headers=[("Content-Encoding", "zstd"), ("Vary", "Accept-Encoding")])
    r.json([{"mkt": "Torvik", "good": "Turbot", "price": "182.40", "prev": "176.00", "note": "restaurants buying"}])


# 19 ----------------------------------------------------------------- charsets
page("charset-forum", "Shift_JIS page (known only from meta), EUC-JP fragment by TextDecoder, windows-1252 script",
     "/charset-forum/", "次回の例会は十一月二十三日、湊公民館二階にて行います", [click("#load", 900)])


@at("/charset-forum/")
def _(r: Req) -> None:
    r.send(text("charset-forum.html").encode("cp932"), "text/html")


@at("/charset-forum/names.js")
def _(r: Req) -> None: r.send("window.guest='Renée Åkerström – “La Tour”';".encode("cp1252"), "text/javascript")
@at("/charset-forum/news.txt")
def _(r: Req) -> None: r.send("会費の納入をお願いします。\n次回の例会は十一月二十三日、湊公民館二階にて行います。\n駐車場はありません。".encode("euc_jp"), "text/plain")


# 20 ----------------------------------------------------------------- infinite scroll
page("scroll-forum", "infinite scroll by IntersectionObserver with opaque cursors; posts far above are taken out again",
     "/scroll-forum/", "Post 57: the heron ate the koi, then posed for the webcam",
     [wait(600)] + [{"type": "scroll", "selector": "#end", "wait_ms": 700} for _ in range(4)])


@at("/scroll-forum/feed")
def _(r: Req) -> None:
    cur = r.query.get("after", "")
    i = int(base64.urlsafe_b64decode(cur + "==").decode().split(":")[1]) if cur else 0
    sub = ["pump humming again", "lilies in bloom", "newts counted: eleven", "leak under the liner"]
    items = [{"n": n, "text": "the heron ate the koi, then posed for the webcam" if n == 57 else sub[n % 4]} for n in range(i + 1, i + 16)]
    nxt = base64.urlsafe_b64encode(f"pond:{i + 15}:{secrets.token_hex(3)}".encode()).decode().rstrip("=") if i < 90 else None
    r.json({"items": items, "next": nxt}, headers=[("Cache-Control", "no-store")])


@at("/scroll-forum/")
def _(r: Req) -> None:
    r.send(shell("Ponds", "The Pond Keepers", text("scroll-forum.html"), color="#166534", nav=("Newest", "Ponds", "Members")))
