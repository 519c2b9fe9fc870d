"""What is written of a checked text: its words and figures, for a terminal, as Markdown, as JSON.

Each form is made of the record alone: the same record gives the same bytes.
"""

from __future__ import annotations

import bisect
import errno
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from verifaible.errors import RunError
from verifaible.reporting.tables import Table, escaped, plain, row, shortened
from verifaible.schema.checked import (
    CLAIM_VERDICTS,
    Checked,
    CheckedClaim,
    CheckedSource,
    ClaimVerdict,
    SourceState,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from verifaible.store.store import Store

Format: TypeAlias = Literal["html", "json", "sarif", "md"]
#: ``error``: somebody must mend it; ``warning``: somebody must look; ``note``: good to know; ``none``: fine.
Level: TypeAlias = Literal["error", "warning", "note", "none"]
#: Lines of the screen that the summary shall fit, the prompt behind it included.
SCREEN_LINES: Final = 40
#: Sources that could not be read that a screen shows.
SCREEN_SOURCES: Final = 5
#: Characters that each list of a comment may take: code hosts refuse comments of more than 65,536.
COMMENT_LENGTH: Final = 20_000
#: Characters of a text of others that a comment shows.
COMMENT_WORDS: Final = 300
_COLOURS: Final[dict[Level, str]] = {
    "error": "bold red",
    "warning": "yellow",
    "note": "cyan",
    "none": "green",
}
_WRONG: Final[tuple[ClaimVerdict, ...]] = ("contradicted", "altered", "not_in_source")
_OPEN: Final[tuple[ClaimVerdict, ...]] = ("undecided", "unreadable", "no_source")
_NUMBER: Final = re.compile(r"\d[\d,'\u2009]*(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Term:
    """How a verdict or a state is shown: a sign, so that it does not depend on colour, a word, a sentence."""

    sign: str
    word: str
    level: Level
    meaning: str


VERDICTS: Final[dict[ClaimVerdict, Term]] = {
    "contradicted": Term("✕", "contradicted", "error", "A source that the claim cites says otherwise."),
    "altered": Term("≠", "quotation altered", "error", "Words given as a quotation are not the source's."),
    "not_in_source": Term(
        "∅", "not in the source", "error", "The cited source was read whole and does not have it."
    ),
    "unreadable": Term(
        "⊘", "source not readable", "warning", "None of the sources that it cites could be read."
    ),
    "undecided": Term(
        "?", "not checked", "warning", "The cited source was read; nothing decided whether it says so."
    ),
    "supported": Term("✓", "supported", "none", "A source that the claim cites says so."),
    "calculated": Term(
        "=", "supported by calculation", "none", "The claim follows from values in its sources."
    ),
    "no_source": Term("○", "no source given", "note", "The text names no source for the claim."),
    "not_checkable": Term("–", "not checkable", "none", "An opinion, a recommendation or a question."),
}
STATES: Final[dict[SourceState, Term]] = {
    "read": Term("✓", "read", "none", "It was opened and sealed."),
    "gone": Term("✕", "gone", "error", "The server says that the source is not there."),
    "made_up": Term("✕", "leads nowhere", "error", "Its host does not exist, or the address cannot be one."),
    "blocked": Term("⊘", "blocked", "warning", "The site did not show its content."),
    "paywall": Term("⊘", "paywall", "warning", "The content is behind a paywall."),
    "login": Term("⊘", "login", "warning", "The content is behind a login."),
    "error": Term("!", "not opened", "warning", "The source could not be opened; it may be tried again."),
}


def exit_status(checked: Checked, *, allow_undecided: bool = False) -> int:
    """The status with which ``verifaible check`` ends.

    0: every checkable claim is supported. 1: something is contradicted, altered or not in its source, or a
    source is gone or made up. 3: none of these, but something is undecided, unreadable or names no source;
    ``allow_undecided`` makes it 0.
    """
    lost = any(source.state in ("gone", "made_up") for source in checked.sources)
    if lost or checked.count(*_WRONG):
        return 1
    return 3 if checked.count(*_OPEN) and not allow_undecided else 0


@dataclass(frozen=True)
class View:
    """A checked text as its reports ask for it."""

    checked: Checked

    @cached_property
    def sources(self) -> dict[str, CheckedSource]:
        """Sources by id."""
        return {source.id: source for source in self.checked.sources}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The places of sources in their list, by id, counted from 1."""
        return {source.id: number for number, source in enumerate(self.checked.sources, 1)}

    @cached_property
    def cited(self) -> Counter[str]:
        """How many claims cite each source."""
        return Counter(name for claim in self.checked.claims for name in set(claim.claim.cites))

    @cached_property
    def findings(self) -> tuple[CheckedClaim, ...]:
        """The claims that somebody must look at, the worst first, then in the order of the text."""
        return tuple(
            claim
            for verdict in CLAIM_VERDICTS
            if VERDICTS[verdict].level in ("error", "warning")
            for claim in self.checked.claims
            if claim.verdict == verdict
        )

    @cached_property
    def unread(self) -> tuple[CheckedSource, ...]:
        """The sources that could not be read, in order."""
        return tuple(source for source in self.checked.sources if source.state != "read")

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(at + 1 for at, char in enumerate(self.checked.text) if char == "\n")]

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of a code point, both counted from 1."""
        line = bisect.bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def where(self, claim: CheckedClaim) -> str:
        """``report.md:12:5``."""
        line, column = self.place(claim.claim.start)
        return f"{plain(self.checked.name)}:{line}:{column}"

    @cached_property
    def coverage(self) -> str:
        """How many claims, checked, wrong and open: the first thing that every report says."""
        checked = self.checked
        if not checked.checkable:
            return "The text has no claim that a source could hold."
        parts = [
            f"{count} {words}"
            for verdict, words in (
                ("undecided", "not checked"),
                ("unreadable", "with no source that could be read"),
                ("no_source", "without a source"),
            )
            if (count := checked.count(verdict))  # type: ignore[arg-type]
        ]
        noun = "claim" if checked.checkable == 1 else "claims"
        counts = f"{checked.compared} checked, {checked.count(*_WRONG)} wrong, {checked.count(*_OPEN)} open"
        why = f" ({', '.join(parts)})" if parts else ""
        return f"{checked.checkable} {noun}: {counts}{why}."

    @cached_property
    def advice(self) -> str:
        """What decides the claims that were read and are open; empty where a model was asked, or none is."""
        count = self.checked.count("undecided")
        if not count or self.checked.judge:
            return ""
        noun = "1 claim was" if count == 1 else f"{count} claims were"
        name = plain(self.checked.name)
        command = f"verifaible check {name if name == '-' else shlex.quote(name)} --judge MODEL"
        return f"{noun} read beside the source but not decided by rules. A model decides: {command}"

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The coverage for programs."""
        checked = self.checked
        counts = {verdict: checked.count(verdict) for verdict in VERDICTS}
        figures = {"checkable": checked.checkable, "compared": checked.compared, "verdicts": counts}
        return {"words": self.coverage, **figures}

    @cached_property
    def made_by(self) -> str:
        """Who checked, and when."""
        judge = f"judge: {plain(self.checked.judge)}" if self.checked.judge else "by rules alone"
        moment = f"{self.checked.checked_at:%Y-%m-%d %H:%M} {self.checked.checked_at.tzname() or ''}".strip()
        return f"verifaible {plain(self.checked.version)}, {judge}, {moment}"

    def details(self, claim: CheckedClaim) -> Iterator[tuple[str, str]]:
        """What a reader must see beside a claim: what it is, and the words."""
        if claim.said:
            yield "the source says", claim.said
        if claim.derivation:
            yield "calculation", formula(claim)
        if claim.nearest and not claim.said:
            yield "nearest", claim.nearest.passage.quote
        if claim.verdict == "unreadable":
            cited = (self.sources.get(name) for name in claim.claim.cites)
            yield from (("source", source_words(each)) for each in cited if each and each.state != "read")
        if claim.reason:
            yield "why", claim.reason


def source_words(source: CheckedSource) -> str:
    """What became of a source that could not be read, in a line."""
    term = STATES[source.state]
    status = f" (status {source.status})" if source.status >= 400 else ""
    return f"{term.word}{status}: {source.said or term.meaning}"


def formula(claim: CheckedClaim) -> str:
    """The calculation of a claim in one line, its result with as many digits as the claim shows."""
    derivation = claim.derivation
    if derivation is None:
        return ""
    shown = [len(match[1] or "") for match in _NUMBER.finditer(claim.claim.text)]
    stated = [Decimal(re.sub(r"[,'\u2009]", "", match[0])) for match in _NUMBER.finditer(claim.claim.text)]
    result = derivation.result
    same = [
        digits for digits, value in zip(shown, stated, strict=True) if abs(round(result, digits)) == value
    ]
    digits = same[0] if same else max(shown, default=0)
    if abs(result) < 10 ** (-digits) and result:  # all of its digits would be lost
        return derivation.formula
    return derivation.model_copy(update={"result": round(result, digits)}).formula


# --- files


def write(checked: Checked, path: Path, format: Format, store: Store | None = None) -> None:
    """Write a report to a file, whole or not at all; ``store``: where the pictures of its evidence are.

    Raises:
        RunError: the file cannot be written.
    """
    data, target = rendered(checked, format, store).encode(), path.resolve()
    part = target.with_name(f".{target.name}.part")
    try:
        if target.exists() and not target.is_file():  # a pipe or the terminal
            target.write_bytes(data)
            return
        part.write_bytes(data)
        part.replace(target)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        mend = "Name a file in a folder that exists and can be written to."
        if error.errno == errno.ENOSPC:
            mend = f"Free some space: the report needs {len(data) // 1000 + 1} kB."
        raise RunError(f"{path} cannot be written ({error.strerror or error}). {mend}") from error


def rendered(checked: Checked, format: Format, store: Store | None = None) -> str:
    """A checked text as a page (``html``), the record (``json``), SARIF 2.1.0 or Markdown (``md``)."""
    view = View(checked)
    if format == "json":
        import rfc8785

        record: dict[str, Any] = {"coverage": view.figures, **checked.model_dump(mode="json")}
        return rfc8785.dumps(record).decode() + "\n"
    if format == "md":
        return markdown(view)
    if format == "sarif":
        from verifaible.check.sarif import sarif

        return sarif(view)
    from verifaible.check.page import page

    return page(view, store)


def terminal(checked: Checked) -> RenderableType:
    """Coverage, counts, the worst findings, and the sources that could not be read, on one screen.

    It has room in 100 columns and 40 lines.
    """
    from rich.console import Group

    view = View(checked)
    head = [_line((plain(checked.title or checked.name), "bold"))]
    head += [_line((view.coverage, "bold"), wrap=True), _line((view.made_by, "dim"))]
    head += [_line((f"! {plain(each)}", "yellow")) for each in checked.faults[:3]]
    head += [_line(("", ""))]
    head += [
        _line((f"{term.sign} {term.word}".ljust(28), _COLOURS[term.level]), (f"{count:>6,}", ""))
        for verdict, term in VERDICTS.items()
        if (count := checked.count(verdict))
    ]
    tail = [*_unread(view), *([_line((view.advice, "dim"), wrap=True)] if view.advice else [])]
    # Coverage and advice may wrap; a blank line, what is left out, the prompt.
    room = SCREEN_LINES - 5 - len(head) - len(tail)
    return Group(*head, *_worst(view, room), *tail)


def _worst(view: View, room: int) -> list[Text]:
    lines: list[Text] = []
    shown = 0
    for claim in view.findings:
        term = VERDICTS[claim.verdict]
        line, column = view.place(claim.claim.start)
        sign = (f"{term.sign} {term.word}", _COLOURS[term.level])
        found = [_line(sign, (f"  {line}:{column}  ", "dim"), (plain(claim.claim.text), ""))]
        for what, words in [*view.details(claim)][:1]:
            found.append(_line((f"    {what}: ", "dim"), (plain(words), "")))
        if len(lines) + len(found) > room:
            break
        lines += found
        shown += 1
    if not view.findings:
        return lines
    more = len(view.findings) - shown
    left = [_line((f"… and {more:,} more; --out report.html shows all", "dim"))] if more else []
    return [_line(("", "")), *lines, *left]


def _unread(view: View) -> list[Text]:
    if not view.unread:
        return []
    lines = [_line(("", "")), _line((f"Sources that could not be read: {len(view.unread)}", "bold"))]
    for source in view.unread[:SCREEN_SOURCES]:
        term = STATES[source.state]
        sign, words = (f"{term.sign} ", _COLOURS[term.level]), (plain(source_words(source)), "")
        lines.append(_line(sign, words, (f"  {plain(source.url)}", "dim")))
    more = len(view.unread) - SCREEN_SOURCES
    return [*lines, _line((f"… and {more:,} more", "dim"))] if more > 0 else lines


def _line(*parts: tuple[str, str], wrap: bool = False) -> Text:
    from rich.text import Text

    return Text.assemble(*parts, no_wrap=not wrap, overflow="fold" if wrap else "ellipsis")


def markdown(view: View) -> str:
    """What a person pastes into a comment: coverage, counts, findings, sources."""
    checked = view.checked
    parts = [f"## {_copy(checked.title or checked.name)}", f"**{view.coverage}**"]
    parts += _fitting(f"- {_copy(each)}" for each in checked.faults)
    rows = tuple(
        row(f"{term.sign} {term.word}", f"{count:,}")
        for verdict, term in VERDICTS.items()
        if (count := checked.count(verdict))
    )
    if rows:
        parts.append(Table(title="Claims", columns=("Verdict", "Claims"), rows=rows).as_markdown())
    if view.findings:
        parts += ["### What to look at", *_fitting(_item(view, each) for each in view.findings)]
    if view.unread:
        lines = (
            f"- {STATES[each.state].sign} {_copy(each.url)}: {_copy(source_words(each))}"
            for each in view.unread
        )
        parts += ["### Sources that could not be read", *_fitting(lines)]
    parts += [_copy(each) for each in (view.advice, view.made_by) if each]
    return "\n\n".join(parts) + "\n"


def _fitting(items: Iterable[str]) -> list[str]:
    """A list as far as a comment has room for it, and how many more there are."""
    waiting = list(items)
    room, shown = COMMENT_LENGTH, 0
    while shown < len(waiting) and (room := room - len(waiting[shown])) > 0:
        shown += 1
    more = [f"… and {len(waiting) - shown:,} more."] if shown < len(waiting) else []
    return [each for each in ("\n".join(waiting[:shown]), *more) if each]


def _copy(text: str) -> str:
    return escaped(shortened(text, COMMENT_WORDS))


def _item(view: View, claim: CheckedClaim) -> str:
    term = VERDICTS[claim.verdict]
    lines = [f"- **{term.sign} {term.word}** ({_copy(view.where(claim))}): {_copy(claim.claim.text)}"]
    lines += [f"  - {what}: {_copy(said)}" for what, said in view.details(claim)]
    cited = (view.sources[name].url if name in view.sources else name for name in claim.claim.cites[:5])
    return "\n".join([*lines, *(f"  - source: {_copy(address)}" for address in cited)])
