"""``test_action_steps``: play steps on a page and look whether the evidence is there then."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator

from verifaible.errors import StepFailed, ToolError
from verifaible.schema.action import ActionSteps, StepResult
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.tools.analyze_page import document_summary
from verifaible.tools.analyze_sections import table_excerpt
from verifaible.tools.presenting import delimited, missing_note, one_line, shorten
from verifaible.tools.step_reports import failure_reply, step_lines
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from verifaible.browser.page.session import PageSession
    from verifaible.browser.reading import Field as ShownField
    from verifaible.browser.reading import FrameTable
    from verifaible.browser.traffic.traffic import Document
    from verifaible.old.anchoring.tables.locate import TableMatch
    from verifaible.schema.table import Grid
    from verifaible.tools.context import ToolContext

_TABLE_ROWS = 15
_MOST_TABLES = 6
_VERIFICATION_CHARACTERS = 6_000
_AROUND = 80


class ActionStepsArguments(Record):
    """Arguments of ``test_action_steps``."""

    url: str = Field(min_length=1)
    action_steps: ActionSteps = Field(default_factory=list)
    verify_type: Literal["text", "table", "image"] = "text"
    anchor: str = Field("", description="The exact words.")
    row_anchor: tuple[str, ...] = Field((), description="Headers, outer to inner.")
    col_anchor: tuple[str, ...] = ()
    element_selector: str = ""
    element_alt: str = ""
    page_number: int | None = Field(None, ge=1, description="Of a PDF.")

    @field_validator("row_anchor", "col_anchor", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        if isinstance(value, str):
            return (value,) if value.strip() else ()
        return () if value is None else value


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the page was like after the steps."""

    url: str
    title: str
    steps: tuple[StepResult, ...]
    verification: str = field(repr=False)
    notes: tuple[str, ...] = ()


def action_steps(context: ToolContext) -> Tool[ActionStepsArguments]:
    """The tool ``test_action_steps``, over the session's web and browser."""

    async def handle(arguments: ActionStepsArguments) -> ToolReply:
        opened: PageSession | None = None
        try:
            async with context.browser.page(context.web) as session:
                opened = session
                seen = await _see(session, arguments)
        except StepFailed as failed:
            if opened is None:
                raise
            return failure_reply(opened.page.url, failed, opened.played, _notes(opened))
        return ToolReply(text=delimited(seen.url, _report(seen)))

    return Tool(
        "test_action_steps",
        "Open a fresh page, play action steps and check what verifaible_cite would find: text by anchor, "
        "table by row_anchor and col_anchor, image by element_selector or element_alt. Cites nothing: give "
        "the same steps to verifaible_cite when they work.",
        ActionStepsArguments,
        handle,
    )


async def _see(session: PageSession, arguments: ActionStepsArguments) -> _Seen:
    """Open the page, play the steps, and look."""
    from verifaible.browser.steps.playing import LOOK, play

    loaded = await session.open(arguments.url.strip(), LOOK)
    if loaded.document is not None:
        verification = await asyncio.to_thread(_in_document, loaded.document, arguments)
        seen = _Seen(loaded.document.url, "", (), verification, _notes(session))
        if arguments.action_steps:
            ignored = "The address itself is a document: no step was played on it."
            seen = replace(seen, notes=(ignored, *seen.notes))
        return seen
    steps = await play(session, arguments.action_steps, strict=True, watched=True, look=loaded.look)
    document = await session.document()
    if document is None:
        return await _on_page(session, steps, arguments)
    found = await asyncio.to_thread(_in_document, document, arguments)
    if document.media_type == "application/pdf" and not found.startswith("NOT FOUND"):
        return _Seen(document.url, "", steps, found, _notes(session))
    # The file may be beside the point: the page that led to it is still there.
    page = await _on_page(session, steps, arguments)
    return replace(page, verification=f"{found}\n\nOn the page itself: {page.verification}")


async def _on_page(
    session: PageSession, steps: tuple[StepResult, ...], arguments: ActionStepsArguments
) -> _Seen:
    from verifaible.browser.reading import fields

    filled, title = await asyncio.gather(fields(session), session.title())
    if arguments.verify_type == "table":
        verification = await _verify_table(session, arguments)
    elif arguments.verify_type == "image":
        verification = await _verify_image(session, arguments)
    else:
        verification = _verify_text(session.texts, filled, arguments)
    shown = [f"{one.label or one.selector} = {one_line(one.value, 60)!r}" for one in filled]
    values = [f"Form values: {'; '.join(shown[:12])}"] if shown else []
    return _Seen(session.page.url, title, steps, verification, (*values, *_notes(session)))


