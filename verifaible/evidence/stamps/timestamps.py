"""Get time stamps on a digest from outside parties, only when asked for; ``stamp_check`` checks them.

RFC 3161 authorities sign the digest and a time; OpenTimestamps calendars tie it to a Bitcoin block.
Neither is given more than a hash.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

from cryptography import x509

from verifaible.errors import ConfigError, ToolError
from verifaible.evidence.stamps import opentimestamps, rfc3161
from verifaible.evidence.stamps.records import (
    Authority,
    AuthorityFailed,
    StampingFailed,
    TimeStamp,
    TimeStampError,
    digest_bytes,
    token_bytes,
)
from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest

#: Public authorities that ask for no account, at the addresses that their operators publish. Plain HTTP
#: betrays nothing but a hash; that it was really they who signed is known only with their roots.
DIGICERT = Authority(name="DigiCert", url="http://timestamp.digicert.com")
SECTIGO = Authority(name="Sectigo", url="http://timestamp.sectigo.com")
RFC3161_AUTHORITIES = (DIGICERT, SECTIGO)
OPENTIMESTAMPS_CALENDARS = (
    Authority(name="OpenTimestamps A", url="https://a.pool.opentimestamps.org", kind="opentimestamps"),
    Authority(name="OpenTimestamps B", url="https://b.pool.opentimestamps.org", kind="opentimestamps"),
)
#: One authority can fail, be broken into, or close: two of different operators stand for each other.
WANTED_RFC3161 = 2

_RFC3161_NONCE_BITS = 64  # what the RFC suggests, and so what every authority takes
_CALENDAR_NONCE_BYTES = 16
_CALENDAR_TYPE = "application/vnd.opentimestamps.v1"


async def stamp(
    sha256_hex: str,
    authorities: Sequence[Authority],
    client: HttpClient,
    *,
    wanted: int = WANTED_RFC3161,
    roots: Sequence[x509.Certificate] = (),
) -> tuple[TimeStamp, ...]:
    """Ask every authority, at once, for a time stamp on a digest; every answer is checked.

    Args:
        sha256_hex: SHA-256 of what is stamped, 64 lower-case hexadecimal digits.
        authorities: whom to ask, such as ``RFC3161_AUTHORITIES``.
        client: what sends the requests; its guard decides which addresses may be asked.
        wanted: how many RFC 3161 authorities on different hosts there must be, if there is one.
        roots: certificates to one of which every RFC 3161 authority has to lead; none: not checked.

    Returns:
        One time stamp for each authority, in their order.

    Raises:
        ConfigError: too few authorities, or a library is missing; nothing was sent.
        TimeStampError: ``sha256_hex`` is no such digest; nothing was sent.
        StampingFailed: an authority failed; the stamps of the others are in the error.
    """
    digest = digest_bytes(sha256_hex)
    hosts = {urlsplit(authority.url).netloc for authority in authorities if authority.kind == "rfc3161"}
    if not authorities:
        raise ConfigError("No time-stamp authority was named. Name at least one.")
    if 0 < len(hosts) < wanted:
        raise ConfigError(
            f"Time stamps of {wanted} RFC 3161 authorities on different hosts are wanted, {len(hosts)} was "
            "named. Name more, or ask for fewer."
        )
    answers = await asyncio.gather(*(_ask(authority, digest, client, roots) for authority in authorities))
    stamps = tuple(answer for answer in answers if isinstance(answer, TimeStamp))
    failures = tuple(answer for answer in answers if isinstance(answer, AuthorityFailed))
    if failures:
        raise StampingFailed(stamps, failures)
    return stamps


async def _ask(
    authority: Authority, digest: bytes, client: HttpClient, roots: Sequence[x509.Certificate]
) -> TimeStamp | AuthorityFailed:
    try:
        if authority.kind == "rfc3161":
            return await _ask_rfc3161(authority, digest, client, roots)
        return await _ask_calendar(authority, digest, client)
    except (ToolError, TimeStampError) as error:
        return AuthorityFailed(authority, str(error))


async def _ask_rfc3161(
    authority: Authority, digest: bytes, client: HttpClient, roots: Sequence[x509.Certificate]
) -> TimeStamp:
    nonce = secrets.randbits(_RFC3161_NONCE_BITS) | 1
    headers = (("content-type", "application/timestamp-query"), ("accept", "application/timestamp-reply"))
    body = rfc3161.request(digest, nonce)
    der = rfc3161.token_of(await _answer(client, WebRequest(authority.url, "POST", headers, body)))
    token = rfc3161.read_token(der)
    if token.nonce != nonce:
        raise TimeStampError("its answer is to another request (the nonce differs).")
    faults = rfc3161.faults(token, digest, roots)
    if faults:
        raise TimeStampError(" ".join(fault.message for fault in faults))
    return TimeStamp(
        kind="rfc3161",
        authority=authority.url,
        digest=digest.hex(),
        token=base64.b64encode(der).decode(),
        stamped_at=token.gen_time,
        serial=f"{token.serial:x}",
        status=f"granted; signed by {token.signer.subject.rfc4514_string()}",
    )


async def _ask_calendar(authority: Authority, digest: bytes, client: HttpClient) -> TimeStamp:
    nonce = secrets.token_bytes(_CALENDAR_NONCE_BYTES)
    body = opentimestamps.commitment(digest, nonce)
    headers = (("accept", _CALENDAR_TYPE), ("content-type", "application/octet-stream"))
    url = authority.url.rstrip("/") + "/digest"
    answer = await _answer(client, WebRequest(url, "POST", headers, body))
    proof = opentimestamps.detached(digest, nonce, answer)
    _, tree = opentimestamps.read_detached(proof)
    if not tree.pending and not tree.blocks:
        raise TimeStampError("its answer neither attests anything nor promises to.")
    return _calendar_stamp(authority.url, digest, proof, tree)


def _calendar_stamp(url: str, digest: bytes, proof: bytes, tree: opentimestamps.Proof) -> TimeStamp:
    blocks = ", ".join(str(height) for height in sorted({block.height for block in tree.blocks}))
    promised = ", ".join(dict.fromkeys(promise.uri for promise in tree.pending))
    status = f"in Bitcoin block {blocks}" if blocks else f"pending at {promised}"
    return TimeStamp(
        kind="opentimestamps",
        authority=url,
        digest=digest.hex(),
        token=base64.b64encode(proof).decode(),
        status=status,
    )


async def _answer(client: HttpClient, request: WebRequest) -> bytes:
    response = (await client.fetch(request)).answer.response
    if response.status != 200:
        raise TimeStampError(f"it answered with HTTP status {response.status}.")
    return response.body


async def upgrade(stamp: TimeStamp, client: HttpClient) -> TimeStamp:
    """Ask the calendars of a pending OpenTimestamps proof for the path to a Bitcoin block.

    A calendar has it some hours after it was asked. Returns the stamp as it is where nothing is
    pending or no calendar has it yet.

    Raises:
        TimeStampError: the stamp is no OpenTimestamps proof.
        StampingFailed: a calendar failed, and no other one had the path; ``stamps`` holds the stamp.
    """
    digest, proof = bytes.fromhex(stamp.digest), token_bytes(stamp)
    stated, tree = opentimestamps.read_detached(proof)
    if stated != digest:
        raise TimeStampError("The proof is about another digest than its record. Use an untouched copy.")
    if tree.blocks:
        return stamp
    failures: list[AuthorityFailed] = []
    for promise in tree.pending:
        calendar = Authority(name="The calendar", url=promise.uri, kind="opentimestamps")
        url = f"{promise.uri.rstrip('/')}/timestamp/{promise.commitment.hex()}"
        try:
            response = (
                await client.fetch(WebRequest(url, headers=(("accept", _CALENDAR_TYPE),)))
            ).answer.response
            if response.status == 404:  # what a calendar answers until the block is there
                continue
            if response.status != 200:
                raise TimeStampError(f"it answered with HTTP status {response.status}.")
            longer = opentimestamps.completed(proof, promise, response.body)
            _, grown = opentimestamps.read_detached(longer)
        except (ToolError, TimeStampError) as error:
            failures.append(AuthorityFailed(calendar, str(error)))
            continue
        if grown.blocks:
            return _calendar_stamp(stamp.authority, digest, longer, grown)
    if failures:
        raise StampingFailed((stamp,), tuple(failures))
    return stamp
