"""Names of assets, venues and data providers by alias, and metrics by synonym, in a text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Final, Literal, TypeAlias

from verifaible.text.language import HAN
from verifaible.text.lists import words_of

NameKind: TypeAlias = Literal["asset", "venue", "provider"]

_TOKEN: Final = re.compile(r"[^\W_\u3040-\u9fff\uac00-\ud7af]+")
_NAME_BETWEEN: Final = re.compile(r"[ \u00a0.\-&_]")
_TICKER: Final = re.compile(r"[A-Z0-9]{1,10}|(?:[a-z]{1,3}[A-Z]{2,6})")
#: Names that are words too: only with a capital.
COMMON: Final = words_of(
    """
    compound maker render stellar cosmos avalanche polygon flow mantle base blast story sky quant gala beam
    harmony terra curve convex balancer drift orca blur plasma scroll lighter optimism dash neo helium
    injective jupiter stacks sonic virtuals sushi gemini gate dune wormhole stargate theta ripple aster
    babylon near link sui one pepe ronin euler pyth moonbeam akash celestia mina sei linea metis ether
    arkham nansen messari kraken story flow immutable brett monad kaia
    """
) - {"ether", "nansen", "messari", "arkham", "ripple", "sui", "linea", "sei"}
_DEFINED: Final = re.compile(
    r"\b([A-Z][\w.]*(?: (?:of |& )?[A-Z][\w.]*){0,3}) ?[(（]\$?([A-Z][A-Z0-9]{1,9})[)）]"
    r"|\b([A-Z][\w.]+) ?[(（](?:ticker|symbol): ?\$?([A-Z0-9]{2,10})[)）]"
)
#: Texts whose names are kept.
_MOST_KEPT: Final = 20_000
#: What stands behind a dollar sign in a head without being a ticker: "($B)", "$mn".
_SCALE_LETTERS: Final = words_of("k m b t mm mn bn tn million millions billion billions thousand thousands")
_QUOTES: Final = frozenset(("USDT", "USDC", "USD", "BUSD", "FDUSD", "EUR", "KRW", "TRY"))


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a text: where, what it is called in the table, and of what kind."""

    start: int
    end: int
    value: str
    kind: NameKind


@dataclass(frozen=True, slots=True)
class MetricWord:
    """A metric in a text."""

    start: int
    end: int
    value: str


@cache
def _data(name: str) -> dict[str, dict[str, list[str]]]:
    text = resources.files("verifaible.factcheck").joinpath(name).read_text(encoding="utf-8")
    data: dict[str, dict[str, list[str]]] = json.loads(text)
    return data


@cache
def metric_units() -> dict[str, str]:
    """What a metric is measured in: ``money``, ``count``, ``%``, ``time``, or empty."""
    return {name: str(entry["unit"]) for name, entry in _data("metrics.json").items()}


def is_money_metric(metric: str) -> bool:
    """Whether a metric is a sum of money; a change of one is none."""
    return "/" not in metric and metric_units().get(metric.rsplit("+", maxsplit=1)[-1]) == "money"


#: Metrics that move from hour to hour: without a date of its own a claim is of the time of the answer.
VOLATILE: Final = words_of(
    """
    price market_cap fdv volume tvl open_interest funding_rate dominance apy apr rsi high low gas liquidity
    moving_average holders addresses users transactions tps circulating_supply
    """
)


@cache
def metric_synonyms() -> dict[str, tuple[str, ...]]:
    """The words for each metric."""
    return {name: tuple(entry["words"]) for name, entry in _data("metrics.json").items()}


@cache
def metric_window(metric: str) -> str:
    """The window that a metric has where none is said; empty for most."""
    return str(_data("metrics.json").get(metric, {}).get("window", ""))


