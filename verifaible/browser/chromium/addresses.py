"""Where the running browsers are that ``VERIFAIBLE_CONNECT`` names."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from verifaible.errors import ConfigError

_LEAVING = "leaving"


async def addresses(
    entries: Sequence[str], before: dict[SplitResult, list[str]] | None = None
) -> tuple[str, ...]:
    """The addresses of the browsers that new pages may be given, each once, in the order of the entries.

    The name of a host stands for every machine that it resolves to now, as those of a Kubernetes Service
    without an address of its own. Names with a certificate (``https``, ``wss``) are left as they are. A name
    that does not resolve stands for the machines that it had, or for none while others are listed.

    Args:
        entries: addresses, or ``@FILE`` for a file with one on each line. One with `` leaving`` behind it
            gets no new pages; ``#`` begins a comment.
        before: the machines that names had at earlier readings; brought up to date.

    Raises:
        ConfigError: an entry is no address, a file cannot be read, or no name resolves.
    """
    parsed = [_address(entry) for entry in await asyncio.to_thread(_lines, entries)]
    listed = [parts for parts in parsed if parts is not None]
    answers = await asyncio.gather(*map(_machines, listed), return_exceptions=True)
    machines = {} if before is None else before
    unknown: list[ConfigError] = []
    for parts, answer in zip(listed, answers, strict=True):
        if isinstance(answer, list):
            machines[parts] = answer
        elif isinstance(answer, ConfigError):
            unknown.append(answer)
        else:
            raise answer
    found = tuple(dict.fromkeys(address for parts in listed for address in machines.get(parts, ())))
    if unknown and not found:
        raise unknown[0]
    return found


def shown(text: str) -> str:
    """An address, or a text with addresses, for people: without what may be a password in them."""
    return re.sub(r"(\w+://)(?:[^\s/?#]*@)?([^\s/?#]*)\S*", r"\1\2", text)


def _lines(entries: Iterable[str]) -> list[str]:
    lines: list[str] = []
    for entry in entries:
        if not entry.startswith("@"):
            lines.append(entry)
            continue
        try:
            text = Path(entry[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"VERIFAIBLE_CONNECT names the file {entry[1:]}, which cannot be read ({error}). Correct the "
                "name, or write the addresses into the variable."
            ) from error
        lines += (line.partition("#")[0] for line in re.split(r"[\n,]", text))
    return [line.strip() for line in lines if line.strip()]


def _address(line: str) -> SplitResult | None:
    """The address of a line; None for one that is leaving."""
    address, _, word = line.partition(" ")
    try:
        parts = urlsplit(address)
        known = parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known or word.strip() not in {"", _LEAVING}:
        raise ConfigError(
            f"VERIFAIBLE_CONNECT has {shown(line)!r}; give http://host:port of a Chromium that runs with "
            "--remote-debugging-port, or the ws:// address of a Playwright server."
        )
    return None if word else parts


async def _machines(parts: SplitResult) -> list[str]:
    """The address with each machine in the place of its name: DevTools answers to no name but localhost."""
    host = parts.hostname or ""
    if parts.scheme in {"https", "wss"} or _is_ip(host):
        return [parts.geturl()]
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, parts.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ConfigError(
            f"VERIFAIBLE_CONNECT names the host {host!r}, which has no address ({error.strerror}). Correct "
            "the name, or start the browsers that it stands for."
        ) from error
    # A machine with addresses of both families is one browser.
    family = min((each[0] for each in answers), key=lambda each: each != socket.AF_INET)
    machines = sorted({str(each[4][0]) for each in answers if each[0] == family})
    before, at, _ = parts.netloc.rpartition("@")
    port = f":{parts.port}" if parts.port else ""
    return [
        parts._replace(netloc=f"{before}{at}{f'[{one}]' if ':' in one else one}{port}").geturl()
        for one in machines
    ]


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