def _notes(session: PageSession) -> tuple[str, ...]:
    told = sum(len(step.changes.dialogs) for step in session.played)
    early = session.dialogs[: len(session.dialogs) - told][:5]
    notes = [f"Dialog opened and accepted: {one_line(text)}" for text in early]
    notes += missing_note(session.traffic.lacking, session.traffic.refused)
    if not session.settled:
        notes.append("The page still changes; add a wait step for what you need.")
    return tuple(notes)


def _report(seen: _Seen) -> str:
    lines = [f"Title: {one_line(seen.title)}"] if seen.title else []
    lines.append(f"URL: {seen.url}")
    lines += [line for step in seen.steps for line in step_lines(step)] or ["No action steps."]
    return "\n".join([*lines, *seen.notes, "", seen.verification])


# --- text


def _verify_text(texts: Sequence[str], filled: Sequence[ShownField], arguments: ActionStepsArguments) -> str:
    from verifaible.browser.reading import FRAME_BREAK

    text = FRAME_BREAK.join(texts)
    if not arguments.anchor.strip():
        shown = shorten(text.strip(), 2_000)
        return f"Visible text ({len(text)} characters; give anchor to look for words):\n{shown}"
    found = quote_report(text, arguments.anchor)
    if found.startswith("FOUND"):
        return found
    holding = [one for one in filled if arguments.anchor.strip() in one.value]
    note = (
        f"\nIt is the value of the form field {holding[0].selector}, which is not text of the page."
        if holding
        else ""
    )
    return found + note


def quote_report(text: str, quote: str) -> str:
    """Whether a text holds a quote: how often and where, or the nearest words it holds."""
    from verifaible.old.anchoring.diff import render_diff
    from verifaible.old.anchoring.quote import exact_spans, excerpt, find_quote

    spans = exact_spans(text, quote)
    if spans:
        times = "once" if len(spans) == 1 else f"{len(spans)} times (tell them apart with a longer anchor)"
        places = [f"- {excerpt(text, start, end, width=_AROUND)}" for start, end in spans[:5]]
        return "\n".join([f"FOUND exactly, {times}:", *places])
    match = find_quote(text, quote)
    if match.status == "ambiguous":
        return "\n".join(
            [
                "NOT FOUND exactly. Several places are alike:",
                *(f"- {one_line(text)}" for text in match.candidates[:5]),
            ]
        )
    if match.status == "changed":
        return (
            f"NOT FOUND exactly. The page says instead: {one_line(match.text, 400)!r}\n"
            f"Difference: {render_diff(match.difference)}"
        )
    nearest = f" The nearest text is: {one_line(match.nearest, 300)!r}" if match.nearest else ""
    return f"NOT FOUND.{nearest}"


# --- tables


async def _tables_for(session: PageSession, arguments: ActionStepsArguments) -> tuple[FrameTable, ...]:
    """The tables of the page; with the grids that no markup tells of where no other has what is asked for."""
    from verifaible.browser.reading import tables
    from verifaible.old.anchoring.tables.locate import locate_in
    from verifaible.old.extract.tables import form_grid

    found = await tables(session)
    grids = [form_grid(one.table) for one in found]
    if grids and locate_in(grids, arguments.row_anchor, arguments.col_anchor)[1].status != "gone":
        return found
    return await tables(session, unmarked=True)


async def _verify_table(session: PageSession, arguments: ActionStepsArguments) -> str:
    from verifaible.browser.analysis.analyze import find_matches
    from verifaible.old.anchoring.tables.locate import locate_in
    from verifaible.old.extract.tables import form_grid

    found = await _tables_for(session, arguments)
    if arguments.element_selector:
        matches = await find_matches(session, arguments.element_selector)
        if matches.error:
            return f"NOT FOUND: element_selector is not a valid CSS selector ({one_line(matches.error)})."
        paths = {path for match in matches.matches for path in (match.css_path, *match.inner_tables)}
        found = tuple(one for one in found if not one.frame_path and one.table.css_path in paths)
        if not found:
            return f"NOT FOUND: no visible table matches {arguments.element_selector!r}."
    grids: list[Grid] = [form_grid(one.table) for one in found]
    if not grids:
        return "NOT FOUND: the page shows no table. Wait for it, or look for the value as text."
    if not arguments.row_anchor and not arguments.col_anchor:
        return _all_tables(grids)
    index, match = locate_in(grids, arguments.row_anchor, arguments.col_anchor)
    if match.status != "verified" or match.anchor is None:
        return f"{_why_not(match)}\n\n{_all_tables(grids if index < 0 else [grids[index]])}"
    anchor = match.anchor
    what = {"crosshair": "cell", "row": "row", "column": "column", "table": "table"}[anchor.mode]
    head = f"FOUND the {what} in table {grids[index].css_path}: {shorten(match.text, 1_000)!r}"
    paths_shown = (
        f"row: {' › '.join(anchor.row_path) or '(all)'}; column: {' › '.join(anchor.column_path) or '(all)'}"
    )
    rows = sorted({row for row, _ in anchor.cells}) if arguments.row_anchor else []
    return f"{head}\n{paths_shown}\n\n{table_excerpt(grids[index], _TABLE_ROWS, only=rows)}"


