"""``verifaible record`` before it starts anything: what it refuses, and how it says so."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from tests.unit.archive.helpers import get, pack
from tests.unit.bench.samples import CASES
from verifaible.archive.lookup import Archive
from verifaible.bench.cases.load import load_cases
from verifaible.bench.run.recording import cases_of_sites
from verifaible.browser import recording
from verifaible.browser.traffic.traffic import Document, Traffic
from verifaible.cli.program import verifaible
from verifaible.errors import (
    NoTranscript,
    PageNotLoaded,
    RunError,
    StoreError,
    ToolError,
    UrlRefused,
    UserError,
)
from verifaible.net import transcripts
from verifaible.net.web import Web

URL = "https://www.example.org/rates"
Record = Callable[..., Result]


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    """Run the command in a home of its own, with a browser that does not exist."""
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    monkeypatch.setenv("VERIFAIBLE_BROWSER", str(tmp_path / "no-browser"))
    for name in ("VERIFAIBLE_STORE", "VERIFAIBLE_SIGNING_KEY"):
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: CliRunner().invoke(verifaible, ["record", *map(str, arguments)])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Give a URL, or --case or --site."),
        ((URL, "--case", "all"), "Give a URL, or --case or --site."),
        (("--site", "stats.gov.cn", "--out", "a.wacz"), "--steps and --out need a URL."),
        ((URL, "--out", "a.wacz", "--into", "b"), "Give either --out or --into."),
        ((URL, "--out", "a.zip"), "the name of a recording ends with .wacz"),
        ((URL, "--steps", "nowhere.json"), "does not exist"),
    ],
)
def test_wrong_use(record: Record, arguments: tuple[str, ...], said: str) -> None:
    done = record(*arguments)
    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[{", "Correct these steps"),
        (b'[{"type": "fly"}]', "Correct these steps"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_steps_that_are_none(record: Record, tmp_path: Path, content: bytes, said: str) -> None:
    steps = tmp_path / "steps.json"
    steps.write_bytes(content)
    done = record(URL, "--steps", steps)
    assert isinstance(done.exception, UserError)
    assert said in str(done.exception)


@pytest.mark.parametrize(("synthetic", "what"), [(True, "replica"), (False, "recording")])
@pytest.mark.parametrize("name", ["example.org.wacz", "www.example.org.wacz"])
def test_what_is_there_is_not_replaced(
    record: Record, tmp_path: Path, synthetic: bool, what: str, name: str
) -> None:
    path = tmp_path / "snapshots" / "sites" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(pack([get(URL, b"before")], synthetic=synthetic))
    before = path.read_bytes()
    done = record(URL)
    assert isinstance(done.exception, StoreError)
    assert f"{name} is there already, and it is a {what}. Replace it with --force" in str(done.exception)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [name]


def test_a_file_that_is_no_archive_is_not_replaced(record: Record, tmp_path: Path) -> None:
    path = tmp_path / "notes.wacz"
    path.write_text("not an archive")
    done = record(URL, "--out", path)
    assert isinstance(done.exception, StoreError)
    assert path.read_text() == "not an archive"


def test_cases_of_a_site(record: Record, tmp_path: Path) -> None:
    cases = load_cases(CASES, CASES)
    for name in ("home.treasury.gov", "treasury.gov", "home.treasury.gov.wacz"):
        assert [case.id for case in cases_of_sites(cases, [name])] == ["us_table_001"]
    assert len(cases_of_sites(cases, [])) == 21
    every = [
        "csrc.gov.cn",
        "federalreserve.gov",
        "home.treasury.gov",
        "sse.com.cn",
        "stats.gov.cn",
        "youtube.com",
    ]
    assert len(cases_of_sites(cases, every)) == 21
    with pytest.raises(RunError, match=r"No case is on the site example\.org\. There are cases on csrc"):
        cases_of_sites(cases, ["example.org"])
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "one.json").write_text(
        json.dumps(json.loads((CASES / "us_table_001.json").read_text()))
    )
    done = record("--site", "sse.com.cn")
    assert isinstance(done.exception, RunError)
    assert "There are cases on treasury.gov." in str(done.exception)


def test_a_browser_that_is_not_there_leaves_nothing(record: Record, tmp_path: Path) -> None:
    done = record(URL)
    assert isinstance(done.exception, UserError)
    assert "no-browser" in str(done.exception)
    assert not list(tmp_path.glob("snapshots/sites/**"))


class _ReadLate:
    """A browser whose page is a file, and which reads the last answers when its context ends."""

    def __init__(self, *_: object, **__: object) -> None:
        return

    async def __aenter__(self) -> _ReadLate:
        return self

    async def __aexit__(self, *_: object) -> None:
        return

    @asynccontextmanager
    async def page(self, web: Web) -> AsyncIterator[SimpleNamespace]:
        traffic = Traffic()

        async def open_page(url: str) -> SimpleNamespace:
            traffic.exchanges.append(get(url, b"%PDF-", headers=(("content-type", "application/pdf"),)))
            return SimpleNamespace(document=Document(url, "application/pdf", b"%PDF-"))

        yield SimpleNamespace(open=open_page, traffic=traffic)
        (kept,) = traffic.exchanges
        traffic.unread += [f"GET {kept.request.url}", "GET https://example.org/late"]
        assert web.recorder is not None
        web.recorder.add(kept.request.url, [kept])


@pytest.mark.parametrize(
    "error",
    [
        PageNotLoaded("The captions could not be loaded (ReadTimeout)."),
        NoTranscript("No transcript of video abcdefghijk: the video has no captions."),
        UrlRefused("'inside.example' was refused."),
        None,
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_page_is_recorded_whatever_becomes_of_its_captions(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: ToolError | None
) -> None:
    """With None, what is recorded is the page of a channel, which is no video."""

    async def refuse(*_: object) -> None:
        raise error or AssertionError

    monkeypatch.setattr(recording, "RecordingBrowser", _ReadLate)
    if error is not None:
        monkeypatch.setattr(transcripts, "fetch_transcript", refuse)
    url = "https://www.youtube.com/" + ("watch?v=abcdefghijk" if error else "@channel")
    done = record(url)
    assert done.exit_code == 0, done.exception
    assert f"No captions were recorded. {error or 'video:'}" in done.output
    assert done.output.count("Not kept") == 1
    assert "before it was read: GET https://example.org/late" in done.output
    (path,) = tmp_path.glob("snapshots/sites/*.wacz")
    archive = Archive.open([path])
    assert list(archive.urls()) == [url]
    archive.close()
