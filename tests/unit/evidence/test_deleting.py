"""Deleting from a store, in every place that one can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.evidence.places_of_stores import Place
from tests.unit.evidence.samples import add, check
from tests.unit.store.killing import Killed, killed_after
from verifaible.evidence.audit import audit
from verifaible.store.deletion import plan
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store


def test_every_place_can_delete(place: Place) -> None:
    store = place.store()
    gone, stays = add(store, "Goes", quote="It was 5.1% then."), add(store, "Stays")
    store.delete(plan(store, [gone.id]).items)
    for opened in (store, place.store()):
        assert [row.id for row in opened.rows()] == [stays.id]
        assert audit(opened).faults == ()
    assert not store.files.exists(capture_file(gone.capture.sha256))


@pytest.mark.parametrize("changes", range(1, 9))
def test_a_kill_in_the_middle_of_a_deletion_leaves_files_and_no_fault(tmp_path: Path, changes: int) -> None:
    store = Store(tmp_path / "store")
    gone, stays = add(store, "Goes", quote="It was 5.1% then."), add(store, "Stays")
    store.add_checks([check(gone), check(stays)])
    planned = plan(store, [gone.id])
    with pytest.raises(Killed), killed_after(changes):
        store.delete(planned.items)
    left = Store(tmp_path / "store")
    assert {row.id for row in left.rows()} >= {stays.id}
    assert audit(left).faults == ()
    left.delete(plan(left, [stays.id]).items)
