"""What the model is told before it begins: its work, the notes on the query, what is switched on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template
from typing import Final

from verifaible.crypto.periods import stamp
from verifaible.crypto.records import Category, Period, Switches, Understanding
from verifaible.crypto.understanding import named
from verifaible.schema.chat import Message

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
    return [f"“{period.written}” means {span(period)} (days in UTC)." for period in periods]


def span(period: Period) -> str:
    """The days of a period in words."""
    if period.start and period.end:
        return f"{period.start}" if period.start == period.end else f"{period.start} to {period.end}"
    return f"until {period.end}" if period.end else f"from {period.start}"
