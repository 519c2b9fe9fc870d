"""The traps of the dynamic suite: addresses, callbacks, repeated requests."""

# ruff: noqa: E501 - lines of scripts
from __future__ import annotations

from collections.abc import Mapping

from scripts.accuracy.dynamic_later import LATER
from scripts.accuracy.dynamic_more import MORE
from scripts.accuracy.dynamic_site import Answer, Asked, Reply, Trap, callback

RATES = {"1": "5.33", "2": "5.12", "3": "4.97", "4": "4.85"}


def click(selector: str, wait: int = 0) -> Mapping[str, object]:
    """A step that clicks."""
    return {"type": "click", "selector": selector, "wait": wait}


def _rate(asked: Asked) -> str:
    """The rate that belongs to a code."""
    return f"code {asked.query.get('code')}: {RATES.get(asked.query.get('code', ''), 'none')}"


def _paged(name: str) -> Answer:
    return lambda asked: f"page {asked.query[name]} of the list"


def _nth(asked: Asked) -> str:
    return f"value {asked.count}"


def _same(asked: Asked) -> str:
    return "5.33"


def _jsonp(name: str, value: str, parameter: str, more: str = "`&_=${Date.now()}`") -> Trap:
    """A page that asks for two codes at once under made-up callback names."""
    script = f"""const seed = String(Math.random()).slice(2);
      for (const code of [1, 2]) {{
        const name = {value};
        window[name] = (data) => {{ show(`${{data.code}}: ${{data.rate}}`) }};
        tag(`api/q?code=${{code}}&{parameter}=${{name}}` + {more});
      }}"""

    def answer(asked: Asked) -> Reply:
        code = asked.query["code"]
        reply = callback(asked, f'{{"code": {code}, "rate": "{RATES[code]}"}}', parameter)
        return Reply(reply.chunks, reply.content_type, delay_s=0.05 * int(code))

    return Trap("JSONP", name, script, {"api/q": answer})


def _busted(name: str, query: str) -> Trap:
    """A page that makes its address new with each request."""
    script = f"for (const code of [1, 2]) show(await ask(`api/q?code=${{code}}&` + {query}))"
    return Trap("cache-buster", name, script, {"api/q": _rate})


def _guarded(asked: Asked) -> Reply:
    name = asked.query["callback"]
    text = f'typeof {name} === \'function\' && {name}({{"rate": "5.33", "by": "{name}()"}});'
    return Reply((text.encode(),), "text/javascript")


JSONP = (
    _jsonp("jQuery", "`jQuery3610${seed}_${Date.now() + code}`", "callback"),
    _jsonp(
        "jsonCallBack of the Shanghai exchange", "`jsonpCallback${seed.slice(0, 8)}${code}`", "jsonCallBack"
    ),
    _jsonp("Angular", "`ng_jsonp_callback_${code}`", "callback", "''"),
    _jsonp("YUI, cb", "`yui_3_18_1_${code}_${Date.now()}_${seed.slice(0, 4)}`", "cb"),
    _jsonp("a parameter of its own, fn", "`f${seed.slice(0, 9)}${code}`", "fn"),
    _jsonp("callbackName", "`fetchJsonp_${Date.now()}_${seed.slice(0, 5)}${code}`", "callbackName"),
    _jsonp(
        "_jsonp with a letter for a name",
        "String.fromCharCode(97 + Number(seed.slice(0, 2)) % 20) + code + 'x'",
        "_jsonp",
    ),
    Trap(
        "JSONP",
        "guarded call, the name once more in the data",
        """const name = "cb" + String(Math.random()).slice(2, 12);
        window[name] = (data) => { show(data.rate); show(data.by.length > 4 ? "named" : "not named") };
        tag(`api/q?callback=${name}&nocache=${Math.random()}`)""",
        {"api/q": _guarded},
    ),
    Trap(
        "JSONP",
        "a callback that names a view, not a function",
        "for (const view of ['orders', 'clients']) show(await ask(`api/q?callback=${view}`))",
        {"api/q": lambda asked: f"list of {asked.query['callback']}"},
    ),
    Trap(
        "never recorded",
        "a view under the name callback",
        "show(await ask('api/q?callback=orders')); window.more = async () => only(await ask('api/q?callback=clients'))",
        {"api/q": lambda asked: f"list of {asked.query['callback']}"},
        more=({"type": "exec_js", "code": "await more()"},),
        must="refuse",
    ),
)

