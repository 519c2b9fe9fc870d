"""The URL guard: forms of private addresses, names that resolve to them, and the exemptions."""

from __future__ import annotations

import asyncio
import ipaddress
import socket

import pytest

from tests.kit import suites
from tests.kit.cases import cases
from verifaible.config import Settings
from verifaible.errors import PageNotLoaded, UrlRefused
from verifaible.net.guard import UrlGuard, is_public, parse_host, parse_target
from verifaible.net.proxies import Proxies


@pytest.mark.parametrize("row", suites.load("addresses", kind="refused"), ids=lambda row: row.id)
def test_attacks_are_refused_without_asking_a_name_server(row: suites.Row) -> None:
    with pytest.raises(UrlRefused):
        UrlGuard().check_host_only(row.input["url"])


@pytest.mark.parametrize(
    "url", ["http://ada:lovelace@site.example/", "http://ada:lovelace@site.example:80/x"]
)
def test_a_password_in_an_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UrlRefused, match=r"site\.example.*user name or password") as refused:
        parse_target(url)
    assert "lovelace" not in str(refused.value)


@cases("addresses", "public")
def test_public_addresses_pass_in_canonical_form(url: str, host: str, port: int) -> None:
    target = UrlGuard().check_host_only(url)
    assert (target.host, target.port) == (host, port)


def test_a_name_that_no_name_server_can_be_asked_for() -> None:
    with pytest.raises(UrlRefused, match="not a valid host name"):
        UrlGuard().check_host_only(f"http://{'a' * 250}.example/")


def test_names_of_other_scripts_become_ascii() -> None:
    host, address = parse_host("国家统计局.中国")
    assert host.isascii()
    assert host.endswith(".xn--fiqs8s")
    assert address is None


@pytest.mark.parametrize(
    ("allowed", "url", "passes"),
    [
        (("127.0.0.1",), "http://127.0.0.1:9/", True),
        (("127.0.0.1",), "http://0x7f.1/", True),
        (("127.0.0.1",), "http://127.0.0.2/", False),
        (("127.0.0.1:8123",), "http://127.0.0.1:8123/", True),
        (("127.0.0.1:8123",), "http://127.0.0.1/", False),
        (("LOCALHOST",), "http://localhost:1/", True),
        (("localhost",), "http://a.localhost/", False),
        (("*.example",), "http://a.b.example/", True),
        (("*.example",), "http://notexample/", False),
        (("*.local",), "http://x.local/", True),
        (("[::1]",), "http://[::1]:5/", True),
        (("[::1]:5",), "http://[::1]:5/", True),
        (("::1",), "http://[0::1]/", True),
        (("", " "), "http://127.0.0.1/", False),
        (("127.0.0.1",), "ftp://127.0.0.1/", False),
        (("127.0.0.1",), "http://u:p@127.0.0.1/", False),
    ],
)
def test_exemptions(allowed: tuple[str, ...], url: str, passes: bool) -> None:
    guard = UrlGuard(allowed)
    if passes:
        guard.check_host_only(url)
    else:
        with pytest.raises(UrlRefused):
            guard.check_host_only(url)


def test_the_message_names_host_rule_and_setting() -> None:
    with pytest.raises(UrlRefused, match=r"'127\.0\.0\.1' was refused: .*VERIFAIBLE_ALLOW_HOSTS"):
        UrlGuard().check_host_only("http://2130706433/")


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """A name server of our own: what each host resolves to."""
    table: dict[str, list[str]] = {}

    async def getaddrinfo(
        self: asyncio.AbstractEventLoop, host: str, port: int, **_: object
    ) -> list[tuple[object, ...]]:
        if host not in table:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in table[host]]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)
    return table


async def test_a_name_that_resolves_to_a_private_address_is_refused_and_the_address_not_told(
    names: dict[str, list[str]],
) -> None:
    names["evil.example.com"] = ["8.8.8.8", "192.168.7.7"]
    with pytest.raises(UrlRefused, match=r"evil\.example\.com") as refusal:
        await UrlGuard().addresses(parse_target("http://evil.example.com/"))
    assert "192.168" not in str(refusal.value)


async def test_a_public_name_gives_its_addresses_once_each(names: dict[str, list[str]]) -> None:
    names["example.com"] = ["8.8.8.8", "8.8.8.8", "2606:4700::1111"]
    assert await UrlGuard().addresses(parse_target("https://example.com/")) == ("8.8.8.8", "2606:4700::1111")
    assert await UrlGuard().addresses(parse_target("https://8.8.4.4/")) == ("8.8.4.4",)


async def test_an_allowed_name_may_lead_to_a_private_address(names: dict[str, list[str]]) -> None:
    names["db.internal"] = ["10.0.0.7"]
    target = parse_target("http://db.internal/")
    assert await UrlGuard(["db.internal"]).addresses(target) == ("10.0.0.7",)


async def test_a_scoped_address_is_judged_without_its_scope(names: dict[str, list[str]]) -> None:
    names["link.example.com"] = ["fe80::1%eth0"]
    with pytest.raises(UrlRefused):
        await UrlGuard().addresses(parse_target("http://link.example.com/"))


async def test_a_name_without_an_address_is_not_loaded(names: dict[str, list[str]]) -> None:
    with pytest.raises(PageNotLoaded, match="no address"):
        await UrlGuard().addresses(parse_target("http://nowhere.example.com/"))


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("64:ff9b::808:808", True),
        ("2002:808:808::", True),
        ("198.18.0.1", False),
        ("192.0.2.1", False),
        ("2001:db8::1", False),
        ("240.0.0.1", False),
    ],
)
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public


def test_ports_have_defaults() -> None:
    assert [parse_target(url).port for url in ("http://e.com", "https://e.com:", "http://e.com:0")] == [
        80,
        443,
        0,
    ]


@pytest.mark.parametrize(
    ("error", "known"), [(socket.EAI_NONAME, False), (socket.EAI_AGAIN, True), (None, True)]
)
async def test_whether_a_name_is_known(error: int | None, known: bool) -> None:
    async def resolver(host: str, port: int) -> list[str]:
        if error is not None:
            raise socket.gaierror(error, "no")
        return ["8.8.8.8"]

    guard = UrlGuard(resolver=resolver)
    assert await guard.has_name(parse_target("http://nowhere.example/")) is known
    assert await guard.has_name(parse_target("http://8.8.8.8/"))


async def test_a_name_behind_a_proxy_is_nobody_elses_to_know(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolver(host: str, port: int) -> list[str]:
        raise AssertionError("a name was looked up outside the proxy")

    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    guard = UrlGuard(resolver=resolver, proxies=Proxies.of(Settings()))
    assert await guard.has_name(parse_target("https://nowhere.example/"))
