"""A bench case: one question whose answer must come with evidence."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from verifaible.schema.base import EvidenceType, Record


class NumberExpected(Record):
    """A number, matched by value.

    ``unit`` is the unit the value is given in (``%``, ``元``, ``亿元``, ``笔``); an answer in
    another scale of the same unit (7.24 billion for 72.4 亿) matches if the value does.
    ``tolerance`` is absolute, in the same unit.
    """

    kind: Literal["number"]
    value: Decimal
    unit: str = ""
    tolerance: Decimal = Field(Decimal(0), ge=0)


class TextExpected(Record):
    """A phrase, matched after folding case, width, quotes, dashes and spaces.

    ``aliases`` are other spellings that count as the same answer.
    """

    kind: Literal["text"]
    value: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()


class ListExpected(Record):
    """Several expectations; all must be in the answer."""

    kind: Literal["list"]
    items: tuple[Annotated[NumberExpected | TextExpected, Field(discriminator="kind")], ...] = Field(
        min_length=1
    )


Expected: TypeAlias = Annotated[NumberExpected | TextExpected | ListExpected, Field(discriminator="kind")]


#: The tools that a reference step may call, by the names that models see.
TOOLS: Final = (
    *("verifaible_web_search", "web_fetch", "analyze_page"),
    *("test_action_steps", "verifaible_cite", "video_transcript"),
)


class OracleStep(Record):
    """One tool call of the reference agent, with the tool's own arguments."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)

    @field_validator("tool")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in TOOLS:
            raise ValueError(f"{value!r} is no tool; there are {', '.join(TOOLS)}")
        return value


class Oracle(Record):
    """How the reference agent solves the case.

    ``answer`` is a template: ``{1}`` is replaced by what citation 1 captured (the cell, the
    quote, the caption line). It must not state the answer itself, so that the oracle fails
    when the page changes.
    """

    steps: tuple[OracleStep, ...] = Field(min_length=1)
    answer: str = Field(min_length=1)

    @field_validator("answer")
    @classmethod
    def _has_placeholder(cls, value: str) -> str:
        if not re.search(r"\{\d+\}", value):
            raise ValueError(
                "must contain a placeholder such as {1}, which stands for what citation 1 captured"
            )
        return value


class Case(Record):
    """One bench case, as a file in ``cases/`` holds it."""

    id: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$",
        description="Letters, digits, dots, underscores and hyphens; unique.",
    )
    version: int = Field(
        1, ge=1, description="Version of the case; raise it when the question or the answer changes."
    )
    category: str = Field(min_length=1, description="Groups cases in reports and for --category.")
    language: str = Field(
        "",
        pattern=r"^([A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*)?$",
        description="BCP 47 tag of the question and the source, such as zh or en.",
    )
    url: str = Field(description="Where the agent starts.")
    question: str = Field(min_length=1, description="What the agent is asked.")
    answer: str = Field(min_length=1, description="The answer as a person would write it.")
    evidence_types: tuple[EvidenceType, ...] = Field((), description="Evidence types that count; empty: any.")
    expect: Expected | None = Field(
        None, description="What to match; derived from the answer where it is not given."
    )
    context: tuple[str, ...] = Field(
        (), description="Dates, periods or words that must be visible in the captured evidence."
    )
    pages: tuple[str, ...] = Field(
        (),
        description="Addresses of the pages and documents whose evidence counts as verified, * for any "
        "characters; empty: what the oracle cites, else the url.",
    )
    oracle: Oracle | None = Field(None, description="How the reference agent solves the case.")
    difficulty: str = Field(
        "", pattern=r"^[a-z0-9-]*$", description="What makes the case hard, in one short name: era-date, say."
    )
    tags: tuple[str, ...] = Field((), description="Free words, for --tag.")

    @field_validator("url")
    @classmethod
    def _http(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an absolute http:// or https:// address")
        return value

    @field_validator("pages")
    @classmethod
    def _addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for page in value:
            if not re.match(r"https?://[^/*?#\s]+(?:[/?]|\Z)", page):
                raise ValueError(
                    f"{page!r} must begin with http:// or https:// and a whole host; * may stand behind these"
                )
        return value

    @model_validator(mode="after")
    def _template_matches_steps(self) -> Case:
        if self.oracle:
            cites = sum(step.tool == "verifaible_cite" for step in self.oracle.steps)
            for number in re.findall(r"\{(\d+)\}", self.oracle.answer):
                if not 1 <= int(number) <= cites:
                    raise ValueError(f"oracle.answer names citation {number}, but the steps make {cites}")
        return self

    @property
    def trusted_pages(self) -> tuple[str, ...]:
        """Patterns of the addresses on which evidence counts as verified."""
        cited = (
            step.arguments.get("source_url")
            for step in (self.oracle.steps if self.oracle else ())
            if step.tool == "verifaible_cite"
        )
        return self.pages or tuple(dict.fromkeys(url for url in cited if isinstance(url, str))) or (self.url,)
