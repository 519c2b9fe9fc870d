"""Files that only grow, and what a kill or a full disk leaves of them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from verifaible.errors import RunError
from verifaible.runs.lines import DamagedLine, Lines
from verifaible.schema.base import Record


class Number(Record):
    n: int
    said: str = ""


def lines(path: Path) -> Lines[Number]:
    return Lines(path / "numbers.jsonl", Number)


def test_records_come_back_in_their_order(tmp_path: Path) -> None:
    written = lines(tmp_path)
    assert written.read() == ()
    for n in range(3):
        written.add(Number(n=n, said="\n\u2028"))
    assert lines(tmp_path).read() == tuple(Number(n=n, said="\n\u2028") for n in range(3))


@pytest.mark.parametrize("torn", [b"{", b'{"n": 2', b'{"n":2}', b"\xff\x00"])
def test_what_a_kill_left_is_not_read_and_not_glued_to(tmp_path: Path, torn: bytes) -> None:
    lines(tmp_path).add(Number(n=1))
    path = tmp_path / "numbers.jsonl"
    path.write_bytes(path.read_bytes() + torn)
    assert lines(tmp_path).read() == (Number(n=1),)
    lines(tmp_path).add(Number(n=3))
    assert lines(tmp_path).read() == (Number(n=1), Number(n=3))


def test_whole_line_that_is_damaged_is_named(tmp_path: Path) -> None:
    (tmp_path / "numbers.jsonl").write_text('{"n":1}\n{"m":1}\n')
    with pytest.raises(RunError, match=r"Line 2 of .*numbers\.jsonl is damaged \(n: Field required\)"):
        lines(tmp_path).read()


@pytest.mark.parametrize(
    "bad", [b'{"m":1}', b"{", b"", b"\x00" * 1000, b"\xff\xfe", b'{"n":2}{"n":3}', b"[1]"]
)
def test_one_bad_line_costs_that_line_and_is_named(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "numbers.jsonl"
    path.write_bytes(b'{"n":1}\n' + bad + b'\n{"n":3}\n')
    alone = Lines(path, Number, alone=True)
    with pytest.warns(DamagedLine, match=r"Line 2 of .*numbers\.jsonl is damaged") as told:
        assert [each.n for each in alone] == [1, 3]
    assert len(told) == 1
    alone.add(Number(n=4))
    with pytest.warns(DamagedLine):
        assert [each.n for each in alone] == [1, 3, 4]


def test_full_disk_leaves_nothing_of_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = lines(tmp_path)
    written.add(Number(n=1))

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match="No space left on device"):
        written.add(Number(n=2), durable=True)
    written.add(Number(n=3))
    assert written.read() == (Number(n=1), Number(n=3))


def test_threads_do_not_mix_their_lines(tmp_path: Path) -> None:
    written = lines(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: written.add(Number(n=n, said="x" * 9_000)), range(200)))
    assert sorted(each.n for each in written.read()) == list(range(200))
