"""The URL guard: which addresses may be asked at all.

An address from a page or a model may point into the private network of whoever runs this
(server-side request forgery). The guard lets through http and https to hosts that resolve to
public addresses only; hosts named in ``VERIFAIBLE_ALLOW_HOSTS`` are exempt. Host names are read
as the WHATWG URL Standard does, so that ``http://0x7f.1/`` is 127.0.0.1 here as in a browser.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TypeAlias

from ada_url import URL, HostType

from verifaible.config import Settings
from verifaible.errors import PageNotLoaded, UrlRefused
from verifaible.net.proxies import Proxies

IPAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
#: Gives the addresses of a host name, for a port, as text; none, or an OSError, where there are none.
Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]

_DEFAULT_PORTS = {"http": 80, "https": 443}
#: Names that never belong to the public internet (RFC 6761, RFC 6762, RFC 8375, ICANN .internal).
_LOCAL_SUFFIXES = ("localhost", "local", "internal", "home.arpa", "lan", "intranet", "corp", "localdomain")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
#: The only part of IPv6 that is given out for the public internet (IANA, "IPv6 Address Space").
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
#: Not public, whatever this version of Python thinks of them: protocol assignments, 6to4 relays
#: (RFC 7526), documentation (RFC 9637), and the one public address that a cloud gives to its own agent
#: (Azure, "What is IP address 168.63.129.16?"; those of other clouds are link-local, shared or unique local).
_SPECIAL = (
    ipaddress.IPv4Network("168.63.129.16/32"),
    ipaddress.IPv4Network("192.0.0.0/24"),
    ipaddress.IPv4Network("192.88.99.0/24"),
    ipaddress.IPv6Network("3fff::/20"),
)
_IPV4_COMPATIBLE = ipaddress.IPv6Network("::/96")
#: What an address begins with; the URL Standard skips controls and blanks in front of it.
_SCHEME = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.\-\t\n\r]*):")
#: Characters of a host name at most (RFC 1035, section 2.3.4).
_MOST_HOST = 253


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads: the host as the WHATWG parser canonicalises it, and the port."""

    host: str
    port: int
    address: IPAddress | None


