"""Judged answers: the runs of judging, one run with its answers, an answer with its evidence, a source."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import quote

from starlette.exceptions import HTTPException

from verifaible.errors import RunError
from verifaible.evidence.sources import SourceTexts
from verifaible.reporting.outcomes import without_unjudged
from verifaible.reporting.tables import Table
from verifaible.runs.lines import usable
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, JudgedAnswer, JudgedClaim, JudgeInfo
from verifaible.schema.verdict import Passage
from verifaible.text.flat import folded
from verifaible.viewer.cache import Cache, folder_names, stamps
from verifaible.viewer.claims import (
    CHECKS,
    STATUSES,
    Check,
    Cite,
    Share,
    card_of,
    drawn_answer,
    shares_of,
    status_of,
)
from verifaible.viewer.passages import Quoted, quoted, source_page
from verifaible.viewer.respond import Part, Viewer, address, page, whole_number
from verifaible.viewer.text import folder_address, folder_name, search_words, shortened

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

RecordT = TypeVar("RecordT", JudgedAnswer, JudgedClaim)
_INFO, _ANSWERS, _CLAIMS, _TABLES = "judge.json", "answers.jsonl", "claims.jsonl", "tables.json"
_RUNS_A_PAGE, _ANSWERS_A_PAGE = 25, 50
#: How the names of scores are written.
LABELS: Final = {
    **{str(name): name.replace("_", " ").capitalize() for name in (*DIMENSIONS, *ERROR_CATEGORIES)},
    "staleness_missing_time_bounds": "Staleness / missing time bounds",
}


@dataclass(slots=True)
class AnswerLine:
    """A judged answer as a list shows it: its query's beginning, and its claims by status, for each check."""

    id: str
    model: str
    query: str
    tags: tuple[str, ...]
    sentences: int
    covered: int
    faults: int
    counts: dict[Check, Counter[str]]
    found_by: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Judging:
    """A run of judging with an index of its answers.

    Attributes:
        path: its folder.
        info: what it was made of.
        answers: in the order of the input, by their id.
        captures: the answer that first has each capture among its sources.
    """

    path: Path
    info: JudgeInfo
    answers: Mapping[str, AnswerLine]
    captures: Mapping[str, str]

    def answer(self, name: str) -> JudgedAnswer:
        """An answer, whole."""
        return next(
            each for each in _lines(self.path / _ANSWERS, JudgedAnswer, name) if each.answer.id == name
        )

    def claims(self, name: str) -> list[JudgedClaim]:
        """The claims of an answer, each once, in its order."""
        found: dict[str, JudgedClaim] = {}
        for each in _lines(self.path / _CLAIMS, JudgedClaim, name):
            if each.answer == name:
                found.setdefault(each.claim.id, each)
        return list(found.values())

    def address(self, *more: str) -> str:
        """The address of its page, or of one below it."""
        return "/".join((folder_address("/judged", self.path.name), *(quote(each, safe="") for each in more)))


@dataclass(frozen=True, slots=True)
class JudgingLine:
    """A run of judging as a list shows it; in ``fault`` why it cannot be read."""

    shown: str
    address: str
    info: JudgeInfo | None = None
    answers: int = 0
    covered: tuple[int, int] = (0, 0)
    shares: tuple[Share, ...] = ()
    fault: str = ""


_RUNS: Cache[Judging] = Cache(25)


def judged_routes() -> list[Route]:
    """The routes of judged answers."""
    return [
        *page("/judged", "judged.html", _list, name="judged"),
        *page("/judged/{run}", "judging.html", _judging, name="judging"),
        *page("/judged/{run}/answers/{id}", "judged_answer.html", _answer, name="judged-answer"),
        *page("/judged/{run}/sources/{capture}", "judged_source.html", _source, name="judged-source"),
    ]


def newest_judged(viewer: Viewer, request: Request, most: int = _RUNS_A_PAGE) -> Part[JudgingLine]:
    """The newest runs of judging: a name begins with the time.

    Raises:
        RunError: their folder cannot be read.
    """
    folder = viewer.settings.judged_dir
    found = Part.of(request, folder_names(folder, holding=_INFO), most)
    return found.made(lambda name: _line(folder / name))


def _list(viewer: Viewer, request: Request) -> dict[str, object]:
    return {"runs": newest_judged(viewer, request)}


