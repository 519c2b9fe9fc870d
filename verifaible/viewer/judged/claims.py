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
from verifaible.viewer.judged.status import SIGNS, TONES, WEIGHTS, finding_of, row_of, status_of
from verifaible.viewer.runs.timeline import visible

if TYPE_CHECKING:
    from verifaible.evidence.sources import SourceTexts
    from verifaible.judge.metrics import CheckRow, Found
    from verifaible.schema.analyst import AnalystAnswer, Claim
    from verifaible.schema.judged import JudgedClaim, Vote
    from verifaible.schema.verdict import Operand, Passage
    from verifaible.viewer.judged.reading import Judging
    from verifaible.viewer.judged.status import Check

#: Words around a quote, in code points.
_AROUND = 110
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
    """Words of a source with those before and behind, and the address of the source's page at these words.

    ``fault`` says why the words do not hold; it is empty where they do.
    """

    passage: Passage
    source: Source
    before: str
    after: str
    address: str
    fault: str

    @property
    def link(self) -> str:
        """Where the source is from, if it may be a link."""
        return web_link(self.source.url)


@dataclass(frozen=True, slots=True)
class Card:
    """A claim with everything that was found of it, for one check; ``number`` is for people."""

    claim: Claim
    number: int
    status: str
    row: CheckRow | None
    found: Found | None
    cites: tuple[Cite, ...]
    passages: tuple[ShownPassage, ...]
    operands: tuple[tuple[Operand, ShownPassage], ...]

    @property
    def tone(self) -> str:
        """Class of its colour."""
        return TONES[self.status]

    @property
    def sign(self) -> str:
        """Of its status."""
        return SIGNS[self.status]

    @property
    def weight(self) -> int:
        """Of claims over the same words, the heaviest gives the colour."""
        return WEIGHTS[self.tone]

    @property
    def text(self) -> str:
        """Its words without the signs of Markdown: the answer has them."""
        return _MARKUP.sub(r"\1", visible(self.claim.text))

    @property
    def by(self) -> str:
        """``rules``, ``judge``, or empty where nobody has decided."""
        if self.row is not None:
            return self.row.by
        return "rules" if self.found is not None else ""

    @property
    def reason(self) -> str:
        """One sentence."""
        given = self.row.reason if self.row is not None else ""
        return visible(given or (self.found.reason if self.found is not None else ""))

    @property
    def votes(self) -> tuple[Vote, ...]:
        """Replies of the judge."""
        return self.row.votes if self.row is not None else ()

    @property
    def agreed(self) -> int:
        """Replies that say the same as the status."""
        return sum(each.outcome == "decided" and each.value == self.status for each in self.votes)

    @property
    def faulty(self) -> bool:
        """Whether words that it points to do not hold any more."""
        return any(each.fault for each in (*self.passages, *(shown for _, shown in self.operands)))


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
        found, name = finding_of(judged, check), judged.claim.id
        operands = found.derivation.operands if found is not None and found.derivation is not None else ()
        of_operands = {each.passage for each in operands}
        alone = dict.fromkeys(found.passages if found is not None else ())
        return Card(
            claim=judged.claim,
            number=number,
            status=status_of(judged, check),
            row=row_of(judged, check),
            found=found,
            cites=self.cites(judged.claim.cites),
            passages=tuple(self._passage(each, name) for each in alone if each not in of_operands),
            operands=tuple((each, self._passage(each.passage, name)) for each in operands),
        )

    def cites(self, names: Sequence[str]) -> tuple[Cite, ...]:
        """The sources of these names."""
        return tuple(self._cite(name) for name in names)

    def _cite(self, name: str) -> Cite:
        source = self._sources.get(name)
        if source is None:
            return Cite(visible(name))
        return Cite(visible(name), visible(source.title or source.url), self._address(source.capture))

    def _passage(self, passage: Passage, claim: str) -> ShownPassage:
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
        place = {"start": passage.start, "end": passage.end, "answer": self.answer.id, "claim": claim}
        return ShownPassage(
            passage=passage,
            source=self._sources.get(passage.source) or source_of(passage),
            before=visible(before),
            after=visible(after),
            address=self._address(passage.capture, place),
            fault=fault,
        )

    def _address(self, capture: str, place: Mapping[str, object] | None = None) -> str:
        found = f"{self._judging.address}/sources/{quote(capture, safe='')}"
        return f"{found}?{urlencode(place)}#evidence" if place else found


def source_of(passage: Passage) -> Source:
    """The source that a passage is from, as far as the passage says it."""
    return Source(id=passage.source, kind="context", capture=passage.capture, file=passage.file)


def web_link(url: str) -> str:
    """An address that may be a link: of the web, and of ASCII or text alone; else empty."""
    shown = visible(url)
    return shown if shown == url and url.lower().startswith(("http://", "https://")) else ""


def figure(value: Decimal) -> str:
    """A figure for people: in groups of three, at most six places behind the point."""
    if not value.is_finite() or abs(value.adjusted()) > 40:
        return str(value)
    exponent = value.normalize().as_tuple().exponent
    if isinstance(exponent, int) and exponent < -_PLACES:
        return f"{value:,.{_PLACES}f}…"
    return f"{value.normalize():,f}"
