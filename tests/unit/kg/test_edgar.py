"""From a ticker to annual reports, by EDGAR's JSON as it documents it."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run_command
from tests.unit.kg.small import SMALL
from verifaible.errors import ConfigError, OfflineMiss, PageBlocked, WrongContent
from verifaible.kg import edgar, filing
from verifaible.kg.edgar import Report, annual_reports, is_ticker
from verifaible.kg.folder import GraphFolder
from verifaible.net.client import offline_client
from verifaible.schema.web import WebAnswer, WebRequest, WebResponse

TICKERS = "https://www.sec.gov/files/company_tickers.json"
SUBMISSIONS = "https://data.sec.gov/submissions/CIK0000123456.json"
OLDER = "https://data.sec.gov/submissions/CIK0000123456-submissions-001.json"
LISTED = {
    "0": {"cik_str": 320193, "ticker": "AAPL", "title": "Apple Inc."},
    "1": {"cik_str": 123456, "ticker": "BRN-A", "title": "BRENNOCK HOLDINGS"},
}


def columns(*rows: tuple[str, str, str, str]) -> dict[str, list[str]]:
    names = ("form", "reportDate", "accessionNumber", "primaryDocument")
    return {name: [row[at] for row in rows] for at, name in enumerate(names)} | {
        "filingDate": ["2026-01-01"] * len(rows)
    }


RECENT = columns(
    ("8-K", "2025-11-02", "0000123456-25-000019", "event.htm"),
    ("10-K/A", "2024-12-31", "0000123456-25-000012", "amended.htm"),
    ("10-K", "2024-12-31", "0000123456-25-000007", "brn-20241231.htm"),
    ("10-Q", "2024-09-30", "0000123456-24-000031", "quarter.htm"),
    ("10-K", "2023-12-31", "0000123456-24-000004", "brn-20231231.htm"),
)
ABOUT = {
    "cik": "123456",
    "name": "Brennock Holdings",
    "filings": {"recent": RECENT, "files": [{"name": "CIK0000123456-submissions-001.json"}]},
}
EARLIER = columns(("10-K405", "1999-12-31", "0000123456-00-000002", "annual.txt"))


def changed(**filings: object) -> dict[str, Any]:
    """What EDGAR has of the company, with other filings."""
    return ABOUT | {"filings": {"recent": RECENT, "files": [], **filings}}


class Edgar:
    """Answers as EDGAR does."""

    def __init__(self, **changed: Any) -> None:
        self.pages = {TICKERS: LISTED, SUBMISSIONS: ABOUT, OLDER: EARLIER, **changed}
        self.asked: list[str] = []

    def find(self, request: WebRequest, /) -> WebAnswer:
        self.asked.append(request.url)
        if request.url not in self.pages:
            raise OfflineMiss(request.url, request.method)
        page = self.pages[request.url]
        status, body = page if isinstance(page, tuple) else (200, json.dumps(page).encode())
        headers = (("content-type", "application/json"),)
        return WebAnswer(request.url, WebResponse(status, headers, body), "exact", datetime.now(UTC))


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edgar, "PAUSE_S", 0)


async def test_the_latest_reports_of_a_company() -> None:
    site = Edgar()
    async with offline_client(site) as client:
        found = await annual_reports("BRN.A", 2, client)
    assert [(each.form, each.period) for each in found] == [
        ("10-K", date(2024, 12, 31)),
        ("10-K", date(2023, 12, 31)),
    ]
    folder = "https://www.sec.gov/Archives/edgar/data/123456"
    assert found[0].url == f"{folder}/000012345625000007/brn-20241231.htm"
    assert site.asked == [TICKERS, SUBMISSIONS]  # what is listed further back is not asked for


async def test_older_lists_are_read_where_the_recent_one_has_too_few() -> None:
    async with offline_client(Edgar()) as client:
        found = await annual_reports("BRN-A", 5, client)
    assert [each.period.year for each in found] == [2024, 2023, 1999]


async def test_a_company_without_such_reports_is_told_with_what_it_files() -> None:
    foreign = ABOUT | {
        "filings": {"recent": columns(("20-F", "2024-12-31", "0-1-2", "a.htm")), "files": []},
    }
    async with offline_client(Edgar(**{SUBMISSIONS: foreign})) as client:
        with pytest.raises(ConfigError, match="no 10-K, but 20-F"):
            await annual_reports("BRN-A", 1, client)
        with pytest.raises(ConfigError, match="no company with the ticker NOPE"):
            await annual_reports("NOPE", 1, client)


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ((403, b"Undeclared Automated Tool"), PageBlocked, "VERIFAIBLE_USER_AGENT"),
        ((200, b"<html>moved</html>"), WrongContent, "no JSON"),
        ((200, b"[]"), WrongContent, "no JSON object"),
    ],
)
async def test_what_edgar_answers_instead(
    answer: tuple[int, bytes], error: type[Exception], words: str
) -> None:
    async with offline_client(Edgar(**{TICKERS: answer})) as client:
        with pytest.raises(error, match=words):
            await annual_reports("BRN-A", 1, client)


@pytest.mark.parametrize(
    ("url", "answer", "words"),
    [
        (TICKERS, {"message": "down"}, "message"),
        (TICKERS, {"0": {"ticker": "BRN-A"}}, "cik_str"),
        (TICKERS, {"0": {"cik_str": "none", "ticker": "BRN-A"}}, "cik_str"),
        (TICKERS, (200, b"[" * 100_000), "recursion limit"),
        (TICKERS, (200, b'{"0":' * 100_000), "recursion limit"),
        (TICKERS, (200, b"\xff"), "no JSON"),
        (SUBMISSIONS, {"name": "Brennock"}, "filings"),
        (SUBMISSIONS, changed(files=None), "filings.files"),
        (SUBMISSIONS, changed(recent={"form": ["10-K"]}), "reportDate"),
        (SUBMISSIONS, changed(recent=RECENT | {"reportDate": ["soon"] * 5}), "reportDate"),
        (SUBMISSIONS, changed(recent=RECENT | {"form": ["10-K"]}), "not the same length"),
        (OLDER, EARLIER | {"primaryDocument": [1]}, "primaryDocument"),
        (OLDER, {}, "form"),
    ],
)
async def test_json_of_another_shape_is_no_answer_of_edgar(url: str, answer: object, words: str) -> None:
    async with offline_client(Edgar(**{url: answer})) as client:
        with pytest.raises(WrongContent, match=words) as refused:
            await annual_reports("BRN-A", 5, client)
    assert url in str(refused.value) and "Try again, or give the report's address" in str(refused.value)


@pytest.mark.parametrize(
    ("more", "folder"),
    [
        ([], "graphs/brn-a"),
        (["--into", "years"], "years/brn-a"),
    ],
)
def test_two_years_whose_documents_have_the_same_name_are_two_graphs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, more: list[str], folder: str
) -> None:
    days = (date(2024, 12, 31), date(2023, 12, 31))
    listed = [Report("Brennock", "10-K", day, f"https://www.sec.gov/{day.year}/form10k.htm") for day in days]

    async def reports(*_: object) -> list[Report]:
        return listed

    async def fetched(url: str, _: object) -> tuple[bytes, str, str]:
        return SMALL.read_bytes(), "form10k.htm", url

    monkeypatch.setattr(edgar, "annual_reports", reports)
    monkeypatch.setattr(filing, "fetch_filing", fetched)
    done = run_command(
        ["kg", "ingest", "BRN.A", "--years", "2", *more],
        environment={"VERIFAIBLE_HOME": str(tmp_path)},
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    for each in listed:
        made = GraphFolder(tmp_path / f"{folder}-{each.period}").ingested
        assert made.source.url == each.url


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AAPL", True),
        ("BRK-B", True),
        ("BRK.B", True),
        ("aapl", False),
        ("a.htm", False),
        ("graphs/A", False),
    ],
)
def test_what_is_written_like_a_ticker(text: str, expected: bool) -> None:
    assert is_ticker(text) is expected
