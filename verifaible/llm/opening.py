"""From the name of a model to a client for it; nothing is sent yet."""

from __future__ import annotations

from dataclasses import dataclass

from verifaible.config import Settings
from verifaible.llm.base import ModelClient
from verifaible.llm.catalogue import Api, resolve
from verifaible.llm.chat import ChatClient
from verifaible.llm.endpoint import api_for, endpoint
from verifaible.llm.models_file import known_models
from verifaible.llm.responses import ResponsesClient
from verifaible.llm.retry import RetryPolicy


@dataclass(frozen=True, slots=True)
class OpenedModel:
    """A model that can be asked.

    Attributes:
        client: to be closed by who opened it.
        described: what is asked, where, and in which API.
        prices: by which its cost is estimated, as JSON; empty where there are none.
        priced: whether what its calls cost will be known.
    """

    client: ModelClient
    described: str
    prices: str
    priced: bool


def open_model(
    name: str,
    settings: Settings,
    api: Api | None = None,
    provider: tuple[str, ...] = (),
    *,
    temperature: float | None = None,
) -> OpenedModel:
    """The client for a model's name.

    Args:
        name: as :func:`~verifaible.llm.catalogue.resolve` takes it.
        settings: base URL, key, and the person's own models.
        api: the API to ask it in; default what the catalogue says.
        provider: of OpenRouter, in this order and no others; default what the catalogue says.
        temperature: default what the catalogue says; of a model that takes none, none.

    Raises:
        UnknownModel: no such name.
        MissingKey: the model's endpoint needs a key that is not set.
        ConfigError: the base URL, the key or the person's own file of models has faults.
    """
    entry = resolve(name, any_name=bool(settings.base_url.strip()), known=known_models(settings))
    entry = entry.model_copy(update={"provider": provider}) if provider else entry
    if temperature is not None and entry.temperature is not None:
        entry = entry.model_copy(update={"temperature": temperature})
    spoken = api_for(settings, entry, api)
    place = endpoint(settings, entry)
    prices = entry.prices.model_dump_json() if entry.prices else ""
    retry = RetryPolicy(total_s=settings.retry_s)
    further = ["tools as text"] if entry.tools == "text" else []
    further += [f"only {' then '.join(entry.provider)}"] if entry.provider else []
    return OpenedModel(
        client=(ChatClient if spoken == "chat" else ResponsesClient)(entry, place, retry=retry),
        described=", ".join([f"{entry.slug} at {place.host}", spoken, *further]),
        prices=prices,
        priced=bool(prices) or place.is_openrouter,
    )
