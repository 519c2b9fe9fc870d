"""Get RFC 3161 time stamps on a digest, only when asked for, and check them offline.

An authority signs the digest and a time, and is given nothing but that hash.
"""

from __future__ import annotations

import asyncio
import base64
import re
import secrets
import shlex
from collections.abc import Sequence
from urllib.parse import urlsplit

from cryptography import x509

from verifaible.errors import ConfigError, ToolError
from verifaible.evidence.stamps.records import (
    Authority,
    Failure,
    Fault,
    StampCheck,
    StampingFailed,
    TimeStamp,
    TimeStampError,
)
from verifaible.evidence.stamps.tokens import read_token, request, token_of
from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest

#: Public authorities that ask for no account, at the addresses that their operators publish. Plain HTTP
#: betrays nothing but a hash; that it was really they who signed is known only with their roots.
AUTHORITIES = (
    Authority(name="DigiCert", url="http://timestamp.digicert.com"),
    Authority(name="Sectigo", url="http://timestamp.sectigo.com"),
)


async def stamp(
    sha256_hex: str,
    authorities: Sequence[Authority],
    client: HttpClient,
    *,
    wanted: int = 2,
    roots: Sequence[x509.Certificate] = (),
) -> tuple[TimeStamp, ...]:
    """Ask every authority, at once, for a time stamp on a SHA-256; every answer is checked.

    The authorities have to be on ``wanted`` different hosts, because one can fail, be broken into, or close.
    They have to lead to one of ``roots``, if there are any. The stamps are in the order of the authorities.

    Raises:
        ConfigError: too few authorities, or a library is missing; nothing was sent.
        TimeStampError: ``sha256_hex`` is no such digest; nothing was sent.
        StampingFailed: an authority failed; the stamps of the others are in the error.
    """
    digest, hosts = _digest(sha256_hex), {urlsplit(authority.url).netloc for authority in authorities}
    if not authorities:
        raise ConfigError("No time-stamp authority was named. Name at least one.")
    if len(hosts) < wanted:
        raise ConfigError(
            f"Time stamps of {wanted} RFC 3161 authorities on different hosts are wanted, {len(hosts)} was "
            "named. Name more, or ask for fewer."
        )
    answers = await asyncio.gather(*(_ask(authority, digest, client, roots) for authority in authorities))
    stamps = tuple(answer for answer in answers if isinstance(answer, TimeStamp))
    if failures := tuple(answer for answer in answers if isinstance(answer, Failure)):
        raise StampingFailed(stamps, failures)
    return stamps


def _digest(sha256_hex: str) -> bytes:
    if not re.fullmatch(r"[0-9a-f]{64}", sha256_hex):
        given = repr(sha256_hex[:80])
        raise TimeStampError(f"{given} is not a SHA-256 digest. Give 64 lower-case hexadecimal digits.")
    return bytes.fromhex(sha256_hex)


async def _ask(
    authority: Authority, digest: bytes, client: HttpClient, roots: Sequence[x509.Certificate]
) -> TimeStamp | Failure:
    nonce = secrets.randbits(64) | 1  # as long as the RFC suggests, which every authority takes
    headers = (("content-type", "application/timestamp-query"), ("accept", "application/timestamp-reply"))
    asked = WebRequest(authority.url, "POST", headers, request(digest, nonce))
    try:
        answer = (await client.fetch(asked)).answer.response
        if answer.status != 200:
            raise TimeStampError(f"it answered with HTTP status {answer.status}.")
        der = token_of(answer.body)
        token = read_token(der, digest, roots)
        if token.nonce != nonce:
            raise TimeStampError("its answer is to another request (the nonce differs).")
        if token.faults:
            raise TimeStampError(" ".join(fault.message for fault in token.faults))
    except (ToolError, TimeStampError) as error:
        return Failure(authority=authority, reason=str(error))
    return TimeStamp(
        authority=authority.url,
        digest=digest.hex(),
        token=base64.b64encode(der).decode(),
        stamped_at=token.stamped_at,
        serial=token.serial,
        status=f"granted; signed by {token.signer}",
    )


def read_roots(pem: bytes) -> tuple[x509.Certificate, ...]:
    """The certificates of a PEM file; a :class:`TimeStampError` says that there is none in it."""
    try:
        return tuple(x509.load_pem_x509_certificates(pem))
    except ValueError as error:
        lacks = "The file holds no PEM certificate. Give the root certificate that the authority publishes."
        raise TimeStampError(lacks) from error


def check(stamp: TimeStamp, sha256_hex: str, roots: Sequence[x509.Certificate] = ()) -> StampCheck:
    """What a time stamp proves about a SHA-256, computed anew; no network, and faults are in the result.

    Without ``roots``, certificates that are trusted, the state is ``signed`` at best, never ``trusted``.

    Raises:
        ConfigError: a library is missing.
        TimeStampError: ``sha256_hex`` is no SHA-256 digest.
    """
    digest = _digest(sha256_hex)
    try:
        token = read_token(stamp.der(), digest, roots)
    except TimeStampError as error:
        return _failed(stamp, Fault(kind="malformed", message=str(error)))
    if stamp.digest != sha256_hex:
        other = "The record is a time stamp on other bytes. Find the right one."
        return _failed(stamp, Fault(kind="digest", message=other))
    faults = token.faults
    if (stamp.stamped_at, stamp.serial) != (token.stamped_at, token.serial):
        differs = "The record's time or serial number is not the token's. Use an untouched copy."
        faults = (*faults, Fault(kind="record", message=differs))
    if faults:
        return _failed(stamp, *faults)
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


def _failed(stamp: TimeStamp, *faults: Fault) -> StampCheck:
    said = " ".join(["This time stamp proves nothing.", *(fault.message for fault in faults)])
    return StampCheck(authority=stamp.authority, state="failed", statement=said, faults=faults)


def openssl_commands(stamp: TimeStamp, *, token_file: str, roots_file: str) -> str:
    """Shell lines that check a time stamp without this code; each command fails if it does not hold.

    ``token_file`` holds the decoded token, ``roots_file`` the authority's root certificate (PEM).
    """
    token, roots = shlex.quote(token_file), shlex.quote(roots_file)
    # openssl takes today's date otherwise, and the certificate of an authority lives a few years only.
    moment = int(stamp.stamped_at.timestamp())
    return f"""\
# What the token says: the digest, the time, the serial number:
openssl ts -reply -token_in -in {token} -text
# The certificates in it:
openssl pkcs7 -inform DER -in {token} -print_certs -noout
# Digest, signature and certificates, up to the root that you trust, at the stamped time:
openssl ts -verify -digest {stamp.digest} -token_in -in {token} -CAfile {roots} -attime {moment}
"""
