"""What to tell whoever asked for a citation that cannot be made."""

from __future__ import annotations

from verifaible.errors import AnchorAmbiguous, AnchorNotFound, Said, ToolError
from verifaible.evidence.observing.places import Placement
from verifaible.old.anchoring.diff import render_diff
from verifaible.schema.anchor import AnchorRequest

_SHOWN = 300


def refusal(placement: Placement, request: AnchorRequest, url: str) -> ToolError:
    """The error for evidence that was not found as asked: what is there, and what to do next."""
    if placement.verdict == "ambiguous":
        return _ambiguous(placement, request)
    if placement.left_out is not None:
        return _misleads(placement)
    if request.evidence_type == "table":
        return _no_cell(placement, request, url)
    if request.evidence_type == "image":
        shown = placement.nearest
        known = f"Images on the page: {shown}." if shown else "The page shows no image."
        told = (
            "No image with that selector, alt text or position is visible on {url}. {known} Correct "
            "{arg[selector]}, {arg[alt]} or {arg[position]}."
        )
        return AnchorNotFound(Said(told, url=url, known=known), nearest=shown)
    if placement.verdict in ("verified", "moved"):
        return _elsewhere(placement)
    return _no_quote(placement, url)


def _misleads(placement: Placement) -> ToolError:
    """The words are there, and their sentence says something else."""
    assert placement.anchor is not None and placement.left_out is not None
    sentence = " ".join(placement.anchor.evidence.split())
    return AnchorNotFound(
        f"The quote leaves out “{_short(placement.left_out.words, 80)}” ({placement.left_out.kind}) of its "
        f"sentence: “{sentence}” Quote the whole sentence, or enough of it.",
        nearest=sentence,
    )


def hidden(words: tuple[str, ...], url: str) -> ToolError:
    """The words are in the page, and nobody sees them."""
    shown = _short(" ".join(words[:8]) + (" …" if len(words) > 8 else ""), 160)
    told = (
        "{url} holds the quote, but no reader sees “{shown}”: nothing of it is drawn. "
        "Quote what the page shows; if it shows these words only after a click, give {arg[steps]}."
    )
    return AnchorNotFound(Said(told, url=url, shown=shown))


def put_together(apart: tuple[str, str], url: str) -> ToolError:
    """The words are in the page, but apart."""
    told = (
        "On {url} “{words[0]}” and “{words[1]}” are apart: nobody reads them in a row. Quote one passage as "
        "the page shows it; cite a cell of a table with {arg[evidence_type]:table}."
    )
    return AnchorNotFound(Said(told, url=url, words=[_short(words, 60) for words in apart]))


def _no_quote(placement: Placement, url: str) -> ToolError:
    sentence = placement.anchor.evidence if placement.anchor is not None else ""
    nearest = " ".join(sentence.split()) or _short(placement.found or placement.nearest)
    difference = render_diff(placement.difference)
    if placement.verdict == "changed":
        return AnchorNotFound(
            f"{url} does not say that. It says: “{nearest}” (difference, [-yours-] {{+page+}}: "
            f"{difference}). Quote the page exactly, or look for another source.",
            nearest=nearest,
            difference=difference,
        )
    found = f" The nearest text there is: “{nearest}”." if nearest else ""
    told = (
        "The quote is not on {url}.{found} Copy a passage exactly as the page shows it; if the page must be "
        "operated first, give {arg[steps]}."
    )
    return AnchorNotFound(Said(told, url=url, found=found), nearest=nearest)


def _elsewhere(placement: Placement) -> ToolError:
    """Exact, but not on the page or at the time that was named."""
    anchor = placement.anchor
    assert anchor is not None
    if anchor.time is not None:
        where = f"is spoken at {anchor.time.start_s:.1f} s"
        field, value = "at", f"{anchor.time.start_s:.0f}"
    else:
        where = f"stands on page {anchor.page_number}"
        field, value = "page_number", str(anchor.page_number)
    told = f"The quote {where}, not where you said. Try again with {{arg[{field}]:{value}}}."
    return AnchorNotFound(Said(told), nearest=anchor.text)


def _ambiguous(placement: Placement, request: AnchorRequest) -> ToolError:
    places = "; ".join(_short(candidate, 120) for candidate in placement.candidates[:6])
    advice = {
        "table": "Give the whole header path (outer to inner), or {arg[selector]}.",
        "image": "Give {arg[selector]} or {arg[position]}.",
        "video": "Quote more of it, give as {arg[near]} a text beside it, or say when with {arg[at]}.",
    }.get(request.evidence_type, "Quote more of the passage, or give as {arg[near]} a text beside it.")
    told = Said("Several places match: {places}. " + advice, places=places)
    return AnchorAmbiguous(told, candidates=placement.candidates)


def _no_cell(placement: Placement, request: AnchorRequest, url: str) -> ToolError:
    if placement.missing == "table":
        selected = f" that {request.selector!r} selects" if request.selector else ""
        told = (
            "There is no visible table{selected} on {url}. If it appears only after a query, give "
            "{arg[steps]}; if the fact stands in a sentence, use {arg[evidence_type]:text}."
        )
        return AnchorNotFound(Said(told, selected=selected, url=url))
    wanted = request.column if placement.missing == "column" else request.row
    name = {"column": "column header", "row": "row header"}.get(placement.missing, "cell")
    nearest = f" The nearest {name}s are: {_short(placement.nearest)}." if placement.nearest else ""
    return AnchorNotFound(
        f"No {name} {' › '.join(wanted)!r} in a table on {url}.{nearest} Use the text of the header as "
        "the page shows it.",
        nearest=placement.nearest,
    )


def _short(text: str, length: int = _SHOWN) -> str:
    """The copy for a message, on one line; the evidence itself is never shortened."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[:length]}…"
