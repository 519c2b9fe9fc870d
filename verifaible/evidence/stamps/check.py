"""What a time stamp proves: checked without a network, and by hand with openssl."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from cryptography import x509

from verifaible.evidence.stamps import rfc3161
from verifaible.evidence.stamps.records import (
    Fault,
    FaultKind,
    StampCheck,
    TimeStamp,
    TimeStampError,
    digest_bytes,
    token_bytes,
)


def read_roots(pem: bytes) -> tuple[x509.Certificate, ...]:
    """The certificates of a PEM file, for ``check``.

    Raises:
        TimeStampError: there is none in it.
    """
    try:
        return tuple(x509.load_pem_x509_certificates(pem))
    except ValueError as error:
        raise TimeStampError(
            "The file holds no PEM certificate. Give the root certificate that the authority publishes."
        ) from error


def check(stamp: TimeStamp, sha256_hex: str, roots: Sequence[x509.Certificate] | None = None) -> StampCheck:
    """What a time stamp proves about a digest; no network, and faults are in the result, not raised.

    Args:
        stamp: as it was stored.
        sha256_hex: SHA-256 of what should have been stamped, computed anew.
        roots: certificates that are trusted (see :func:`read_roots`). Without them the state is
            ``signed`` at best, never ``trusted``.

    Raises:
        ConfigError: a library is missing.
        TimeStampError: ``sha256_hex`` is no SHA-256 digest.
    """
    digest = digest_bytes(sha256_hex)
    if stamp.digest != sha256_hex:
        return _failed(
            stamp, _fault("digest", "The record is a time stamp on other bytes. Find the right one.")
        )
    try:
        return _checked(stamp, digest, tuple(roots or ()))
    except TimeStampError as error:
        return _failed(stamp, _fault("malformed", str(error)))


def _fault(kind: FaultKind, message: str) -> Fault:
    return Fault(kind=kind, message=message)


def _failed(stamp: TimeStamp, *faults: Fault) -> StampCheck:
    return StampCheck(
        authority=stamp.authority,
        state="failed",
        statement="This time stamp proves nothing. " + " ".join(fault.message for fault in faults),
        faults=faults,
    )


def _checked(stamp: TimeStamp, digest: bytes, roots: tuple[x509.Certificate, ...]) -> StampCheck:
    token = rfc3161.read_token(token_bytes(stamp))
    faults = list(rfc3161.faults(token, digest, roots))
    if stamp.stamped_at != token.gen_time or stamp.serial != f"{token.serial:x}":
        message = (
            "The record's time or serial number is not the token's. Use an untouched copy of the record."
        )
        faults.append(_fault("record", message))
    if faults:
        return _failed(stamp, *faults)
    signer = token.signer.subject.rfc4514_string()
    whose = (
        "whose certificate leads to a root that was given"
        if roots
        else "a name that nobody vouches for here, because no root certificate was given"
    )
    return StampCheck(
        authority=stamp.authority,
        state="trusted" if roots else "signed",
        statement=(
            f"A file with this SHA-256 existed at {token.gen_time:%Y-%m-%d %H:%M:%S} UTC, says the signature "
            f"of {signer}, {whose}. It says nothing about who made the file or whether its content is true. "
            "Whether the certificate was revoked was not checked."
        ),
        stamped_at=token.gen_time,
        signer=signer,
    )


def openssl_commands(stamp: TimeStamp, *, token_file: str, roots_file: str) -> str:
    """Shell lines by which a person checks a time stamp without this code.

    Args:
        stamp: what to check.
        token_file: the name of a file that holds the decoded token.
        roots_file: the name of a PEM file with the authority's root certificate.

    Returns:
        One command a line, comments between them. Every command is openssl's and exits with 0 if all is well.
    """
    token, roots = shlex.quote(token_file), shlex.quote(roots_file)
    # openssl takes today's date otherwise, and the certificate of an authority lives a few years only.
    moment = int(stamp.stamped_at.timestamp())
    return (
        "# What the token says: the digest, the time, the serial number:\n"
        f"openssl ts -reply -token_in -in {token} -text\n"
        "# The certificates in it:\n"
        f"openssl pkcs7 -inform DER -in {token} -print_certs -noout\n"
        "# Digest, signature and certificates, up to the root that you trust, at the stamped time:\n"
        f"openssl ts -verify -digest {stamp.digest} -token_in -in {token} -CAfile {roots} -attime {moment}\n"
    )
