"""``python -m scripts.viewer_picture``: makes ``docs/citation.png``, the picture of a citation in the README.

A citation is made offline, served by the viewer, and photographed in the Chromium that the set-up finds.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.async_api import async_playwright

from verifaible import Verifaible
from verifaible.browser.chromium.launch import find_browser
from verifaible.config import Settings

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "citation.png"
PAGE = (
    "https://home.treasury.gov/resource-center/data-chart-center/interest-rates/TextView"
    "?type=daily_treasury_yield_curve&field_tdr_date_value=2026"
)
CLAIM = "On February 6, 2026, the 10-year Treasury par yield was 4.22 %."
_SIZE = {"width": 1100, "height": 1180}


def main() -> None:
    """Make the picture anew."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=ROOT, store=f"{folder}/store")
        made = asyncio.run(_cited(settings))
        environment = {**os.environ, "VERIFAIBLE_HOME": folder, "VERIFAIBLE_STORE": f"{folder}/store"}
        command = [sys.executable, "-m", "verifaible.cli", "serve", "--port", "0"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as serving:
            assert serving.stdout is not None
            try:
                address = f"{serving.stdout.readline().strip()}citations/{made}"
                asyncio.run(_photograph(settings, address))
            finally:
                serving.terminate()


async def _cited(settings: Settings) -> str:
    async with Verifaible(settings, web="offline") as house:
        return (await house.cite(PAGE, claim=CLAIM, row="02/06/2026", column="10 Yr")).id


async def _photograph(settings: Settings, address: str) -> None:
    async with async_playwright() as playwright:
        found = find_browser(settings, playwright.chromium.executable_path)
        browser = await playwright.chromium.launch(executable_path=found.path, args=["--no-sandbox"])
        page = await browser.new_page(viewport=_SIZE, locale="en")  # type: ignore[arg-type]
        await page.goto(address)
        await page.screenshot(path=TARGET)
        await browser.close()


if __name__ == "__main__":
    main()
