"""The checks behind ``WaczReader.verify``."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from verifaible.archive import wacz
from verifaible.archive.cdxj import IndexEntry
from verifaible.archive.package import ArchivedPage, Resource, WaczMetadata
from verifaible.archive.signing import SignedData, verify_signature
from verifaible.archive.warc import WarcRecord
from verifaible.errors import StoreError

_ALGORITHMS = frozenset({"sha256", "sha512", "sha1", "md5"})  # what packages are met with
_INDEXED = frozenset({"response", "resource", "revisit"})


class Readable(Protocol):
    """An archive as the checks read it; ``WaczReader`` is one."""

    @property
    def metadata(self) -> WaczMetadata:
        """The package's description."""

    def names(self) -> tuple[str, ...]:
        """Every file."""

    def warc_names(self) -> tuple[str, ...]:
        """The WARC files, without their folder."""

    def digest(self, path: str, algorithm: str) -> tuple[str, int]:
        """The hash of one file, and its size."""

    def stray_bytes(self) -> Iterator[str]:
        """What is in the ZIP file besides its files."""

    def read_json(self, path: str) -> dict[str, object]:
        """One file that holds a JSON object."""

    def pages(self) -> Iterator[ArchivedPage]:
        """The listed pages."""

    def entries(self) -> tuple[IndexEntry, ...]:
        """The index."""

    def records(self, filename: str) -> Iterator[WarcRecord]:
        """The records of one WARC file."""


def faults(reader: Readable, public_key: str) -> list[str]:
    """Every fault of an archive; see ``WaczReader.verify``."""
    found = list(_package(reader))
    found += reader.stray_bytes()
    found += _digest(reader, public_key)
    found += _resources(reader)
    found += _listing(reader, wacz.PAGES)
    found += _records(reader)
    return list(dict.fromkeys(found))


def _package(reader: Readable) -> Iterator[str]:
    try:
        metadata = reader.metadata
    except StoreError as error:
        yield str(error)
        return
    if metadata.wacz_version != wacz.WACZ_VERSION:
        yield f"{wacz.PACKAGE}: wacz_version is {metadata.wacz_version!r}, not {wacz.WACZ_VERSION!r}."
    if metadata.profile != wacz.PROFILE:
        yield f"{wacz.PACKAGE}: profile is {metadata.profile!r}, not {wacz.PROFILE!r}."
    if not metadata.resources:
        yield f"{wacz.PACKAGE} lists no files."


def _digest(reader: Readable, public_key: str) -> Iterator[str]:
    try:
        digest = reader.read_json(wacz.DIGEST)
        actual, _ = reader.digest(wacz.PACKAGE, "sha256")
    except StoreError as error:
        yield str(error)
        return
    if digest.get("path") != wacz.PACKAGE:
        yield f"{wacz.DIGEST} speaks of {digest.get('path')!r}, not of {wacz.PACKAGE}."
    if digest.get("hash") != actual:
        yield f"{wacz.PACKAGE} has the hash {actual}, but {wacz.DIGEST} says {digest.get('hash')}."
    signed = digest.get("signedData")
    if signed is None:
        if public_key:
            yield "The archive is not signed."
        return
    if not isinstance(signed, dict):
        yield "signedData is not a JSON object."
        return
    yield from _signature(reader, SignedData.from_json(signed), actual, public_key)


def _signature(reader: Readable, data: SignedData, actual: str, public_key: str) -> Iterator[str]:
    if data.hash != actual:
        yield f"The signature is over {data.hash}, not over this {wacz.PACKAGE}."
    if not verify_signature(data):
        yield "The signature does not verify."
    if public_key and data.public_key != public_key:
        yield "The archive is signed by another key than the one asked for."
    try:
        created = reader.metadata.created
    except StoreError:
        return
    if data.created != created:
        yield f"The signature says that the archive was created {data.created}, the package {created}."


