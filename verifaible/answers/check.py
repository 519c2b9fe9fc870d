"""The check of an answer: each sentence, what it states, and whether its citations hold that.

Pure over an :class:`EvidenceSource`. The rule of markers: a marker covers the sentence it stands in or
directly behind; in a table its row, in a list its item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from verifaible.answers.facts import FactKind, StatedFact, find_facts
from verifaible.answers.markers import body_of
from verifaible.answers.sentences import Piece, pieces_of
from verifaible.answers.support import CitedEvidence, Holds
from verifaible.errors import CitationNotFound
from verifaible.old.numbers import decimal_comma_of
from verifaible.old.units import told_units
from verifaible.schema.base import Record
from verifaible.text.flat import flatten
from verifaible.text.markdown import BlockKind, Plain, blocks_of, plain
from verifaible.text.markers import Marker, find_markers
from verifaible.text.units import Unit

#: ``supported`` all facts stand in the cited evidence; ``partly`` some do not; ``unsupported`` facts and no
#: marker; ``no_facts`` nothing to support; ``broken`` a marker leads nowhere, or to what does not verify.
State: TypeAlias = Literal["supported", "partly", "unsupported", "no_facts", "broken"]
#: States that are as they should be.
SOUND: tuple[State, ...] = ("supported", "no_facts")


class EvidenceSource(Protocol):
    """Gives the evidence that a marker leads to."""

    def find(self, target: str) -> CitedEvidence:
        """The citation of a marker's target: a number of the answer, an id, or the beginning of an id.

        Raises:
            CitationNotFound: the target leads nowhere.
        """
        ...


class Fact(Record):
    """A fact of a sentence.

    ``start`` and ``end`` count code points of the answer; ``held`` says whether the evidence, or the question
    (``asked``), has it.
    """

    kind: FactKind
    raw: str
    start: int
    end: int
    held: bool = False
    asked: bool = False


class CheckedMarker(Record):
    """A marker: where it stands, the citations it leads to, and why it is broken where it is."""

    start: int
    end: int
    targets: tuple[str, ...]
    citations: tuple[str, ...] = ()
    fault: str = ""


class CheckedSentence(Record):
    """A sentence with its state; ``answer[start:end]`` is ``text``, ``missing`` is what no evidence holds."""

    start: int
    end: int
    text: str
    kind: BlockKind
    state: State
    facts: tuple[Fact, ...] = ()
    missing: tuple[str, ...] = ()
    markers: tuple[CheckedMarker, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """Why its markers are broken."""
        return tuple(dict.fromkeys(marker.fault for marker in self.markers if marker.fault))


class CheckedAnswer(Record):
    """An answer with its sentences in order; what stands between them is no part of any."""

    answer: str
    question: str = ""
    sentences: tuple[CheckedSentence, ...] = ()
    markers: tuple[CheckedMarker, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every sentence is supported or has nothing to support."""
        return all(sentence.state in SOUND for sentence in self.sentences)

    @property
    def lacking(self) -> tuple[CheckedSentence, ...]:
        """The sentences that are not as they should be."""
        return tuple(sentence for sentence in self.sentences if sentence.state not in SOUND)

    @property
    def citations(self) -> tuple[str, ...]:
        """The ids of all citations that its markers lead to, in order of first appearance."""
        found = (name for marker in self.markers for name in marker.citations)
        return tuple(dict.fromkeys(found))

    def count(self, state: State) -> int:
        """How many sentences are in a state."""
        return sum(sentence.state == state for sentence in self.sentences)


def check(answer: str, source: EvidenceSource, *, question: str = "") -> CheckedAnswer:
    """Check every sentence of an answer against the evidence that its markers lead to.

    Args:
        answer: Markdown or plain text with ``[@v:N]`` markers; definition lines are not read here.
        source: gives the evidence.
        question: what it states may be repeated without a marker.
    """
    body = body_of(answer)
    pieces = pieces_of(blocks_of(body))
    return _Checking(answer, body, pieces, source, question).all()


