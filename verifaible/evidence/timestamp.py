"""RFC 3161 time stamps: an outside party vouches that the custody log had reached an entry by a time.

Asked for only on request, and checked offline. An authority is given nothing but the SHA-256 of the last
entry; since each entry holds the hash of the one before it, one stamp covers all that was there by then.
"""

from __future__ import annotations

import asyncio
import base64
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, Literal
from urllib.parse import urlsplit

from cryptography import x509
from pydantic import ValidationError

from verifaible.errors import ConfigError, IntegrityError, StoreError, ToolError
from verifaible.evidence.timestamp_token import TimeStampError, read_token, request, token_of
from verifaible.net.client import HttpClient
from verifaible.schema.base import Record, Sha256
from verifaible.schema.web import WebRequest
from verifaible.store.annotation import CanonicalRecord
from verifaible.store.entries import RESTORE, item, line_name, sha256_of
from verifaible.store.log import LOG
from verifaible.store.store import Store

FOLDER: Final = "timestamps"
#: Public authorities that ask for no account, at the addresses that their operators (DigiCert, Sectigo)
#: publish. Plain HTTP betrays nothing but a hash; that it was really they who signed is known only with their
#: roots. Two hosts at least are asked, because one can fail, be broken into, or close.
AUTHORITIES: Final = ("http://timestamp.digicert.com", "http://timestamp.sectigo.com")


class TimeStamp(Record):
    """One authority's stamp on one SHA-256.

    ``token`` is the TimeStampToken of RFC 3161, DER in base64; ``stamped_at`` (UTC) and ``serial``
    (hexadecimal) are the authority's; ``status`` is a sentence for people.
    """

    kind: Literal["rfc3161"] = "rfc3161"
    authority: str
    digest: Sha256
    token: str
    stamped_at: datetime
    serial: str
    status: str = ""

    def der(self) -> bytes:
        """The decoded token; a :class:`TimeStampError` says that it is not base64."""
        try:
            return base64.b64decode(self.token, validate=True)
        except ValueError as error:
            raise TimeStampError("The token is not base64. Use an untouched copy of the record.") from error


class StampedEntry(CanonicalRecord):
    """The stamps on one custody entry; ``sha256`` is of the entry's line in the log."""

    entry: int
    sha256: str
    at: datetime
    stamps: tuple[TimeStamp, ...]

    @property
    def file(self) -> str:
        """Its file in the store."""
        return f"{FOLDER}/{self.entry:09}-{self.at:%Y%m%dT%H%M%S}.json"


class StampCheck(Record):
    """What an offline check found: ``statement`` says exactly what is proved, and what is not.

    ``trusted`` leads to a given root; of ``signed`` the signature is valid, whose it is was not checked.
    """

    authority: str
    state: Literal["trusted", "signed", "failed"]
    statement: str
    stamped_at: datetime | None = None
    signer: str = ""


class EntryCheck(Record):
    """What an offline check of the stamps on one entry found; ``fault`` says if it is not that entry."""

    stamped: StampedEntry
    checks: tuple[StampCheck, ...]
    fault: str = ""

    @property
    def ok(self) -> bool:
        """Whether the entry is the stamped one and no stamp has failed."""
        return not self.fault and all(each.state != "failed" for each in self.checks)


class StampingFailed(TimeStampError):
    """Some authorities failed: ``failures`` says why, by address; ``stamps`` are those of the others."""

    code = "stamping_failed"

    def __init__(self, stamps: tuple[TimeStamp, ...], failures: Mapping[str, str]) -> None:
        self.stamps, self.failures = stamps, dict(failures)
        lines = [
            f"{url} gave no usable time stamp: {reason} Ask it again later, or name another authority."
            for url, reason in failures.items()
        ]
        kept = f"What the others gave is kept: {len(stamps)}." if stamps else "No other authority answered."
        super().__init__("\n".join([*lines, kept]))


# --- asking


async def stamp_store(store: Store, authorities: Sequence[str], client: HttpClient) -> StampedEntry:
    """Have the last custody entry stamped, and keep the stamps in the store.

    Raises:
        StoreError: nothing is in the store.
        StampingFailed: an authority failed; what came from the others is kept in the store.
        ConfigError: too few authorities, or the library is missing.
    """
    number = store.custody.count()
    if not number:
        raise StoreError(f"Nothing is in {store.location} yet. Make a citation first: verifaible cite --help")
    sha256 = sha256_of(store.custody.read(number)[1])
    try:
        stamps, failed = await stamp(sha256, authorities, client), None
    except StampingFailed as error:
        stamps, failed = error.stamps, error
    stamped = StampedEntry(entry=number, sha256=sha256, at=datetime.now(UTC), stamps=stamps)
    if stamps:
        data = stamped.to_bytes()
        with store.turn(), store.taken_back([stamped.file]):
            store.files.create(stamped.file, data)
            store.log([item("timestamp", stamped.file, data)])
    if failed:
        raise failed
    return stamped