class UrlGuard:
    """Checks URLs before anything is sent.

    ``allow_hosts`` are hosts exempt from the address rules: ``127.0.0.1`` (any port),
    ``127.0.0.1:8123``, ``localhost``, ``[::1]``, or ``*.example`` for every name below
    ``example``. The scheme and user-information rules hold for them too. ``resolver`` is asked for
    the addresses of a name; default: the system's. ``proxies`` are those through which its hosts
    are reached; default: none.
    """

    def __init__(
        self,
        allow_hosts: Iterable[str] = (),
        *,
        resolver: Resolver | None = None,
        proxies: Proxies | None = None,
    ) -> None:
        self.proxies = proxies or Proxies()
        self._allowed = tuple(_allowed_entry(entry) for entry in allow_hosts if entry.strip())
        self._resolver = resolver or system_resolver

    @classmethod
    def of(cls, settings: Settings) -> UrlGuard:
        """That of pages.

        Raises:
            ConfigError: the environment names a proxy that cannot be used.
        """
        return cls(settings.allow_hosts, proxies=Proxies.of(settings))

    def with_endpoint(self, url: str, local: Iterable[str]) -> UrlGuard:
        """The same, for what asks an endpoint that the person named: it may be local where ``local`` says so.

        Only this host and port are exempt, so that an answer of the endpoint leads nowhere else; a local
        one is reached without a proxy, which would look for it on its own side.

        Args:
            url: the address of the endpoint.
            local: hosts as ``allow_hosts`` has them; ``localhost`` is this machine under any of its names.

        Raises:
            UrlRefused: the address has no valid host.
        """
        target = endpoint_target(url)
        guard = copy(self)
        local = tuple(local)
        if ("localhost" in local and is_loopback(target.host)) or UrlGuard(local)._is_allowed(target):
            guard._allowed = (*self._allowed, (target.host, target.port))
            guard.proxies = self.proxies.without(target.host, target.port)
        return guard

    def check_host_only(self, url: str) -> Target:
        """Check scheme, user information and host without asking a name server.

        Raises:
            UrlRefused: names the host and the rule that refused it.
        """
        target = parse_target(url)
        self.check_target(target)
        return target

    def check_target(self, target: Target) -> None:
        """Check a host and port without asking a name server.

        Raises:
            UrlRefused: names the host and the rule that refused it.
        """
        if self._is_allowed(target):
            return
        if target.address is not None:
            if not is_public(target.address):
                raise UrlRefused(_refusal(target.host, "it is not an address of the public internet"))
            return
        host = target.host.rstrip(".")
        if any(host == suffix or host.endswith("." + suffix) for suffix in _LOCAL_SUFFIXES):
            raise UrlRefused(_refusal(host, "it is a name of a local network"))
        if "." not in host:
            raise UrlRefused(_refusal(host, "it is a single label, a name of a local network"))

    async def addresses(self, target: Target) -> tuple[str, ...]:
        """The addresses of a host, each judged unless the host is exempt.

        Whoever connects does so to one of them, and to nothing that a second look-up might give.

        Raises:
            UrlRefused: names the host and the rule, never an address that it resolved to.
            PageNotLoaded: the host has no address.
        """
        self.check_target(target)
        found = [target.address] if target.address else await _resolve(target, self._resolver)
        if not self._is_allowed(target) and not all(map(is_public, found)):
            raise UrlRefused(_refusal(target.host, "it resolves to an address that is not public"))
        return tuple(map(str, found))

    async def has_name(self, target: Target) -> bool:
        """Whether a host may be there: False only where the name servers know that there is no such name.

        Where a proxy leads to it, nobody is asked: the proxy knows its names.
        """
        if target.address is not None or self.proxies.to(target.host, target.port) is not None:
            return True
        try:
            await self._resolver(target.host, target.port)
        except socket.gaierror as error:
            return error.errno not in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
        except (OSError, UnicodeError):
            return True
        return True

    def _is_allowed(self, target: Target) -> bool:
        return any(
            port in {0, target.port}
            and (target.host == host or (host.startswith("*.") and target.host.endswith(host[1:])))
            for host, port in self._allowed
        )


def _refusal(host: str, rule: str) -> str:
    return (
        f"The host {host!r} was refused: {rule}. Use a public http or https address; if this host is "
        "meant, the person running verifaible has to name it in VERIFAIBLE_ALLOW_HOSTS."
    )


def _allowed_entry(entry: str) -> tuple[str, int]:
    """(host, port) with port 0 for any; a name that is no address is kept as it is."""
    text = entry.strip().lower()
    if text.startswith("*."):
        return text, 0
    if text.count(":") > 1 and not text.startswith("["):
        text = f"[{text}]"
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit():
        host, port = text, "0"
    return parse_host(host)[0], int(port)


def parse_target(url: str) -> Target:
    """Host and port of an http(s) URL as a browser reads them (WHATWG URL, by the library ada).

    Raises:
        UrlRefused: another scheme, user information, or no valid host.
    """
    scheme = _SCHEME.match(url)
    if scheme is None or scheme[1].lower() not in _DEFAULT_PORTS:
        shown = scheme[1].lower() if scheme else url[:40]
        raise UrlRefused(f"{shown!r} was refused: only http:// and https:// addresses are opened. Use one.")
    try:
        parts = URL(url)
    except ValueError:
        host = re.split(r"[/\\?#]", url[scheme.end() :].lstrip("/\\"), maxsplit=1)[0].rpartition("@")[2]
        raise UrlRefused(_refusal(host, "it is not a valid host name, address or port")) from None
    if parts.username or parts.password:
        raise UrlRefused(_refusal(parts.hostname, "the address carries a user name or password before it"))
    host, address = _host_of(parts)
    return Target(host, int(parts.port) if parts.port else _DEFAULT_PORTS[scheme[1].lower()], address)


