"""Sites 21 to 30: routing, top layer, hover, clock, random ids, CSP, typeahead, tokens, failures, per-visit keys."""
import base64, hashlib, json, secrets, time, urllib.parse
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.features.common import shell, text
from tests.features.server import Headers, Req, Route, Routes
from tests.features.sites_a import Step, click, typ, sel, wait

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


# 21 ----------------------------------------------------------------- history routing, Vary on a request header
page("pjax-news", "history routing with view transitions; the same address gives a page or a fragment by request header",
     "/pjax-news/", "Divers have found the missing bell of St Ebba's in eleven metres of water",
     [click("a[href$='harbour']", 1000), click("a[href$='bell']", 1200)])
_ART = {"": ("Today", """<h1>Today in Ebbavik</h1><ul><li><a data-x href="/pjax-news/harbour">Harbour: a busy week</a></li><li><a data-x href="/pjax-news/school">New school roof</a></li></ul>"""),
        "harbour": ("Harbour", """<h1>Harbour: a busy week</h1><p>Two dredgers and a surprise.</p><p>Read on: <a data-x href="/pjax-news/bell">the bell story</a></p>"""),
        "bell": ("The bell", """<h1>The bell comes up</h1><p>Divers have found the missing bell of St Ebba's in eleven metres of water, the harbour master said.</p>"""),
        "school": ("School", "<h1>New school roof</h1><p>It does not leak.</p>")}


def _pjax(r: Req) -> None:
    k = r.path.removeprefix("/pjax-news/")
    if k not in _ART:
        return r.send("<h1>Not found</h1>", status=404)
    t, b = _ART[k]
    hs = [("Vary", "X-Fragment"), ("Cache-Control", "private, max-age=0")]
    if r.headers.get("X-Fragment") == "main":
        return r.send(b, "text/html; charset=utf-8", headers=hs + [("X-Title", urllib.parse.quote(t))])
    if k:  # opened directly: the reader's edition is a teaser only
        b = b.split("</h1>")[0] + "</h1><p>Open the front page to read this story.</p>"
    r.send(shell(t, "Ebbavik Times", f'<div id="view">{b}</div>' + text("pjax-news.html"), kind="news", color="#1f2937", nav=("Harbour", "Schools"), css="::view-transition-old(root),::view-transition-new(root){animation-duration:.35s}"), headers=hs)


for _k in _ART:
    A["/pjax-news/" + _k] = _pjax


# 22 ----------------------------------------------------------------- dialog and popover
page("dialog-fees", "modal <dialog> loaded when opened, popover over it (top layer), both opening with an animation",
     "/dialog-fees/", "Electric vans under 2.5 tonnes pay the reduced fee of 42 crowns", [wait(300), click("#fees", 900), click("#why", 700)])


@at("/dialog-fees/")
def _(r: Req) -> None:
    r.send(shell("Vehicle fee", "Road Office", text("dialog-fees.html"), color="#1e3a5f", nav=("Vehicles", "Licences", "Tolls"),
                 css="dialog{opacity:0;transition:opacity .35s,display .35s allow-discrete,overlay .35s allow-discrete} dialog[open]{opacity:1} @starting-style{dialog[open]{opacity:0}} dialog::backdrop{background:#0008} [popover]{border:2px solid #1e3a5f;padding:12px;animation:in .3s} @keyframes in{from{transform:translateY(12px);opacity:0}}"))


@at("/dialog-fees/fees.html")
def _(r: Req) -> None: r.send('<table><tr><th>Car</th><td>118 crowns</td></tr><tr><th>Van</th><td>164 crowns <button id="why" popovertarget="n1">reduced?</button></td></tr></table><div id="n1" popover></div>')
@at("/dialog-fees/note.json")
def _(r: Req) -> None: r.json({"who": "Electric vans under 2.5 tonnes", "fee": 42})


# 23 ----------------------------------------------------------------- hover menu
page("hover-shop", "hover menu: loaded at mouseenter, on view only while the pointer stays; lazily fetched",
     "/hover-shop/", "Returns desk open until 20:00 on Fridays", [wait(300), {"type": "hover", "selector": "#help", "wait_ms": 1000}])


