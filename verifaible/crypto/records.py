"""Records of the harness: what a query was understood as, what was switched on, what became of it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal, TypeAlias

from pydantic import Field

from verifaible.schema.analyst import AnalystAnswer
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage
from verifaible.schema.run import EndedBy

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
#: ``token`` a coin, a chain or a protocol of the table of aliases; ``ticker`` written as one ($KAITO) and not
#: in the table; ``venue`` an exchange or a provider of data; ``name`` another proper name; ``address`` a
#: contract or an account on a chain; ``account`` a name with @; ``link`` a web address.
EntityKind: TypeAlias = Literal["token", "ticker", "venue", "name", "address", "account", "link"]


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
        rewritten: what the agent is asked; the query with its white space tidied where no model rewrote it.
        language: ISO 639-1 code by the script and common words; ``en`` where nothing says otherwise.
        metrics: names of metrics that are asked for (``market cap``, ``tvl``).
        periods: times asked about; none: the present.
        category: the likely tag, a hint and no more.
        by: who rewrote it.
        note: why a model's rewriting was not used; empty where it was, or none was asked.
    """

    query: str
    rewritten: str
    language: str = "en"
    entities: tuple[Entity, ...] = ()
    metrics: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()
    category: Category = "Default / General Analysis"
    by: Literal["rules", "model"] = "rules"
    note: str = ""


class HarnessTrial(Record):
    """A line of ``trials.jsonl``: a query, its answer, and how that was reached.

    Attributes:
        row: number of the query in its file, from 1.
        key: SHA-256 of the query; a run that goes on looks whether the row is still the same.
        chat_id: names the trace file.
        shown: of each source, by its mark, what the public trace has as its context: a short answer of a
            provider whole, else what the model was shown.
        error: why there is no answer.
    """

    row: int
    key: str
    chat_id: str
    answer: AnalystAnswer
    understanding: Understanding
    switches: Switches = Field(default_factory=Switches)
    shown: dict[str, str] = Field(default_factory=dict)
    ended_by: EndedBy = "answer"
    error: str = ""
    error_code: str = ""
    rounds: int = 0
    tool_calls: int = 0
    tool_errors: dict[str, int] = Field(default_factory=dict)
    usage: Usage = Field(default_factory=Usage)
    started_at: datetime
    duration_s: float = 0.0


class HarnessRun(Record):
    """``harness.json``: what a run was made of; a run goes on only with the same ``locked``."""

    format: int = 1
    model: str
    started_at: datetime
    version: str
    locked: dict[str, Any]
