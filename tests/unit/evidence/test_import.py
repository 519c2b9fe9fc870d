"""Imports: verified first, whole or not at all; what comes from elsewhere is named as such."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.kit.marks import nightly
from tests.unit.evidence.places_of_stores import Place
from tests.unit.evidence.samples import NOW, add, check
from tests.unit.store.killing import Killed, killed_after
from verifaible.archive import limits
from verifaible.cli.library import import_ as import_command
from verifaible.console.options import SHORT_HELP
from verifaible.errors import CitationNotFound, IntegrityError, NewerFormat, OlderFormat, StoreError
from verifaible.evidence import bundle
from verifaible.evidence.audit import audit
from verifaible.evidence.bundle_import import import_export
from verifaible.evidence.export import Format, export
from verifaible.evidence.verify import verify
from verifaible.schema.citation import Citation
from verifaible.store.annotation import canonical
from verifaible.store.keys import sign_bytes
from verifaible.store.root import Root
from verifaible.store.sealed import capture_file, citation_file
from verifaible.store.store import Store

PLAIN: tuple[Format, ...] = ("wacz", "jsonld", "picture", "html")


@pytest.fixture
def one(tmp_path: Path) -> Store:
    """The store that a citation is made in."""
    return Store(tmp_path / "one")


@pytest.fixture
def two(tmp_path: Path) -> Store:
    """The store that it goes to."""
    return Store(tmp_path / "two")


def folder(store: Store) -> Path:
    assert isinstance(store.files, Root)
    return store.files.folder


def exported(store: Store, citation: Citation, out: Path, formats: tuple[Format, ...] = PLAIN) -> Path:
    return asyncio.run(export(citation, store, None, out, formats=formats)).folder  # type: ignore[arg-type]


def stored(store: Store) -> dict[str, bytes]:
    """Every file of a store in a folder that is evidence or a record of it."""
    there = (path for path in folder(store).rglob("*") if path.is_file() and "index" not in path.name)
    return {str(path.relative_to(folder(store))): path.read_bytes() for path in there}


def resigned(out: Path, store: Store) -> None:
    """Make the list of hashes anew, signed by the key of a store."""
    skipped = {bundle.SUMS, bundle.SUMS_SIGNATURE}
    found = {str(path.relative_to(out)): path for path in out.rglob("*") if path.is_file()}
    sums = bundle.sums_of({name: path.read_bytes() for name, path in found.items() if name not in skipped})
    (out / bundle.SUMS).write_bytes(sums)
    (out / bundle.SUMS_SIGNATURE).write_bytes(bundle.sign_sums(store.signer, sums))


def zipped(out: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(out.rglob("*")):
            archive.write(path, path.relative_to(out.parent))
    return target


# --- there and back


def test_a_round_trip(one: Store, place: Place, tmp_path: Path) -> None:
    """On each kind of place: the same bytes and verdicts, and every check names the other store's key."""
    two = place.store()
    citation = add(one)
    key = one.keys.current.id
    done = import_export(exported(one, citation, tmp_path / "a"), two)
    assert (done.citation, done.new, done.check.verdict, done.key.id) == (citation, True, "verified", key)
    assert two.get(citation.id) == citation
    found = verify(citation, two).check
    assert (found.verdict, f"another store's key {key}" in found.message) == ("verified", True)
    assert verify(citation, two, hash_only=True).check.verdict == "verified"
    assert [row.id for row in two.rows()] == [citation.id]
    assert two.keys.get(key).origin == "imported"
    audited = audit(two)
    assert (audited.ok, audited.notes) == (True, ())
    first, second = tmp_path / "a", exported(two, citation, tmp_path / "b")
    for name in (bundle.CAPTURE, bundle.CITATION, *bundle.picture_files(citation)):
        assert (second / name).read_bytes() == (first / second.name / name).read_bytes()


def test_importing_twice_changes_nothing(one: Store, two: Store, tmp_path: Path) -> None:
    out = exported(one, add(one), tmp_path / "out")
    import_export(out, two)
    before = stored(two)
    again = import_export(out, two)
    assert (again.new, again.added) == (False, ())
    assert stored(two) == before


