"""The reports of a checked text: for a terminal, as Markdown, JSON, SARIF, and as a page.

Each is made of the record alone: the same record gives the same bytes.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from verifaible.check.page import page
from verifaible.check.sarif import sarif
from verifaible.check.view import STATES, VERDICTS, Level, View, source_words
from verifaible.errors import RunError
from verifaible.reporting.tables import Table, escaped, plain, row, shortened
from verifaible.schema.checked import Checked, CheckedClaim

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from verifaible.store.store import Store

Format: TypeAlias = Literal["html", "json", "sarif", "md"]
#: Findings, and sources that could not be read, that a screen of 40 lines has room for.
SCREEN_FINDINGS: Final = 6
SCREEN_SOURCES: Final = 4
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
        return sarif(view)
    return page(view, store)


def terminal(checked: Checked) -> RenderableType:
    """Coverage, counts, the worst findings, and the sources that could not be read, on one screen.

    It has room in 100 columns and 40 lines.
    """
    from rich.console import Group

    view = View(checked)
    lines = [_line((plain(checked.title or checked.name), "bold"))]
    lines += [_line((view.coverage, "bold"), wrap=True), _line((view.made_by, "dim"))]
    lines += [_line((f"! {plain(each)}", "yellow")) for each in checked.faults[:2]]
    lines.append(_line())
    for verdict, count in view.counts:
        term = VERDICTS[verdict]
        lines.append(
            _line((f"{term.sign} {term.word}".ljust(28), _COLOURS[term.level]), (f"{count:>6,}", ""))
        )
    if view.findings:
        lines.append(_line())
    for claim in view.findings[:SCREEN_FINDINGS]:
        term = VERDICTS[claim.verdict]
        line, column = view.place(claim.claim.start)
        sign = (f"{term.sign} {term.word}", _COLOURS[term.level])
        lines.append(_line(sign, (f"  {line}:{column}  ", "dim"), (plain(claim.claim.text), "")))
        for what, words in [*view.details(claim)][:1]:
            lines.append(_line((f"    {what}: ", "dim"), (plain(words), "")))
    if (more := len(view.findings) - SCREEN_FINDINGS) > 0:
        lines.append(_line((f"… and {more:,} more; --out report.html shows all", "dim")))
    if view.unread:
        lines.append(_line((f"Sources that could not be read: {len(view.unread)}", "bold")))
    for source in view.unread[:SCREEN_SOURCES]:
        state = STATES[source.state]
        words = f"{plain(source_words(source))}  {plain(source.url)}"
        lines.append(_line((f"{state.sign} ", _COLOURS[state.level]), (words, "")))
    lines += [_line((view.advice, "dim"), wrap=True)] if view.advice else []
    return Group(*lines)


def _line(*parts: tuple[str, str], wrap: bool = False) -> Text:
    from rich.text import Text

    return Text.assemble(*parts, no_wrap=not wrap, overflow="fold" if wrap else "ellipsis")


def markdown(view: View) -> str:
    """What a person pastes into a comment: coverage, counts, findings, sources."""
    checked = view.checked
    parts = [f"## {_copy(checked.title or checked.name)}", f"**{view.coverage}**"]
    parts += _fitting(f"- {_copy(each)}" for each in checked.faults)
    rows = tuple(
        row(f"{VERDICTS[verdict].sign} {VERDICTS[verdict].word}", f"{count:,}")
        for verdict, count in view.counts
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
