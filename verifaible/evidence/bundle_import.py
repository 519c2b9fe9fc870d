"""Importing an export into another store: verified first, whole, or not at all.

An export comes from anywhere: a folder, or a ZIP file of one. Nothing is unpacked to the disk, and only
files that its own list names are read: no name in it can lead anywhere else, no link is followed, and
nothing unfolds beyond the limits. What is taken over keeps its own signatures; the keys that made them come
in as another store's, and every later check names them.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from verifaible.archive import limits
from verifaible.archive.reader import WaczReader
from verifaible.errors import IntegrityError, NewerFormat, OlderFormat, StoreError, StoreUnreachable
from verifaible.evidence import bundle
from verifaible.evidence.bundle import ExportDescription
from verifaible.evidence.verify import verify
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.entries import CHECKS, CustodyEntry, CustodyItem, item, sha256_of
from verifaible.store.keys import KeyRecord, KeyRing, key_id, signature_holds
from verifaible.store.root import Root
from verifaible.store.sealed import capture_file, citation_file, picture_files
from verifaible.store.store import Store

_KEY = re.compile(r"keys/([0-9a-f]{16})\.json")
#: Shortest beginning of a fingerprint that names a key.
_MIN_KEY = 8
#: Most files of an export, and most bytes of its list: one of a citation checked each hour for two years.
_MOST_FILES = 20_000
_MOST_LIST_BYTES = 4_000_000
#: The flag of a file of a ZIP that is encrypted.
_ENCRYPTED = 1
_Record = TypeVar("_Record", bound=annotation.CanonicalRecord)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    Attributes:
        citation: the citation.
        check: its verification, made before anything was stored.
        key: the key that entered it into the other store's log.
        new: whether the citation was not here before.
        added: names of the files that were not here before.
        left_out: what lay with the export and does not belong to it.
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
class _Files:
    """The files of an export, unread; ``beside`` says what else is there, a sentence each."""

    names: frozenset[str]
    read: Callable[[str], bytes]
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Package:
    """An export whose hashes and signatures hold: what of it is taken over."""

    citation: Citation
    files: Mapping[str, bytes] = field(repr=False)
    checks: Sequence[bytes]
    keys: tuple[KeyRecord, ...]
    signer: KeyRecord
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
    with _refusing(path), ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="verifaible-")))
        files = _in_folder(path) if path.is_dir() else _in_zip(path, stack)
        if len(files.names) > _MOST_FILES:
            raise IntegrityError(f"it has {len(files.names)} files; no export has more than {_MOST_FILES}.")
        listed = _listed(files)
        package = _examined(listed, scratch, key)
        # The rehearsal goes through the very code that the store itself is verified with.
        rehearsal = Store(scratch / "rehearsal")
        _put(package, rehearsal)
        verified = verify(rehearsal.get(package.citation.id), rehearsal)
        if verified.check.verdict != "verified":
            raise IntegrityError(verified.check.message)
        if verified.unsent:
            raise IntegrityError(
                f"nothing that its site sent holds {_shown(verified.unsent)}: a script of the citation may "
                "have written it."
            )
    new, added = _put(package, store)
    strange = sorted(files.names - {*listed, bundle.SUMS, bundle.SUMS_SIGNATURE})
    left_out = (*map(_shown, strange), *files.beside)
    return Imported(package.citation, verified.check, package.signer, new, added, left_out, package.note)


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


def _shown(name: str, most: int = 100) -> str:
    """A name for people, or a sentence that has one: a stranger chose it."""
    return name if name.isprintable() and len(name) <= most else repr(name[:most])


# --- opening


def _in_folder(folder: Path) -> _Files:
    """Every file that is no link, two levels deep."""
    root = Root(folder)
    names: list[str] = []
    for entry in os.scandir(folder):
        inside = entry.is_dir(follow_symlinks=False)
        names += (f"{entry.name}/{each.name}" for each in os.scandir(entry.path)) if inside else [entry.name]

    def read(name: str) -> bytes:
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            raise _missing(name)
        try:
            with root.open(name) as file:
                size = os.fstat(file.fileno()).st_size
                # One that is too large is not read; it may have grown since.
                data = b"" if size > limits.MAX_FILE_BYTES else file.read(limits.MAX_FILE_BYTES + 1)
        except FileNotFoundError as error:
            raise _missing(name) from error
        except IntegrityError as error:
            raise IntegrityError(f"{name} is a link, or no file. Ask for an export of files.") from error
        except (StoreError, OSError) as error:
            raise StoreError(f"{name} cannot be read. Check its permissions.") from error
        _refuse_large(name, max(size, len(data)))
        return data

    return _Files(frozenset(names), read)


def _in_zip(path: Path, stack: ExitStack) -> _Files:
    """Every file in the one folder of a ZIP file, or in the ZIP file itself."""
    try:
        file = stack.enter_context(path.open("rb"))
        archive = stack.enter_context(zipfile.ZipFile(file))
    except FileNotFoundError as error:
        raise StoreError(f"{path} does not exist. Name the folder or the .zip file of an export.") from error
    except OSError as error:
        raise StoreError(f"{path} cannot be read ({error.strerror}). Check its permissions.") from error
    except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError, struct.error) as error:
        raise StoreError(
            f"{path.name} is not a ZIP file, or is incomplete ({error}). Name the folder or the .zip file "
            "of an export."
        ) from error
    members, size = archive.infolist(), os.fstat(file.fileno()).st_size
    limits.refuse_unsafe(path.name, members, size)
    found = {each.filename: each for each in members}
    if len(found) < len(members):
        twice = next(each.filename for each in members if found[each.filename] is not each)
        raise IntegrityError(f"{_shown(twice)} is in {path.name} more than once. Ask for a new export.")
    ends = (each.removesuffix(bundle.DESCRIPTION) for each in found if each.endswith(bundle.DESCRIPTION))
    roots = [each for each in ends if not each or (each[-1] == "/" and each.count("/") == 1)]
    if len(roots) != 1:
        raise StoreError(
            f"{path.name} holds {len(roots) or 'no'} exports. Give a .zip file of one folder written by "
            "`verifaible export`."
        )

    def read(name: str) -> bytes:
        info = found.get(roots[0] + name)
        if info is None:
            raise _missing(name)
        _refuse_large(name, info.file_size)
        if info.flag_bits & _ENCRYPTED or stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            raise IntegrityError(f"{name} is encrypted, or no file. Ask for a new one.")
        try:
            data = archive.read(info)
            if len(data) != info.file_size:
                raise EOFError(f"it has {len(data)} bytes, not {info.file_size}")
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, struct.error) as error:
            raise IntegrityError(f"{name} in the ZIP file is damaged ({error}).") from error
        return data

    inside = (each.removeprefix(roots[0]) for each in found if each[-1:] != "/" or found[each].file_size)
    stray = limits.stray_bytes(archive, size, lambda start, length: os.pread(file.fileno(), length, start))
    return _Files(frozenset(inside), read, tuple(_shown(each, 300) for each in stray))


def _missing(name: str) -> StoreError:
    return StoreError(f"{name} is missing. Only an export with all of its files can be imported.")


def _refuse_large(name: str, size: int, most: int = limits.MAX_FILE_BYTES) -> None:
    if size > most:
        raise IntegrityError(f"{name} has {size} bytes; at most {most} are read.")


# --- examining


def _listed(files: _Files) -> dict[str, bytes]:
    """Every file that the list names, with the hash that it says; the list must be signed."""
    if bundle.SUMS not in files.names:
        raise StoreError(
            f"it has no {bundle.SUMS}. Name a folder that `verifaible export` wrote, or a .zip file of it."
        )
    sums = files.read(bundle.SUMS)
    _refuse_large(bundle.SUMS, len(sums), _MOST_LIST_BYTES)
    found: dict[str, bytes] = {}
    size = 0
    for name, sha256 in bundle.read_sums(sums).items():
        found[name] = files.read(name)
        size += len(found[name])
        _refuse_large("it", size, limits.MAX_TOTAL_BYTES)
        if sha256_of(found[name]) != sha256:
            raise IntegrityError(f"{name} was changed after the export: {bundle.SUMS} has another hash.")
    _require(found, bundle.DESCRIPTION, bundle.CITATION, bundle.CAPTURE, bundle.ENTRY)
    exporter = _description(found).key
    if f"keys/{exporter}.json" not in found:
        raise IntegrityError(f"the key {exporter[:80]!r} is not in it.")
    public_key = KeyRecord.model_validate_json(found[f"keys/{exporter}.json"]).public_key
    if not bundle.sums_hold(sums, files.read(bundle.SUMS_SIGNATURE), public_key):
        raise IntegrityError(f"the signature of {bundle.SUMS} does not hold: the list was changed.")
    return found


def _require(files: Mapping[str, bytes], *names: str) -> None:
    for name in names:
        if name not in files:
            raise StoreError(f"it was exported without {name}. Export it again, with all formats.")


def _description(files: Mapping[str, bytes]) -> ExportDescription:
    data = files[bundle.DESCRIPTION]
    annotation.require_format("The export", annotation.format_of(data), bundle.FORMAT)
    return _record(ExportDescription, files, bundle.DESCRIPTION)


def _record(kind: type[_Record], files: Mapping[str, bytes], name: str) -> _Record:
    """A record whose file has the one form that such files have."""
    record = kind.model_validate_json(files[name])
    if record.to_bytes() != files[name]:
        raise IntegrityError(f"{name} was changed.")
    return record


def _examined(files: dict[str, bytes], scratch: Path, wanted: str) -> _Package:
    exporter, citation_id = _description(files).key, _description(files).citation_id
    citation = annotation.from_bytes(files[bundle.CITATION], citation_id)
    pictures = bundle.picture_files(citation)
    _require(files, *pictures)
    for name, sha256 in {bundle.CAPTURE: citation.capture.sha256, **pictures}.items():
        if sha256_of(files[name]) != sha256:
            raise IntegrityError(f"{name} is not the one that the citation names.")
    entry = _record(CustodyEntry, files, bundle.ENTRY)
    ring, keys = _keys(files, scratch / "keys-of-the-export")
    signer = ring.get(entry.key)
    if not signature_holds(entry.signed_bytes(), entry.signature, signer.public_key):
        raise IntegrityError(f"the signature of custody entry {entry.number} does not hold: it was changed.")
    if item("citation", citation_file(citation.id), files[bundle.CITATION]) not in entry.items:
        raise IntegrityError(f"custody entry {entry.number} does not name this citation.")
    _refuse_broken_log(files, entry)
    note = _note(ring, entry, exporter, wanted)
    with WaczReader(files[bundle.CAPTURE], name=bundle.CAPTURE) as capture:
        signing = (exporter, entry.key, key_id(bundle.seal_of(capture).public_key))
    needed = {record.id for name in signing for record in bundle.chain(ring, name)}
    for record in keys:
        if record.id not in needed:  # it would be taken in as another store's
            raise IntegrityError(f"{record.file} has signed nothing in it. Ask for a new export.")
    taken = {
        capture_file(citation.capture.sha256): files[bundle.CAPTURE],
        citation_file(citation.id): files[bundle.CITATION],
        **dict(zip(picture_files(citation), (files[name] for name in pictures), strict=True)),
    }
    return _Package(citation, taken, _checks(files, citation.id), keys, signer, note)


def _keys(files: Mapping[str, bytes], folder: Path) -> tuple[KeyRing, tuple[KeyRecord, ...]]:
    """The keys as the ring of a store reads them: each with the right id, rotated ones endorsed."""
    root = Root(folder)
    ring = KeyRing(root)
    names = {name: match[1] for name in sorted(files) if (match := _KEY.fullmatch(name))}
    for name in names:
        root.create(name, files[name])
    return ring, tuple(bundle.chain(ring, each)[0] for each in names.values())


def _refuse_broken_log(files: Mapping[str, bytes], entry: CustodyEntry) -> None:
    """Refuse entries behind the citation's own, up to a stamped one, that do not follow one another."""
    data, number = files[bundle.ENTRY], entry.number
    for name in sorted(each for each in files if each.startswith("custody/")):
        number += 1
        later = CustodyEntry.model_validate_json(files[name])
        if name != bundle.entry_file(number) or (later.number, later.previous) != (number, sha256_of(data)):
            raise IntegrityError(f"{name} does not follow on the entry before it: the log was changed.")
        data = files[name]


