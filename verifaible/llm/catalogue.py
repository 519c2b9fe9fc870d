"""The models and endpoints with names: built in, and the person's own ``models.json``; and what models cost.

The built-in catalogue holds what nothing else says. Any other model of OpenRouter goes by its name there, and
prices are those of genai-prices, which has them for every day.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError

from verifaible.config import Settings
from verifaible.errors import ConfigError, UnknownModel, needing
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

_SLUG = re.compile(r"[A-Za-z0-9~][\w.-]*(/[\w.:@-]+)+")
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


class Prices(Record):
    """Prices in US dollars for a million tokens, where the person gives their own.

    Input from the provider's prompt cache costs what other input does where ``cached_input`` is not given;
    reasoning tokens are output tokens.
    """

    input: _Dollars
    cached_input: _Dollars | None = None
    output: _Dollars


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
    prices: Prices | None = None
    temperature: float | None = Field(TEMPERATURE, ge=0, le=2)
    max_output_tokens: int | None = Field(None, gt=0)
    request: dict[str, Any] = Field(default_factory=dict)
    tools: Literal["native", "text"] = "native"
    provider: tuple[str, ...] = ()
    pictures: bool = False


class Catalogue(Record):
    """Models and endpoints by their names; the form of ``catalogue.json`` and of ``models.json``."""

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
        name: a short name of the catalogue, or of a model of OpenRouter (in any case); ``provider/name``, a
            slug of OpenRouter; or ``endpoint:name``, which may also be written ``endpoint/name`` where
            ``endpoint`` is no provider of OpenRouter (``vllm/Qwen/Qwen3-8B``).
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
    if slug := _slugs().get(wanted.lower()):
        return ModelEntry(name=wanted.lower(), slug=slug)
    raise UnknownModel(_unknown(wanted, known))


@cache
def _slugs() -> dict[str, str]:
    """The models of OpenRouter by the part of their slugs that names no maker; those of one maker alone."""
    with needing("models", "Naming a model"):
        from genai_prices.data_snapshot import get_snapshot

    provider = next(each for each in get_snapshot().providers if each.id == DEFAULT_ENDPOINT)
    names = [(each.id.rpartition("/")[2].lower(), each.id) for each in provider.models]
    short = [name for name, _ in names]
    return {name: slug for name, slug in names if short.count(name) == 1 and "/" in slug and ":" not in slug}


def _at_endpoint(wanted: str, known: Catalogue) -> ModelEntry | None:
    """The model of ``endpoint:name`` or ``endpoint/name``, if it is either."""
    for separator in ":/":
        place, found, slug = wanted.partition(separator)
        if not (found and slug and place in known.endpoints):
            continue
        if separator == "/" and (place in _ALSO_MAKERS or place in _makers()):
            continue
        return ModelEntry(name=wanted, slug=slug, endpoint=place)
    return None


def _makers() -> set[str]:
    return {slug.partition("/")[0] for slug in _slugs().values()}


def _unknown(name: str, known: Catalogue) -> str:
    catalogued = [entry.name for entry in known.models]
    names = [*catalogued, *BUILT_IN, *_slugs()]
    wanted = name.lower()
    begun = [each for each in names if wanted and each.lower().startswith(wanted)]
    near = (begun or difflib.get_close_matches(wanted, names, n=1, cutoff=0.5))[:1]
    guess = f" Did you mean {near[0]}?" if near else ""
    return (
        f"There is no model named {name!r}.{guess} Use {', '.join(BUILT_IN)}, a short name"
        f" ({', '.join(catalogued[:4])}), any model of OpenRouter as provider/name (z-ai/glm-5), or any model"
        f" of another endpoint as endpoint:name, where endpoint is one of {', '.join(known.endpoints)}."
    )


def cost_usd(entry: ModelEntry, usage: Usage) -> float | None:
    """What one answer costs by the person's own prices, else by those of genai-prices, in US dollars.

    None where neither knows it. An estimate for one route: other endpoints charge otherwise. What a provider
    says it billed always goes before it.
    """
    cached = min(usage.cached_input_tokens, usage.input_tokens)
    if entry.prices is not None:
        own = entry.prices
        read = (usage.input_tokens - cached) * own.input
        read += cached * (own.input if own.cached_input is None else own.cached_input)
        return float((read + usage.output_tokens * own.output) / 1_000_000)
    from genai_prices import Usage as Tokens

    tokens = Tokens(
        input_tokens=usage.input_tokens, cache_read_tokens=cached, output_tokens=usage.output_tokens
    )
    found = _calculated(entry, tokens)
    return None if found is None else float(found.total_price)


def prices_of(entry: ModelEntry) -> str:
    """The prices by which :func:`cost_usd` estimates, as JSON with their source; empty: none."""
    if entry.prices is not None:
        return entry.prices.model_dump_json()
    import genai_prices

    found = _calculated(entry, genai_prices.Usage(input_tokens=1, output_tokens=1))
    if found is None:
        return ""
    source = f"genai-prices {genai_prices.__version__}, provider {found.provider.id}"
    return json.dumps({"prices": str(found.model_price), "source": source})


def _calculated(entry: ModelEntry, tokens: Any) -> Any:
    """What genai-prices says of these tokens; None where it knows the provider or the model not."""
    from genai_prices import calc_price

    try:
        return calc_price(tokens, entry.slug, provider_id=entry.endpoint or DEFAULT_ENDPOINT)
    except LookupError:
        return None


class _Written(Record):
    """The outer form of ``models.json``; its entries are validated once they are merged."""

    endpoints: dict[str, dict[str, Any]] = Field(default_factory=dict)
    models: list[dict[str, Any]] = Field(default_factory=list)


def known_models(settings: Settings) -> Catalogue:
    """The built-in catalogue with the person's own file over it, which replaces only the fields it gives.

    Raises:
        ConfigError: the file that ``VERIFAIBLE_MODELS`` names is not there, or a file has faults:
            one ``path: field: message`` line for each.
    """
    path = settings.models_file
    try:
        return _merged(path, json.loads(path.read_text(encoding="utf-8-sig")))
    except FileNotFoundError:
        if settings.models is None:
            return built_in()
        raise ConfigError(f"{path}: there is no such file. Correct or unset VERIFAIBLE_MODELS.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _faulty(path, [("", f"cannot be read ({error})")]) from error
    except ValidationError as error:
        faults = [(_field(fault["loc"]), fault["msg"]) for fault in error.errors(include_url=False)]
        raise _faulty(path, faults) from error
    except (ValueError, RecursionError) as error:
        raise _faulty(path, [("", f"is not JSON ({error})")]) from error


def _merged(path: Path, written: object) -> Catalogue:
    base, mine = built_in(), _Written.model_validate(written)
    endpoints = {name: profile.model_dump(exclude_unset=True) for name, profile in base.endpoints.items()}
    for name, fields in mine.endpoints.items():
        endpoints[name] = {**endpoints.get(name, {}), **fields}
    known = {entry.name.lower(): entry.model_dump(exclude_unset=True) for entry in base.models}
    models = [{**known.get(str(fields.get("name")).lower(), {}), **fields} for fields in mine.models]
    checked = Catalogue.model_validate({"endpoints": endpoints, "models": models})
    if faults := [*_name_faults(checked)]:
        raise _faulty(path, faults)
    own_names = {entry.name.lower() for entry in checked.models}
    rest = tuple(entry for entry in base.models if entry.name.lower() not in own_names)
    return Catalogue(endpoints=checked.endpoints, models=(*rest, *checked.models))


def _name_faults(mine: Catalogue) -> Iterator[tuple[str, str]]:
    """Names that stand for two things, or for nothing."""
    for name in mine.endpoints:
        if not name or set(name) & set(":/ \t\n"):
            yield f"endpoints.{name}", "a name has no colon, slash or space"
    seen: set[str] = set()
    for place, entry in enumerate(mine.models):
        where = f"models[{place}]"
        if entry.name.lower() in BUILT_IN:
            yield f"{where}.name", f"{entry.name} is the name of a built-in agent"
        if entry.name.lower() in seen:
            yield f"{where}.name", f"{entry.name} is there twice"
        seen.add(entry.name.lower())
        if entry.endpoint and entry.endpoint not in mine.endpoints:
            names = ", ".join(mine.endpoints)
            yield f"{where}.endpoint", f"there is no endpoint {entry.endpoint!r}; there are {names}"


def _field(loc: tuple[int | str, ...]) -> str:
    """A place in the file as ``models[0].prices.input``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")


def _faulty(path: Path, faults: list[tuple[str, str]]) -> ConfigError:
    lines = [": ".join(part for part in (str(path), field, what) if part) for field, what in faults]
    return ConfigError("\n".join([*lines, "Correct the lines above and start again."]))
