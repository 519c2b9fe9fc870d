"""A checked text on one screen of a terminal, and as Markdown for a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifaible.judge.check.shown.words import STATES, VERDICTS, Level, View, source_words, tells
from verifaible.reporting.tables import escaped, markdown_table, plain, shortened

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from verifaible.schema.checked import CheckedClaim

#: Lines of the screen that the summary shall fit, the prompt behind it included.
SCREEN_LINES: Final = 40
#: Sources that could not be read that a screen shows.
SCREEN_SOURCES: Final = 5
#: Findings that a comment shows; code hosts refuse comments of more than 65,536 characters.
COMMENT_FINDINGS: Final = 40
COMMENT_WORDS: Final = 300
_STYLES: Final[dict[Level, str]] = {"error": "bold red", "warning": "yellow", "note": "cyan", "none": "green"}


def terminal(view: View) -> RenderableType:
    """Coverage, counts, the worst findings, and the sources that could not be read, on one screen."""
    from rich.console import Group

    checked = view.checked
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
        found += [_line((f"    {what}: ", "dim"), (plain(words), "")) for what, words in [*tells(claim)][:1]]
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
    parts = [f"## {escaped(plain(checked.title or checked.name))}", f"**{view.coverage}**"]
    parts += [f"> {escaped(plain(each))}" for each in checked.faults]
    if view.counts.rows:
        parts.append(markdown_table(view.counts))
    if view.findings:
        items = [_item(view, each) for each in view.findings[:COMMENT_FINDINGS]]
        parts += ["### What to look at", "\n".join(items)]
    if (more := len(view.findings) - COMMENT_FINDINGS) > 0:
        parts.append(f"… and {more:,} more.")
    if view.unread:
        parts.append("### Sources that could not be read")
        parts.append(
            "\n".join(
                f"- {STATES[each.state].sign} {escaped(plain(f'{each.url}: {source_words(each)}'))}"
                for each in view.unread[:COMMENT_FINDINGS]
            )
        )
    parts.append(escaped(view.made_by))
    return "\n\n".join(parts) + "\n"


def _item(view: View, claim: CheckedClaim) -> str:
    told = VERDICTS[claim.verdict]
    words = escaped(shortened(claim.claim.text, COMMENT_WORDS))
    lines = [f"- **{told.sign} {told.word}** ({escaped(view.where(claim))}): {words}"]
    lines += [f"  - {what}: {escaped(shortened(said, COMMENT_WORDS))}" for what, said in tells(claim)]
    lines += [
        f"  - source: {escaped(plain(view.sources[name].url if name in view.sources else name))}"
        for name in claim.claim.cites
    ]
    return "\n".join(lines)
