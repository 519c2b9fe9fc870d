from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from verifaible import doctor
from verifaible.browser.chromium import setup as probing
from verifaible.browser.chromium.launch import FoundBrowser
from verifaible.browser.chromium.setup import BrowserProbe
from verifaible.config import Settings
from verifaible.doctor import Finding, diagnose, render, satisfies
from verifaible.errors import BrowserMissing

ROOT = Path(__file__).resolve().parents[2]
SMALLEST = min((ROOT / "snapshots" / "sites").glob("*.wacz"), key=lambda path: path.stat().st_size)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A small home that lacks nothing."""
    (tmp_path / "cases").mkdir()
    (tmp_path / "snapshots" / "sites").mkdir(parents=True)
    shutil.copy(ROOT / "cases" / "cn_table_001.json", tmp_path / "cases")
    shutil.copy(SMALLEST, tmp_path / "snapshots" / "sites")
    return tmp_path


@pytest.fixture(autouse=True)
def _browser(monkeypatch: pytest.MonkeyPatch) -> None:
    async def probe(settings: Settings) -> BrowserProbe:
        return BrowserProbe(FoundBrowser(Path("/opt/chrome"), "setting"), "150.0", chinese=True, seconds=0.5)

    monkeypatch.setattr(doctor, "probe_browser", probe)


async def _finding(home: Path, name: str, environment: dict[str, str] | None = None) -> Finding:
    found = await diagnose(Settings(home=home), environment or {})
    return next(finding for finding in found if finding.name == name)


async def test_nothing_is_missing(home: Path) -> None:
    findings = await diagnose(Settings(home=home), {"OPENROUTER_API_KEY": "sk-secret-value"})
    assert [finding.name for finding in findings if not finding.ok] == []
    text = render(findings)
    assert "Everything needed is there." in text
    assert "150.0, named by VERIFAIBLE_BROWSER: /opt/chrome" in text
    assert "1 valid cases" in text
    assert "sk-secret" not in text
    assert "->" not in text


async def test_the_store_is_not_made_by_looking(home: Path) -> None:
    finding = await _finding(home, "Evidence store")
    assert finding.ok
    assert not (home / "snapshots" / "store").exists()


async def test_a_store_that_is_a_file(home: Path) -> None:
    (home / "snapshots" / "store").write_text("not a folder")
    finding = await _finding(home, "Evidence store")
    assert not finding.ok
    assert finding.required
    assert "VERIFAIBLE_STORE" in finding.advice


async def test_links_and_strangers_in_the_store(home: Path, tmp_path: Path) -> None:
    store = home / "snapshots" / "store"
    store.mkdir()
    (store / "notes.txt").write_text("mine")
    finding = await _finding(home, "Evidence store")
    assert finding.ok
    assert "notes.txt was not made by verifaible" in finding.detail
    (store / "checks").symlink_to(tmp_path)
    finding = await _finding(home, "Evidence store")
    assert not finding.ok
    assert "checks is a link" in finding.detail


async def test_a_store_that_is_no_folder_needs_a_database(home: Path) -> None:
    found = await diagnose(Settings(home=home, store="memory://bucket/store"), {})
    finding = next(finding for finding in found if finding.name == "Evidence store")
    assert not finding.ok
    assert "VERIFAIBLE_INDEX" in finding.detail


async def test_missing_browser(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def probe(settings: Settings) -> BrowserProbe:
        raise BrowserMissing("No Chromium was found. Install one.")

    monkeypatch.setattr(doctor, "probe_browser", probe)
    findings = await diagnose(Settings(home=home), {})
    by_name = {finding.name: finding for finding in findings}
    assert not by_name["Chromium"].ok
    assert by_name["Chromium"].required
    assert not by_name["Chinese text"].required
    text = render(findings)
    assert "MISSING Chromium" in text
    assert "-> No Chromium was found. Install one." in text
    assert text.endswith("To be put right before a run: Chromium.")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "broken.json"),
        (
            '{"id": "a", "url": "ftp://x", "category": "c", "question": "q", "answer": "a"}',
            "broken.json: url",
        ),
    ],
)
async def test_a_faulty_case(home: Path, content: str, said: str) -> None:
    (home / "cases" / "broken.json").write_text(content)
    finding = await _finding(home, "Cases")
    assert not finding.ok
    assert finding.required
    assert said in finding.detail


async def test_two_cases_with_one_id(home: Path) -> None:
    shutil.copy(home / "cases" / "cn_table_001.json", home / "cases" / "copy.json")
    finding = await _finding(home, "Cases")
    assert not finding.ok
    assert "copy.json: id: 'cn_table_001' is the id of a case in" in finding.detail


async def test_a_folder_without_cases_needs_no_archives(tmp_path: Path) -> None:
    findings = await diagnose(Settings(home=tmp_path), {})
    by_name = {finding.name: finding for finding in findings}
    for name in ("Cases", "Offline web"):
        assert not by_name[name].ok
        assert not by_name[name].required
    assert render(findings).endswith("Everything needed is there.")


async def test_no_archive_where_there_are_cases(home: Path) -> None:
    (home / "snapshots" / "sites" / SMALLEST.name).unlink()
    finding = await _finding(home, "Offline web")
    assert not finding.ok
    assert finding.required


async def test_an_archive_that_was_cut_short(home: Path) -> None:
    archive = home / "snapshots" / "sites" / SMALLEST.name
    archive.write_bytes(archive.read_bytes()[:-500])
    finding = await _finding(home, "Offline web")
    assert not finding.ok
    assert finding.required
    assert SMALLEST.name in finding.detail


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "OPENROUTER_API_KEY is not set"),
        ({"OPENROUTER_API_KEY": "  "}, "OPENROUTER_API_KEY is not set"),
        ({"OPENROUTER_API_KEY": "k-123"}, "OPENROUTER_API_KEY is set"),
    ],
)
async def test_keys_are_never_shown(home: Path, environment: dict[str, str], said: str) -> None:
    finding = await _finding(home, "API keys", environment)
    assert said in finding.detail
    assert "k-123" not in finding.detail
    assert not finding.required


async def test_a_key_from_the_settings(home: Path) -> None:
    found = await diagnose(Settings(home=home, api_key="k-456"), {})
    finding = next(finding for finding in found if finding.name == "API keys")
    assert finding.ok
    assert "VERIFAIBLE_API_KEY is set" in finding.detail
    assert "k-456" not in render(found)


@pytest.mark.parametrize(
    ("version", "requirement", "kept"),
    [
        ("1.28.2", "pymupdf<2,>=1.26", True),
        ("2.0", "pymupdf<2,>=1.26", False),
        ("1.9", "pymupdf<2,>=1.26", False),
        ("8.2", "click>=8.2.0", True),
        ("8.10.0", "click>=8.9", True),
        ("3.0rc1", "openai>=3", True),
        ("0.1", "anything", True),
    ],
)
def test_version_bounds(version: str, requirement: str, *, kept: bool) -> None:
    assert satisfies(version, requirement) is kept


async def test_an_old_package_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "importlib.metadata.requires", lambda _: ["click>=99", "no-such-thing>=1", 'x; extra == "dev"']
    )
    finding = await _finding(home, "Packages")
    assert not finding.ok
    assert "but click>=99 is needed" in finding.detail
    assert "no-such-thing is missing" in finding.detail
    assert "x is missing" not in finding.detail


async def test_extras_that_are_not_installed_are_a_note(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["click>=8", "no-such-thing>=1; extra == 'pdf'", 'click>=8; extra == "video"']
    monkeypatch.setattr("importlib.metadata.requires", lambda _: lines)
    finding = await _finding(home, "Extras")
    assert (finding.ok, finding.required, finding.detail) == (False, False, "Not installed: pdf.")
    assert 'pip install "verifaible[pdf]"' in finding.advice


async def test_which_home_is_used_and_why(home: Path) -> None:
    assert (await _finding(home, "Home")).detail == f"{home} (named by --home or VERIFAIBLE_HOME)"


def test_long_details_are_wrapped() -> None:
    finding = Finding(name="Packages", ok=True, required=True, detail="word " * 60)
    lines = render([finding]).splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[1].startswith(" " * 24 + "word")


def test_missing_libraries_are_named(tmp_path: Path) -> None:
    log = "chrome: error while loading shared libraries: libnss3.so: cannot open shared object file"
    said = probing.failure(tmp_path / "chrome", log)
    assert isinstance(said, probing.LibrariesMissing)
    assert "libnss3.so" in str(said)
    assert "playwright install-deps chromium" in str(said)


def test_another_failure_keeps_its_reason(tmp_path: Path) -> None:
    log = "BrowserType.launch: Target closed\n  - [pid=7][err] [FATAL:zygote_host.cc] No usable sandbox!\n"
    said = probing.failure(tmp_path / "chrome", log)
    assert not isinstance(said, probing.LibrariesMissing)
    assert "No usable sandbox!" in str(said)
    assert "VERIFAIBLE_BROWSER_ARGS" in str(said)
