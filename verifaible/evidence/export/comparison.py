"""A page that shows a citation then and now, side by side: for people, self-contained, no evidence itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verifaible.anchoring.diff import Kind
from verifaible.evidence.check.outcomes import SAYS
from verifaible.evidence.check.replay import Attempt
from verifaible.evidence.check.watching import Shown
from verifaible.evidence.export import pages
from verifaible.evidence.export.report_page import KINDS, shortened
from verifaible.evidence.export.report_table import ShownTable, table_of
from verifaible.evidence.export.report_view import (
    EvidenceView,
    ShownCaption,
    ShownPicture,
    captions_of,
    language_of,
    shown_picture,
    utc,
    where_of,
)
from verifaible.evidence.observing.material import Material
from verifaible.schema.check import Check, DiffToken
from verifaible.schema.citation import Anchor

#: So much of a message is shown; it may quote the page.
_MESSAGE = 600
#: Two pictures beside each other want room.
_WIDE = (
    ".wide-sheet { max-width: 96rem; }\n"
    "@media print { .pair > .part, .pair > .part:first-of-type { border-top: 1px solid var(--line); }\n"
    "  .pair .picture svg { max-height: 90mm; } .pair .cited th, .pair .cited td { padding: 2px 6px; } }\n"
)


@dataclass(frozen=True, slots=True)
class TellingChange:
    """Words of one kind that change a meaning: what was taken away and what was put in."""

    kind: Kind
    removed: str
    added: str


@dataclass(frozen=True, slots=True)
class Now:
    """What the check found, ready for the template: ``anchor`` is None where ``text`` is only the nearest;
    ``note`` says what is marked in the picture."""

    source: str
    title: str
    where: str
    text: str
    anchor: Anchor | None
    language: str
    picture: ShownPicture | None
    no_picture: str
    note: str
    table: ShownTable | None
    captions: tuple[ShownCaption, ...]


def comparison_page(then: EvidenceView, check: Check, attempt: Attempt | None, shown: Shown | None) -> str:
    """The page as HTML that loads nothing and runs nothing.

    Args:
        then: the citation as it was captured, with its history.
        check: the check that is shown.
        attempt: what the check saw; None where no page could be opened.
        shown: a picture of it; None if there is none.
    """
    return pages.render(
        "comparison.html",
        css=_WIDE,
        v=then,
        c=then.citation,
        check=check,
        now=_now(check, attempt, shown),
        changes=tuple(telling_changes(check.difference)),
        message=shortened(check.message.removeprefix(SAYS.get(check.verdict, "")).strip(), _MESSAGE),
        kinds=KINDS,
        utc=utc,
        shortened=shortened,
        claim_language=language_of(then.citation.claim),
    )


def _now(check: Check, attempt: Attempt | None, shown: Shown | None) -> Now:
    anchor = attempt.placement.anchor if attempt is not None else None
    material = attempt.observed.material if attempt is not None and attempt.observed is not None else None
    table = attempt.placement.table if attempt is not None else -1
    taken = shown.picture if shown is not None else None
    source = shown.url if shown is not None else material.url if material is not None else ""
    return Now(
        source=source,
        title=shown.title if shown is not None else material.title if material is not None else "",
        where=where_of(anchor) if anchor is not None else "",
        text=check.found,
        anchor=anchor,
        language=language_of(check.found),
        picture=shown_picture(taken.picture, taken.tiles) if taken is not None else None,
        no_picture=taken.picture.missing if taken is not None else "",
        note=shown.marked if shown is not None else "",
        table=table_of(material, table, anchor) if material is not None and anchor is not None else None,
        captions=_spoken(material, anchor),
    )


def _spoken(material: Material | None, anchor: Anchor | None) -> tuple[ShownCaption, ...]:
    return captions_of(material, anchor) if material is not None and anchor is not None else ()


def telling_changes(tokens: Sequence[DiffToken]) -> Iterator[TellingChange]:
    """The digits, units, dates and negations of a difference that changed, in order."""
    run: list[DiffToken] = []
    for token in (*tokens, DiffToken(op="same", text="")):
        if token.op != "same":
            run.append(token)
            continue
        for kind in dict.fromkeys(each.kind for each in run if each.kind in pages.TELLING):
            removed, added = (
                " ".join(each.text.strip() for each in run if each.kind == kind and each.op == op)
                for op in ("removed", "added")
            )
            yield TellingChange(kind, removed, added)
        run = []
