"""What is accepted as the evidence of a request, and what to tell whoever asked for what cannot be cited."""

from __future__ import annotations

from collections.abc import Iterator

from verifaible.anchoring.diff import render_diff
from verifaible.anchoring.evidence import Found
from verifaible.anchoring.headers import row_cells
from verifaible.anchoring.quote import find_places
from verifaible.anchoring.structure import headers_of
from verifaible.errors import AnchorAmbiguous, AnchorNotFound, Said, ToolError
from verifaible.evidence.material import Material
from verifaible.evidence.place import place
from verifaible.extract.document import Block, Document
from verifaible.schema.anchor import Anchor, AnchorRequest

_SHOWN = 300


def found_in(material: Material, request: AnchorRequest) -> Found:
    """The place of the evidence, or the refusal that says what is there instead.

    Raises:
        AnchorNotFound, AnchorAmbiguous: it is not there as it was asked for, or not only there.
    """
    found = place(material, request)
    anchor, page = found.anchor, request.page_number
    elsewhere = anchor is not None and page is not None and anchor.page_number not in (None, page)
    if found.verdict != "verified" or anchor is None or elsewhere:
        raise refusal(found, request, material.url)
    if request.evidence_type == "table" and request.quote:
        _check_cell_words(material.document, found, request.quote)
    return found


def _check_cell_words(document: Document, found: Found, quote: str) -> None:
    """Make sure that a quote given with a cell says what the cell shows in its row and under its heads.

    A number from anywhere else on the page is foreign, as is a word of another row; a word of the text around
    the table may stand beside it. Of two blocks side by side in one row only the cell's own counts.

    Raises:
        AnchorNotFound: a word of the quote is foreign.
    """
    assert found.anchor is not None
    shown = Document((Block("\n".join(_beside(document, found))),))
    around = Document(tuple(each for each in document.blocks if not each.cell or each.cell[0] != found.table))
    for word in quote.split():
        first = next(filter(str.isalnum, word), "")
        if not first or find_places(shown, word).exact:
            continue
        if first.isdigit() or not find_places(around, word).exact:
            told = (
                "The cell at these headers says “{cell}”; “{foreign}” of {arg[quote]} stands neither in "
                "it nor in its row. Correct {arg[quote]} (or leave it out), or the headers."
            )
            text = found.anchor.text
            raise AnchorNotFound(Said(told, cell=text, foreign=word), nearest=text)


def _beside(document: Document, found: Found) -> Iterator[str]:
    """What names a cell, the cells of its row, and the heads above those."""
    anchor, headers = found.anchor, headers_of(document, found.table)
    assert anchor is not None and anchor.table is not None
    yield from (each.text for each in anchor.structure)
    yield anchor.text
    for line in headers.rows:
        if not any(row == line.row and line.first <= at < line.last for row, at in anchor.table.cells):
            continue
        yield from line.labels
        yield from (
            each.text for each in row_cells(document.tables[found.table], line.row, line.first, line.last)
        )
        for heads in headers.columns:
            if any(line.first <= column < line.last for column in heads.columns):
                yield from heads.path


def refusal(found: Found, request: AnchorRequest, url: str) -> ToolError:
    """The error for evidence that was not found as asked: what is there, and what to do next."""
    if found.verdict == "ambiguous":
        return _ambiguous(found, request)
    if request.evidence_type == "table":
        return _no_cell(found, request, url)
    if request.evidence_type == "image":
        shown = found.nearest or "; ".join(found.candidates)
        known = f"Images on the page: {shown}." if shown else "The page shows no image."
        told = (
            "No image with that selector, alt text or position is visible on {url}. {known} Correct "
            "{arg[selector]}, {arg[alt]} or {arg[position]}."
        )
        return AnchorNotFound(Said(told, url=url, known=known), nearest=shown)
    if found.verdict in ("verified", "moved"):
        return _elsewhere(found)
    return _no_quote(found, url)


