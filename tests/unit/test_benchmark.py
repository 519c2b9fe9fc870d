"""The benchmark's own workings; what it measures is in docs/benchmarks.md."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from scripts.benchmark import __main__ as command
from scripts.benchmark import fetching, peers, sizes


def test_a_part_that_fails_takes_no_table_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "benchmarks.md"
    page.write_text("# Head\n\n## Reports\n\nOld.\n", encoding="utf-8")
    monkeypatch.setattr(command, "PAGE", page)
    monkeypatch.setattr(command, "PARTS", ("no_such_part", "none_such"))
    monkeypatch.setattr("sys.argv", ["benchmark", "--write"])
    with pytest.raises(SystemExit, match="These parts failed: no_such_part, none_such"):
        command.main()
    assert "## Reports\n\nOld.\n" in page.read_text(encoding="utf-8")
    assert "FAILED" in capsys.readouterr().err


def test_pictures_are_told_from_the_archive_wherever_they_are(tmp_path: Path) -> None:
    (tmp_path / "captures").mkdir()
    with zipfile.ZipFile(tmp_path / "captures" / "one.wacz", "w") as file:
        file.writestr("archive/data.warc", b"a" * 1000)
        file.writestr("evidence/page.webp", b"p" * 300)
        file.writestr("evidence/text.txt", b"t" * 20)
    (tmp_path / "two.png").write_bytes(b"p" * 5)
    (tmp_path / "index.sqlite").write_bytes(b"i" * 7)
    names = sizes.files(tmp_path)
    assert names == {"captures/one.wacz", "two.png"}
    found = sizes.sizes(tmp_path, names)
    assert (found.pictures, found.other) == (305, 20)
    assert found.whole == sum((tmp_path / name).stat().st_size for name in names)


def test_a_tool_that_is_not_there_is_said_to_be_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "FOLDER", tmp_path)
    monkeypatch.setattr(peers, "NODE", tmp_path / "node_modules")
    assert peers.versions("crawl4ai") == "crawl4ai (not installed)"
    found = fetching._measured({"": lambda _: 10.0, "crawl4ai": peers.NOT_INSTALLED}, "http://127.0.0.1/", 1)
    assert fetching._cells(found) == ("not installed", "10 ms", "not installed")


def test_a_tool_that_fails_leaves_our_figure() -> None:
    def fails(_: str) -> float:
        raise peers.PeerFailed("no page")

    found = fetching._measured({"": lambda _: 10.0, "crawl4ai": fails}, "http://127.0.0.1/", 2)
    assert fetching._cells(found) == ("failed", "10 ms", "failed")