def _host_of(parts: URL) -> tuple[str, IPAddress | None]:
    """The host of an address that is valid, and the address of the network if it is one."""
    host = parts.hostname
    if not 0 < len(host) <= _MOST_HOST:
        raise UrlRefused(_refusal(host, "it is not a valid host name"))
    is_name = parts.host_type == HostType.DEFAULT
    return host, None if is_name else ipaddress.ip_address(host.strip("[]"))


def endpoint_target(url: str) -> Target:
    """Where the address of an endpoint leads; unlike that of a page it may carry a user and a password.

    Raises:
        UrlRefused: as :func:`parse_target`.
    """
    return parse_target(re.sub(r"(?<=://)[^/?#]*@", "", url, count=1))


def target_of(host: str, port: int) -> Target:
    """The target for a host and a port; an IPv6 address may stand without its brackets.

    Raises:
        UrlRefused: it is no valid host.
    """
    name, address = parse_host(f"[{host}]" if ":" in host and not host.startswith("[") else host)
    return Target(name, port, address)


def parse_host(text: str) -> tuple[str, IPAddress | None]:
    """A host in canonical form, and the address if it is one (WHATWG URL, "host parsing").

    Raises:
        UrlRefused: it is no valid host.
    """
    try:
        if not text or re.search(r"[/\\?#@\s]", text) or (":" in text and not text.startswith("[")):
            raise ValueError(text)
        return _host_of(URL(f"http://{text}/"))
    except ValueError:
        raise UrlRefused(_refusal(text, "it is not a valid host name or address")) from None


def is_public(address: IPAddress) -> bool:
    """Whether an address, and any address carried inside it, belongs to the public internet.

    Unwrapped: IPv4-mapped and -compatible, NAT64 (RFC 6052), 6to4, Teredo, ISATAP (RFC 5214).
    """
    carried = _inside(address)
    if not all(map(is_public, carried)):
        return False
    if carried and not _is_isatap(address):
        return True  # an ISATAP address has a prefix of its own besides
    if isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    if any(address in network for network in _SPECIAL):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _inside(address: IPAddress) -> tuple[IPAddress, ...]:
    """The addresses that an address carries."""
    if not isinstance(address, ipaddress.IPv6Address):
        return ()
    if address.teredo is not None:
        return address.teredo
    carried = address.ipv4_mapped or address.sixtofour
    if carried is None and (_is_isatap(address) or address in _NAT64 or address in _IPV4_COMPATIBLE):
        carried = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return () if carried is None else (carried,)


def _is_isatap(address: IPAddress) -> bool:
    """Whether the lower half is 0000:5efe or 0200:5efe and an IPv4 address (RFC 5214, 6.1)."""
    return address.version == 6 and (int(address) >> 32) & 0xFDFFFFFF == 0x5EFE


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """The addresses that the system gives for a name, in its order of preference (RFC 6724)."""
    answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(answer[4][0]) for answer in answers]


async def _resolve(target: Target, resolver: Resolver) -> list[IPAddress]:
    name = target.host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        answers: Sequence[str] = ("127.0.0.1", "::1")  # RFC 6761, 6.3: no name server is asked
    else:
        try:
            answers = await resolver(target.host, target.port)
        except (OSError, UnicodeError):
            answers = ()
    # A scope ("%eth0") is local by definition; the address without it is judged the same.
    found = [ipaddress.ip_address(answer.partition("%")[0]) for answer in answers]
    if not found:
        raise PageNotLoaded(
            f"The host {target.host!r} has no address on the internet. Check the spelling of the URL."
        )
    return list(dict.fromkeys(found))


def is_loopback(host: str) -> bool:
    """Whether a host name or an address stands for this machine alone."""
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
