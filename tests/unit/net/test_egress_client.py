"""The HTTP client reaches nothing of this machine: real servers that count, every way to write a host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.browser.egress_attacks import FORMS
from tests.browser.egress_servers import ANSWER, Names, counters
from tests.browser.egress_site import AttackSite, attack_site
from verifaible.config import Settings
from verifaible.errors import PageNotLoaded, UrlRefused
from verifaible.net.client import HttpClient, live_client
from verifaible.net.guard import UrlGuard
from verifaible.schema.web import WebRequest

HERE = [["127.0.0.1"]]


@pytest.fixture(scope="module")
def site() -> Iterator[AttackSite]:
    with attack_site() as served:
        yield served


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("verifaible.net.client.PAUSES_S", (0.0, 0.0))


def client(site: AttackSite, *allowed: str) -> HttpClient:
    names = Names(
        {
            "site.example": HERE,
            "inside.example": HERE,
            "mixed.example": [["93.184.216.34", "127.0.0.1"]],
            "mapped.example": [["::ffff:127.0.0.1"]],
            "intranet": HERE,
            "metadata.google.internal": HERE,
        }
    )
    return live_client(Settings(), UrlGuard([f"site.example:{site.port}", *allowed], resolver=names))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_no_form_of_a_host_is_fetched(form: str, site: AttackSite) -> None:
    async with counters(1) as (closed,), client(site) as http:
        with pytest.raises(UrlRefused):
            await http.fetch(WebRequest(form.format(p=closed.port)))
    assert closed.hits == []


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_no_redirect_leads_there(form: str, site: AttackSite) -> None:
    """Written so that it reads as a path, it leads to a path of the same site."""
    async with counters(1) as (closed,), client(site) as http:
        location = form.format(p=closed.port).strip().replace("\n", "").replace("\t", "")
        site.moved = location.encode("utf-8").decode("latin-1")
        with suppress(UrlRefused, PageNotLoaded):
            fetched = await http.fetch(WebRequest(f"http://site.example:{site.port}/moved"))
            assert fetched.answer.url.startswith(f"http://site.example:{site.port}/")
    assert closed.hits == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_no_kind_of_redirect_leads_there(status: int, method: str, site: AttackSite) -> None:
    async with counters(1) as (closed,), client(site) as http:
        url = f"http://site.example:{site.port}/to/{status}/http://inside.example:{closed.port}/"
        with pytest.raises(UrlRefused, match=r"'inside\.example'"):
            await http.fetch(WebRequest(url, method))
    assert closed.hits == []


async def test_the_counters_are_reached_where_that_is_allowed(site: AttackSite) -> None:
    async with counters(1) as (allowed,), client(site, "inside.example") as http:
        fetched = await http.fetch(WebRequest(f"http://inside.example:{allowed.port}/"))
    assert fetched.answer.response.body == ANSWER
    assert allowed.hits == ["tcp"]
