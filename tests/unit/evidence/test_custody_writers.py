"""Processes that add to one store at once, some killed: nothing is lost or doubled, and the log goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.scale.writers import PLACES, place, write
from tests.breadth import breadth
from tests.unit.evidence.samples import add
from verifaible.evidence.store.entries import file_of
from verifaible.evidence.store.files import FolderFiles, RemoteFiles
from verifaible.evidence.store.store import Store


@pytest.mark.parametrize("kind", [PLACES[0], breadth(PLACES[1]), PLACES[2]])
def test_writers_that_are_killed(kind: str) -> None:
    with place(kind) as shared:
        found = write(shared, writers=4, additions=5, kills=2)
    assert (found.faults, found.lost, found.doubled, found.noted) == ((), 0, 0, 20)


class _AnswersLost(FolderFiles):
    """A place that writes an entry, loses the answer, and is asked once more by the library."""

    def create(self, name: str, data: bytes) -> bool:
        return super().create(name, data) and not name.startswith("custody/0")


def test_an_entry_whose_answer_was_lost_is_added_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.files = store.custody._files = _AnswersLost(tmp_path)
    cited = [add(store, f"claim {number}", title=f"Page {number}") for number in range(3)]
    assert store.custody.numbers() == [1, 2, 3]
    assert Store(tmp_path).custody.faults() == []
    assert [row.id for row in Store(tmp_path).rows()] == sorted(each.id for each in cited)


def test_two_that_s3_refused_both_ask_again(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = RemoteFiles(s3_url)
    put, refusals = files._fs.pipe_file, iter([True, True, False, False])

    def refused(path: str, data: bytes, mode: str) -> None:
        if next(refusals):
            conflict = RuntimeError("An error occurred (ConditionalRequestConflict) when calling PutObject")
            raise OSError(5, "The conditional request cannot succeed") from conflict
        put(path, data, mode=mode)

    monkeypatch.setattr(files._fs, "pipe_file", refused)
    assert files.create(file_of(1), b"one")
    assert not files.create(file_of(1), b"two")
    assert files.read(file_of(1)) == b"one"
