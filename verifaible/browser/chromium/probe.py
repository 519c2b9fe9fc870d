"""Start the Chromium that was found once, to know that it works, or why it does not."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from verifaible.browser import driver
from verifaible.browser.chromium.launch import FoundBrowser, find_browser, launch
from verifaible.config import Settings
from verifaible.errors import InfrastructureError

#: Two characters that differ in every font which has them; without one, both are the same box.
_PROBE_PAGE = (
    "<!doctype html><meta charset=utf-8><style>span{display:inline-block;width:32px;height:32px;"
    "font:24px/32px sans-serif}</style><span id=blank></span><span id=latin>A</span>"
    "<span id=one>国</span><span id=other>鑫</span>"
)
_PROBE_TIMEOUT_MS = 20_000


class LibrariesMissing(InfrastructureError):
    """A Chromium does not start because shared libraries are not installed; the message names them."""


@dataclass(frozen=True, slots=True)
class BrowserProbe:
    """A Chromium that was started once and has rendered a page.

    ``chinese`` says whether Chinese characters were drawn as themselves; ``seconds`` is how long
    it took to start, render and stop.
    """

    found: FoundBrowser
    version: str
    chinese: bool
    seconds: float


async def probe_browser(settings: Settings) -> BrowserProbe:
    """Start the Chromium that runs will use, render a page, and stop it.

    Raises:
        BrowserMissing: none was found; says what to install.
        LibrariesMissing: it does not start without libraries that are not installed.
        InfrastructureError: it does not start for another reason, or renders nothing.
    """
    started = monotonic()
    async with driver.async_playwright() as playwright:
        found = find_browser(settings, playwright.chromium.executable_path)
        try:
            browser = await launch(playwright, settings, offline=True)
        except InfrastructureError as error:
            raise failure(found.path, str(error.__cause__ or error)) from error
        try:
            page = await browser.new_page()
            page.set_default_timeout(_PROBE_TIMEOUT_MS)
            await page.set_content(_PROBE_PAGE)
            blank, latin, one, other = [
                await page.locator(f"#{name}").screenshot() for name in ("blank", "latin", "one", "other")
            ]
            version = browser.version
        except driver.Error as error:
            raise InfrastructureError(
                f"{found.path} starts, but cannot render a page: {driver.first_line(error)} "
                "Install another Chromium, or name one in VERIFAIBLE_BROWSER."
            ) from error
        finally:
            await browser.close()
    if blank == latin:
        raise InfrastructureError(
            f"{found.path} starts, but draws no text. Install a font (Debian, Ubuntu: `apt-get install "
            "fonts-noto-cjk fonts-dejavu-core`)."
        )
    return BrowserProbe(found, version, one not in (other, blank), monotonic() - started)


def failure(path: Path, log: str) -> InfrastructureError:
    """Why a Chromium did not start, from what it printed and, on Linux, from its linked libraries."""
    missing = missing_libraries(path, log)
    if missing:
        return LibrariesMissing(
            f"{path} does not start: libraries are missing ({', '.join(missing)}). Install them with "
            "`playwright install-deps chromium` (Debian and Ubuntu, as root), or with your system's packages."
        )
    said = [line.strip() for line in log.splitlines() if "[err]" in line or "FATAL" in line]
    reason = said[0][:300] if said else "it ended at once and said nothing."
    return InfrastructureError(
        f"{path} does not start: {reason} Install another Chromium, name one in VERIFAIBLE_BROWSER, or give "
        "it arguments in VERIFAIBLE_BROWSER_ARGS (a container without user namespaces needs --no-sandbox)."
    )


def missing_libraries(path: Path, log: str) -> tuple[str, ...]:
    """Shared libraries that a program asks for and that are not installed, sorted by name."""
    named = set(re.findall(r"error while loading shared libraries: (\S+?):", log))
    ldd = shutil.which("ldd")
    if ldd:
        try:
            listed = subprocess.run(  # noqa: S603 - a fixed program on a path that is about to be run anyway
                [ldd, str(path)], capture_output=True, text=True, timeout=10, check=False
            ).stdout
        except (OSError, subprocess.TimeoutExpired):
            listed = ""
        named |= set(re.findall(r"^\s*(\S+) => not found", listed, re.MULTILINE))
    return tuple(sorted(named))
