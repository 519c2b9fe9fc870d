"""A report whose every statement rests on sealed sources; what does not hold is listed, not shown as true."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from hashlib import sha256
from typing import Final

from verifaible.crypto.tools.api import Api
from verifaible.errors import InfrastructureError, StoreError
from verifaible.judge.check.sealed import check_sealed
from verifaible.schema.analyst import AnalystAnswer
from verifaible.schema.base import Record
from verifaible.schema.checked import CheckedClaim
from verifaible.schema.data import Display
from verifaible.schema.run import ToolReply

_MARK: Final = re.compile(r"\[((?:src|calc)_\d+)\]")
_PERCENT: Final = re.compile(r"(?P<sign>[-+−]?)(?P<number>\d+(?:\.\d+)?)\s?(?:%|per cent|percent)")


class Section(Record):
    """A heading and what is stated below it, a sentence or two each, with their marks."""

    title: str
    statements: tuple[str, ...]


class LeftOut(Record):
    """A statement that was not taken into a report, and why, in a sentence."""

    statement: str
    reason: str


class Report(Record):
    """A report.

    Attributes:
        title: what it is about.
        sections: what is stated, every statement with a mark.
        left_out: what was not supported.
        undecided: statements that the rules neither confirmed nor refuted.
        notes: what a reader must know of how it was made.
    """

    title: str
    sections: tuple[Section, ...]
    left_out: tuple[LeftOut, ...] = ()
    undecided: int = 0
    notes: tuple[str, ...] = ()

    @property
    def markdown(self) -> str:
        """The report as people and models read it."""
        parts = [f"# {self.title}"]
        for section in self.sections:
            listed = "\n".join(f"- {each}" for each in section.statements)
            parts.append(f"## {section.title}\n\n{listed or 'The sources say nothing of it.'}")
        stated = sum(len(section.statements) for section in self.sections)
        checked = (
            f"{stated} statements, compared with their sources; of {self.undecided} the rules found neither "
            "that the source says so nor that it says otherwise. No advice."
        )
        parts.append("## How it was made\n\n" + "\n".join(f"- {each}" for each in (checked, *self.notes)))
        if self.left_out:
            listed = "\n".join(f"- {_bare(each.statement)} ({each.reason})" for each in self.left_out)
            parts.append(f"## Not supported\n\n{listed}")
        return "\n\n".join(parts)

    def reply(self) -> ToolReply:
        """The report as the result of a tool."""
        text = self.markdown
        marks = dict.fromkeys(
            mark for each in self.sections for line in each.statements for mark in marks_of(line)
        )
        display = Display(kind="report", title=self.title, sources=tuple(marks), markdown=text)
        return ToolReply(text=text, displays=(display,))


def marks_of(statement: str) -> tuple[str, ...]:
    """The marks of sources and computed values in a statement."""
    return tuple(dict.fromkeys(_MARK.findall(statement)))


async def examined(
    title: str,
    sections: Sequence[Section],
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
    refused = list(left_out)
    lines = [(place, _line(each)) for place, section in enumerate(sections) for each in section.statements]
    marked = []
    for place, line in lines:
        if fault := _fault_of_marks(line, api):
            refused.append(LeftOut(statement=line, reason=fault))
        elif line:
            marked.append((place, line))
    verdicts = await _verdicts(title, [line for _, line in marked], api)
    kept: list[tuple[int, str]] = []
    undecided = 0
    for (place, line), found in zip(marked, verdicts, strict=True):
        if fault := _refuted(line, found, api):
            refused.append(LeftOut(statement=line, reason=fault))
        else:
            kept.append((place, line))
            undecided += any(each.verdict == "undecided" for each in found)
    return Report(
        title=title,
        sections=tuple(
            Section(title=section.title, statements=tuple(line for at, line in kept if at == place))
            for place, section in enumerate(sections)
        ),
        left_out=tuple(refused),
        undecided=undecided,
        notes=tuple(notes),
    )


async def _verdicts(title: str, lines: Sequence[str], api: Api) -> list[list[CheckedClaim]]:
    """The claims of each statement, as ``verifaible check`` finds them."""
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
    try:
        claims = await check_sealed(answer, api.book.store)
    except StoreError as error:
        raise InfrastructureError(f"The sources of a report cannot be read: {error}") from error
    found: list[list[CheckedClaim]] = [[] for _ in lines]
    for each in claims:
        found[text.count("\n", 0, each.claim.start)].append(each)
    return found


def _fault_of_marks(line: str, api: Api) -> str:
    marks = marks_of(line)
    known = {source.id for source in api.book.sources}
    if unknown := [mark for mark in marks if mark not in known]:
        return f"Its mark {unknown[0]} leads to no source."
    return "" if marks or not line else "It names no source."


def _refuted(line: str, found: Sequence[CheckedClaim], api: Api) -> str:
    """Why a statement is not supported; empty where nothing speaks against it.

    A number of a computed value stands in no source: it is compared with the value itself.
    """
    computed = [value.result for value in api.computed if value.id in marks_of(line)]
    percents = list(_PERCENT.finditer(line)) if computed else []
    strange = [match[0] for match in percents if not any(_is(match, each) for each in computed)]
    if strange and all(mark.startswith("calc_") for mark in marks_of(line)):
        return f"{strange[0]} is none of the computed values that it names."
    for each in found:
        if each.verdict in ("contradicted", "altered"):
            return each.reason
        if each.verdict == "not_in_source" and (strange or not computed):
            return each.reason
    return ""


def _is(written: re.Match[str], value: Decimal) -> bool:
    """Whether a percentage is a value, rounded to its digits; without a sign it may be a fall, too."""
    number = Decimal(written["number"])
    negative = written["sign"] in ("-", "−")
    signed = -number if negative else number
    rounded = round(value, -int(number.as_tuple().exponent))
    return rounded == signed or (not written["sign"] and rounded == -number)


def _line(statement: str) -> str:
    return " ".join(statement.split()).removeprefix("- ")


def _bare(statement: str) -> str:
    """A statement without its marks: what is not supported cites nothing."""
    return " ".join(_MARK.sub("", statement).split()).rstrip(".").replace(" .", ".")