@at("/hover-shop/")
def _(r: Req) -> None:
    r.send(shell("Kelda Homeware", "Kelda Homeware", text("hover-shop.html"), color="#831843", css="#bar{display:flex;gap:24px;border-bottom:1px solid #ccc}.it{position:relative;padding:10px}.mega{position:absolute;left:0;top:100%;width:320px;background:#fff;border:1px solid #aaa;padding:12px;opacity:0;visibility:hidden;transition:opacity .2s}#rooms:hover .mega,#help.on:hover .mega{opacity:1;visibility:visible}"))


@at("/hover-shop/menu.json")
def _(r: Req) -> None: r.json(["Delivery in two days", "Returns desk open until 20:00 on Fridays", "Write to us"])


# 24 ----------------------------------------------------------------- the clock
page("clock-tram", "wall clock: figure worked out from Date.now(), time zone and locale; answer goes stale after a minute",
     "/clock-tram/", "Tram 6 to Kilnmarket leaves in about 15 minutes", [wait(1200)])


@at("/clock-tram/next.json")
def _(r: Req) -> None:
    now = int(time.time() * 1000)
    r.json({"line": 6, "to": "Kilnmarket", "issued": now, "departs": now + 17 * 60000}, headers=[("Cache-Control", "no-store")])


@at("/clock-tram/")
def _(r: Req) -> None:
    r.send(shell("Next tram", "City Tramways", text("clock-tram.html"), color="#be123c", nav=("Stops", "Lines", "Tickets")))


# 25 ----------------------------------------------------------------- random ids
page("uuid-quote", "random request ids (crypto.randomUUID) in path, header and body; an answer with another id is dropped",
     "/uuid-quote/", "Cover for a 1998 sailing dinghy costs 86.40 crowns a year", [typ("#year", "1998"), click("#go", 1200)])


@at("/uuid-quote/api/*")
def _(r: Req) -> None:
    q = json.loads(r.body or b"{}")
    rid = r.path.rsplit("/", 1)[1]
    if not (rid == r.headers.get("X-Request-Id") == q.get("requestId")):
        return r.json({"error": "ids do not agree"}, 400)
    y = int(q.get("year") or 0)
    r.json({"requestId": rid, "nonce": q.get("nonce"), "price": "86.40" if y == 1998 else f"{60 + (2026 - y) * .95:.2f}"})


@at("/uuid-quote/")
def _(r: Req) -> None:
    r.send(shell("Boat cover", "Seahorse Mutual", text("uuid-quote.html"), color="#0f766e", nav=("Boats", "Homes", "Claims")))


# 26 ----------------------------------------------------------------- CSP, SRI, Trusted Types
_LIB = b"""(()=>{const P=trustedTypes.createPolicy('notices',{createHTML:s=>s.replace(/<(?!\\/?(p|b)>)/g,'&lt;')});
fetch('notices.json').then(r=>r.json()).then(d=>{const o=document.getElementById('o'); o.innerHTML=P.createHTML(d.html);
 let blocked=0; addEventListener('securitypolicyviolation',()=>blocked++); try{o.firstChild.innerHTML='<b>spoilt</b>'}catch(e){ document.getElementById('guard').textContent='Page guard active'; } });})();"""
page("csp-notices", "strict CSP (nonce, strict-dynamic, no eval), Trusted Types enforced, SRI on a script of another origin",
     "/csp-notices/", "Notice 114/26: bathing water at Skarvik is rated excellent", [wait(1200)])


@at("/csp-notices/lib.js", B)
def _(r: Req) -> None: r.send(_LIB, "text/javascript", headers=[("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin"), ("Cache-Control", "public, max-age=86400")])
@at("/csp-notices/notices.json")
def _(r: Req) -> None: r.json({"html": "<p><b>Notice 114/26:</b> bathing water at Skarvik is rated excellent</p><p><b>Notice 115/26:</b> no fires on Holm beach</p>"}, headers=[("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin")])


