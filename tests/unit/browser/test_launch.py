"""Which Chromium is used: the setting, Playwright's own, then the PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifaible.browser.chromium.launch import PATH_NAMES, find_browser
from verifaible.config import Settings
from verifaible.errors import BrowserMissing


def program(folder: Path, name: str, mode: int = 0o755) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_the_setting_wins(tmp_path: Path) -> None:
    chosen = program(tmp_path, "mine")
    own = program(tmp_path, "own")
    program(tmp_path / "bin", "chromium")
    found = find_browser(Settings(browser=str(chosen)), str(own), {"PATH": str(tmp_path / "bin")})
    assert (found.path, found.source) == (chosen, "setting")


def test_then_playwrights_own(tmp_path: Path) -> None:
    own = program(tmp_path, "own")
    program(tmp_path / "bin", "chromium")
    found = find_browser(Settings(browser=""), str(own), {"PATH": str(tmp_path / "bin")})
    assert (found.path, found.source) == (own, "playwright")


def test_of_playwrights_own_the_headless_shell_of_the_same_revision(tmp_path: Path) -> None:
    for folder in ("chromium-1200", "chromium_headless_shell-1200", "chromium_headless_shell-1100"):
        (tmp_path / folder).mkdir()
    own = program(tmp_path / "chromium-1200" / "chrome-linux64", "chrome")
    program(tmp_path / "chromium_headless_shell-1100" / "chrome-linux", "headless_shell")
    assert find_browser(Settings(browser=""), str(own), {"PATH": ""}).path == own
    shell_folder = tmp_path / "chromium_headless_shell-1200" / "chrome-headless-shell-linux64"
    shell = program(shell_folder, "chrome-headless-shell")
    program(shell_folder, "headless_shell.pak", mode=0o644)
    assert find_browser(Settings(browser=""), str(own), {"PATH": ""}).path == shell
    assert find_browser(Settings(browser=""), str(own), {"PATH": ""}, headed=True).path == own
    own.unlink()
    assert find_browser(Settings(browser=""), str(own), {"PATH": ""}).path == shell


@pytest.mark.parametrize("playwright_path", ["", "/nowhere/chrome"])
@pytest.mark.parametrize("count", range(1, len(PATH_NAMES) + 1))
def test_then_the_path_in_the_order_of_its_names(tmp_path: Path, playwright_path: str, count: int) -> None:
    """The last ``count`` names are there; the first of them is taken."""
    names = PATH_NAMES[-count:]
    for name in reversed(names):
        program(tmp_path / "bin", name)
    found = find_browser(Settings(browser=""), playwright_path, {"PATH": str(tmp_path / "bin")})
    assert (found.path, found.source) == (tmp_path / "bin" / names[0], "path")


def test_a_setting_that_names_nothing_is_not_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "bin", "chromium")
    with pytest.raises(BrowserMissing, match="VERIFAIBLE_BROWSER names /nowhere/chrome"):
        find_browser(Settings(browser="/nowhere/chrome"), "", {"PATH": str(tmp_path / "bin")})


def test_none_says_what_to_install(tmp_path: Path) -> None:
    program(tmp_path / "bin", "chromium", mode=0o644)  # not executable
    with pytest.raises(BrowserMissing) as caught:
        find_browser(Settings(browser=""), "", {"PATH": str(tmp_path / "bin")})
    for advice in (
        "playwright install chromium",
        "apt-get install chromium fonts-noto-cjk",
        "VERIFAIBLE_BROWSER",
    ):
        assert advice in str(caught.value)
