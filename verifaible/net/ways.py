"""The ways out: which proxy a host is reached through, by the setting or by the environment."""

from __future__ import annotations

import ipaddress
import re
import urllib.request
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, urlsplit

from verifaible.config import Settings
from verifaible.errors import ConfigError

Kind = Literal["http", "https", "socks5"]
_PORTS: dict[Kind, int] = {"http": 80, "https": 443, "socks5": 1080}
_DIRECT = "direct"
#: ``HOST=PROXY``; a proxy for all hosts begins with its scheme.
_FOR_HOST = re.compile(r"([^=/:@]+(?::\d+)?)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Upstream:
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
class Ways:
    """The proxies by host pattern, the first that fits; None is the direct way."""

    chosen: tuple[tuple[str, Upstream | None], ...] = ()

    @classmethod
    def of(cls, settings: Settings) -> Ways:
        """Those of the setting.

        Raises:
            ConfigError: it cannot be read; the message holds no credentials.
        """
        said = settings.proxy.get_secret_value() if settings.proxy is not None else ""
        chosen: list[tuple[str, Upstream | None]] = []
        for part in filter(None, (each.strip() for each in said.split(","))):
            found = (
                None if part.startswith(_DIRECT) or "://" in part.partition("=")[0] else _FOR_HOST.match(part)
            )
            pattern, way = (found[1].strip().lower(), found[2].strip()) if found else ("*", part)
            chosen.append((pattern, None if way == _DIRECT else parse_proxy(way, "VERIFAIBLE_PROXY")))
        # What names a host goes before what is for all.
        return cls(tuple(sorted(chosen, key=lambda each: each[0] == "*")))

    def to(self, scheme: str, host: str, port: int) -> Upstream | None:
        """The proxy for a host, or None for the direct way.

        Raises:
            ConfigError: the environment names a kind of proxy that cannot be used.
        """
        name = host.strip("[]").lower()
        for pattern, way in self.chosen:
            if pattern in ("*", name, f"{name}:{port}") or (
                pattern.startswith("*.") and name.endswith(pattern[1:])
            ):
                return way
        return by_environment(scheme, host)


def by_environment(scheme: str, host: str, proxies: Mapping[str, str] | None = None) -> Upstream | None:
    """The proxy that HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY prescribe, or None.

    Behind a proxy only the host as it is written is judged: the proxy looks names up and connects by itself,
    and which address it comes to cannot be seen from here.

    Raises:
        ConfigError: it is a kind of proxy that cannot be used.
    """
    found = urllib.request.getproxies() if proxies is None else proxies
    url = found.get(scheme) or found.get("all")
    if not url or urllib.request.proxy_bypass(host.strip("[]")):
        return None
    return parse_proxy(url if "://" in url else f"http://{url}", f"the environment for {scheme}")


def parse_proxy(url: str, where: str) -> Upstream:
    """A proxy by its address, with user and password in it where it wants them.

    Args:
        url: ``http://``, ``https://``, ``socks5://`` or ``socks5h://``.
        where: who names it.

    Raises:
        ConfigError: it is of another kind, or has no valid port.
    """
    parts = urlsplit(url)
    kind = parts.scheme.lower().replace("socks5h", "socks5")
    if kind not in _PORTS or not parts.hostname:
        raise ConfigError(
            f"The proxy that {where} names is of the kind {parts.scheme!r}. Name an http://, https:// or "
            "socks5:// proxy, or none."
        )
    try:
        port = parts.port or _PORTS[kind]
    except ValueError:
        raise ConfigError(
            f"The proxy that {where} names has no valid port. Correct it, or name none."
        ) from None
    return Upstream(kind, parts.hostname, port, unquote(parts.username or ""), unquote(parts.password or ""))


async def socks5(
    exchange: Callable[[bytes, int], Awaitable[bytes]], upstream: Upstream, host: str, port: int
) -> None:
    """Ask a SOCKS proxy for a connection (RFC 1928, with user and password by RFC 1929).

    Args:
        exchange: sends bytes and gives so many of the answer.
        upstream: the proxy.
        host: name or address to connect to; names are looked up by the proxy.
        port: its port.

    Raises:
        OSError: the proxy refuses.
    """
    methods = b"\x02" if upstream.username else b"\x00"
    if (await exchange(b"\x05" + bytes([len(methods)]) + methods, 2)) != b"\x05" + methods:
        raise ConnectionError("the SOCKS proxy takes no such credentials")
    if upstream.username:
        user, password = upstream.username.encode(), upstream.password.encode()
        said = b"\x01" + bytes([len(user)]) + user + bytes([len(password)]) + password
        if (await exchange(said, 2))[1]:
            raise ConnectionError("the SOCKS proxy refused the credentials")
    try:
        address = ipaddress.ip_address(host.strip("[]"))
        place = (b"\x01" if address.version == 4 else b"\x04") + address.packed
    except ValueError:
        name = host.encode("ascii")
        place = b"\x03" + bytes([len(name)]) + name
    head = await exchange(b"\x05\x01\x00" + place + port.to_bytes(2, "big"), 5)
    if head[1]:
        raise ConnectionError(f"the SOCKS proxy did not reach the host (reply {head[1]})")
    rest = {1: 3, 4: 15, 3: head[4]}.get(head[3])
    if rest is None:
        raise ConnectionError("the SOCKS proxy gave no valid reply")
    await exchange(b"", rest + 2)