def _note(ring: KeyRing, entry: CustodyEntry, exported_by: str, wanted: str) -> str:
    """What is to be known of the keys; empty if the export's key goes back to the entry's.

    Raises:
        IntegrityError: the two have nothing to do with one another, or neither is the wanted one.
    """
    vouching = bundle.chain(ring, exported_by)
    prints = [bundle.fingerprint(record.public_key) for record in vouching]
    if wanted and (len(wanted) < _MIN_KEY or not any(each.startswith(wanted.lower()) for each in prints)):
        raise IntegrityError(
            f"no key that begins with {wanted} vouches for it: it was exported by key {prints[0]}. Give "
            f"{_MIN_KEY} letters or more of the fingerprint of the store that you expect it from."
        )
    if entry.key in {record.id for record in vouching}:
        return ""
    if vouching[-1].origin != "lost" or not wanted:
        raise IntegrityError(
            f"it was exported by key {exported_by}, which key {entry.key} of its custody entry did not "
            "endorse: somebody else may have signed it anew. If the store it comes from has lost its key, "
            "ask its keeper for the fingerprint of the new one and give that with --key."
        )
    return f"Key {exported_by} exported it, which key {entry.key} did not endorse."


def _checks(files: Mapping[str, bytes], citation_id: str) -> list[bytes]:
    """The checks of a citation as lines of its history, oldest first."""
    names = sorted(name for name in files if name.startswith(f"{bundle.CHECKS}/"))
    for name in names:
        check = Check.model_validate_json(files[name])
        if check.citation_id != citation_id or (name, files[name]) != bundle.check_file(check):
            raise IntegrityError(f"{name} is a check of another citation, or of another time.")
    return [files[name] for name in names]


