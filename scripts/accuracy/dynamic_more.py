"""More traps of the dynamic suite: bodies, headers, redirects, time, and where a page asks from."""

# ruff: noqa: E501 - lines of scripts
from __future__ import annotations

import gzip
import json
import zlib

from scripts.accuracy.dynamic_site import HTML, Answer, Asked, Reply, Trap

_SHOW_SORTED = "for (const key of Object.keys(got).sort()) show(`${key}: ${got[key]}`)"


def _field(*path: str) -> Answer:
    """Says what stands in a field of a JSON body."""

    def answer(asked: Asked) -> str:
        value = json.loads(asked.body)
        for name in path:
            value = value[name]
        return f"rate of {value}"

    return answer


def _posted(name: str, options: str, answer: Answer, keys: str = "['Basel', 'Bern', 'Chur']") -> Trap:
    """A page that posts one body for each key, in an order of its own, to one address."""
    script = f"const got = {{}}; for (const key of shuffled({keys})) got[key] = await ask('api/q', {options}); {_SHOW_SORTED}"
    return Trap("bodies", name, script, {"api/q": answer})


def _form(name: str) -> Answer:
    return lambda asked: next(
        f"rate of {part}" for part in asked.body.decode().split("&") if part.startswith(name)
    )


def _multipart(asked: Asked) -> str:
    return "rate of " + asked.body.decode().split('name="city"\r\n\r\n')[1].split("\r\n")[0]


def _binary(asked: Asked) -> str:
    return f"rate of {asked.body[-1]}"


BODIES = (
    _posted("JSON, one field", "json({ size: 20, lang: 'en', city: key })", _field("city")),
    _posted("JSON, time stamp", "json({ city: key, ts: Date.now() })", _field("city")),
    _posted(
        "JSON, ISO time and UUID",
        "json({ city: key, meta: { sentAt: new Date().toISOString(), requestId: crypto.randomUUID() } })",
        _field("city"),
    ),
    _posted(
        "JSON, nonce and signature",
        "json(await (async (nonce) => ({ city: key, nonce, sign: await digest(nonce + key) }))(String(Math.random()).slice(2)))",
        _field("city"),
    ),
    _posted(
        "JSON, performance.now()",
        "json({ city: key, timing: { elapsed: performance.now() } })",
        _field("city"),
    ),
    _posted(
        "GraphQL, variables",
        "json({ operationName: 'Rate', query: 'query Rate($c: String) { rate(city: $c) }', variables: { c: key, first: 10 } })",
        _field("variables", "c"),
    ),
    _posted(
        "GraphQL, values in the query",
        'json({ query: `{ rate(city: "${key}", first: 10) { value unit day } }` })',
        _field("query"),
    ),
    _posted(
        "JSON sent as text/plain",
        "{ method: 'POST', body: JSON.stringify({ city: key, t: Date.now() }) }",
        _field("city"),
    ),
    _posted(
        "JSON-RPC, counted ids",
        "json({ jsonrpc: '2.0', id: Math.floor(Math.random() * 1e9), method: 'rate', params: [key] })",
        _field("params"),
    ),
    _posted(
        "form",
        "{ method: 'POST', body: new URLSearchParams({ lang: 'en', size: 20, city: key, _: Date.now() }) }",
        _form("city"),
    ),
    _posted(
        "form, CSRF token",
        "{ method: 'POST', body: new URLSearchParams({ city: key, csrf_token: hex(crypto.getRandomValues(new Uint8Array(20))) }) }",
        _form("city"),
    ),
    _posted(
        "multipart",
        "{ method: 'POST', body: (() => { const form = new FormData(); form.set('city', key); form.set('t', Date.now()); return form })() }",
        _multipart,
    ),
    _posted(
        "bytes",
        "{ method: 'POST', headers: { 'content-type': 'application/grpc-web+proto' }, body: new Uint8Array([0, 200, 255, key]) }",
        _binary,
        "[7, 8, 9]",
    ),
    _posted(
        "CSRF token in a header",
        "json({ city: key }, { 'x-csrf-token': hex(crypto.getRandomValues(new Uint8Array(16))) })",
        _field("city"),
    ),
    _posted(
        "trace headers",
        "json({ city: key }, { traceparent: `00-${hex(crypto.getRandomValues(new Uint8Array(16)))}-${hex(crypto.getRandomValues(new Uint8Array(8)))}-01`, 'x-request-id': crypto.randomUUID() })",
        _field("city"),
    ),
)


def _asked(name: str, options: str, answer: Answer, keys: str) -> Trap:
    script = f"const got = {{}}; for (const key of shuffled({keys})) got[key] = await ask('api/q', {options}); {_SHOW_SORTED}"
    return Trap("headers", name, script, {"api/q": answer})


