"""Judged claims on a page: their status, their cards with evidence, and the answer that marks them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape, unescape
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from markupsafe import Markup

from verifaible.reporting.markdown import Span, marked_units
from verifaible.schema.analyst import Claim
from verifaible.schema.judged import CitationRow, HallucinationRow, JudgedClaim, Vote
from verifaible.schema.verdict import Derivation, Operand, Passage, Verdict
from verifaible.viewer.marked import for_viewer
from verifaible.viewer.passages import Quoted
from verifaible.viewer.text import plain_text

#: Which of the two checks of a claim a page shows.
Check: TypeAlias = Literal["citations", "hallucination"]
CHECKS: Final[tuple[Check, ...]] = ("citations", "hallucination")
#: Class of its colour, sign (so that it does not depend on colour), and name of each status.
LOOKS: Final[Mapping[str, tuple[str, str, str]]] = {
    "direct": ("exact", "✓", "direct"),
    "exact": ("exact", "✓", "exact"),
    "derivable": ("derived", "∑", "derived"),
    "incorrect": ("refuted", "✕", "refuted"),
    "contradiction": ("refuted", "≠", "contradicted"),
    "fabricated": ("refuted", "✕", "in no source"),
    "missing": ("missing", "∅", "citation missing"),
    "undecided": ("undecided", "?", "undecided"),
    "failed": ("failed", "!", "judge failed"),
    "not_judged": ("not_judged", "○", "not judged"),
    "not_needed": ("not_needed", "–", "no source needed"),
}
#: Statuses of each check, in the order in which pages list them.
STATUSES: Final[Mapping[Check, tuple[str, ...]]] = {
    "citations": tuple(each for each in LOOKS if each not in ("exact", "contradiction", "fabricated")),
    "hallucination": tuple(each for each in LOOKS if each not in ("direct", "incorrect", "missing")),
}
#: Of claims over the same words, the last of these gives the colour.
_LIGHTEST_FIRST: Final = (
    *("not_needed", "exact", "derived", "not_judged", "undecided", "missing", "failed", "refuted"),
)
_OF_FOUND: Final[Mapping[Check, Mapping[str, str]]] = {
    "citations": {
        "supported": "direct",
        "derived": "derivable",
        "contradicted": "incorrect",
        "not_found": "incorrect",
    },
    "hallucination": {
        "supported": "exact",
        "derived": "derivable",
        "contradicted": "contradiction",
        "not_found": "fabricated",
    },
}
#: Signs of Markdown that would stand in the way of reading, and the words of a link.
_MARKUP: Final = re.compile(r"\*\*|__|`|\[([^\[\]]*)\]\(https?:[^()\s]*\)")
#: The link of a claim to its card; the text cannot forge it, for its angle brackets are escaped.
_CHIP: Final = re.compile(r'<a class="chip [^"]*" id="at-([^"]*)"')
#: Markdown can take time with the square of its length, so a long answer is drawn piece by piece.
CHUNK_CHARS: Final = 20_000
#: A longer answer is drawn so far.
MAX_DRAWN_CHARS: Final = 60_000


def row_of(judged: JudgedClaim, check: Check) -> CitationRow | HallucinationRow | None:
    """The row of that check; None where it was not made."""
    return judged.citations if check == "citations" else judged.hallucination


def found_of(judged: JudgedClaim, check: Check) -> Verdict | None:
    """What was found for that check: by whoever decided, else by the rules."""
    row = row_of(judged, check)
    if row is not None and row.finding is not None:
        return row.finding
    return judged.finding if check == "citations" else judged.anywhere


def status_of(judged: JudgedClaim, check: Check) -> str:
    """The status of a claim, one of ``STATUSES[check]``.

    ``undecided`` is said of a judge that would not say, and of rules that left it open with nobody asked.
    """
    row = row_of(judged, check)
    if row is not None:
        if row.outcome == "decided":
            return row.status or "failed"  # decided without a status is a fault of whoever wrote it
        return {"abstain": "undecided"}.get(row.outcome, row.outcome)
    if not judged.claim.factual:
        return "not_needed"
    found = found_of(judged, check)
    return _OF_FOUND[check].get(_outcome(found), "undecided") if found is not None else "not_judged"


def _outcome(found: Verdict) -> str:
    return "not_found" if found.outcome == "contradicted" and not found.said else found.outcome


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a bar: a status, how many claims have it, and where the part stands, in per cent."""

    status: str
    count: int
    x: float
    width: float


