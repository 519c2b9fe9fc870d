"""What a query names and what a model is told of it: entities and times by rules, a rewriting by a model.

``words.json`` holds tickers and names that are words of English too (``asset_words``: they count with a
``$``, as names or tickers are written, or where what stands beside them says that an asset is meant), and
those of them that are no everyday words (``plain_asset_words``: in lower case, too).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date, datetime
from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template
from typing import Final, get_args

from verifaible.crypto.assets.names import name_table
from verifaible.crypto.periods import find_periods, stamp
from verifaible.crypto.records import Category, Entity, EntityKind, Period, Switches, Understanding
from verifaible.errors import ModelError
from verifaible.llm.base import ModelClient
from verifaible.llm.structured import BadReply, Form, read_reply
from verifaible.schema.chat import Message
from verifaible.text.flat import folded

#: The depth prompt of each tag, by the name of its file.
DEPTH: Final[dict[Category, str]] = {
    "Comparative & Performance Analysis": "comparative",
    "Crypto Concepts & How-To": "concepts",
    "Default / General Analysis": "general",
    "Macro & Narrative Context": "macro",
    "Market Data & Price Discovery": "market",
    "Meme Coins": "meme",
    "NFTs": "nft",
    "On-Chain Analytics & Flows": "onchain",
    "Project & Fundamental Research": "project",
    "Security & Risks": "security",
    "Trading & Strategy Design": "trading",
}
_WRITTEN: Final[tuple[tuple[EntityKind, re.Pattern[str]], ...]] = (
    ("link", re.compile(r"https?://[^\s<>\"')\]]+", re.IGNORECASE)),
    (
        "address",
        re.compile(r"\b0x[0-9a-fA-F]{40}\b|\b[1-9A-HJ-NP-Za-km-z]{43,44}\b|\bbc1[02-9ac-hj-np-z]{11,71}\b"),
    ),
    ("account", re.compile(r"(?<![\w.@])@\w{2,30}\b")),
)
_DOLLAR: Final = re.compile(
    r"\$(?=\d*[A-Za-z])(?!\d[\d,.]*\s*(?:[KMBT]|bn|mn)\b)[A-Za-z0-9]{1,12}\b", re.IGNORECASE
)
#: What stands behind a word that is an asset's name there.
_ASSET_BESIDE: Final = re.compile(
    r"\s+(?:tokens?|coins?|price|chain|network|protocol|ecosystem|blockchain|project|dex|dexes|airdrop|staking|tvl|"
    r"holders|market\s+cap)\b",
    re.IGNORECASE,
)
#: The same behind the first word of a query only: "near have which dex".
_VERB_BESIDE: Final = re.compile(r"\s+(?:has|have|is|was|will)\b", re.IGNORECASE)
#: A rewriting may be so many times longer than its query, and so many characters besides.
_GROWTH: Final = 3
_ROOM: Final = 300
_NUMBER: Final = re.compile(r"\d[\d,.]*")


@cache
def prompt(name: str) -> str:
    """A prompt file of this package, without white space at its ends."""
    place = resources.files("verifaible.crypto").joinpath("prompts", *f"{name}.md".split("/"))
    return place.read_text(encoding="utf-8").strip()


def prompts_sha256() -> str:
    """One digest over every prompt of an answer: a run says by it what its model was told."""
    names = (
        "answer",
        "react_role",
        "react_form",
        "mend",
        "task",
        "prefer_api",
        "time_context",
        "depth",
        "rewrite",
    )
    every = (*names, *(f"depth/{name}" for name in DEPTH.values()))
    return sha256("\0".join(prompt(name) for name in every).encode()).hexdigest()


def understand(query: str, today: date, tags: Sequence[str] = ()) -> Understanding:
    """What the rules make of a query; it never fails, whatever is written.

    Args:
        query: in any language; may be empty.
        today: the day from which "this week" counts.
        tags: those of the data set: the first that is a category chooses the depth prompt.
    """
    text = " ".join(query.split())
    category: Category = next((each for each in DEPTH if each in tags), "Default / General Analysis")
    return Understanding(
        query=query,
        rewritten=text,
        entities=find_entities(text),
        periods=find_periods(text, today),
        category=category,
    )


def find_entities(query: str) -> tuple[Entity, ...]:
    """What a query names, in its order, each once.

    An alias that is an English word too (``link``, ``near``, ``hype``) counts only where it is written as a
    name or ticker, or where the next word says that an asset is meant.
    """
    found: list[tuple[int, int, Entity]] = []

    def add(match: re.Match[str], name: str, kind: EntityKind, ticker: str = "") -> None:
        start, end = match.span()
        if all(end <= other[0] or start >= other[1] for other in found):
            found.append((start, end, Entity(name=name, kind=kind, written=match[0], ticker=ticker)))

    for kind, pattern in _WRITTEN:
        for match in pattern.finditer(query):
            add(match, match[0].rstrip(".,;:!?"), kind)
    for match in _DOLLAR.finditer(query):
        ticker = match[0][1:].upper()
        add(match, *_aliases().get(match[0][1:].casefold(), (ticker, "ticker", ticker)))
    for match in _any_alias().finditer(query):
        if _is_meant(query, match):
            add(match, *_aliases()[match[0].casefold()])
    unique: dict[tuple[str, str], Entity] = {}
    for _, _, entity in sorted(found, key=lambda each: each[0]):
        unique.setdefault((entity.kind, entity.name.casefold()), entity)
    return tuple(unique.values())


@cache
def _aliases() -> dict[str, tuple[str, EntityKind, str]]:
    """Of every alias, folded: the name, the kind and the ticker."""
    kinds: dict[str, EntityKind] = {"assets": "token", "venues": "venue", "providers": "venue"}
    found: dict[str, tuple[str, EntityKind, str]] = {}
    for section, names in name_table().items():
        for name, others in names.items():
            ticker = next((each for each in (*others, name) if each.isascii() and each.isupper()), "")
            for written in (name, *others):
                found.setdefault(written.casefold(), (name, kinds[section], ticker))
    return found


@cache
def _any_alias() -> re.Pattern[str]:
    """All aliases as words, longest first; those that are not in Latin letters anywhere."""
    words = sorted(_aliases(), key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in words if word.isascii())
    wide = "|".join(re.escape(word) for word in words if not word.isascii())
    return re.compile(rf"(?<![\w$@./-])(?:{latin})(?![\w@]|\.\w)|{wide}", re.IGNORECASE)


@cache
def _words(kind: str) -> frozenset[str]:
    text = resources.files("verifaible.crypto").joinpath("words.json").read_text(encoding="utf-8")
    return frozenset(json.loads(text)[kind])


def _is_meant(query: str, match: re.Match[str]) -> bool:
    """Whether an alias is meant as a name where it stands."""
    word = match[0]
    if not word.isascii() or word.casefold() not in _words("asset_words"):
        return len(word) > 2 or not word.islower()
    first = not query[: match.start()].strip(" \"'“‘([{-")
    if word.casefold() in _words("plain_asset_words") or (
        word[0].isupper() and not word.isupper() and not first
    ):
        return True
    if word.isupper():  # in a query that is written in capitals they say nothing
        return any(each.islower() for each in query)
    after = query[match.end() :]
    return bool(_ASSET_BESIDE.match(after)) or (first and bool(_VERB_BESIDE.match(after)))


def named(entities: Sequence[Entity]) -> str:
    """Entities in words: ``Hyperliquid (HYPE), Uniswap (UNI)``."""
    return ", ".join(
        f"{each.name} ({each.ticker})" if each.ticker and each.ticker != each.name else each.name
        for each in entities
    )


def mitigations(understood: Understanding, switches: Switches, now: datetime) -> str:
    """What the system prompt says besides; each switch that is on adds a block, and nothing else differs."""
    blocks = []
    if switches.prefer_api:
        blocks.append(prompt("prefer_api"))
    if switches.time_context:
        periods = "\n".join(
            f"- “{each.written}” means {_span(each)} (days in UTC)." for each in understood.periods
        )
        asked = periods or "- The question names no time: it asks about the present."
        blocks.append(Template(prompt("time_context")).substitute(now=stamp(now), periods=asked))
    if switches.depth_prompts:
        points = prompt(f"depth/{DEPTH[understood.category]}")
        blocks.append(Template(prompt("depth")).substitute(points=points))
    return "".join(f"\n{block}\n" for block in blocks)


def task(understood: Understanding) -> str:
    """The question as the model is asked it, with notes of what the rules found in it."""
    notes = []
    if understood.rewritten != " ".join(understood.query.split()):
        notes.append(f"Written out: {understood.rewritten}")
    for head, kinds in (
        ("Assets", ("token", "ticker", "name")),
        ("Exchanges and data providers", ("venue",)),
        ("Addresses, accounts and links", ("address", "account", "link")),
    ):
        if found := [each for each in understood.entities if each.kind in kinds]:
            notes.append(f"{head}: {named(found)}")
    shown = "\n\nNotes, by rules:\n" + "\n".join(f"- {note}" for note in notes) if notes else ""
    return Template(prompt("task")).substitute(query=understood.query.strip(), notes=shown).strip()


def _span(period: Period) -> str:
    """The days of a period in words."""
    if period.start and period.end:
        return f"{period.start}" if period.start == period.end else f"{period.start} to {period.end}"
    return f"until {period.end}" if period.end else f"from {period.start}"


class Rewriting(Form):
    """What the model fills in."""

    rewritten: str
    entities: list[str]
    category: str


async def rewrite(understood: Understanding, *, client: ModelClient, now: datetime) -> Understanding:
    """The query as a model writes it out.

    Used is only what can be checked: every number, address and link of the query stays, no number comes to it
    but those of its dates, and each entity is one of the query or of the table of aliases. Else the rules'
    understanding is given back, with a note that says why.

    Args:
        understood: what the rules made of it.
        client: the model.
        now: when the query is asked.

    Raises:
        LimitReached: the client may be asked no more.
    """
    dates = "; ".join(f"{each.written} = {_span(each)}" for each in understood.periods)
    found = "; ".join(filter(None, (named(understood.entities), dates))) or "nothing"
    question = Template(prompt("rewrite")).substitute(
        now=stamp(now), found=found, query=understood.query, categories="; ".join(get_args(Category))
    )
    try:
        turn = await client.complete([Message(role="user", text=question)], ())
        filled = read_reply(turn.text, Rewriting, question).value
        entities = _checked(understood, filled, now)
    except (ModelError, BadReply) as error:
        return understood.model_copy(update={"note": f"Not rewritten: {error}"})
    category = filled.category if filled.category in get_args(Category) else understood.category
    return understood.model_copy(
        update={
            "rewritten": " ".join(filled.rewritten.split()),
            "entities": (*understood.entities, *entities),
            "category": category,
            "by": "model",
        }
    )


def _checked(understood: Understanding, filled: Rewriting, now: datetime) -> list[Entity]:
    """The entities that a rewriting adds.

    Raises:
        BadReply: it is not the same question.
    """
    query, text = understood.query, filled.rewritten.strip()
    if not text or len(text) > _GROWTH * len(query) + _ROOM:
        raise BadReply("content", "the rewriting is empty, or much longer than the query.")
    for each in understood.entities:
        if each.kind in {"address", "account", "link"} and each.name not in text:
            raise BadReply("content", f"it lost {each.name}.")
    asked, written = _numbers(query), _numbers(text)
    if lost := asked - written:
        raise BadReply("content", f"it lost the number {min(lost)}.")
    days = " ".join(f"{each.start} {each.end}" for each in understood.periods)
    if added := written - asked - _numbers(f"{days} {now:%Y-%m-%d}"):
        raise BadReply("content", f"it added the number {min(added)}.")
    known = {each.name.casefold() for each in understood.entities}
    more = []
    for name in filled.entities:
        listed = next((each for each in find_entities(f"${name} {name}") if each.kind == "token"), None)
        if name.casefold() in known or (listed and listed.name.casefold() in known):
            continue
        if listed:
            more.append(listed.model_copy(update={"written": ""}))
        elif folded(name) and folded(name) in folded(query):
            more.append(Entity(name=name, kind="name", written=name))
        else:
            raise BadReply("content", f"it names {name!r}, which the query does not.")
    return more


def _numbers(text: str) -> set[str]:
    return {match.rstrip(".,").lstrip("0") or "0" for match in _NUMBER.findall(text.replace("-", " "))}
