from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import pytest

from verifaible.browser.chromium.installing import Machine, run, set_up
from verifaible.browser.chromium.launch import FoundBrowser
from verifaible.browser.chromium.probe import BrowserProbe, LibrariesMissing
from verifaible.errors import BrowserMissing, InfrastructureError

WORKS = BrowserProbe(FoundBrowser(Path("/opt/chrome"), "path"), "150.0", chinese=True, seconds=0.5)
NO_FONT = BrowserProbe(WORKS.found, "150.0", chinese=False, seconds=0.5)
MISSING = BrowserMissing("No Chromium was found.")
BROKEN = LibrariesMissing("It does not start: libraries are missing (libnss3.so).")


@dataclass
class Fake:
    """A machine whose probes end as listed, and on which the named commands fail."""

    probes: list[BrowserProbe | Exception]
    failing: tuple[str, ...] = ()
    apt: tuple[str, ...] | None = ()
    chosen: bool = False
    screen: bool = True
    ran: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def set_up(self) -> BrowserProbe:
        return set_up(
            Machine(
                chosen=self.chosen,
                screen=self.screen,
                apt=self.apt,
                run=self._run,
                probe=self._probe,
                say=self.said.append,
            )
        )

    def _run(self, command: Sequence[str], limit_s: float) -> tuple[int | None, str]:
        line = " ".join(command).removeprefix(f"{sys.executable} -m ")
        self.ran.append(line)
        return (1, "it failed") if line.startswith(self.failing) else (0, "done")

    def _probe(self) -> BrowserProbe:
        result = self.probes.pop(0)
        if isinstance(result, Exception):
            raise result
        return result


APT = "apt-get install -y --no-install-recommends"


def test_a_browser_that_works_is_left_alone() -> None:
    machine = Fake([WORKS])
    assert machine.set_up() is WORKS
    assert machine.ran == machine.said == []


def test_playwright_is_asked_first() -> None:
    machine = Fake([MISSING, WORKS])
    assert machine.set_up() is WORKS
    assert machine.ran == ["playwright install chromium-headless-shell"]


def test_then_the_distribution() -> None:
    machine = Fake([MISSING, WORKS], failing=("playwright install ",))
    assert machine.set_up() is WORKS
    assert machine.ran == [
        "playwright install chromium-headless-shell",
        "apt-get update",
        f"{APT} chromium-headless-shell fonts-noto-cjk",
    ]
    assert "it failed" in "\n".join(machine.said)


def test_a_release_without_the_headless_shell() -> None:
    machine = Fake([MISSING, WORKS], failing=("playwright install ", f"{APT} chromium-headless-shell"))
    assert machine.set_up() is WORKS
    assert machine.ran[-1] == f"{APT} chromium fonts-noto-cjk"


def test_without_root_nothing_is_installed_by_apt() -> None:
    machine = Fake([MISSING, MISSING], failing=("playwright",), apt=None)
    with pytest.raises(BrowserMissing):
        machine.set_up()
    assert machine.ran == ["playwright install chromium-headless-shell"]


def test_a_browser_named_by_setting_is_not_replaced() -> None:
    machine = Fake([MISSING], chosen=True)
    with pytest.raises(BrowserMissing):
        machine.set_up()
    assert machine.ran == []


@pytest.mark.parametrize("first", [[], [MISSING]])
def test_missing_libraries_are_installed(first: list[BrowserProbe | Exception]) -> None:
    machine = Fake([*first, BROKEN, WORKS])
    assert machine.set_up() is WORKS
    assert machine.ran[-1] == "playwright install-deps chromium"


@pytest.mark.parametrize(("fault", "chosen"), [(BROKEN, True), (InfrastructureError("It crashed."), False)])
def test_system_packages_are_left_alone(fault: InfrastructureError, *, chosen: bool) -> None:
    """Only libraries that a browser of our own choice lacks are a reason to install any."""
    machine = Fake([fault], chosen=chosen)
    with pytest.raises(InfrastructureError):
        machine.set_up()
    assert machine.ran == []


def test_missing_libraries_without_root_are_named() -> None:
    machine = Fake([BROKEN], apt=None)
    with pytest.raises(InfrastructureError, match=r"libnss3\.so"):
        machine.set_up()
    assert machine.ran == []


def test_a_missing_font_is_installed() -> None:
    machine = Fake([NO_FONT, WORKS])
    assert machine.set_up() is WORKS
    assert machine.ran == ["apt-get update", f"{APT} fonts-noto-cjk"]


@pytest.mark.parametrize(("apt", "failing"), [(None, ()), ((), ("apt-get",))])
def test_a_missing_font_is_only_a_warning(failing: tuple[str, ...], apt: tuple[str, ...] | None) -> None:
    machine = Fake([NO_FONT, NO_FONT], apt=apt, failing=failing)
    assert machine.set_up() is NO_FONT
    assert "empty boxes" in machine.said[-1]


def test_a_screen_is_installed_by_whoever_may() -> None:
    machine = Fake([WORKS], screen=False, apt=("sudo", "-n"))
    assert machine.set_up() is WORKS
    assert machine.ran == ["sudo -n apt-get update", f"sudo -n {APT} xvfb"]


@pytest.mark.parametrize(("apt", "failing"), [(None, ()), ((), ("apt-get",))])
def test_a_missing_screen_is_only_a_note(failing: tuple[str, ...], apt: tuple[str, ...] | None) -> None:
    machine = Fake([WORKS], screen=False, apt=apt, failing=failing)
    assert machine.set_up() is WORKS
    assert "tests of browsers with a window are skipped" in machine.said[-1]


def test_run_gives_status_and_output() -> None:
    assert run((sys.executable, "-c", "print('国'); raise SystemExit(3)"), 30) == (3, "国\n")


def test_run_of_a_command_that_is_not_there() -> None:
    status, output = run(("no-such-command-anywhere",), 30)
    assert status is None
    assert "no-such-command-anywhere" in output


def test_run_ends_what_a_command_started() -> None:
    """A grandchild that holds the pipe open would otherwise keep the set-up waiting for ever."""
    started = monotonic()
    outcome = run(("/bin/sh", "-c", "echo begun; sleep 300 & wait"), 1)
    assert outcome == (None, "begun\n\nStopped after 1 s.")
    assert monotonic() - started < 60
