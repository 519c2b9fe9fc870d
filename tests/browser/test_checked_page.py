"""The page of a checked text in a real Chromium: nothing is asked of anybody, the filter works, it prints."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from playwright.async_api import Browser, expect

from tests.browser.viewers import PHONE, WIDE, faults_of, overflow, picture, reader
from tests.kit.marks import nightly
from tests.unit.check.samples import sample
from verifaible.check import report as outputs


@pytest.mark.parametrize(("scheme", "window"), [("light", WIDE), nightly("dark", WIDE), ("dark", PHONE)])
async def test_page_is_read_filtered_and_printed(
    chromium: Browser, tmp_path: Path, scheme: str, window: dict[str, int]
) -> None:
    out = tmp_path / "report.html"
    outputs.write(sample(), out, "html")
    async with reader(chromium, out.parent.as_uri(), viewport=window, color_scheme=scheme) as page:
        await page.goto(out.as_uri())
        assert await overflow(page) <= 0
        assert await faults_of(page) == []
        await picture(page, f"checked-{scheme}-{window['width']}")
        cards = page.locator(".card:visible")
        assert await cards.count() == 11
        await page.get_by_role("radio", name="contradicted").focus()
        await page.keyboard.press("Space")
        await expect(cards).to_have_count(1)
        await expect(page.locator(".row:visible")).to_have_count(1)
        await page.get_by_role("radio", name="all").check()
        # The flag of a claim opens its evidence.
        closed = page.locator(".card.calculated .inside")
        await expect(closed).to_be_hidden()
        await page.locator(".said .flag.calculated").press("Enter")
        await expect(closed).to_be_visible()
        if window == WIDE:
            await page.locator(".card.calculated > summary").click()
            with pymupdf.open(stream=await page.pdf(), filetype="pdf") as printed:
                words = " ".join(" ".join(sheet.get_text() for sheet in printed).split())
            assert "percent_change(revenue 2024 41.0 million USD" in words
            assert "At the end of the year 1,240 people worked" in words
