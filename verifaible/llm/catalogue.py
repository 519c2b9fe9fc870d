"""The models with short names, and what they cost."""

from __future__ import annotations

import difflib
import re
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import resources

from pydantic import Field

from verifaible.errors import UnknownModel
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage

#: Agents that need no model; ``--model`` takes their names too.
BUILT_IN = ("oracle", "nop")

_SLUG = re.compile(r"[A-Za-z0-9~][\w.-]*(/[\w.:@-]+)+")
_PER_MILLION = Decimal(1_000_000)


class Prices(Record):
    """Prices in US dollars for a million tokens, with the day they were read and where.

    ``cached_input`` is the price of input tokens that came from the provider's prompt cache; where
    it is not known they cost what other input does. Reasoning tokens are output tokens.
    """

    input: Decimal
    cached_input: Decimal | None = None
    output: Decimal
    read_on: date
    source: str


class ModelEntry(Record):
    """A model: the name it goes by in reports, and the slug its endpoint knows it by."""

    name: str
    slug: str
    context_length: int | None = Field(None, description="Tokens; None where it is not known.")
    context_source: str = ""
    prices: Prices | None = None


class _Catalogue(Record):
    models: tuple[ModelEntry, ...]


@cache
def catalogue() -> tuple[ModelEntry, ...]:
    """The entries of ``catalogue.json``, in its order."""
    text = resources.files("verifaible.llm").joinpath("catalogue.json").read_text(encoding="utf-8")
    return _Catalogue.model_validate_json(text).models


def resolve(name: str, *, any_name: bool = False) -> ModelEntry:
    """The model a name stands for.

    Args:
        name: a short name of the catalogue (in any case), or ``provider/name``.
        any_name: let every other name pass too, as endpoints other than OpenRouter need it
            (``gpt-4o``, ``llama3.1:8b``).

    Raises:
        UnknownModel: neither; the message lists the names and the nearest one.
    """
    wanted = name.strip()
    for entry in catalogue():
        if wanted.lower() == entry.name:
            return entry
        if wanted == entry.slug:
            return entry.model_copy(update={"name": wanted})
    if _SLUG.fullmatch(wanted) or (any_name and wanted):
        return ModelEntry(name=wanted, slug=wanted)
    raise UnknownModel(_unknown(wanted))


def cost_usd(entry: ModelEntry, usage: Usage) -> float | None:
    """What ``usage`` costs by the catalogue's dated prices, in US dollars; None where it has none.

    An estimate for one route: other endpoints and other days charge otherwise. What a provider
    says it billed always goes before it.
    """
    prices = entry.prices
    if prices is None:
        return None
    cached = min(usage.cached_input_tokens, usage.input_tokens)
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    total = (
        (usage.input_tokens - cached) * prices.input
        + cached * cached_price
        + usage.output_tokens * prices.output
    )
    return float(total / _PER_MILLION)


def _unknown(name: str) -> str:
    names = [*(entry.name for entry in catalogue()), *BUILT_IN]
    near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]}?" if near else ""
    return (
        f"There is no model named {name!r}.{guess} Use one of {', '.join(names)}, or any model of"
        " the endpoint as provider/name, for example z-ai/glm-5."
    )
