"""The summary of an analysis: every section in short, within a number of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from verifaible.schema.action import StepResult
from verifaible.tools import analyze_sections as sections
from verifaible.tools.fetch_status import block_kind
from verifaible.tools.presenting import missing_note, one_line, shorten

if TYPE_CHECKING:
    from verifaible.browser.analysis.analyze import Analysis

#: Most tokens of the summary, with its delimiters, as :func:`token_estimate` counts.
SUMMARY_TOKENS = 1_850
#: Shares of the summary; what one section leaves the next may use.
_SHARES = {"requests": 520, "objects": 320, "elements": 520, "around": 160, "tables": 260, "text": 100}
#: The text is only to show what kind of page it is.
_MOST_TEXT = 160
#: What is clicked on to pass a page that asks for something; so many are named.
_BUTTONS = frozenset({"button", "clickable"})
_MOST_BUTTONS = 4
_PIECE = re.compile(
    r"[A-Z]?[a-z]+|[A-Z]+|\d+|[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]|\s+|.", re.DOTALL
)


def token_estimate(text: str) -> int:
    """About how many tokens a model counts.

    Calibrated on the summaries of six replicas (English, Chinese, tables, links) against the larger of
    what the vocabularies ``o200k_base`` and ``cl100k_base`` give: 0.95 to 1.24 times as many. A word
    costs one token for every six letters begun, a number one for every three digits, a Chinese
    character one and a quarter, a mark one, a single blank nothing.
    """
    count = 0.0
    for piece in _PIECE.findall(text):
        if piece.isascii():
            if piece.isalpha():
                count += (len(piece) + 5) // 6
            elif piece.isdigit():
                count += (len(piece) + 2) // 3
            else:
                count += piece != " "
        else:
            count += 1.25
    return round(count)


def fit(text: str, tokens: int) -> str:
    """As much of the beginning as fits, ended by an ellipsis where something is left out."""
    if token_estimate(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if token_estimate(text[:middle]) < tokens else (low, middle - 1)
    return text[:low].rstrip() + "…"


def head_lines(analysis: Analysis, steps: Sequence[StepResult]) -> list[str]:
    """Title and address of the page, and what was out of the ordinary when it was read."""
    title = one_line(analysis.title)
    shown = "".join(analysis.text.casefold().split())
    parts = ["".join(part.casefold().split()) for part in re.split(r"[|_\-–—·:]", title)]
    only_tab = bool(title) and not any(part in shown for part in parts if part)
    head = [f"Title: {title}{' [on the tab only]' if only_tab else ''}", f"URL: {shorten(analysis.url, 300)}"]
    head += _wall(analysis)
    if steps:
        head.append(f"After {len(steps)} action steps.")
    head += [f"Dialog opened and answered: {one_line(text)}" for text in analysis.dialogs[:5]]
    head += missing_note(analysis.misses, analysis.refused)
    if analysis.unreplayable:
        names = "; ".join(one_line(each, 200) for each in analysis.unreplayable[:3])
        head.append(f"No capture can hold, so no citation can rest on it: {names}")
    if not analysis.settled:
        head.append("The page keeps changing; this is how it was after a few seconds.")
    return head


def _wall(analysis: Analysis) -> list[str]:
    """What the page is instead of content, and which buttons lead past it."""
    kind = block_kind(analysis.url, analysis.title, analysis.text)
    if not kind or analysis.tables:
        return []
    buttons = [each for each in analysis.elements if each.kind in _BUTTONS and not each.disabled]
    named = [f"{one_line(each.text or each.label, 60)} ({each.selector})" for each in buttons[:_MOST_BUTTONS]]
    past = (
        f" A click on one of these may lead past it, here and when citing: {'; '.join(named)}."
        if named
        else ""
    )
    return [f"This is {kind}, not content, and nothing of it is evidence.{past}"]


def summary(analysis: Analysis, steps: Sequence[StepResult]) -> str:
    """Every section in short, at most SUMMARY_TOKENS in all."""
    head = fit("\n".join(head_lines(analysis, steps)), 300)
    parts = [head]
    renders: dict[str, Callable[[int], str]] = {
        "requests": lambda room: _fitted(
            "Data requests", sections.request_entries(analysis, whole=False), room, "requests"
        ),
        "objects": lambda room: _objects(analysis, room),
        "elements": lambda room: _elements(analysis, room),
        "around": lambda room: _around(analysis, room),
        "tables": lambda room: _fitted(
            "Tables", sections.table_entries(analysis.tables, whole=False), room, "tables"
        ),
        "text": lambda room: _text(analysis.text, room),
    }
    # What is around the result: the two delimiters with the address, and the note on invisible characters.
    room = SUMMARY_TOKENS - token_estimate(head) - token_estimate(shorten(analysis.url, 500)) - 60
    scale = room / sum(_SHARES.values())
    left = 0.0
    for name, render in renders.items():
        share = _SHARES[name] * scale + left
        text = render(int(share if name != "text" else min(share, _MOST_TEXT)))
        left = max(0.0, share - token_estimate(text) - 2)
        parts.append(text)
    return "\n\n".join(part for part in parts if part)


def _fitted(title: str, entries: Sequence[str], room: int, section: str) -> str:
    """A title and as many entries as fit; says how many do not."""
    if not entries:
        return f"## {title}: none"
    lines = [f"## {title} ({len(entries)})"]
    used = token_estimate(lines[0]) + 14
    for number, entry in enumerate(entries):
        cost = token_estimate(entry) + 1
        if used + cost > room:
            if not number:
                lines.append(fit(entry, max(room - used, 20)))
            left = len(entries) - max(number, 1)
            lines += [f'… {left} more: section="{section}"'] if left else []
            break
        used += cost
        lines.append(entry)
    return "\n".join(lines)


def _objects(analysis: Analysis, room: int) -> str:
    libraries = fit(f"\nLibraries: {', '.join(analysis.libraries)}", room // 4) if analysis.libraries else ""
    entries = sections.object_entries(analysis, whole=False)
    title = sections.SECTIONS["objects"][0]
    return _fitted(title, entries, room - token_estimate(libraries), "objects") + libraries


def _elements(analysis: Analysis, room: int) -> str:
    notes = "".join(f"\n{line}" for line in sections.left_out(analysis))
    entries = sections.element_entries(analysis, whole=False)
    return _fitted("Elements to operate", entries, room - token_estimate(notes), "elements") + notes


def _around(analysis: Analysis, room: int) -> str:
    """Forms, pagination, frames and linked documents: the short sections, where there is anything in them."""
    files = sections.file_entries(analysis, whole=False)
    found = {
        "pagination": ("Pagination", sections.pagination_entries(analysis)),
        "frames": ("Frames", sections.frame_entries(analysis)),
        "forms": ("Forms", sections.form_entries(analysis.forms, whole=False)),
        "downloads": ("Linked documents", files),
    }
    shown = []
    waiting = [name for name, (_, entries) in found.items() if entries]
    for index, name in enumerate(waiting):
        title, entries = found[name]
        text = _fitted(title, entries, max(room // (len(waiting) - index), 40), name)
        room -= token_estimate(text)
        shown.append(text)
    return "\n".join(shown)


def _text(text: str, room: int) -> str:
    shown = " ".join(text.split())
    if not shown:
        return "## Visible text: none"
    head = f"## Visible text ({len(text)} characters)"
    kept = fit(shown, max(room - token_estimate(head) - 10, 20))
    return f"{head}\n{kept}" + (' (section="text" shows more)' if kept != shown else "")
