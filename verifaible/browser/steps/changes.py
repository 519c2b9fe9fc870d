"""What a step changed: requests, navigation, dialogs, files and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from verifaible.browser.page.happenings import Happenings
from verifaible.schema.action import StepChanges

#: Requests that say something of what a step did; pictures, fonts and style sheets do not.
_TELLING = frozenset({"document", "xhr", "fetch", "script", "eventsource", "websocket", "ping", "other"})
_MOST_LINES = 6
_LINE_CHARACTERS = 160
_MOST_REQUESTS = 12


@dataclass(frozen=True, slots=True)
class Before:
    """How things stood before a step."""

    url: str
    answers: int
    dialogs: int
    documents: int
    page: object
    lines: Sequence[str] = field(default=(), repr=False)


def changed(
    before: Before, after: Before, happened: Happenings, dialogs: Sequence[str], files: Sequence[str]
) -> StepChanges:
    """What a step changed.

    Args:
        before: how things stood.
        after: how they stand now that the page has settled.
        happened: the answers of the context.
        dialogs: all dialogs of the session so far.
        files: all documents of the session so far, described.
    """
    added, removed = _missing_in(after.lines, before.lines), _missing_in(before.lines, after.lines)
    answers = [each for each in happened.answers[before.answers :] if each.kind in _TELLING]
    shown = list(dict.fromkeys(each.described() for each in answers))
    moved = after.url if after.url != before.url else ""
    return StepChanges(
        added=_short(added),
        added_lines=len(added),
        removed=_short(removed),
        removed_lines=len(removed),
        requests=tuple(shown[:_MOST_REQUESTS]),
        request_count=len(shown),
        navigated=moved if after.page is before.page else "",
        opened=after.url if after.page is not before.page else "",
        dialogs=tuple(dialogs[before.dialogs :]),
        downloads=tuple(files[before.documents :]),
    )


def _missing_in(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    """The lines that others do not have, or not so often, in their order."""
    left = Counter(others)
    found = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        else:
            found.append(line)
    return found


def _short(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        line if len(line) <= _LINE_CHARACTERS else f"{line[: _LINE_CHARACTERS - 1]}…"
        for line in lines[:_MOST_LINES]
    )


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a page's text that say something, with white space folded."""
    folded = (" ".join(line.split()) for line in text.splitlines())
    return tuple(line for line in folded if line)
