"""Walls on loopback: sites that let in who looks and behaves as a person's browser does, each in one way."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias

from tests.browser.citing import pdf

WORDS = "The rate was 4.25 per cent in March"
DENIED = "<h1>Access denied</h1><p>Reference 18.2f3</p>"
PDF = pdf(f"{WORDS}.")


@dataclass
class Asked:
    """A request for a wall: ``rest`` is its path below the wall, ``times`` how often it was asked before."""

    rest: str
    headers: Mapping[str, str]
    body: bytes
    times: int
    at_once: int
    since_s: float
    cookies: Mapping[str, str] = field(default_factory=dict)

    def says(self, name: str) -> str:
        return self.headers.get(name, "")


#: Status, body, headers.
Answer: TypeAlias = "tuple[int, str | bytes, dict[str, str]]"


@dataclass(frozen=True)
class Wall:
    """A wall: its server, what it comes to, and how it is passed.

    Attributes:
        answer: the server.
        named: a pattern of the refusal, where nobody passes without help; empty where a browser passes.
        kind: of the evidence behind it.
        steps: what a person does on it.
        settings: what a person sets for it.
        path: of what is opened, below the wall.
    """

    answer: Callable[[Asked], Answer]
    named: str = ""
    kind: str = "text"
    steps: tuple[dict[str, str], ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    path: str = ""


def content(words: str = WORDS) -> Answer:
    return 200, f"<h1>Bulletin</h1><p>{words}. It stays where it was for the rest of the year.</p>", {}


def denied(status: int = 403, script: str = "", body: str = DENIED) -> Answer:
    return status, body + (f"<script>{script}</script>" if script else ""), {}


def let(holds: Callable[[Asked], object]) -> Wall:
    """Lets in whose request shows something."""
    return Wall(lambda asked: content() if holds(asked) else denied())


def shows(condition: str, **settings: object) -> Wall:
    """Lets in in whose pages a JavaScript condition holds (it may await)."""
    script = f"(async()=>{{if({condition}){{document.cookie='ok=1';location.reload()}}}})()"
    return Wall(lambda asked: content() if "ok" in asked.cookies else denied(403, script), settings=settings)


_RELOAD = "document.cookie='pass=1';location.reload()"


def check(status: int, script: str = _RELOAD, *, file: str = "", named: str = "") -> Wall:
    """A check that sets a cookie and loads the page again."""

    def answer(asked: Asked) -> Answer:
        if "pass" not in asked.cookies:
            return denied(status, script, "<h1>One moment</h1><p>Your browser is looked at.</p>")
        return (200, PDF, {"content-type": "application/pdf"}) if file == "pdf" else content()

    return Wall(answer, kind=file or "text", named=named)


def _major(text: str) -> str:
    found = re.search(r"Chrom\w*[^\d]+(\d+)", text)
    return found[1] if found else "none"


def _high(asked: Asked) -> Answer:
    full = asked.says("sec-ch-ua-full-version-list")
    if not full:
        hints = {"accept-ch": "Sec-CH-UA-Full-Version-List", "critical-ch": "Sec-CH-UA-Full-Version-List"}
        status, body, _ = denied(403, "location.reload()" if not asked.times else "")
        return status, body, hints
    return denied() if "Headless" in full else content()


def _worker(asked: Asked) -> Answer:
    if asked.rest == "/w.js":
        return 200, "postMessage(navigator.userAgent)", {"content-type": "text/javascript"}
    if "ok" in asked.cookies:
        return content()
    said = json.dumps(asked.says("user-agent"))
    script = (
        "new Worker('%s/w.js').onmessage=e=>{if(e.data==="
        + said
        + "){document.cookie='ok=1';location.reload()}}"
    )
    return denied(403, script % "worker") if "Headless" not in said else denied()


def _frame(asked: Asked) -> Answer:
    if asked.rest == "/f":
        return 200, "<script>parent.postMessage(navigator.userAgent,'*')</script>", {}
    if "ok" in asked.cookies:
        return content()
    said = json.dumps(asked.says("user-agent"))
    script = (
        "onmessage=e=>{if(e.data==="
        + said
        + "&&!/Headless/.test(e.data)){document.cookie='ok=1';location.reload()}}"
    )
    return 403, f"<iframe src='frame/f'></iframe><script>{script}</script>", {}


def _two_stages(asked: Asked) -> Answer:
    stage = int(asked.cookies.get("stage", "0"))
    return content() if stage == 2 else denied(503, f"document.cookie='stage={stage + 1}';location.reload()")


def _outside_script(asked: Asked) -> Answer:
    if asked.rest == "/check.js":
        return (
            200,
            "setTimeout(()=>{document.cookie='pass=1;path=/';location.reload()},300)",
            {"content-type": "text/javascript"},
        )
    if "pass" in asked.cookies:
        return content()
    return (
        403,
        DENIED
        + "<script>const s=document.createElement('script');s.src='outside/check.js';document.head.append(s)</script>",
        {},
    )


def _by_form(asked: Asked) -> Answer:
    if asked.body == b"proof=42":
        return 303, "", {"set-cookie": "pass=1", "location": "/form"}
    if "pass" in asked.cookies:
        return content()
    return denied(403, "f.submit()", "<form id=f method=post action=/form><input name=proof value=42></form>")


def _by_refresh(asked: Asked) -> Answer:
    if "pass" in asked.cookies:
        return content()
    return 503, "<meta http-equiv=refresh content=1><p>You are sent on.</p>", {"set-cookie": "pass=1"}


def _by_fetch(asked: Asked) -> Answer:
    if asked.rest == "/proof":
        return 200, "{}", {"set-cookie": "pass=1; path=/", "content-type": "application/json"}
    return (
        content()
        if "pass" in asked.cookies
        else denied(403, "fetch('fetched/proof',{method:'POST'}).then(()=>location.reload())")
    )


def _elsewhere(asked: Asked) -> Answer:
    if asked.rest == "/real":
        return content() if "pass" in asked.cookies else denied()
    return denied(403, "document.cookie='pass=1;path=/';location.replace('/elsewhere/real')")


def _jsonp(asked: Asked) -> Answer:
    if asked.rest.startswith("/data"):
        if "pass" in asked.cookies and "/jsonp" in asked.says("referer"):
            return 200, f"show({json.dumps(WORDS)})", {"content-type": "text/javascript"}
        return denied()
    if "pass" not in asked.cookies:
        return denied(412, "document.cookie='pass=1;path=/';location.reload()")
    return (
        200,
        "<h1>Bulletin</h1><p id=p></p><script>show=t=>p.textContent=t+'. It stays so.'</script><script src=/jsonp/data?callback=show></script>",
        {"referrer-policy": "unsafe-url"},
    )


def _retry(status: int, seconds: str) -> Wall:
    def answer(asked: Asked) -> Answer:
        if asked.times and asked.since_s >= 0.9:
            return content()
        return status, "<h1>Too many requests</h1>", {"retry-after": seconds}

    return Wall(answer, named="" if seconds == "1" else "HTTP 429.*Too many requests")


def _login(asked: Asked) -> Answer:
    return (
        content()
        if asked.cookies.get("session") == "secret-token"
        else denied(401, body="<h1>Sign in</h1><form><input type=password></form>")
    )


def _consent(asked: Asked) -> Answer:
    if asked.body == b"agree=yes":
        return 303, "", {"set-cookie": "agreed=yes", "location": "/consent"}
    if "agreed" in asked.cookies:
        return content()
    return (
        200,
        "<h1>Before you continue</h1><p>We and our partners use cookies.</p><form method=post action=/consent><button id=yes name=agree value=yes>Accept all</button></form>",
        {},
    )


def _redirects(asked: Asked) -> Answer:
    hops = int(asked.cookies.get("hops", "0"))
    return content() if hops == 3 else (302, "", {"set-cookie": f"hops={hops + 1}", "location": "/redirects"})


def _not_at_once(asked: Asked) -> Answer:
    if asked.rest:
        return (503, "", {}) if asked.at_once > 20 else (200, "1", {"content-type": "text/javascript"})
    return content()


def _spelled(text: str) -> Answer:
    return 200, f"<h1>{text}</h1>", {}


WALLS: dict[str, Wall] = {
    # who asks
    "agent": let(lambda asked: asked.says("user-agent") and "Headless" not in asked.says("user-agent")),
    "agent-reduced": let(lambda asked: re.search(r"Chrome/\d+\.0\.0\.0 Safari", asked.says("user-agent"))),
    "hints": let(lambda asked: asked.says("sec-ch-ua")),
    "hints-brand": let(lambda asked: asked.says("sec-ch-ua") and "Headless" not in asked.says("sec-ch-ua")),
    "hints-version": let(lambda asked: _major(asked.says("user-agent")) == _major(asked.says("sec-ch-ua"))),
    "hints-platform": let(
        lambda asked: asked.says("sec-ch-ua-platform").strip('"') in asked.says("user-agent") != ""
        and asked.says("sec-ch-ua-platform")
    ),
    "hints-high": Wall(_high),
    "fetch-metadata": let(lambda asked: asked.says("sec-fetch-mode") == "navigate"),
    "accept": let(lambda asked: "text/html" in asked.says("accept")),
    "js-agent": shows("!/Headless/.test(navigator.userAgent)"),
    "js-brands": shows("navigator.userAgentData&&!JSON.stringify(await navigator.userAgentData.getHighEntropyValues(['fullVersionList'])).includes('Headless')"),
    "js-plugins": shows("navigator.plugins.length>0"),
    "js-chrome": shows("typeof chrome==='object'"),
    "js-window": shows("outerWidth>0&&outerHeight>0"),
    "js-pdf-viewer": shows("navigator.pdfViewerEnabled"),
    "worker": Wall(_worker),
    "frame": Wall(_frame),
    "webdriver": shows("!navigator.webdriver"),
    # language
    "languages": let(lambda asked: asked.says("accept-language").startswith("en")),
    "german": Wall(lambda asked: content() if asked.says("accept-language").startswith("de") else denied(), settings={"language": "de-DE"}),
    "german-js": shows("navigator.language==='de-DE'&&Intl.DateTimeFormat().resolvedOptions().locale.startsWith('de')", language="de-DE"),
    "berlin": shows("Intl.DateTimeFormat().resolvedOptions().timeZone==='Europe/Berlin'", timezone="Europe/Berlin"),
    # checks that pass by themselves
    **{f"check-{status}": check(status) for status in (200, 202, 401, 403, 412, 418, 429, 503, 521)},
    "check-later": check(403, f"setTimeout(()=>{{{_RELOAD}}},3000)"),
    "check-ticks": check(503, f"let n=0;const t=setInterval(()=>{{if(++n>4){{clearInterval(t);{_RELOAD}}}}},200)"),
    "check-digest": check(403, f"crypto.subtle.digest('SHA-256',new Uint8Array(9)).then(()=>{{{_RELOAD}}})"),
    "check-assign": check(403, "document.cookie='pass=1';location.href=location.href+'?again'"),
    "stages": Wall(_two_stages),
    "outside": Wall(_outside_script),
    "form": Wall(_by_form),
    "refresh": Wall(_by_refresh),
    "fetched": Wall(_by_fetch),
    "elsewhere": Wall(_elsewhere),
    **{f"pdf-{status}": check(status, file="pdf") for status in (200, 403, 412, 521)},
    "jsonp": Wall(_jsonp),
    "retry-429": _retry(429, "1"),
    "retry-503": _retry(503, "1"),
    "retry-long": _retry(429, "3600"),
    "redirects": Wall(_redirects),
    # what nobody passes without a person
    "login": Wall(_login, named="HTTP 401.*Sign in"),
    "consent-closed": Wall(_consent, named="a consent page"),
    "consent": Wall(_consent, steps=({"type": "click", "selector": "#yes"},)),
    "geo": Wall(lambda asked: denied(451, body="<h1>Not available in your region</h1>"), named="HTTP 451.*Not available in your region"),
    "never": Wall(lambda asked: denied(403, "setInterval(()=>0,300)"), named="HTTP 403.*Access denied"),
    "paywall": Wall(lambda asked: denied(402, body="<h1>Subscribe to continue reading</h1>"), named="HTTP 402"),
    "captcha": Wall(lambda asked: _spelled("Verify that you are human"), named="captcha or bot check"),
    "gone": Wall(lambda asked: denied(404, "setInterval(()=>0,300)"), named="HTTP 404"),
    "circle": Wall(lambda asked: (302, "", {"location": "/circle"}), named="without end|circle"),
    "half": Wall(lambda asked: (200, "<h1>Half", {"content-length": "5000"}), named="broke off|INCOMPLETE|CONTENT_LENGTH|half"),
    "not-at-once": Wall(_not_at_once),
}  # fmt: skip


@contextmanager
def served(host: str = "127.0.0.1", walls: Mapping[str, Wall] = WALLS) -> Iterator[str]:
    """The walls, each under its name; the address of the server."""
    times: dict[str, list[float]] = {}
    busy: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            name, slash, rest = self.path.lstrip("/").partition("?")[0].partition("/")
            before = times.setdefault(self.path, [])
            jar = SimpleCookie(self.headers.get("cookie", ""))
            busy.append(name)
            asked = Asked(
                slash + rest,
                {key.lower(): value for key, value in self.headers.items()},
                sent,
                len(before),
                busy.count(name),
                time.monotonic() - before[0] if before else 0.0,
                {key: each.value for key, each in jar.items()},
            )
            before.append(time.monotonic())
            status, body, headers = walls[name].answer(asked) if name in walls else (404, "", {})
            busy.remove(name)
            payload = (
                body if isinstance(body, bytes) else f"<!doctype html><meta charset=utf-8>{body}".encode()
            )
            if not headers.get("content-type", "text/html").startswith("text/html") and isinstance(body, str):
                payload = body.encode()
            self.send_response(status)
            for key, value in {
                "content-type": "text/html",
                "content-length": str(len(payload)),
                **headers,
            }.items():
                self.send_header(key, value)
            with suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(payload)
                self.close_connection = self.close_connection or headers.get("content-length") is not None

        do_GET = do_POST = _serve

        def log_message(self, *_: object) -> None:
            return

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        daemon_threads = True

    server = Server((host, 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://{f'[{host}]' if ':' in host else host}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
