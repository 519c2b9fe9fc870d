"""What a page shows, for tests."""

from __future__ import annotations

from verifaible.browser.analysis.controls import read_controls
from verifaible.browser.page.session import PageSession
from verifaible.browser.snapshot import take_snapshot
from verifaible.extract.page import page_document


async def shown_text(session: PageSession) -> str:
    """Its words, a block a line."""
    return page_document(await take_snapshot(session.page)).text


async def field_values(session: PageSession) -> list[str]:
    """What its fields hold, those that hold anything."""
    snapshot = await take_snapshot(session.page)
    found = read_controls(snapshot, page_document(snapshot)).elements
    return [each.value for each in found if each.kind in ("field", "select") and each.value]
