"""``analyze_page``: how a page is built and what can be done on it, in one screen.

The summary is at most 2,000 tokens; each section can be had whole, in parts. Names that
stand in the code only (``aria-label``, ``title``, ``alt``) are shown where there is no visible one, and
marked as such; characters that cannot be seen are taken out and counted.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from pydantic import Field

from verifaible.errors import BadArguments, StepFailed, WrongContent
from verifaible.schema.action import KnownActionSteps, StepResult
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.tools import analyze_sections as sections
from verifaible.tools.analyze_summary import SUMMARY_TOKENS, fit, head_lines, summary, token_estimate
from verifaible.tools.presenting import delimited, one_line, part_at, pdf_page, shorten
from verifaible.tools.step_reports import failure_reply
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from verifaible.browser.analysis.analyze import Analysis
    from verifaible.browser.page.session import PageSession
    from verifaible.browser.traffic.traffic import Document
    from verifaible.tools.context import ToolContext

_WHOLE = 8_000
_ALIASES = {"network": "requests", "documents": "downloads", "buttons": "elements", "a11y": "accessibility"}
_DOTTED = re.compile(r"[^\W\d$][\w$]*(?:\.[\w$]+)*|[$_][\w$]*(?:\.[\w$]+)*")


class AnalyzePageArguments(Record):
    """Arguments of ``analyze_page``."""

    url: str = Field(min_length=1)
    action_steps: KnownActionSteps = Field(default_factory=list, description="As in test_action_steps.")
    section: str | None = Field(
        None,
        description="One part whole: requests, objects, elements, forms, tables, pagination, downloads, "
        "frames, accessibility, scripts, text, all, or object.method for its source. Default: a summary.",
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
        "global objects and their methods, fields and buttons with unique selectors (date boxes with steps "
        "that set a date), forms, pagination, tables, frames, linked documents. Use it before "
        "test_action_steps. section shows one part whole.",
        AnalyzePageArguments,
        handle,
    )


async def _analyzed(session: PageSession, arguments: AnalyzePageArguments, section: str) -> ToolReply:
    from verifaible.browser.analysis.analyze import analyze
    from verifaible.browser.analysis.objects import method_source
    from verifaible.browser.analysis.watch import RequestWatch
    from verifaible.browser.steps.playing import play

    watch = RequestWatch(session)
    await watch.start()
    loaded = await session.open(arguments.url.strip())
    started = monotonic()
    steps = () if loaded.document else await play(session, arguments.action_steps)
    document = await session.document()
    if document is not None:
        shown = await asyncio.to_thread(document_summary, document, section, arguments.offset)
        return ToolReply(text=delimited(document.url, shown))
    if section and section not in sections.SECTIONS and section not in {"text", "all"}:
        source = await method_source(session, section)
        text = f"## Source of {section}\n{source}" if source else _no_source(section)
        return ToolReply(text=delimited(session.page.url, _part(text, section, arguments.offset)))
    analysis = await analyze(session, await watch.stop(), _starts(started, steps))
    shown = _whole(analysis, steps, section, arguments.offset) if section else summary(analysis, steps)
    return ToolReply(text=delimited(analysis.url, shown))


def _section(name: str | None) -> str:
    """The section that is meant, or a dotted name; an empty string for the summary.

    Raises:
        BadArguments: it is neither.
    """
    wanted = (name or "").strip().removesuffix("()")
    wanted = _ALIASES.get(wanted.lower(), wanted)
    if wanted.lower() in {*sections.SECTIONS, "text", "all"}:
        return wanted.lower()
    if wanted.lower() in {"", "summary"}:
        return ""
    if not _DOTTED.fullmatch(wanted):
        raise BadArguments(
            f"section {wanted!r} is neither a section nor the name of a global object or method. Sections: "
            f"{', '.join(sections.SECTIONS)}, text, all."
        )
    return wanted


def _no_source(name: str) -> str:
    known = ", ".join(sections.SECTIONS)
    return (
        f"The page has no global function or method {name!r}, and it is no section. Sections: {known}, text, "
        'all. The objects of the page: section="objects".'
    )


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
    from verifaible.extract.pdf import PdfDocument

    try:
        with PdfDocument(document.body) as pdf:
            count = pdf.page_count
            lines = [f"PDF document of {count} pages. Title: {one_line(pdf.title) or '(none)'}"]
            outline = [
                f"  {'  ' * (one.level - 1)}{one_line(one.text, 90)} (page {one.page_number})"
                for one in pdf.outline
            ]
            if section:
                pages = [pdf_page(number, count, pdf.page_text(number)) for number in range(1, count + 1)]
                return _part(
                    "\n".join([*lines, "Outline:", *(outline or ["  none"]), *pages]), section, offset
                )
            if outline:
                more = [f"  … {len(outline) - 25} more"] if len(outline) > 25 else []
                lines += ["Outline:", *outline[:25], *more]
            lines.append("Text (read it whole with web_fetch; cite it with its page_number):")
            for number in range(1, min(count, 4) + 1):
                lines.append(shorten(pdf_page(number, count, pdf.page_text(number)), 1_500))
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
            shown = analysis.text.strip()
            texts.append(
                f"## Visible text ({len(analysis.text)} characters)\n{shown}"
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