def _judging(viewer: Viewer, request: Request) -> dict[str, object]:
    """A run of judging: its claims by status, the answers that a search leaves, the tables of its report."""
    run, asked, check = _opened(viewer, request), request.query_params, _check(request)
    query, model, tag, has = (asked.get(each, "").strip() for each in ("q", "model", "tag", "has"))
    has = has if has in STATUSES[check] else ""
    words, lines = search_words(query), list(run.answers.values())
    found = [
        each
        for each in lines
        if (not model or each.model == model)
        and (not tag or tag in each.tags)
        and (not has or each.counts[check][has])
        and all(word in each.found_by for word in words)
    ]
    tables, unjudged = _tables(run.path)
    return {
        "run": _shown(run),
        "info": run.info,
        "check": check,
        "shares": shares_of(sum((each.counts[check] for each in lines), Counter()), check),
        "answers": Part.of(request, found, _ANSWERS_A_PAGE),
        "filters": {
            "model": ("Model", model, sorted({each.model for each in lines})),
            "tag": ("Tag", tag, sorted({each for line in lines for each in line.tags})),
            "has": ("Has a claim that is", has, STATUSES[check]),
        },
        "tables": tables,
        "unjudged": unjudged,
    }


def _answer(viewer: Viewer, request: Request) -> dict[str, object]:
    """An answer with its claims and their evidence, and what was judged of the whole."""
    run, check, name = _opened(viewer, request), _check(request), str(request.path_params["id"])
    if name not in run.answers:
        raise HTTPException(404, "This run of judging has no such answer. Its page lists all of them.")
    judged = run.answer(name)
    evidence = _Evidence(run, judged.answer, SourceTexts(viewer.store))
    cards = [
        card_of(each, check, number, evidence.cite, evidence.quote)
        for number, each in enumerate(run.claims(name), 1)
    ]
    pieces, unplaced = drawn_answer(judged.answer.answer, cards)
    names = list(run.answers)
    at = names.index(name)
    return {
        "run": _shown(run),
        "check": check,
        "judged": judged,
        "shares": shares_of(run.answers[name].counts[check], check),
        "pieces": pieces,
        "unplaced": unplaced,
        "cards": cards,
        "rubric": {LABELS[each]: judged.rubric.get(each) for each in DIMENSIONS},
        "taxonomy": {LABELS[each]: judged.taxonomy.get(each) for each in ERROR_CATEGORIES},
        "sources": [evidence.cite(each.id) for each in judged.answer.sources],
        "before": names[at - 1] if at else "",
        "behind": names[at + 1] if at + 1 < len(names) else "",
    }


def _source(viewer: Viewer, request: Request) -> dict[str, object]:
    """A source with the words marked that a claim rests on, and the address of that claim."""
    run, asked, capture = _opened(viewer, request), request.query_params, str(request.path_params["capture"])
    first = run.captures.get(capture)
    if first is None:
        raise HTTPException(404, "This run of judging has no such source. Follow a link of an answer.")
    source = next(each for each in run.answer(first).answer.sources if each.capture == capture)
    name = asked.get("answer", "")
    claims = [each for each in run.claims(name) if each.claim.id == asked.get("claim")]
    shown = source_page(
        viewer.store,
        source,
        [passage for each in claims for passage in each.grounds],
        (whole_number(asked.get("start", "")), whole_number(asked.get("end", ""))),
        whole_number(asked["from"]) if asked.get("from") else None,
    )
    back = f"{run.address('answers', name)}#{quote(claims[0].claim.id, safe='')}" if claims else ""
    return {"run": _shown(run), "s": shown, "back": back}


class _Evidence:
    """Links and quotes of one answer's sources; reads each source once."""

    def __init__(self, run: Judging, answer: AnalystAnswer, texts: SourceTexts) -> None:
        self._run, self._answer, self._texts = run, answer, texts
        self._sources: dict[str, Source] = {each.id: each for each in answer.sources}

    def cite(self, name: str) -> Cite:
        """The source of that name."""
        source = self._sources.get(name)
        if source is None:
            return Cite(name)
        return Cite(name, source.title or source.url, self._run.address("sources", source.capture))

    def quote(self, passage: Passage, claim: str) -> Quoted:
        """A passage as its source has it now."""
        place = {"start": passage.start, "end": passage.end, "answer": self._answer.id, "claim": claim}
        shown = f"{address(self._run.address('sources', passage.capture), place)}#evidence"
        return quoted(self._texts, passage, self._sources.get(passage.source), shown)


