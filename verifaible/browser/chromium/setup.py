"""Set up a Chromium that works: ``verifaible setup``.

What is found is started once and renders a page. If there is none, Playwright installs its headless shell.
With ``--system``, root (or sudo without a password) on Debian or Ubuntu also installs what is missing with
apt: libraries, the distribution's Chromium where Playwright cannot download, and a Chinese font.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL
from time import monotonic
from typing import Final, TypeAlias

from verifaible.browser import driver
from verifaible.browser.chromium.launch import FoundBrowser, find_browser, launch
from verifaible.config import Settings
from verifaible.errors import BrowserMissing, InfrastructureError

#: A command that installs something may take so long.
LIMIT_S: Final = 900.0
_PLAYWRIGHT: Final = (sys.executable, "-m", "playwright")
_FONT: Final = "fonts-noto-cjk"
#: The headless shell is a package of its own, which not every release has.
_CHOICES: Final = (("chromium-headless-shell", _FONT), ("chromium", _FONT))

BY_HAND: Final = f"""\
verifaible needs a Chromium that runs. One of these provides it:
  {sys.executable} -m playwright install --with-deps chromium-headless-shell
      (needs the internet; --with-deps needs root)
  sudo apt-get install chromium-headless-shell fonts-noto-cjk    (Debian)
  VERIFAIBLE_BROWSER=/path/to/chrome              (one that is installed already)
Then run this again."""

#: Two characters that differ in every font which has them; without one, both are the same box.
_PROBE_PAGE: Final = (
    "<!doctype html><meta charset=utf-8><style>span{display:inline-block;width:32px;height:32px;"
    "font:24px/32px sans-serif}</style><span id=blank></span><span id=latin>A</span>"
    "<span id=one>国</span><span id=other>鑫</span>"
)
_PROBE_TIMEOUT_MS: Final = 20_000

#: Runs a command; whether it did what it was asked.
Run: TypeAlias = Callable[[Sequence[str]], bool]


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


def set_up(settings: Settings, say: Callable[[str], None], *, system: bool) -> BrowserProbe:
    """A browser that works on this machine, installed if need be.

    Args:
        settings: may name the browser; then no other is installed in its place.
        say: tells the person something.
        system: install packages of the system too, where this person may.

    Raises:
        BrowserMissing: none is here and none could be installed.
        InfrastructureError: one is here, and does not start or render.
    """
    apt = _apt() if system else None
    return installed(
        lambda: asyncio.run(probe_browser(settings)), run, say, apt, chosen=bool(settings.browser)
    )


def installed(
    probe: Callable[[], BrowserProbe],
    run: Run,
    say: Callable[[str], None],
    apt: Sequence[str] | None,
    *,
    chosen: bool,
) -> BrowserProbe:
    """A browser that works, installed if need be; raises as :func:`set_up`.

    Args:
        probe: finds the browser and renders a page with it; raises as :func:`probe_browser`.
        run: runs a command.
        say: tells the person something.
        apt: what goes before a command that installs packages; None where nobody may.
        chosen: whether a setting names the browser.
    """

    def install(*packages: str) -> bool:
        if apt is None:
            return False
        run((*apt, "apt-get", "update"))
        return run((*apt, "apt-get", "install", "-y", "--no-install-recommends", *packages))

    def with_libraries() -> BrowserProbe:
        try:
            return probe()
        except LibrariesMissing:
            # What a setting names may be any program; system packages are not changed on its account.
            if chosen or apt is None or not run((*apt, *_PLAYWRIGHT, "install-deps", "chromium")):
                raise
        return probe()

    try:
        found = with_libraries()
    except BrowserMissing:
        if chosen:
            raise
        if not run((*_PLAYWRIGHT, "install", "chromium-headless-shell")):
            any(install(*packages) for packages in _CHOICES)
        found = with_libraries()
    if not found.chinese and install(_FONT):
        found = probe()
    if not found.chinese:
        say(
            "Note: no font has Chinese characters, so screenshots of Chinese pages show empty boxes. "
            f"Install one (Debian, Ubuntu: sudo apt-get install {_FONT})."
        )
    return found


def run(command: Sequence[str], limit_s: float = LIMIT_S) -> bool:
    """Whether a command did what it was asked in time; one that is stopped takes what it started with it.

    What it prints goes to the standard error output, as does what is run.
    """
    print("$", *command, file=sys.stderr, flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        process = subprocess.Popen(  # noqa: S603 - the commands of this module
            command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment, start_new_session=True
        )
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror}", file=sys.stderr)
        return False
    try:
        return process.wait(limit_s) == 0
    except subprocess.TimeoutExpired:
        print(f"Stopped after {limit_s:g} s.", file=sys.stderr)
        return False
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):  # what sudo runs is another user's
                os.killpg(process.pid, SIGKILL)
                process.wait()


def _apt() -> tuple[str, ...] | None:
    """What goes before a command that installs packages here; None where nobody may."""
    if not Path("/etc/debian_version").exists() or shutil.which("apt-get") is None:
        return None
    # -n never asks for a password; sudo drops the environment that keeps apt from asking questions.
    sudo = ("sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive")
    if os.geteuid() == 0:
        return ()
    return sudo if run((*sudo, "true")) else None


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
    """Why a Chromium did not start, from what it printed; the loader names one missing library."""
    missing = re.findall(r"error while loading shared libraries: (\S+?):", log)
    if missing:
        return LibrariesMissing(
            f"{path} does not start: libraries are missing ({missing[0]} and perhaps others). Install them "
            "with `playwright install-deps chromium` (Debian and Ubuntu, as root), or with your system's "
            "packages."
        )
    said = [line.strip() for line in log.splitlines() if "[err]" in line or "FATAL" in line]
    reason = said[0][:300] if said else "it ended at once and said nothing."
    return InfrastructureError(
        f"{path} does not start: {reason} Install another Chromium, name one in VERIFAIBLE_BROWSER, or give "
        "it arguments in VERIFAIBLE_BROWSER_ARGS (a container without user namespaces needs --no-sandbox)."
    )
