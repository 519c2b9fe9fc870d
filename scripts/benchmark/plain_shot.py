"""The least that anybody could do: ``CHROMIUM URL FILE`` takes a screenshot of a whole page."""

from __future__ import annotations

import sys
from pathlib import Path


def main(program: str, url: str, into: str) -> None:
    """Load, wait for the network to rest, take the picture."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, chromium_sandbox=False)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(url, wait_until="networkidle")
        Path(into).write_bytes(page.screenshot(full_page=True, scale="css", timeout=120_000))
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