def test_back_into_the_store_it_came_from(one: Store, two: Store, tmp_path: Path) -> None:
    citation = add(one)
    import_export(exported(one, citation, tmp_path / "a"), two)
    before = stored(one)
    assert import_export(exported(two, citation, tmp_path / "b"), one).new is False
    assert stored(one) == before


def test_the_history_comes_along_and_grows(one: Store, two: Store, tmp_path: Path) -> None:
    citation = add(one)
    one.add_check(check(citation))
    import_export(exported(one, citation, tmp_path / "a"), two)
    own = check(citation, "moved", NOW + timedelta(days=1))
    two.add_check(own)
    later = check(citation, "changed", NOW + timedelta(days=2))
    one.add_check(later)
    done = import_export(exported(one, citation, tmp_path / "b"), two)
    assert (done.new, len(done.added)) == (False, 1)
    assert two.checks(citation.id) == (check(citation), own, later)
    assert two.rows()[0].verdict == "changed"
    assert audit(two).ok


def test_a_lost_capture_comes_back(one: Store, two: Store, tmp_path: Path) -> None:
    citation = add(one)
    out = exported(one, citation, tmp_path / "out")
    import_export(out, two)
    name = capture_file(citation.capture.sha256)
    (folder(two) / name).unlink()
    assert verify(citation, two).check.verdict == "error"
    assert import_export(out, two).added == (name,)
    assert verify(citation, two).check.verdict == "verified"
    assert audit(two).ok


def test_two_citations_of_one_store_and_one_capture(one: Store, two: Store, tmp_path: Path) -> None:
    citations = [add(one), add(one, "Another", title="Other"), add(one, "Third")]
    for citation in citations:
        import_export(exported(one, citation, tmp_path / "out"), two)
    assert two.count() == 3
    assert audit(two).ok


def test_through_three_stores(one: Store, two: Store, tmp_path: Path) -> None:
    """Each store vouches with its own key, and the key that sealed the capture is named in all of them."""
    citation = add(one)
    import_export(exported(one, citation, tmp_path / "a"), two)
    three = Store(tmp_path / "three")
    done = import_export(exported(two, citation, tmp_path / "b"), three)
    assert done.key.id == two.keys.current.id
    assert one.keys.current.id in done.check.message
    assert {each.id for each in three.keys.all()} >= {one.keys.current.id, two.keys.current.id}
    assert audit(three).ok


def test_rotated_keys(one: Store, two: Store, tmp_path: Path) -> None:
    early = add(one)
    first = one.keys.current
    one.rotate_key()
    late = add(one, "Late", title="Late")
    for citation, key in ((early, first), (late, one.keys.current)):
        done = import_export(exported(one, citation, tmp_path / "out"), two)
        assert (done.key, done.note) == (key, "")
        assert key.id in verify(citation, two).check.message
    assert audit(two).ok


def test_a_zip_file_of_it(one: Store, two: Store, tmp_path: Path) -> None:
    citation = add(one)
    out = exported(one, citation, tmp_path)
    assert import_export(zipped(out, tmp_path / "export.zip"), two).new
    flat = tmp_path / "flat.zip"
    shutil.make_archive(str(flat.with_suffix("")), "zip", out)
    assert import_export(flat, two).new is False


def test_what_lies_beside_is_left_out_and_named(one: Store, two: Store, tmp_path: Path) -> None:
    out = exported(one, add(one), tmp_path)
    (out / "note of counsel.txt").write_text("see page 3")
    (out / "checks").mkdir(exist_ok=True)
    (out / "checks" / "20260302T080000.000000-00000000.json").write_text("{}")
    done = import_export(out, two)
    assert done.left_out == ("checks/20260302T080000.000000-00000000.json", "note of counsel.txt")
    assert not any("-00000000" in name or "counsel" in name for name in stored(two))


