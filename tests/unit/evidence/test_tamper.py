"""The tamper suite, and what its cases have in common: a tamper is found, named, and never covered up."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import pytest

from scripts.accuracy import tamper
from scripts.accuracy.tamper import BEYOND, CASES, Case
from scripts.accuracy.tamper_steps import take_steps
from scripts.accuracy.tamper_store import Place
from tests.unit.evidence.samples import add, check
from verifaible.evidence.audit import audit
from verifaible.evidence.verify import verify
from verifaible.store.entries import line_name
from verifaible.store.lines import HEAD
from verifaible.store.store import Store

#: The cases inside a capture: each part of it, in each of four ways.
_INSIDE = [case for case in CASES if case.steps[0]["do"] == "inside"]
#: Every part of a capture in one of the four ways, each way five times, and all other cases.
_CHOSEN = (
    *(_INSIDE[4 * number + way] for number, way in enumerate(islice(cycle(range(4)), len(_INSIDE) // 4))),
    *(case for case in CASES if case not in _INSIDE),
)


@pytest.fixture(scope="module")
def healthy() -> Iterator[Place]:
    with tamper.made() as place:
        yield place


@pytest.fixture
def place(healthy: Place, tmp_path: Path) -> Place:
    return healthy.copy(tmp_path / "store")


def test_the_suite_is_as_large_and_varied_as_promised() -> None:
    assert len({case.kind for case in CASES}) >= 60
    assert len(CASES) >= 150
    assert len({case.name for case in _INSIDE}) == 4
    assert len({case.kind for case in _INSIDE}) == len(_INSIDE) // 4 == 20
    assert len({case.kind for case in _CHOSEN[:20]}) == 20
    assert sum("{capture}" in str(case.steps) for case in CASES) >= 12
    names = [(case.kind, case.name) for case in (*CASES, *BEYOND)]
    assert len(set(names)) == len(names)


def test_a_healthy_store_has_no_faults_and_no_notes(place: Place) -> None:
    for hash_only in (True, False):
        found = audit(place.store(), hash_only=hash_only, head=place.head)
        assert (found.checked, found.verified, found.faults, found.notes) == (3, 3, (), ())


@pytest.mark.parametrize("case", _CHOSEN, ids=lambda case: f"{case.kind}, {case.name}")
def test_a_tamper_is_found_and_named(case: Case, healthy: Place, tmp_path: Path) -> None:
    seen, tamperer = tamper.observe(case, healthy, tmp_path / "copies")
    came_to, said = tamper.outcome(case, seen, tamperer)
    assert came_to == "right", said


@pytest.mark.parametrize("case", BEYOND, ids=lambda case: case.name)
def test_what_only_a_head_kept_elsewhere_shows(case: Case, healthy: Place, tmp_path: Path) -> None:
    """The store alone looks healthy: this is said, and not counted as found."""
    seen, _ = tamper.observe(case, healthy, tmp_path / "without")
    assert all(each.ok for each in seen.audits)
    seen, tamperer = tamper.observe(case, healthy, tmp_path / "with", kept_head=True)
    assert tamper.outcome(case, seen, tamperer) == ("right", "")


def test_a_store_made_anew_is_found_by_a_head_kept_elsewhere(place: Place, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    add(other)
    assert audit(other, hash_only=True).ok
    found = audit(other, hash_only=True, head=place.head)
    assert any("kept elsewhere is not this store's" in fault for fault in found.faults)


def test_a_head_kept_elsewhere_that_was_changed_itself(place: Place) -> None:
    found = place.store().custody.against(place.head.model_copy(update={"number": 2}))
    assert found == ["The head that was kept elsewhere does not hold its own signature. Take another copy."]


# --- no addition covers the traces


def test_an_audit_of_a_broken_log_adds_nothing_to_it(place: Place) -> None:
    for number in (place.last(), place.last() - 1):
        place.write(line_name(number), None)
    before = place.path(HEAD).read_bytes(), place.last()
    for _ in range(2):
        found = audit(place.store(), hash_only=True)
        assert any("cut off" in fault for fault in found.faults)
        assert any("were not recorded" in fault for fault in found.faults)
    assert (place.path(HEAD).read_bytes(), place.last()) == before


def test_what_was_cut_off_is_still_missed_after_later_additions(place: Place) -> None:
    last = place.last()
    whole = place.read("custody.jsonl")
    for number in (last, last - 1):
        place.write(line_name(number), None)
    store = place.store()
    added = add(store, "later", title="Later")
    assert store.entry_of(added.id).number == last + 1
    assert any("gap" in fault for fault in place.store().custody.faults())
    assert verify(added, store).check.verdict == "verified"
    # Put back from a copy, the log is whole, the later addition too.
    place.write("custody.jsonl", whole + place.read("custody.jsonl:last") + b"\n")
    assert audit(place.store()).faults == ()


def test_a_head_that_was_replaced_is_remembered(place: Place) -> None:
    place.path(HEAD).unlink()
    place.write(line_name(place.last()), None)
    store = place.store()
    add(store, "later", title="Later")
    assert store.custody.faults() == []
    notes = audit(place.store(), hash_only=True).notes
    assert any("custody-head.json was missing when entry" in note for note in notes)


def test_numbers_alone_prove_nothing(place: Place) -> None:
    """A planted entry with a huge number, and a head that speaks of it, cost no time and hide nothing."""
    place.write("custody.jsonl:new", b'{"number":999999999}')
    place.edit(HEAD, lambda data: data.replace(b'"number":', b'"number":99999999'))
    store = place.store()
    assert store.count() == 3
    faults = store.custody.faults()
    assert any("is damaged" in fault for fault in faults)
    assert any("signature does not hold" in fault for fault in faults)


def test_an_old_key_that_still_signs_is_noted(place: Place) -> None:
    store = place.store()
    place.path("keys/signing.pem").write_bytes(place.first.private_bytes())
    add(store, "by the old key", title="Old key")
    found = audit(place.store(), hash_only=True)
    assert found.ok
    assert any("had replaced it" in note for note in found.notes)


def test_keys_that_endorse_each_other(place: Place) -> None:
    """No chain of endorsements runs in a circle for ever."""
    one, two = place.forger, place.foreign
    first, second = place.put_key(one, "rotated", two), place.put_key(two, "rotated", one)
    faults = place.store().custody.faults()
    assert any(first.id in fault or second.id in fault for fault in faults)


def test_a_citation_is_verified_whatever_the_index_says(place: Place) -> None:
    """An audit goes by the log: what the index hides is checked all the same."""
    shutil.copy(place.path("index.sqlite"), place.folder.with_name("kept.sqlite"))
    hidden = next(case for case in CASES if (case.kind, case.name) == ("index: row", "deleted"))
    take_steps(place, hidden.steps)
    place.edit(place.capture, lambda data: data + b"x")
    found = audit(place.store(), hash_only=True)
    assert {each.citation_id for each in found.failed} == {place.victim.id, place.shared.id}


def test_a_check_that_stands_in_for_a_verdict_is_not_shown_as_one(place: Place) -> None:
    store = place.store()
    store.add_check(check(place.victim, "gone"))
    before = store.rows()
    forged = next(case for case in CASES if (case.kind, case.name) == ("check: added", "past the log"))
    take_steps(place, forged.steps)
    assert place.store().rows() == before
    store.reindex()
    assert place.store().rows() == before
