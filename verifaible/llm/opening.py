"""From a model's name to its client."""

from __future__ import annotations

from dataclasses import dataclass, field

from verifaible.config import Settings
from verifaible.llm.base import ModelClient
from verifaible.llm.catalogue import Api, known_models, prices_of, resolve
from verifaible.llm.chat import ChatClient
from verifaible.llm.client import RetryPolicy
from verifaible.llm.endpoint import api_for, endpoint
from verifaible.llm.responses import ResponsesClient


@dataclass(frozen=True, slots=True)
class OpenedModel:
    """A model that can be asked.

    Attributes:
        client: to be closed by who opened it.
        described: what is asked, where, and in which API.
        prices: by which its cost is estimated, as JSON; empty where there are none.
        priced: whether what its calls cost will be known.
        key: the variable with the key of its endpoint, and the key; never printed.
    """

    client: ModelClient
    described: str
    prices: str
    priced: bool
    key: tuple[str, str] = field(default=("", ""), repr=False)


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
    prices = prices_of(entry)
    further = ["tools as text"] if entry.tools == "text" else []
    further += [f"only {' then '.join(entry.provider)}"] if entry.provider else []
    kind = ChatClient if spoken == "chat" else ResponsesClient
    return OpenedModel(
        client=kind(entry, place, retry=RetryPolicy(total_s=settings.retry_s)),
        described=", ".join([f"{entry.slug} at {place.host}", spoken, *further]),
        prices=prices,
        priced=bool(prices) or place.is_openrouter,
        key=(place.key_name, place.api_key),
    )