def test_the_command(one: Store, two: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    citation = add(one)
    out = exported(one, citation, tmp_path)
    monkeypatch.setenv("VERIFAIBLE_STORE", str(folder(two)))
    done = CliRunner().invoke(import_command, [str(out), "--json"], **SHORT_HELP)
    told = json.loads(done.stdout)
    assert (done.exit_code, told["id"], told["new"]) == (0, citation.id, True)
    assert told["key"] == bundle.fingerprint(one.signer.public_key)
    done = CliRunner().invoke(import_command, [str(out)], **SHORT_HELP)
    assert done.stdout.strip() == citation.id
    assert "was here already; 0 files were added" in done.stderr


# --- what is refused


def nothing_stored(store: Store) -> bool:
    return not folder(store).exists() or not stored(store)


def refused(out: Path, store: Store, kind: type[Exception] = IntegrityError, key: str = "") -> str:
    with pytest.raises(StoreError) as raised:
        import_export(out, store, key=key)
    assert type(raised.value) is kind
    assert nothing_stored(store)
    return str(raised.value)


@pytest.mark.parametrize(
    "name",
    [
        "capture.wacz",
        "citation.jsonld",
        "picture.webp",
        "custody-entry.json",
        "evidence.html",
        "VERIFY.txt",
        "export.json",
        "SHA256SUMS",
        "signatures/SHA256SUMS.sig.der",
        "signatures/capture.sig.der",
    ],
)
def test_a_changed_file_is_named(name: str, one: Store, two: Store, tmp_path: Path) -> None:
    out = exported(one, add(one), tmp_path)
    path = out / name
    data = bytearray(path.read_bytes())
    if name == bundle.SUMS:
        data[:1] = b"1" if data[:1] == b"0" else b"0"  # a list still, with another hash
    else:
        data[len(data) // 2] ^= 1
    path.write_bytes(data)
    said = refused(out, two)
    named = bundle.SUMS if name == bundle.SUMS_SIGNATURE else name
    # A changed list speaks of a hash or a file that is not there, or is no list any more.
    assert named in said or name == bundle.SUMS
    assert said.startswith(f"{out.name} was not imported, and nothing was stored")
    path.unlink()
    assert name in refused(out, two, StoreError)


def record_of(out: Path, name: str, **fields: Any) -> None:
    path = out / name
    path.write_bytes(canonical({**json.loads(path.read_bytes()), **fields}))


def _other_capture(out: Path, one: Store) -> None:
    other = add(one, title="Other", body="Quite another page. The rate was 5.33% in February.")
    (out / bundle.CAPTURE).write_bytes(one.files.read(capture_file(other.capture.sha256)))


def _other_citation(out: Path, one: Store) -> None:
    other = add(one, "Another claim")
    (out / bundle.CITATION).write_bytes(one.files.read(citation_file(other.id)))
    record_of(out, bundle.DESCRIPTION, citation_id=other.id)


def _other_claim(out: Path, _: Store) -> None:
    path = out / bundle.CITATION
    path.write_bytes(path.read_bytes().replace(b"A claim", b"B claim"))


def _other_time(out: Path, _: Store) -> None:
    record_of(out, bundle.ENTRY, at="2020-01-01T00:00:00Z")


def _other_check(out: Path, one: Store) -> None:
    (out / "checks").mkdir(exist_ok=True)
    other = check(add(one, "Another claim"))
    (out / "checks" / "20260302T080000.000000-12345678.json").write_bytes(
        canonical(other.model_dump(mode="json"))
    )


def _changed_key(out: Path, one: Store) -> None:
    record_of(
        out, one.keys.current.file, created="2020-01-01T00:00:00Z", origin="rotated", endorsed_by="0" * 16
    )


def _endless_key(out: Path, one: Store) -> None:
    key = one.keys.current
    record_of(out, key.file, origin="rotated", endorsed_by=key.id)


def _deep(out: Path, _: Store) -> None:
    (out / bundle.CITATION).write_bytes(b'{"verifaible":' + b"[" * 200_000)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_other_capture, "capture.wacz is not the one that the citation names"),
        (_other_citation, "custody entry 1 does not name this citation"),
        (_other_claim, "was changed after it was made"),
        (_other_time, "signature of custody entry 1 does not hold"),
        (_other_check, "is a check of another citation"),
        (_changed_key, "has no key 0000000000000000|was changed or is damaged"),
        (_endless_key, "circle|was changed or is damaged"),
        (_deep, "cannot be read|contains a file that no export has"),
    ],
)
def test_a_lie_that_the_exporting_key_itself_signed(
    change: Callable[[Path, Store], None], said: str, one: Store, two: Store, tmp_path: Path
) -> None:
    import re

    out = exported(one, add(one), tmp_path)
    change(out, one)
    resigned(out, one)
    assert re.search(said, refused(out, two))


