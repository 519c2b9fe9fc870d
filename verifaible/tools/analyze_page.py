"""``analyze_page``: how a page is built and what can be done on it, in one screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import Field

from verifaible.errors import WrongContent
from verifaible.schema.action import ActionSteps, StepResult
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.tools.grids import table_excerpt
from verifaible.tools.presenting import delimited, missing_note, one_line, pdf_page, shorten
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from verifaible.browser.analyze import Analysis, Element, GlobalObject, PlacedTable
    from verifaible.browser.data_requests import DataRequest
    from verifaible.browser.traffic import Document
    from verifaible.tools.context import ToolContext

Section: TypeAlias = Literal["network", "objects", "elements", "tables", "text", "all"]

#: Most characters of each section when all are shown together; what one leaves the next may
#: use, but for the text, which is only to show what kind of page it is.
_SHARES = {"network": 1_900, "objects": 1_500, "elements": 1_700, "tables": 2_000, "text": 700}
_WHOLE = 8_000
#: Linked documents in the summary.
_MOST_FILES = 8
_ALL_FACTOR = 3


class AnalyzePageArguments(Record):
    """Arguments of ``analyze_page``."""

    url: str = Field(min_length=1, description="http(s) address of the page.")
    action_steps: ActionSteps = Field(
        default_factory=list, description="Steps to play first, to analyze the page they lead to."
    )
    section: Section | None = Field(None, description="Show more of one section; default: a summary of all.")


def analyze_page(context: ToolContext) -> Tool[AnalyzePageArguments]:
    """The tool, over the session's web and browser."""

    async def handle(arguments: AnalyzePageArguments) -> ToolReply:
        from verifaible.browser.analyze import analyze

        url = arguments.url.strip()
        async with context.browser.page(context.web) as session:
            loaded = await session.open(url)
            steps = () if loaded.document else await session.play(arguments.action_steps)
            document = await session.document()
            if document is not None:
                shown = await asyncio.to_thread(document_summary, document)
                return ToolReply(text=delimited(document.url, shown))
            analysis = await analyze(session)
        return ToolReply(text=delimited(analysis.url, _report(analysis, steps, arguments.section)))

    return Tool(
        "analyze_page",
        "Open a page in a browser and report how it works: the data requests its scripts made, its own "
        "global objects and their methods, fields and buttons with unique selectors (date boxes with their "
        "calendar), pagination, tables with their first rows, linked documents. Use it before "
        "test_action_steps. section shows more of one part.",
        AnalyzePageArguments,
        handle,
    )


def document_summary(document: Document) -> str:
    """A PDF's number of pages, outline and the beginnings of its first pages; another file's type."""
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
            if outline:
                lines += [
                    "Outline:",
                    *outline[:25],
                    *([f"  … {len(outline) - 25} more"] if len(outline) > 25 else []),
                ]
            lines.append("Text (read it whole with web_fetch; cite it with its page_number):")
            for number in range(1, min(count, 4) + 1):
                lines.append(shorten(pdf_page(number, count, pdf.page_text(number)), 1_500))
            return "\n".join(lines)
    except WrongContent as error:
        return str(error)


def _report(analysis: Analysis, steps: Sequence[StepResult], section: Section | None) -> str:
    head = [f"Title: {one_line(analysis.title)}", f"URL: {analysis.url}"]
    if steps:
        head.append(f"After {len(steps)} action steps.")
    head += [f"Dialog opened and answered: {one_line(text)}" for text in analysis.dialogs[:5]]
    head += missing_note(analysis.misses, analysis.refused)
    if not analysis.settled:
        head.append("The page keeps changing; this is how it was after a few seconds.")
    sections: dict[str, Callable[[int], str]] = {
        "network": lambda room: _network(analysis.requests, room),
        "objects": lambda room: _objects(analysis, room, with_source=section == "objects"),
        "elements": lambda room: _elements(analysis, room, whole=section is not None),
        "tables": lambda room: _tables(analysis.tables, room, rows=4 if section is None else 15),
        "text": lambda room: _text(analysis.text, room),
    }
    if section is not None and section != "all":
        return "\n".join([*head, "", sections[section](_WHOLE - len("\n".join(head)))])
    factor = 1 if section is None else _ALL_FACTOR
    parts = ["\n".join(head)]
    left = 0
    for name, render in sections.items():
        room = _SHARES[name] * factor + (left if name != "text" else min(left, 500))
        text = render(room)
        left = max(0, room - len(text))
        parts.append(text)
    return "\n\n".join(part for part in parts if part)


def _fitted(title: str, entries: Sequence[str], room: int, section: str) -> str:
    """A title and as many entries as fit; says how many do not."""
    if not entries:
        return f"## {title}: none"
    lines = [f"## {title} ({len(entries)})"]
    size = len(lines[0]) + 60
    for number, entry in enumerate(entries):
        size += len(entry) + 1
        if size > room and number:
            lines.append(f'… {len(entries) - number} more: section="{section}"')
            break
        lines.append(shorten(entry, max(room, 200)))
    return "\n".join(lines)


def _network(requests: Sequence[DataRequest], room: int) -> str:
    return _fitted("Data requests", [_request(one) for one in reversed(requests)], room, "network")


def _request(one: DataRequest) -> str:
    kind = f"JSONP, callback in {one.callback}" if one.callback else one.media_type or "no type"
    query = "&".join(f"{name}={shorten(value, 120)}" for name, value in one.parameters)
    lines = [f"{one.method} {one.address} -> {one.status}, {kind}, {one.size} bytes"]
    if query:
        lines.append(f"  parameters: {shorten(query, 600)}")
    return "\n".join([*lines, f"  answer: {one_line(one.beginning, 200)}"])


