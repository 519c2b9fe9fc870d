"""The capture and the live web are two states: kept, listed and filtered apart."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.unit.cli.test_finding import call, rows, store
from tests.unit.evidence.places_of_stores import Place
from tests.unit.evidence.samples import NOW, add, check
from verifaible.schema.check import Check, State
from verifaible.schema.citation import Citation
from verifaible.store.store import Store

__all__ = ["store"]


def seen(citation: Citation, kind: str, verdict: str, day: int) -> Check:
    made = check(citation, verdict, NOW + timedelta(days=day))
    return made.model_copy(update={"kind": kind})


@pytest.fixture
def drifted(store: Store) -> Citation:
    """A citation that has changed on the web, and was replayed offline after that."""
    citation = add(store, "Drifted")
    store.add_checks(
        [
            seen(citation, "self", "verified", 0),
            seen(citation, "live", "changed", 2),
            seen(citation, "offline", "verified", 3),
            seen(citation, "rehash", "verified", 4),
        ]
    )
    return citation


def test_a_check_of_the_capture_does_not_hide_what_the_web_says(store: Store, drifted: Citation) -> None:
    (row,) = store.rows()
    assert (row.capture_verdict, row.live_verdict, row.verdict) == ("verified", "changed", "changed")
    assert row.said == "capture: verified · live: changed 2026-03-04"
    assert State.of(store.checks(drifted.id)).said == row.said
    store.add_check(seen(drifted, "live", "verified", 1))  # an older one
    assert store.rows()[0].live_verdict == "changed"
    store.add_check(seen(drifted, "rehash", "error", 5))
    assert (store.rows()[0].verdict, store.rows()[0].live_verdict) == ("error", "changed")


def test_each_state_filters(store: Store, drifted: Citation) -> None:
    fresh = add(store, "Never looked at", check=None)
    store.add_check(check(fresh))
    for options, found in (
        (("--live-verdict", "changed"), {drifted.id}),
        (("--live-verdict", "none"), {fresh.id}),
        (("--capture-verdict", "verified"), {drifted.id, fresh.id}),
        (("--capture-verdict", "verified", "--live-verdict", "changed"), {drifted.id}),
        (("--capture-verdict", "changed"), set()),
        (("--verdict", "changed"), {drifted.id}),
        (("--verdict", "verified"), {fresh.id}),
    ):
        assert {row["id"] for row in rows(call("list", *options, "--json"))} == found, options
    assert store.count(live_verdict="changed") == store.count(live_verdict="none") == 1
    listed = call("list").stdout
    assert "capture: verified · live: changed 2026-03-04" in listed
    assert "capture: verified · live: not checked" in listed
    assert "state     capture: verified · live: changed" in call("show", drifted.id).stdout


def test_checks_that_come_together_count_by_their_times(place: Place) -> None:
    store = place.store()
    one, other = add(store, "One"), add(store, "Other")
    store.add_checks(
        [
            seen(one, "rehash", "verified", 4),
            seen(one, "live", "gone", 2),
            seen(other, "live", "moved", 1),
            seen(one, "offline", "changed", 3),
            seen(one, "live", "verified", 1),
        ]
    )
    found = {row.claim: row for row in store.rows()}
    assert (found["One"].said, found["One"].verdict) == (
        "capture: verified · live: gone 2026-03-04",
        "gone",
    )
    assert found["One"].checked_at == NOW + timedelta(days=4)
    assert (found["Other"].capture_verdict, found["Other"].live_verdict) == (None, "moved")
    listed = store.rows()
    store.reindex()
    assert store.rows() == listed