def hidden(words: tuple[str, ...], url: str) -> ToolError:
    """The words are in the page, and nobody sees them."""
    shown = _short(" ".join(words[:8]) + (" …" if len(words) > 8 else ""), 160)
    told = (
        "{url} holds the quote, but no reader sees “{shown}”: nothing of it is drawn. "
        "Quote what the page shows; if it shows these words only after a click, give {arg[steps]}."
    )
    return AnchorNotFound(Said(told, url=url, shown=shown))


def _no_quote(found: Found, url: str) -> ToolError:
    nearest = " ".join(_sentence(found.anchor).split()) or _short(found.nearest)
    difference = render_diff(found.difference)
    if found.verdict == "changed" and not found.difference:
        return AnchorNotFound(
            f"{url} has these words only as part of other words, or as parts of several sentences or rows. "
            f"The sentence reads: “{nearest}” Quote whole words, and all of several sentences or rows.",
            nearest=nearest,
        )
    if found.verdict == "changed":
        return AnchorNotFound(
            f"{url} does not say that. It says: “{nearest}” (difference, [-yours-] {{+page+}}: "
            f"{difference}). Quote the page exactly, or look for another source.",
            nearest=nearest,
            difference=difference,
        )
    near = f" The nearest text there is: “{nearest}”." if nearest else ""
    told = (
        "The quote is not on {url}.{near} Copy a passage exactly as the page shows it; if the page must be "
        "operated first, give {arg[steps]}."
    )
    return AnchorNotFound(Said(told, url=url, near=near), nearest=nearest)


def _sentence(anchor: Anchor | None) -> str:
    """The evidence as it is shown, without what governs it: 10⁶ is not 106."""
    if anchor is None:
        return ""
    lines = anchor.shown.text.splitlines()
    return "\n".join(lines[-1 - anchor.evidence.count("\n") :])


def _elsewhere(found: Found) -> ToolError:
    """Exact, but not on the page or at the time that was named."""
    anchor = found.anchor
    assert anchor is not None
    if not found.near_found:
        told = "{arg[near]} stands nowhere beside the quote. Correct it, or leave it out."
        return AnchorNotFound(Said(told), nearest=anchor.shown.text)
    if anchor.time is not None:
        where = f"is spoken at {anchor.time.start_s:.1f} s"
        field, value = "at", f"{anchor.time.start_s:.0f}"
    else:
        where = f"stands on page {anchor.page_number}"
        field, value = "page_number", str(anchor.page_number)
    told = f"The quote {where}, not where you said. Try again with {{arg[{field}]:{value}}}."
    return AnchorNotFound(Said(told), nearest=anchor.text)


def _ambiguous(found: Found, request: AnchorRequest) -> ToolError:
    places = "; ".join(_short(candidate, 120) for candidate in found.candidates[:6])
    advice = {
        "table": "Give the whole header path (outer to inner), or {arg[selector]}.",
        "image": "Give {arg[selector]} or {arg[position]}.",
        "video": "Quote more of it, give as {arg[near]} a text beside it, or say when with {arg[at]}.",
    }.get(request.evidence_type, "Quote more of the passage, or give as {arg[near]} a text beside it.")
    told = Said("Several places match: {places}. " + advice, places=places)
    return AnchorAmbiguous(told, candidates=found.candidates)


def _no_cell(found: Found, request: AnchorRequest, url: str) -> ToolError:
    if found.missing == "table":
        selected = f" that {request.selector!r} selects" if request.selector else ""
        told = (
            "There is no visible table{selected} on {url}. If it appears only after a query, give "
            "{arg[steps]}; if the fact stands in a sentence, use {arg[evidence_type]:text}."
        )
        return AnchorNotFound(Said(told, selected=selected, url=url))
    wanted = request.column if found.missing == "column" else request.row
    name = {"column": "column header", "row": "row header"}.get(found.missing, "cell")
    nearest = (
        f" The nearest {name}s are: {_short(found.nearest.replace(chr(10), ', '))}." if found.nearest else ""
    )
    return AnchorNotFound(
        f"No {name} {' › '.join(wanted)!r} in a table on {url}.{nearest} Use the text of the header as "
        "the page shows it.",
        nearest=found.nearest,
    )


def _short(text: str, length: int = _SHOWN) -> str:
    """The copy for a message, on one line; the evidence itself is never shortened."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[:length]}…"
