"""A page that is opened at what is no address; the browser is not come to."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from verifaible.browser.page.session import PageSession
from verifaible.errors import UrlRefused
from verifaible.net.guard import UrlGuard


@pytest.mark.parametrize("url", ["https://[bad/", "https://exa]mple.com/", "https://a℀b.com/", "http://[::1"])
async def test_what_is_no_address_is_refused_by_name(url: str) -> None:
    session = PageSession.__new__(PageSession)
    session.web = SimpleNamespace(archive=None, guard=UrlGuard())  # type: ignore[assignment]
    with pytest.raises(UrlRefused):
        await session.open(url)