def shares_of(counts: Counter[str], check: Check) -> tuple[Share, ...]:
    """The parts of a bar that shows how many claims have which status."""
    whole, at, found = sum(counts.values()), 0.0, []
    for status in STATUSES[check]:
        if counts[status]:
            width = 100 * counts[status] / whole
            found.append(Share(status, counts[status], at, width))
            at += width
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Cite:
    """A source that a claim names; ``address`` is empty where the answer has none of that name."""

    label: str
    title: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A claim with everything that was found of it, for one check.

    Attributes:
        claim: the claim.
        number: its place among those of the answer, from 1.
        text: its words without the signs of Markdown: the answer has them.
        status: how it stands.
        by: ``rules``, ``judge``, or empty where nobody has decided.
        reason: one sentence.
        said: what a source says instead.
        votes: replies of the judge.
        agreed: those of them that say the same as the status.
        cites: sources that it names.
        passages: words of sources that it rests on.
        derivation: the calculation that it follows from.
        operands: the values of the calculation, with their words.
    """

    claim: Claim
    number: int
    text: str
    status: str
    by: str
    reason: str
    said: str
    votes: tuple[Vote, ...]
    agreed: int
    cites: tuple[Cite, ...]
    passages: tuple[Quoted, ...]
    derivation: Derivation | None
    operands: tuple[tuple[Operand, Quoted], ...]

    @property
    def faulty(self) -> bool:
        """Whether words that it points to do not hold any more."""
        return any(each.fault for each in (*self.passages, *(shown for _, shown in self.operands)))


def card_of(
    judged: JudgedClaim,
    check: Check,
    number: int,
    cite: Callable[[str], Cite],
    quote: Callable[[Passage, str], Quoted],
) -> Card:
    """What a page shows of a claim.

    Args:
        judged: the claim.
        check: which of its checks.
        number: its place among the claims of the answer, from 1.
        cite: the source of that name.
        quote: a passage as its source has it now, for the claim of that id.
    """
    row, found, name = row_of(judged, check), found_of(judged, check), judged.claim.id
    derivation = found.derivation if found is not None else None
    operands = derivation.operands if derivation is not None else ()
    alone = dict.fromkeys(found.passages if found is not None else ())
    status, votes = status_of(judged, check), row.votes if row is not None else ()
    return Card(
        claim=judged.claim,
        number=number,
        text=_MARKUP.sub(r"\1", judged.claim.text),
        status=status,
        by=row.by if row is not None else "rules" if found is not None else "",
        reason=(row.reason if row is not None else "") or (found.reason if found is not None else ""),
        said=found.said if found is not None else "",
        votes=votes,
        agreed=sum(each.outcome == "decided" and each.value == status for each in votes),
        cites=tuple(map(cite, judged.claim.cites)),
        passages=tuple(
            quote(each, name) for each in alone if each not in {operand.passage for operand in operands}
        ),
        derivation=derivation,
        operands=tuple((each, quote(each.passage, name)) for each in operands),
    )


def figure(value: Decimal) -> str:
    """A figure for people: in groups of three, at most six places behind the point."""
    if not value.is_finite() or abs(value.adjusted()) > 40:
        return str(value)
    exponent = value.normalize().as_tuple().exponent
    if isinstance(exponent, int) and exponent < -6:
        return f"{value:,.6f}…"
    return f"{value.normalize():,f}"


# --- the answer


@dataclass(frozen=True, slots=True)
class Drawn:
    """A piece of a drawn answer: HTML, and then the cards of the claims that end in it."""

    html: Markup
    cards: tuple[Card, ...] = ()


def drawn_answer(text: str, cards: Sequence[Card]) -> tuple[tuple[Drawn, ...], tuple[Card, ...]]:
    """Draw an answer with its claims, and give the cards that have no place in what is drawn.

    Each block that holds words becomes a unit: the block, and behind it the claims that end in it, so that
    a page can set their evidence beside the block or, on a phone, below it.
    """
    shown, by_name = plain_text(text)[:MAX_DRAWN_CHARS], {each.claim.id: each for each in cards}
    pieces: list[Drawn] = []
    for start, end in _chunks(shown):
        here = [
            (max(0, each.claim.start - start), each.claim.end - start, each)
            for each in cards
            if each.claim.start < end and each.claim.end > start
        ]
        html: list[str] = []
        for unit, has_words in marked_units(shown[start:end], _spans(here), "claimed"):
            if not has_words:
                html.append(unit)
                continue
            html.append(f'<div class="answer-unit"><div class="block">{for_viewer(unit)}</div>')
            if names := tuple(map(unescape, _CHIP.findall(unit))):
                html.append('<div class="evidence-cards">')
                pieces.append(_drawn(html, [by_name[each] for each in names]))
                html = ["</div>"]
            html.append("</div>\n")
        pieces.append(_drawn(html))
    placed = {each.claim.id for piece in pieces for each in piece.cards}
    return tuple(pieces), tuple(each for each in cards if each.claim.id not in placed)


def _drawn(html: Sequence[str], cards: Sequence[Card] = ()) -> Drawn:
    return Drawn(Markup("".join(html)), tuple(cards))  # noqa: S704 - of escaped text and our own tags


def _chunks(text: str) -> list[tuple[int, int]]:
    """Ranges of a text, one behind the other, cut before headings, or behind blank lines or lines."""
    chunks, start = [], 0
    while start < len(text):
        end = min(len(text), start + CHUNK_CHARS)
        for border, kept in (("\n#", 1), ("\n\n", 2), ("\n", 1)) if end < len(text) else ():
            found = text.rfind(border, start + CHUNK_CHARS // 2, end)
            if found >= 0:
                end = found + kept
                break
        chunks.append((start, end))
        start = end
    return chunks


def _spans(claims: Sequence[tuple[int, int, Card]]) -> list[Span]:
    """The colours of a text, and behind each the links of the claims that end with it."""
    changes: dict[int, Counter[int]] = {}
    chips: dict[int, str] = {}
    for start, end, card in sorted(claims, key=lambda each: (each[1], each[0])):
        tone, sign, name = LOOKS[card.status]
        weight = _LIGHTEST_FIRST.index(tone)
        changes.setdefault(start, Counter())[weight] += 1
        changes.setdefault(end, Counter())[weight] -= 1
        at, told = escape(card.claim.id), escape(f"Claim {card.number}: {name}")
        chips[end] = chips.get(end, "") + (
            f'<a class="chip {tone}" id="at-{at}" href="#{at}" aria-label="{told}">'
            f'<span aria-hidden="true">{sign}</span>{card.number}</a>'
        )
    spans, over = [], Counter[int]()
    for start, end in pairwise(sorted(changes)):
        over.update(changes[start])
        heaviest = max((weight for weight, count in over.items() if count > 0), default=None)
        kind = _LIGHTEST_FIRST[heaviest] if heaviest is not None else ""
        spans.append(Span(start, end, kind, chips.get(end, "")))
    return spans
