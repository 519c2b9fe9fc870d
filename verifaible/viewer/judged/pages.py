"""The pages of judged answers: the runs of judging, one run, an answer with its evidence, a source."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.routing import Route

from verifaible.evidence.sources import SourceTexts
from verifaible.judge.tables import tables_of
from verifaible.reporting.outcomes import without_unjudged
from verifaible.reporting.tables import Table
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES
from verifaible.viewer.judged.claims import Card, Evidence, figure
from verifaible.viewer.judged.drawing import Mark, draw, parts_of, range_of, unplaced
from verifaible.viewer.judged.reading import (
    AnswerLine,
    Judging,
    found_in,
    judging_lines,
    judging_names,
    line_of,
    opened_judging,
)
from verifaible.viewer.judged.source import shown_source
from verifaible.viewer.judged.status import CHECKS, NAMES, SIGNS, STATUSES, TONES, Check
from verifaible.viewer.keeping import Kept, stamp_of
from verifaible.viewer.rendering import page
from verifaible.viewer.runs.timeline import visible
from verifaible.viewer.state import House, house_of, read, whole_number

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from verifaible.schema.analyst import Claim
    from verifaible.schema.judged import Score


_RUNS_A_PAGE = 25
_ANSWERS_A_PAGE = 50
#: Runs on the first page of the viewer.
_RECENT = 5


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a bar: a status, how many claims have it, and where the part stands, in per cent."""

    name: str
    tone: str
    sign: str
    count: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Shown:
    """A drawn answer with the cards of its claims."""

    pieces: tuple[Any, ...]
    cards: dict[str, Card]
    unplaced: tuple[str, ...]
    part: int
    parts: int
    faulty: int


def judged_routes() -> list[Route]:
    """The routes of judged answers."""
    return [
        Route("/judged", judged, name="judged"),
        Route("/judged/{run}", judging, name="judging"),
        Route("/judged/{run}/answers/{id}", answer, name="judged-answer"),
        Route("/judged/{run}/sources/{capture}", source, name="judged-source"),
    ]


async def recent_judged(house: House) -> tuple[tuple[Any, ...], int]:
    """The newest runs of judging as the first page lists them, and how many there are."""

    def found() -> tuple[tuple[Any, ...], int]:
        names = judging_names(house)
        return _with_bars(house, names[:_RECENT]), len(names)

    return await read(house, found)


async def judged(request: Request) -> Response:
    """All runs of judging, newest first, page by page."""
    house, after = house_of(request), request.query_params.get("after", "")

    def found() -> dict[str, Any]:
        names = judging_names(house)
        left = [name for name in names if not after or name < after]
        behind = left[_RUNS_A_PAGE - 1] if len(left) > _RUNS_A_PAGE else ""
        return {
            "runs": _with_bars(house, left[:_RUNS_A_PAGE]),
            "total": len(names),
            "behind": visible(behind),
        }

    return page(request, "judged_runs.html", after=after, visible=visible, **await read(house, found))


def _with_bars(house: House, names: list[str]) -> tuple[Any, ...]:
    return tuple(
        (line, shares_of(line.opened.counts("citations"), "citations") if line.opened else ())
        for line in judging_lines(house, names)
    )


async def judging(request: Request) -> Response:
    """One run of judging: its tables, and its answers, which can be searched."""
    house = house_of(request)
    check, asked = _check(request), request.query_params
    query, model, tag = (asked.get(each, "").strip() for each in ("q", "model", "tag"))
    has = asked.get("has", "") if asked.get("has") in STATUSES[check] else ""
    start = whole_number(asked.get("from", ""))

    def found() -> dict[str, Any]:
        opened = opened_judging(house, request)
        lines = found_in(opened, query=query, model=model, tag=tag, has=(check, has) if has else None)
        everything = list(opened.answers.values())
        tables, unjudged = shown_tables(opened)
        return {
            "run": opened,
            "shares": shares_of(opened.counts(check), check),
            "count": len(lines),
            "answers": [
                (line, answer_address(opened, line, check), shares_of(line.counts[check], check))
                for line in lines[start : start + _ANSWERS_A_PAGE]
            ],
            "models": sorted({each.model for each in everything}),
            "tags": sorted({each for line in everything for each in line.tags}),
            "tables": tables,
            "unjudged": unjudged,
        }

    return page(
        request,
        "judged_run.html",
        check=check,
        checks=CHECKS,
        words_asked=query,
        model=model,
        tag=tag,
        has=has,
        statuses=STATUSES[check],
        status_names=NAMES,
        start=start,
        most=_ANSWERS_A_PAGE,
        visible=visible,
        **await read(house, found),
    )


async def answer(request: Request) -> Response:
    """An answer with each claim coloured by its verdict, and its evidence beside it."""
    house = house_of(request)
    check, part = _check(request), max(1, whole_number(request.query_params.get("part", "")))

    def found() -> dict[str, Any]:
        opened = opened_judging(house, request)
        line = line_of(opened, request)
        whole = opened.answer(line)
        before, behind = neighbours(opened, line)
        evidence = Evidence(opened, whole.answer, SourceTexts(house.store))
        return {
            "run": opened,
            "line": line,
            "whole": whole,
            "shown": _shown(opened, line, evidence, check=check, part=part),
            "shares": shares_of(line.counts[check], check),
            "rubric": [(each, whole.rubric.get(each)) for each in DIMENSIONS],
            "taxonomy": [(each, whole.taxonomy.get(each)) for each in ERROR_CATEGORIES],
            "before": answer_address(opened, before, check) if before else "",
            "behind": answer_address(opened, behind, check) if behind else "",
            "sources": evidence.cites([each.id for each in whole.answer.sources]),
        }

    return page(
        request,
        "judged_answer.html",
        check=check,
        checks=CHECKS,
        status_names=NAMES,
        visible=visible,
        score_text=score_text,
        figure=figure,
        **await read(house, found),
    )


