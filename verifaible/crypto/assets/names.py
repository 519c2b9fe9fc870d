"""Names of assets, venues and providers, and words for metrics, as sentences and field names have them.

``aliases.json`` of the rules of ``factcheck`` has the ways to write a name, ``metrics.json`` the words for a
metric in English, Chinese, German, French and Spanish. Which coin a name means,
:mod:`verifaible.crypto.assets.resolver` tells; here only what a sentence speaks of is found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Final, Literal, TypeAlias

from verifaible.text.language import HAN
from verifaible.text.lists import words_of

NameKind: TypeAlias = Literal["asset", "venue", "provider"]

_LETTER: Final = r"[^\W_\u3040-\u9fff\uac00-\ud7af]"
_WORD: Final = re.compile(rf"{_LETTER}+")
_TICKER: Final = re.compile(r"[A-Z0-9]{1,10}|[a-z]{1,3}[A-Z]{2,6}")
#: Capitals that are no ticker.
ACRONYMS: Final = words_of(
    """
    TVL APY APR RSI TPS ATH ATL FDV USD US EU UK AI API ETF ETFS DEX CEX NFT NFTS DAO DAOS EMA SMA MA MACD
    YOY QOQ MOM YTD ROI AUM CPI GDP FOMC SEC KYC CEO CTO CFO COO IPO TGE OI MC LP LPS L1 L2 PNL EUR GBP JPY
    KRW CNY HKD UTC CFTC ESG IMF ECB FED DEFI RWA RWAS DCA HODL P2P SDK EVM VM POS POW ICO IDO IEO CBDC MEV
    """
)
#: Behind a dollar sign in a table's head they are no ticker: "($B)", "$mn".
_SCALES: Final = words_of("k m b t mm mn bn tn million millions billion billions thousand thousands")
#: The second part of a pair: ``HYPE/USDC`` is HYPE.
_QUOTED: Final = re.compile(r"[/-](?:USDT|USDC|USD|BUSD|FDUSD|EUR|KRW|TRY)\b")


@dataclass(frozen=True, slots=True)
class Name:
    """A name at ``text[start:end]``: how the table calls it, and its kind."""

    start: int
    end: int
    value: str
    kind: NameKind = "asset"


@cache
def name_table() -> dict[str, dict[str, list[str]]]:
    """The ways to write a name, by group (assets, venues, providers) and name."""
    text = resources.files("verifaible.factcheck").joinpath("aliases.json").read_text(encoding="utf-8")
    data: dict[str, dict[str, list[str]]] = json.loads(text)
    return {group: data[group] for group in ("assets", "venues", "providers")}


@cache
def common_words() -> frozenset[str]:
    """Names that are words of English, too, in lower case."""
    text = resources.files("verifaible.crypto").joinpath("words.json").read_text(encoding="utf-8")
    return frozenset(json.loads(text)["asset_words"])


class Phrases:
    """Phrases in a text, each with what it stands for; the longest at a place counts."""

    def __init__(self, phrases: Iterable[tuple[str, str]]) -> None:
        self._values = {_folded(phrase): value for phrase, value in phrases}
        wide = sorted(filter(HAN.search, self._values), key=len, reverse=True)
        latin = sorted(set(self._values).difference(wide), key=len, reverse=True)
        forms = ("[ \u00a0.&_-]+".join(map(re.escape, each.split())) for each in latin)
        parts = [rf"(?<!{_LETTER})(?:{'|'.join(forms)})(?!{_LETTER})"] if latin else []
        self._pattern = re.compile("|".join([*parts, *map(re.escape, wide)]) or r"(?!)", re.IGNORECASE)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where each begins and ends, and what it stands for, in order."""
        for match in self._pattern.finditer(text):
            yield (*match.span(), self._values[_folded(match[0])])

    def get(self, text: str) -> str:
        """What a whole text stands for; empty for no phrase."""
        return self._values.get(_folded(text), "")


def _folded(phrase: str) -> str:
    return phrase if HAN.search(phrase) else " ".join(_WORD.findall(phrase.lower()))


