"""Find a Chromium that works, or install one: ``verifaible setup``.

Looked for in this order: ``VERIFAIBLE_BROWSER``, Playwright's own, the PATH. If there is none, Playwright
downloads its own. With ``--system``, root (or sudo without a password) on Debian or Ubuntu also installs
what is missing with apt: the distribution's Chromium, its libraries, a Chinese font, and Xvfb, a screen for
browsers with a window. The Chromium that was found is started once and renders a page.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from verifaible.browser.chromium.probe import BrowserProbe, LibrariesMissing, probe_browser
from verifaible.config import Settings
from verifaible.errors import BrowserMissing

#: Without a network, Playwright tries each of its mirrors several times before it gives up.
DOWNLOAD_LIMIT_S = 120.0
APT_UPDATE_LIMIT_S = 180.0
APT_INSTALL_LIMIT_S = 900.0
_GRACE_S = 10.0

PLAYWRIGHT = (sys.executable, "-m", "playwright")
FONT_PACKAGE = "fonts-noto-cjk"
SCREEN_PACKAGE = "xvfb"
#: The headless shell is a package of its own, which not every release has.
APT_CHOICES = (
    ("chromium", "chromium-headless-shell", FONT_PACKAGE),
    ("chromium", FONT_PACKAGE),
)
_APT_INSTALL = ("apt-get", "install", "-y", "--no-install-recommends")

BY_HAND = f"""\
verifaible needs a Chromium that runs. One of these provides it:
  {sys.executable} -m playwright install --with-deps chromium
      (needs the internet; --with-deps needs root)
  sudo apt-get install chromium fonts-noto-cjk    (Debian)
  VERIFAIBLE_BROWSER=/path/to/chrome              (one that is installed already)
Then run this again."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended; ``status`` is None where it did not end in time or is not installed."""

    status: int | None
    output: str

    @property
    def ok(self) -> bool:
        """Whether the command did what it was asked."""
        return self.status == 0


@dataclass(frozen=True, slots=True)
class Machine:
    """What the set-up may ask of and do to the machine.

    Attributes:
        chosen: whether a setting names the browser; then no other is installed in its place.
        screen: whether there is an Xvfb, or nobody wants one.
        apt: what goes before a command that installs packages: nothing for root, else sudo; None where
            nobody may, or there is no apt-get.
        run: runs a command with a limit in seconds.
        probe: finds the browser and renders a page with it; raises as ``probe_browser`` does.
        say: tells the person something.
    """

    chosen: bool
    screen: bool
    apt: tuple[str, ...] | None
    run: Callable[[Sequence[str], float], Outcome]
    probe: Callable[[], BrowserProbe]
    say: Callable[[str], None]


def set_up(machine: Machine) -> BrowserProbe:
    """A browser that works, installed if need be.

    Raises:
        BrowserMissing: none is here and none could be installed.
        InfrastructureError: one is here, and does not start or render.
    """
    try:
        probe = machine.probe()
    except BrowserMissing:
        if machine.chosen:
            raise
        probe = _install(machine)
    except LibrariesMissing as error:
        probe = _repair(machine, error)
    if not machine.screen and not _apt(machine, SCREEN_PACKAGE):
        machine.say(
            "Note: there is no Xvfb, so tests of browsers with a window are skipped. "
            f"Install it (Debian, Ubuntu: sudo apt-get install {SCREEN_PACKAGE})."
        )
    return probe if probe.chinese else _add_font(machine, probe)


def _install(machine: Machine) -> BrowserProbe:
    machine.say("No Chromium was found: Playwright downloads its own.")
    if _try(machine, (*PLAYWRIGHT, "install", "chromium"), DOWNLOAD_LIMIT_S):
        try:
            return machine.probe()
        except LibrariesMissing as error:
            return _repair(machine, error)
    if machine.apt is not None:
        machine.say("Installing the distribution's Chromium instead.")
        any(_apt(machine, *packages) for packages in APT_CHOICES)
    return machine.probe()


def _repair(machine: Machine, error: LibrariesMissing) -> BrowserProbe:
    """A second try with the libraries installed; never for a browser that a setting names.

    That browser may be any program, and system packages are not changed on its account.
    """
    if machine.chosen or machine.apt is None:
        raise error
    machine.say(f"{error}\nInstalling the libraries that Chromium needs.")
    if not _try(machine, (*machine.apt, *PLAYWRIGHT, "install-deps", "chromium"), APT_INSTALL_LIMIT_S):
        raise error
    return machine.probe()


def _add_font(machine: Machine, probe: BrowserProbe) -> BrowserProbe:
    if _apt(machine, FONT_PACKAGE):
        probe = machine.probe()
    if not probe.chinese:
        machine.say(
            "Note: no font has Chinese characters, so screenshots of Chinese pages show empty boxes. "
            f"Install one (Debian, Ubuntu: sudo apt-get install {FONT_PACKAGE})."
        )
    return probe


def _apt(machine: Machine, *packages: str) -> bool:
    """Install packages, where that is allowed."""
    if machine.apt is None:
        return False
    machine.say(f"Installing {' '.join(packages)}.")
    _try(machine, (*machine.apt, "apt-get", "update"), APT_UPDATE_LIMIT_S)
    return _try(machine, (*machine.apt, *_APT_INSTALL, *packages), APT_INSTALL_LIMIT_S)


def _try(machine: Machine, command: Sequence[str], limit_s: float) -> bool:
    outcome = machine.run(command, limit_s)
    if not outcome.ok:
        ended = f"status {outcome.status}" if outcome.status is not None else "no result"
        machine.say(f"{' '.join(command)}: {ended}\n{_tail(outcome.output)}".rstrip())
    return outcome.ok


def _tail(text: str, lines: int = 15) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines()[-lines:])


def run(command: Sequence[str], limit_s: float) -> Outcome:
    """Run a command to its end or to its limit; what it started ends with it."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        process = subprocess.Popen(  # noqa: S603 - the commands of this module
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        return Outcome(None, f"{command[0]} cannot be run: {error.strerror}")
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        return Outcome(None, f"{_stop(process)}\nStopped after {limit_s:g} s.")
    except BaseException:
        _stop(process)
        raise
    return Outcome(process.returncode, output)


def _stop(process: subprocess.Popen[str]) -> str:
    """End a process and all it started: first politely, for apt's sake. Returns what it printed."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, kind)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=_GRACE_S)[0]
    return ""


def may_install() -> tuple[str, ...] | None:
    """What goes before a command that installs packages here; None where nobody may."""
    if not Path("/etc/debian_version").exists() or shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return ()
    # -n never asks for a password; sudo drops the environment that keeps apt from asking questions.
    sudo = ("sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive")
    return sudo if run((*sudo, "true"), _GRACE_S).ok else None


def set_up_here(settings: Settings, say: Callable[[str], None], *, system: bool) -> BrowserProbe:
    """A browser that works on this machine, installed if need be.

    Args:
        settings: may name the browser.
        say: tells the person something.
        system: install packages of the system too, where this person may.

    Raises:
        BrowserMissing: none is here and none could be installed.
        InfrastructureError: one is here, and does not start or render.
    """
    return set_up(
        Machine(
            chosen=bool(settings.browser),
            screen=not system or shutil.which("Xvfb") is not None,
            apt=may_install() if system else None,
            run=run,
            probe=lambda: asyncio.run(probe_browser(settings)),
            say=say,
        )
    )
