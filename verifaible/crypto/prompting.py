"""What the model is told before it begins: its work, the notes on the query, what is switched on.

A model may rewrite the query first, in a form that is checked; where that cannot be used, the rules' stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template
from typing import Final, get_args

from verifaible.crypto.periods import stamp
from verifaible.crypto.records import Category, Entity, Period, Switches, Understanding
from verifaible.crypto.understanding import find_entities, named
from verifaible.errors import ModelError
from verifaible.llm.base import ModelClient
from verifaible.llm.structured import BadReply, Form, read_reply
from verifaible.schema.chat import Message, ModelTurn
from verifaible.text.flat import folded

#: The sub-prompt of each tag, by the name of its file.
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


@cache
def prompt(name: str) -> str:
    """A prompt file of this package, without white space at its ends."""
    place = resources.files("verifaible.crypto").joinpath("prompts", *f"{name}.md".split("/"))
    return place.read_text(encoding="utf-8").strip()


def prompts_sha256() -> str:
    """One digest over every prompt of the harness: a run says by it what its model was told."""
    names = ("system", "task", "prefer_api", "time_context", "depth", "rewrite")
    every = (*names, *(f"depth/{name}" for name in DEPTH.values()))
    return sha256("\0".join(prompt(name) for name in every).encode()).hexdigest()


def opening(understood: Understanding, switches: Switches, now: datetime) -> list[Message]:
    """The messages that begin a conversation.

    Args:
        understood: the query.
        switches: which of the mitigations are on; each adds a block, and nothing else differs.
        now: when the query is asked.
    """
    blocks = []
    if switches.prefer_api:
        blocks.append(prompt("prefer_api"))
    if switches.time_context:
        periods = "\n".join(f"- {line}" for line in _periods(understood.periods))
        asked = periods or "- The question names no time: it asks about the present."
        blocks.append(Template(prompt("time_context")).substitute(now=stamp(now), periods=asked))
    if switches.depth_prompts:
        points = prompt(f"depth/{DEPTH[understood.category]}")
        blocks.append(Template(prompt("depth")).substitute(points=points))
    inserted = "".join(f"\n{block}\n" for block in blocks)
    return [
        Message(role="system", text=Template(prompt("system")).substitute(mitigations=inserted)),
        Message(role="user", text=_task(understood)),
    ]


def _task(understood: Understanding) -> str:
    notes = []
    if understood.rewritten.strip() and understood.rewritten != " ".join(understood.query.split()):
        notes.append(f"Written out: {understood.rewritten}")
    kinds = (
        ("Assets", ("token", "ticker")),
        ("Exchanges and data providers", ("venue",)),
        ("Names", ("name",)),
    )
    for head, wanted in kinds:
        if found := [each for each in understood.entities if each.kind in wanted]:
            notes.append(f"{head}: {named(found)}")
    for kind in ("address", "account", "link"):
        notes += [f"{kind.capitalize()}: {each.name}" for each in understood.entities if each.kind == kind]
    if understood.metrics:
        notes.append(f"Metrics: {', '.join(understood.metrics)}")
    if understood.language != "en":
        notes.append(f"Language of the question: {understood.language}")
    shown = "\n\nNotes, by rules:\n" + "\n".join(f"- {note}" for note in notes) if notes else ""
    return Template(prompt("task")).substitute(query=understood.query.strip(), notes=shown).strip()


def _periods(periods: Sequence[Period]) -> list[str]:
    return [f"“{period.written}” means {_span(period)} (days in UTC)." for period in periods]


def _span(period: Period) -> str:
    """The days of a period in words."""
    if period.start and period.end:
        return f"{period.start}" if period.start == period.end else f"{period.start} to {period.end}"
    return f"until {period.end}" if period.end else f"from {period.start}"


#: A rewriting may be so much longer than its query, and so many characters besides.
_GROWTH: Final = 3
_ROOM: Final = 300
_NUMBER = re.compile(r"\d[\d,.]*")


class Rewriting(Form):
    """What the model fills in."""

    rewritten: str
    entities: list[str]
    category: str


async def rewrite(
    understood: Understanding, *, client: ModelClient, now: datetime
) -> tuple[Understanding, ModelTurn | None]:
    """The query as a model writes it out, and the model's turn, which costs what it costs.

    Used is only what can be checked: every number, address and link of the query stays, no number comes to it
    but those of its dates, and each entity is one of the query or of the table of aliases. Else the rules'
    understanding is given back, with a note that says why.

    Args:
        understood: what the rules made of it.
        client: the model.
        now: when the query is asked.
    """
    dates = "; ".join(f"{each.written} = {_span(each)}" for each in understood.periods)
    found = "; ".join(filter(None, (named(understood.entities), dates))) or "nothing"
    question = Template(prompt("rewrite")).substitute(
        now=stamp(now), found=found, query=understood.query, categories="; ".join(get_args(Category))
    )
    try:
        turn = await client.complete([Message(role="user", text=question)], ())
    except ModelError as error:
        return understood.model_copy(update={"note": f"Not rewritten: {error}"}), None
    try:
        filled = read_reply(turn.text, Rewriting, question).value
    except BadReply as bad:
        return understood.model_copy(update={"note": f"Not rewritten: {bad}"}), turn
    fault, entities = _checked(understood, filled, now)
    if fault:
        return understood.model_copy(update={"note": f"Not rewritten: {fault}"}), turn
    category = filled.category if filled.category in get_args(Category) else understood.category
    update = {
        "rewritten": " ".join(filled.rewritten.split()),
        "entities": (*understood.entities, *entities),
        "category": category,
        "by": "model",
    }
    return understood.model_copy(update=update), turn


def _checked(understood: Understanding, filled: Rewriting, now: datetime) -> tuple[str, Sequence[Entity]]:
    """Why a rewriting cannot be used (empty: it can), and the entities that it adds."""
    if fault := _lost_or_added(understood, filled.rewritten.strip(), now):
        return fault, ()
    query = understood.query
    known = {each.name.casefold() for each in understood.entities}
    more: list[Entity] = []
    for name in filled.entities:
        listed = [each for each in find_entities(f"${name}") if each.kind == "token"]
        listed += [each for each in find_entities(name) if each.kind == "token"]
        if name.casefold() in known or any(each.name.casefold() in known for each in listed):
            continue
        if folded(name) and folded(name) in folded(query):
            kind = "token" if listed else "name"
            more.append(Entity(name=name, kind=kind, written=name, ticker=listed[0].ticker if listed else ""))
        elif listed:
            more.append(listed[0].model_copy(update={"written": ""}))
        else:
            return f"it names {name!r}, which the query does not.", ()
    return "", more


def _lost_or_added(understood: Understanding, text: str, now: datetime) -> str:
    """What a rewriting lost or added; empty where it is the same question."""
    query = understood.query
    if not text or len(text) > _GROWTH * len(query) + _ROOM:
        return "the rewriting is empty, or much longer than the query."
    for each in understood.entities:
        if each.kind in {"address", "account", "link"} and each.name not in text:
            return f"it lost {each.name}."
    asked, written = _numbers(query), _numbers(text)
    if lost := asked - written:
        return f"it lost the number {min(lost)}."
    dates = {part for each in understood.periods for part in _numbers(f"{each.start} {each.end}")}
    if added := written - asked - dates - _numbers(f"{now:%Y-%m-%d} {now.day} {now.month} {now.year}"):
        return f"it added the number {min(added)}."
    return ""


def _numbers(text: str) -> set[str]:
    return {match.rstrip(".,").lstrip("0") or "0" for match in _NUMBER.findall(text.replace("-", " "))}