@cache
def _metrics() -> Phrases:
    text = resources.files("verifaible.crypto.assets").joinpath("metrics.json").read_text(encoding="utf-8")
    data: dict[str, list[str]] = json.loads(text)
    return Phrases((word, name) for name, words in data.items() for word in words)


@lru_cache(maxsize=2048)
def find_metrics(text: str) -> tuple[Name, ...]:
    """The metrics that a text names, in order (their kind says nothing)."""
    return tuple(Name(*each) for each in _metrics().find(text))


@cache
def _known() -> tuple[Phrases, dict[str, str], dict[str, NameKind]]:
    kinds: dict[str, NameKind] = {}
    tickers: dict[str, str] = {}
    phrases: list[tuple[str, str]] = []
    groups: dict[str, NameKind] = {"assets": "asset", "venues": "venue", "providers": "provider"}
    for group, kind in groups.items():
        for name, others in name_table()[group].items():
            kinds[name] = kind
            for written in (name, *others):
                if _TICKER.fullmatch(written):
                    tickers[written] = name
                if written == name or not _TICKER.fullmatch(written):
                    phrases.append((written, name))
    return Phrases(phrases), tickers, kinds


class Names:
    """The names of the table, with those that data define; a ticker of two names is neither's."""

    def __init__(self) -> None:
        self._phrases, self._tickers, self._kinds = _known()
        self._own: dict[str, str] = {}
        self._own_tickers: dict[str, str] = {}
        self._own_phrases = Phrases(())

    def define(self, name: str, ticker: str) -> None:
        """Take in a name with its ticker."""
        ticker = ticker.upper()
        if not name or ticker.isdigit() or ticker in ACRONYMS or not re.fullmatch(r"[A-Z0-9]{2,10}", ticker):
            return
        known, own = self._ticker(ticker), self.resolve(name)
        if known and own and own != known and ticker not in self._tickers:
            self._own_tickers[ticker] = ""
        if known:
            return
        if not own:
            self._own[name] = name
            self._own_phrases = Phrases(self._own.items())
        self._own_tickers.setdefault(ticker, own or name)

    def resolve(self, written: str, *, symbol: bool = False) -> str:
        """How the table calls a name alone; empty for an unknown one. ``symbol``: a ticker in any case."""
        words = written.strip().lstrip("$")
        if (symbol or _TICKER.fullmatch(words)) and (known := self._ticker(words.upper())):
            return known
        return self._own_phrases.get(words) or self._phrases.get(words) if words else ""

    def kind(self, value: str) -> NameKind:
        """The kind of a name."""
        return self._kinds.get(value, "asset")

    def _ticker(self, ticker: str) -> str:
        return self._tickers.get(ticker) or self._own_tickers.get(ticker) or ""

    def find(self, text: str) -> tuple[Name, ...]:
        """The names in a text, in order. A pair (``HYPE/USDC``) is its first part."""
        spans: list[tuple[int, int, str]] = []
        for start, end, value in (*self._own_phrases.find(text), *self._phrases.find(text)):
            if text[start].isupper() or text[start:end].lower() not in common_words():
                spans.append((start, end, value))
        for word in _WORD.finditer(text):
            spans.append((*word.span(), self._of_word(text, word)))
        found: list[Name] = []
        for start, end, value in sorted(spans, key=lambda each: (each[0], -each[1])):
            before = found[-1].end if found else 0
            paired = found and start == before + 1 and _QUOTED.match(text, before)
            if value and start >= before and not paired:
                found.append(Name(start, end, value, self.kind(value)))
        return tuple(found)

    def _of_word(self, text: str, word: re.Match[str]) -> str:
        """What a word alone names by its capitals, or by the dollar sign before it."""
        ticker = word[0].upper()
        if text[: word.start()].endswith("$") and word[0][0].isalpha() and word[0].lower() not in _SCALES:
            return self._ticker(ticker) or ("" if ticker in ACRONYMS else ticker)
        return self._ticker(word[0]) if len(word[0]) > 1 and not word[0].isdigit() else ""
