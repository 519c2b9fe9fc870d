"""Processes that add to one store at once, some killed: nothing is lost or doubled, and the log goes on."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest

from scripts.scale import writers
from scripts.scale.__main__ import renewed
from tests.kit.marks import nightly
from tests.unit.evidence.places_of_stores import Place, drop_tables
from tests.unit.evidence.samples import NOW, add, check
from verifaible.store import database
from verifaible.store.entries import CustodyEntry, file_of
from verifaible.store.objects import Bucket
from verifaible.store.root import Root
from verifaible.store.store import Store


@pytest.mark.parametrize("kind", [writers.PLACES[0], nightly(writers.PLACES[1]), writers.PLACES[2]])
def test_writers_that_are_killed(kind: str) -> None:
    with writers.place(kind) as shared:
        found = writers.write(shared, writers=4, additions=5, kills=2)
    assert (found.faults, found.lost, found.doubled, found.noted) == ((), 0, 0, 20)


def test_writers_that_take_too_long_are_ended() -> None:
    with (
        writers.place(writers.PLACES[0]) as shared,
        pytest.raises(SystemExit, match=r"of 5000 additions were made within 0 s\..*--additions"),
    ):
        writers.write(shared, writers=2, additions=2500, limit_s=0)
    assert not multiprocessing.active_children()


def test_a_table_is_put_between_its_marks() -> None:
    page = renewed("# Larger runs\n\nText.\n", "index", "## An index\n\nfirst\n")
    assert "\n### An index\n\nfirst\n<!--" in page
    page = renewed(page, "writers", "## Writers\n") + "\nBehind.\n"
    assert renewed(page, "index", "## An index\n\nsecond\n") == page.replace("first", "second")


class _AnswersLost(Root):
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
    files = Bucket(s3_url)
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


@pytest.mark.nightly
def test_an_index_that_is_emptied_while_entries_are_read_has_all_in_the_end(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = place.store(), place.store()
    names = {add(writer, f"Claim {number}").id for number in range(3)}
    assert {row.id for row in reader.rows()} == names
    monkeypatch.setattr(writer._followed, "take_in", lambda *_: None)
    names.add(add(writer, "Claim 3").id)
    read, others = reader.custody.entry, iter([place.store()._followed.index.clear])

    def meanwhile(number: int) -> CustodyEntry:
        for empty in others:
            empty()
        return read(number)

    monkeypatch.setattr(reader.custody, "entry", meanwhile)
    assert {row.id for row in reader.rows()} == names


def test_an_index_that_a_writer_brings_further_is_not_taken_for_one_ahead_of_its_log(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = place.store(), place.store()
    names = {add(writer, f"Claim {number}").id for number in range(3)}
    last_number, emptied = reader.custody.last_number, []

    def late() -> int:
        number = last_number()
        names.add(add(writer, f"Claim {number}").id)
        return number

    monkeypatch.setattr(reader.custody, "last_number", late)
    monkeypatch.setattr(reader._followed.index, "clear", lambda: emptied.append(1))
    reader.rows()
    monkeypatch.setattr(reader.custody, "last_number", last_number)
    assert {row.id for row in reader.rows()} == names
    assert not emptied


def _refused(store: Store) -> list[str]:
    """The entries that this store wrote too late, each added to as it happens."""
    refused: list[str] = []
    create = store.files.create

    def counting(name: str, data: bytes) -> bool:
        made = create(name, data)
        if not made and name.startswith("custody/0"):
            refused.append(name)
        return made

    store.files.create = counting  # type: ignore[method-assign]
    return refused


@pytest.mark.nightly
def test_writers_that_share_a_database_do_not_refuse_each_other(place: Place) -> None:
    stores = [place.store() for _ in range(5 if "postgres" in place.index_url else 1)]
    add(stores[0], "Before all others")
    refused = [_refused(store) for store in stores]
    with ThreadPoolExecutor(10) as pool:
        added = pool.map(lambda each: add(stores[each % len(stores)], f"claim {each}").id, range(10))
        names = set(added)
    assert not any(refused)
    assert len(names) == 10
    reader = place.store()
    assert names < {row.id for row in reader.rows()}
    assert reader.custody.faults() == []


def test_a_writer_that_keeps_its_turn_holds_nobody_up_for_long(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop_tables(postgres_url)
    monkeypatch.setattr(database, "_LONGEST_TURN_S", 1)
    place = Place(str(tmp_path / "store"), postgres_url)
    store, other = place.store(), place.store()
    add(store, "Before")
    with other._index.database.turn():
        cited = add(store, "Meanwhile")
    assert store.get(cited.id) == cited
    assert cited.id in {row.id for row in other.rows()}
    place.close()


def test_checks_are_written_side_by_side_where_a_place_answers_slowly(s3_url: str, postgres_url: str) -> None:
    drop_tables(postgres_url)
    store = Store(s3_url, index_url=postgres_url)
    cited = add(store)
    two, create = Barrier(2, timeout=60), store.files.create

    def waiting(name: str, data: bytes) -> bool:
        if name.startswith("checks/"):
            two.wait()  # for another that is written at the same time
        return create(name, data)

    store.files.create = waiting  # type: ignore[method-assign]
    checks = [check(cited, at=NOW + timedelta(seconds=number)) for number in range(4)]
    store.add_checks(checks)
    assert list(store.checks(cited.id)) == checks