def test_an_export_that_somebody_else_signed_anew(one: Store, two: Store, tmp_path: Path) -> None:
    citation = add(one)
    out = exported(one, citation, tmp_path / "out")
    other = Store(tmp_path / "other")
    add(other)
    shutil.copy(folder(other) / other.keys.current.file, out / other.keys.current.file)
    record_of(out, bundle.DESCRIPTION, key=other.keys.current.id)
    resigned(out, other)
    assert "did not endorse" in refused(out, two)
    # Saying that the key was lost does not help, unless somebody vouches for the new one.
    record_of(out, other.keys.current.file, origin="lost")
    resigned(out, other)
    assert "--key" in refused(out, two)


def test_a_store_that_lost_its_key(one: Store, two: Store, tmp_path: Path) -> None:
    citation = add(one)
    old = one.keys.current.id
    (folder(one) / "keys" / "signing.pem").unlink()
    one = Store(folder(one))
    new = one.rotate_key(lost=True)
    out = exported(one, citation, tmp_path / "out")
    assert "lost its key" in refused(out, two)
    done = import_export(out, two, key=bundle.fingerprint(new.public_key)[:12])
    assert (done.key.id, done.note) == (old, f"Key {new.id} exported it, which key {old} did not endorse.")
    assert audit(two).ok


def test_only_from_whom_it_is_expected(one: Store, two: Store, tmp_path: Path) -> None:
    out = exported(one, add(one), tmp_path)
    print_of_key = bundle.fingerprint(one.signer.public_key)
    assert "vouches for it" in refused(out, two, key="0" * 16)
    assert "8 letters or more" in refused(out, two, key=print_of_key[:4])
    assert import_export(out, two, key=print_of_key.upper()[:16]).new


def test_a_capture_that_no_key_of_the_export_signed(one: Store, two: Store, tmp_path: Path) -> None:
    """A store that was made to hold a foreign capture past the import does not pass it on."""
    citation = add(one)
    out = exported(one, citation, tmp_path / "out")
    other = Store(tmp_path / "other")
    add(other)
    # The entry, the list and the citation are by other; the capture stays one's.
    data = json.loads((out / bundle.ENTRY).read_bytes())
    data["key"] = other.keys.current.id
    data.pop("signature")
    data["signature"] = sign_bytes(other.signer, canonical(data))
    (out / bundle.ENTRY).write_bytes(canonical(data))
    (out / one.keys.current.file).unlink()
    shutil.copy(folder(other) / other.keys.current.file, out / other.keys.current.file)
    record_of(out, bundle.DESCRIPTION, key=other.keys.current.id)
    resigned(out, other)
    assert f"has no key {one.keys.current.id}" in refused(out, two)


def test_an_export_of_another_version(one: Store, two: Store, tmp_path: Path) -> None:
    out = exported(one, add(one), tmp_path)
    record_of(out, bundle.DESCRIPTION, format=bundle.FORMAT + 1, something="new")
    resigned(out, one)
    refused(out, two, NewerFormat)
    record_of(out, bundle.DESCRIPTION, format=bundle.FORMAT - 1)
    resigned(out, one)
    assert "verifaible 0.1 (format 1)" in refused(out, two, OlderFormat)


def test_a_part_of_an_export(one: Store, two: Store, tmp_path: Path) -> None:
    out = exported(one, add(one), tmp_path, ("html", "jsonld"))
    assert "without capture.wacz" in refused(out, two, StoreError)


def test_a_store_that_has_something_else_there(one: Store, two: Store, tmp_path: Path) -> None:
    citation = add(one)
    out = exported(one, citation, tmp_path / "out")
    target = folder(two) / capture_file(citation.capture.sha256)
    target.parent.mkdir(parents=True)
    target.write_bytes(b"something else")
    with pytest.raises(IntegrityError, match="already, with other content"):
        import_export(out, two)
    assert set(stored(two)) == {capture_file(citation.capture.sha256)}
    with pytest.raises(CitationNotFound):
        two.get(citation.id)