async def source(request: Request) -> Response:
    """The words of a source, with those marked that a claim rests on."""
    house = house_of(request)
    asked, capture = request.query_params, str(request.path_params["capture"])
    given = {each: whole_number(asked.get(each, "")) for each in ("start", "end", "from") if asked.get(each)}
    whose, claim = asked.get("answer", ""), asked.get("claim", "")

    def found() -> dict[str, Any]:
        opened = opened_judging(house, request)
        sources = opened.source(capture)
        if not sources:
            raise HTTPException(404, "No answer of this run of judging has such a source.")
        line = opened.answers.get(whose) or opened.answers[opened.captures[capture]]
        claims = [each for each in opened.claims(line) if not claim or each.claim.id == claim]
        resting = tuple(dict.fromkeys(passage for claim in claims for passage in claim.grounds))
        shown = shown_source(house.store, sources[0], resting, given)
        return {
            "run": opened,
            "s": shown,
            "line": line if line.id == whose else None,
            "back": f"{answer_address(opened, line)}#{quote(claim, safe='')}" if line.id == whose else "",
        }

    return page(request, "judged_source.html", claim=claim, visible=visible, **await read(house, found))


def _shown(opened: Judging, line: AnswerLine, evidence: Evidence, *, check: Check, part: int) -> Shown:
    """Draw the part of an answer that is wanted, with the cards of the claims in it."""
    text = evidence.answer.answer
    parts = parts_of(text)
    part = min(part, len(parts))
    start, end = range_of(parts, part)
    claims = opened.claims_within(line, start, end)
    cards = {each.claim.id: evidence.card(each, check, number) for number, each in claims}
    marks = [_mark(each.claim, cards[each.claim.id]) for _, each in claims]
    pieces = draw(text, parts[part - 1], marks)
    placed = {name for piece in pieces for name in piece.cards}
    return Shown(
        pieces=pieces,
        cards=cards,
        unplaced=unplaced([each.claim for _, each in claims], placed, end),
        part=part,
        parts=len(parts),
        faulty=sum(each.faulty for each in cards.values()),
    )


def _mark(claim: Claim, card: Card) -> Mark:
    label = f"Claim {card.number}: {NAMES[card.status]}"
    return Mark(claim.id, claim.start, claim.end, card.tone, card.weight, label, card.sign, str(card.number))


def shares_of(counts: Counter[str], check: Check) -> tuple[Share, ...]:
    """The parts of a bar that shows how many claims have which status."""
    whole, at, found = sum(counts.values()), 0.0, []
    for status in STATUSES[check]:
        if counts[status]:
            width = 100 * counts[status] / whole
            found.append(Share(NAMES[status], TONES[status], SIGNS[status], counts[status], at, width))
            at += width
    return tuple(found)


def answer_address(opened: Judging, line: AnswerLine, check: Check = "citations") -> str:
    """The address of an answer's page."""
    shown = f"{opened.address}/answers/{quote(line.id, safe='')}"
    return shown if check == "citations" else f"{shown}?check={check}"


def score_text(score: Score) -> str:
    """A score for people: without a point where it is whole."""
    return f"{score.value:g}" if score.value is not None else ""


def neighbours(opened: Judging, line: AnswerLine) -> tuple[AnswerLine | None, AnswerLine | None]:
    """The answers before and behind one, in the order of the input."""
    lines = list(opened.answers.values())
    at = lines.index(line)
    return lines[at - 1] if at else None, lines[at + 1] if at + 1 < len(lines) else None


def _check(request: Request) -> Check:
    return "hallucination" if request.query_params.get("check") == "hallucination" else "citations"


_KEPT = 8
_FILES = ("judge.json", "answers.jsonl", "claims.jsonl")
_TABLES: Kept[tuple[Table, ...]] = Kept(_KEPT)
#: The table of answers is the list below it.
_LEFT_OUT = frozenset({"answers"})


def shown_tables(judging: Judging) -> tuple[tuple[Table, ...], tuple[str, ...]]:
    """The tables of the report of a run of judging, but the one of its answers; and what was not judged.

    Raises:
        RunError: its folder is damaged.
    """
    path = judging.folder.path
    made = _TABLES.get(
        str(path),
        tuple(stamp_of(path / each) for each in _FILES),
        lambda: _written(path) or tables_of(judging.folder),
    )
    kept, unjudged = without_unjudged([each for each in made if each.name not in _LEFT_OUT])
    return tuple(each for each in kept if each.rows), unjudged


def _written(path: Path) -> tuple[Table, ...]:
    """The tables that the report of the run wrote, if they are of what is in the folder now; else none.

    A large run takes a while to reckon again: its intervals are drawn at random many times.
    """
    file = path / "tables.json"
    try:
        moment = file.stat().st_mtime_ns
        if any((path / name).stat().st_mtime_ns > moment for name in _FILES[1:]):
            return ()
        said = json.loads(file.read_bytes())
        made = tuple(map(Table.model_validate, said["tables"] if isinstance(said, dict) else said))
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    whole = all(len(row.cells) == len(table.columns) for table in made for row in table.rows)
    return made if whole else ()
