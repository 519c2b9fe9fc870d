"""A judge without a model, which follows fixed rules of surface. What it says is no result.

It stands in the place of a model: it is asked with the same words and replies with text that is read in the
same way, so that the whole path from triples to tables shows without a key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from verifaible.errors import ModelAnswerInvalid
from verifaible.kg.judging.protocol import COVERAGE
from verifaible.kg.ontology import read_ontology
from verifaible.kg.verdicts import CRITERIA, SCRIPTED
from verifaible.llm.forms import AnswerForm
from verifaible.runs.replies import ModelIdentity
from verifaible.schema.chat import Message, ModelTurn, ToolSpec
from verifaible.text.sentences import sentence_span
from verifaible.version import __version__

IDENTITY: Final = ModelIdentity(slug=f"{SCRIPTED}-{__version__}", temperature=0.0)
_PART: Final = re.compile(
    r"^--- content of (?P<label>[^\n]*?) \(untrusted; [^\n]*?\) (?P<mark>[0-9a-f]+) ---\n(?P<text>.*?)\n?"
    r"^--- end of content (?P=mark) ---$",
    re.M | re.S,
)
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


class ScriptedJudge:
    """A :class:`~verifaible.llm.base.ModelClient` that judges by rules of surface.

    Faithful is a triple whose tail, or whose figure, stands in the text; precise one that names no mere kind
    of thing and no figure that the text does not have; relevant one whose tail is a name or a figure. A set
    is good that has half of the figures of the text.
    """

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The reply to a question of :mod:`.protocol`.

        Raises:
            ModelAnswerInvalid: it is no such question.
        """
        system, user = messages[0].text, messages[-1].text
        parts = {match["label"]: match["text"] for match in _PART.finditer(user)}
        criterion = next((each for each in (*CRITERIA, COVERAGE) if f"\n{each.capitalize()}: " in system), "")
        if not criterion or not {"the text", "the triples"} <= parts.keys():
            raise ModelAnswerInvalid("The scripted judge takes questions about triples only. Name a model.")
        triples = [
            json.loads(line.partition(" ")[2])
            for line in parts["the triples"].splitlines()
            if line[:1].isdigit()
        ]
        said = self.judged(criterion, parts["the text"], triples)
        return ModelTurn(text=json.dumps(said, ensure_ascii=False), model=IDENTITY.slug)

    def judged(self, criterion: str, text: str, triples: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
        """The items of the reply."""
        if criterion == COVERAGE:
            return [_coverage(text, triples)]
        rule = {"faithfulness": _faithful, "precision": _precise, "relevance": _relevant}[criterion]
        return [rule(text, triple) for triple in triples]

    async def aclose(self) -> None:
        """It holds nothing open."""


def _faithful(text: str, triple: Sequence[str]) -> dict[str, Any]:
    place = _place(text, triple)
    if place is None:
        return _item(0, "It does not stand in the text.", _missing(triple)) | {"span": ""}
    start, end = sentence_span(text, *place)
    return _item(1, "It stands in the text.") | {"span": text[start:end]}


def _precise(text: str, triple: Sequence[str]) -> dict[str, Any]:
    types = read_ontology().types
    kinds = {name.casefold() for kind, each in types.items() for name in (kind, *each.aliases)}
    if {triple[0].casefold(), triple[2].casefold()} & kinds:
        return _item(0, "An end is the name of a kind.", "generic_entity")
    if any(_digits(number) not in _figures(text) for number in _numbers(triple)):
        return _item(0, "The text has another figure.", "amount_mismatch")
    return _item(1, "Its ends are specific.")


def _relevant(text: str, triple: Sequence[str]) -> dict[str, Any]:
    if len(triple) == 3 and triple[2][:1].islower():
        return _item(0, "Its tail is neither a name nor a figure.", "off_topic")
    return _item(1, "Its tail is a name or a figure.")


def _coverage(text: str, triples: Sequence[Sequence[str]]) -> dict[str, Any]:
    wanted = _figures(text)
    held = wanted & {_digits(number) for triple in triples for number in _numbers(triple)}
    if 2 * len(held) >= len(wanted) and (triples or not wanted):
        return _item("good", "Half of the figures are there.")
    return _item("partial" if triples else "bad", "Figures are missing.", "missing_information")


def _item(verdict: int | str, reason: str, warning: str = "") -> dict[str, Any]:
    return {"verdict": verdict, "reasoning": reason, "warning": warning}


def _missing(triple: Sequence[str]) -> str:
    return "amount_mismatch" if _numbers(triple) else "hallucination"


def _place(text: str, triple: Sequence[str]) -> tuple[int, int] | None:
    """Where a triple's figure, or else its tail, stands in the text."""
    if len(triple) > 3:
        wanted = {_digits(number) for number in _numbers(triple)}
        found = (match for match in _NUMBER.finditer(text) if _digits(match[0]) in wanted)
        return next((match.span() for match in found), None)
    match = re.search(re.escape(triple[2]), text, re.IGNORECASE)
    return match.span() if match else None


def _numbers(triple: Sequence[str]) -> list[str]:
    """Of a figure its value, else the numbers of the tail."""
    if len(triple) > 3:
        return _NUMBER.findall(triple[3])[:1]
    return _NUMBER.findall(triple[2])


def _figures(text: str) -> set[str]:
    return {_digits(number) for number in _NUMBER.findall(text)}


def _digits(number: str) -> str:
    """What is left of a number whatever its scale: in millions, 12.50 is 12,500,000."""
    return re.sub(r"\D", "", number).strip("0")