BUSTERS = (
    _busted("_ with the time", "`_=${Date.now()}`"),
    _busted("t with Math.random()", "`t=${Math.random()}`"),
    _busted("ts in seconds", "`ts=${Math.floor(Date.now() / 1000)}`"),
    _busted("rnd with a small number", "`rnd=${Math.floor(Math.random() * 1000000)}`"),
    _busted("v with the time", "`v=${Date.now()}`"),
    _busted("no name, only the time", "Date.now()"),
    _busted("no name, Math.random()", "Math.random()"),
    _busted("cachebust with a UUID", "`cachebust=${crypto.randomUUID()}`"),
    _busted("requestId with a UUID", "`requestId=${crypto.randomUUID()}`"),
    _busted("an ISO time with milliseconds", "`clientTime=${new Date().toISOString()}`"),
    _busted("performance.now()", "`elapsed=${performance.now()}`"),
    _busted("a nonce in hexadecimal", "`nonce=${hex(crypto.getRandomValues(new Uint8Array(16)))}`"),
    _busted(
        "a signature of the time",
        "await (async (now) => `timestamp=${now}&sign=${await digest('key' + code + now)}`)(Date.now())",
    ),
    Trap(
        "cache-buster",
        "query in a random order",
        "for (const code of [1, 2]) show(await ask('api/q?' + shuffled([`code=${code}`, 'lang=en', 'size=10', `_=${Date.now()}`]).join('&')))",
        {"api/q": _rate},
    ),
    Trap(
        "meaningful",
        "_ is a page number",
        "for (const page of shuffled([1, 2, 3])) window['p' + page] = await ask(`api/q?_=${page}`); for (const page of [1, 2, 3]) show(window['p' + page])",
        {"api/q": _paged("_")},
    ),
    Trap(
        "meaningful",
        "t is a tab, v a version, r a region, with a cache-buster beside them",
        """const tabs = shuffled([1, 2, 3]); const got = {};
        for (const t of tabs) got[t] = await ask(`api/q?t=${t}&v=${t + 4}&r=${t * 7}&_=${Date.now()}`);
        for (const t of [1, 2, 3]) show(got[t])""",
        {
            "api/q": lambda asked: (
                f"tab {asked.query['t']} version {asked.query['v']} region {asked.query['r']}"
            )
        },
    ),
    Trap(
        "meaningful",
        "ts is the midnight of a day",
        """const day = 86400000; const now = Math.floor(Date.now() / day) * day; const got = {};
        for (const back of shuffled([0, 1, 2])) got[back] = await ask(`api/q?ts=${now - back * day}`);
        for (const back of [0, 1, 2]) show(got[back])""",
        {"api/q": lambda asked: f"day {asked.query['ts']}"},
    ),
    Trap(
        "meaningful",
        "a cursor that is the time of the last record",
        """let cursor = 1741000000123;
        for (let i = 0; i < 3; i += 1) { const text = await ask(`api/q?before=${cursor}&_=${Date.now()}`); show(text); cursor = Number(text.split(" ").pop()) }""",
        {"api/q": lambda asked: f"record before {int(asked.query['before']) - 31_111}"},
    ),
)


def _asks_more(name: str, url: str, answer: Answer, first: str = "1", second: str = "2") -> Trap:
    """A page that at replay asks for another value than was ever recorded."""
    script = f"window.go = async (value) => only(await ask({url})); await go({first})"
    step: Mapping[str, object] = {"type": "exec_js", "code": f"await go({second})"}
    return Trap("never recorded", name, script, {"api/q": answer}, more=(step,), must="refuse")


