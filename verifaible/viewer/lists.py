"""The first page, and the list of citations, which is also the search."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

from starlette.routing import Route

from verifaible.schema.base import EvidenceType
from verifaible.schema.check import Verdict
from verifaible.text.flat import folded, folded_signs
from verifaible.viewer.judged.pages import recent_judged
from verifaible.viewer.rendering import page
from verifaible.viewer.runs.reading import recent_runs
from verifaible.viewer.runs.timeline import visible
from verifaible.viewer.state import House, house_of, read

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from verifaible.schema.check import IndexRow

_PAGE = 50
_RECENT = 10
_RECENT_RUNS = 8
#: Of a claim, in characters.
_EXCERPT = 240
_LEAD = 60


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text; ``hit`` if it is what was searched for."""

    text: str
    hit: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A citation as a list shows it; ``evidence`` is all of it, in stretches that were asked for or not."""

    row: IndexRow
    claim: tuple[Piece, ...]
    evidence: tuple[tuple[tuple[Piece, ...], bool], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a list.

    Attributes:
        found: the citations on it.
        total: how many fit in all, up to a number past which counting them takes long.
        behind: the id of the last one, if there are more.
    """

    found: tuple[Listed, ...]
    total: str
    behind: str


def routes() -> list[Route]:
    """The list's own route."""
    return [Route("/citations", citations, name="citations")]


async def home(request: Request) -> Response:
    """The newest citations and runs, and how many there are."""
    house = house_of(request)
    listing = await read(house, lambda: _listing(house, limit=_RECENT))
    runs, count = await asyncio.to_thread(recent_runs, house, _RECENT_RUNS)
    judged_runs, judged_count = await recent_judged(house)
    return page(
        request,
        "home.html",
        listing=listing,
        runs=runs,
        run_count=count,
        judged_runs=judged_runs,
        judged_count=judged_count,
        visible=visible,
    )


async def citations(request: Request) -> Response:
    """All citations, newest first, page by page; those that a search or a filter leaves."""
    house, asked = house_of(request), request.query_params
    query = asked.get("q", "").strip()
    kind = asked.get("type", "") if asked.get("type") in get_args(EvidenceType) else ""
    wanted = {name: asked.get(name, "") for name in _VERDICTS}
    verdicts = {
        name: value if value in (*get_args(Verdict), "none") else "" for name, value in wanted.items()
    }
    after = asked.get("after", "")
    listing = await read(house, lambda: _listing(house, query, kind, verdicts, after, limit=_PAGE))
    return page(
        request,
        "citations.html",
        listing=listing,
        query=query,
        kind=kind,
        asked_verdicts=verdicts,
        after=after,
        kinds=get_args(EvidenceType),
        verdicts=get_args(Verdict),
    )


#: Up to here a list, and one that was searched for, says how many there are: counting on would take long.
_COUNTED, _FOUND = 10_000, 1_000
#: What a list may be filtered by: both states in one, and each.
_VERDICTS = ("verdict", "capture_verdict", "live_verdict")


def _listing(
    house: House,
    query: str = "",
    kind: str = "",
    verdicts: Mapping[str, str] = MappingProxyType({}),
    after: str = "",
    *,
    limit: int,
) -> Listing:
    wanted: dict[str, Any] = {"query": query, "evidence_type": kind, **verdicts}
    rows = house.store.rows(**wanted, after=after, newest_first=True, limit=limit + 1)
    most = _FOUND if query else _COUNTED
    total = house.store.count(at_most=most + 1, **wanted)
    shown = rows[:limit]
    words = tuple(folded(word) for word in query.split())
    found = tuple(_listed(row, words) for row in shown)
    told = str(total) if total <= most else f"{most:,}+"
    return Listing(found, told, shown[-1].id if len(rows) > limit else "")


def _listed(row: IndexRow, words: tuple[str, ...]) -> Listed:
    evidence = ((pieces(text, words, whole=True), asked) for text, asked in row.shown.pieces)
    return Listed(row, pieces(row.claim, words), tuple(evidence))


def pieces(text: str, words: tuple[str, ...], *, whole: bool = False) -> tuple[Piece, ...]:
    """The part of a text around what was searched for, in pieces.

    Args:
        text: the text of a page.
        words: what was searched for, folded.
        whole: give all of the text.
    """
    if not words and whole:
        return (Piece(text),)
    if not words:
        return (Piece(text[:_EXCERPT] + ("…" if len(text) > _EXCERPT else "")),) if text else ()
    text = unicodedata.normalize("NFC", text)
    signs = list(folded_signs(text))
    searched = "".join(sign for sign, _ in signs)
    spans: list[tuple[int, int]] = []
    for word in words:
        at = searched.find(word) if word else -1
        while at >= 0:
            spans.append((signs[at][1], signs[at + len(word) - 1][1] + 1))
            at = searched.find(word, at + len(word))
    start = max(0, min((begin for begin, _ in spans), default=0) - _LEAD)
    if whole or len(text) <= _EXCERPT:
        start = 0
    end = len(text) if whole else min(len(text), start + _EXCERPT)
    found: list[Piece] = [Piece("…")] if start else []
    place = start
    for begin, finish in sorted(spans):
        if begin < place or finish > end:
            continue
        found += [Piece(text[place:begin]), Piece(text[begin:finish], hit=True)]
        place = finish
    found.append(Piece(text[place:end] + ("…" if end < len(text) else "")))
    return tuple(piece for piece in found if piece.text)