def _part(asked: Asked) -> Reply:
    first, last = (int(n) for n in asked.headers["range"].removeprefix("bytes=").split("-"))
    whole = b"0123456789abcdefghij"
    return Reply((whole[first : last + 1],), "text/plain", 206, {"content-range": f"bytes {first}-{last}/20"})


def _negotiated(asked: Asked) -> Reply:
    wanted = asked.headers.get("accept", "*/*")
    return Reply((f"as {wanted}".encode(),), wanted, headers={"vary": "accept"})


HEADERS = (
    _asked(
        "Accept", "{ headers: { accept: key } }", _negotiated, "['application/json', 'text/csv', 'text/html']"
    ),
    _asked(
        "Accept-Language",
        "{ headers: { 'accept-language': key } }",
        lambda asked: f"in {asked.headers['accept-language']}",
        "['de', 'en', 'zh']",
    ),
    _asked(
        "a header of its own for the page",
        "{ headers: { 'x-page': key, 'x-request-id': crypto.randomUUID() } }",
        lambda asked: f"page {asked.headers['x-page']}",
        "['1', '2', '3']",
    ),
    _asked("Range", "{ headers: { range: key } }", _part, "['bytes=0-3', 'bytes=4-7', 'bytes=8-11']"),
    Trap(
        "headers",
        "a cookie that the server has set",
        "await ask('api/in'); show(await ask('api/q')); show(document.cookie)",
        {
            "api/in": lambda asked: Reply((b"in",), headers={"set-cookie": "seen=yes; Path=/"}),
            "api/q": lambda asked: f"cookie {asked.headers.get('cookie')}",
        },
    ),
)


def _counted(asked: Asked) -> Reply:
    text = f"<!doctype html><title>Result</title><h1>Result</h1><p>result {asked.count}</p>"
    return Reply((text.encode(),), HTML)


def _to(target: str, status: int = 302, **headers: str) -> Answer:
    return lambda asked: Reply((b"",), status=status, headers={"location": target, **headers})


_SEND: dict[str, object] = {"type": "exec_js", "code": "document.forms[0].submit(); 1"}

REDIRECTS = (
    Trap(
        "redirects",
        "of a request",
        "show(await ask('api/go')); show(await ask('api/go'))",
        {"api/go": _to("q?code=1"), "api/q": lambda asked: f"value {asked.count}"},
    ),
    Trap(
        "redirects",
        "of a request, whose last address is shown",
        "const r = await fetch('api/go'); show(new URL(r.url).pathname.split('/').pop() + ' ' + r.redirected); show(await r.text())",
        {"api/go": _to("q1"), "api/q1": lambda asked: "5.33"},
    ),
    Trap(
        "redirects",
        "of an XMLHttpRequest, whose last address is shown",
        "const x = new XMLHttpRequest(); x.onload = () => show(x.responseURL.split('/').pop() + ' ' + x.responseText); x.open('GET', 'api/go'); x.send()",
        {"api/go": _to("q1"), "api/q1": lambda asked: "5.33"},
    ),
    Trap(
        "redirects",
        "POST, then GET, of a page that counts",
        "",
        {"api/go": _to("q", 303), "api/q": _counted},
        steps=(_SEND,),
        body="<form method='post' action='api/go'><input name='city' value='Basel'></form>",
    ),
    Trap(
        "redirects",
        "POST kept by a 307",
        "",
        {
            "api/go": _to("q", 307),
            "api/q": lambda asked: Reply(
                (f"<h1>Result</h1><p>{asked.method} {asked.body.decode()}</p>".encode(),), HTML
            ),
        },
        steps=(_SEND,),
        body="<form method='post' action='api/go'><input name='city' value='Basel'></form>",
    ),
    Trap(
        "redirects",
        "that sets a cookie",
        "",
        {
            "api/go": _to("q", 302, **{"set-cookie": "seen=yes; Path=/"}),
            "api/q": lambda asked: Reply(
                (b"<h1>Result</h1><p id=p></p><script>p.textContent = 'cookie ' + document.cookie</script>",),
                HTML,
            ),
        },
        steps=(_SEND,),
        body="<form method='post' action='api/go'></form>",
    ),
    Trap(
        "redirects",
        "of a page to itself, twice",
        "",
        {
            "api/go": lambda asked: Reply(
                (f"<h1>Result</h1><p>result {asked.count}</p>".encode(),),
                HTML,
                headers={} if asked.count % 2 == 0 else {"location": "go"},
                status=200 if asked.count % 2 == 0 else 302,
            )
        },
        steps=(_SEND, {"type": "exec_js", "code": "location.reload(); 1"}),
        body="<form action='api/go'></form>",
    ),
)

