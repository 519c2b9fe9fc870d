"""A second batch of dynamic traps, written after the code had been mended for the first."""

# ruff: noqa: E501 - lines of scripts
from __future__ import annotations

import base64
import json
from collections.abc import Mapping

from scripts.accuracy.dynamic_site import HTML, Answer, Asked, Reply, Trap

_SHOW_SORTED = "for (const key of Object.keys(got).sort()) show(`${key}: ${got[key]}`)"
_CITIES = "['Basel', 'Bern', 'Chur']"


def _exec(code: str) -> tuple[Mapping[str, object], ...]:
    return ({"type": "exec_js", "code": code},)


def _each(kind: str, name: str, request: str, answer: Answer, keys: str = _CITIES) -> Trap:
    """A page that asks for each key in an order of its own."""
    script = (
        f"const got = {{}}; for (const key of shuffled({keys})) got[key] = await {request}; {_SHOW_SORTED}"
    )
    return Trap(kind, name, script, {"api/q": answer})


def _city(asked: Asked) -> str:
    return f"rate of {asked.query['city']}"


def _in_parameter(asked: Asked) -> str:
    return f"rate of {json.loads(asked.query['variables'])['city']}"


def _in_form(asked: Asked) -> str:
    from urllib.parse import parse_qs

    return f"rate of {json.loads(parse_qs(asked.body.decode())['data'][0])['city']}"


def _list(*ids: str) -> Answer:
    return lambda asked: json.dumps(list(ids))


_HASHES = ("3f2a9c7be1d04458", "90be77ad1c2f4e61")
_OPENS = "const ids = JSON.parse(await ask('api/list')); window.go = async (i) => only(await ask(`api/q?@=${ids[i]}`)); await go(0)"


def _unopened(name: str, parameter: str, *ids: str) -> Trap:
    """A list of which only the first entry was opened when the page was recorded."""
    answers: dict[str, Answer] = {
        "api/list": _list(*ids),
        "api/q": lambda asked: f"entry {asked.query[parameter]}",
    }
    return Trap(
        "never recorded",
        name,
        _OPENS.replace("@", parameter),
        answers,
        more=_exec("await go(1)"),
        must="refuse",
    )


ADDRESSES = (
    _each(
        "cache-buster",
        "date and time without a zone",
        "ask(`api/q?city=${key}&time=${new Date().toISOString().slice(0, 19).replace('T', ' ')}`)",
        _city,
    ),
    _each(
        "cache-buster",
        "fourteen digits",
        "ask(`api/q?city=${key}&timestamp=${new Date().toISOString().replace(/\\D/g, '').slice(0, 14)}`)",
        _city,
    ),
    _each(
        "cache-buster",
        "the words of Date",
        "ask(`api/q?city=${key}&now=${encodeURIComponent(String(new Date()))}`)",
        _city,
    ),
    _each(
        "cache-buster",
        "a time stamp inside JSON in the query",
        "ask(`api/q?variables=${encodeURIComponent(JSON.stringify({ city: key, ts: Date.now() }))}`)",
        _in_parameter,
    ),
    _each(
        "cache-buster",
        "two at once, _ and a random r",
        "ask(`api/q?city=${key}&_=${Date.now()}&r=${Math.random()}`)",
        _city,
    ),
    _each(
        "cache-buster",
        "a random whole number under an unlikely name",
        "ask(`api/q?city=${key}&zx=${Math.random().toString(36).slice(2)}`)",
        _city,
    ),
    _each(
        "cache-buster",
        "a session made by the page, in a header",
        "ask(`api/q?city=${key}`, { headers: { 'x-session': crypto.randomUUID() } })",
        _city,
    ),
    Trap(
        "cache-buster",
        "the time in the path",
        "for (const code of [1, 2]) show(await ask(`api/q?code=${code}&_=${Date.now()}`)); const m = Date.now(); tag(`api/q?callback=put&code=3&t=${m}`); window.put = show",
        {
            "api/q": lambda asked: (
                Reply((b"put('code 3')",), "text/javascript")
                if "callback" in asked.query
                else f"code {asked.query['code']}"
            )
        },
    ),
    Trap(
        "JSONP",
        "a name in a namespace",
        "window.app = { cb: {} }; const k = 'k' + String(Math.random()).slice(2, 9); app.cb[k] = (d) => show(d.rate); tag(`api/q?callback=app.cb.${k}`)",
        {
            "api/q": lambda asked: Reply(
                (f'{asked.query["callback"]}({{"rate": "5.33"}})'.encode(),), "text/javascript"
            )
        },
    ),
    Trap(
        "JSONP",
        "written into the page while it loads",
        "",
        {"api/q": lambda asked: Reply((b"show('rate 5.33')",), "text/javascript")},
        body="<script>addEventListener('DOMContentLoaded', () => { const s = document.createElement('script'); s.src = 'api/q?rnd=' + Math.random(); document.body.append(s) })</script>",
    ),
)

