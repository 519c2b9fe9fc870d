"""Importing an export into another store: verified first, whole, or not at all.

What is taken over keeps its own signatures; the keys that made them come in as another store's, and
every later check names them.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from verifaible.archive import limits
from verifaible.errors import (
    IntegrityError,
    NewerFormat,
    OlderFormat,
    StoreError,
    StoreUnreachable,
)
from verifaible.evidence.check.verify import verify
from verifaible.evidence.export import bundle
from verifaible.evidence.export.bundle import ExportDescription
from verifaible.evidence.export.export import check_name
from verifaible.evidence.export.unpacking import ExportFiles, opened
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.entries import CHECKS, CustodyEntry, CustodyItem, item
from verifaible.store.keys import KeyRecord, KeyRing, signature_holds
from verifaible.store.root import Root
from verifaible.store.sealed import capture_file, citation_file, picture_files
from verifaible.store.store import Store

_KEY = re.compile(r"keys/[0-9a-f]{16}\.json")
#: Shortest beginning of a fingerprint that names a key.
_MIN_KEY = 8


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    Attributes:
        citation: the citation.
        check: its verification, made before anything was stored.
        key: the key that entered it into the other store's log.
        new: whether the citation was not here before.
        added: names of the files that were not here before.
        left_out: files that lay with the export and do not belong to it.
        note: what else there is to know of the keys, or an empty string.
    """

    citation: Citation
    check: Check
    key: KeyRecord
    new: bool
    added: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Package:
    """An export whose hashes and signatures hold."""

    citation: Citation
    files: Mapping[str, bytes] = field(repr=False)
    checks: Sequence[bytes]
    keys: tuple[KeyRecord, ...]
    entry: CustodyEntry
    note: str


