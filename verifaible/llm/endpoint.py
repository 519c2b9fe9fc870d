"""Where a model is asked, in which API, with which key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from verifaible.config import Settings
from verifaible.errors import ConfigError, MissingKey, UrlRefused
from verifaible.llm.catalogue import (
    DEFAULT_ENDPOINT,
    Api,
    EndpointProfile,
    ModelEntry,
    is_http_url,
    known_models,
)
from verifaible.net.guard import UrlGuard, endpoint_target, is_loopback

OPENROUTER_URL = "https://openrouter.ai/api/v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible API.

    Attributes:
        base_url: address below which ``/responses`` or ``/chat/completions`` is, without a slash at its end.
        api_key: the key, or an empty string where none is needed; never printed.
        key_name: the variable the key came from, for messages.
        url_guard: decides whether it may be connected to; default: where it is public, or on this machine.
    """

    base_url: str
    api_key: str = field(default="", repr=False)
    key_name: str = "VERIFAIBLE_API_KEY"
    url_guard: UrlGuard | None = field(default=None, repr=False, compare=False)

    @property
    def guard(self) -> UrlGuard:
        """What decides whether it may be connected to."""
        local = Settings.model_fields["local_endpoints"].default
        return self.url_guard or UrlGuard().with_endpoint(self.base_url, local)

    @property
    def host(self) -> str:
        """Host, with the port if the address names one."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def shown_url(self) -> str:
        """The base URL for messages: without a user, a password or a query, which may be secrets."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, self.host, parts.path, "", ""))

    @property
    def is_openrouter(self) -> bool:
        """Whether this is OpenRouter itself."""
        name = urlsplit(self.base_url).hostname or ""
        return name == "openrouter.ai" or name.endswith(".openrouter.ai")

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine."""
        return is_loopback(urlsplit(self.base_url).hostname or "")


def endpoint(settings: Settings, entry: ModelEntry, env: Mapping[str, str] | None = None) -> Endpoint:
    """The endpoint for a model.

    The base URL is ``settings.base_url``, else that of the entry's endpoint, else OpenRouter. The key of an
    endpoint with a name is in the variable that the endpoint names, and no other key is sent to it. For a
    base URL, and for OpenRouter, it is ``settings.api_key``; else ``OPENROUTER_API_KEY``, before which
    ``OPENAI_API_KEY`` goes where the endpoint is not OpenRouter. A server on this machine needs none.

    Args:
        settings: the run's settings.
        entry: the model; its endpoint, and its name for the message.
        env: environment variables; default those of the process.

    Raises:
        ConfigError: the base URL is not an http or https address or in a private network that no setting
            allows, the endpoint has no profile, or the key has characters that no header can hold.
        MissingKey: no key is set; the message names the variable.
    """
    variables = os.environ if env is None else env
    profile = None if settings.base_url.strip() else _profile(settings, entry)
    place = Endpoint(_base_url(settings.base_url) if profile is None else profile.base_url)
    if profile is None or (entry.endpoint or DEFAULT_ENDPOINT) == DEFAULT_ENDPOINT:
        names = ["OPENROUTER_API_KEY"] if place.is_openrouter else ["OPENAI_API_KEY", "OPENROUTER_API_KEY"]
        needed = "OPENROUTER_API_KEY" if place.is_openrouter else "VERIFAIBLE_API_KEY"
        keys = {"VERIFAIBLE_API_KEY": settings.api_key} | {name: variables.get(name, "") for name in names}
    else:
        needed = profile.key_env
        keys = {needed: variables.get(needed, "")} if needed else {}
    name = next((name for name, key in keys.items() if key.strip()), needed or "VERIFAIBLE_API_KEY")
    key = keys.get(name, "").strip()
    if not (key.isascii() and (not key or key.isprintable())):
        raise ConfigError(
            f"The API key in {name} has a character that no HTTP header can hold. Copy the key again"
            " from the provider's page, without quotes or line breaks."
        )
    if needed and not key and not place.is_loopback:
        raise MissingKey(
            f"The model {entry.name} is asked at {place.host}, which needs an API key: set the environment"
            f" variable {needed} and start again."
        )
    return Endpoint(place.base_url, key, name, _guard(settings, place.base_url))


def api_for(settings: Settings, entry: ModelEntry, given: Api | None = None) -> Api:
    """The API a model is asked in: the given one, else the entry's, else its endpoint's, else Responses.

    Raises:
        ConfigError: the entry's endpoint has no profile.
    """
    if given or entry.api:
        return given or entry.api or "responses"
    return "responses" if settings.base_url.strip() else _profile(settings, entry).api


def _profile(settings: Settings, entry: ModelEntry) -> EndpointProfile:
    profiles = known_models(settings).endpoints
    name = entry.endpoint or DEFAULT_ENDPOINT
    if name not in profiles:
        raise ConfigError(
            f"The model {entry.name} is asked at the endpoint {name!r}, which has no profile. Use one of"
            f" {', '.join(profiles)}, or describe it in {settings.models_file}."
        )
    return profiles[name]


def _guard(settings: Settings, url: str) -> UrlGuard:
    try:
        guard = UrlGuard.of(settings).with_endpoint(url, settings.local_endpoints)
        guard.check_target(endpoint_target(url))
    except UrlRefused as error:
        raise ConfigError(
            f"{str(error).partition('. ')[0]}. Where a model is asked there, name the host in "
            "VERIFAIBLE_LOCAL_ENDPOINTS; else correct VERIFAIBLE_BASE_URL."
        ) from error
    return guard


def _base_url(given: str) -> str:
    url = given.strip().rstrip("/")
    if not is_http_url(url):
        raise ConfigError(
            f"The base URL {given!r} is not an http:// or https:// address. Set VERIFAIBLE_BASE_URL to"
            f" one such as {OPENROUTER_URL}."
        )
    return url