def _why_not(match: TableMatch) -> str:
    if match.status == "ambiguous":
        return "AMBIGUOUS: several places match. Name one of them whole:\n" + "\n".join(
            f"- {one_line(text)}" for text in match.candidates[:8]
        )
    missing = {"row": "row_anchor", "column": "col_anchor", "cell": "cell"}.get(match.missing, "table")
    near = (
        f" The nearest: {', '.join(repr(one_line(name, 80)) for name in match.nearest)}."
        if match.nearest
        else ""
    )
    return f"NOT FOUND: no {missing} matches.{near}"


def _all_tables(grids: Sequence[Grid]) -> str:
    shown = [grid for grid in grids if grid.width > 1 or grid.height > 1] or list(grids)
    room = _VERIFICATION_CHARACTERS // min(len(shown), _MOST_TABLES)
    parts = [
        f"table {grid.css_path} ({grid.height} rows, {grid.width} columns)\n"
        + table_excerpt(grid, _TABLE_ROWS, longest=room)
        for grid in shown[:_MOST_TABLES]
    ]
    if len(shown) > _MOST_TABLES:
        parts.append(f"… {len(shown) - _MOST_TABLES} more tables: name one with element_selector")
    return "\n\n".join(parts)


# --- images


async def _verify_image(session: PageSession, arguments: ActionStepsArguments) -> str:
    from verifaible.browser.analysis.analyze import find_matches
    from verifaible.browser.reading import Image, images

    shown = await images(session)
    chosen: list[Image] = list(shown)
    if arguments.element_selector:
        matches = await find_matches(session, arguments.element_selector)
        if matches.error:
            return f"NOT FOUND: element_selector is not a valid CSS selector ({one_line(matches.error)})."
        paths = {match.css_path for match in matches.matches}
        chosen = [one for one in shown if not one.frame_path and one.css_path in paths]
        if not chosen and matches.matches:
            first = matches.matches[0]
            reason = "is no image" if first.visible else "is not visible"
            return f"NOT FOUND: {arguments.element_selector!r} finds a <{first.tag}>, but it {reason}."
    if arguments.element_alt:
        wanted = arguments.element_alt.casefold()
        exact = [one for one in chosen if one.alt.casefold() == wanted]
        chosen = exact or [one for one in chosen if wanted in one.alt.casefold()]
    if not arguments.element_selector and not arguments.element_alt:
        listed = "\n".join(_image(one) for one in shown[:15]) or "none"
        return f"Visible images ({len(shown)}; choose one with element_selector or element_alt):\n{listed}"
    if not chosen:
        listed = "\n".join(_image(one) for one in shown[:8]) or "none"
        return f"NOT FOUND: no visible image matches. The page shows:\n{listed}"
    head = "FOUND:" if len(chosen) == 1 else f"AMBIGUOUS: {len(chosen)} images match:"
    return "\n".join([head, *(_image(one) for one in chosen[:8])])


def _image(one: object) -> str:
    from verifaible.browser.reading import Image

    assert isinstance(one, Image)
    state = "visible" if one.complete else "visible, but its picture is not loaded"
    return f"- <{one.tag}> {one.css_path} alt={one_line(one.alt, 100)!r} {one.width}x{one.height} px, {state}"


# --- documents


def _in_document(document: Document, arguments: ActionStepsArguments) -> str:
    """What a PDF says of the anchor, page by page, under its summary."""
    summary = f"The steps led to a document.\n{document_summary(document)}"
    if document.media_type != "application/pdf":
        return summary
    if arguments.verify_type != "text":
        return f"NOT FOUND: a PDF has no page elements. Use verify_type text with anchor.\n{summary}"
    if not arguments.anchor.strip():
        return summary
    from verifaible.old.extract.pdf import PdfDocument

    try:
        with PdfDocument(document.body) as pdf:
            numbers = [arguments.page_number] if arguments.page_number else range(1, pdf.page_count + 1)
            reports = [(number, quote_report(pdf.page_text(number), arguments.anchor)) for number in numbers]
    except ToolError as error:
        return f"NOT FOUND: {error}\n{summary}"
    found = [(number, report) for number, report in reports if report.startswith("FOUND")]
    near = [(number, report) for number, report in reports if "says instead" in report]
    chosen = found[:5] or near[:3] or [(0, "NOT FOUND in the document.")]
    shown = "\n".join(f"Page {number}: {report}" if number else report for number, report in chosen)
    return f"{shown}\n\n{summary}"
