"""What is wrong with an archive."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator

from verifaible.archive import wacz
from verifaible.archive.cdxj import IndexEntry, timestamp14
from verifaible.archive.reader import Resource, WaczReader
from verifaible.archive.signing import SignedData, verify_signature
from verifaible.archive.warc import WarcRecord
from verifaible.errors import StoreError

_ALGORITHMS = frozenset({"sha256", "sha512", "sha1", "md5"})  # what packages are met with
_INDEXED = frozenset({"response", "resource", "revisit"})


def faults(reader: WaczReader, public_key: str = "") -> list[str]:
    """Every fault that can be found in the file, one sentence each; empty if there is none.

    Checks the hash and size of each listed file, files that are missing, not listed or there
    twice, bytes outside of all files, the package's digest and signature, that every record
    can be read and fits its own digests, and that index and records say the same. That the
    bytes are unchanged since they were packed does not say that the server was right; and an
    archive whose package, digest and hashes were all made anew is found out only by
    ``public_key``, the base64 key that has to have signed it.
    """
    parts = (
        _package(reader),
        reader.stray_bytes(),
        _digest(reader, public_key),
        _resources(reader),
        _pages(reader),
        _records(reader),
    )
    return list(dict.fromkeys(fault for part in parts for fault in _told(part)))


def _told(part: Iterator[str]) -> Iterator[str]:
    """The faults of one part, with the one that ends its reading."""
    try:
        yield from part
    except StoreError as error:
        yield str(error)


def _package(reader: WaczReader) -> Iterator[str]:
    metadata = reader.metadata
    if metadata.wacz_version != wacz.WACZ_VERSION:
        yield f"{wacz.PACKAGE}: wacz_version is {metadata.wacz_version!r}, not {wacz.WACZ_VERSION!r}."
    if metadata.profile != wacz.PROFILE:
        yield f"{wacz.PACKAGE}: profile is {metadata.profile!r}, not {wacz.PROFILE!r}."
    if not metadata.resources:
        yield f"{wacz.PACKAGE} lists no files."


def _digest(reader: WaczReader, public_key: str) -> Iterator[str]:
    digest = reader.read_json(wacz.DIGEST)
    actual, _ = reader.digest(wacz.PACKAGE)
    if digest.get("path") != wacz.PACKAGE:
        yield f"{wacz.DIGEST} speaks of {digest.get('path')!r}, not of {wacz.PACKAGE}."
    if digest.get("hash") != actual:
        yield f"{wacz.PACKAGE} has the hash {actual}, but {wacz.DIGEST} says {digest.get('hash')}."
    signed = digest.get("signedData")
    if isinstance(signed, dict):
        yield from _signature(reader, SignedData.from_json(signed), actual, public_key)
    elif signed is not None:
        yield "signedData is not a JSON object."
    elif public_key:
        yield "The archive is not signed."


def _signature(reader: WaczReader, data: SignedData, actual: str, public_key: str) -> Iterator[str]:
    if data.hash != actual:
        yield f"The signature is over {data.hash}, not over this {wacz.PACKAGE}."
    if not verify_signature(data):
        yield "The signature does not verify."
    if public_key and data.public_key != public_key:
        yield "The archive is signed by another key than the one asked for."
    created = reader.metadata.created
    if data.created != created:
        yield f"The signature says that the archive was created {data.created}, the package {created}."


def _resources(reader: WaczReader) -> Iterator[str]:
    names, resources = Counter(reader.names()), reader.metadata.resources
    listed = Counter(resource.path for resource in resources)
    for counts, where in ((names, "in the file"), (listed, f"listed in {wacz.PACKAGE}")):
        for name, count in counts.items():
            if count > 1:
                yield f"{name} is {where} {count} times."
    for name in names.keys() - listed.keys() - {wacz.PACKAGE, wacz.DIGEST}:
        if not name.endswith("/"):
            yield f"{name} is in the file but not listed in {wacz.PACKAGE}."
    for resource in resources:
        if resource.path in names:
            yield from _told(_resource(reader, resource))
        else:
            yield f"{resource.path} is listed in {wacz.PACKAGE} but missing."


def _resource(reader: WaczReader, resource: Resource) -> Iterator[str]:
    algorithm = resource.hash.partition(":")[0]
    if algorithm not in _ALGORITHMS:
        yield f"{resource.path}: the hash {resource.hash!r} is of an unknown kind."
        return
    actual, size = reader.digest(resource.path, algorithm)
    if actual != resource.hash:
        yield f"{resource.path} has the hash {actual}, but {wacz.PACKAGE} says {resource.hash}."
    if resource.size_bytes not in {-1, size}:
        yield f"{resource.path} has {size} bytes, but {wacz.PACKAGE} says {resource.size_bytes}."


def _pages(reader: WaczReader) -> Iterator[str]:
    if wacz.PAGES not in reader.names():
        yield f"{wacz.PAGES} is missing."
        return
    for _ in reader.pages():
        pass


def _records(reader: WaczReader) -> Iterator[str]:
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
                is_info = record.get("Content-Type").startswith("application/warc-fields")
                if record.kind in _INDEXED and not is_info:
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
    try:
        moment = timestamp14(record.recorded_at)[: len(entry.timestamp)]
    except ValueError:
        yield f"There is no valid date on {where}."
        return
    # In a WARC that is not compressed, tools differ on whether the closing blank lines count.
    slack = {0} if name.endswith(".gz") else {0, 4}
    has_status = record.kind == "response" and record.first_line
    digest = record.get("WARC-Payload-Digest")
    said: tuple[tuple[str, object, object], ...] = (
        ("URL", entry.url, record.url),
        ("length", entry.length, entry.length if entry.length - record.length in slack else record.length),
        ("status", entry.status, record.response.status if has_status else entry.status),
        ("payload digest", entry.digest, digest if digest and entry.digest else entry.digest),
        ("time", entry.timestamp[:14], moment),
    )
    for what, indexed, there in said:
        if indexed != there:
            yield f"The index has the {what} {indexed} for {where}, which has {there}."
