"""What to tell whoever asked for a citation that cannot be made."""

from __future__ import annotations

from verifaible.anchoring.diff import render_diff
from verifaible.errors import AnchorAmbiguous, AnchorNotFound, ToolError
from verifaible.evidence.observing.places import Placement
from verifaible.schema.citation import AnchorRequest

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
        known = (
            f" Images on the page: {placement.nearest}." if placement.nearest else " The page shows no image."
        )
        return AnchorNotFound(
            f"No image with that selector, alt text or position is visible on {url}.{known} Correct "
            "element_selector, element_alt or element_position.",
            nearest=placement.nearest,
        )
    if placement.verdict in ("verified", "moved"):
        return _elsewhere(placement)
    return _no_quote(placement, url)


def _misleads(placement: Placement) -> ToolError:
    """The words are there, and their sentence says something else."""
    assert placement.anchor is not None and placement.left_out is not None
    sentence = " ".join(placement.anchor.sentence.split())
    return AnchorNotFound(
        f"The quote leaves out “{_short(placement.left_out.words, 80)}” ({placement.left_out.kind}) of its "
        f"sentence: “{sentence}” Quote the whole sentence, or enough of it.",
        nearest=sentence,
    )


def hidden(words: tuple[str, ...], url: str) -> ToolError:
    """The words are in the page, and nobody sees them."""
    shown = " ".join(words[:8]) + (" …" if len(words) > 8 else "")
    return AnchorNotFound(
        f"{url} holds the quote, but no reader sees “{_short(shown, 160)}”: nothing of it is drawn. "
        "Quote what the page shows; if it shows these words only after a click, send action_steps."
    )


def put_together(apart: tuple[str, str], url: str) -> ToolError:
    """The words are in the page, but apart."""
    before, after = (_short(words, 60) for words in apart)
    return AnchorNotFound(
        f"On {url} “{before}” and “{after}” are apart: nobody reads them in a row. Quote one passage as the "
        "page shows it; cite a cell of a table with evidence_type table."
    )


def _no_quote(placement: Placement, url: str) -> ToolError:
    sentence = placement.anchor.sentence if placement.anchor is not None else ""
    nearest = " ".join(sentence.split()) or _short(placement.found or placement.nearest)
    difference = render_diff(placement.difference)
    if placement.verdict == "changed":
        return AnchorNotFound(
            f"{url} does not say that. It says: “{nearest}” (difference, [-yours-] {{+page+}}: "
            f"{difference}). "
            "Quote the page exactly, or look for another source.",
            nearest=nearest,
            difference=difference,
        )
    found = f" The nearest text there is: “{nearest}”." if nearest else ""
    return AnchorNotFound(
        f"The quote is not on {url}.{found} Copy a passage exactly as the page shows it; if the page must be "
        "operated first, send action_steps.",
        nearest=nearest,
    )


def _elsewhere(placement: Placement) -> ToolError:
    """Exact, but not on the page or at the time that was named."""
    anchor = placement.anchor
    assert anchor is not None
    if anchor.time is not None:
        where = f"is spoken at {anchor.time.start_s:.1f} s"
        what = f"at={anchor.time.start_s:.0f}"
    else:
        where = f"stands on page {anchor.page_number}"
        what = f"page_number={anchor.page_number}"
    return AnchorNotFound(
        f"The quote {where}, not where you said. Call again with {what}.", nearest=anchor.text
    )


def _ambiguous(placement: Placement, request: AnchorRequest) -> ToolError:
    places = "; ".join(_short(candidate, 120) for candidate in placement.candidates[:6])
    advice = {
        "table": "Give the whole header path as a list (outer to inner), or table_selector.",
        "image": "Give element_selector or element_position.",
        "video": "Quote more of it, give as anchor a text beside it, or say when with at.",
    }.get(request.evidence_type, "Quote more of the passage, or give as anchor a text beside it.")
    return AnchorAmbiguous(f"Several places match: {places}. {advice}", candidates=placement.candidates)


def _no_cell(placement: Placement, request: AnchorRequest, url: str) -> ToolError:
    if placement.missing == "table":
        selected = f" that {request.selector!r} selects" if request.selector else ""
        return AnchorNotFound(
            f"There is no visible table{selected} on {url}. If it appears only after a query, send "
            f"action_steps; "
            "if the fact stands in a sentence, use evidence_type text."
        )
    wanted = request.column if placement.missing == "column" else request.row
    name = {"column": "column header", "row": "row header"}.get(placement.missing, "cell")
    nearest = f" The nearest {name}s are: {_short(placement.nearest)}." if placement.nearest else ""
    return AnchorNotFound(
        f"No {name} {' › '.join(wanted)!r} in a table on {url}.{nearest} Use the text of the "
        f"header as the page "
        "shows it; test_action_steps with verify_type table shows the tables.",
        nearest=placement.nearest,
    )


def _short(text: str, length: int = _SHOWN) -> str:
    """The copy for a message, on one line; the evidence itself is never shortened."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[:length]}…"
