"""What is installed for a browser that works, from what probing it says; on a machine of which everything is made up."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

import pytest

from verifaible.browser.chromium.launch import FoundBrowser
from verifaible.browser.chromium.setup import BrowserProbe, LibrariesMissing, installed, run
from verifaible.errors import BrowserMissing, InfrastructureError

WORKS = BrowserProbe(FoundBrowser(Path("/opt/chrome"), "path"), "150.0", chinese=True, seconds=0.5)
NO_FONT = BrowserProbe(WORKS.found, "150.0", chinese=False, seconds=0.5)
MISSING = BrowserMissing("No Chromium was found.")
BROKEN = LibrariesMissing("It does not start: libraries are missing (libnss3.so).")
OWN = "playwright install chromium-headless-shell"
LIBRARIES = "playwright install-deps chromium"
UPDATE = "apt-get update"
APT = "apt-get install -y --no-install-recommends"
DISTRIBUTIONS = f"{APT} chromium-headless-shell fonts-noto-cjk"


@dataclass
class Machine:
    """A machine whose probes end as listed, and on which the commands that begin so fail."""

    probes: list[BrowserProbe | Exception]
    failing: tuple[str, ...] = ()
    apt: tuple[str, ...] | None = ()
    chosen: bool = False
    ran: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def set_up(self) -> BrowserProbe:
        return installed(self._probe, self._run, self.said.append, self.apt, chosen=self.chosen)

    def _run(self, command: Sequence[str]) -> bool:
        self.ran.append(" ".join(command).replace(f"{sys.executable} -m ", ""))
        return not self.ran[-1].startswith(self.failing)

    def _probe(self) -> BrowserProbe:
        result = self.probes.pop(0)
        if isinstance(result, Exception):
            raise result
        return result


@pytest.mark.parametrize(
    ("machine", "ran"),
    [
        (Machine([WORKS]), []),
        (Machine([MISSING, WORKS]), [OWN]),
        (Machine([MISSING, WORKS], (OWN,)), [OWN, UPDATE, DISTRIBUTIONS]),
        (
            Machine([MISSING, WORKS], (OWN, DISTRIBUTIONS)),
            [OWN, UPDATE, DISTRIBUTIONS, UPDATE, f"{APT} chromium fonts-noto-cjk"],
        ),
        (Machine([BROKEN, WORKS]), [LIBRARIES]),
        (Machine([MISSING, BROKEN, WORKS]), [OWN, LIBRARIES]),
        (
            Machine([NO_FONT, WORKS], apt=("sudo", "-n")),
            [f"sudo -n {UPDATE}", f"sudo -n {APT} fonts-noto-cjk"],
        ),
    ],
    ids=["works", "Playwright", "distribution", "no shell", "libraries", "libraries of its own", "font"],
)
def test_what_is_missing_is_installed(machine: Machine, ran: list[str]) -> None:
    assert machine.set_up() is WORKS
    assert (machine.ran, machine.said) == (ran, [])


@pytest.mark.parametrize(
    ("machine", "fault", "ran"),
    [
        (Machine([MISSING, MISSING], ("playwright",), apt=None), BrowserMissing, [OWN]),
        (Machine([MISSING], chosen=True), BrowserMissing, []),
        (Machine([BROKEN], chosen=True), LibrariesMissing, []),
        (Machine([BROKEN], apt=None), LibrariesMissing, []),
        (Machine([BROKEN], ("playwright",)), LibrariesMissing, [LIBRARIES]),
        (Machine([InfrastructureError("It crashed.")]), InfrastructureError, []),
    ],
    ids=["no root", "chosen", "chosen without libraries", "no root for libraries", "failing", "crash"],
)
def test_what_cannot_be_put_right_is_said(machine: Machine, fault: type[Exception], ran: list[str]) -> None:
    """Only libraries that a browser of our own choice lacks are a reason to install any."""
    with pytest.raises(fault):
        machine.set_up()
    assert machine.ran == ran


@pytest.mark.parametrize(("apt", "failing"), [(None, ()), ((), ("apt-get",))])
def test_a_missing_font_is_only_a_warning(failing: tuple[str, ...], apt: tuple[str, ...] | None) -> None:
    machine = Machine([NO_FONT, NO_FONT], failing, apt)
    assert machine.set_up() is NO_FONT
    assert "empty boxes" in machine.said[-1]


def test_run_says_whether_it_worked_and_shows_its_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert run((sys.executable, "-c", "print('国')"))
    assert not run((sys.executable, "-c", "raise SystemExit(3)"))
    assert not run(("no-such-command-anywhere",))
    shown = capfd.readouterr().err
    assert "\n国\n" in shown and "no-such-command-anywhere cannot be run" in shown


def test_run_ends_what_a_command_started() -> None:
    started = monotonic()
    assert not run(("/bin/sh", "-c", "sleep 300 & wait"), 1)
    assert monotonic() - started < 60


def test_run_leaves_alone_what_a_command_that_ended_has_started(tmp_path: Path) -> None:
    file, deadline = tmp_path / "done", monotonic() + 30
    assert run(("/bin/sh", "-c", f"(sleep 1; touch {file}) >/dev/null 2>&1 &"))
    while not file.exists() and monotonic() < deadline:
        sleep(0.05)
    assert file.exists()


def test_run_gives_up_what_it_may_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(process: int, _: int) -> None:
        raise PermissionError(process)

    monkeypatch.setattr(os, "killpg", refuses)
    assert not run(("/bin/sleep", "3"), 0.1)
