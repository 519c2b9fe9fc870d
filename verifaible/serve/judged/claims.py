"""The evidence of judged claims as a page shows it: who decided, the words of the source, the calculation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from verifaible.errors import VerifaibleError
from verifaible.schema.analyst import Source
from verifaible.serve.judged.status import SIGNS, TONES, WEIGHTS, finding_of, row_of, status_of
from verifaible.serve.runs.timeline import visible

if TYPE_CHECKING:
    from verifaible.evidence.sources import SourceTexts
    from verifaible.schema.analyst import AnalystAnswer
    from verifaible.schema.judged import Finding, JudgedClaim, Vote
    from verifaible.schema.verdict import Derivation, Passage
    from verifaible.serve.judged.reading import Judging
    from verifaible.serve.judged.status import Check

#: Words around a quote, in code points.
_AROUND = 110
#: Of a quote on a card; the page of the source has all of it.
_QUOTE = 1_200
#: Signs of Markdown that would stand in the way of reading, and the words of a link.
_MARKUP = re.compile(r"\*\*|__|`|\[([^\[\]]*)\]\(https?:[^()\s]*\)")
#: Decimal places beyond which a figure is cut.
_PLACES = 6


@dataclass(frozen=True, slots=True)
class Cite:
    """A source that a claim names; ``address`` is empty where the answer has none of that name."""

    label: str
    title: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """Words of a source.

    Attributes:
        label: what the answer calls the source.
        title: of the source.
        url: where the source is from, as text.
        link: the same, where it may be a link.
        before: words before the quote.
        quote: the words.
        after: words behind it.
        cut: whether the quote is only its beginning.
        capture: SHA-256 of the capture.
        start: first code point in the text of the source.
        end: behind the last one.
        pointer: JSON Pointer of the value.
        address: of the source's page, at these words.
        fault: why the words do not hold; empty where they do.
    """

    label: str
    title: str
    url: str
    link: str
    before: str
    quote: str
    after: str
    cut: bool
    capture: str
    start: int
    end: int
    pointer: str
    address: str
    fault: str


@dataclass(frozen=True, slots=True)
class ShownOperand:
    """A value of a calculation with the words it is from."""

    name: str
    value: str
    unit: str
    passage: ShownPassage


@dataclass(frozen=True, slots=True)
class ShownDerivation:
    """A calculation: the operation by its name, the operands, what it gives."""

    operation: str
    operands: tuple[ShownOperand, ...]
    result: str
    unit: str


@dataclass(frozen=True, slots=True)
class ShownVote:
    """One reply of the judge."""

    outcome: str
    value: str
    reason: str
    fault: str


@dataclass(frozen=True, slots=True)
class Card:
    """A claim with everything that was found of it, for one check.

    Attributes:
        id: of the claim.
        number: for people.
        status: one of ``STATUSES`` of the check.
        tone: class of its colour.
        sign: of its status.
        text: the claim.
        kind: what it states.
        context: heading, table head, label.
        cites: the sources that it names.
        broken: marks that lead to no source.
        by: ``rules``, ``judge``, or empty.
        agreed: replies that say the same as the status; ``asked`` is how many there were.
        asked: replies of the judge.
        votes: the replies.
        reason: one sentence.
        said: what the source says instead.
        passages: where it stands, or where the source says otherwise.
        derivation: the calculation; none: empty.
    """

    id: str
    number: str
    status: str
    tone: str
    sign: str
    text: str
    kind: str
    context: tuple[str, ...]
    cites: tuple[Cite, ...]
    broken: tuple[str, ...]
    by: str
    agreed: int
    asked: int
    votes: tuple[ShownVote, ...]
    reason: str
    said: str
    passages: tuple[ShownPassage, ...]
    derivation: tuple[ShownDerivation, ...]

    @property
    def weight(self) -> int:
        """Of claims over the same words, the heaviest gives the colour."""
        return WEIGHTS[TONES[self.status]]

    @property
    def faulty(self) -> bool:
        """Whether words that it points to do not hold any more."""
        operands = (each.passage for one in self.derivation for each in one.operands)
        return any(each.fault for each in (*self.passages, *operands))


class Evidence:
    """Makes the cards of one answer; reads each source once.

    Args:
        judging: the run of judging.
        answer: whose claims; it can be read from the evidence again.
        texts: the words of the sources, as the store has them now.
    """

    def __init__(self, judging: Judging, answer: AnalystAnswer, texts: SourceTexts) -> None:
        self._judging = judging
        self.answer = answer
        self._texts = texts
        self._sources = {each.id: each for each in answer.sources}

    def card(self, judged: JudgedClaim, check: Check, number: int) -> Card:
        """What a page shows of a claim.

        Args:
            judged: the claim.
            check: which of its checks.
            number: its place among the claims of the answer, from 1.
        """
        claim, row, status = judged.claim, row_of(judged, check), status_of(judged, check)
        found = finding_of(judged, check)
        votes = row.votes if row is not None else ()
        reason = (row.reason if row is not None else "") or (found.reason if found is not None else "")
        derivation = found.derivation if found is not None else None
        return Card(
            id=claim.id,
            number=str(number),
            status=status,
            tone=TONES[status],
            sign=SIGNS[status],
            text=unmarked(claim.text),
            kind=claim.kind,
            context=tuple(map(visible, claim.context)),
            cites=self.cites(claim.cites),
            broken=tuple(map(visible, claim.broken)),
            by=row.by if row is not None else "rules" if found is not None else "",
            agreed=sum(each.outcome == "decided" and each.value == status for each in votes),
            asked=len(votes),
            votes=tuple(map(_vote, votes)),
            reason=visible(reason),
            said=visible(found.said) if found is not None else "",
            passages=tuple(self._passage(each, claim.id) for each in _alone(found)),
            derivation=(self._derivation(derivation, claim.id),) if derivation is not None else (),
        )

    def cites(self, names: Sequence[str]) -> tuple[Cite, ...]:
        """The sources of these names."""
        return tuple(self._cite(name) for name in names)

    def _cite(self, name: str) -> Cite:
        source = self._sources.get(name)
        if source is None:
            return Cite(visible(name))
        return Cite(visible(name), visible(source.title or source.url), self._address(source.capture))

    def _derivation(self, derivation: Derivation, claim: str) -> ShownDerivation:
        return ShownDerivation(
            operation=derivation.operation,
            operands=tuple(
                ShownOperand(
                    visible(each.name),
                    figure(each.value),
                    visible(each.unit),
                    self._passage(each.passage, claim),
                )
                for each in derivation.operands
            ),
            result=figure(derivation.result),
            unit=visible(derivation.unit),
        )

    def _passage(self, passage: Passage, claim: str) -> ShownPassage:
        source = self._sources.get(passage.source) or source_of(passage)
        before, after, fault = "", "", ""
        try:
            if self._texts.holds(passage):
                text = self._texts.text(source_of(passage))
                before = text[max(0, passage.start - _AROUND) : passage.start]
                after = text[passage.end : passage.end + _AROUND]
            else:
                fault = "changed"
        except VerifaibleError as error:
            fault = visible(str(error))
        place: dict[str, object] = {
            "start": passage.start,
            "end": passage.end,
            "answer": self.answer.id,
            "claim": claim,
        }
        return ShownPassage(
            label=visible(passage.source),
            title=visible(source.title),
            url=visible(source.url),
            link=web_link(source.url),
            before=visible(before),
            quote=visible(passage.quote[:_QUOTE]),
            after=visible(after),
            cut=len(passage.quote) > _QUOTE,
            capture=passage.capture,
            start=passage.start,
            end=passage.end,
            pointer=visible(passage.pointer),
            address=self._address(passage.capture, place),
            fault=fault,
        )

    def _address(self, capture: str, place: Mapping[str, object] | None = None) -> str:
        found = f"{self._judging.address}/sources/{quote(capture, safe='')}"
        return f"{found}?{urlencode(place)}#evidence" if place else found


def _alone(finding: Finding | None) -> Sequence[Passage]:
    """The passages of a finding that no operand of its calculation shows."""
    if finding is None:
        return ()
    shown = (
        {each.passage for each in finding.derivation.operands} if finding.derivation is not None else set()
    )
    return [each for each in dict.fromkeys(finding.passages) if each not in shown]


def source_of(passage: Passage) -> Source:
    """The source that a passage is from, as far as the passage says it."""
    return Source(id=passage.source, kind="context", capture=passage.capture, file=passage.file)


def web_link(url: str) -> str:
    """An address that may be a link: of the web, and of ASCII or text alone; else empty."""
    shown = visible(url)
    return shown if shown == url and url.lower().startswith(("http://", "https://")) else ""


def unmarked(text: str) -> str:
    """The words of a claim without the signs of Markdown: the answer has them."""
    return _MARKUP.sub(r"\1", visible(text))


def figure(value: Decimal) -> str:
    """A figure for people: in groups of three, at most six places behind the point."""
    if not value.is_finite() or abs(value.adjusted()) > 40:
        return str(value)
    exponent = value.normalize().as_tuple().exponent
    if isinstance(exponent, int) and exponent < -_PLACES:
        return f"{value:,.{_PLACES}f}…"
    return f"{value.normalize():,f}"


def _vote(vote: Vote) -> ShownVote:
    return ShownVote(vote.outcome, visible(vote.value), visible(vote.reason), visible(vote.fault))