def import_export(path: Path, store: Store, *, key: str = "") -> Imported:
    """Verify an export and take it over into a store.

    Its list of hashes, the signatures of list, entry and capture, the id of the citation and the
    endorsements of the keys must hold, and the evidence must be found again in the capture. An
    export that was imported before changes nothing, apart from checks that were added since.

    Args:
        path: the folder, or a ZIP file of it.
        store: where it goes.
        key: the beginning of the fingerprint (8 letters or more) of a key that has to vouch for the
            export; empty for any.

    Raises:
        IntegrityError: something was changed, or belongs to another citation; nothing was stored.
        NewerFormat, OlderFormat: another version exported it.
        StoreError: there is no export, or the store cannot be written.
    """
    with opened(path) as files, _refusing(path), tempfile.TemporaryDirectory(prefix="verifaible-") as scratch:
        listed = _listed(files)
        package = _examined(listed, Path(scratch), key)
        left_out = files.names() - {*listed, bundle.SUMS, bundle.SUMS_SIGNATURE}
        # The rehearsal goes through the very code that the store itself is verified with.
        rehearsal = Store(Path(scratch) / "rehearsal")
        _put(package, rehearsal)
        check = verify(rehearsal.get(package.citation.id), rehearsal).check
        if check.verdict != "verified":
            raise IntegrityError(check.message)
    new, added = _put(package, store)
    signer = next(record for record in package.keys if record.id == package.entry.key)
    return Imported(package.citation, check, signer, new, added, tuple(sorted(left_out)), package.note)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Whatever is wrong with an export ends in a sentence that says so, and that nothing was stored."""
    said = f"{path.name} was not imported, and nothing was stored"
    try:
        yield
    except (NewerFormat, OlderFormat):
        raise
    except StoreError as error:
        kinds = (kind for kind in (IntegrityError, StoreUnreachable) if isinstance(error, kind))
        raise next(kinds, StoreError)(f"{said}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise IntegrityError(f"{said}: it contains a file that no export has. Ask for a new one.") from error


# --- examining


def _listed(files: ExportFiles) -> dict[str, bytes]:
    """Every file that the list names, with the hash that it says; the list must be signed."""
    try:
        sums = files.read(bundle.SUMS)
    except IntegrityError:
        raise
    except StoreError as error:
        raise StoreError(
            f"it has no {bundle.SUMS}. Name a folder that `verifaible export` wrote, or a .zip file of it."
        ) from error
    found: dict[str, bytes] = {}
    size = 0
    for name, sha256 in bundle.read_sums(sums).items():
        found[name] = files.read(name)
        size += len(found[name])
        if size > limits.MAX_TOTAL_BYTES:
            raise IntegrityError(
                f"it has more than {limits.MAX_TOTAL_BYTES} bytes, which are all that is read."
            )
        if hashlib.sha256(found[name]).hexdigest() != sha256:
            raise IntegrityError(f"{name} was changed after the export: {bundle.SUMS} has another hash.")
    for name in (bundle.DESCRIPTION, bundle.CITATION, bundle.CAPTURE, bundle.ENTRY):
        if name not in found:
            raise StoreError(f"it was exported without {name}. Export it again, with all formats.")
    description = _description(found[bundle.DESCRIPTION])
    public_key = _record(found, description.key).public_key
    if not bundle.sums_hold(sums, files.read(bundle.SUMS_SIGNATURE), public_key):
        raise IntegrityError(f"the signature of {bundle.SUMS} does not hold: the list was changed.")
    return found


def _description(data: bytes) -> ExportDescription:
    annotation.require_format("The export", annotation.format_of(data), bundle.FORMAT)
    return ExportDescription.model_validate_json(data)


def _record(files: Mapping[str, bytes], name: str) -> KeyRecord:
    try:
        return KeyRecord.model_validate_json(files[f"keys/{name}.json"])
    except KeyError as error:
        raise IntegrityError(f"the key {name[:80]} is not in it.") from error


def _examined(files: dict[str, bytes], scratch: Path, wanted: str) -> _Package:
    description = _description(files[bundle.DESCRIPTION])
    citation = annotation.from_bytes(files[bundle.CITATION], description.citation_id)
    _same(files[bundle.CAPTURE], citation.capture.sha256, bundle.CAPTURE)
    pictures = bundle.picture_files(citation)
    for name, sha256 in pictures.items():
        if name not in files:
            raise StoreError(f"it was exported without {name}. Export it again, with all formats.")
        _same(files[name], sha256, name)
    records = tuple(
        KeyRecord.model_validate_json(files[name]) for name in sorted(files) if _KEY.fullmatch(name)
    )
    ring = _ring(records, scratch / "keys-of-the-export")
    entry = CustodyEntry.model_validate_json(files[bundle.ENTRY])
    if entry.to_bytes() != files[bundle.ENTRY]:
        raise IntegrityError(f"{bundle.ENTRY} was changed.")
    _vouched(entry, ring, citation.id, files[bundle.CITATION])
    note = _note(ring, entry, description.key, wanted)
    taken = {
        capture_file(citation.capture.sha256): files[bundle.CAPTURE],
        citation_file(citation.id): files[bundle.CITATION],
    }
    taken |= zip(picture_files(citation), (files[name] for name in pictures), strict=True)
    return _Package(citation, taken, _checks(files, citation.id), records, entry, note)


def _same(data: bytes, sha256: str, name: str) -> None:
    if hashlib.sha256(data).hexdigest() != sha256:
        raise IntegrityError(f"{name} is not the one that the citation names.")


def _ring(records: tuple[KeyRecord, ...], folder: Path) -> KeyRing:
    """The keys as the ring of a store reads them: each with the right id, rotated ones endorsed."""
    files = Root(folder)
    for record in records:
        files.create(record.file, record.to_bytes())
    ring = KeyRing(files)
    for record in records:
        if not _KEY.fullmatch(record.file):
            raise IntegrityError(f"{record.id[:80]!r} is no name of a key.")
        bundle.chain(ring, record.id)
    return ring


def _vouched(entry: CustodyEntry, ring: KeyRing, citation_id: str, data: bytes) -> None:
    """Refuse an entry that was not signed by its key, or that names another citation."""
    if not signature_holds(entry.signed_bytes(), entry.signature, ring.get(entry.key).public_key):
        raise IntegrityError(f"the signature of custody entry {entry.number} does not hold: it was changed.")
    if item("citation", citation_file(citation_id), data) not in entry.items:
        raise IntegrityError(f"custody entry {entry.number} does not name this citation.")


def _note(ring: KeyRing, entry: CustodyEntry, exported_by: str, wanted: str) -> str:
    """What is to be known of the keys; empty if the export's key goes back to the entry's.

    Raises:
        IntegrityError: the two have nothing to do with one another, or neither is the wanted one.
    """
    vouching = bundle.chain(ring, exported_by)
    linked = entry.key in {record.id for record in vouching}
    if wanted and (len(wanted) < _MIN_KEY or not any(_begins(record, wanted) for record in vouching)):
        raise IntegrityError(
            f"no key that begins with {wanted} vouches for it: it was exported by key "
            f"{bundle.fingerprint(vouching[0].public_key)}. Give {_MIN_KEY} letters or more of the "
            "fingerprint of the store that you expect it from."
        )
    if not linked and (vouching[-1].origin != "lost" or not wanted):
        raise IntegrityError(
            f"it was exported by key {exported_by}, which key {entry.key} of its custody entry did not "
            "endorse: somebody else may have signed it anew. If the store it comes from has lost its key, "
            "ask its keeper for the fingerprint of the new one and give that with --key."
        )
    return "" if linked else f"Key {exported_by} exported it, which key {entry.key} did not endorse."


def _begins(record: KeyRecord, wanted: str) -> bool:
    return bundle.fingerprint(record.public_key).startswith(wanted.lower())


def _checks(files: Mapping[str, bytes], citation_id: str) -> list[bytes]:
    """The checks of a citation as lines of its history, oldest first."""
    found: dict[str, bytes] = {}
    for path, data in files.items():
        folder, _, name = path.rpartition("/")
        if folder != bundle.CHECKS:
            continue
        check = Check.model_validate_json(data)
        if check.citation_id != citation_id or name != check_name(check, data):
            raise IntegrityError(f"{path} is a check of another citation, or of another time.")
        found[name] = data
    return [found[name] for name in sorted(found)]


# --- storing


def _put(package: _Package, store: Store) -> tuple[bool, tuple[str, ...]]:
    """Put a package into a store; gives whether the citation is new, and the files that are.

    A citation that is there already gets the checks it lacks, and files of it that were lost.
    """
    citation_id = package.citation.id
    lacking = {name: data for name, data in package.files.items() if _lacks(name, data, store)}
    _ = store.signer  # a log begins before there is anything that it could name
    placed: list[str] = []
    with store.turn(), store.taken_back(placed):
        placed += (name for name in lacking if not store.files.exists(name))
        checks = [line for line in package.checks if store.lacks_check(citation_id, line)]
        new = not store.has(citation_id)
        items = [store.take_over(name, data) for name, data in lacking.items()]
        if new:
            there = set(package.files) - set(lacking)
            items += [store.take_over(name, package.files[name]) for name in sorted(there)]
            items += _foreign_keys(package, store)
        else:
            items = []  # they are named already
        items += [store.take_over_check(citation_id, line) for line in checks]
        if items:
            store.log(items)
    return new, (*lacking, *([f"{CHECKS}/{citation_id}.jsonl"] if checks else []))


def _lacks(name: str, data: bytes, store: Store) -> bool:
    """Whether a store has no such file.

    Raises:
        IntegrityError: it has another one of that name.
    """
    try:
        same = store.files.read(name) == data
    except FileNotFoundError:
        return True
    if not same:
        raise IntegrityError(
            f"{name} is in {store.location} already, with other content. Verify it with `verifaible verify`; "
            "nothing was imported."
        )
    return False


def _foreign_keys(package: _Package, store: Store) -> list[CustodyItem]:
    """Take in the keys that signed; one of the store's own stays what it is."""
    records = [store.keys.add_imported(record.public_key) for record in package.keys]
    return [item("key", each.file, each.to_bytes()) for each in records if each.origin == "imported"]