def _resources(reader: Readable) -> Iterator[str]:
    names = Counter(reader.names())
    for name, count in names.items():
        if count > 1:
            yield f"{name} is in the file {count} times."
    try:
        resources = reader.metadata.resources
    except StoreError:
        return
    listed = Counter(resource.path for resource in resources)
    for path, count in listed.items():
        if count > 1:
            yield f"{path} is listed {count} times in {wacz.PACKAGE}."
    for name in names:
        if name not in listed and name not in {wacz.PACKAGE, wacz.DIGEST} and not name.endswith("/"):
            yield f"{name} is in the file but not listed in {wacz.PACKAGE}."
    for resource in resources:
        if resource.path in names:
            yield from _resource(reader, resource)
        else:
            yield f"{resource.path} is listed in {wacz.PACKAGE} but missing."


def _resource(reader: Readable, resource: Resource) -> Iterator[str]:
    algorithm = resource.hash.partition(":")[0]
    if algorithm not in _ALGORITHMS:
        yield f"{resource.path}: the hash {resource.hash!r} is of an unknown kind."
        return
    try:
        actual, size = reader.digest(resource.path, algorithm)
    except StoreError as error:
        yield str(error)
        return
    if actual != resource.hash:
        yield f"{resource.path} has the hash {actual}, but {wacz.PACKAGE} says {resource.hash}."
    if resource.size_bytes not in {-1, size}:
        yield f"{resource.path} has {size} bytes, but {wacz.PACKAGE} says {resource.size_bytes}."


def _listing(reader: Readable, path: str) -> Iterator[str]:
    if path not in reader.names():
        yield f"{path} is missing."
        return
    try:
        for _ in reader.pages():
            pass
    except StoreError as error:
        yield str(error)


def _records(reader: Readable) -> Iterator[str]:
    names = reader.warc_names()
    if not names:
        yield "There is no WARC file under archive/."
    try:
        entries = {(entry.filename, entry.offset): entry for entry in reader.entries()}
    except StoreError as error:
        yield str(error)
        entries = {}
    for name in names:
        try:
            for record in reader.records(name):
                if record.kind in _INDEXED and not record.get("Content-Type").startswith(
                    "application/warc-fields"
                ):
                    yield from _against(entries.pop((name, record.offset), None), name, record)
        except (StoreError, struct.error) as error:
            yield f"archive/{name}: {error}"
            # What follows a broken record cannot be told from what is missing.
            entries = {place: entry for place, entry in entries.items() if place[0] != name}
    for (name, offset), entry in entries.items():
        yield f"The index has {entry.url} at byte {offset} of {name}, but no such record starts there."


def _against(entry: IndexEntry | None, name: str, record: WarcRecord) -> Iterator[str]:
    where = f"the record of {record.url} at byte {record.offset} of {name}"
    if entry is None:
        yield f"The index lacks {where}."
        return
    if entry.url != record.url:
        yield f"The index has {entry.url} for {where}."
    # In a WARC that is not compressed, tools differ on whether the closing blank lines count.
    slack = {0} if name.endswith(".gz") else {0, 4}
    if entry.length - record.length not in slack:
        yield f"The index has the length {entry.length} for {where}, which has {record.length}."
    code = record.first_line.split(" ")[1] if " " in record.first_line else ""
    if record.kind == "response" and code.isdigit() and entry.status != int(code):
        yield f"The index has the status {entry.status} for {where}, which has {code}."
    digest = record.get("WARC-Payload-Digest")
    if digest and entry.digest and entry.digest != digest:
        yield f"The index has another payload digest for {where}."
    try:
        moment = record.recorded_at.strftime("%Y%m%d%H%M%S")
    except ValueError:
        yield f"There is no valid date on {where}."
        return
    if entry.timestamp[:14] != moment[: len(entry.timestamp)]:
        yield f"The index has the time {entry.timestamp} for {where}, which has {moment}."
