"""The form of an export: its files, its list of hashes, and all that vouches for them, as openssl reads it.

An export is a folder that proves itself: ``SHA256SUMS`` names every other file, and the key of the
store that exported signs it. The capture and the citation are the store's own bytes; the custody
entry shows that the store vouched for them, and ``keys/`` leads from its key back to the first.
``VERIFY.txt`` says how to check all of it by hand.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from verifaible.archive.reader import WaczReader
from verifaible.archive.signing import SignedData, Signer, verify_signature
from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence.shown import link_of
from verifaible.evidence.timestamp import TimeStamp, stamped_entries
from verifaible.reporting.pages import templates_of
from verifaible.schema.check import Check, State
from verifaible.schema.citation import Citation
from verifaible.store.annotation import CanonicalRecord, canonical
from verifaible.store.entries import CustodyEntry, sha256_of
from verifaible.store.keys import KeyRecord, KeyRing
from verifaible.store.store import Store
from verifaible.version import __version__

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
_NAME = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"
_SUM_LINE = re.compile(rf"([0-9a-f]{{64}})  ({_NAME}(?:/{_NAME})?)")


class ExportDescription(CanonicalRecord):
    """``export.json``: which citation this is, when it was exported, and by which key."""

    format: int = FORMAT
    citation_id: str
    exported_at: datetime
    software: str
    key: str


# --- names


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


def check_file(check: Check) -> tuple[str, bytes]:
    """The name of a check's file in an export, and its bytes, which are a line of its history."""
    data = canonical(check.model_dump(mode="json"))
    return f"{CHECKS}/{check.at:%Y%m%dT%H%M%S.%f}-{sha256_of(data)[:8]}.json", data


# --- hashes and signatures


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """The list of hashes, as ``sha256sum`` writes and checks it."""
    lines = (f"{sha256_of(data)}  {name}\n" for name, data in sorted(files.items()))
    return "".join(lines).encode()


def read_sums(data: bytes) -> dict[str, str]:
    """The SHA-256 of each file that a list names.

    Raises:
        StoreError: a line has another form, names a file twice, or leads out of the folder.
    """
    named: dict[str, str] = {}
    for number, line in enumerate(data.decode("ascii", "replace").removesuffix("\n").split("\n"), 1):
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
    return sha256_of(base64.b64decode(public_key))


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


# --- what vouches for a citation


@dataclass(frozen=True, slots=True)
class Proof:
    """All that vouches for an exported citation.

    Attributes:
        citation: what is exported; ``sha256`` is that of its file.
        check: the check that was made for the export; ``history`` are those before, oldest first.
        seal: the signature of the capture.
        entry: the custody entry that named the citation.
        sealed_by, entered_by, exported_by: the keys of the capture, of the entry, and of the export.
        keys: these and all that endorsed them, each once, by id.
        between: the entries behind the citation's own, up to the first that was stamped: bytes by name.
        stamps: the time stamps on that one, by the names of their files.
        software: the program that exports.
    """

    citation: Citation
    sha256: str
    check: Check
    history: tuple[Check, ...]
    seal: SignedData
    entry: CustodyEntry
    sealed_by: KeyRecord
    entered_by: KeyRecord
    exported_by: KeyRecord
    keys: Mapping[str, KeyRecord]
    between: Mapping[str, bytes]
    stamps: Mapping[str, TimeStamp]
    software: str = f"verifaible {__version__}"

    @property
    def rotated(self) -> tuple[KeyRecord, ...]:
        """The keys that another one endorsed."""
        return tuple(record for record in self.keys.values() if record.origin == "rotated")

    def files(self, package: bytes) -> dict[str, bytes]:
        """The files that prove: records, keys as PEM, each signature in DER with the text that it is over.

        Args:
            package: the capture's list of contents, which its seal is over.
        """
        files = {ENTRY: self.entry.to_bytes(), **self.between}
        files |= {name: stamp.der() for name, stamp in self.stamps.items()}
        files |= dict(map(check_file, self.history))
        files |= {record.file: record.to_bytes() for record in self.keys.values()}
        pems = {"capture-key": self.sealed_by, "custody-key": self.entered_by, "export-key": self.exported_by}
        signed = {
            "capture": (package, self.seal.signature),
            "custody-entry": (self.entry.signed_bytes(), self.entry.signature),
        }
        for record in self.rotated:
            signed[f"key-{record.id}"] = (record.signed_bytes(), record.signature)
            pems[f"key-{record.endorsed_by}"] = self.keys[record.endorsed_by]
        for name, (data, signature) in signed.items():
            files[f"signatures/{name}.txt"] = f"sha256:{sha256_of(data)}".encode()
            files[f"signatures/{name}.sig.der"] = der_signature(signature)
        return files | {f"signatures/{name}.pem": pem_of(key.public_key) for name, key in pems.items()}

    def commands(self, present: Collection[str]) -> str:
        """The checks of an export in order, for a POSIX shell in its folder; after four blanks are commands.

        Args:
            present: the files for readers that the export has; what needs another one is left out.
        """
        return self._rendered("by_hand.txt", has=lambda *names: {*names} <= {*present})

    def instructions(self, present: Collection[str]) -> str:
        """``VERIFY.txt``; the words of the page in it are quoted, and so no commands."""
        return self._rendered(
            "verify.txt",
            by_hand=self.commands(present),
            quoted=[*map(_printable, self.citation.shown.marked.splitlines())],
            link=_printable(link_of(self.citation)),
            graded=_printable(self.citation.graded),
            state=State.of((*self.history, self.check)),
            exported=True,
        )

    def _rendered(self, template: str, **values: Any) -> str:
        stamped = list(self.between)[-1] if self.between else ENTRY if self.stamps else ""
        known = {"fingerprint": fingerprint, "utc": utc, "pictures": list(picture_files(self.citation))}
        found = templates_of("verifaible.evidence").get_template(template)
        return found.render(c=self.citation, p=self, stamped=stamped, **known, **values)


def proof_of(citation: Citation, store: Store, seal: SignedData, check: Check) -> Proof:
    """Gather what vouches for a citation of a store.

    Raises:
        IntegrityError: a key, an entry of the log or a file of stamps is missing or damaged.
    """
    entry = store.entry_of(citation.id)
    sealed_by, entered_by = store.keys.of(seal.public_key), store.keys.get(entry.key)
    exported_by = store.keys.current
    covering = [each for each in stamped_entries(store) if each.entry >= entry.number]
    first = min((each.entry for each in covering), default=0)
    return Proof(
        citation=citation,
        sha256=sha256_of(store.citation_bytes(citation.id)),
        check=check,
        history=store.checks(citation.id),
        seal=seal,
        entry=entry,
        sealed_by=sealed_by,
        entered_by=entered_by,
        exported_by=exported_by,
        keys={
            record.id: record
            for key in (exported_by, entered_by, sealed_by)
            for record in chain(store.keys, key.id)
        },
        between={entry_file(n): store.custody.read(n)[1] for n in range(entry.number + 1, first + 1)},
        stamps={
            f"timestamps/{Path(each.file).stem}-{place}.tst": one
            for each in covering
            if each.entry == first
            for place, one in enumerate(each.stamps, 1)
        },
    )


def seal_of(capture: WaczReader) -> SignedData:
    """The signature of a capture; one of nothing where there is none."""
    signed = capture.read_json("datapackage-digest.json").get("signedData")
    return SignedData.from_json(signed if isinstance(signed, dict) else {})


def utc(moment: datetime) -> str:
    """A moment for people, in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _printable(line: str) -> str:
    return "".join(each if each.isprintable() else " " for each in line)
