"""Numbers that rest on the words of a page or of news: these have no JSON Pointer.

Such a number lacks evidence of what it is, since only its value can be looked for. It is compared all the
same: one that its text does not say is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from verifaible.crypto.numbers.resolve import numbers_of
from verifaible.crypto.tools.api import Api
from verifaible.evidence.given.sources import SourceTexts
from verifaible.judge.numbers.quantities import Quantity, liken_as, quantities
from verifaible.schema.analyst import Source
from verifaible.schema.data import NumberEvidence


def checked_numbers(text: str, *, prompt: str, api: Api) -> tuple[NumberEvidence, ...]:
    """What the numbers of an answer rest on, those marked with a text compared with its words.

    Args:
        text: the answer, with its marks.
        prompt: the question.
        api: has the data that its tools showed and computed.

    Raises:
        StoreError: a source cannot be read, or was changed.
    """
    found = numbers_of(text, prompt=prompt, api=api)
    texts = SourceTexts(api.book.store)
    sources = {each.id: each for each in api.book.sources}
    claimed = {each.start: each for each in quantities(text)}
    return tuple(
        _compared(each, claimed[each.start], texts.text(sources[each.mark]))
        if each.start in claimed and in_words(each, api.book.sources)
        else each
        for each in found
    )


def in_words(number: NumberEvidence, sources: Sequence[Source]) -> bool:
    """Whether a number is marked with a text, in which no pointer leads to it."""
    marked = number.status == "none" and not number.pointer
    return marked and any(each.id == number.mark and not each.file.endswith(".json") for each in sources)


def _compared(number: NumberEvidence, claimed: Quantity, words: str) -> NumberEvidence:
    likeness = {
        liken_as(claimed, each.unit, each.value, each.half, stated=each) for each in quantities(words)
    }
    if not likeness & {"same", "open"}:
        reason = f"{number.mark} is a text, and does not say this number."
        return number.model_copy(update={"status": "wrong", "reason": reason})
    said = "says this number" if "same" in likeness else "says a number like this"
    reason = f"{number.mark} is a text that {said}; of what it says it was not compared."
    return number.model_copy(update={"reason": reason})
