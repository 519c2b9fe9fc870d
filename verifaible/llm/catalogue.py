"""The models and endpoints with names, and what the models cost."""

from __future__ import annotations

import difflib
import re
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from verifaible.errors import UnknownModel
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage

#: Agents that need no model; ``--model`` takes their names too.
BUILT_IN = ("oracle", "nop")
#: The API an endpoint is asked in: ``POST /responses`` or ``POST /chat/completions``.
Api: TypeAlias = Literal["responses", "chat"]
#: The endpoint of a model that names none.
DEFAULT_ENDPOINT = "openrouter"
#: The temperature of the published evaluation (seed, section 2.4).
TEMPERATURE = 0.3

#: Models that the message about an unknown name lists: those of the published evaluation come first.
_NAMED = 4
_SLUG = re.compile(r"[A-Za-z0-9~][\w.-]*(/[\w.:@-]+)+")
_PER_MILLION = Decimal(1_000_000)
#: Endpoints whose names are those of makers on OpenRouter too, so ``openai/gpt-5`` is its slug there.
_ALSO_MAKERS = frozenset({"openai", "openrouter"})

_Dollars: TypeAlias = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]


def is_http_url(text: str) -> bool:
    """Whether a text is an ``http://`` or ``https://`` address with a host and a usable port."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def _http_url(text: str) -> str:
    if not is_http_url(text.strip()):
        raise ValueError("Not an http:// or https:// address")
    return text.strip().rstrip("/")


class EndpointProfile(Record):
    """An endpoint with a name.

    ``base_url`` is the address below which ``/responses`` or ``/chat/completions`` is; ``key_env`` names the
    variable that holds its key: empty where it needs none.
    """

    base_url: Annotated[str, AfterValidator(_http_url)]
    api: Api = "responses"
    key_env: str = Field("", pattern=r"^[A-Za-z_]\w*$|^$")


class PriceTier(Record):
    """Prices of a whole request whose input is longer than ``above_input_tokens``."""

    above_input_tokens: int = Field(ge=0)
    input: _Dollars
    cached_input: _Dollars | None = None
    output: _Dollars


class Prices(Record):
    """Prices in US dollars for a million tokens, with the day they were read and where.

    ``cached_input`` is the price of input tokens that came from the provider's prompt cache; where
    it is not known they cost what other input does. Reasoning tokens are output tokens.
    """

    input: _Dollars
    cached_input: _Dollars | None = None
    output: _Dollars
    tiers: tuple[PriceTier, ...] = ()
    read_on: date | None = None
    source: str = ""

    def at(self, input_tokens: int) -> Prices | PriceTier:
        """The prices of a request of that length: those of the highest tier it reaches."""
        reached = [tier for tier in self.tiers if input_tokens > tier.above_input_tokens]
        return max(reached, key=lambda tier: tier.above_input_tokens, default=self)


class ModelEntry(Record):
    """A model: the name it goes by in reports, the slug its endpoint knows it by, and how it is asked.

    ``endpoint`` and ``api`` are empty where the default applies. ``temperature`` None is not sent.
    ``request`` has further fields of the request's body, as the endpoint wants them. With ``tools`` "text"
    the tools are written into the conversation, for endpoints without tool calling. ``provider`` names the
    providers of OpenRouter that may answer, in this order and no others (``deepinfra/fp8``). ``pictures``
    says whether it takes pictures beside text.
    """

    name: str = Field(min_length=1)
    slug: str = Field(min_length=1)
    endpoint: str = ""
    api: Api | None = None
    context_length: int | None = Field(None, gt=0, description="Tokens; None where it is not known.")
    context_source: str = ""
    prices: Prices | None = None
    temperature: float | None = Field(TEMPERATURE, ge=0, le=2)
    max_output_tokens: int | None = Field(None, gt=0)
    request: dict[str, Any] = Field(default_factory=dict)
    tools: Literal["native", "text"] = "native"
    provider: tuple[str, ...] = ()
    pictures: bool = False


class Catalogue(Record):
    """Models and endpoints by their names; the form of ``catalogue.json``."""

    endpoints: dict[str, EndpointProfile]
    models: tuple[ModelEntry, ...]


@cache
def built_in() -> Catalogue:
    """What ``catalogue.json`` holds."""
    text = resources.files("verifaible.llm").joinpath("catalogue.json").read_text(encoding="utf-8")
    return Catalogue.model_validate_json(text)


def resolve(name: str, *, any_name: bool = False, known: Catalogue | None = None) -> ModelEntry:
    """The model a name stands for.

    Args:
        name: a short name of the catalogue (in any case); ``provider/name``, a slug of OpenRouter; or
            ``endpoint:name``, which may also be written ``endpoint/name`` where ``endpoint`` is no
            provider of OpenRouter (``vllm/Qwen/Qwen3-8B``).
        any_name: a base URL is set, so every other name is one of that endpoint (``gpt-4o``,
            ``llama3.1:8b``, ``vllm/x``).
        known: models and endpoints; default the built-in ones.

    Raises:
        UnknownModel: none of these; the message lists the names and the nearest one.
    """
    known = known or built_in()
    wanted = name.strip()
    for entry in known.models:
        if wanted.lower() == entry.name.lower():
            return entry
    for entry in known.models:
        if wanted == entry.slug and not entry.endpoint:
            return entry.model_copy(update={"name": wanted})
    if any_name and wanted:
        return ModelEntry(name=wanted, slug=wanted)
    if named := _at_endpoint(wanted, known):
        return named
    if _SLUG.fullmatch(wanted):
        return ModelEntry(name=wanted, slug=wanted)
    raise UnknownModel(_unknown(wanted, known))


def _at_endpoint(wanted: str, known: Catalogue) -> ModelEntry | None:
    """The model of ``endpoint:name`` or ``endpoint/name``, if it is either."""
    makers = {entry.slug.partition("/")[0] for entry in known.models if "/" in entry.slug} | _ALSO_MAKERS
    for separator in ":/":
        place, found, slug = wanted.partition(separator)
        if not (found and slug and place in known.endpoints) or (separator == "/" and place in makers):
            continue
        return ModelEntry(name=wanted, slug=slug, endpoint=place)
    return None


def cost_usd(entry: ModelEntry, usage: Usage) -> float | None:
    """What one answer costs by the catalogue's dated prices, in US dollars; None where it has none.

    An estimate for one route: other endpoints and other days charge otherwise. What a provider
    says it billed always goes before it.
    """
    if entry.prices is None:
        return None
    prices = entry.prices.at(usage.input_tokens)
    cached = min(usage.cached_input_tokens, usage.input_tokens)
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    total = (
        (usage.input_tokens - cached) * prices.input
        + cached * cached_price
        + usage.output_tokens * prices.output
    )
    return float(total / _PER_MILLION)


def _unknown(name: str, known: Catalogue) -> str:
    names = [*(entry.name for entry in known.models), *BUILT_IN]
    wanted = name.lower()
    begun = [each for each in names if wanted and each.lower().startswith(wanted)]
    near = (begun or difflib.get_close_matches(wanted, names, n=1, cutoff=0.5))[:1]
    guess = f" Did you mean {near[0]}?" if near else ""
    return (
        f"There is no model named {name!r}.{guess} Use {', '.join(BUILT_IN)}, a short name"
        f" ({', '.join(names[:_NAMED])}; {len(known.models)} in all, listed in docs/models.md), any model of"
        " OpenRouter as provider/name (z-ai/glm-5), or any model of another endpoint as endpoint:name, where"
        f" endpoint is one of {', '.join(known.endpoints)}."
    )
