"""Proxies by setting: what only they reach is reached, by the browser and by the HTTP client alike."""

from __future__ import annotations

import asyncio
import datetime
import ssl
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.browser.walls import WORDS, Wall, content, served
from tests.servers.proxies import INNER, PASSWORD, USER, proxy_to
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ConfigError, PageNotLoaded
from verifaible.net.proxies import Proxies
from verifaible.net.web import Web
from verifaible.schema.web import WebRequest

_CREDENTIALS = f"{USER}:{quote(PASSWORD, safe='')}"


@pytest.fixture(scope="module")
def inner() -> Iterator[int]:
    with served(walls={"page": Wall(lambda _: content())}) as url:
        port = urlsplit(url).port
        assert port
        yield port


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for localhost that nobody signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("certificate") / "proxy.pem"
    plain = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    path.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + made.public_bytes(pem)
    )
    return path


@pytest.mark.parametrize("kind", ["socks5", "http", "https"])
async def test_what_only_a_proxy_reaches(
    inner: int,
    browser: Browser,
    settings: Settings,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    context = None
    if kind == "https":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with proxy_to(inner, kind, context) as proxy:
        way = f"{INNER}={kind}://{_CREDENTIALS}@localhost:{proxy.port}"
        chosen = settings.model_validate({**settings.model_dump(), "proxy": way})
        assert PASSWORD not in repr(chosen) and PASSWORD in chosen.secrets
        web = Web.live(chosen)
        assert PASSWORD not in repr(web.guard.proxies)
        async with browser.page(web) as session:
            await session.open(f"http://{INNER}/page")
            assert WORDS in await session.page.inner_text("body")
        async with web.client() as client:
            answer = (await client.fetch(WebRequest(f"http://{INNER}/page"))).answer.response
        assert WORDS.encode() in answer.body
        assert len(proxy.asked) >= 2


@pytest.mark.parametrize("kind", ["socks5", "http"])
async def test_wrong_credentials_are_said_without_them(
    inner: int, browser: Browser, settings: Settings, kind: str
) -> None:
    async with proxy_to(inner, kind) as proxy:
        way = f"{kind}://{USER}:wrong-secret@127.0.0.1:{proxy.port}"
        web = Web.live(settings.model_validate({**settings.model_dump(), "proxy": way}))
        with pytest.raises(PageNotLoaded) as caught:
            async with web.client() as client:
                answer = (await client.fetch(WebRequest(f"http://{INNER}/page"))).answer.response
                assert answer.status == 407
                raise PageNotLoaded("HTTP 407")
        assert "wrong-secret" not in str(caught.value)
        assert proxy.asked == []


def test_a_host_goes_its_own_way() -> None:
    said = "socks5://a.example:1, *.cn=http://u:p@b.example:2, example.com=direct, example.org:8443=https://c.example"
    proxies = Proxies.of(Settings.model_validate({"proxy": said}))
    shown = {
        host: way and (way.kind, way.host, way.port)
        for host, port in (("x.test", 80), ("stats.gov.cn", 80), ("example.com", 80), ("example.org", 8443))
        for way in [proxies.to(host, port)]
    }
    assert shown == {
        "x.test": ("socks5", "a.example", 1),
        "stats.gov.cn": ("http", "b.example", 2),
        "example.com": None,
        "example.org": ("https", "c.example", 443),
    }


@pytest.mark.parametrize(
    "said", ["ftp://u:hush@a.example", "*.cn=gopher://u:hush@a", "http://u:hush@a.example:port"]
)
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.model_validate({"proxy": said})
    assert "VERIFAIBLE_PROXY" in str(caught.value) and "hush" not in str(caught.value)


async def test_a_host_that_has_only_ipv6(browser: Browser, settings: Settings) -> None:
    own = settings.model_copy(update={"allow_hosts": ("[::1]",)})
    try:
        serving = served("::1", {"page": Wall(lambda _: content())})
        url = serving.__enter__()
    except OSError:
        pytest.skip("this machine has no IPv6")
    try:
        async with browser.page(Web.live(own)) as session:
            await session.open(f"{url}/page")
            assert WORDS in await session.page.inner_text("body")
    finally:
        serving.__exit__(None, None, None)


async def test_a_certificate_that_nobody_signed_is_named(
    browser: Browser, settings: Settings, certificate: Path
) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    async with proxy_to(1, "https", context) as server, browser.page(Web.live(settings)) as session:
        with pytest.raises(PageNotLoaded, match="ERR_CERT_AUTHORITY_INVALID"):
            await session.open(f"https://localhost:{server.port}/")


async def test_an_answer_that_drips_is_given_up(
    browser: Browser, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9000\r\n\r\n")
        with suppress(ConnectionError):
            while True:
                writer.write(b"<p>drop ")
                await writer.drain()
                await asyncio.sleep(0.1)

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    brief = settings.model_copy(update={"page_timeout_s": 1.5})
    monkeypatch.setattr(browser, "_settings", brief)
    try:
        async with browser.page(Web.live(brief)) as session:
            with pytest.raises(PageNotLoaded, match="did not load within"):
                await session.open(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
    finally:
        server.close()
