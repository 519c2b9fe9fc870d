"""Which exchanges of several visits to a site are kept, and in which order.

A look-up answers repeated requests in recorded order, for each browser context from the start. So
one request has its answers from one visit only: else a second visit's first answer would be given as
the first visit's second. That visit is the one that loaded the most, whose page then finds all that
it asks for, unless another one asked on for longer and got the same until there. A request whose
address is new each time (``archive.volatile``) is left out where a richer visit got the same answers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TypeAlias

from verifaible.archive.bodies import shape
from verifaible.archive.fitting import selecting
from verifaible.archive.urls import exact_key, normalise
from verifaible.schema.web import WebExchange, header

_Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keys:
    """What an exchange is compared by.

    Attributes:
        exact: its request, to the letter.
        alike: its request without what is made up for each one.
        content: its answer, whatever name a JSONP callback had.
    """

    exact: _Key
    alike: _Key
    content: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """One exchange of a visit, its bodies kept elsewhere under ``place``."""

    keys: Keys
    place: int
    recorded_at: datetime


def keys_of(exchange: WebExchange) -> Keys:
    """The keys of an exchange, as a look-up would find it."""
    request, response = exchange.request, exchange.response
    method, url = request.method.upper(), normalise(request.url)
    wanted = shape(request.body, header(request.headers, "content-type"))
    chosen = tuple(f"{name}: {value}" for name, value in sorted(selecting(request.headers).items()))
    body = rename_callback(response.body, url.callback, "callback") if url.callback else response.body
    about = (str(response.status), header(response.headers, "location"), response.content_type)
    return Keys(
        exact=(method, exact_key(request.url), sha256(request.body).hexdigest(), *chosen),
        alike=(method, url.scheme, url.key, wanted.kind, wanted.steady, *chosen),
        content=sha256("\n".join(about).encode("utf-8", "surrogateescape") + b"\n\n" + body).hexdigest(),
    )


def chosen(visits: Sequence[Sequence[Loaded]]) -> list[Loaded]:
    """What is kept of the visits to one site; each visit in the order of its requests.

    Visits that overlapped are woven together by time, as far as their own order allows.
    """
    richest = sorted(range(len(visits)), key=lambda number: (-len(visits[number]), number))
    known: dict[_Key, list[list[str]]] = defaultdict(list)
    news: list[list[tuple[datetime, int, int, Loaded]]] = []
    for number in richest:
        visit = visits[number]
        doubled: set[_Key] = set()
        for key, contents in _sequences(visit, lambda keys: keys.alike).items():
            if any(contents == other[: len(contents)] for other in known[key]):
                doubled.add(key)
            known[key].append(contents)
        times = _never_falling([one.recorded_at for one in visit])
        news.append(
            [
                (times[index], number, index, one)
                for index, one in enumerate(visit)
                if one.keys.alike not in doubled
            ]
        )
    owners = _owners([[one for *_, one in each] for each in news])
    kept = [each for rank, visit in enumerate(news) for each in visit if owners[each[3].keys.exact] == rank]
    return [one for *_, one in sorted(kept, key=lambda each: each[:3])]


def _owners(visits: Sequence[Sequence[Loaded]]) -> dict[_Key, int]:
    """The number of the visit whose answers to a request are kept, the richest first in ``visits``."""
    owners: dict[_Key, tuple[int, list[str]]] = {}
    for rank, visit in enumerate(visits):
        for key, contents in _sequences(visit, lambda keys: keys.exact).items():
            before = owners.get(key)
            if before is None or (len(contents) > len(before[1]) and contents[: len(before[1])] == before[1]):
                owners[key] = rank, contents
    return {key: rank for key, (rank, _) in owners.items()}


def _sequences(visit: Sequence[Loaded], key_of: Callable[[Keys], _Key]) -> dict[_Key, list[str]]:
    """The answers to each request of a visit, in order."""
    found: dict[_Key, list[str]] = defaultdict(list)
    for one in visit:
        found[key_of(one.keys)].append(one.keys.content)
    return found


def _never_falling(times: Sequence[datetime]) -> list[datetime]:
    """For each exchange the earliest time of it and of all that were asked for later."""
    found = list(times)
    for index in range(len(found) - 2, -1, -1):
        found[index] = min(found[index], found[index + 1])
    return found


_PRELUDE = rb"(?:\xef\xbb\xbf)?(?:\s|;|/\*.*?\*/|//[^\n]*\n)*"


def calls(body: bytes, name: str) -> bool:
    """Whether a body is a JSONP answer that calls the function of that name."""
    return bool(name) and _call(body, name) is not None


def rename_callback(body: bytes, recorded: str, wanted: str) -> bytes:
    """The body with its call of ``recorded`` made a call of ``wanted``.

    Only a body that begins with that call is changed: after white space, comments, and guards
    on the same name (``/**/cb && cb(``, ``typeof cb === 'function' && cb(``, ``try{cb(``).
    Every other body, and every later mention of the name, stays as it was recorded.
    """
    if not recorded or recorded == wanted:
        return body
    found = _call(body, recorded)
    if found is None:
        return body
    # A function, so that no character of the new name is read as a group reference.
    head = re.sub(_name(recorded), lambda _: wanted.encode("utf-8"), found[2])
    return found[1] + head + body[found.end() :]


def _name(name: str) -> bytes:
    return rb"(?<![\w$])" + re.escape(name.encode("utf-8")) + rb"(?![\w$])"


def _call(body: bytes, called: str) -> re.Match[bytes] | None:
    name = _name(called)
    test = (
        rb"typeof\s*\(?\s*(?:window\.)?" + name + rb"\s*\)?\s*={2,3}\s*['\"]function['\"]"
        rb"|(?:window\.)?" + name
    )
    guard = rb"(?:(?:" + test + rb")\s*&&\s*|if\s*\(\s*(?:" + test + rb")\s*\)\s*\{?\s*|try\s*\{\s*)*"
    call = rb"(?:window\.)?" + name + rb"\s*\("
    return re.match(rb"(" + _PRELUDE + rb")(" + guard + call + rb")", body, re.DOTALL)