TIME = (
    Trap(
        "time and chance",
        "the day of today",
        "show(await ask('api/q?day=' + new Date().toISOString().slice(0, 10)))",
        {"api/q": lambda asked: f"rate of {asked.query['day']}"},
    ),
    Trap(
        "time and chance",
        "a window of days that ends now",
        "show(await ask(`api/q?from=${Date.now() - 7 * 86400000}&to=${Date.now()}`))",
        {"api/q": lambda asked: "seven days: 5.33"},
    ),
    Trap(
        "time and chance",
        "the hour, in words",
        "show(await ask('api/q?hour=' + new Date().toLocaleString('en', { hour: 'numeric' })))",
        {"api/q": lambda asked: f"rate at {asked.query['hour']}"},
    ),
    Trap(
        "time and chance",
        "drawn after a while",
        "const data = await ask('api/q'); setTimeout(() => show(data), 350)",
        {"api/q": lambda asked: "5.33"},
    ),
    Trap(
        "time and chance",
        "asked for after a while",
        "show('day 1'); setTimeout(async () => show(await ask('api/q')), 300)",
        {"api/q": lambda asked: "day 2: 5.33"},
    ),
    Trap(
        "time and chance",
        "a chain of pauses",
        "for (let i = 0; i < 4; i += 1) { show(await ask(`api/q?step=${i}`)); await new Promise((r) => setTimeout(r, 250)) }",
        {"api/q": lambda asked: f"step {asked.query['step']}"},
    ),
    Trap(
        "time and chance",
        "an id made by Math.random()",
        "const id = Math.random().toString(36).slice(2); const r = JSON.parse(await ask(`api/q?session_id=${id}`)); show(r.rate)",
        {"api/q": lambda asked: json.dumps({"rate": "5.33", "for": asked.query["session_id"]})},
    ),
    Trap(
        "time and chance",
        "one of a thousand, by chance",
        "show(await ask('api/q?item=' + Math.floor(Math.random() * 1000)))",
        {"api/q": lambda asked: f"item {asked.query['item']}"},
        must="refuse",
    ),
)

_HELLO = "export const value = '5.33';"
_WORKER = b"onmessage = async (event) => { const r = await fetch(event.data); postMessage(await r.text()) };"
_SHARED = b"onconnect = (event) => { const port = event.ports[0]; port.onmessage = async (m) => { const r = await fetch(m.data); port.postMessage(await r.text()) } };"
_FRAME = b"<!doctype html><p id=p>loading</p><script>fetch('api/q?code=1&_=' + Date.now()).then((r) => r.text()).then((t) => { p.textContent = t })</script>"


def _js(source: bytes | str) -> Answer:
    return lambda asked: Reply((source if isinstance(source, bytes) else source.encode(),), "text/javascript")


def _rate(asked: Asked) -> str:
    return "rate 5.33"


