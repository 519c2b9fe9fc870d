"""Who served an answer: OpenRouter passes requests on, and one model is not the same everywhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

#: Asks OpenRouter to say in its answer where a request went.
METADATA_HEADER = {"X-OpenRouter-Metadata": "enabled"}


class Servers:
    """The providers of one model; their list is read once, when the first answer names one."""

    def __init__(self) -> None:
        self._listed: list[Mapping[str, Any]] | None = None

    async def described(
        self, body: Mapping[str, Any], slug: str, read: Callable[[str], Awaitable[object]]
    ) -> str:
        """The provider that an answer names, with its quantisation: ``DeepInfra (fp8)``; "" if it names none.

        Where the provider has the model in several quantisations, all stand there: it does not say which.

        Args:
            body: the answer.
            slug: of the model.
            read: gives the JSON at a path below the base URL, or None.
        """
        name = _provider(body)
        if not name:
            return ""
        if self._listed is None:
            self._listed = _endpoints(await read(f"/models/{slug}/endpoints"))
        levels = {str(each.get("quantization") or "unknown") for each in self._listed if _is(each, name)}
        return f"{name} ({' or '.join(sorted(levels))})" if levels else name


def _provider(body: Mapping[str, Any]) -> str:
    """The provider's name: in the answer itself, or in what OpenRouter tells of its routing."""
    if isinstance(body.get("provider"), str):
        return str(body["provider"]).strip()
    chosen = [each for each in _available(body.get("openrouter_metadata")) if each.get("selected") is True]
    return str(chosen[0].get("provider") or "") if chosen else ""


def _available(metadata: object) -> list[Mapping[str, Any]]:
    endpoints = metadata.get("endpoints") if isinstance(metadata, Mapping) else None
    return _mappings(endpoints.get("available") if isinstance(endpoints, Mapping) else None)


def _endpoints(body: object) -> list[Mapping[str, Any]]:
    data = body.get("data") if isinstance(body, Mapping) else None
    return _mappings(data.get("endpoints") if isinstance(data, Mapping) else None)


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _is(endpoint: Mapping[str, Any], name: str) -> bool:
    return str(endpoint.get("provider_name") or "").lower() == name.lower()
