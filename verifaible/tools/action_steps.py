"""``test_action_steps``: play steps on a page and look whether the evidence is there then."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator

from verifaible.errors import (
    AnchorNotFound,
    BadArguments,
    NotReproducible,
    Said,
    SearchIncomplete,
    StepFailed,
    ToolError,
    worded,
)
from verifaible.schema.action import ActionSteps, StepResult
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.base import EvidenceType, Record
from verifaible.schema.run import ToolReply
from verifaible.text.delimited import delimited, shorten
from verifaible.tools.analyze_page import document_summary
from verifaible.tools.analyze_sections import table_excerpt
from verifaible.tools.presenting import missing_note, one_line
from verifaible.tools.step_reports import failure_reply, step_lines
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from verifaible.anchoring.evidence import Found
    from verifaible.browser.page.session import PageSession
    from verifaible.browser.traffic.traffic import Document as File
    from verifaible.evidence.material import Material
    from verifaible.extract.document import Document, Image
    from verifaible.tools.context import ToolContext

_TABLE_ROWS = 15
_MOST_TABLES = 6
_VERIFICATION_CHARACTERS = 6_000
#: Characters of a sentence that are shown with what was found in it.
_SHOWN = 400
#: What the fields of a request are called here.
_NAMES = {
    "steps": "action_steps",
    "quote": "anchor",
    "row": "row_anchor",
    "column": "col_anchor",
    "selector": "element_selector",
    "alt": "element_alt",
}


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
    from verifaible.browser.steps.playing import play

    loaded = await session.open(arguments.url.strip())
    if loaded.document is not None:
        verification = await asyncio.to_thread(_in_document, loaded.document, arguments)
        seen = _Seen(loaded.document.url, "", (), verification, _notes(session))
        if arguments.action_steps:
            ignored = "The address itself is a document: no step was played on it."
            seen = replace(seen, notes=(ignored, *seen.notes))
        return seen
    steps = await play(session, arguments.action_steps, strict=True, watched=True)
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
    from verifaible.browser.analysis.controls import read_controls
    from verifaible.evidence.reading import read_page

    request = _request(arguments, arguments.verify_type)
    try:
        material = await read_page(session, request)
    except BadArguments:
        wrong = f"NOT FOUND: element_selector is not a valid CSS selector ({request.selector!r})."
        return _Seen(session.page.url, await session.title(), steps, wrong, _notes(session))
    assert material.snapshot is not None
    controls = await asyncio.to_thread(read_controls, material.snapshot, material.document)
    shown = [
        f"{one.label or one.unseen_name or one.selector} = {one_line(one.value, 60)!r}"
        for one in controls.elements
        if one.kind in ("field", "select") and one.value.strip() and one.type not in ("checkbox", "radio")
    ]
    values = [f"Form values: {'; '.join(shown[:12])}"] if shown else []
    if arguments.verify_type == "table":
        verification = await _verify_table(session, material, request)
    elif arguments.verify_type == "image":
        verification = _verify_image(material, request)
    else:
        verification = await _verify_text(session, material, request)
        holding = (one.selector for one in controls.elements if request.quote and request.quote in one.value)
        if (selector := next(holding, "")) and verification.startswith("FOUND"):
            verification += f"\nIt is the value of the form field {selector}."
    return _Seen(session.page.url, material.title, steps, verification, (*values, *_notes(session)))


def _request(arguments: ActionStepsArguments, evidence_type: EvidenceType) -> AnchorRequest:
    """What ``verifaible_cite`` would be asked for."""
    return AnchorRequest(
        evidence_type=evidence_type,
        quote=arguments.anchor.strip() if evidence_type in ("text", "pdf") else "",
        row=arguments.row_anchor,
        column=arguments.col_anchor,
        selector=arguments.element_selector if evidence_type in ("table", "image") else "",
        alt=arguments.element_alt if evidence_type == "image" else "",
        page_number=arguments.page_number if evidence_type == "pdf" else None,
    )


def _refused(found: Found, request: AnchorRequest, url: str) -> str:
    """Why it cannot be cited, in the words in which citing says it."""
    from verifaible.evidence.refusal import refusal

    error = refusal(found, request, url)
    said = error.args[0]
    return said.by(_NAMES) if isinstance(said, Said) else str(said)


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


async def _verify_text(session: PageSession, material: Material, request: AnchorRequest) -> str:
    document = material.document
    if not request.quote:
        shown = shorten(document.text.strip(), 2_000)
        return f"Visible text ({len(document.text)} characters; give anchor to look for words):\n{shown}"
    unseen = await _unseen(session, material, request)
    return unseen or quote_report(document, request)


async def _unseen(session: PageSession, material: Material, request: AnchorRequest) -> str:
    """That no reader sees what was found, if so; else nothing."""
    from verifaible.evidence.mark import draw, refuse_hidden
    from verifaible.evidence.place import place

    found = place(material, request)
    if found.verdict != "verified":
        return ""
    try:
        with worded(_NAMES):
            _, drawn = await draw(session, material, found)
            await refuse_hidden(session, drawn)
    except AnchorNotFound as error:
        return f"NOT FOUND: {error}"
    except (NotReproducible, SearchIncomplete) as error:
        return f"NOT CERTAIN: {error}"
    return ""


def quote_report(document: Document, request: AnchorRequest) -> str:
    """Whether a source holds a quote: how often and in which sentences, or what is there instead."""
    from verifaible.anchoring.evidence import described, page_of
    from verifaible.anchoring.find import find
    from verifaible.anchoring.quote import find_places

    number = request.page_number
    matches = [
        match
        for match in find_places(document, request.quote).exact
        if number is None or page_of(document, match.first) == number
    ]
    if matches:
        times = (
            "once" if len(matches) == 1 else f"{len(matches)} times (tell them apart with a longer anchor)"
        )
        page = page_of(document, matches[0].first)
        where = f"Page {page}: " if page and len(matches) == 1 else ""
        places = [f"- {one_line(each, _SHOWN)}" for each in described(document, matches[:5])]
        return "\n".join([f"{where}FOUND exactly, {times}:", *places])
    found = find(document, request)
    exactly = " exactly" if found.verdict == "changed" else ""
    return f"NOT FOUND{exactly}. {_refused(found, request, document.url)}"


# --- tables


async def _verify_table(session: PageSession, material: Material, request: AnchorRequest) -> str:
    from verifaible.evidence.place import chosen_by, place
    from verifaible.extract.markdown import data_tables

    document = material.document
    chosen = sorted(data_tables(document))
    if (named := chosen_by(material, request)) is not None:
        chosen = named
        if not chosen:
            return f"NOT FOUND: no visible table matches {request.selector!r}."
    if not document.tables:
        return "NOT FOUND: the page shows no table. Wait for it, or look for the value as text."
    if not request.row and not request.column:
        return _all_tables(document, chosen)
    found = place(material, request)
    if found.verdict != "verified" or found.anchor is None or found.anchor.table is None:
        head = "AMBIGUOUS" if found.verdict == "ambiguous" else "NOT FOUND"
        shown = _all_tables(document, chosen if found.table < 0 else [found.table])
        return f"{head}: {_refused(found, request, document.url)}\n\n{shown}"
    if unseen := await _unseen(session, material, request):
        return unseen
    anchor = found.anchor.table
    what = {"crosshair": "cell", "row": "row", "column": "column", "table": "table"}[anchor.mode]
    head = f"FOUND the {what} in table {found.anchor.css_path}: {shorten(found.text, 1_000)!r}"
    paths = (
        f"row: {' › '.join(anchor.row_path) or '(all)'}; column: {' › '.join(anchor.column_path) or '(all)'}"
    )
    rows = sorted({row for row, _ in anchor.cells}) if request.row else []
    return f"{head}\n{paths}\n\n{table_excerpt(document, found.table, _TABLE_ROWS, only=rows)}"


def _all_tables(document: Document, chosen: Sequence[int]) -> str:
    if not chosen:
        return "The page shows no table with data."
    room = _VERIFICATION_CHARACTERS // min(len(chosen), _MOST_TABLES)
    parts = []
    for at in chosen[:_MOST_TABLES]:
        table = document.tables[at]
        excerpt = table_excerpt(document, at, _TABLE_ROWS, longest=room)
        parts.append(f"table {table.css_path} ({table.height} rows, {table.width} columns)\n{excerpt}")
    if len(chosen) > _MOST_TABLES:
        parts.append(f"… {len(chosen) - _MOST_TABLES} more tables: name one with element_selector")
    return "\n\n".join(parts)


# --- images


def _verify_image(material: Material, request: AnchorRequest) -> str:
    from verifaible.evidence.place import chosen_by

    images = material.document.images
    if not request.selector and not request.alt:
        listed = "\n".join(map(_image, images[:15])) or "none"
        return f"Visible images ({len(images)}; choose one with element_selector or element_alt):\n{listed}"
    chosen = list(images)
    if (named := chosen_by(material, request)) is not None:
        chosen = [images[at] for at in named]
        if not chosen and material.selected:
            _, path = material.selected[0]
            return f"NOT FOUND: {request.selector!r} finds {path}, but it is not visible, or no image."
    if request.alt:
        wanted = request.alt.casefold()
        exact = [one for one in chosen if one.alt.casefold() == wanted]
        chosen = exact or [one for one in chosen if wanted in one.alt.casefold()]
    if not chosen:
        listed = "\n".join(map(_image, images[:8])) or "none"
        return f"NOT FOUND: no visible image matches. The page shows:\n{listed}"
    head = "FOUND:" if len(chosen) == 1 else f"AMBIGUOUS: {len(chosen)} images match:"
    return "\n".join([head, *map(_image, chosen[:8])])


def _image(one: Image) -> str:
    state = "visible" if one.complete else "visible, but its picture is not loaded"
    size = f"{one.box.width:.0f}x{one.box.height:.0f} px"
    return f"- <{one.tag}> {one.css_path} alt={one_line(one.alt, 100)!r} {size}, {state}"


# --- documents


def _in_document(file: File, arguments: ActionStepsArguments) -> str:
    """What a PDF says of the anchor, under its summary."""
    summary = f"The steps led to a document.\n{document_summary(file)}"
    if file.media_type != "application/pdf":
        return summary
    if arguments.verify_type != "text":
        return f"NOT FOUND: a PDF has no page elements. Use verify_type text with anchor.\n{summary}"
    if not arguments.anchor.strip():
        return summary
    from verifaible.extract.pdf import pdf_document

    try:
        report = quote_report(pdf_document(file.body, file.url), _request(arguments, "pdf"))
    except ToolError as error:
        report = f"NOT FOUND: {error}"
    return f"{report}\n\n{summary}"