class _Checking:
    """One check; evidence is asked for once a target."""

    def __init__(
        self, answer: str, body: str, pieces: Sequence[Piece], source: EvidenceSource, question: str
    ) -> None:
        self._answer, self._body, self._question = answer, body, question
        self._pieces = _with_lone_markers(pieces, body)
        self._source = source
        self._found: dict[str, CitedEvidence | str] = {}
        self._holds: dict[str, Holds] = {}
        words = plain(body).text
        self._comma = decimal_comma_of(flatten(words), flatten(question))
        asked = CitedEvidence(id="question", text=question)
        self._asked = Holds(asked, decimal_comma=self._comma) if question.strip() else None

    def all(self) -> CheckedAnswer:
        """Every sentence."""
        read = [self._marker(marker) for marker in find_markers(self._body)]
        own = [[each for each in read if _belongs(each, piece)] for piece in self._pieces]
        covered: dict[int, list[CheckedMarker]] = {}
        for piece, markers in zip(self._pieces, own, strict=True):
            covered.setdefault(piece.group, []).extend(markers)
        sentences = [
            self._sentence(piece, covered[piece.group] if piece.group else markers)
            for piece, markers in zip(self._pieces, own, strict=True)
        ]
        return CheckedAnswer(
            answer=self._answer, question=self._question, sentences=tuple(sentences), markers=tuple(read)
        )

    def _marker(self, marker: Marker) -> CheckedMarker:
        citations, faults = [], []
        for target in marker.targets:
            evidence = self._evidence(target)
            if isinstance(evidence, str):
                faults.append(evidence)
                continue
            citations.append(evidence.id)
            if not evidence.ok:
                faults.append(f"The citation {evidence.id} does not verify: {evidence.reason}")
        return CheckedMarker(
            start=marker.start,
            end=marker.end,
            targets=marker.targets,
            citations=tuple(citations),
            fault=" ".join(faults),
        )

    def _evidence(self, target: str) -> CitedEvidence | str:
        if target not in self._found:
            try:
                evidence = self._source.find(target)
            except CitationNotFound as error:
                self._found[target] = str(error)
            else:
                self._found[target] = evidence
                self._holds.setdefault(evidence.id, Holds(evidence, decimal_comma=self._comma))
        return self._found[target]

    def _sentence(self, piece: Piece, markers: Sequence[CheckedMarker]) -> CheckedSentence:
        shown = plain(self._body[piece.start : piece.end], piece.start)
        words = _cells_apart(shown.text) if piece.kind == "row" else shown.text
        told = told_units(*piece.header) if piece.kind == "row" else ()
        cited = [self._holds[name] for marker in markers if not marker.fault for name in marker.citations]
        facts = [self._fact(each, shown, words, told, cited) for each in self._stated(piece, words)]
        needed = [fact for fact in facts if not fact.asked]
        missing = tuple(dict.fromkeys(fact.raw for fact in needed if not fact.held))
        state: State = "supported"
        if any(marker.fault for marker in markers):
            state = "broken"
        elif not needed:
            state = "no_facts"
        elif not markers:
            state = "unsupported"
        elif missing:
            state = "partly"
        return CheckedSentence(
            start=piece.start,
            end=piece.end,
            text=self._answer[piece.start : piece.end],
            kind=piece.kind,
            state=state,
            facts=tuple(facts),
            missing=missing,
            markers=tuple(markers),
        )

    def _stated(self, piece: Piece, words: str) -> tuple[StatedFact, ...]:
        """The facts that count: none of a question, code or the head of a table; of a heading only values."""
        if piece.kind in ("code", "header") or words.rstrip(" \"'”’」』)）»*_").endswith(("?", "？")):
            return ()
        comma = decimal_comma_of(flatten(words))
        facts = find_facts(words, decimal_comma=self._comma if comma is None else comma)
        return tuple(fact for fact in facts if _is_value(fact)) if piece.kind == "heading" else facts

    def _fact(
        self, fact: StatedFact, shown: Plain, words: str, told: tuple[Unit, ...], cited: Sequence[Holds]
    ) -> Fact:
        start, end = shown.span(fact.start, fact.end)
        return Fact(
            kind=fact.kind,
            raw=fact.raw,
            start=start,
            end=end,
            held=any(each.holds(fact, words, told) for each in cited),
            asked=self._asked is not None and self._asked.holds(fact, words),
        )


def _belongs(marker: CheckedMarker, piece: Piece) -> bool:
    return piece.start <= marker.start < piece.end


def _with_lone_markers(pieces: Sequence[Piece], body: str) -> tuple[Piece, ...]:
    """The pieces, those of markers alone joined with the sentence before them."""
    result: list[Piece] = []
    for piece in pieces:
        words = plain(body[piece.start : piece.end]).text
        lone = piece.kind in ("paragraph", "item") and not any(char.isalnum() for char in words)
        if not lone:
            result.append(piece)
        elif (
            result
            and result[-1].kind in ("paragraph", "item")
            and find_markers(body[piece.start : piece.end])
        ):
            result[-1] = result[-1].model_copy(update={"end": piece.end})
    return tuple(result)


def _cells_apart(text: str) -> str:
    """The text of a row in which no number is read together with that of the next cell."""
    return text.replace("|", "\t")


def _is_value(fact: StatedFact) -> bool:
    """Whether a number is a measured one: with a unit, a scale, a sign or decimals."""
    number = fact.number
    if fact.kind != "number" or number is None:
        return False
    exponent = number.value.as_tuple().exponent
    return bool(number.unit or number.sign_source or number.scale != 1) or (
        isinstance(exponent, int) and exponent < 0
    )
