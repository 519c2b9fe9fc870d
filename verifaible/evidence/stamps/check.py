"""What a time stamp proves: checked without a network, and by hand with openssl."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from cryptography import x509

from verifaible.evidence.stamps import opentimestamps, rfc3161
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
        roots: certificates that are trusted for RFC 3161 (see :func:`read_roots`). Without them the
            state is ``signed`` at best, never ``trusted``.

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
        if stamp.kind == "rfc3161":
            return _check_rfc3161(stamp, digest, tuple(roots or ()))
        return _check_calendar(stamp, digest)
    except TimeStampError as error:
        return _failed(stamp, _fault("malformed", str(error)))


def _fault(kind: FaultKind, message: str) -> Fault:
    return Fault(kind=kind, message=message)


def _failed(stamp: TimeStamp, *faults: Fault) -> StampCheck:
    return StampCheck(
        kind=stamp.kind,
        authority=stamp.authority,
        state="failed",
        statement="This time stamp proves nothing. " + " ".join(fault.message for fault in faults),
        faults=faults,
    )


def _check_rfc3161(stamp: TimeStamp, digest: bytes, roots: tuple[x509.Certificate, ...]) -> StampCheck:
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
        kind="rfc3161",
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


def _check_calendar(stamp: TimeStamp, digest: bytes) -> StampCheck:
    stated, tree = opentimestamps.read_detached(token_bytes(stamp))
    if stated != digest:
        message = "The proof stamps other bytes. Compare the SHA-256 of the file with the proof's."
        return _failed(stamp, _fault("digest", message))
    if stamp.stamped_at is not None or stamp.serial:
        message = "The record states a time or a number that the proof does not. Use an untouched copy."
        return _failed(stamp, _fault("record", message))
    if not tree.blocks and not tree.pending:
        message = "The proof has no attestation that is known here. Stamp the digest anew."
        return _failed(stamp, _fault("malformed", message))
    pending = tuple(dict.fromkeys(promise.uri for promise in tree.pending))
    blocks = tuple(sorted(set(tree.blocks), key=lambda block: (block.height, block.merkle_root)))
    return StampCheck(
        kind="opentimestamps",
        authority=stamp.authority,
        state="anchored" if blocks else "pending",
        statement=_calendar_statement(pending, tuple((block.height, block.merkle_root) for block in blocks)),
        pending=pending,
        blocks=blocks,
    )


def _calendar_statement(pending: tuple[str, ...], blocks: tuple[tuple[int, str], ...]) -> str:
    if not blocks:
        return (
            f"Nothing is proved yet: {', '.join(pending)} promised to tie this SHA-256 to a Bitcoin block. "
            "Ask again in some hours: verifaible store stamps --upgrade."
        )
    compare = " or ".join(f"the Merkle root of block {height} is {root}" for height, root in blocks)
    return (
        f"If {compare} in a Bitcoin block chain that you trust, then a file with this SHA-256 existed before "
        "that block was mined; the time in the block's header is exact to about two hours. The comparison "
        "was not made here. It says nothing about who made the file or whether its content is true."
    )


def openssl_commands(stamp: TimeStamp, *, token_file: str, roots_file: str) -> str:
    """Shell lines by which a person checks a time stamp without this code.

    Args:
        stamp: what to check.
        token_file: the name of a file that holds the decoded token.
        roots_file: the name of a PEM file with the authority's root certificate.

    Returns:
        One command a line, comments between them. For RFC 3161 every command is openssl's and exits
        with 0 if all is well; for OpenTimestamps it is the ``ots`` of opentimestamps-client.
    """
    token, roots = shlex.quote(token_file), shlex.quote(roots_file)
    if stamp.kind == "opentimestamps":
        return (
            "# The operations and the block that they lead to:\n"
            f"ots info {token}\n"
            "# The comparison with the block chain of a Bitcoin node on this machine:\n"
            f"ots verify -d {stamp.digest} {token}\n"
        )
    # openssl takes today's date otherwise, and the certificate of an authority lives a few years only.
    moment = f" -attime {int(stamp.stamped_at.timestamp())}" if stamp.stamped_at is not None else ""
    return (
        "# What the token says: the digest, the time, the serial number:\n"
        f"openssl ts -reply -token_in -in {token} -text\n"
        "# The certificates in it:\n"
        f"openssl pkcs7 -inform DER -in {token} -print_certs -noout\n"
        "# Digest, signature and certificates, up to the root that you trust, at the stamped time:\n"
        f"openssl ts -verify -digest {stamp.digest} -token_in -in {token} -CAfile {roots}{moment}\n"
    )