@pytest.mark.parametrize("kind", ["nothing", "empty folder", "empty zip", "other zip"])
def test_no_export(kind: str, two: Store, tmp_path: Path) -> None:
    """Broken and hostile ZIP files are rows of test_hostile_bundles.py."""
    path = tmp_path / "it.zip"
    if kind == "empty folder":
        path.mkdir()
    elif kind != "nothing":
        with zipfile.ZipFile(path, "w") as archive:
            if kind == "other zip":
                archive.writestr("readme.txt", "hello")
    refused(path, two, StoreError)


@pytest.mark.parametrize("kind", ["link", "folder link", "pipe", "folder"])
def test_a_folder_with_something_else_in_a_files_place(
    kind: str, one: Store, two: Store, tmp_path: Path
) -> None:
    out = exported(one, add(one), tmp_path / "out")
    path = out / bundle.CAPTURE
    kept = path.rename(tmp_path / "kept")
    if kind == "link":
        path.symlink_to(kept)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        kept.rename(path)
        (out / "keys").rename(tmp_path / "keys")
        (out / "keys").symlink_to(tmp_path / "keys")
    refused(out, two, StoreError if kind == "folder" else IntegrityError)


@pytest.mark.parametrize(
    "line", ["../../etc/passwd", "/etc/passwd", "keys/../../x", "a/b/c", ".hidden", "a\\b", ""]
)
def test_a_list_that_names_other_places(line: str) -> None:
    with pytest.raises(StoreError, match="Line 1"):
        bundle.read_sums(f"{'0' * 64}  {line}\n".encode())


def test_a_list_that_names_a_file_twice() -> None:
    line = f"{'0' * 64}  capture.wacz\n".encode()
    assert list(bundle.read_sums(line)) == ["capture.wacz"]
    with pytest.raises(StoreError, match="Line 2"):
        bundle.read_sums(line * 2)


def test_a_file_past_the_limit(one: Store, two: Store, tmp_path: Path) -> None:
    out = exported(one, add(one), tmp_path / "out")
    with (out / bundle.CAPTURE).open("r+b") as file:
        file.truncate(limits.MAX_FILE_BYTES + 1)  # a hole: it takes no room on the disk
    assert "at most" in refused(out, two)


def test_a_check_that_a_kill_left_unnamed_is_named_by_the_import(
    one: Store, two: Store, tmp_path: Path
) -> None:
    citation = add(one)
    one.add_check(check(citation))
    out = exported(one, citation, tmp_path / "out")
    (line,) = one.lines.read(f"checks/{citation.id}")
    with two.turn():
        two.take_over_check(citation.id, line)  # and then a kill
    import_export(out, two)
    assert [each.verdict for each in two.checks(citation.id)][:1] == ["verified"]
    assert audit(two).faults == ()


@pytest.mark.parametrize(
    ("begun", "changes"),
    [
        *((True, each) for each in (58, 65, 72)),
        *((False, each) for each in (71, 80)),
        *(nightly(begun, each) for begun in (True, False) for each in range(50, 95, 3)),
    ],
)
def test_what_a_kill_leaves_of_an_import_is_told_as_that_and_mended_by_another(
    one: Store, two: Store, tmp_path: Path, begun: bool, changes: int
) -> None:
    citation = add(one)
    out = exported(one, citation, tmp_path / "out")
    if begun:
        add(two, "Before")
    with suppress(Killed), killed_after(changes):
        import_export(out, two)
    left = Store(folder(two))
    lasting = [each for each in audit(left).faults if "a kill came before" not in each]
    assert lasting in ([], ["The checks were not recorded: put right the faults of the custody log first."])
    import_export(out, left)
    assert audit(left).faults == ()
    assert citation.id in {row.id for row in left.rows()}


@pytest.mark.parametrize(("query", "taken"), [("", True), ("?q=The+rate+was+5.33%25+in+February.", False)])
def test_words_that_the_site_has_not_sent_are_not_taken_over(
    one: Store, two: Store, tmp_path: Path, query: str, taken: bool
) -> None:
    """An answer that only repeats what its address gave it has not said it."""
    out = exported(one, add(one, url=f"https://statistics.example/release{query}"), tmp_path)
    if taken:
        assert import_export(out, two).new
        return
    with pytest.raises(IntegrityError, match=r"nothing that its site sent holds .*5\.33"):
        import_export(out, two)
    assert stored(two) == {}
