"""Verifying a citation without a browser: hashes, signature, and the anchor in the sealed evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from verifaible.anchoring.structure import headers_of
from verifaible.archive.reader import WaczReader
from verifaible.archive.validate import faults as faults_of
from verifaible.errors import ConfigError, IntegrityError, NewerFormat, StoreError, StoreUnreachable
from verifaible.evidence.place import find_sealed, text_similarity
from verifaible.evidence.served import unsent
from verifaible.extract.document import Document
from verifaible.schema.anchor import TableMode
from verifaible.schema.base import Record
from verifaible.schema.check import Check, Verdict
from verifaible.schema.citation import CITATION_FORMAT, Citation
from verifaible.store import annotation
from verifaible.store.audit import LoggedAs
from verifaible.store.keys import KeyRecord
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store

#: A capture that is all wrong is not listed file by file.
_FAULTS_SHOWN = 6


class Verified(Record):
    """A check without a browser, and what a reader could see on the captured page.

    ``visible_text`` is all of it. ``headers`` are the labels among which the citation chose in the cited
    table: its header path joined with blanks, then, each after a tab, the other texts that name a
    row. ``unsent`` are words of the evidence that the site has not sent (see
    :mod:`verifaible.evidence.served`). All are empty unless the evidence was verified.
    """

    check: Check
    visible_text: str = ""
    headers: tuple[str, ...] = ()
    unsent: str = ""


def verify(
    citation: Citation,
    store: Store,
    *,
    hash_only: bool = False,
    logged: LoggedAs | None = None,
    data: bytes | None = None,
) -> Verified:
    """Re-hash a citation and what it rests on, and find its anchor again in the sealed evidence.

    The citation must be the one in the store, named with its capture and its pictures in a signed
    custody entry; the capture's bytes must be those that were sealed, whole, and signed by a key
    of the store; the evidence must stand where the anchor says. A PDF is read again from its own
    bytes.

    Args:
        citation: what to verify.
        store: the store that holds it.
        hash_only: stop behind the hashes of the files and the entry's signature.
        logged: what the custody log says of it, where the caller has read the log; else the entry
            that the index names is read.
        data: the citation's file, where the caller has just read the citation from it.

    Raises:
        StoreUnreachable: the store cannot be read now, which says nothing of the evidence.
    """
    started = monotonic()

    def told(verdict: Verdict, message: str, **found: Any) -> Check:
        return Check(
            citation_id=citation.id,
            at=datetime.now(UTC),
            kind="rehash",
            verdict=verdict,
            message=message,
            duration_s=round(monotonic() - started, 3),
            **found,
        )

    try:
        signed_by = _check_files(citation, store, logged, data)
        with _opened(citation, store) as reader:
            _check_signer(reader, store)
            if hash_only:
                said = f"The bytes are those that were sealed{signed_by}."
                return Verified(check=told("verified", said))
            return _found_again(citation, reader, told, _check_whole(reader, store) or signed_by)
    except StoreUnreachable:
        raise
    except (ConfigError, StoreError, ValueError) as error:  # of a PDF its reader may not be installed
        return Verified(check=told("error", str(error)))
    except RecursionError:
        said = "A file of the capture is nested too deep to be read. Restore it from a copy."
        return Verified(check=told("error", said))


def _check_files(citation: Citation, store: Store, logged: LoggedAs | None, data: bytes | None) -> str:
    """Compare the citation and its pictures with what the custody log says of them.

    Returns:
        What there is to say of the key that signed, to go behind a statement; mostly nothing.

    Raises:
        StoreError: something is missing, changed, or not named by the log.
    """
    if data is None:
        data = store.citation_bytes(citation.id)
        if annotation.from_bytes(data, citation.id) != citation:
            raise IntegrityError(
                f"Citation {citation.id} in the store is not the one that was given. Read it again from "
                "the store."
            )
    if logged is None:
        entry = store.entry_of(citation.id)
        logged = LoggedAs.of(citation.id, entry)
        if logged is None:
            raise IntegrityError(
                f"The index says that custody entry {entry.number} put citation {citation.id} into the "
                "store, but that entry names no such citation: the index is wrong. Make it again: verifaible "
                "store reindex"
            )
    if logged.sha256 != hashlib.sha256(data).hexdigest():
        raise IntegrityError(
            f"Citation {citation.id} is not the one that custody entry {logged.entry} names. Restore it from "
            "a copy of the store."
        )
    store.pictures(citation)
    return _origin(store.keys.root(store.keys.get(logged.key)))


@contextmanager
def _opened(citation: Citation, store: Store) -> Iterator[WaczReader]:
    """The capture; of one that was changed, the error also says what inside is not as it was sealed.

    Raises:
        IntegrityError: the capture is gone, is a link, or has another hash than the citation names.
    """
    with ExitStack() as stack:
        try:
            reader = stack.enter_context(store.open_capture(citation))
        except IntegrityError as error:
            inside = _inside(capture_file(citation.capture.sha256), store)
            if not inside or inside in str(error):
                raise
            raise IntegrityError(f"{error} Inside: {inside}") from error
        yield reader


def _inside(name: str, store: Store) -> str:
    """What a changed capture says of itself; it may be anything, and mostly this names the changed part."""
    try:
        with store.files.local(name) as path, WaczReader(path) as reader:
            faults = faults_of(reader)
            try:
                if not reader.public_key:
                    faults = ["It is not signed.", *faults]
                else:
                    store.keys.of(reader.public_key)
            except StoreUnreachable:
                raise
            except StoreError as error:
                faults = [f"It is not signed by a key of this store: {error}", *faults]
    except FileNotFoundError:
        return ""
    except StoreError as error:
        return str(error)
    if not faults:
        return "it is whole and signed by a key of this store, so it is another capture."
    left = f" (and {len(faults) - _FAULTS_SHOWN} more)" if len(faults) > _FAULTS_SHOWN else ""
    return " ".join(faults[:_FAULTS_SHOWN]) + left


def _check_signer(reader: WaczReader, store: Store) -> None:
    """Refuse a capture that was signed by a key whose record somebody put into the store.

    Raises:
        IntegrityError: the store does not know the key, or has two keys that say they are its first.
    """
    firsts = store.keys.firsts()
    if len(firsts) > 1:
        raise IntegrityError(
            f"The store has several first keys: {', '.join(each.file for each in firsts)}. Only one can be, "
            "so nothing that was signed is certain. Delete what was put in; a copy of the store tells which."
        )
    key = store.keys.of(reader.public_key)
    if store.keys.root(key).origin != "imported":
        store.custody.refuse_foreign(key.id)


def _check_whole(reader: WaczReader, store: Store) -> str:
    """Compare a capture with its own list of contents; gives what there is to say of the key that signed it.

    Raises:
        IntegrityError: it is not whole. NewerFormat: a later version made it.
    """
    key = store.keys.of(reader.public_key)
    if faults := faults_of(reader, key.public_key):
        raise IntegrityError(f"The capture is not whole: {'; '.join(faults)}.")
    found = reader.read_json("evidence/provenance.json").get("format", 1)
    if not isinstance(found, int) or found > CITATION_FORMAT:
        raise NewerFormat(f"The capture {reader.name}", found, CITATION_FORMAT)
    return _origin(store.keys.root(key))


def _origin(key: KeyRecord) -> str:
    if key.origin == "imported":
        return f", as another store's key {key.id} signed them"
    return (
        f", signed by key {key.id}, which the key before it did not endorse" if key.origin == "lost" else ""
    )


def _found_again(
    citation: Citation, reader: WaczReader, told: Callable[..., Check], signed_by: str
) -> Verified:
    sealed = find_sealed(citation, reader)
    found, table = sealed.found, citation.anchor.table
    verified = found.verdict == "verified"
    where = "and the evidence is in them" if verified else f"but the evidence is {found.verdict} in them"
    graded = f" {citation.graded}" if citation.replay == "snapshot" else ""
    check = told(
        found.verdict,
        f"The bytes are those that were sealed{signed_by}, {where}.{graded}",
        found=found.text,
        difference=found.difference,
        text_similarity=text_similarity(citation.anchor.text, found.text),
        overlap=sealed.overlap,
    )
    if not verified:
        return Verified(check=check)
    document = sealed.material.document
    return Verified(
        check=check,
        visible_text=sealed.material.visible_text,
        headers=header_labels(document, found.table, table.mode) if table and found.table >= 0 else (),
        unsent=unsent(citation, reader.exchanges()),
    )


def header_labels(document: Document, table: int, mode: TableMode = "crosshair") -> tuple[str, ...]:
    """The labels among which a citation of a table has chosen, each once.

    A whole row names its row and shows every column, so its columns are no choice. A label is the
    header path joined with blanks (a year that only an earlier row shows included), then, each
    after a tab, the other texts that name the row.
    """
    headers = headers_of(document, table)
    labels = ["\t".join((" ".join(row.labels), *row.keys)) for row in headers.rows]
    if mode != "row":
        labels += [" ".join(column.path) for column in headers.columns]
    return tuple(dict.fromkeys(label for label in labels if label.strip()))
