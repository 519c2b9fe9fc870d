"""Where a quote stands in a text, with the differences that a reader would not see, and what it can bear."""

from __future__ import annotations

import re
from typing import Final

from verifaible.factcheck.plain_text import PlainText
from verifaible.factcheck.words import words_of
from verifaible.kg.chunks import shown, shown_places
from verifaible.kg.triples import Triple
from verifaible.text.numbers import find_quantities

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


def shown_place(text: str, quote: str) -> tuple[int, int] | None:
    """Where a quote of what a model was shown of a text stands in that text first; None where nowhere."""
    spans = PlainText.of(shown(text)).places(quote)
    if not spans:
        return None
    places, (first, last) = shown_places(text), spans[0]
    return places[first], places[last - 1] + 1


def rests_on(triple: Triple, words: str) -> bool:
    """Whether words can bear a triple: they name its head or its tail, and have its figure in some scale.

    A tagged metric is named by its tag, not on the page: of it the figure alone is looked for.
    """
    figure = f"{triple.value:f}" if triple.value else ""
    wanted = {_digits(number) for number in _NUMBER.findall(figure or triple.tail)}
    if wanted and not wanted & _figures(words):
        return False
    names = words_of(triple.head) | words_of(triple.tail)
    return bool(figure or names & words_of(words) or (wanted and not names))


def _figures(words: str) -> set[str]:
    written = {_digits(number) for number in _NUMBER.findall(words)}
    return written | {_digits(f"{each.scaled_value:f}") for each in find_quantities(words, language="en")}


def _digits(number: str) -> str:
    """What is left of a number whatever its scale: in millions, 12.50 is 12,500,000."""
    return re.sub(r"\D", "", number).strip("0")
