"""Pages on loopback to play action steps on: at rest, with data on a click, with late data, a form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from scripts.benchmark.serving import serving


@dataclass(frozen=True, slots=True)
class Kind:
    """A page, what is done on it, and the words that stand there then."""

    name: str
    path: str
    steps: tuple[dict[str, Any], ...]
    anchor: str


_SELECT = {"type": "select", "selector": "#day", "value": "2025-02-11"}
_CLICK = {"type": "click", "selector": "#query"}
KINDS = (
    Kind("plain page, no step", "/plain", (), "Nothing moves here"),
    Kind(
        "plain page, a script",
        "/plain",
        ({"type": "exec_js", "code": "document.title"},),
        "Nothing moves here",
    ),
    Kind("a day is chosen and queried", "/rates", (_SELECT, _CLICK), "2025-02-11: 5.11"),
    Kind("the answer is shown a little later", "/late", (_SELECT, _CLICK), "2025-02-11: 5.11"),
    Kind(
        "a form with three fields that leads to a page",
        "/form",
        (
            {"type": "type", "selector": "#name", "value": "rates"},
            {"type": "type", "selector": "#code", "value": "600916"},
            {"type": "click", "selector": "button"},
        ),
        "Result for rates 600916",
    ),
)
_HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Rates</title>'
_CHOICE = (
    "<select id=day><option>2025-02-10<option>2025-02-11</select><button id=query>Query</button>"
    "<div id=out></div>"
)
_FORM = "<form action=/result><input id=name name=name><input id=code name=code><button>Go</button></form>"
_LINES = "".join(f"<p>Line {number} of the page says something.</p>" for number in range(200))


def _query(delay_ms: int) -> str:
    show = 'out.innerHTML = "<p>" + answer.day + ": " + answer.rate + "</p>"'
    later = f"setTimeout(() => {{ {show} }}, {delay_ms})" if delay_ms else show
    return (
        "<script>query.onclick = async () => { "
        f'const answer = await (await fetch("/api/rates?day=" + day.value)).json(); {later} }}</script>'
    )


def _page(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    given = {name: values[0] for name, values in parse_qs(parts.query).items()}
    if parts.path == "/api/rates":
        day = given.get("day", "")
        return "application/json", json.dumps({"day": day, "rate": f"5.{day[-2:]}"})
    bodies = {
        "/plain": "<p>Nothing moves here.</p>",
        "/rates": _CHOICE + _query(0),
        "/late": _CHOICE + _query(150),
        "/form": _FORM,
        "/result": f"<p>Result for {given.get('name', '')} {given.get('code', '')}</p>",
    }
    return "text/html; charset=utf-8", f"{_HEAD}{bodies.get(parts.path, '')}{_LINES}</html>"


@contextmanager
def serve() -> Iterator[str]:
    """The address of the site while it is up."""

    def answer(path: str, _: bytes) -> tuple[int, dict[str, str], bytes]:
        kind, text = _page(path)
        return 200, {"content-type": kind}, text.encode()

    with serving(answer) as url:
        yield url