@at("/csp-notices/")
def _(r: Req) -> None:
    n = secrets.token_urlsafe(16)
    sri = "sha384-" + base64.b64encode(hashlib.sha384(_LIB).digest()).decode()
    r.send(shell("Public notices", "County Health Board", f"""
<h1>Public notices</h1><div id="o"><p>Loading…</p></div><p id="guard" class="muted"></p>
<script nonce="{n}">var s=document.createElement('script'); s.integrity='{sri}'; s.crossOrigin='anonymous';
trustedTypes.createPolicy('loader',{{createScriptURL:u=>u}}); </script>
<script nonce="{n}" src="@@B@@/csp-notices/lib.js" integrity="{sri}" crossorigin="anonymous" defer></script>""", color="#155e75", nav=("Notices", "Clinics"), csp_nonce=n),
        headers=[("Content-Security-Policy", f"default-src 'none'; script-src 'nonce-{n}' 'strict-dynamic'; style-src 'nonce-{n}'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types notices loader"),
                 ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Embedder-Policy", "require-corp"), ("Referrer-Policy", "no-referrer"),
                 ("Permissions-Policy", "geolocation=(), clipboard-read=()"), ("X-Frame-Options", "DENY")])


# 27 ----------------------------------------------------------------- typeahead and date picker
page("rail-search", "typeahead with aborted and overtaking answers, date picker of its own, result table",
     "/rail-search/", None, [typ("#from", "skel", 1100), click("#sug [data-code='SKB']"), click("#date"), click("[data-day='18']"), click("#go", 900)],
     row="07:42", column="Platform", value="3b")


@at("/rail-search/stations")
def _(r: Req) -> None:
    q = r.query.get("q", "").lower()
    r.stopping.wait(max(0, .5 - .13 * len(q)))  # short prefixes are slow: their answers come last
    st = [("SKA", "Skansen"), ("SKB", "Skelby"), ("SKF", "Skelfors"), ("SLO", "Sløvik"), ("STE", "Stensund")]
    r.json([{"code": c, "name": n} for c, n in st if n.lower().startswith(q)])


@at("/rail-search/trains")
def _(r: Req) -> None:
    if r.query.get("from") == "SKB" and r.query.get("on") == "2026-11-18":
        return r.json([["06:12", "Varn", "1"], ["07:42", "Varn, fast", "3b"], ["09:12", "Varn", "1"]])
    r.json([["07:42", "Varn", "2"]])


@at("/rail-search/")
def _(r: Req) -> None:
    r.send(shell("Find a train", "Skel Line Railways", text("rail-search.html"), color="#3730a3", nav=("Trains", "Tickets", "Works"), css="#sug{position:absolute;z-index:2;background:#fff;border:1px solid #999;margin:0;padding:6px 22px;width:220px}#sug li{cursor:pointer}#cal{position:absolute;z-index:3;background:#fff;border:1px solid #999;padding:8px;width:360px}#cal button{width:46px;padding:4px}"))


# 28 ----------------------------------------------------------------- bearer token, refresh, preflight
page("token-account", "cross-origin API with CORS preflight; 401, token refresh, the same request again gets 200",
     "/token-account/", "Outstanding balance for account 5521-07 is 312.75 crowns", [wait(1500)])
_good: set[str] = set()


def _cors(r: Req, extra: Headers = ()) -> Headers:
    return [("Access-Control-Allow-Origin", r.A), ("Access-Control-Allow-Credentials", "true"), ("Access-Control-Expose-Headers", "WWW-Authenticate"), ("Vary", "Origin"), *extra]


@at("/token-account/v2/*", B)
def _(r: Req) -> None:
    if r.method == "OPTIONS":
        return r.send(b"", None, 204, _cors(r, [("Access-Control-Allow-Methods", "GET, POST"), ("Access-Control-Allow-Headers", "authorization, content-type, x-client"), ("Access-Control-Max-Age", "0")]))
    if r.path.endswith("/refresh"):
        t = "at." + secrets.token_urlsafe(24)
        _good.add(t)
        return r.json({"access": t, "expires_in": 300}, headers=_cors(r))
    if (r.headers.get("Authorization") or "").removeprefix("Bearer ") not in _good:
        return r.json({"error": "token expired"}, 401, _cors(r, [("WWW-Authenticate", 'Bearer error="invalid_token"')]))
    r.json({"account": "5521-07", "balance": 312.75}, headers=_cors(r))