async def stamp(sha256: str, authorities: Sequence[str], client: HttpClient) -> tuple[TimeStamp, ...]:
    """Ask every authority, at once, for a time stamp on a SHA-256; every answer is checked.

    Raises:
        ConfigError: they are not on two different hosts, or a library is missing; nothing was sent.
        TimeStampError: ``sha256`` is no such digest; nothing was sent.
        StampingFailed: an authority failed; the stamps of the others are in the error.
    """
    digest, hosts = _digest(sha256), {urlsplit(each).netloc for each in authorities}
    if len(hosts) < len(AUTHORITIES):
        raise ConfigError(
            f"Time stamps of {len(AUTHORITIES)} RFC 3161 authorities on different hosts are wanted; those "
            f"named are on {len(hosts)}. Name more."
        )
    answers = await asyncio.gather(*(_asked(each, digest, client) for each in authorities))
    stamps = tuple(each for each in answers if isinstance(each, TimeStamp))
    failures = {url: each for url, each in zip(authorities, answers, strict=True) if isinstance(each, str)}
    if failures:
        raise StampingFailed(stamps, failures)
    return stamps


async def _asked(authority: str, digest: bytes, client: HttpClient) -> TimeStamp | str:
    """The stamp of an authority, or why it gave none."""
    nonce = secrets.randbits(64) | 1  # as long as the RFC suggests, which every authority takes
    headers = (("content-type", "application/timestamp-query"), ("accept", "application/timestamp-reply"))
    query = WebRequest(authority, "POST", headers, request(digest, nonce))
    try:
        answer = (await client.fetch(query)).answer.response
        if answer.status != 200:
            return f"it answered with HTTP status {answer.status}."
        der = token_of(answer.body)
        token = read_token(der, digest)
    except (ToolError, TimeStampError) as error:
        return str(error)
    if token.nonce != nonce:
        return "its answer is to another request (the nonce differs)."
    return TimeStamp(
        authority=authority,
        digest=digest.hex(),
        token=base64.b64encode(der).decode(),
        stamped_at=token.stamped_at,
        serial=token.serial,
        status=f"granted; signed by {token.signer}",
    )


def _digest(sha256: str) -> bytes:
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        given = repr(sha256[:80])
        raise TimeStampError(f"{given} is not a SHA-256 digest. Give 64 lower-case hexadecimal digits.")
    return bytes.fromhex(sha256)


# --- checking


def check_stamps(store: Store, roots: Sequence[x509.Certificate] = ()) -> list[EntryCheck]:
    """Check every stamp of a store, offline, oldest first; without ``roots``, signatures alone.

    Raises:
        IntegrityError: a file of stamps is damaged.
        ConfigError: the library is missing.
    """
    found = []
    for stamped in stamped_entries(store):
        lines, fault = store.lines.read(LOG, stamped.entry - 1, at_most=1), ""
        if not lines:
            fault = f"{line_name(stamped.entry)} which was stamped, is missing. {RESTORE}"
        elif sha256_of(lines[0]) != stamped.sha256:
            fault = f"{line_name(stamped.entry)} is not the entry that was stamped. {RESTORE}"
        checks = tuple(check(each, stamped.sha256, roots) for each in stamped.stamps)
        found.append(EntryCheck(stamped=stamped, checks=checks, fault=fault))
    return found


def stamped_entries(store: Store) -> Iterator[StampedEntry]:
    """The stamps of a store, oldest entry first; an :class:`IntegrityError` names a damaged file."""
    for name in store.files.names(FOLDER):
        try:
            yield StampedEntry.model_validate_json(store.files.read(f"{FOLDER}/{name}"))
        except ValidationError as error:
            raise IntegrityError(
                f"{FOLDER}/{name} is damaged, or holds a stamp that is not of RFC 3161. {RESTORE}"
            ) from error


def check(stamp: TimeStamp, sha256: str, roots: Sequence[x509.Certificate] = ()) -> StampCheck:
    """What a time stamp proves about a SHA-256, computed anew; no network, and faults are in the result.

    Raises:
        ConfigError: a library is missing.
        TimeStampError: ``sha256`` is no SHA-256 digest.
    """
    digest = _digest(sha256)
    try:
        token = read_token(stamp.der(), digest, roots)
        if stamp.digest != sha256:
            raise TimeStampError("The record is a time stamp on other bytes. Find the right one.")
        if (stamp.stamped_at, stamp.serial) != (token.stamped_at, token.serial):
            raise TimeStampError("The record's time or serial number is not the token's. Use another copy.")
    except TimeStampError as error:
        proves = f"This time stamp proves nothing. {error}"
        return StampCheck(authority=stamp.authority, state="failed", statement=proves)
    unknown = "a name that nobody vouches for here, because no root certificate was given"
    whose = "whose certificate leads to a root that was given" if roots else unknown
    return StampCheck(
        authority=stamp.authority,
        state="trusted" if roots else "signed",
        statement=(
            f"A file with this SHA-256 existed at {token.stamped_at:%Y-%m-%d %H:%M:%S} UTC, says the "
            f"signature of {token.signer}, {whose}. It says nothing about who made the file or whether its "
            "content is true. Whether the certificate was revoked was not checked."
        ),
        stamped_at=token.stamped_at,
        signer=token.signer,
    )


def read_roots(pem: bytes) -> tuple[x509.Certificate, ...]:
    """The certificates of a PEM file; a :class:`TimeStampError` says that there is none in it."""
    try:
        return tuple(x509.load_pem_x509_certificates(pem))
    except ValueError as error:
        lacks = "The file holds no PEM certificate. Give the root certificate that the authority publishes."
        raise TimeStampError(lacks) from error