PLACES = (
    Trap(
        "places",
        "a frame",
        "",
        {"frame": lambda asked: Reply((_FRAME,), HTML), "api/q": _rate},
        body="<iframe src='frame'></iframe>",
    ),
    Trap(
        "places",
        "a frame of another origin",
        "const f = document.createElement('iframe'); f.src = location.href.replace('127.0.0.1', 'localhost') + 'frame'; document.body.append(f)",
        {"frame": lambda asked: Reply((_FRAME,), HTML), "api/q": _rate},
    ),
    Trap(
        "places",
        "a module imported late",
        "const m = await import('./api/m.js?v=' + Date.now()); show(m.value)",
        {"api/m.js": _js(_HELLO)},
    ),
    Trap(
        "places",
        "a worker",
        "const w = new Worker('w.js'); w.onmessage = (e) => show(e.data); w.postMessage('api/q?_=' + Date.now())",
        {"w.js": _js(_WORKER), "api/q": _rate},
    ),
    Trap(
        "places",
        "a worker from a blob",
        "const source = await ask('w.js'); const w = new Worker(URL.createObjectURL(new Blob([source]))); w.onmessage = (e) => show(e.data); w.postMessage(new URL('api/q', location.href).href)",
        {"w.js": _js(_WORKER), "api/q": _rate},
    ),
    Trap(
        "places",
        "a shared worker, with a way out",
        "if (window.SharedWorker) { const w = new SharedWorker('s.js'); w.port.onmessage = (e) => show(e.data); w.port.start(); w.port.postMessage('api/q') } else show(await ask('api/q'))",
        {"s.js": _js(_SHARED), "api/q": _rate},
    ),
    Trap(
        "places",
        "a service worker that answers",
        "try { await navigator.serviceWorker.register('sw.js') } catch (e) {} show(await ask('api/q'))",
        {
            "sw.js": _js("self.onfetch = (e) => e.respondWith(new Response('from the worker'))"),
            "api/q": _rate,
        },
    ),
    Trap(
        "places",
        "a synchronous XMLHttpRequest",
        "for (const code of [1, 2]) { const x = new XMLHttpRequest(); x.open('GET', `api/q?code=${code}&_=${Date.now()}`, false); x.send(); show(x.responseText) }",
        {"api/q": lambda asked: f"code {asked.query['code']}"},
    ),
    Trap(
        "places",
        "a beacon before the data",
        "navigator.sendBeacon('api/log', JSON.stringify({ t: Date.now() })); show(await ask('api/q'))",
        {"api/log": lambda asked: Reply((b"",), status=204), "api/q": _rate},
    ),
    Trap(
        "places",
        "blob: and data: addresses",
        "const b = URL.createObjectURL(new Blob([await ask('api/q')])); show(await ask(b)); show(await ask('data:,4.97'))",
        {"api/q": _rate},
    ),
    Trap(
        "places",
        "a window that the page opens",
        "const w = open('api/win')",
        {"api/win": lambda asked: Reply((b"<h1>Window</h1><p>rate 5.33</p>",), HTML)},
        steps=({"type": "exec_js", "code": "const p = open('api/win?_=' + Date.now()); 1"},),
    ),
    Trap(
        "streams",
        "EventSource that goes on",
        "const s = new EventSource('api/q'); s.onmessage = (e) => show(e.data)",
        {
            "api/q": lambda asked: Reply(
                (b"data: rate 5.33\n\n", b"data: rate 5.12\n\n"), "text/event-stream", hold=True
            )
        },
        must="refuse",
    ),
    Trap(
        "streams",
        "EventSource that ends",
        "const s = new EventSource('api/q'); s.onmessage = (e) => show(e.data); s.onerror = () => s.close()",
        {"api/q": lambda asked: Reply((b"data: rate 5.33\n\n", b"data: rate 5.12\n\n"), "text/event-stream")},
    ),
    Trap(
        "streams",
        "a stream read piece by piece",
        "const reader = (await fetch('api/q')).body.getReader(); let text = ''; for (;;) { const { done, value } = await reader.read(); if (done) break; text += new TextDecoder().decode(value) } show(text)",
        {"api/q": lambda asked: Reply((b"rate ", b"5.33"), "text/plain")},
    ),
    Trap(
        "streams",
        "WebSocket",
        "const s = new WebSocket(location.href.replace('http', 'ws') + 'api/feed'); s.onmessage = (e) => show(e.data); s.onclose = () => show('closed')",
        {},
    ),
    Trap(
        "encodings",
        "gzip",
        "show(await ask('api/q'))",
        {"api/q": lambda asked: Reply((gzip.compress(b"rate 5.33"),), headers={"content-encoding": "gzip"})},
    ),
    Trap(
        "encodings",
        "deflate",
        "show(await ask('api/q'))",
        {
            "api/q": lambda asked: Reply(
                (zlib.compress(b"rate 5.33"),), headers={"content-encoding": "deflate"}
            )
        },
    ),
    Trap(
        "encodings",
        "GBK, cut inside a character",
        "show(await new Promise((done) => { const x = new XMLHttpRequest(); x.onload = () => done(x.responseText); x.open('GET', 'api/q'); x.send() }))",
        {
            "api/q": lambda asked: Reply(
                ("利率为百分之五".encode("gbk")[:3], "利率为百分之五".encode("gbk")[3:]),
                "text/plain; charset=gbk",
            )
        },
    ),
    Trap(
        "encodings",
        "GBK by a script's charset",
        "window.put = show; const s = document.createElement('script'); s.charset = 'gbk'; s.src = 'api/q?_=' + Date.now(); document.head.append(s)",
        {"api/q": lambda asked: Reply(("put('利率')".encode("gbk"),), "text/javascript")},
    ),
    Trap(
        "encodings",
        "GBK in the query",
        "show(await ask('api/q?name=%C0%FB%C2%CA&_=' + Date.now())); show(await ask('api/q?name=%D6%A3&_=' + Date.now()))",
        {"api/q": lambda asked: f"{asked.count}: {asked.query['name'].encode().hex()}"},
    ),
)

MORE: tuple[Trap, ...] = (*BODIES, *HEADERS, *REDIRECTS, *TIME, *PLACES)
