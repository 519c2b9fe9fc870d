"""What a query asks, by rules: entities, metrics, times, language, and a hint of its category."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

from verifaible.crypto.entities import find_entities
from verifaible.crypto.periods import find_periods
from verifaible.crypto.records import Category, Entity, Understanding
from verifaible.judge.rules import lexicon

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
    """The metrics that a text names, by the verifier's table, each once, in the order of the text."""
    found = (word.value for word in lexicon.find_metrics(text) if word.value not in _VAGUE)
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
