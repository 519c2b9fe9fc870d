"""The words that say what a value is of: one for each name and each metric, however it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import Final

from verifaible.factcheck.plain_words import content_words, stem, without_harmless
from verifaible.text.cldr import tender
from verifaible.text.language import HAN
from verifaible.text.lists import words_of

#: Names that are words too: they count with a capital only.
_COMMON: Final = words_of(
    """
    compound maker render stellar cosmos avalanche polygon flow mantle base blast story sky quant gala beam
    harmony terra curve convex balancer drift orca blur plasma scroll lighter optimism dash neo helium
    injective jupiter stacks sonic virtuals sushi gemini gate dune wormhole stargate theta aster babylon near
    link one pepe ronin euler pyth moonbeam akash celestia mina metis kraken immutable brett monad kaia
    """
)
_FLOWS: Final = frozenset(("#inflow", "#outflow"))
_VOLATILE: Final = words_of(
    """
    price market_cap fdv volume tvl open_interest funding_rate dominance apy rsi high low gas liquidity
    moving_average holders addresses users transactions tps circulating_supply
    """
)
#: "Ethereum (ETH)": a source that tells a short name for a long one.
_DEFINED: Final = re.compile(
    r"\b(?P<long>[A-Z][\w.]*(?: (?:of |& )?[A-Z][\w.]*){0,3}) ?[(（](?:(?:ticker|symbol): ?)?\$?"
    r"(?P<short>[A-Z][A-Z0-9]{1,9})[)）]"
    r'|"symbol"\s*:\s*"(?P<short2>[A-Za-z0-9]{2,10})"\s*,\s*"name"\s*:\s*"(?P<long2>[^"\\\n]{2,40})"'
    r'|"name"\s*:\s*"(?P<long3>[^"\\\n]{2,40})"\s*,\s*"symbol"\s*:\s*"(?P<short3>[A-Za-z0-9]{2,10})"'
)
#: The words of a price, and of how much something changed.
PRICE: Final = "#price"
CHANGE: Final = "#change"
_WORD_BEFORE, _WORD_BEHIND = r"(?<![A-Za-z0-9À-ÿ])\$?", r"(?:['’]s)?(?![A-Za-z0-9À-ÿ])"
_DOLLARED: Final = re.compile(r"\$[a-z]{2,10}\b")
#: A letter that names something: "Bank B".
_LETTER: Final = re.compile(r"(?<=\w )[A-Z](?![\w.'’])")
#: A short name in capitals, which no ending is taken from.
_CAPITALS: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Z0-9]{2,}(?![A-Za-z0-9])")
_TOKEN: Final = re.compile(r"[\u3400-\u9fff]|(?:(?![\u3400-\u9fff])[^\W_])+(?:['’&][A-Za-z]+)?")
_MOST_KEPT: Final = 20_000
#: A short name of fewer letters is a scale: "Volume ($B)".
_SHORTEST: Final = 2


@cache
def _data(name: str) -> dict[str, dict[str, list[str]]]:
    text = resources.files("verifaible.factcheck").joinpath(name).read_text(encoding="utf-8")
    data: dict[str, dict[str, list[str]]] = json.loads(text)
    return data


@cache
def _metrics() -> tuple[re.Pattern[str], dict[str, str]]:
    words = {word: name for name, entry in _data("metrics.json").items() for word in entry["words"]}
    return _any_of(words, re.IGNORECASE), {_way(word): name for word, name in words.items()}


def _way(phrase: str) -> str:
    """A phrase as it is looked up: without case, its words parted by single blanks."""
    return re.sub(r"[\s_-]+", " ", phrase).casefold()


def _any_of(words: Iterable[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """One of some phrases, the longest first; words in letters are whole."""
    han, letters = list[str](), list[str]()
    for word in sorted(words, key=len, reverse=True):
        (han if HAN.search(word) else letters).append(
            re.escape(word).replace(r"\ ", r"[\s_-]+").replace(r"\-", r"[\s_-]+")
        )
    parts = [f"{_WORD_BEFORE}(?P<w>{'|'.join(letters)}){_WORD_BEHIND}"] if letters else []
    parts += [f"(?P<h>{'|'.join(han)})"] if han else []
    return re.compile("|".join(parts) or r"(?!)", flags)


class Terms:
    """Reads the words of the sources of one answer.

    Args:
        texts: the sources, which may define names.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._names: dict[str, str] = {}
        for names in _data("aliases.json").values():
            for name, aliases in names.items():
                for alias in (name, *aliases):
                    self._names.setdefault(alias, name)
        for text in texts:
            for match in _DEFINED.finditer(text):
                long = match["long"] or match["long2"] or match["long3"]
                short = match["short"] or match["short2"] or match["short3"]
                if short.upper() in tender() or len(short) < _SHORTEST:
                    continue  # "Price (USD)", "Volume ($B)"
                known = self._names.get(long, self._names.get(short.upper(), long))
                self._names.setdefault(long, known)
                self._names.setdefault(short.upper(), known)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        ways: set[str] = set()
        for alias in self._names:
            ways.add(alias)
            if not alias.isupper() and alias.lower() not in _COMMON and len(alias) > 3:
                ways |= {alias.lower(), alias.upper(), alias.capitalize()}
        return _any_of(ways)

    @cached_property
    def _ways(self) -> dict[str, str]:
        return {_way(alias): name for alias, name in self._names.items()}

    @lru_cache(maxsize=_MOST_KEPT)  # noqa: B019 - it lives as long as an answer's sources
    def names(self, text: str) -> frozenset[str]:
        """The known names in a text, each by one of its ways."""
        return frozenset(f"={name}" for _, _, name in self._found(text))

    @lru_cache(maxsize=_MOST_KEPT)  # noqa: B019 - it lives as long as an answer's sources
    def in_order(self, text: str) -> tuple[str, ...]:
        """The words of a text, as :meth:`of` gives them, in the order in which it has them."""
        found = [(start, f"={name}") for start, _, name in self._found(text)]
        rest = list(text)
        for start, end, _ in self._found(text):
            rest[start:end] = " " * (end - start)
        pattern, metrics = _metrics()
        for match in pattern.finditer("".join(rest)):
            found.append((match.start(), f"#{metrics[_way(match[match.lastgroup or 0])]}"))
            rest[match.start() : match.end()] = " " * (match.end() - match.start())
        for match in _TOKEN.finditer(without_harmless("".join(rest))):
            words = [match[0]] if HAN.match(match[0]) else _plain(match[0])
            found += [(match.start(), word) for word in words]
        found += [(match.start(), match[0]) for match in _LETTER.finditer(text)]
        return tuple(word for _, word in sorted(found, key=lambda each: each[0]))

    def _found(self, text: str) -> Iterator[tuple[int, int, str]]:
        text = _DOLLARED.sub(lambda match: match[0].upper(), text)
        for match in self._pattern.finditer(text):
            yield *match.span(), self._ways[_way(match[match.lastgroup or 0])]

    @lru_cache(maxsize=_MOST_KEPT)  # noqa: B019 - it lives as long as an answer's sources
    def of(self, text: str) -> frozenset[str]:
        """The words of a text: known names and metrics as one word each, other words by their stems."""
        found: set[str] = set()
        rest, last = list[str](), 0
        for start, end, name in self._found(text):
            rest.append(text[last:start])
            found.add(f"={name}")
            last = end
        rest.append(text[last:])
        pattern, metrics = _metrics()
        for part in rest:
            left, at = list[str](), 0
            for match in pattern.finditer(part):
                left.append(part[at : match.start()])
                found.add(f"#{metrics[_way(match[match.lastgroup or 0])]}")
                at = match.end()
            left.append(part[at:])
            found.update(_plain("\n".join(left)))
        if found & _FLOWS:  # which way, the quantity says
            found = found - _FLOWS | {"#flow"}
        return frozenset(found)


