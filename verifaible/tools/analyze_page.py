"""``analyze_page``: how a page is built and what can be done on it, in one screen.

The summary is at most 2,000 tokens; each section can be had whole, in parts. Names that
stand in the code only (``aria-label``, ``title``, ``alt``) are shown where there is no visible one, and
marked as such; characters that cannot be seen are taken out and counted.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from pydantic import Field

from verifaible.errors import BadArguments, StepFailed, WrongContent
from verifaible.schema.action import KnownActionSteps, StepResult
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.text.delimited import delimited, shorten
from verifaible.tools import analyze_sections as sections
from verifaible.tools.presenting import missing_note, one_line, part_at, pdf_page
from verifaible.tools.step_reports import failure_reply
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from verifaible.browser.analysis.analyze import Analysis
    from verifaible.browser.page.session import PageSession
    from verifaible.browser.traffic.traffic import Document
    from verifaible.tools.context import ToolContext


_WHOLE = 8_000
_ALIASES = {"network": "requests", "documents": "downloads", "buttons": "elements"}


class AnalyzePageArguments(Record):
    """Arguments of ``analyze_page``."""

    url: str = Field(min_length=1)
    action_steps: KnownActionSteps = Field(default_factory=list, description="As in test_action_steps.")
    section: str | None = Field(
        None,
        description="One part whole: requests, objects, elements, forms, tables, pagination, downloads, "
        "frames, text or all. Default: a summary.",
    )
    offset: int = Field(0, ge=0, description="Where its last part said.")


def analyze_page(context: ToolContext) -> Tool[AnalyzePageArguments]:
    """The tool, over the session's web and browser."""

    async def handle(arguments: AnalyzePageArguments) -> ToolReply:
        section = _section(arguments.section)
        async with context.browser.page(context.web, pictures=False) as session:
            try:
                return await _analyzed(session, arguments, section)
            except StepFailed as failed:
                return failure_reply(session.page.url, failed, session.played)

    return Tool(
        "analyze_page",
        "Open a page in a browser and report how it works: the data requests its scripts made, its own "
        "global objects and their methods, fields and buttons with unique selectors, forms, pagination, "
        "tables, frames, linked documents. Use it before test_action_steps. section shows one part whole.",
        AnalyzePageArguments,
        handle,
    )


async def _analyzed(session: PageSession, arguments: AnalyzePageArguments, section: str) -> ToolReply:
    from verifaible.browser.analysis.analyze import analyze
    from verifaible.browser.steps.playing import play

    loaded = await session.open(arguments.url.strip())
    started = monotonic()
    steps = () if loaded.document else await play(session, arguments.action_steps)
    document = await session.document()
    if document is not None:
        shown = await asyncio.to_thread(document_summary, document, section, arguments.offset)
        return ToolReply(text=delimited(document.url, shown))
    analysis = await analyze(session, _starts(started, steps))
    shown = _whole(analysis, steps, section, arguments.offset) if section else summary(analysis, steps)
    return ToolReply(text=delimited(analysis.document.url, shown))


def _section(name: str | None) -> str:
    """The section that is meant; an empty string for the summary.

    Raises:
        BadArguments: there is none of that name.
    """
    wanted = (name or "").strip().lower()
    wanted = _ALIASES.get(wanted, wanted)
    if wanted in {*sections.SECTIONS, "text", "all"}:
        return wanted
    if wanted in {"", "summary"}:
        return ""
    raise BadArguments(f"There is no section {name!r}. Sections: {', '.join(sections.SECTIONS)}, text, all.")


def _starts(started: float, steps: Sequence[StepResult]) -> list[float]:
    """When each step began, from when the first did and how long each took."""
    starts = []
    for step in steps:
        starts.append(started)
        started += step.duration_ms / 1_000
    return starts


