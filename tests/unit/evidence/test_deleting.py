"""Deleting from a store, in every place that one can be."""

from __future__ import annotations

from tests.unit.evidence.places_of_stores import Place
from tests.unit.evidence.samples import add
from verifaible.evidence.check.audit import audit
from verifaible.store.deletion import plan
from verifaible.store.sealed import capture_file


def test_every_place_can_delete(place: Place) -> None:
    store = place.store()
    gone, stays = add(store, "Goes", quote="It was 5.1% then."), add(store, "Stays")
    store.delete(plan(store, [gone.id]).items)
    for opened in (store, place.store()):
        assert [row.id for row in opened.rows()] == [stays.id]
        assert audit(opened).faults == ()
    assert not store.files.exists(capture_file(gone.capture.sha256))
