"""Where a model is asked, and with which key."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from verifaible.config import Settings
from verifaible.errors import ConfigError, MissingKey
from verifaible.llm.catalogue import ModelEntry

OPENROUTER_URL = "https://openrouter.ai/api/v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible API.

    Attributes:
        base_url: address below which ``/responses`` is, without a slash at its end.
        api_key: the key, or an empty string where none is needed; never printed.
        key_name: the variable the key came from, for messages.
    """

    base_url: str
    api_key: str = field(default="", repr=False)
    key_name: str = "VERIFAIBLE_API_KEY"

    @property
    def host(self) -> str:
        """Host, with the port if the address names one."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def is_openrouter(self) -> bool:
        """Whether this is OpenRouter itself."""
        name = urlsplit(self.base_url).hostname or ""
        return name == "openrouter.ai" or name.endswith(".openrouter.ai")

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine."""
        name = urlsplit(self.base_url).hostname or ""
        if name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False


def endpoint(settings: Settings, entry: ModelEntry, env: Mapping[str, str] | None = None) -> Endpoint:
    """The endpoint for a model.

    The base URL is ``settings.base_url``, else OpenRouter. The key is ``settings.api_key``; else
    ``OPENROUTER_API_KEY``, before which ``OPENAI_API_KEY`` goes where the endpoint is not OpenRouter.
    A server on this machine needs none.

    Args:
        settings: the run's settings.
        entry: the model, for the message.
        env: environment variables; default those of the process.

    Raises:
        ConfigError: the base URL is not an http or https address.
        MissingKey: no key is set; the message names the variable.
    """
    variables = os.environ if env is None else env
    place = Endpoint(_base_url(settings.base_url))
    if settings.api_key:
        return Endpoint(place.base_url, settings.api_key)
    names = ["OPENROUTER_API_KEY"] if place.is_openrouter else ["OPENAI_API_KEY", "OPENROUTER_API_KEY"]
    for name in names:
        if key := variables.get(name, "").strip():
            return Endpoint(place.base_url, key, name)
    if place.is_loopback:
        return place
    wanted = "OPENROUTER_API_KEY" if place.is_openrouter else "VERIFAIBLE_API_KEY"
    raise MissingKey(
        f"The model {entry.name} is asked at {place.host}, which needs an API key: set the environment"
        f" variable {wanted} and start again."
    )


def _base_url(given: str) -> str:
    url = (given.strip() or OPENROUTER_URL).rstrip("/")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError(
            f"The base URL {given!r} is not an http:// or https:// address. Set VERIFAIBLE_BASE_URL to"
            f" one such as {OPENROUTER_URL}."
        )
    return url
