"""Playwright: its classes for annotations, its errors for ``except``; imported when the first is needed.

That takes a quarter of a second, which a program that opens no page should not wait for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import *  # noqa: F403 - all of it, under this name
else:

    def __getattr__(name: str) -> Any:
        import playwright.async_api

        return getattr(playwright.async_api, name)


def first_line(error: Exception) -> str:
    """What an error says, without the log of the call that Playwright adds."""
    return str(error).strip().partition("\n")[0]
