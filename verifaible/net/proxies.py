"""The proxies through which hosts are reached: those of the setting, else those of the environment."""

from __future__ import annotations

import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, cast
from urllib.parse import unquote, urlsplit

from verifaible.config import PROXY_SCHEMES, Settings, address_fault, proxy_entries
from verifaible.errors import ConfigError

Kind = Literal["http", "https", "socks5"]


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy; its host is the person's own choice and is not judged.

    Attributes:
        kind: what it speaks.
        host: its host.
        port: its port.
        username: who uses it, or an empty string.
        password: their password.
    """

    kind: Kind
    host: str
    port: int
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @property
    def authorization(self) -> str:
        """Value of the Proxy-Authorization header, or an empty string."""
        if not self.username:
            return ""
        return f"Basic {b64encode(f'{self.username}:{self.password}'.encode()).decode()}"


@dataclass(frozen=True, slots=True)
class Proxies:
    """Which proxy leads to a host.

    Attributes:
        chosen: proxies by host pattern, the first that fits; None is no proxy.
        environment: those for ``http`` and ``https`` where no pattern fits.
    """

    chosen: tuple[tuple[str, Proxy | None], ...] = ()
    environment: Mapping[str, Proxy] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> Proxies:
        """Those of the setting and of HTTP_PROXY, HTTPS_PROXY and ALL_PROXY.

        Raises:
            ConfigError: one of the environment cannot be used; the message holds no credentials.
        """
        said = settings.proxy.get_secret_value() if settings.proxy is not None else ""
        chosen = [(host, None if url is None else _proxy(url)) for host, url in proxy_entries(said)]
        # What names a host goes before what is for all.
        return cls(tuple(sorted(chosen, key=lambda each: each[0] == "*")), of_environment())

    def to(self, host: str, port: int) -> Proxy | None:
        """The proxy for a host, or None where it is reached without one.

        HTTP_PROXY is for port 80 and HTTPS_PROXY for port 443; for other ports it is the second, or the first
        where that is not set.
        """
        name = host.strip("[]").rstrip(".").lower()
        for pattern, proxy in self.chosen:
            if pattern in ("*", name, f"{name}:{port}") or (
                pattern.startswith("*.") and name.endswith(pattern[1:])
            ):
                return proxy
        schemes = {80: ("http",), 443: ("https",)}.get(port, ("https", "http"))
        found = next((self.environment[each] for each in schemes if each in self.environment), None)
        return None if found is None or urllib.request.proxy_bypass(name) else found

    def without(self, host: str, port: int) -> Proxies:
        """The same, with one host and port that are reached without a proxy."""
        return replace(self, chosen=((f"{host.strip('[]')}:{port}", None), *self.chosen))


def of_environment() -> dict[str, Proxy]:
    """The proxies for ``http`` and ``https`` that the environment names.

    Raises:
        ConfigError: one cannot be used; names the variable.
    """
    found: dict[str, Proxy] = {}
    named = urllib.request.getproxies()
    for scheme in ("http", "https"):
        source = scheme if named.get(scheme) else "all"
        if not (url := named.get(source)):
            continue
        url = url if "://" in url else f"http://{url}"
        if fault := address_fault(url, PROXY_SCHEMES):
            raise ConfigError(
                f"{source.upper()}_PROXY names a proxy whose address {fault}. Correct it, or unset it."
            )
        found[scheme] = _proxy(url)
    return found


def _proxy(url: str) -> Proxy:
    """A proxy by its address, which has no fault."""
    parts = urlsplit(url)
    kind = cast(Kind, parts.scheme.lower().removesuffix("h"))
    port = parts.port or {"http": 80, "https": 443, "socks5": 1080}[kind]
    return Proxy(
        kind, parts.hostname or "", port, unquote(parts.username or ""), unquote(parts.password or "")
    )
