"""What a query names: assets by the table of aliases, tickers, venues, other names, addresses, links.

``words.json`` holds tickers and names that are words of English too (``asset_words``: they count with a
``$``, as names or tickers are written, or where what stands beside them says that an asset is meant), those
of them that are no everyday words (``plain_asset_words``: in lower case, too), capitals that are no ticker,
and capitalised words that name nothing in particular.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from verifaible.crypto.records import Entity, EntityKind

_ASSET_BESIDE: Final = re.compile(
    r"\s+(?:tokens?|coins?|price|chain|network|protocol|ecosystem|blockchain|project|dex|dexes|airdrop|staking|tvl|"
    r"holders|market\s+cap)\b",
    re.IGNORECASE,
)
#: Only behind the first word of a query: "near have which dex".
_VERB_BESIDE: Final = re.compile(r"\s+(?:has|have|is|was|will)\b", re.IGNORECASE)
_LINK = re.compile(r"https?://[^\s<>\"')\]]+", re.IGNORECASE)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{40}\b|\b[1-9A-HJ-NP-Za-km-z]{43,44}\b|\bbc1[02-9ac-hj-np-z]{11,71}\b")
_ACCOUNT = re.compile(r"(?<![\w.@])@\w{2,30}\b")
_DOLLAR = re.compile(r"\$(?=\d*[A-Za-z])[A-Za-z0-9]{1,12}\b")
_CAPITALS = re.compile(r"(?<![\w$@.])(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,8}(?!\w)(?!['’]?[a-z]{2})")
_PROPER = re.compile(
    r"(?<![\w$@.])[A-Z][\w.\-]*[a-z][\w\-]*(?:(?:[ ](?=[A-Z])(?!I\b))[A-Z][\w.\-]*[a-z][\w\-]*)*"
)
_AMOUNT = re.compile(r"\$?\d[\d,.]*\s*(?:[KMBT]|bn|mn)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Alias:
    """What an alias of the table names."""

    name: str
    ticker: str
    kind: EntityKind


@cache
def _words(kind: str) -> frozenset[str]:
    """One list of ``words.json``."""
    text = resources.files("verifaible.crypto").joinpath("words.json").read_text(encoding="utf-8")
    return frozenset(json.loads(text)[kind])


@cache
def _table() -> dict[str, _Alias]:
    """Every alias, folded, by the table that the verifier uses."""
    text = resources.files("verifaible.judge.rules").joinpath("aliases.json").read_text(encoding="utf-8")
    kinds: dict[str, EntityKind] = {"assets": "token", "venues": "venue", "providers": "venue"}
    found: dict[str, _Alias] = {}
    for section, names in json.loads(text).items():
        for name, others in names.items() if section in kinds else ():
            ticker = next((each for each in others if each.isascii() and each.isupper()), "")
            if not ticker and name.isascii() and name.isupper():
                ticker = name
            for written in (name, *others):
                found.setdefault(written.casefold(), _Alias(name, ticker, kinds[section]))
    return found


@cache
def _pattern() -> re.Pattern[str]:
    """All aliases as words, longest first; Chinese ones anywhere."""
    words = sorted(_table(), key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in words if word.isascii())
    wide = "|".join(re.escape(word) for word in words if not word.isascii())
    return re.compile(rf"(?<![\w$@./-])(?:{latin})(?![\w@]|\.\w)|{wide}", re.IGNORECASE)


def find_entities(query: str) -> tuple[Entity, ...]:
    """What a query names, in its order, each once.

    An alias that is an English word too (``link``, ``near``, ``hype``) counts only where it is written as a
    name or ticker, or where the next word says that an asset is meant.
    """
    found: list[tuple[int, int, Entity]] = []

    def add(start: int, end: int, kind: EntityKind, name: str, ticker: str = "") -> None:
        if all(end <= other[0] or start >= other[1] for other in found):
            entity = Entity(name=name, kind=kind, written=query[start:end], ticker=ticker)
            found.append((start, end, entity))

    for pattern, kind in ((_LINK, "link"), (_ADDRESS, "address"), (_ACCOUNT, "account")):
        for match in pattern.finditer(query):
            add(*match.span(), _kind(kind), match[0].rstrip(".,;:!?"))
    for match in _DOLLAR.finditer(query):
        if _AMOUNT.fullmatch(match[0]):
            continue
        alias = _table().get(match[0][1:].casefold())
        name, ticker = (alias.name, alias.ticker) if alias else (match[0][1:].upper(), match[0][1:].upper())
        add(*match.span(), "token" if alias else "ticker", name, ticker)
    for match in _pattern().finditer(query):
        alias = _table()[match[0].casefold()]
        if _is_meant(query, match):
            add(*match.span(), alias.kind, alias.name, alias.ticker)
    for start, end, kind, name in _unlisted(query):
        add(start, end, kind, name, name if kind == "ticker" else "")
    unique: dict[tuple[str, str], Entity] = {}
    for _, _, entity in sorted(found, key=lambda each: each[0]):
        unique.setdefault((entity.kind, entity.name.casefold()), entity)
    return tuple(unique.values())


def _kind(name: str) -> EntityKind:
    return "link" if name == "link" else "address" if name == "address" else "account"


def _is_meant(query: str, match: re.Match[str]) -> bool:
    """Whether an alias is meant as a name where it stands."""
    word = match[0]
    if not word.isascii() or word.casefold() not in _words("asset_words"):
        return not (len(word) < 3 and word.islower())
    after = query[match.end() :]
    first = not query[: match.start()].strip(" \"'“‘([{-")
    if word.isupper() and not _shouting(query):
        return True
    if word[0].isupper() and not first:
        return True
    if word.casefold() in _words("plain_asset_words"):
        return True
    return bool(_ASSET_BESIDE.match(after)) or (first and bool(_VERB_BESIDE.match(after)))


def _shouting(query: str) -> bool:
    """Whether a query is written in capitals throughout, so that they say nothing."""
    words = re.findall(r"[A-Za-z]{2,}", query)
    return len(words) > 3 and sum(word.isupper() for word in words) > 0.6 * len(words)


def _unlisted(query: str) -> list[tuple[int, int, EntityKind, str]]:
    """Names that no table has: words in capitals, and capitalised words inside a sentence."""
    found: list[tuple[int, int, EntityKind, str]] = []
    if _shouting(query):
        return found
    for match in _CAPITALS.finditer(query):
        word = match[0]
        if (
            word not in _words("acronyms")
            and not _AMOUNT.fullmatch(word)
            and not re.fullmatch(r"\d+[A-Z]|[A-Z]\d", word)
        ):
            found.append((*match.span(), "ticker", word))
    for match in _PROPER.finditer(query):
        start = match.start()
        words = [word for word in match[0].split() if word.rstrip(".") not in _words("common")]
        begins = not query[:start].strip(" \"'“‘([{-") or bool(re.search(r"[.!?:]\s*$", query[:start]))
        if begins:
            # the first word of a sentence has its capital from there
            words = words[1:] if words and match[0].startswith(words[0]) else words
        if not words:
            continue
        name = " ".join(words).rstrip(".'-")
        place = query.find(words[0], start)
        if len(name) > 2 and name.upper() not in _words("acronyms"):
            found.append((place, place + len(name), "name", name))
    return found