@at("/token-account/")
def _(r: Req) -> None:
    r.send(shell("My account", "Varn Water", text("token-account.html").replace("@@T@@", secrets.token_hex(8)), color="#0369a1", nav=("Account", "Meter", "Moving")), headers=[("Cache-Control", "no-store")])


# 29 ----------------------------------------------------------------- failures belong to the page
page("failing-mirrors", "failed requests matter: refused connection, body cut short, 503 then 200 at one address",
     "/failing-mirrors/", "Reserve copy opened after 3 failed attempts: lighthouse logbook, 214 leaves", [wait(300), click("#open", 2000)])


@at("/failing-mirrors/m2.json", B)
def _(r: Req) -> None:
    h = r.h
    h.send_response(200)
    for k, v in (("Content-Type", "application/json"), ("Access-Control-Allow-Origin", "*"), ("Content-Length", "4000")):
        h.send_header(k, v)
    h.end_headers()
    h.wfile.write(b'{"title":"lighthouse logbook (damaged copy)","leaves":')
    h.close_connection = True


@at("/failing-mirrors/reserve.json")
def _(r: Req) -> None:
    if "tried=1" not in (r.headers.get("Cookie") or ""):
        return r.send("busy", "text/plain", 503, [("Retry-After", "1"), ("Set-Cookie", "tried=1; Path=/failing-mirrors/; Max-Age=8"), ("Cache-Control", "no-store")])
    r.json({"title": "lighthouse logbook", "leaves": 214}, headers=[("Set-Cookie", "tried=; Path=/failing-mirrors/; Max-Age=0"), ("Cache-Control", "no-store")])


@at("/failing-mirrors/")
def _(r: Req) -> None:
    r.send(shell("Record 7-1193", "Coast Archive", text("failing-mirrors.html"), color="#57534e", nav=("Records", "Reading room")))


# 30 ----------------------------------------------------------------- per-visit key pair: cannot be replayed
page("sealed-letter", "end-to-end encrypted answer: key pair made in the page for each visit, never leaves the browser",
     "/sealed-letter/", "Your laboratory result of 9 November is negative", [wait(500), click("#show", 2500)], capturable=False,
     why_not="the text crosses the wire only encrypted to an RSA key that crypto.subtle makes anew (not extractable) at each load; the recorded answer cannot be opened by a replay's new key")


@at("/sealed-letter/open")
def _(r: Req) -> None:
    jwk = json.loads(r.body)

    def un(s: str) -> int: return int.from_bytes(base64.urlsafe_b64decode(s + "=="), "big")
    n, e = un(jwk["n"]), un(jwk["e"])
    k, msg = (n.bit_length() + 7) // 8, "Your laboratory result of 9 November is negative".encode()

    def mgf(seed: bytes, ln: int) -> bytes: return b"".join(hashlib.sha256(seed + i.to_bytes(4, "big")).digest() for i in range(-(-ln // 32)))[:ln]
    def xor(a: bytes, b: bytes) -> bytes: return bytes(x ^ y for x, y in zip(a, b))
    seed = secrets.token_bytes(32)  # RSA-OAEP, SHA-256, empty label
    db = hashlib.sha256(b"").digest() + b"\0" * (k - len(msg) - 66) + b"\1" + msg
    mdb = xor(db, mgf(seed, len(db)))
    em = b"\0" + xor(seed, mgf(mdb, 32)) + mdb
    r.send(pow(int.from_bytes(em, "big"), e, n).to_bytes(k, "big"), "application/octet-stream", headers=[("Cache-Control", "no-store")])


@at("/sealed-letter/")
def _(r: Req) -> None:
    r.send(shell("Sealed letter", "Varn Hospital Post", text("sealed-letter.html"), color="#134e4a", nav=("Letters", "Appointments")))
