"""What counts as a failure of the page itself, told by requests alone; no browser is started."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import BrowserContext, Error, Request

from verifaible.browser.page.happenings import Happenings


class Context:
    """Keeps who listens to what."""

    def __init__(self) -> None:
        self.listeners: dict[str, Callable[[Any], None]] = {}

    pages: tuple[()] = ()

    def on(self, event: str, listener: Callable[[Any], None]) -> None:
        self.listeners[event] = listener


class PopUp(SimpleNamespace):
    """A navigation of a tab that is not there yet, as Playwright tells of it."""

    @property
    def frame(self) -> object:
        raise Error("Frame for this navigation request is not available")


@pytest.mark.parametrize(
    ("kind", "frame", "broken"),
    [
        (SimpleNamespace, {"frame": SimpleNamespace(parent_frame=None)}, True),
        (SimpleNamespace, {"frame": SimpleNamespace(parent_frame=object())}, False),
        (PopUp, {}, False),
    ],
    ids=["page", "frame", "pop-up"],
)
async def test_a_document_that_does_not_come(
    kind: type[SimpleNamespace], frame: dict[str, object], broken: bool
) -> None:
    context = Context()
    happened = Happenings(cast(BrowserContext, context))
    request = kind(
        method="GET",
        url="http://a.example/page#part",
        failure="net::ERR_CONNECTION_RESET",
        resource_type="document",
        is_navigation_request=lambda: True,
        **frame,
    )
    context.listeners["requestfailed"](cast(Request, request))
    assert happened.half_loaded == ["http://a.example/page"]
    assert happened.broken.is_set() is broken