BODIES = (
    _each(
        "bodies",
        "PUT",
        "ask('api/q', { ...json({ city: key, t: Date.now() }), method: 'PUT' })",
        lambda asked: f"{asked.method} {json.loads(asked.body)['city']}",
    ),
    _each(
        "bodies",
        "JSON inside a form",
        "ask('api/q', { method: 'POST', body: new URLSearchParams({ data: JSON.stringify({ city: key, timestamp: Date.now() }) }) })",
        _in_form,
    ),
    _each(
        "bodies",
        "a field deep in a list",
        "ask('api/q', json({ filters: [{ name: 'unit', is: 'percent' }, { name: 'where', is: key }], trace: { traceId: crypto.randomUUID() } }))",
        lambda asked: f"rate of {json.loads(asked.body)['filters'][1]['is']}",
    ),
    _each(
        "bodies",
        "signed, keys sorted, several stamps",
        "ask('api/q', json(await (async (n) => ({ city: key, nonce: crypto.randomUUID(), requestTime: n, data: { sentAt: n + 1 }, sign: await digest(key + n) }))(Date.now())))",
        lambda asked: f"rate of {json.loads(asked.body)['city']}",
    ),
    Trap(
        "bodies",
        "a body in base64 with the time in it",
        "show(await ask('api/q', { method: 'POST', body: btoa(JSON.stringify({ city: 'Basel', t: Date.now() })) }))",
        {"api/q": lambda asked: f"rate of {json.loads(base64.b64decode(asked.body))['city']}"},
        must="refuse",
    ),
)

STATE = (
    Trap(
        "headers",
        "a language in a cookie, in an order of its own",
        f"const got = {{}}; for (const key of shuffled(['de', 'en', 'it'])) {{ document.cookie = `lang=${{key}}`; got[key] = await ask('api/q') }} {_SHOW_SORTED}",
        {"api/q": lambda asked: f"cookie {asked.headers.get('cookie')}"},
    ),
    Trap(
        "repeated",
        "polling by setInterval, three times",
        "let n = 0; const id = setInterval(async () => { n += 1; if (n === 3) clearInterval(id); only(await ask('api/q')) }, 200)",
        {"api/q": lambda asked: f"value {asked.count}"},
    ),
    Trap(
        "repeated",
        "a search of which the first request is given up",
        "const c = new AbortController(); ask('api/q?w=ba', { signal: c.signal }).catch(() => {}); c.abort(); show(await ask('api/q?w=basel'))",
        {"api/q": lambda asked: f"found {asked.query['w']}"},
    ),
    Trap(
        "repeated",
        "the answer that comes last wins",
        "ask('api/q?w=slow').then(only); ask('api/q?w=fast').then(only)",
        {
            "api/q": lambda asked: Reply(
                (f"found {asked.query['w']}".encode(),), delay_s=0.3 if asked.query["w"] == "slow" else 0.0
            )
        },
    ),
    Trap(
        "repeated",
        "the answer that comes last wins, asked for a moment apart",
        "ask('api/q?w=slow').then(only); setTimeout(() => ask('api/q?w=fast').then(only), 100)",
        {
            "api/q": lambda asked: Reply(
                (f"found {asked.query['w']}".encode(),), delay_s=0.4 if asked.query["w"] == "slow" else 0.0
            )
        },
    ),
    Trap(
        "repeated",
        "an endless list, loaded when its end comes into view",
        "let page = 0; new IntersectionObserver(async (e) => { if (!e[0].isIntersecting || page >= 4) return; page += 1; const text = await ask(`api/q?page=${page}&_=${Date.now()}`); const d = document.createElement('div'); d.style.height = '900px'; d.textContent = text; out.append(d) }).observe(end)",
        {"api/q": lambda asked: f"page {asked.query['page']}"},
        steps=({"type": "scroll", "direction": "bottom"}, {"type": "scroll", "direction": "bottom"}),
        body="<style>#end { position: absolute; bottom: 0 }</style><div id='end'>end</div>",
    ),
    Trap(
        "redirects",
        "a page that sends itself on, with the time",
        "if (!location.search) location.replace('?_=' + Date.now()); else show(await ask('api/q?' + location.search.slice(1)))",
        {"api/q": lambda asked: "rate 5.33"},
    ),
    Trap(
        "redirects",
        "a form by GET with a nonce of the page's",
        "",
        {
            "api/q": lambda asked: Reply(
                (f"<h1>Result</h1><p>rate of {asked.query['city']}</p>".encode(),), HTML
            )
        },
        steps=_exec("n.value = crypto.randomUUID(); document.forms[0].submit(); 1"),
        body="<form action='api/q'><input name='city' value='Basel'><input id='n' name='nonce'></form>",
    ),
    Trap(
        "encodings",
        "bytes decoded by the script",
        "show(new TextDecoder('gbk').decode(await (await fetch('api/q')).arrayBuffer()))",
        {"api/q": lambda asked: Reply(("利率为百分之五".encode("gbk"),), "text/plain")},
    ),
    Trap(
        "encodings",
        "UTF-16",
        "const x = new XMLHttpRequest(); x.onload = () => show(x.responseText); x.open('GET', 'api/q'); x.send()",
        {"api/q": lambda asked: Reply(("利率 5.33".encode("utf-16"),), "text/plain; charset=utf-16")},
    ),
    Trap(
        "encodings",
        "a frame in Big5 that says so in its head",
        "",
        {
            "frame": lambda asked: Reply(
                ('<!doctype html><meta charset="big5"><p>利率百分之五</p>'.encode("big5"),), "text/html"
            )
        },
        body="<iframe src='frame'></iframe>",
    ),
    Trap(
        "time and chance",
        "drawn by an animation frame after the answer",
        "const t = await ask('api/q'); const s = performance.now(); const step = () => { if (performance.now() - s > 40) show(t); else requestAnimationFrame(step) }; step()",
        {"api/q": lambda asked: "rate 5.33"},
    ),
    Trap(
        "time and chance",
        "one of two layouts, by chance",
        "show(await ask('api/q?v=' + (Math.random() < 0.5 ? 'a' : 'b').repeat(1 + Math.floor(Math.random() * 90))))",
        {"api/q": lambda asked: f"layout {asked.query['v']}"},
        must="refuse",
    ),
)

