"""The form of an export: the names of its files, its list of hashes, and signatures as openssl reads them.

An export is a folder that proves itself: ``SHA256SUMS`` names every other file, and the key of the
store that exported signs it. The capture and the citation are the store's own bytes; the custody
entry shows that the store vouched for them, and ``keys/`` leads from its key back to the first.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from datetime import datetime

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from verifaible.archive.signing import SignedData, Signer, verify_signature
from verifaible.errors import IntegrityError, StoreError
from verifaible.schema.citation import Citation
from verifaible.store.annotation import CanonicalRecord
from verifaible.store.keys import KeyRecord, KeyRing

#: The form of exports that this version writes.
FORMAT = 2

DESCRIPTION = "export.json"
CAPTURE = "capture.wacz"
CITATION = "citation.jsonld"
CSL = "citation.csl.json"
#: The picture with the marks in it, for who asks for it.
HIGHLIGHT = "highlight.png"
ENTRY = "custody-entry.json"
PAGE = "evidence.html"
REPORT = "report.pdf"
INSTRUCTIONS = "VERIFY.txt"
SUMS = "SHA256SUMS"
SUMS_SIGNATURE = "signatures/SHA256SUMS.sig.der"
CHECKS = "checks"

_PART = 48  # bytes of r and of s on P-384
_SUM_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)?)")


class ExportDescription(CanonicalRecord):
    """``export.json``: which citation this is, when it was exported, and by which key."""

    format: int = FORMAT
    citation_id: str
    exported_at: datetime
    software: str
    key: str


def entry_file(number: int) -> str:
    """The name in an export of a custody entry behind the citation's own."""
    return f"custody/{number:09}.json"


def folder_name(citation_id: str) -> str:
    """The name of an export's folder."""
    return f"verifaible-{citation_id}"


def picture_files(citation: Citation) -> dict[str, str]:
    """The files of a citation's picture in an export, with the SHA-256 that the citation names."""
    return {
        f"picture{f'-{number}' if number > 1 else ''}.webp": tile.sha256
        for number, tile in enumerate(citation.picture.tiles, 1)
    }


def chain(keys: KeyRing, name: str) -> tuple[KeyRecord, ...]:
    """A key and those that endorsed it, newest first, to one that nobody endorsed.

    Raises:
        IntegrityError: a key is missing, was changed, or endorses itself in a circle.
    """
    records: list[KeyRecord] = []
    while True:
        record = keys.get(name)
        records.append(record)
        if record.origin != "rotated":
            return tuple(records)
        name = record.endorsed_by
        if any(each.id == name for each in records):
            raise IntegrityError(f"The key {name} endorses itself in a circle. Ask for a new export.")


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """The list of hashes, as ``sha256sum`` writes and checks it."""
    lines = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    return "".join(lines).encode()


def read_sums(data: bytes) -> dict[str, str]:
    """The SHA-256 of each file that a list names.

    Raises:
        StoreError: a line has another form, names a file twice, or leads out of the folder.
    """
    named: dict[str, str] = {}
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        match = _SUM_LINE.fullmatch(line)
        if match is None or match[2] in named:
            raise StoreError(
                f"Line {number} of {SUMS} is not one that an export has. Ask for a new export; nothing was "
                "imported."
            )
        named[match[2]] = match[1]
    return named


def sign_sums(signer: Signer, sums: bytes) -> bytes:
    """The signature of the list itself, in DER."""
    return der_signature(signer.sign(sums.decode("ascii"), created="", software="").signature)


def sums_hold(sums: bytes, signature: bytes, public_key: str) -> bool:
    """Whether a DER signature over the list was made by that key."""
    try:
        r, s = decode_dss_signature(signature)
        raw = base64.b64encode(r.to_bytes(_PART, "big") + s.to_bytes(_PART, "big")).decode()
        return verify_signature(SignedData(sums.decode("ascii"), "", "", raw, public_key))
    except (ValueError, OverflowError):
        return False


def der_signature(raw: str) -> bytes:
    """A signature of ours (base64 of r||s) in DER, the only form openssl takes."""
    data = base64.b64decode(raw)
    return encode_dss_signature(int.from_bytes(data[:_PART], "big"), int.from_bytes(data[_PART:], "big"))


def pem_of(public_key: str) -> bytes:
    """A public key (base64 of SubjectPublicKeyInfo) as PEM."""
    key = serialization.load_der_public_key(base64.b64decode(public_key))
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def fingerprint(public_key: str) -> str:
    """The SHA-256 of a key's SubjectPublicKeyInfo, in hexadecimal; the key's id is its beginning."""
    return hashlib.sha256(base64.b64decode(public_key)).hexdigest()
