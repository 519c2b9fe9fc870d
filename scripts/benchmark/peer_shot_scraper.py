"""shot-scraper with a Chromium of our choice, for which it has no option: ``CHROMIUM ARGUMENTS...``."""

# mypy: ignore-errors
from __future__ import annotations

import sys
from functools import partialmethod

from playwright.sync_api import BrowserType
from shot_scraper.cli import cli

BrowserType.launch = partialmethod(
    BrowserType.launch, executable_path=sys.argv.pop(1), chromium_sandbox=False
)
cli()
