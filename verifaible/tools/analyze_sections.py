"""The parts of an analysis as entries of text: requests, objects, elements, tables and more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from verifaible.browser.analysis.controls import Control, Form
from verifaible.extract.document import Document
from verifaible.text.delimited import shorten
from verifaible.tools.presenting import one_line

if TYPE_CHECKING:
    from verifaible.browser.analysis.analyze import Analysis, GlobalObject
    from verifaible.browser.analysis.data_requests import DataRequest


_MOST_OPTIONS = 12
_ORDER = {"field": 0, "select": 1, "button": 2, "clickable": 3, "link": 4}
_DATA = ("json", "csv", "xml")


def request_entries(analysis: Analysis, *, whole: bool) -> list[str]:
    """The data requests, likeliest first."""
    numbered = list(enumerate(analysis.requests))
    ranked = sorted(numbered, key=lambda pair: (-_worth(pair[1]), -pair[0]))
    return [_request(one, whole=whole) for _, one in ranked]


def _worth(one: DataRequest) -> int:
    data = any(name in one.media_type for name in _DATA) or one.kind in {"JSONP", "SSE", "script data"}
    by_step = one.when.startswith("step")
    return (
        3 * data
        + 3 * one.own
        + 2 * by_step
        + (one.size > 0)
        - 4 * (one.kind == "beacon")
        - 2 * (one.status >= 400)
    )


def _request(one: DataRequest, *, whole: bool) -> str:
    kind = f"JSONP, callback in {one.callback}" if one.callback else one.media_type or "no type"
    # The callback says JSONP already, and an unnamed kind says nothing.
    how = "" if one.callback or one.kind == "request" else f", {one.kind}"
    times = f", {one.calls} calls" if one.calls > 1 else ""
    when = f", {one.when}" if one.when else ""
    status = str(one.status) if one.status else "no answer yet"
    lines = [f"{one.method} {one.pattern} -> {status}, {kind}, {one.size} bytes{how}{times}{when}"]
    if one.pattern != one.address:
        most = 3 if whole else 1
        lines.append("  called: " + ", ".join(shorten(address, 160) for address in one.examples[:most]))
    if one.parameters:
        lines.append(f"  parameters: {shorten(_parameters(one), 1_500 if whole else 400)}")
    if one.sent:
        lines.append(f"  sends: {one_line(one.sent, 1_200 if whole else 260)}")
    if whole or one.beginning:
        lines.append(f"  answer: {one_line(one.beginning, 700 if whole else 280)}")
    return "\n".join(lines)


def _parameters(one: DataRequest) -> str:
    """Every parameter with what it was given in all calls; the last call's values come last."""
    given = one.values or tuple((name, (value,)) for name, value in one.parameters)
    shown = []
    for name, values in given:
        kept = "|".join(shorten(value, 120) for value in values[-3:])
        shown.append(f"{name}={kept}" if name else kept)
    return "&".join(shown)


def _file(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2] or url


def object_entries(analysis: Analysis, *, whole: bool) -> list[str]:
    """The globals of the page's scripts, likeliest first; with plain values if ``whole``."""
    return [_object(one, whole=whole) for one in analysis.objects if whole or one.score > 1]


def _object(one: GlobalObject, *, whole: bool) -> str:
    if one.kind in {"function", "class"}:
        return f"{one.kind} {one.name}({one.parameters})"
    if one.kind != "object":
        return f"{one.name} = {one.parameters}"
    values = [member for member in one.members if member.text.startswith(":")]
    methods = [member for member in one.members if not member.text.startswith(":")]
    lines = [one.name]
    if methods:
        lines.append("  methods: " + ", ".join(f"{member.name}{member.text}" for member in methods))
    lines += [f"  {member.name}{shorten(member.text, 500 if whole else 160)}" for member in values[:8]]
    if one.parameters:
        lines.append(f"  ({one.parameters})")
    return "\n".join(lines)


def element_entries(analysis: Analysis, *, whole: bool) -> list[str]:
    """What can be operated: fields first, then buttons; links and entries of menus only if ``whole``."""
    listed = [one for one in analysis.controls.elements if whole or not _aside(one)]
    ranked = sorted(listed, key=lambda one: (one.in_menu, _ORDER[one.kind], bool(one.frame_path)))
    extra = [
        f"dialog on the page {one.selector}: {one_line(one.text, 150)}" for one in analysis.controls.dialogs
    ]
    unlisted = (
        f"{analysis.controls.unlisted} more elements are on the page and not described"
        if analysis.controls.unlisted
        else ""
    )
    return [*extra, *map(_element, ranked), *([unlisted] if unlisted else [])]


def left_out(analysis: Analysis) -> list[str]:
    """What the summary of the elements does not list, in a line."""
    menus = sum(_aside(one) and one.kind != "link" for one in analysis.controls.elements)
    said = [f"{menus} clickable menu entries"] if menus else []
    said += [f"{analysis.controls.links} links"] if analysis.controls.links else []
    return [f'… {" and ".join(said)} left out: section="elements"'] if said else []


def _aside(one: Control) -> bool:
    return one.kind == "link" or (one.in_menu and one.kind == "clickable")


