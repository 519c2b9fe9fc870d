"""A checked text as one page: each claim coloured where it stands, its evidence beside it."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from markupsafe import Markup

from verifaible.judge.check.shown.words import STATES, VERDICTS, Told, View
from verifaible.reporting import pages
from verifaible.reporting.markdown import Piece, Span, marked_pieces
from verifaible.reporting.tables import plain, shortened
from verifaible.schema.checked import CheckedClaim, CheckedSource, ClaimVerdict
from verifaible.schema.verdict import Passage
from verifaible.text.language import language_of

_PACKAGE: Final = "verifaible.judge.check.shown"
#: Verdicts whose evidence is open when the page is.
_OPEN: Final[tuple[ClaimVerdict, ...]] = ("contradicted", "altered", "not_in_source")
#: Characters of a passage, and passages of a claim, that the page shows; the JSON has all.
MAX_WORDS: Final = 1500
MAX_PASSAGES: Final = 12
_ORDER: Final = {verdict: number for number, verdict in enumerate(VERDICTS)}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage within its sentence: ``before``, the quoted words, ``after``; and where it is from."""

    before: str
    quote: str
    after: str
    passage: Passage
    source: CheckedSource | None
    number: int


@dataclass(frozen=True, slots=True)
class Card:
    """A claim with its evidence."""

    number: int
    claim: CheckedClaim
    told: Told
    place: tuple[int, int]
    evidence: tuple[Evidence, ...]
    operands: tuple[tuple[str, Evidence], ...]
    nearest: Evidence | None
    cites: tuple[tuple[int, str, str], ...]


def page(view: View) -> str:
    """The whole page; every text that is not ours is escaped."""
    checked = view.checked
    cards = [_card(view, number, claim) for number, claim in enumerate(checked.claims, 1)]
    pieces = marked_pieces(checked.text, _spans(cards))
    used = [verdict for verdict in VERDICTS if checked.count(verdict)]
    return pages.render(
        "checked.html",
        css=pages.read_style(_PACKAGE, "checked.css") + "".join(map(_filter, used)),
        packages=(_PACKAGE,),
        checked=checked,
        title=plain(checked.title or checked.name),
        name=plain(checked.name),
        language=language_of("", checked.text[:4000]) or "en",
        view=view,
        filters=[(verdict, VERDICTS[verdict], checked.count(verdict)) for verdict in used],
        rows=[*_rows(pieces, cards)],
        sources=[(source, STATES[source.state], view.cited[source.id]) for source in checked.sources],
        most=MAX_PASSAGES,
        opened=_OPEN,
        plain=plain,
    )


def _filter(verdict: str) -> str:
    """What the page hides while only one verdict is asked for."""
    on = f"body:has(#show-{verdict}:checked)"
    return (
        f"{on} .card:not(.{verdict}), {on} .row:not(:has(.{verdict})) {{ display: none; }}\n"
        f"{on} .flag:not(.{verdict}) {{ opacity: 0.4; }}\n"
    )


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
    flags = "".join(map(_flag, group))
    return Span(group[0].claim.claim.start, end, worst, flags)


def _flag(card: Card) -> str:
    """A link to the evidence: a sign, and a word that is seen where something is wrong."""
    seen = "why" if card.told.level in ("error", "warning") else "unseen"
    return (
        f'<a class="flag {card.claim.verdict}" lang="en" href="#c{card.number}">{card.told.sign}'
        f'<span class="{seen}">{escape(card.told.word)}</span></a>'
    )


def _card(view: View, number: int, claim: CheckedClaim) -> Card:
    sentences = (*claim.sentences, *[""] * len(claim.passages))
    evidence = [_evidence(view, *each) for each in zip(claim.passages, sentences, strict=False)]
    operands = claim.derivation.operands if claim.derivation else ()
    return Card(
        number=number,
        claim=claim,
        told=VERDICTS[claim.verdict],
        place=view.place(claim.claim.start),
        evidence=tuple(evidence),
        operands=tuple(
            (plain(f"{each.name}: {each.value:f} {each.unit}"), _evidence(view, each.passage, ""))
            for each in operands
        ),
        nearest=_evidence(view, claim.nearest.passage, "") if claim.nearest else None,
        cites=tuple(
            (view.numbers.get(name, 0), plain(name), _state(view, name))
            for name in (*claim.claim.cites, *claim.claim.broken)
        ),
    )


def _state(view: View, name: str) -> str:
    """What became of a source that could not be read, in a word or two."""
    source = view.sources.get(name)
    return STATES[source.state].word if source and source.state != "read" else ""


def _evidence(view: View, passage: Passage, sentence: str) -> Evidence:
    before, found, after = sentence.partition(passage.quote)
    if not found or not passage.quote:
        before = after = ""
    before, after = plain(f"{before}|")[:-1], plain(f"|{after}")[1:]  # blanks beside the quote stay
    quote = shortened(passage.quote, MAX_WORDS)
    source = view.sources.get(passage.source)
    return Evidence(before, quote, after, passage, source, view.numbers.get(passage.source, 0))
