"""What counts as a failure of the page itself, told by requests alone; no browser is started."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import BrowserContext, Error, Request

from verifaible.browser.traffic.requests import Requests


class Context:
    """Keeps who listens to what."""

    def __init__(self) -> None:
        self.listeners: dict[str, Callable[[Any], None]] = {}

    def on(self, event: str, listener: Callable[[Any], None]) -> None:
        self.listeners[event] = listener


class Navigation(SimpleNamespace):
    """A request for a document."""

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


class PopUp(Navigation):
    """A navigation of a tab that is not there yet, as Playwright tells of it."""

    @property
    def frame(self) -> object:
        raise Error("Frame for this navigation request is not available")


@pytest.mark.parametrize(
    ("kind", "frame", "broken"),
    [
        (Navigation, {"frame": SimpleNamespace(parent_frame=None)}, True),
        (Navigation, {"frame": SimpleNamespace(parent_frame=object())}, False),
        (PopUp, {}, False),
    ],
    ids=["page", "frame", "pop-up"],
)
async def test_a_document_that_does_not_come(
    kind: type[SimpleNamespace], frame: dict[str, object], broken: bool
) -> None:
    context = Context()
    requests = Requests()
    requests.watch(cast(BrowserContext, context))
    request = kind(
        method="GET",
        url="http://a.example/page#part",
        failure="net::ERR_CONNECTION_RESET",
        resource_type="document",
        is_navigation_request=lambda: True,
        **frame,
    )
    context.listeners["requestfailed"](cast(Request, request))
    assert requests.half_loaded == ["http://a.example/page"]
    assert requests.broken.is_set() is broken
