"""Processes that add to one store at once, some killed: nothing is lost or doubled, and the log goes on."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import pytest

from scripts.scale import writers
from scripts.scale.__main__ import renewed
from tests.kit.marks import nightly
from tests.unit.evidence.places_of_stores import Place
from tests.unit.evidence.samples import add
from verifaible.errors import StoreUnreachable
from verifaible.store import database, root
from verifaible.store.entries import CustodyEntry
from verifaible.store.files import Bucket


@pytest.mark.parametrize("kind", [writers.PLACES[0], nightly(writers.PLACES[1]), writers.PLACES[2]])
def test_writers_that_are_killed(kind: str) -> None:
    with writers.place(kind) as shared:
        found = writers.write(shared, writers=4, additions=5, kills=2)
    assert (found.faults, found.lost, found.doubled, found.noted) == ((), 0, 0, 20)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [writers.PLACES[0], writers.PLACES[2]])
def test_sixteen_writers_of_which_sixteen_are_killed(kind: str) -> None:
    with writers.place(kind) as shared:
        found = writers.write(shared, writers=16, additions=200, kills=16, limit_s=900)
    assert (found.faults, found.lost, found.doubled, found.noted) == ((), 0, 0, 3_200)


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


def test_two_that_s3_refused_both_ask_again(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Bucket(s3_url)
    put, refusals = files._fs.pipe_file, iter([True, True, False, False])

    def refused(path: str, data: bytes, mode: str) -> None:
        if next(refusals):
            conflict = RuntimeError("An error occurred (ConditionalRequestConflict) when calling PutObject")
            raise OSError(5, "The conditional request cannot succeed") from conflict
        put(path, data, mode=mode)

    monkeypatch.setattr(files._fs, "pipe_file", refused)
    assert files.create("citations/1.json", b"one")
    assert not files.create("citations/1.json", b"two")
    assert files.read("citations/1.json") == b"one"


@pytest.mark.nightly
def test_an_index_that_is_emptied_while_entries_are_read_has_all_in_the_end(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = place.store(), place.store()
    names = {add(writer, f"Claim {number}").id for number in range(3)}
    assert {row.id for row in reader.rows()} == names
    names.add(add(writer, "Claim 3").id)
    read, others = reader.custody.checked, iter([place.store()._index.clear])

    def meanwhile(number: int, line: bytes) -> CustodyEntry:
        for empty in others:
            empty()
        return read(number, line)

    monkeypatch.setattr(reader.custody, "checked", meanwhile)
    assert {row.id for row in reader.rows()} == names


def test_an_index_that_a_writer_brings_further_is_not_taken_for_one_ahead_of_its_log(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = place.store(), place.store()
    names = {add(writer, f"Claim {number}").id for number in range(3)}
    last_number, emptied = reader.custody.count, []

    def late() -> int:
        number = last_number()
        names.add(add(writer, f"Claim {number}").id)
        return number

    monkeypatch.setattr(reader.custody, "count", late)
    monkeypatch.setattr(reader._index, "clear", lambda: emptied.append(1))
    reader.rows()
    monkeypatch.setattr(reader.custody, "count", last_number)
    assert {row.id for row in reader.rows()} == names
    assert not emptied


@pytest.mark.nightly
def test_threads_and_stores_that_share_a_database(place: Place) -> None:
    stores = [place.store() for _ in range(5 if "postgres" in place.index_url else 1)]
    add(stores[0], "Before all others")
    with ThreadPoolExecutor(10) as pool:
        added = pool.map(lambda each: add(stores[each % len(stores)], f"claim {each}").id, range(10))
        names = set(added)
    assert len(names) == 10
    reader = place.store()
    assert names < {row.id for row in reader.rows()}
    assert reader.custody.faults() == []


def test_a_writer_that_keeps_its_turn_is_not_waited_for_for_ever(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (database, root):
        monkeypatch.setattr(module, "LONGEST_WAIT_S", 1)
    store, other = place.store(), place.store()
    add(store, "Before")
    with other.turn(), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(add, store, "Meanwhile")
        with pytest.raises(StoreUnreachable):
            waiting.result()
    assert add(store, "Afterwards").id in {row.id for row in other.rows()}
    assert store.custody.faults() == []