def _plain(text: str) -> Iterator[str]:
    """Words that are in no table: short names as they are, Chinese by characters, others by their stems."""
    short = [match[0] for match in _CAPITALS.finditer(text) if match[0] not in tender()]
    yield from map(str.lower, short)
    for word in content_words(_CAPITALS.sub(" ", text)):
        if HAN.search(word):
            yield from word
        elif content_words(word):  # "holdings" are what somebody holds
            yield stem(word)


def unit_of(words: Iterable[str]) -> str:
    """What the metrics among some words are counted in (``money``, ``ratio`` ...); empty where none tells."""
    units = {str(_data("metrics.json")[word[1:]]["unit"]) for word in words if word.startswith("#")} - {""}
    return {"%": "ratio"}.get(unit := next(iter(units)), unit) if len(units) == 1 else ""


def window_of(words: Iterable[str]) -> frozenset[str]:
    """The windows that the metrics among some words are of where none is told: a volume is of a day."""
    windows = (
        str(_data("metrics.json")[word[1:]].get("window", "")) for word in words if word.startswith("#")
    )
    return frozenset(filter(None, windows))


def is_name(word: str) -> bool:
    """Whether a word is a known name."""
    return word.startswith("=")


def is_metric(word: str) -> bool:
    """Whether a word is a known metric."""
    return word.startswith("#")


def is_volatile(word: str) -> bool:
    """Whether a word is a metric that moves from hour to hour: another day says nothing of it."""
    return word[1:] in _VOLATILE
