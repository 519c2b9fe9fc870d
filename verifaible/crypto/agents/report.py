"""A report whose every statement rests on sealed sources; what does not hold is listed, not shown as true."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256

from verifaible.check.run import check_sealed
from verifaible.crypto.numbers.resolve import resolve_numbers
from verifaible.crypto.providers.session import Api
from verifaible.errors import InfrastructureError, StoreError
from verifaible.schema.analyst import AnalystAnswer
from verifaible.schema.base import Record
from verifaible.schema.checked import CheckedClaim
from verifaible.schema.data import Display, NumberEvidence
from verifaible.schema.run import ToolReply
from verifaible.text.markers import find_data_marks


class LeftOut(Record):
    """A statement that was not taken into a report, and why, in a sentence."""

    statement: str
    reason: str


class Report(Record):
    """A report.

    Attributes:
        title: what it is about.
        sections: by their headings, what is stated, a sentence or two each, every one with a mark.
        left_out: what was not supported.
        undecided: statements that the rules neither confirmed nor refuted.
        notes: what a reader must know of how it was made.
    """

    title: str
    sections: dict[str, tuple[str, ...]]
    left_out: tuple[LeftOut, ...] = ()
    undecided: int = 0
    notes: tuple[str, ...] = ()

    @property
    def markdown(self) -> str:
        """The report below its title, as people and models read it."""
        checked = (
            f"{sum(map(len, self.sections.values()))} statements, compared with their sources; of "
            f"{self.undecided} the rules found neither that the source says so nor that it says otherwise. "
            "No advice."
        )
        refused = [f"{_bare(each.statement)} ({each.reason})" for each in self.left_out]
        parts = {**self.sections, "How it was made": (checked, *self.notes)}
        parts |= {"Not supported": tuple(refused)} if refused else {}
        return "\n\n".join(
            f"## {title}\n\n"
            + ("\n".join(f"- {each}" for each in lines) or "Nothing that the sources support.")
            for title, lines in parts.items()
        )

    def reply(self) -> ToolReply:
        """The report as the result of a tool."""
        body = self.markdown
        marks = [mark for lines in self.sections.values() for line in lines for mark in marks_of(line)]
        sources = tuple(dict.fromkeys(marks))
        display = Display(kind="report", title=self.title, sources=sources, markdown=body)
        return ToolReply(text=f"# {self.title}\n\n{body}", displays=(display,))


def marks_of(statement: str) -> tuple[str, ...]:
    """The marks of sources and computed values in a statement."""
    return tuple(dict.fromkeys(mark for each in find_data_marks(statement) for mark, _ in each.places))


async def examined(
    title: str,
    sections: Mapping[str, Sequence[str]],
    api: Api,
    *,
    left_out: Sequence[LeftOut] = (),
    notes: Sequence[str] = (),
) -> Report:
    """A report of those statements that name a source and are not refuted by it.

    Args:
        title: what it is about.
        sections: what a model wrote.
        api: the session, whose sources the marks name.
        left_out: what was refused before.
        notes: what a reader must know.

    Raises:
        InfrastructureError: the store cannot be read.
    """
    lines = [(head, line) for head, each in sections.items() for line in map(_line, each) if line]
    judged = await judged_statements(title, [line for _, line in lines], api)
    found = list(zip(lines, judged, strict=True))
    refused = [LeftOut(statement=line, reason=each.fault) for (_, line), each in found if each.fault]
    return Report(
        title=title,
        sections={
            head: tuple(line for (at, line), each in found if at == head and not each.fault)
            for head in sections
        },
        left_out=(*left_out, *refused),
        undecided=sum(each.undecided for each in judged if not each.fault),
        notes=tuple(notes),
    )


class Judged(Record):
    """What was found of a statement: why it is not supported, or whether the rules left it open."""

    fault: str = ""
    undecided: bool = False


async def judged_statements(title: str, lines: Sequence[str], api: Api) -> list[Judged]:
    """Each statement compared with the sources that it names, as ``verifaible check`` does.

    Raises:
        InfrastructureError: the store cannot be read.
    """
    lines = [_line(each) for each in lines]  # a claim is told to be of a statement by its line
    text = "\n".join(f"- {line}" for line in lines)
    answer = AnalystAnswer(
        id=sha256(text.encode()).hexdigest()[:20],
        origin="markdown",
        model="",
        query=title,
        answer=text,
        answered_at=api.as_of or api.now,
        sources=api.book.sources,
        sources_known=True,
    )
    found: list[list[CheckedClaim]] = [[] for _ in lines]
    try:
        for each in await check_sealed(answer, api.book.store):
            found[text.count("\n", 0, each.claim.start)].append(each)
        at = api.as_of or api.now
        numbers = [
            await asyncio.to_thread(resolve_numbers, line, api.points, api.computed, at=at) for line in lines
        ]
    except StoreError as error:
        raise InfrastructureError(f"The sources of a report cannot be read: {error}") from error
    known = {source.id for source in api.book.sources}
    return [_judged(*each, known) for each in zip(lines, found, numbers, strict=True)]


def _judged(
    line: str, found: Sequence[CheckedClaim], numbers: Sequence[NumberEvidence], known: Collection[str]
) -> Judged:
    """A number with a place in the data is compared with the value there, all else with what sources say."""
    marks = marks_of(line)
    if not marks:
        return Judged(fault="It names no source.")
    if unknown := [mark for mark in marks if mark not in known]:
        return Judged(fault=f"Its mark {unknown[0]} leads to no source.")
    for number in numbers:
        if number.status == "wrong" or (number.status == "none" and not any(map(_in_words, marks))):
            return Judged(fault=number.reason)
    in_data = any(each.status == "resolved" for each in numbers)
    # no source has a computed value in words
    said = [each for each in found if not each.claim.cites or any(map(_in_words, each.claim.cites))]
    for each in said:
        if each.verdict in ("contradicted", "altered") or (each.verdict == "not_in_source" and not in_data):
            return Judged(fault=each.reason)
    return Judged(undecided=any(each.verdict in ("undecided", "not_in_source") for each in said))


def _in_words(mark: str) -> bool:
    return not mark.startswith("calc_")


def _line(statement: str) -> str:
    return " ".join(statement.split()).removeprefix("- ")


def _bare(statement: str) -> str:
    """A statement without its marks: what is not supported cites nothing."""
    for mark in reversed(find_data_marks(statement)):
        statement = statement[: mark.start].rstrip() + statement[mark.end :]
    return statement.rstrip(".")