# --- storing


def _put(package: _Package, store: Store) -> tuple[bool, tuple[str, ...]]:
    """Put a package into a store; gives whether the citation is new, and the files that are.

    A citation that is there already gets the checks it lacks, and files of it that were lost.
    """
    citation_id = package.citation.id
    lacking = [name for name in package.files if not store.files.exists(name)]
    for name in package.files.keys() - {*lacking}:
        if store.files.read(name) != package.files[name]:
            raise IntegrityError(
                f"{name} is in {store.location} already, with other content. Verify it with `verifaible "
                "verify`; nothing was imported."
            )
    _ = store.signer  # a log begins before there is anything that it could name
    placed: list[str] = []
    with store.turn(), store.taken_back(placed):
        placed += (name for name in lacking if not store.files.exists(name))
        checks = [line for line in package.checks if store.lacks_check(citation_id, line)]
        new = not store.has(citation_id)
        items = [store.take_over(name, data) for name, data in package.files.items()]
        items = [*items, *_foreign_keys(package, store)] if new else []  # the others are named already
        items += [store.take_over_check(citation_id, line) for line in checks]
        if items:
            store.log(items)
    return new, (*lacking, *([f"{CHECKS}/{citation_id}.jsonl"] if checks else []))


def _foreign_keys(package: _Package, store: Store) -> list[CustodyItem]:
    """Take in the keys that signed; one of the store's own stays what it is."""
    records = [store.keys.add_imported(record.public_key) for record in package.keys]
    return [item("key", each.file, each.to_bytes()) for each in records if each.origin == "imported"]
