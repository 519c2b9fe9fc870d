"""What a query asks, by rules: entities, metrics, times, language, and a hint of its category.

``words.json`` holds tickers and names that are words of English too (``asset_words``: they count with a
``$``, as names or tickers are written, or where what stands beside them says that an asset is meant), those
of them that are no everyday words (``plain_asset_words``: in lower case, too), capitals that are no ticker,
and capitalised words that name nothing in particular.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from typing import Final

from verifaible.crypto.assets import names as words
from verifaible.crypto.assets.names import name_table
from verifaible.crypto.periods import find_periods
from verifaible.crypto.records import Category, Entity, EntityKind, Understanding

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
    """Every alias, folded."""
    kinds: dict[str, EntityKind] = {"assets": "token", "venues": "venue", "providers": "venue"}
    found: dict[str, _Alias] = {}
    for section, names in name_table().items():
        for name, others in names.items():
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


#: A script that settles the language, and how many letters of it are enough.
_SCRIPTS: Final = (
    ("ko", re.compile("[\uac00-\ud7a3\u1100-\u11ff]"), 1),
    ("ja", re.compile("[\u3041-\u30ff]"), 1),
    ("zh", re.compile("[\u3400-\u9fff]"), 1),
    ("ru", re.compile("[\u0400-\u04ff]"), 3),
    ("ar", re.compile("[\u0600-\u06ff]"), 3),
    ("hi", re.compile("[\u0900-\u097f]"), 3),
    ("th", re.compile("[\u0e00-\u0e7f]"), 3),
)
#: Small words that tell languages in Latin letters apart; two of them settle it.
_SMALL_WORDS: Final = {
    "es": "el la los las de del que cuál cómo está para por una es son qué y en",
    "fr": "le la les des du que quel quelle est sont pour une dans et comment pourquoi sur",
    "de": "der die das ist sind wie was für und nicht ein eine welche warum von den mit",
    "pt": "o os as do da que qual como está para uma são não e em por quais",
    "tr": "bir ve için mi nedir nasıl ne bu hangi kadar olan",
    "vi": "là của và có những các cho này như thế nào không",
    "id": "apa yang dan di untuk bagaimana ini itu dengan berapa dari",
    "en": "the is are what how which who why for of in to and this has does will can about",
}
#: Words that point to a tag, with their weight; a hint for the choice of sub-prompts and no more.
_HINTS: Final[Mapping[Category, tuple[tuple[int, str], ...]]] = {
    "Comparative & Performance Analysis": (
        (4, r"compar\w*|\bvs\.?\b|versus|side.by.side|correlation"),
        (3, r"outperform\w*|fastest grow\w*|differ(?:s|ence)\b|better than"),
        (1, r"\btop\b|\bbest\b|trending"),
    ),
    "Crypto Concepts & How-To": (
        (2, r"^how (?:can|do|does|to|should) ?(?:i|we|you)?\b|\bsteps?\b|\bregister\b"),
        (3, r"\bhow (?:can|do) i\b|deposit|withdraw|\bhow to\b|tutorial|what is an?\b"),
    ),
    "Macro & Narrative Context": (
        (4, r"sentiment|fear|greed|narrative|altseason|bull ?run|macro|regulat\w*"),
        (4, r"twitter|telegram|reddit|influencers?|search interest|analysts? predict"),
        (2, r"happening|\bpotential\b|why is|going up|pump the most|\bdriving\b"),
    ),
    "Market Data & Price Discovery": (
        (2, r"\bprices?\b|market ?cap|volume|\blisting\b|\blist(?:ed)?\b|funding rate"),
        (3, r"open interest|liquidity|all.time high|\bath\b|pumping|shorted|gas fees"),
        (2, r"derivatives|perpetual|order ?book|trading pairs?|\bapy\b|binance|dex"),
    ),
    "Meme Coins": (
        (6, r"meme.?coins?|\bmeme\b|dogecoin|\bdoge\b|shiba|\bpepe\b|honeypot|\bbonk\b|\bshib\b"),
    ),
    "NFTs": ((7, r"\bnfts?\b|minting|floor price|opensea|collectibles?"),),
    "On-Chain Analytics & Flows": (
        (4, r"on.?chain|whales?|wallets?|holders?|\btvl\b|accumulat\w*|outflows?"),
        (2, r"bridges?|liquidations|staking|active addresses|tokenomics|inflows?"),
    ),
    "Project & Fundamental Research": (
        (4, r"roadmap|team|founders?|backing|backed|backers?|partnership\w*"),
        (4, r"airdrops?|mainnet|testnets?|unlocks?|vesting|allocation|adoption"),
        (2, r"community|competitors?|utility|ecosystem|project|institution\w*"),
        (2, r"tokenomics|supply|open.source|github|launch\w*|protocols?"),
    ),
    "Security & Risks": (
        (5, r"\brisks?\b|exploit\w*|hack\w*|audit\w*|security|phishing|scam|rug ?pull|outages?"),
    ),
    "Trading & Strategy Design": (
        (4, r"\blong\b|\bshort\b|entry|\btp\b|\bsl\b|stop.?loss|leverage\w*|portfolio"),
        (5, r"should i (?:buy|sell|hold|adjust)|buy and hold|trading tips|strategy"),
        (4, r"technical analysis|price action|\bta\b|resistance|support level|breakout"),
        (2, r"\byields?\b|maximi[sz]e|invest\w*|good (?:idea|time)"),
    ),
}
#: Names of the verifier's metrics that are too general to be asked for by one word.
_VAGUE: Final = frozenset({"open", "high", "low", "support", "target", "change", "rank", "supply", "funding"})


def understand(query: str, today: date) -> Understanding:
    """What the rules make of a query; it never fails, whatever is written.

    Args:
        query: in any language; may be empty.
        today: the day from which "this week" counts.
    """
    text = " ".join(query.split())
    return Understanding(
        query=query,
        rewritten=text,
        language=language_of(text),
        entities=find_entities(text),
        metrics=find_metrics(text),
        periods=find_periods(text, today),
        category=category_of(text),
    )


def language_of(text: str) -> str:
    """The ISO 639-1 code of a text's language, by script and small words; ``en`` where nothing tells."""
    for code, script, enough in _SCRIPTS:
        if len(script.findall(text)) >= enough:
            return code
    words = re.findall(r"[^\W\d_]+", text.casefold())
    counts = {code: sum(word in known.split() for word in words) for code, known in _SMALL_WORDS.items()}
    best = max(counts, key=lambda code: (counts[code], code == "en"))
    return best if counts[best] >= 2 and counts[best] > counts["en"] else "en"


def find_metrics(text: str) -> tuple[str, ...]:
    """The metrics that a text names, each once, in the order of the text."""
    found = (word.value for word in words.find_metrics(text) if word.value not in _VAGUE)
    return tuple(dict.fromkeys(name.replace("_", " ") for name in found))


def category_of(text: str) -> Category:
    """The likeliest of the 11 tags, by the words of a query."""
    points: dict[Category, int] = {}
    for tag, hints in _HINTS.items():
        if weight := sum(weight for weight, words in hints if re.search(words, text, re.IGNORECASE)):
            points[tag] = weight
    return max(points, key=points.__getitem__) if points else "Default / General Analysis"


def named(entities: Iterable[Entity]) -> str:
    """Entities in words: ``Hyperliquid (HYPE), Uniswap (UNI)``."""
    return ", ".join(
        f"{each.name} ({each.ticker})" if each.ticker and each.ticker != each.name else each.name
        for each in entities
    )