NEVER = (
    _unopened("another trace of a list", "traceId", *_HASHES),
    _unopened("another session of a list", "session_id", *_HASHES),
    _unopened("another time of a list", "at", "1741083629120", "1741083627450"),
    _unopened("another entry under nonce", "nonce", *_HASHES),
    Trap(
        "never recorded",
        "another city in JSON in the query",
        "window.go = async (city) => only(await ask('api/q?variables=' + encodeURIComponent(JSON.stringify({ city, ts: Date.now() })))); await go('Basel')",
        {"api/q": _in_parameter},
        more=_exec("await go('Bern')"),
        must="refuse",
    ),
    Trap(
        "never recorded",
        "another GraphQL variable",
        "window.go = async (city) => only(await ask('api/q', json({ operationName: 'Rate', query: 'query Rate($c: String) { rate(city: $c) }', variables: { c: city } }))); await go('Basel')",
        {"api/q": lambda asked: asked.body.decode()},
        more=_exec("await go('Bern')"),
        must="refuse",
    ),
    Trap(
        "never recorded",
        "another language",
        "window.go = async (lang) => only(await ask('api/q', { headers: { 'accept-language': lang } })); await go('de')",
        {
            "api/q": lambda asked: Reply(
                (f"in {asked.headers['accept-language']}".encode(),), headers={"vary": "Accept-Language"}
            )
        },
        more=_exec("await go('it')"),
        must="refuse",
    ),
    Trap(
        "never recorded",
        "another part of a file",
        "window.go = async (range) => only(await ask('api/q', { headers: { range } })); await go('bytes=0-3')",
        {
            "api/q": lambda asked: Reply(
                (asked.headers["range"].encode(),), "text/plain", 206, {"content-range": "bytes 0-3/20"}
            )
        },
        more=_exec("await go('bytes=4-7')"),
        must="refuse",
    ),
    Trap(
        "never recorded",
        "another order of a list of fields",
        "window.go = async (by) => only(await ask('api/q', json({ sort: by, first: 10, filter: { unit: 'percent' } }))); await go(['day', 'rate'])",
        {"api/q": lambda asked: asked.body.decode()},
        more=_exec("await go(['rate', 'day'])"),
        must="refuse",
    ),
    Trap(
        "never recorded",
        "a number where a text was",
        "window.go = async (code) => only(await ask('api/q', json({ code, first: 10 }))); await go('1')",
        {"api/q": lambda asked: asked.body.decode()},
        more=_exec("await go(1)"),
        must="refuse",
    ),
)

LATER: tuple[Trap, ...] = (*ADDRESSES, *BODIES, *STATE, *NEVER)
