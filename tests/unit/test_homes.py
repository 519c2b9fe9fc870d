"""Which folder is home, and where cases and archives are found: in a clone, a project, and an installation."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from verifaible import config
from verifaible.cli.program import verifaible
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.net.web import Web

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which somebody works who has no clone; the user's data are beside it."""
    for name in ("VERIFAIBLE_HOME", "VERIFAIBLE_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(config, "_PACKAGE_PARENT", tmp_path / "site-packages")
    monkeypatch.setattr(config, "user_data_path", lambda *_, **__: tmp_path / "data")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def packaged(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The distribution with cases and archives, as it is installed."""
    folder = installed.parent / "site-packages" / "verifaible_cases"
    for name in ("__init__.py", "cases/a.json", "sites/a.wacz", "sites/b.wacz"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    monkeypatch.syspath_prepend(str(folder.parent))
    return folder


def test_in_a_clone_it_is_the_source_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERIFAIBLE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    assert (Settings().home, Settings().home_source) == (ROOT, "the source tree")


def test_without_a_clone_one_serves_all_folders(installed: Path) -> None:
    settings = Settings()
    assert settings.home == installed.parent / "data"
    assert settings.store_location == installed.parent / "data" / "snapshots" / "store"
    assert "your own" in settings.home_source


@pytest.mark.parametrize(("made", "is_project"), [
    ("snapshots/store/store.json", True), ("cases/mine.json", True),
    ("cases/verdict.docx", False), ("snapshots/holiday.jpg", False),
])  # fmt: skip
def test_a_store_or_cases_make_a_project(installed: Path, made: str, *, is_project: bool) -> None:
    (installed / made).parent.mkdir(parents=True)
    (installed / made).touch()
    settings = Settings()
    assert (settings.home == installed) is is_project
    assert ("current folder" in settings.home_source) is is_project


@pytest.mark.parametrize("by", ["option", "variable"])
def test_a_home_that_is_asked_for(installed: Path, by: str) -> None:
    (installed / "snapshots" / "store").mkdir(parents=True)
    asked = str(installed.parent / "asked")
    words = ["--home", asked] if by == "option" else []
    given = {"VERIFAIBLE_HOME": asked if by == "variable" else "elsewhere"}
    done = CliRunner().invoke(verifaible, [*words, "bench", "check"], env=given)
    assert str(installed.parent / "asked" / "cases") in str(done.exception)
    assert "verifaible-cases" in str(done.exception)


def test_installed_cases_and_archives_are_found(packaged: Path) -> None:
    settings = Settings()
    settings.require_archives()
    assert settings.cases_dir == packaged / "cases"
    assert settings.archives == (packaged / "sites" / "a.wacz", packaged / "sites" / "b.wacz")


def test_ones_own_cases_and_archives_go_before_them(packaged: Path) -> None:
    settings = Settings()
    for path in (settings.own_cases_dir / "b.json", settings.sites_dir / "b.wacz"):
        path.parent.mkdir(parents=True)
        path.touch()
    assert settings.cases_dir == settings.own_cases_dir
    assert settings.archives == (packaged / "sites" / "a.wacz", settings.sites_dir / "b.wacz")


def test_no_archive_anywhere(installed: Path) -> None:
    with pytest.raises(ConfigError, match="Install verifaible-cases"):
        Web.offline(Settings())