def _check(request: Request) -> Check:
    return "hallucination" if request.query_params.get("check") == "hallucination" else "citations"


def _opened(viewer: Viewer, request: Request) -> Judging:
    """The run of judging that an address names: only what the listing has is opened.

    Raises:
        HTTPException: there is none of that name.
        RunError: it is damaged.
    """
    name, folder = str(request.path_params["run"]), viewer.settings.judged_dir
    if name not in folder_names(folder, holding=_INFO):
        raise HTTPException(404, "There is no run of judging of this name. The list has all of them.")
    return _open(folder / name)


def _line(path: Path) -> JudgingLine:
    try:
        return _shown(_open(path))
    except RunError as fault:
        return JudgingLine(folder_name(path.name), folder_address("/judged", path.name), fault=str(fault))


def _shown(run: Judging) -> JudgingLine:
    lines = run.answers.values()
    return JudgingLine(
        folder_name(run.path.name),
        run.address(),
        run.info,
        len(lines),
        (sum(each.covered for each in lines), sum(each.sentences for each in lines)),
        shares_of(sum((each.counts["citations"] for each in lines), Counter()), "citations"),
    )


def _open(path: Path) -> Judging:
    files = (path / each for each in (_INFO, _ANSWERS, _CLAIMS))
    return _RUNS.get(path, stamps(files), lambda: _read(path))


def _read(path: Path) -> Judging:
    with usable(path / _INFO):
        info = JudgeInfo.model_validate_json((path / _INFO).read_bytes())
    answers: dict[str, AnswerLine] = {}
    captures: dict[str, str] = {}
    for judged in _lines(path / _ANSWERS, JudgedAnswer):
        answer = judged.answer
        if answer.id not in answers:
            answers[answer.id] = AnswerLine(
                id=answer.id,
                model=answer.model,
                query=shortened(answer.query),
                tags=answer.tags,
                sentences=judged.coverage.sentences,
                covered=judged.coverage.covered,
                faults=len(answer.faults),
                counts={check: Counter() for check in CHECKS},
                found_by=folded("\n".join((answer.query, *answer.tags, answer.model, answer.id))),
            )
            for source in answer.sources:
                captures.setdefault(source.capture, answer.id)
    seen: set[tuple[str, str]] = set()
    for claim in _lines(path / _CLAIMS, JudgedClaim):
        of, name = answers.get(claim.answer), (claim.answer, claim.claim.id)
        if of is not None and name not in seen:  # else it is still being judged, or was judged twice
            seen.add(name)
            for check in CHECKS:
                of.counts[check][status_of(claim, check)] += 1
    return Judging(path, info, answers, captures)


def _lines(path: Path, kind: type[RecordT], holding: str = "") -> Iterator[RecordT]:
    """The whole lines of a file; with ``holding`` at least all of those that hold these words as JSON.

    Raises:
        RunError: one is damaged, or the file cannot be read.
    """
    needle = json.dumps(holding, ensure_ascii=False).strip('"').encode(errors="replace")
    with usable(path):
        if path.is_file():
            with path.open("rb") as file:
                for line in file:
                    if line.endswith(b"\n") and (needle in line or not holding.isascii()):
                        yield kind.model_validate_json(line)


def _tables(path: Path) -> tuple[tuple[Table, ...], tuple[str, ...]]:
    """The tables of a run's report but that of its answers, which is the list; and what was not judged.

    They are those that the report wrote, if nothing was judged since; else there are none.
    """
    try:
        written = (path / _TABLES).stat().st_mtime_ns
        if any((path / name).stat().st_mtime_ns > written for name in (_ANSWERS, _CLAIMS)):
            return (), ()
        said = json.loads((path / _TABLES).read_bytes())
        made = [Table.model_validate(each) for each in (said["tables"] if isinstance(said, dict) else said)]
    except (OSError, ValueError, KeyError, TypeError):
        return (), ()
    if not all(len(row.cells) == len(table.columns) for table in made for row in table.rows):
        return (), ()
    kept, unjudged = without_unjudged([each for each in made if each.name != "answers"])
    return tuple(each for each in kept if each.rows), unjudged