class _Phrases:
    """Phrases found by their first word; the longest at a place counts."""

    def __init__(self) -> None:
        self.by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self.han: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def add(self, phrase: str, value: str) -> None:
        if HAN.search(phrase):
            self.han[phrase] = value
            self._pattern = None
            return
        words = tuple(match[0].lower() for match in _TOKEN.finditer(phrase))
        if words:
            entries = self.by_first.setdefault(words[0], [])
            entries.append((words, value))
            entries.sort(key=lambda entry: -len(entry[0]))

    def find_han(self, text: str) -> list[tuple[int, int, str]]:
        if not self.han or not HAN.search(text):
            return []
        if self._pattern is None:
            words = sorted(self.han, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, words)))
        return [(*match.span(), self.han[match[0]]) for match in self._pattern.finditer(text)]


@cache
def _metric_phrases() -> _Phrases:
    phrases = _Phrases()
    for name, words in metric_synonyms().items():
        for word in words:
            phrases.add(word, name)
    return phrases


@lru_cache(maxsize=2048)
def find_metrics(text: str) -> tuple[MetricWord, ...]:
    """The metrics that a text names, in order; the longest phrase at a place counts."""
    phrases, tokens = _metric_phrases(), list(_TOKEN.finditer(text))
    told = _told(tokens, lambda at: _phrase_at(text, tokens, at, phrases.by_first) or (1, ""))
    found = (MetricWord(*each) for each in (*phrases.find_han(text), *told))
    return tuple(sorted(found, key=lambda metric: metric.start))


def _told(
    tokens: Sequence[re.Match[str]], read: Callable[[int], tuple[int, str]]
) -> Iterator[tuple[int, int, str]]:
    """What tokens name, one after the other: ``read`` says how many are one, and what that is called."""
    at = 0
    while at < len(tokens):
        count, value = read(at)
        if value:
            yield tokens[at].start(), tokens[at + count - 1].end(), value
        at += count


def _phrase_at(
    text: str, tokens: list[re.Match[str]], at: int, by_first: Mapping[str, list[tuple[tuple[str, ...], str]]]
) -> tuple[int, str] | None:
    first = tokens[at][0].lower()
    for words, value in by_first.get(first, ()):
        count = len(words)
        if at + count > len(tokens):
            continue
        if all(
            tokens[at + more][0].lower() in (words[more], words[more] + ("s" if more == count - 1 else ""))
            and _NAME_BETWEEN.fullmatch(text, tokens[at + more - 1].end(), tokens[at + more].start())
            for more in range(1, count)
        ):
            return count, value
    return None


@cache
def _names() -> tuple[_Phrases, dict[str, str], dict[str, NameKind]]:
    phrases, tickers, kinds = _Phrases(), {}, {}
    for group, table in _data("aliases.json").items():
        kind: NameKind = "asset" if group == "assets" else "venue" if group == "venues" else "provider"
        for name, aliases in table.items():
            kinds[name] = kind
            for alias in (name, *aliases):
                if _TICKER.fullmatch(alias):
                    tickers[alias] = name
                if not _TICKER.fullmatch(alias) or alias == name:
                    phrases.add(alias, name)
    return phrases, tickers, kinds


