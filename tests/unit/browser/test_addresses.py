"""The addresses of running browsers: what is listed, what leaves, what a name stands for."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from verifaible.browser import driver
from verifaible.browser.chromium.addresses import addresses, shown
from verifaible.browser.chromium.remote import connect
from verifaible.config import Settings
from verifaible.errors import ConfigError


async def test_those_that_leave_are_left_out_and_each_is_there_once(tmp_path: Path) -> None:
    listed = tmp_path / "browsers"
    listed.write_text(
        "# of the first rack\nhttp://10.0.0.1:9222\n\nhttp://10.0.0.2:9222 leaving # for an update\n"
        "ws://10.0.0.3:3000/x?token=t, http://10.0.0.4:9222\n",
        encoding="utf-8",
    )
    entries = Settings(connect=f"http://10.0.0.5:9222 leaving, @{listed}, http://10.0.0.1:9222").connect  # type: ignore[arg-type]
    assert await addresses(entries) == (
        "http://10.0.0.1:9222",
        "ws://10.0.0.3:3000/x?token=t",
        "http://10.0.0.4:9222",
    )


async def test_a_name_stands_for_every_machine_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(socket.AF_INET6, "fd00::7"), (socket.AF_INET, "10.0.0.8"), (socket.AF_INET, "10.0.0.7")]
    machines = {"browsers": both, "six": [(socket.AF_INET6, "fd00::1")]}

    async def look_up(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        return [(family, None, None, "", (address, port)) for family, address in machines[host]]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
    assert await addresses(("ws://browsers:3000/b", "http://six:9222", "wss://far.example/b")) == (
        "ws://10.0.0.7:3000/b",
        "ws://10.0.0.8:3000/b",
        "http://[fd00::1]:9222",
        "wss://far.example/b",
    )


async def test_a_name_that_is_away_takes_no_other_browser_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = {"one": "10.0.0.7", "two": "10.0.0.8"}

    async def look_up(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        if host not in machines:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, None, None, "", (machines[host], port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
    entries, before = ("http://one:9222", "http://two:9222"), {}  # type: ignore[var-annotated]
    gone = machines.pop("two")
    assert await addresses(entries, before) == ("http://10.0.0.7:9222",)
    machines["two"] = gone
    both = ("http://10.0.0.7:9222", "http://10.0.0.8:9222")
    assert await addresses(entries, before) == both
    machines.clear()
    assert await addresses(entries, before) == both, "a name server that is away lets go of no browser"
    assert await addresses(entries[1:], before) == both[1:]
    with pytest.raises(ConfigError, match="'one', which has no address"):
        await addresses(entries)


@pytest.mark.parametrize(
    "entry",
    [
        "127.0.0.1:9222",
        "ftp://10.0.0.1",
        "http://",
        "http://10.0.0.1:99999",
        "http://10.0.0.1:9222 gone",
        "http://[::1",
        "@/no/such/list",
        "http://nowhere.invalid:9222",
    ],
)
async def test_what_is_no_address_is_said(entry: str) -> None:
    with pytest.raises(ConfigError, match=r"VERIFAIBLE_CONNECT (has|names)"):
        await addresses((entry,))


def test_no_password_is_shown() -> None:
    assert shown("ws://me:secret@10.0.0.1:3000/secret?token=secret") == "ws://10.0.0.1:3000"


@pytest.mark.parametrize(
    "said",
    [
        "WebSocket error: ws://me:secret@10.0.0.1:3000/secret 403 Forbidden",
        "Unexpected status 403 when connecting to http://me:se@secret@10.0.0.1:9222/json/version/?token=secret.",
        "WebSocket error: connect ECONNREFUSED 10.0.0.1:3000",
    ],
)
async def test_no_password_is_told_of_a_browser_that_refuses(said: str) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise driver.Error(said)

    playwright: Any = SimpleNamespace(chromium=SimpleNamespace(connect=refuse, connect_over_cdp=refuse))
    for scheme in ("ws", "http"):
        with pytest.raises(ConfigError, match=r"10\.0\.0\.1") as refused:
            await connect(playwright, f"{scheme}://me:secret@10.0.0.1:3000/secret?token=secret")
        assert "secret" not in str(refused.value)


async def test_no_password_is_told_of_a_line_that_is_no_address() -> None:
    with pytest.raises(ConfigError, match=r"'ws://10\.0\.0\.1:3000 gone'"):
        await addresses(("ws://me:secret@10.0.0.1:3000/secret gone",))
