"""What a query was understood as, and what is switched on for its answer."""

from __future__ import annotations

from datetime import date
from typing import Final, Literal, TypeAlias

from verifaible.schema.base import Record

#: Who gave the words of a source, as its capture says it.
ORIGIN: Final = "verifaible crypto"
#: The 11 tags of CryptoAnalystBench (seed, figure 1).
Category: TypeAlias = Literal[
    "Comparative & Performance Analysis",
    "Crypto Concepts & How-To",
    "Default / General Analysis",
    "Macro & Narrative Context",
    "Market Data & Price Discovery",
    "Meme Coins",
    "NFTs",
    "On-Chain Analytics & Flows",
    "Project & Fundamental Research",
    "Security & Risks",
    "Trading & Strategy Design",
]
#: ``token`` a coin, a chain or a protocol, by the table of names or a ``$``; ``venue`` an exchange or a
#: provider of data; ``address`` a contract or an account on a chain; ``account`` a name with @; ``link`` a
#: web address; ``name`` what a model named in the query's own words.
EntityKind: TypeAlias = Literal["token", "venue", "name", "address", "account", "link"]


class Switches(Record):
    """The three mitigations of the paper (seed, section 7); each is off by default."""

    prefer_api: bool = False
    time_context: bool = False
    depth_prompts: bool = False

    @property
    def on(self) -> tuple[str, ...]:
        """The names of those that are on."""
        return tuple(name for name, value in self if value)


class Entity(Record):
    """Something that a query names: the name to use, and the words of the query."""

    name: str
    kind: EntityKind
    written: str
    ticker: str = ""


class Period(Record):
    """A time that a query asks about: its words, and the days from ``start`` to ``end``, both included (UTC).

    ``start`` is None where only the end is said ("by end of this month" has its end ahead).
    """

    written: str
    start: date | None = None
    end: date | None = None


class Understanding(Record):
    """What the rules, and a model where one was asked, make of a query.

    Attributes:
        query: as it came.
        rewritten: the query as a model wrote it out, else with its white space tidied.
        periods: times asked about; none: the present.
        category: the tag that the data set or a model gave it: which depth prompt it takes.
        by: who rewrote it.
        note: why a model's rewriting was not used; empty where it was, or none was asked.
    """

    query: str
    rewritten: str
    entities: tuple[Entity, ...] = ()
    periods: tuple[Period, ...] = ()
    category: Category = "Default / General Analysis"
    by: Literal["rules", "model"] = "rules"
    note: str = ""