NEVER = (
    _asks_more("another page under _", "`api/q?_=${value}`", _paged("_")),
    _asks_more("another tab under t", "`api/q?t=${value}`", _paged("t")),
    _asks_more("another version under v", "`api/q?v=${value}&_=${Date.now()}`", _paged("v")),
    _asks_more(
        "another day under ts",
        "`api/q?ts=${value}`",
        _paged("ts"),
        "Math.floor(Date.now() / 86400000) * 86400",
        "Math.floor(Date.now() / 86400000) * 86400 - 86400",
    ),
    _asks_more(
        "another cursor in milliseconds", "`api/q?t=${value}`", _paged("t"), "1741000000123", "1740999968012"
    ),
    _asks_more(
        "another cursor named nextToken",
        "`api/q?nextToken=${value}`",
        _paged("nextToken"),
        "'9f86d081884c7d659a2feaa0'",
        "'60303ae22b998861bce3b28f'",
    ),
    _asks_more(
        "another record by UUID",
        "`api/q?id=${value}`",
        _paged("id"),
        "'7b0c9f7e-7d2b-4d6d-8f5e-0a4be0f0a111'",
        "'0c6bd8a1-1f4b-4c39-9b1a-6b1c2d3e4f55'",
    ),
    _asks_more(
        "another page in a header",
        "'api/q', { headers: { 'X-Page': value } }",
        lambda asked: f"page {asked.headers['x-page']}",
    ),
    _asks_more(
        "another page in the body",
        "'api/q', json({ size: 20, lang: 'en', sort: 'day', p: value })",
        lambda asked: asked.body.decode(),
    ),
    _asks_more(
        "another date in the body",
        "'api/q', json({ size: 20, lang: 'en', sort: 'day', day: value })",
        lambda asked: asked.body.decode(),
        "'2025-03-03'",
        "'2025-03-04'",
    ),
    _asks_more(
        "another city in a form",
        "'api/q', { method: 'POST', body: new URLSearchParams({ size: 20, lang: 'en', sort: 'day', city: value }) }",
        lambda asked: asked.body.decode(),
        "'Basel'",
        "'Bern'",
    ),
    _asks_more(
        "another word in a text body",
        "'api/q', { method: 'POST', body: `select rate from bonds where city is ${value} order by day` }",
        lambda asked: asked.body.decode(),
        "'Basel'",
        "'Bern'",
    ),
    _asks_more(
        "another cookie",
        "(document.cookie = `page=${value}`, 'api/q')",
        lambda asked: f"cookie {asked.headers.get('cookie')}",
    ),
    Trap(
        "never recorded",
        "one more of a list that its session pages through",
        "window.go = async () => show(await ask('api/q')); await go(); await go()",
        {"api/q": _nth},
        more=({"type": "exec_js", "code": "go(); 1"},),
        must="refuse",
    ),
)

REPEATS = (
    Trap(
        "repeated",
        "polling until done",
        "for (let i = 0; i < 5; i += 1) { only(await ask('api/q')); await new Promise((r) => setTimeout(r, 150)) }",
        {"api/q": _nth},
    ),
    Trap(
        "repeated",
        "polling with a cache-buster",
        "for (let i = 0; i < 4; i += 1) { only(await ask(`api/q?_=${Date.now()}`)); await new Promise((r) => setTimeout(r, 300)) }",
        {"api/q": _nth},
    ),
    Trap(
        "repeated",
        "a list that its session pages through, by scrolling",
        """addEventListener("scroll", async () => show(await ask("api/q", { method: "POST" })));
        show(await ask("api/q", { method: "POST" }))""",
        {"api/q": _nth},
        steps=({"type": "scroll", "amount": 500}, {"type": "scroll", "amount": 500}),
        body="<div style='height:4000px'></div>",
    ),
    Trap(
        "repeated",
        "two at once, the first answered last",
        "const [a, b] = await Promise.all([ask('api/q'), ask('api/q')]); show('first ' + a); show('second ' + b)",
        {"api/q": lambda asked: Reply((f"value {asked.count}".encode(),), delay_s=0.5 / asked.count**3)},
    ),
    Trap(
        "repeated",
        "loaded more by clicks, one address, changing answers",
        "more.onclick = async () => show(await ask('api/q')); show(await ask('api/q'))",
        {"api/q": _nth},
        steps=(click("#more"), click("#more")),
        body="<button id='more'>more</button>",
    ),
    Trap(
        "repeated",
        "a cursor in the answer",
        """let next = "0"; const load = async () => { const page = JSON.parse(await ask(`api/q?cursor=${next}&_=${Date.now()}`)); next = page.next; show(page.text) };
        more.onclick = load; await load()""",
        {"api/q": lambda asked: f'{{"text": "after {asked.query["cursor"]}", "next": "c{asked.count}"}}'},
        steps=(click("#more"), click("#more"), click("#more")),
        body="<button id='more'>more</button>",
    ),
    Trap(
        "repeated",
        "conditional, answered with 304",
        """const one = await fetch("api/q"); const text = await one.text(); show(`${one.status} ${text}`);
        const two = await fetch("api/q", { headers: { "if-none-match": one.headers.get("etag") } });
        show(two.status === 304 ? "unchanged " + text : "new " + await two.text())""",
        {
            "api/q": lambda asked: Reply(
                (b"5.33",),
                status=304 if asked.headers.get("if-none-match") else 200,
                headers={"etag": '"e1"', "access-control-expose-headers": "etag"},
            )
        },
    ),
)

TRAPS: tuple[Trap, ...] = (*JSONP, *BUSTERS, *REPEATS, *MORE, *NEVER, *LATER)
