"""What is written of a checked text: a page, JSON, SARIF, Markdown, and a summary for the terminal.

Each is made of the record alone: the same record gives the same bytes.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from verifaible.errors import RunError
from verifaible.judge.check.shown.words import STATES, VERDICTS, Level, View, source_words
from verifaible.reporting.tables import escaped, plain, shortened
from verifaible.schema.checked import Checked, CheckedClaim

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

Format: TypeAlias = Literal["html", "json", "sarif", "md"]
#: Lines of the screen that the summary shall fit, the prompt behind it included.
SCREEN_LINES: Final = 40
#: Sources that could not be read that a screen shows.
SCREEN_SOURCES: Final = 5
#: Characters that each list of a comment may take: code hosts refuse comments of more than 65,536.
COMMENT_LENGTH: Final = 20_000
#: Characters of a text of others that a comment shows.
COMMENT_WORDS: Final = 300
_STYLES: Final[dict[Level, str]] = {"error": "bold red", "warning": "yellow", "note": "cyan", "none": "green"}


def write(checked: Checked, path: Path, format: Format) -> None:
    """Write a checked text to a file, whole or not at all.

    Raises:
        RunError: the file cannot be written.
    """
    data, target = rendered(checked, format).encode(), path.resolve()
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


def rendered(checked: Checked, format: Format) -> str:
    """A checked text as a page (``html``), the record (``json``), SARIF 2.1.0 or Markdown (``md``)."""
    view = View(checked)
    if format == "json":
        return as_json(view)
    if format == "md":
        return markdown(view)
    if format == "sarif":
        from verifaible.judge.check.shown.sarif import sarif

        return sarif(view)
    from verifaible.judge.check.shown.page import page

    return page(view)


def as_json(view: View) -> str:
    """The record and its coverage as canonical JSON (RFC 8785): keys in order, nothing between them."""
    import rfc8785

    record: dict[str, Any] = {"coverage": view.figures, **view.checked.model_dump(mode="json")}
    return rfc8785.dumps(record).decode() + "\n"


def terminal(checked: Checked) -> RenderableType:
    """Coverage, counts, the worst findings, and the sources that could not be read, on one screen.

    It has room in 100 columns and 40 lines.
    """
    from rich.console import Group

    view = View(checked)
    head = [_line((plain(checked.title or checked.name), "bold"))]
    head += [_line((view.coverage, "bold"), wrap=True), _line((view.made_by, "dim"))]
    head += [_line(("! " + plain(each), "yellow")) for each in checked.faults[:3]]
    head += [_line(("", ""))]
    head += [
        _line((f"{told.sign} {told.word}".ljust(28), _STYLES[told.level]), (f"{count:>6,}", ""))
        for verdict, told in VERDICTS.items()
        if (count := checked.count(verdict))
    ]
    tail = _unread(view)
    # Coverage may wrap; a blank line, what is left out, the prompt.
    room = SCREEN_LINES - 4 - len(head) - len(tail)
    return Group(*head, *_worst(view, room), *tail)


def _worst(view: View, room: int) -> list[Text]:
    lines: list[Text] = []
    shown = 0
    for claim in view.findings:
        told = VERDICTS[claim.verdict]
        line, column = view.place(claim.claim.start)
        found = [
            _line(
                (f"{told.sign} {told.word}", _STYLES[told.level]),
                (f"  {line}:{column}  ", "dim"),
                (plain(claim.claim.text), ""),
            )
        ]
        found += [
            _line((f"    {what}: ", "dim"), (plain(words), "")) for what, words in [*view.tells(claim)][:1]
        ]
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
        told = STATES[source.state]
        lines.append(
            _line(
                (f"{told.sign} ", _STYLES[told.level]),
                (plain(source_words(source)), ""),
                (f"  {plain(source.url)}", "dim"),
            )
        )
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
    if view.counts.rows:
        parts.append(view.counts.as_markdown())
    if view.findings:
        parts += ["### What to look at", *_fitting(_item(view, each) for each in view.findings)]
    if view.unread:
        lines = (
            f"- {STATES[each.state].sign} {_copy(each.url)}: {_copy(source_words(each))}"
            for each in view.unread
        )
        parts += ["### Sources that could not be read", *_fitting(lines)]
    parts.append(_copy(view.made_by))
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
    told = VERDICTS[claim.verdict]
    lines = [f"- **{told.sign} {told.word}** ({_copy(view.where(claim))}): {_copy(claim.claim.text)}"]
    lines += [f"  - {what}: {_copy(said)}" for what, said in view.tells(claim)]
    cited = (view.sources[name].url if name in view.sources else name for name in claim.claim.cites[:5])
    return "\n".join([*lines, *(f"  - source: {_copy(address)}" for address in cited)])