def document_summary(document: Document, section: str = "", offset: int = 0) -> str:
    """A PDF's number of pages, outline and the beginnings of its first pages; another file's type.

    Args:
        document: the file.
        section: if not empty, the outline and all pages, in parts.
        offset: where to read on.
    """
    if document.media_type != "application/pdf":
        return f"Not a page but a file: {document.media_type}, {len(document.body)} bytes."
    from verifaible.extract.content import by_page
    from verifaible.extract.markdown import document_markdown
    from verifaible.extract.pdf import PdfFile

    try:
        with PdfFile(document.body) as pdf:
            count, parts = pdf.page_count, by_page(pdf.document)

            def page(number: int) -> str:
                return pdf_page(number, count, document_markdown(pdf.document, parts.get(number, ())).text)

            lines = [f"PDF document of {count} pages. Title: {one_line(pdf.title) or '(none)'}"]
            outline = [
                f"  {'  ' * (level - 1)}{one_line(text, 90)} (page {at})" for level, text, at in pdf.outline
            ]
            if section:
                pages = [page(number) for number in range(1, count + 1)]
                return _part(
                    "\n".join([*lines, "Outline:", *(outline or ["  none"]), *pages]), section, offset
                )
            if outline:
                more = [f"  … {len(outline) - 25} more"] if len(outline) > 25 else []
                lines += ["Outline:", *outline[:25], *more]
            lines.append("Text (read it whole with web_fetch; cite it with its page_number):")
            for number in range(1, min(count, 4) + 1):
                lines.append(shorten(page(number), 1_500))
                if token_estimate("\n".join(lines)) > SUMMARY_TOKENS - 100:
                    lines[-1] = fit(lines[-1], SUMMARY_TOKENS - 100 - token_estimate("\n".join(lines[:-1])))
                    break
            return "\n".join(lines)
    except WrongContent as error:
        return str(error)


def _part(text: str, section: str, offset: int) -> str:
    part = part_at(text, offset, _WHOLE)
    if offset == 0 and part.is_last:
        return part.shown
    return f"{part.shown}\n\n{part.describe()} (section={section!r})"


def _whole(analysis: Analysis, steps: Sequence[StepResult], section: str, offset: int) -> str:
    """One section whole, or all of them one after the other, in parts."""
    names = [*sections.SECTIONS, "text"] if section == "all" else [section]
    texts = []
    for name in names:
        if name == "text":
            shown = analysis.document.text.strip()
            texts.append(
                f"## Visible text ({len(analysis.document.text)} characters)\n{shown}"
                if shown
                else "## Visible text: none"
            )
            continue
        title, entries_of = sections.SECTIONS[name]
        entries = entries_of(analysis)
        texts.append(
            "\n".join([f"## {title} ({len(entries)})", *entries]) if entries else f"## {title}: none"
        )
        if name == "objects" and analysis.libraries:
            texts[-1] += f"\nLibraries: {', '.join(analysis.libraries)}"
    head = "\n".join(head_lines(analysis, steps))
    shown = _part("\n\n".join(texts), section, offset)
    return f"{head}\n\n{shown}"


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
    title = one_line(analysis.document.title)
    shown = "".join(analysis.document.text.casefold().split())
    parts = ["".join(part.casefold().split()) for part in re.split(r"[|_\-–—·:]", title)]
    only_tab = bool(title) and not any(part in shown for part in parts if part)
    head = [
        f"Title: {title}{' [on the tab only]' if only_tab else ''}",
        f"URL: {shorten(analysis.document.url, 300)}",
    ]
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
    from verifaible.evidence.blocked import why_blocked
    from verifaible.evidence.material import Material

    kind = why_blocked(Material(analysis.document))
    if not kind or analysis.document.tables:
        return []
    buttons = [each for each in analysis.controls.elements if each.kind in _BUTTONS and not each.disabled]
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
            "Tables", sections.table_entries(analysis, whole=False), room, "tables"
        ),
        "text": lambda room: _text(analysis.document.text, room),
    }
    # What is around the result: the two delimiters with the address, and the note on invisible characters.
    room = SUMMARY_TOKENS - token_estimate(head) - token_estimate(shorten(analysis.document.url, 500)) - 60
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
        "forms": ("Forms", sections.form_entries(analysis.controls.forms, whole=False)),
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
