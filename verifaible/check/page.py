"""A checked text as one page for an editor: each claim where it stands, its evidence beside it."""

from __future__ import annotations

import bisect
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from verifaible.anchoring.diff import word_diff
from verifaible.check.view import STATES, VERDICTS, Term, View, formula
from verifaible.errors import CitationNotFound, StoreError
from verifaible.reporting import pages
from verifaible.reporting.markdown import Piece, Span, marked_pieces
from verifaible.reporting.tables import plain, shortened
from verifaible.schema.check import DiffToken
from verifaible.schema.checked import CheckedClaim, CheckedSource, ClaimVerdict
from verifaible.schema.verdict import Passage
from verifaible.text import markdown
from verifaible.text.language import language_of

if TYPE_CHECKING:
    from verifaible.store.store import Store

_PACKAGE: Final = "verifaible.check"
#: Verdicts whose evidence is open when the page is.
_OPENED: Final[tuple[ClaimVerdict, ...]] = ("contradicted", "altered", "not_in_source")
#: Code points of a passage, passages of a claim, and pictures that the page shows; the JSON has all.
MAX_WORDS: Final = 1500
MAX_PASSAGES: Final = 12
MAX_PICTURES: Final = 80
#: Texts with less in common, in per cent, are shown one under the other and not as a difference.
_ALIKE: Final = 50
_QUOTED: Final = re.compile(r"[“„«»「『\"](.+)[”“»«」』\"]", re.DOTALL)
_ORDER: Final = {verdict: number for number, verdict in enumerate(VERDICTS)}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage in its sentence (``before``, the words, ``after``) or in its row under its heads.

    A cell of ``rows`` is its text and whether the passage is there; the first row has the heads.
    """

    before: str
    quote: str
    after: str
    rows: tuple[tuple[tuple[str, bool], ...], ...]
    passage: Passage
    source: CheckedSource | None
    number: int


@dataclass(frozen=True, slots=True)
class Card:
    """A claim with its evidence; ``words`` are its own where the text beside it does not show them."""

    number: int
    claim: CheckedClaim
    term: Term
    words: str
    place: tuple[int, int]
    difference: tuple[DiffToken, ...]
    formula: str
    evidence: tuple[Evidence, ...]
    operands: tuple[tuple[str, Evidence], ...]
    nearest: Evidence | None
    pictures: tuple[str, ...]
    cites: tuple[tuple[int, str, str], ...]


def page(view: View, store: Store | None = None) -> str:
    """The whole page; every text that is not ours is escaped.

    Args:
        view: the checked text.
        store: has the pictures of its citations; None: the page shows none.
    """
    checked = view.checked
    pictures = _pictures(view, store) if store is not None else {}
    cards = [_card(view, number, claim, pictures) for number, claim in enumerate(checked.claims, 1)]
    pieces = marked_pieces(checked.text, _spans(cards))
    return pages.render(
        "checked.html",
        css=pages.read_style(_PACKAGE, "checked.css")
        + "".join(_filter(verdict) for verdict, _ in view.counts),
        packages=(_PACKAGE,),
        checked=checked,
        title=plain(checked.title or checked.name),
        name=plain(checked.name),
        language=language_of("", checked.text[:4000]) or "en",
        view=view,
        filters=[(verdict, VERDICTS[verdict], count) for verdict, count in view.counts],
        rows=[*_rows(pieces, cards)],
        sources=[(source, STATES[source.state], view.cited[source.id]) for source in checked.sources],
        most=MAX_PASSAGES,
        opened=_OPENED,
        plain=plain,
    )


def _filter(verdict: str) -> str:
    """What the page hides while only one verdict is asked for."""
    on = f"body:has(#show-{verdict}:checked)"
    return (
        f"{on} .card:not(.{verdict}), {on} .row:not(:has(.{verdict})) {{ display: none; }}\n"
        f"{on} .flag:not(.{verdict}) {{ opacity: 0.4; }}\n"
    )


# --- the text


def _rows(pieces: Sequence[Piece], cards: Sequence[Card]) -> Iterator[tuple[Markup, list[Card]]]:
    """Each piece of the text with the claims that begin in it; claims before the first go with the first."""
    starts = [piece.start for piece in pieces]
    beside: dict[int, list[Card]] = {}
    for card in cards:
        at = max(0, bisect.bisect_right(starts, card.claim.claim.start) - 1)
        beside.setdefault(at, []).append(card)
    for at, piece in enumerate(pieces or [Piece(0, 0, "")]):
        yield Markup(piece.html), beside.get(at, [])  # noqa: S704 - of escaped text and our own tags


def _spans(cards: Sequence[Card]) -> list[Span]:
    """Claims that overlap share a span in the colour of the worst; behind it each has its flag."""
    spans: list[Span] = []
    group: list[Card] = []
    end = 0
    for card in sorted(cards, key=lambda card: (card.claim.claim.start, card.number)):
        claim = card.claim.claim
        if group and claim.start >= end:
            spans.append(_span(group, end))
            group = []
        group.append(card)
        end = max(end if len(group) > 1 else 0, claim.end)
    return [*spans, *([_span(group, end)] if group else [])]


def _span(group: Sequence[Card], end: int) -> Span:
    worst = min((card.claim.verdict for card in group), key=_ORDER.__getitem__)
    return Span(group[0].claim.claim.start, end, worst, "".join(map(_flag, group)))


def _flag(card: Card) -> str:
    """A link to the evidence: the number of the claim, a sign, and a word, seen where somebody must look."""
    seen = "why" if card.term.level in ("error", "warning") else "unseen"
    return (
        f'<a class="flag {card.claim.verdict}" lang="en" href="#c{card.number}"><sup>{card.number}</sup>'
        f'{card.term.sign}<span class="{seen}">{escape(card.term.word)}</span></a>'
    )


# --- the evidence


def _card(view: View, number: int, claim: CheckedClaim, pictures: dict[str, str]) -> Card:
    sentences = (*claim.sentences, *[""] * len(claim.passages))
    evidence = [_evidence(view, *each) for each in zip(claim.passages, sentences, strict=False)]
    operands = claim.derivation.operands if claim.derivation else ()
    shown = plain(markdown.plain(view.checked.text[claim.claim.start : claim.claim.end]).text)
    words = plain(claim.claim.text)
    return Card(
        number=number,
        claim=claim,
        term=VERDICTS[claim.verdict],
        words="" if words.strip(" .") in shown else words,
        place=view.place(claim.claim.start),
        difference=_difference(claim),
        formula=plain(formula(claim)),
        evidence=tuple(evidence),
        operands=tuple(
            (plain(f"{each.name}: {each.value:f} {each.unit}"), _evidence(view, each.passage, ""))
            for each in operands
        ),
        nearest=_evidence(view, claim.nearest.passage, "") if claim.nearest else None,
        pictures=tuple(pictures[name] for name in claim.citations if name in pictures),
        cites=tuple(
            (view.numbers.get(name, 0), plain(name), _state(view, name))
            for name in (*claim.claim.cites, *claim.claim.broken)
        ),
    )


def _state(view: View, name: str) -> str:
    """What became of a source that could not be read, in a word or two."""
    source = view.sources.get(name)
    return STATES[source.state].word if source and source.state != "read" else ""


def _difference(claim: CheckedClaim) -> tuple[DiffToken, ...]:
    """The words of a claim or its quotation struck and replaced by the source's; empty if not alike."""
    if claim.verdict not in ("altered", "contradicted"):
        return ()
    quoted = _QUOTED.search(claim.claim.text) if claim.verdict == "altered" else None
    ours = quoted[1] if quoted else claim.claim.text
    theirs = claim.said if claim.verdict == "altered" else (*claim.sentences, claim.said)[0]
    if "|" in theirs or "\n" in theirs:
        return ()
    found = word_diff(plain(ours), plain(theirs))
    same = sum(len(each.text) for each in found if each.op == "same")
    return found if 100 * same >= _ALIKE * max(len(ours), len(theirs)) else ()


