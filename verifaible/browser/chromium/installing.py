"""Set up a Chromium that works: ``verifaible setup``.

What is found is started once and renders a page. If there is none, Playwright installs its headless shell.
Root (or sudo without a password) on Debian or Ubuntu also installs, with ``--system``, what is missing with
apt: libraries, the distribution's Chromium where Playwright cannot download, a Chinese font, and Xvfb.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL

from verifaible.browser.chromium.probe import BrowserProbe, LibrariesMissing, probe_browser
from verifaible.config import Settings
from verifaible.errors import BrowserMissing

#: Without a network, Playwright tries each of its mirrors several times before it gives up.
DOWNLOAD_LIMIT_S = 120.0
APT_LIMIT_S = 900.0
_SUDO_LIMIT_S = 10.0
_TAIL_LINES = 15

_PLAYWRIGHT = (sys.executable, "-m", "playwright")
_APT_INSTALL = ("apt-get", "install", "-y", "--no-install-recommends")
_FONT, _SCREEN = "fonts-noto-cjk", "xvfb"
#: The headless shell is a package of its own, which not every release has.
_CHOICES = (("chromium-headless-shell", _FONT), ("chromium", _FONT))

BY_HAND = f"""\
verifaible needs a Chromium that runs. One of these provides it:
  {sys.executable} -m playwright install --with-deps chromium-headless-shell
      (needs the internet; --with-deps needs root)
  sudo apt-get install chromium-headless-shell fonts-noto-cjk    (Debian)
  VERIFAIBLE_BROWSER=/path/to/chrome              (one that is installed already)
Then run this again."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the set-up may ask of and do to the machine.

    Attributes:
        chosen: whether a setting names the browser; then no other is installed in its place.
        screen: whether there is an Xvfb, or nobody wants one.
        apt: what goes before a command that installs packages: nothing for root, else sudo; None where
            nobody may, or there is no apt-get.
        run: runs a command with a limit in seconds; gives its status, None where it did not end, and output.
        probe: finds the browser and renders a page with it; raises as ``probe_browser`` does.
        say: tells the person something.
    """

    chosen: bool
    screen: bool
    apt: tuple[str, ...] | None
    run: Callable[[Sequence[str], float], tuple[int | None, str]]
    probe: Callable[[], BrowserProbe]
    say: Callable[[str], None]

    def installs(self, *packages: str) -> bool:
        """Install packages of the system, where that is allowed; whether it worked."""
        if self.apt is None:
            return False
        self.say(f"Installing {' '.join(packages)}.")
        self.does((*self.apt, "apt-get", "update"), APT_LIMIT_S)
        return self.does((*self.apt, *_APT_INSTALL, *packages), APT_LIMIT_S)

    def does(self, command: Sequence[str], limit_s: float) -> bool:
        """Whether a command did what it was asked; of one that did not, the end of its output is shown."""
        status, output = self.run(command, limit_s)
        if status != 0:
            ended = "no result" if status is None else f"status {status}"
            tail = "".join(f"\n  {line}" for line in output.strip().splitlines()[-_TAIL_LINES:])
            self.say(f"{' '.join(command)}: {ended}{tail}")
        return status == 0


def set_up(machine: Machine) -> BrowserProbe:
    """A browser that works, installed if need be.

    Raises:
        BrowserMissing: none is here and none could be installed.
        InfrastructureError: one is here, and does not start or render.
    """
    try:
        probe = _probed(machine)
    except BrowserMissing:
        if machine.chosen:
            raise
        machine.say("No Chromium was found: Playwright downloads its own.")
        if not machine.does((*_PLAYWRIGHT, "install", "chromium-headless-shell"), DOWNLOAD_LIMIT_S):
            any(machine.installs(*packages) for packages in _CHOICES)
        probe = _probed(machine)
    if not machine.screen and not machine.installs(_SCREEN):
        machine.say(
            "Note: there is no Xvfb, so tests of browsers with a window are skipped. "
            f"Install it (Debian, Ubuntu: sudo apt-get install {_SCREEN})."
        )
    if not probe.chinese and machine.installs(_FONT):
        probe = machine.probe()
    if not probe.chinese:
        machine.say(
            "Note: no font has Chinese characters, so screenshots of Chinese pages show empty boxes. "
            f"Install one (Debian, Ubuntu: sudo apt-get install {_FONT})."
        )
    return probe


def _probed(machine: Machine) -> BrowserProbe:
    """The browser that is here, with the libraries that it lacks; never for one that a setting names.

    That may be any program, and system packages are not changed on its account.
    """
    try:
        return machine.probe()
    except LibrariesMissing as error:
        if machine.chosen or machine.apt is None:
            raise
        machine.say(f"{error}\nInstalling the libraries that Chromium needs.")
        if not machine.does((*machine.apt, *_PLAYWRIGHT, "install-deps", "chromium"), APT_LIMIT_S):
            raise
    return machine.probe()


def run(command: Sequence[str], limit_s: float) -> tuple[int | None, str]:
    """Run a command to its end or to its limit; what it started ends with it.

    Returns:
        Its status, None where it did not end in time or is not installed, and what it printed.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - the commands of this module
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
            start_new_session=True,
        )
    except OSError as error:
        return None, f"{command[0]} cannot be run: {error.strerror}"
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        return None, f"{_stopped(process)}\nStopped after {limit_s:g} s."
    except BaseException:
        _stopped(process)
        raise
    return process.returncode, output


def _stopped(process: subprocess.Popen[str]) -> str:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, SIGKILL)
    return process.communicate()[0]


def _apt() -> tuple[str, ...] | None:
    """What goes before a command that installs packages here; None where nobody may."""
    if not Path("/etc/debian_version").exists() or shutil.which("apt-get") is None:
        return None
    # -n never asks for a password; sudo drops the environment that keeps apt from asking questions.
    sudo = ("sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive")
    if os.geteuid() == 0:
        return ()
    return sudo if run((*sudo, "true"), _SUDO_LIMIT_S)[0] == 0 else None


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
            apt=_apt() if system else None,
            run=run,
            probe=lambda: asyncio.run(probe_browser(settings)),
            say=say,
        )
    )
