"""What ``kg ingest`` takes: a file or an address of a 10-K, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from tests.command_line import run_command
from tests.unit.kg.small import SMALL
from tests.unit.net.local_site import LocalSite, local_site
from verifaible.config import Settings
from verifaible.evidence.sources import SourceTexts
from verifaible.kg.folder import GraphFolder
from verifaible.store.store import Store

DEMO = SMALL.read_bytes()
RELEASE = b"<html><body><h1>Results</h1><p>Revenue rose to $714 million.</p></body></html>"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalSite]:
    monkeypatch.setattr("verifaible.net.client.PAUSES_S", (0.0, 0.0))
    with local_site() as site:
        yield site


def ingest(folder: Path, *arguments: str, hosts: str = "127.0.0.1") -> tuple[int, str]:
    environment = {"VERIFAIBLE_HOME": str(folder), "VERIFAIBLE_ALLOW_HOSTS": hosts}
    done = run_command(["kg", "ingest", *arguments, "--json"], environment=environment, folder=folder)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("way", ["/d/brn-20241231.htm", "/ix?doc=/d/brn-20241231.htm"])
def test_a_filing_is_taken_from_its_address(site: LocalSite, tmp_path: Path, way: str) -> None:
    site.give("/d/brn-20241231.htm", body=DEMO, content_type="text/html")
    status, said = ingest(tmp_path, f"{site.url}{way}")
    assert status == 0, said
    made = GraphFolder(tmp_path / "graphs" / "brn-20241231").ingested
    assert (made.source.url, made.facts) == (f"{site.url}/d/brn-20241231.htm", 38)
    assert json.loads(said)["name"] == "Brennock Water Technologies, Inc."


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj <<>> endobj", "This PDF has no pages."),
        (b"PK\x03\x04\x14\x00\x00\x00 not the rest", "a ZIP archive, neither HTML nor a PDF"),
        (b"", "no words that a reader would see. Give the 10-K"),
        (b"<html><body></body></html>", "no words that a reader would see. Give the 10-K"),
    ],
)
def test_what_has_no_words_is_refused_and_nothing_is_kept(body: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "given.htm"
    file.write_bytes(body)
    status, said = ingest(tmp_path, str(file))
    assert status != 0
    assert message in " ".join(said.split())
    assert not (tmp_path / "graphs").exists()


def test_any_takes_in_what_has_not_the_items(tmp_path: Path) -> None:
    (tmp_path / "release.htm").write_bytes(RELEASE)
    status, said = ingest(tmp_path, "release.htm")
    assert (status, "no heading of item 1, 7, 8. Give the main document" in " ".join(said.split())) == (
        1,
        True,
    )
    status, said = ingest(tmp_path, "release.htm", "--any")
    assert (status, len(GraphFolder(tmp_path / "graphs" / "release").chunks())) == (0, 1), said


def test_an_address_goes_through_the_guard_and_an_error_page_is_no_filing(
    site: LocalSite, tmp_path: Path
) -> None:
    site.give("/d/gone.htm", status=404, body=DEMO)
    status, said = ingest(tmp_path, f"{site.url}/d/gone.htm")
    assert status != 0
    assert "404" in said
    status, said = ingest(tmp_path, f"{site.url}/d/gone.htm", hosts="")
    assert status != 0
    assert "127.0.0.1" in said


def test_a_file_that_is_not_there_says_what_to_give(tmp_path: Path) -> None:
    status, said = ingest(tmp_path, "nowhere.htm")
    assert (status, "Give the file of an annual report, or its address" in " ".join(said.split())) == (
        2,
        True,
    )


def test_a_report_in_pdf_is_taken_in_and_its_items_are_found(tmp_path: Path) -> None:
    report = pymupdf.open()
    for item, words in {
        "1. Business": "We make pumps for towns.",
        "7. Discussion": "Net sales rose by 4 %.",
    }.items():
        page = report.new_page()
        page.insert_text((72, 90), f"Item {item}", fontsize=18)
        page.insert_text((72, 130), words)
    (tmp_path / "report.pdf").write_bytes(report.tobytes())
    status, said = ingest(tmp_path, "report.pdf")
    assert status == 0, said
    folder = GraphFolder.open(tmp_path / "graphs" / "report")
    text = folder.filing().text
    assert "We make pumps for towns." in text and len(text) == folder.ingested.characters
    assert [each.item for each in folder.chunks()] == ["1", "7"]
    assert folder.extract() == []
    store = Store.open(Settings(home=tmp_path))
    assert SourceTexts(store).text(folder.ingested.source) == text
    store.close()