def _evidence(view: View, passage: Passage, sentence: str) -> Evidence:
    lines = sentence.splitlines()
    quoted = {plain(each) for each in passage.quote.split("|")}
    rows = []
    for number, line in enumerate(lines if "|" in sentence else []):
        cells = [plain(each) for each in line.strip().removeprefix("|").removesuffix("|").split("|")]
        is_all = all(cell in quoted for cell in cells)
        marked = number == len(lines) - 1 and not is_all
        rows.append(tuple((cell, marked and cell in quoted) for cell in cells))
    before, found, after = sentence.partition(passage.quote)
    if rows or not found or not passage.quote:
        before = after = ""
    before, after = plain(f"{before}|")[:-1], plain(f"|{after}")[1:]  # blanks beside the quote stay
    quote = shortened(passage.quote, MAX_WORDS)
    number = view.numbers.get(passage.source, 0)
    return Evidence(before, quote, after, tuple(rows), passage, view.sources.get(passage.source), number)


def _pictures(view: View, store: Store) -> dict[str, str]:
    """By citation, its place in the sealed picture as an address that holds it; wrong claims first."""
    found: dict[str, str] = {}
    for claim in sorted(view.checked.claims, key=lambda claim: _ORDER[claim.verdict]):
        for name in claim.citations:
            if name not in found and len(found) < MAX_PICTURES and (picture := _picture(name, store)):
                found[name] = picture
    return found


def _picture(name: str, store: Store) -> str:
    from verifaible.evidence.report import png_of, shown_picture

    try:
        citation = store.get(name)
        tiles = store.pictures(citation)
        wide = citation.anchor.table is not None
        shown = shown_picture(citation.picture, tiles, wide=wide)
        if shown is None:
            return ""
        return pages.data_url(_webp(png_of(shown, tiles, whole=False)), "image/webp")
    except (CitationNotFound, StoreError):
        return ""


def _webp(png: bytes) -> bytes:
    from PIL import Image

    smaller = io.BytesIO()
    Image.open(io.BytesIO(png)).save(smaller, "WEBP", quality=80)
    return smaller.getvalue()