def _objects(analysis: Analysis, room: int, *, with_source: bool) -> str:
    entries = [
        _object(one, with_source=with_source) for one in analysis.objects if with_source or one.score > 1
    ]
    shown = _fitted("Global objects and functions of the page", entries, room, "objects")
    return f"{shown}\nLibraries: {', '.join(analysis.libraries)}" if analysis.libraries else shown


def _object(one: GlobalObject, *, with_source: bool) -> str:
    where = f"  // {one.defined_in}" if one.defined_in else ""
    if one.kind in {"function", "class"}:
        lines = [f"{one.kind} {one.name}({one.parameters}){where}"]
        return "\n".join([*lines, *([_indented(one.source)] if with_source else [])])
    if one.kind != "object":
        return f"{one.name} = {one.parameters}{where}"
    values = [member for member in one.members if member.text.startswith(":")]
    methods = [member for member in one.members if not member.text.startswith(":")]
    lines = [f"{one.name}{where}"]
    if methods:
        lines.append("  methods: " + ", ".join(f"{member.name}{member.text}" for member in methods))
    lines += [f"  {member.name}{member.text}" for member in values[:8]]
    if one.parameters:
        lines.append(f"  ({one.parameters})")
    if with_source:
        lines += [_indented(f"{member.name}: {member.source}") for member in methods if member.source]
    return "\n".join(lines)


def _indented(source: str) -> str:
    return "\n".join(f"    {line.rstrip()}" for line in source.splitlines() if line.strip())


def _elements(analysis: Analysis, room: int, *, whole: bool) -> str:
    order = {"field": 0, "select": 1, "button": 2, "clickable": 3}
    menus = [one for one in analysis.elements if one.in_menu and one.kind == "clickable"]
    listed = [one for one in analysis.elements if whole or one not in menus]
    ranked = sorted(listed, key=lambda one: (one.in_menu, order[one.kind], bool(one.frame_path)))
    extra = [
        f"pagination {one.selector}: {one_line(' | '.join(one.items), 200)}" for one in analysis.pagination
    ]
    extra += [f"dialog on the page {one.selector}: {one_line(one.text, 150)}" for one in analysis.boxes]
    extra += [
        f"frame {' '.join(one.path)}: {one.url} (analyze its address to operate it)"
        for one in analysis.frames
    ]
    files = [f"document {one.url} {one_line(one.text, 80)}" for one in analysis.files]
    fields = [_element(one) for one in ranked if order[one.kind] < 2]
    buttons = [_element(one) for one in ranked if order[one.kind] >= 2]
    shown = _fitted(
        "Elements to operate", [*fields, *extra, *buttons], room - min(len(files), 6) * 90, "elements"
    )
    if menus and not whole:
        shown += f'\n… {len(menus)} clickable menu entries left out: section="elements"'
    if files:
        kept = files if whole else files[:_MOST_FILES]
        shown += "\n" + _fitted("Linked documents", kept, max(0, room - len(shown)), "elements")
        if len(kept) < len(files):
            shown += f'\n… {len(files) - len(kept)} more documents: section="elements"'
    return shown


def _element(one: Element) -> str:
    kind = f"{one.type} field" if one.kind == "field" else one.kind
    notes = [note for note, is_so in (("read-only", one.readonly), ("disabled", one.disabled)) if is_so]
    if one.calendar:
        notes.append(f"date box ({one.calendar})")
    if one.frame_path:
        notes.append(f"in frame {' '.join(one.frame_path)}")
    name = one_line(one.text or one.label, 60)
    parts = [
        f"{kind} {one.selector}",
        f'"{name}"' if name else "",
        f"value={one_line(one.value, 60)!r}" if one.value else "",
    ]
    if notes:
        parts.append(f"[{', '.join(notes)}]")
    if one.handler:
        parts.append(f"onclick: {one_line(one.handler, 100)}")
    line = " ".join(part for part in parts if part)
    if one.options:
        shown = ", ".join(
            option.label if option.label == option.value else f"{option.label} ({option.value})"
            for option in one.options[:12]
        )
        more = f", … {len(one.options) - 12} more" if len(one.options) > 12 else ""
        line += f"\n  options: {shown}{more}"
    return line


def _tables(found: Sequence[PlacedTable], room: int, *, rows: int) -> str:
    from verifaible.extract.tables import form_grid

    entries = []
    for placed in found:
        one = placed.place
        if not any(len(row) > 1 for row in one.table.rows):
            continue
        frame = f" in frame {' '.join(one.frame_path)}" if one.frame_path else ""
        title = f' "{one_line(placed.title, 120)}"' if placed.title and not one.table.caption else ""
        entries.append(
            f"table {placed.selector}{frame}{title}, {len(one.table.rows)} rows\n"
            + table_excerpt(form_grid(one.table), rows, longest=max(room // 2, 900))
        )
    return _fitted("Tables", entries, room, "tables")


def _text(text: str, room: int) -> str:
    shown = " ".join(text.split()) if room < 3_000 else text.strip()
    if not shown:
        return "## Visible text: none"
    note = '… (section="text" shows more)' if room < 3_000 else "… (web_fetch reads it in parts)"
    return f"## Visible text ({len(text)} characters)\n{shorten(shown, max(room - 60, 200), note)}"