def _element(one: Control) -> str:
    kind = f"{one.type} field" if one.kind == "field" else one.kind
    notes = [note for note, is_so in (("read-only", one.readonly), ("disabled", one.disabled)) if is_so]
    if one.frame_path:
        notes.append(f"in frame {' '.join(one.frame_path)}")
    name = one_line(one.text or one.label, 60)
    if not name and one.unseen_name:
        words = "" if one.unseen_name in one.selector else f": {one_line(one.unseen_name, 50)!r}"
        notes.append(f"named in the code only{words}")
    parts = [
        f"{kind} {one.selector}",
        f'"{name}"' if name else "",
        f"value={one_line(one.value, 60)!r}" if one.value else "",
        f"-> {shorten(one.address, 200)}" if one.address else "",
    ]
    if notes:
        parts.append(f"[{', '.join(notes)}]")
    if one.handler:
        says = one.handler.startswith(("opens ", "submits "))
        parts.append(one_line(one.handler, 100) if says else f"onclick: {one_line(one.handler, 100)}")
    line = " ".join(part for part in parts if part)
    if one.options:
        shown = ", ".join(
            option.label if option.label == option.value else f"{option.label} ({option.value})"
            for option in one.options[:_MOST_OPTIONS]
        )
        left = len(one.options) - _MOST_OPTIONS
        line += f"\n  options: {shorten(shown, 400)}{f', … {left} more' if left > 0 else ''}"
    return line


def form_entries(forms: Sequence[Form], *, whole: bool) -> list[str]:
    """The forms: where they send what, and their fields."""
    entries = []
    for form in forms:
        frame = f" [in frame {' '.join(form.frame_path)}]" if form.frame_path else ""
        submit = f", sent with {form.submit}" if form.submit else ""
        lines = [f"form {form.selector}: {form.method} {shorten(form.action, 200)}{submit}{frame}"]
        if whole:
            lines += [
                f"  {one.type} {one.name or '(no name)'} {one.selector}"
                + (f' "{one_line(one.label, 60)}"' if one.label else "")
                + (" (required)" if one.required else "")
                + (f" ({len(one.options)} options)" if one.options else "")
                for one in form.fields
            ]
        elif form.fields:
            lines.append(
                "  fields: " + shorten(", ".join(one.name or one.selector for one in form.fields), 300)
            )
        if form.hidden and whole:
            lines.append("  not shown: " + shorten(", ".join(form.hidden), 300))
        entries.append("\n".join(lines))
    return entries


def table_entries(analysis: Analysis, *, whole: bool) -> list[str]:
    """The tables with their headers and first rows; those that only lay the page out are left out."""
    from verifaible.extract.markdown import data_tables

    document, entries = analysis.document, []
    for number in sorted(data_tables(document)):
        table = document.tables[number]
        path = document.frames[table.frame].path
        frame = f" in frame {' '.join(path)}" if path else ""
        lead = document.blocks[table.lead_in].text if table.lead_in is not None else ""
        title = f' "{one_line(lead, 120)}"' if 0 < len(lead) <= 120 and not table.caption else ""
        excerpt = table_excerpt(document, number, 15 if whole else 3, longest=4_000 if whole else 700)
        selector = analysis.controls.tables[number]
        entries.append(f"table {selector}{frame}{title}, {table.height} rows\n{excerpt}")
    return entries


def pagination_entries(analysis: Analysis) -> list[str]:
    """What turns pages, and what leads to the next one."""
    return [
        f"pagination {one.selector}: {one_line(' | '.join(one.items), 200)}"
        + (f"; next: {one.next}" if one.next and one.next != one.selector else "")
        for one in analysis.controls.pagination
    ]


def frame_entries(analysis: Analysis) -> list[str]:
    """The frames that are shown."""
    frames = analysis.document.frames
    return [f"frame {' '.join(one.path)}: {shorten(one.url, 300)}" for one in frames if one.path]


def file_entries(analysis: Analysis, *, whole: bool) -> list[str]:
    """Linked documents and downloads."""
    return [
        f"document {one.url} {one_line(one.text, 80)}"
        + (f"  {one.selector}" if whole and one.selector else "")
        for one in analysis.controls.files
    ]


#: The sections by name, each with its title and what makes its entries when it is asked for.
SECTIONS: dict[str, tuple[str, Callable[[Analysis], list[str]]]] = {
    "requests": ("Data requests", lambda found: request_entries(found, whole=True)),
    "objects": ("Global objects and functions of the page", lambda found: object_entries(found, whole=True)),
    "elements": ("Elements to operate", lambda found: element_entries(found, whole=True)),
    "forms": ("Forms", lambda found: form_entries(found.controls.forms, whole=True)),
    "tables": ("Tables", lambda found: table_entries(found, whole=True)),
    "pagination": ("Pagination", pagination_entries),
    "downloads": ("Linked documents", lambda found: file_entries(found, whole=True)),
    "frames": ("Frames", frame_entries),
}


#: A row longer than this is shortened in an excerpt; web_fetch shows it whole.
_LONGEST_ROW = 1_200


def table_excerpt(
    document: Document, number: int, rows: int, *, only: Iterable[int] = (), longest: int = 4_000
) -> str:
    """A table as Markdown: its header and first rows, or those that ``only`` names.

    Args:
        document: the source.
        number: which of its tables.
        rows: most body rows that are shown.
        only: rows of the table, counted from 0; empty for the first ones.
        longest: characters after which no further row is shown.
    """
    from verifaible.extract.markdown import head_rows, table_markdown

    lines = table_markdown(document, number).text.splitlines()
    rule = next((index for index, line in enumerate(lines) if line.startswith("| ---")), -1)
    if rule < 0:
        return "\n".join(lines)
    head, body = lines[: rule + 1], lines[rule + 1 :]
    first = head_rows(document.tables[number])
    wanted = [row - first for row in only if 0 <= row - first < len(body)] or list(range(len(body)))
    out = [shorten(line, _LONGEST_ROW) for line in head]
    shown = 0
    for index in wanted[:rows]:
        if shown and sum(map(len, out)) + len(body[index]) > longest:
            break
        out.append(shorten(body[index], _LONGEST_ROW))
        shown += 1
    left = len(body) - shown
    return "\n".join([*out, f"… {left} other rows"] if left else out)
