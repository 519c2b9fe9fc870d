"""Lines of a store's files: numbers, what a kill leaves, what a failure takes back, and what others did meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifaible.store.lines import FileLines
from verifaible.store.root import Root


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "custody.jsonl"


@pytest.fixture
def lines(path: Path) -> FileLines:
    """Three lines, which have been read."""
    lines = FileLines(Root(path.parent))
    with lines.locked():
        assert [lines.append("custody", line) for line in (b"one", b"two", b"three")] == [1, 2, 3]
        lines.set_head(b"{}")
    assert lines.read("custody") == [b"one", b"two", b"three"]
    return lines


@pytest.mark.parametrize(
    ("after", "at_most", "found"),
    [
        (0, 1, [b"one"]),
        (1, None, [b"two", b"three"]),
        (1, 1, [b"two"]),
        (2, 5, [b"three"]),
        (3, None, []),
        (9, 1, []),
    ],
)
def test_lines_behind_a_number(lines: FileLines, after: int, at_most: int | None, found: list[bytes]) -> None:
    assert lines.read("custody", after, at_most=at_most) == found
    assert lines.last("custody") == (3, b"three")


def test_a_name_without_lines(lines: FileLines) -> None:
    assert (lines.read("checks/a"), lines.last("checks/a"), lines.unfinished("checks/a")) == (
        [],
        (0, b""),
        b"",
    )
    assert list(lines.all("checks")) == []


@pytest.mark.parametrize(
    "others",
    [
        b"one\n",
        b"",
        b"one\ntwo\nthree\nfour\n",
        b"another\none\ntwo\nthree\nfour\n",
        b"a quite other file\nof two lines\n",
    ],
    ids=["cut off", "emptied", "added to", "longer", "exchanged"],
)
def test_what_others_made_of_a_file_is_read(lines: FileLines, path: Path, others: bytes) -> None:
    path.write_bytes(others)
    wanted = others.split(b"\n")[:-1]
    assert lines.last("custody") == (len(wanted), wanted[-1] if wanted else b"")
    assert lines.read("custody") == wanted
    assert lines.read("custody", 1) == wanted[1:]


@pytest.mark.parametrize(("keep", "left"), [(True, b"one\ntwo\nthree\nfo\n"), (False, b"one\ntwo\nthree\n")])
def test_a_line_that_a_kill_left_half(lines: FileLines, path: Path, keep: bool, left: bytes) -> None:
    path.write_bytes(path.read_bytes() + b"fo")
    assert lines.unfinished("custody") == b"fo"
    assert lines.last("custody") == (3, b"three")
    for _ in range(2):  # the second time there is nothing to end
        lines.end("custody", keep=keep)
        assert path.read_bytes() == left
    assert lines.unfinished("custody") == b""


def test_a_turn_that_fails_takes_its_lines_back(lines: FileLines, path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(KeyError), lines.locked(), lines.locked():
        lines.append("custody", b"four")
        assert lines.append("custody", b"five") == 5
        lines.append("checks/a", b"first")
        raise KeyError
    assert path.read_bytes() == before
    assert lines.read("checks/a") == []
    with lines.locked():
        assert lines.append("custody", b"longer than before") == 4
    assert lines.last("custody") == (4, b"longer than before")


def test_what_a_head_speaks_of_is_not_taken_back(lines: FileLines) -> None:
    with pytest.raises(KeyError), lines.locked():
        lines.append("custody", b"four")
        lines.set_head(b'{"number":4}')
        raise KeyError
    assert lines.last("custody") == (4, b"four")
    assert lines.head() == b'{"number":4}'


def test_lines_by_name(lines: FileLines) -> None:
    with lines.locked():
        for name, line in (("checks/b", b"1"), ("checks/a", b"2"), ("checks/b", b"3")):
            lines.append(name, line)
    assert list(lines.all("checks")) == [("checks/a", [b"2"]), ("checks/b", [b"1", b"3"])]
    lines.delete("checks/b")
    assert list(lines.all("checks")) == [("checks/a", [b"2"])]
    assert lines.last("checks/b") == (0, b"")