class Lexicon:
    """The alias table, with the aliases that the sources of an answer define themselves."""

    def __init__(self) -> None:
        self._phrases, self._tickers, self._kinds = _names()
        self._own = _Phrases()
        self._own_tickers: dict[str, str] = {}
        self._clashing: set[str] = set()
        self._found: dict[str, tuple[Name, ...]] = {}

    def learn(self, text: str) -> None:
        """Take in what a text defines: ``Hyperliquid (HYPE)``."""
        if "(" not in text and "（" not in text:
            return
        for match in _DEFINED.finditer(text):
            self.define(match[1] or match[3], match[2] or match[4])

    def define(self, name: str, ticker: str) -> None:
        """Take in a name and its ticker; a ticker that two names have names neither."""
        ticker = ticker.upper()
        self._found.clear()
        if not name or ticker in ACRONYMS or not re.fullmatch(r"[A-Z0-9]{2,10}", ticker) or ticker.isdigit():
            return
        known = self._tickers.get(ticker) or self._own_tickers.get(ticker)
        own = self.resolve(name)
        if known:
            if own and own != known and ticker not in self._tickers:
                self._clashing.add(ticker)
            return
        if not own:
            self._own.add(name, name)
        self._own_tickers.setdefault(ticker, own or name)

    def resolve(self, name: str, *, symbol: bool = False) -> str:
        """What the table calls a name alone, empty if it has it not; ``symbol``: a ticker in any case."""
        words = name.strip().lstrip("$")
        if symbol or _TICKER.fullmatch(words):
            known = self._ticker(words.upper() if symbol else words)
            if known:
                return known
        found = [each for each in self.find(words) if (each.start, each.end) == (0, len(words))]
        if found:
            return found[0].value
        tokens = tuple(match[0].lower() for match in _TOKEN.finditer(words))
        for phrases in (self._own, self._phrases):
            for known_words, value in phrases.by_first.get(tokens[0], ()) if tokens else ():
                if known_words == tokens:
                    return value
        return ""

    def kind(self, value: str) -> NameKind:
        """The kind of a name."""
        return self._kinds.get(value, "asset")

    def _ticker(self, ticker: str) -> str:
        if ticker in self._clashing:
            return ""
        return self._tickers.get(ticker) or self._own_tickers.get(ticker) or ""

    def aliases(self, value: str) -> tuple[str, ...]:
        """Every way to write a name, in lower case."""
        table = _data("aliases.json")
        found = [value]
        for group in table.values():
            found += group.get(value, [])
        found += [ticker for ticker, name in self._own_tickers.items() if name == value]
        return tuple(dict.fromkeys(each.lower() for each in found))

    def find(self, text: str) -> tuple[Name, ...]:
        """The names of a text, in order. A pair (``HYPE/USDC``) is its first part."""
        known = self._found.get(text)
        if known is None:
            known = self._find(text)
            if len(self._found) < _MOST_KEPT:
                self._found[text] = known
        return known

    def _find(self, text: str) -> tuple[Name, ...]:
        found = [Name(*each, self.kind(each[2])) for each in self._phrases.find_han(text)]
        tokens = list(_TOKEN.finditer(text))

        def read(at: int) -> tuple[int, str]:
            count, value = self._at(text, tokens, at)
            return count, "" if self._second_of_pair(text, tokens, at, found) else value

        for start, end, value in _told(tokens, read):
            found.append(Name(start, end, value, self.kind(value)))
        return tuple(sorted(found, key=lambda name: name.start))

    def _at(self, text: str, tokens: list[re.Match[str]], at: int) -> tuple[int, str]:
        token = tokens[at]
        word, start = token[0], token.start()
        lowered = word.lower()
        for phrases in (self._own.by_first, self._phrases.by_first):
            taken = _phrase_at(text, tokens, at, phrases) if lowered in phrases else None
            if taken and (taken[0] > 1 or lowered not in COMMON or word[0].isupper()):
                return taken
        if start and text[start - 1] == "$" and word[0].isalpha() and lowered not in _SCALE_LETTERS:
            return 1, self._ticker(word.upper()) or (word.upper() if word.upper() not in ACRONYMS else "")
        if word in self._tickers or word in self._own_tickers:
            known = self._ticker(word)
            if known and len(word) > 1 and not word.isdigit():
                return 1, known
        return 1, ""

    def _second_of_pair(self, text: str, tokens: list[re.Match[str]], at: int, found: list[Name]) -> bool:
        token = tokens[at]
        return bool(
            found
            and token[0] in _QUOTES
            and found[-1].end == token.start() - 1
            and text[found[-1].end] in "/-"
        )


ACRONYMS: Final = words_of(
    """
    TVL APY APR RSI TPS ATH ATL FDV USD US EU UK AI API ETF ETFS DEX CEX NFT NFTS DAO DAOS EMA SMA MA MACD
    YOY QOQ MOM YTD ROI AUM CPI GDP FOMC SEC KYC CEO CTO CFO COO IPO TGE OI MC LP LPS L1 L2 PNL EUR GBP JPY
    KRW CNY HKD UTC CFTC ESG IMF ECB FED DEFI RWA RWAS DCA HODL P2P SDK EVM VM POS POW ICO IDO IEO CBDC MEV
    """
)


def names_of(names: Iterable[Name]) -> frozenset[str]:
    """What the assets and venues among some names are called; providers of data are none."""
    return frozenset(name.value for name in names if name.kind != "provider")
