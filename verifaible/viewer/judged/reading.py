"""Folders of judging as the viewer reads them: an index of each is kept until its files change."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from starlette.exceptions import HTTPException

from verifaible.errors import RunError
from verifaible.judge.folder import INFO, JudgeFolder
from verifaible.runs.lines import usable
from verifaible.schema.judged import JudgedAnswer, JudgedClaim
from verifaible.text.flat import folded
from verifaible.viewer.judged.status import CHECKS, Check, status_of
from verifaible.viewer.keeping import Kept, folder_names, shown_and_address, stamp_of
from verifaible.viewer.runs.timeline import visible

if TYPE_CHECKING:
    from starlette.requests import Request

    from verifaible.schema.analyst import Source
    from verifaible.schema.judged import JudgeInfo
    from verifaible.viewer.state import House

_ANSWERS, _CLAIMS = "answers.jsonl", "claims.jsonl"
_FILES = (INFO, _ANSWERS, _CLAIMS)
_KEPT = 25
#: Of a query in a list, in characters.
_EXCERPT = 240


@dataclass(slots=True)
class AnswerLine:
    """A judged answer as a list shows it.

    Attributes:
        query: its beginning.
        counts: how many of its claims have each status, by check.
        place: where its line is in the file of answers: first byte and length.
        claims: of each of its claims the first byte and the length of its line, and its range in the answer.
        found_by: what a search looks through.
    """

    id: str
    model: str
    query: str
    tags: tuple[str, ...]
    sentences: int
    covered: int
    faults: int
    counts: dict[Check, Counter[str]]
    place: tuple[int, int]
    claims: array[int] = field(default_factory=lambda: array("q"))
    found_by: str = ""

    def places(self) -> Iterator[tuple[int, int, int, int]]:
        """First byte, length, first code point and the one behind the last, of each claim."""
        flat = iter(self.claims)
        return zip(flat, flat, flat, flat, strict=True)


@dataclass(frozen=True, slots=True)
class Judging:
    """A run of judging with an index of its answers.

    Attributes:
        shown: its name, without characters that would be obeyed.
        answers: in the order of the input, by their id.
        captures: the answer that first has each capture among its sources.
    """

    name: str
    address: str
    shown: str
    folder: JudgeFolder
    info: JudgeInfo
    answers: Mapping[str, AnswerLine]
    captures: Mapping[str, str]

    def counts(self, check: Check) -> Counter[str]:
        """How many claims of all answers have each status."""
        return sum((each.counts[check] for each in self.answers.values()), Counter())

    @property
    def coverage(self) -> tuple[int, int]:
        """Sentences that claims cover, and all."""
        lines = self.answers.values()
        return sum(each.covered for each in lines), sum(each.sentences for each in lines)

    def answer(self, line: AnswerLine) -> JudgedAnswer:
        """An answer, whole.

        Raises:
            RunError: the file was changed.
        """
        path = self.folder.path / _ANSWERS
        with usable(path), path.open("rb") as file:
            return JudgedAnswer.model_validate_json(_bytes_at(file, *line.place))

    def claims(self, line: AnswerLine) -> tuple[JudgedClaim, ...]:
        """The claims of an answer, in its order.

        Raises:
            RunError: the file was changed.
        """
        return tuple(claim for _, claim in self.claims_within(line, 0, None))

    def claims_within(
        self, line: AnswerLine, start: int, end: int | None
    ) -> tuple[tuple[int, JudgedClaim], ...]:
        """The claims that touch a range of an answer, each with its number from 1; the others are not read.

        Args:
            line: the answer.
            start: first code point.
            end: behind the last one; None: to the end, with claims that lie behind it.

        Raises:
            RunError: the file was changed.
        """
        path, found = self.folder.path / _CLAIMS, []
        if not line.claims:
            return ()
        with usable(path), path.open("rb") as file:
            for number, (at, size, first, last) in enumerate(line.places(), 1):
                if (end is None or first < end) and (last > start or not start):
                    found.append((number, JudgedClaim.model_validate_json(_bytes_at(file, at, size))))
        return tuple(found)

    def source(self, capture: str) -> tuple[Source, ...]:
        """A source that was sealed in that capture, if an answer of this run has one."""
        line = self.answers.get(self.captures.get(capture, ""))
        if line is None:
            return ()
        return tuple(each for each in self.answer(line).answer.sources if each.capture == capture)[:1]


@dataclass(frozen=True, slots=True)
class JudgingLine:
    """A run of judging as a list shows it: ``opened``, or in ``fault`` why it cannot be read."""

    shown: str
    address: str
    opened: Judging | None = None
    fault: str = ""


_RUNS: Kept[Judging] = Kept(_KEPT)


def judging_names(house: House) -> list[str]:
    """The names of all folders of judging, the newest first: a name begins with the time.

    Raises:
        RunError: their folder cannot be read.
    """
    return folder_names(house.settings.judged_dir, holding=INFO)


def judging_lines(house: House, names: Sequence[str]) -> tuple[JudgingLine, ...]:
    """Runs of judging as a list shows them; one that is damaged says so."""
    return tuple(_line(house, name) for name in names)


def open_judging(house: House, name: str) -> Judging:
    """A run of judging by its name.

    Args:
        house: whose runs.
        name: one of :func:`judging_names`: an address may hold anything, so look there first.

    Raises:
        RunError: it is damaged.
    """
    path = house.settings.judged_dir / name
    return _RUNS.get(str(path), tuple(stamp_of(path / each) for each in _FILES), lambda: _read(path))


def opened_judging(house: House, request: Request) -> Judging:
    """The run of judging that an address names: only what the listing has is opened.

    Raises:
        HTTPException: there is none of that name.
        RunError: it is damaged.
    """
    name = str(request.path_params["run"])
    if name not in judging_names(house):
        raise HTTPException(404, "There is no run of judging of this name.")
    return open_judging(house, name)


def line_of(opened: Judging, request: Request) -> AnswerLine:
    """The answer that an address names.

    Raises:
        HTTPException: there is none of that id.
    """
    name = str(request.path_params["id"])
    if name not in opened.answers:
        raise HTTPException(404, "This run of judging has no such answer.")
    return opened.answers[name]


def found_in(
    judging: Judging, *, query: str = "", model: str = "", tag: str = "", has: tuple[Check, str] | None = None
) -> list[AnswerLine]:
    """The answers that a search and a filter leave, in the order of the input.

    Args:
        judging: whose answers.
        query: words that must all stand in the query, the tags, the model's name or the id.
        model: whose answers; empty: all.
        tag: of the query; empty: any.
        has: a check and a status that one of the claims has at least.
    """
    words = [folded(word) for word in query.split()]
    return [
        each
        for each in judging.answers.values()
        if (not model or each.model == model)
        and (not tag or tag in each.tags)
        and (has is None or each.counts[has[0]][has[1]])
        and all(word in each.found_by for word in words)
    ]


def _line(house: House, name: str) -> JudgingLine:
    shown, address = _named(name)
    try:
        return JudgingLine(shown, address, open_judging(house, name))
    except RunError as fault:
        return JudgingLine(shown, address, fault=visible(str(fault)))


def _named(name: str) -> tuple[str, str]:
    shown, address = shown_and_address(name, "/judged")
    return visible(shown), address


def _read(path: Path) -> Judging:
    folder = JudgeFolder(path, whole=True)
    shown, address = _named(path.name)
    info = folder.info
    answers: dict[str, AnswerLine] = {}
    captures: dict[str, str] = {}
    with usable(path / _ANSWERS):
        for place, line in _lines(path / _ANSWERS):
            judged = JudgedAnswer.model_validate_json(line)
            if judged.answer.id in answers:
                continue
            answers[judged.answer.id] = _answer_line(judged, place)
            for source in judged.answer.sources:
                captures.setdefault(source.capture, judged.answer.id)
    seen: set[tuple[str, str]] = set()
    with usable(path / _CLAIMS):
        for place, line in _lines(path / _CLAIMS):
            claim = JudgedClaim.model_validate_json(line)
            of, name = answers.get(claim.answer), (claim.answer, claim.claim.id)
            if of is None or name in seen:
                continue  # its answer is still being judged; or it was judged twice, and the first counts
            seen.add(name)
            of.claims.extend((*place, claim.claim.start, claim.claim.end))
            for check in CHECKS:
                of.counts[check][status_of(claim, check)] += 1
    return Judging(path.name, address, shown, folder, info, answers, captures)


def _answer_line(judged: JudgedAnswer, place: tuple[int, int]) -> AnswerLine:
    answer = judged.answer
    found_by = "\n".join((answer.query, *answer.tags, answer.model, answer.id))
    return AnswerLine(
        id=answer.id,
        model=answer.model,
        query=answer.query[:_EXCERPT] + ("…" if len(answer.query) > _EXCERPT else ""),
        tags=answer.tags,
        sentences=judged.coverage.sentences,
        covered=judged.coverage.covered,
        faults=len(answer.faults),
        counts={check: Counter() for check in CHECKS},
        place=place,
        found_by=folded(found_by),
    )


def _lines(path: Path) -> Iterator[tuple[tuple[int, int], bytes]]:
    """The whole lines of a file, each with its first byte and its length."""
    if not path.is_file():
        return
    at = 0
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield (at, len(line)), line
            at += len(line)


def _bytes_at(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)
