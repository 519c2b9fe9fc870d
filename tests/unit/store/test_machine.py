"""A store beside a model of it, through thousands of steps: additions, deletions, imports, kills and damage.

After each step the store lists what the model says, with its checks; an audit names what was damaged or left by
a kill, and nothing else.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.unit.evidence.samples import NOW, PICTURE, TILE, add, check, material
from tests.unit.store.files import LOG, lines_of, write_lines
from tests.unit.store.killing import Killed, killed_after
from tests.unit.store.model import Bundle, Harm, Model, bundles_in, files_of, held
from tests.unit.store.wounds import (
    OF_THE_LOG,
    OF_THE_REST,
    Wound,
    edit_the_index,
    edit_the_private_key,
    flipped,
)
from verifaible.browser.pictures.picture import tile_of
from verifaible.errors import CitationDeleted, StoreError, VerifaibleError
from verifaible.evidence.audit import audit
from verifaible.evidence.bundle_import import import_export
from verifaible.evidence.verify import verify
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.deletion import plan
from verifaible.store.keys import PRIVATE
from verifaible.store.sealed import citation_file, picture_files
from verifaible.store.store import Store

Effect: TypeAlias = Callable[[Model], None]
#: What a step does to a store; before it does, it appends what that does to the model.
Act: TypeAlias = Callable[[Store, list[Effect]], None]

TILES: Final = (b"a picture", b"another picture", b"a third picture")
_pick = st.integers(0, 10_000)
#: None lives on. An addition makes some 30 changes, an import 84, most of them in its rehearsal.
_life = st.none() | st.integers(0, 40) | st.integers(50, 90)


class StoreMachine(RuleBasedStateMachine):
    """The steps."""

    steps = 0
    place: Path
    exports: tuple[Bundle, ...]

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(dir=self.place))
        self.folder = self.home / "store"
        self.model = Model()
        self.kept: dict[str, bytes] = {}
        self.stores = [Store(self.folder), Store(self.folder)]
        self.number = 0

    def teardown(self) -> None:
        self._close()
        shutil.rmtree(self.home)

    # --- what is added and deleted

    @initialize(life=_life)
    def begin(self, life: int | None) -> None:
        self._citation(0, life, checked=True)

    @rule(pick=_pick, life=_life, checked=st.booleans())
    def add_citation(self, pick: int, life: int | None, checked: bool) -> None:
        self._citation(pick, life, checked=checked)

    def _citation(self, pick: int, life: int | None, *, checked: bool) -> None:
        tile = TILES[pick % len(TILES)]
        self.number += 1
        claim = f"Claim {self.number}"

        def act(store: Store, effects: list[Effect]) -> None:
            parts = material(store, claim, title=f"Page {pick % 5}")
            tiles = (tile_of(tile, y=0, height=1),)
            draft = parts["draft"].model_copy(update={"picture": PICTURE.model_copy(update={"tiles": tiles})})
            self._added(store, effects, draft=draft, capture=parts["capture"], tile=tile, checked=checked)

        name = f"pictures/{tile_of(tile, y=0, height=1).sha256}.webp"
        links = {each for each, how in self.model.harmed.items() if how == "link"}
        # A page that has not changed is sealed to the same bytes: the capture may be one that is a link now.
        unsure = any(each.startswith("captures/") for each in links)
        self._do(pick, act, life, refused=True if name in links else None if unsure else False)

    @precondition(lambda self: self.model.citations)
    @rule(pick=_pick, life=_life, checked=st.booleans())
    def cite_a_capture_again(self, pick: int, life: int | None, checked: bool) -> None:
        before = self._one(pick)
        self.number += 1
        draft = before.model_copy(update={"claim": f"Claim {self.number}"})
        picture, tile = next(iter(picture_files(before))), self._tile(before)

        def act(store: Store, effects: list[Effect]) -> None:
            self._added(store, effects, draft=draft, capture=None, tile=tile, checked=checked)

        lost = self.model.harmed.get(f"captures/{before.capture.sha256}.wacz") in ("missing", "link")
        self._do(pick, act, life, refused=lost or self.model.harmed.get(picture) == "link")

    def _added(
        self,
        store: Store,
        effects: list[Effect],
        *,
        draft: Citation,
        capture: Path | None,
        tile: bytes,
        checked: bool,
    ) -> None:
        name = annotation.citation_id(draft)
        citation = Citation.model_validate({**draft.model_dump(exclude={"id"}), "id": name})
        at = self._now()
        found = check(citation, "moved" if at.second % 3 else "verified", at) if checked else None
        effects.append(lambda model: model.add(citation))
        if found is not None:
            effects.append(lambda model: model.add_check(found))
        assert store.add(draft, capture=capture, tiles=(tile,), check=found) == citation

    @precondition(lambda self: self.model.citations)
    @rule(pick=_pick, count=st.integers(1, 3), life=_life, again=st.booleans())
    def add_checks(self, pick: int, count: int, life: int | None, again: bool) -> None:
        found = []
        for each in range(count):
            at = self._now(again=again)  # the same again is the same check
            found.append(check(self._one(pick + each), "moved" if at.second % 3 else "verified", at))

        def act(store: Store, effects: list[Effect]) -> None:
            effects += [partial(Model.add_check, check=each) for each in found]
            store.add_checks(found)

        self._do(pick, act, life)

    @precondition(lambda self: self.model.citations)
    @rule(pick=_pick, count=st.integers(1, 3), life=_life)
    def delete(self, pick: int, count: int, life: int | None) -> None:
        ids = {self._one(pick + each).id for each in range(count)}
        model = self.model
        unread = model.unreadable()
        refused = bool(model.faults(self.folder) & self._inventoried() or unread - ids)
        unsure = bool(unread & ids) and "changed" in model.harmed.values()

        def act(store: Store, effects: list[Effect]) -> None:
            effects.append(lambda model: model.delete(ids))
            store.delete(plan(store, ids).items)

        self._do(pick, act, life, refused=None if unsure and not refused else refused)

    def _inventoried(self) -> set[str]:
        """The faults that are not the index's."""
        return {each for each in self.model.faults(self.folder) if not each.startswith("lacks")}

    @rule(pick=_pick, life=_life)
    def import_a_bundle(self, pick: int, life: int | None) -> None:
        bundle = self.exports[pick % 2]
        citation = bundle.citation
        if citation.id in self.model.unlisted:
            return
        hows = {self.model.harmed.get(name) for name in files_of(citation)}

        def act(store: Store, effects: list[Effect]) -> None:
            def imported(model: Model) -> None:
                model.add(citation)
                model.checks[citation.id] = model.checks[citation.id] | bundle.history

            effects.append(imported)
            import_export(bundle.path, store)

        self._do(pick, act, life, refused=bool(hows & {"changed", "link"}))

    @rule(pick=_pick, life=_life, lost=st.booleans())
    def rotate_the_key(self, pick: int, life: int | None, lost: bool) -> None:
        if lost:
            # Before the first entry a lost key is indistinguishable from a log that was made anew.
            if not (self._begun() and (self.folder / PRIVATE).exists()):
                return
            (self.folder / PRIVATE).unlink()
            self._open()
        self._do(pick, lambda store, _: (store.rotate_key(lost=lost), None)[1], life)
        if lost and life is not None:
            self._open()
            self._do(pick, lambda store, _: (store.rotate_key(lost=True), None)[1], None)

    @rule(pick=_pick, how=st.sampled_from(("asked for", "lost", "damaged")))
    def make_the_index_again(self, pick: int, how: str) -> None:
        def act(store: Store, effects: list[Effect]) -> None:
            effects.append(lambda model: setattr(model, "unlisted", model.unreadable()))
            if how == "asked for":
                store.reindex()

        if how != "asked for":
            self._close()
            (self.folder / "index.sqlite").unlink(missing_ok=True)
        if how == "damaged" and self.folder.exists():
            (self.folder / "index.sqlite").write_bytes(b"no database" * 500)
        self._do(pick, act, None)

    # --- what happens to its files

    @precondition(lambda self: self.model.citations)
    @rule(pick=_pick, how=st.sampled_from(("changed", "missing", "link")))
    def harm_evidence(self, pick: int, how: Harm) -> None:
        names = sorted(files_of(self._one(pick)) - self.model.harmed.keys())
        if not names:
            return
        path = self.folder / (name := names[pick % len(names)])
        data = self.kept[name] = path.read_bytes()
        path.unlink()
        if how == "changed":
            path.write_bytes(flipped(data, pick))
        elif how == "link":
            outside = self.home / path.name
            outside.write_bytes(data)
            path.symlink_to(outside)
        self.model.harmed[name] = how

    @precondition(lambda self: self.model.harmed)
    @rule(pick=_pick)
    def restore_evidence(self, pick: int) -> None:
        name = list(self.model.harmed)[pick % len(self.model.harmed)]
        path = self.folder / name
        path.unlink(missing_ok=True)
        path.write_bytes(self.kept[name])
        del self.model.harmed[name]

    @rule(place=st.sampled_from(("notes.txt", "captures/notes.wacz", "pictures/x.webp", "citations/x.json")))
    def put_a_stranger_there(self, place: str) -> None:
        path = self.folder / place
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(b"{}")

    @rule()
    def tidy(self) -> None:
        """Delete what an audit says to delete."""
        lines: dict[str, set[int]] = {}
        for each in self.model.left(self.folder):
            name, _, line = each.partition(":")
            if line:
                lines.setdefault(name, set()).add(int(line))
            else:
                (self.folder / name).unlink()
        for name, numbers in lines.items():
            there = enumerate(lines_of(self.folder, name), 1)
            write_lines(self.folder, [line for number, line in there if number not in numbers], name)
        self._open()

    @precondition(lambda self: self._begun())
    @rule(pick=_pick, torn=st.integers(1, 400))
    def tear_a_line(self, pick: int, torn: int) -> None:
        """As a kill leaves it."""
        name = LOG if pick % 2 or not self.model.citations else f"checks/{self._one(pick).id}.jsonl"
        if (self.folder / name).exists():
            with (self.folder / name).open("ab") as file:
                file.write((lines_of(self.folder) or [b"{"])[0][:torn])

    @precondition(lambda self: self._begun())
    @rule(pick=_pick, where=_pick, wound=st.sampled_from(OF_THE_LOG), more=st.booleans())
    def wound_the_log(self, pick: int, where: int, wound: Wound, more: bool) -> None:
        self._wounded(wound, pick, where, more=more)

    @precondition(lambda self: self._begun())
    @rule(pick=_pick, where=_pick, wound=st.sampled_from(OF_THE_REST), more=st.booleans())
    def wound_the_rest(self, pick: int, where: int, wound: Wound, more: bool) -> None:
        self._wounded(wound, pick, where, more=more)

    def _wounded(self, wound: Wound, pick: int, where: int, *, more: bool) -> None:
        """Damage what everything rests on; it is named, also behind an addition, and a copy heals it."""
        self._close()
        copy = self.home / "copy"
        shutil.copytree(self.folder, copy, symlinks=True)
        # Nobody reads the private key before there is something to sign.
        unread = wound is edit_the_private_key and not (self.model.citations and self._sound_keys())
        token = "" if unread else wound(self.folder, pick, where)
        if token.startswith("checks/") and Path(token).stem in self.model.deleted:
            token = ""  # what a kill left of a deletion
        if wound is edit_the_index and citation_file(token.rpartition(" ")[2]) in self.model.harmed:
            token = ""  # with what would it be compared
        if token:
            assert token in self._said(), f"{wound.__name__} is not named"
            if wound not in (edit_the_private_key, edit_the_index):
                self._refuses_to_delete(pick)
            if more:
                self._tried_addition()
                assert token in self._said(notes=True), f"{wound.__name__} is not named behind an addition"
        self._close()
        shutil.rmtree(self.folder)
        copy.rename(self.folder)

    def _said(self, *, notes: bool = False) -> str:
        store = Store(self.folder)
        try:
            found = audit(store, hash_only=True)
        except VerifaibleError as error:
            return str(error)
        finally:
            store.close()
        said = (*found.faults, *(each.message for each in found.failed))
        return " ".join((*said, *found.notes) if notes else said)

    def _sound_keys(self) -> bool:
        return not any(each.startswith("keys/") for each in self.model.left(self.folder))

    def _refuses_to_delete(self, pick: int) -> None:
        if self.model.citations:
            with pytest.raises(VerifaibleError):
                plan(Store(self.folder), {self._one(pick).id})

    def _tried_addition(self) -> None:
        store = Store(self.folder)
        try:
            add(store, "Meanwhile")
        except VerifaibleError:
            pass
        finally:
            store.close()

    # --- what it says

    @rule(pick=_pick, life=_life, whole=st.integers(0, 5))
    def audit(self, pick: int, life: int | None, whole: int) -> None:
        expected, failing = self.model.faults(self.folder), self.model.failing()
        recorded = self._sound_keys()
        may = {*expected, *self.model.harmed, *(() if recorded else ("checks were not recorded",))}
        seen: list[Check] = []

        def act(store: Store, effects: list[Effect]) -> None:
            def all_of_them(model: Model) -> None:
                for each in seen if recorded else ():
                    model.add_check(each)

            effects.append(all_of_them)
            found = audit(store, hash_only=bool(whole), watch=seen.append)
            said = " ".join(found.faults)
            assert {each.citation_id for each in found.failed} == failing, found
            assert found.checked == len(self.model.citations), found
            unnamed = [each for each in expected if each not in said]
            strange = [each for each in found.faults if not any(name in each for name in may)]
            assert not unnamed + strange, (unnamed, strange, found.faults)

        self._do(pick, act, life)

    @precondition(lambda self: self.model.citations)
    @rule(pick=_pick)
    def open_and_verify(self, pick: int) -> None:
        citation, store = self._one(pick), self.stores[pick % 2]
        if citation.id in self.model.unreadable() | self.model.unlisted:
            with pytest.raises(StoreError):
                store.get(citation.id)
            return
        assert store.get(citation.id[:12]) == citation
        holds = verify(citation, store).check.verdict == "verified"
        assert holds == (citation.id not in self.model.failing())

    @precondition(lambda self: self.model.deleted)
    @rule(pick=_pick)
    def open_what_was_deleted(self, pick: int) -> None:
        with pytest.raises(CitationDeleted):
            self.stores[pick % 2].get(self.model.pick(self.model.deleted, pick))

    @invariant()
    def it_holds_what_the_model_says(self) -> None:
        StoreMachine.steps += 1
        assert held(self.stores[StoreMachine.steps % 2]) == self.model.listed()

    # --- inside

    def _do(self, pick: int, act: Act, life: int | None, *, refused: bool | None = False) -> None:
        """Let one of two processes act; one that is killed has done all of it or nothing."""
        store = self.stores[pick % 2]
        effects: list[Effect] = []
        after = self.model.copy()
        try:
            with killed_after(life):
                act(store, effects)
        except Killed:
            for effect in effects:
                effect(after)
            self._open()
            after.look(self.folder)
            found = held(self.stores[0])
            if found != after.listed():
                after = self.model
            assert found == after.listed(), "neither all of it nor nothing"
        except StoreError:
            assert refused is not False, "refused"
            after = self.model
        else:
            assert not refused, "not refused"
            for effect in effects:
                effect(after)
        self.model = after
        self.model.look(self.folder)

    def _one(self, pick: int) -> Citation:
        return self.model.citations[self.model.pick(self.model.citations, pick)]

    def _tile(self, citation: Citation) -> bytes:
        (sha256,) = picture_files(citation).values()
        return {hashlib.sha256(each).hexdigest(): each for each in (*TILES, TILE)}[sha256]

    def _begun(self) -> bool:
        return (self.folder / LOG).exists() and bool(lines_of(self.folder))

    def _now(self, *, again: bool = False) -> datetime:
        self.number += not again
        return NOW + timedelta(seconds=self.number)

    def _close(self) -> None:
        for store in self.stores:
            store.close()

    def _open(self) -> None:
        self._close()
        self.stores = [Store(self.folder), Store(self.folder)]


def steps_of(folder: Path, *, examples: int, steps: int) -> int:
    """Let so many stores go through so many steps each; gives how many steps that were."""
    StoreMachine.steps = 0
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        phases=(Phase.generate,),  # a failure is replayed by its steps; shrinking them takes minutes
        suppress_health_check=list(HealthCheck),
    )
    with killed_after(None):  # nothing is flushed to the disk
        StoreMachine.place, StoreMachine.exports = folder, bundles_in(folder)
        run_state_machine_as_test(StoreMachine, settings=chosen)
    return StoreMachine.steps


def test_some_hundred_steps(tmp_path: Path) -> None:
    assert steps_of(tmp_path, examples=6, steps=50) >= 200


@pytest.mark.nightly
def test_ten_thousand_steps(tmp_path: Path) -> None:
    assert steps_of(tmp_path, examples=260, steps=50) >= 10_000
