"""Get RFC 3161 time stamps on a digest, only when asked for; ``check`` checks them.

An authority signs the digest and a time, and is given nothing but that hash.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

from cryptography import x509

from verifaible.errors import ConfigError, ToolError
from verifaible.evidence.stamps import rfc3161
from verifaible.evidence.stamps.records import (
    Authority,
    AuthorityFailed,
    StampingFailed,
    TimeStamp,
    TimeStampError,
    digest_bytes,
)
from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest

#: Public authorities that ask for no account, at the addresses that their operators publish. Plain HTTP
#: betrays nothing but a hash; that it was really they who signed is known only with their roots.
DIGICERT = Authority(name="DigiCert", url="http://timestamp.digicert.com")
SECTIGO = Authority(name="Sectigo", url="http://timestamp.sectigo.com")
AUTHORITIES = (DIGICERT, SECTIGO)
#: One authority can fail, be broken into, or close: two of different operators stand for each other.
WANTED = 2

_NONCE_BITS = 64  # what the RFC suggests, and so what every authority takes


async def stamp(
    sha256_hex: str,
    authorities: Sequence[Authority],
    client: HttpClient,
    *,
    wanted: int = WANTED,
    roots: Sequence[x509.Certificate] = (),
) -> tuple[TimeStamp, ...]:
    """Ask every authority, at once, for a time stamp on a digest; every answer is checked.

    Args:
        sha256_hex: SHA-256 of what is stamped, 64 lower-case hexadecimal digits.
        authorities: whom to ask, such as ``AUTHORITIES``.
        client: what sends the requests; its guard decides which addresses may be asked.
        wanted: how many authorities on different hosts there must be.
        roots: certificates to one of which every authority has to lead; none: not checked.

    Returns:
        One time stamp for each authority, in their order.

    Raises:
        ConfigError: too few authorities, or a library is missing; nothing was sent.
        TimeStampError: ``sha256_hex`` is no such digest; nothing was sent.
        StampingFailed: an authority failed; the stamps of the others are in the error.
    """
    digest = digest_bytes(sha256_hex)
    hosts = {urlsplit(authority.url).netloc for authority in authorities}
    if not authorities:
        raise ConfigError("No time-stamp authority was named. Name at least one.")
    if len(hosts) < wanted:
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
        return await _stamped(authority, digest, client, roots)
    except (ToolError, TimeStampError) as error:
        return AuthorityFailed(authority, str(error))


async def _stamped(
    authority: Authority, digest: bytes, client: HttpClient, roots: Sequence[x509.Certificate]
) -> TimeStamp:
    nonce = secrets.randbits(_NONCE_BITS) | 1
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
        authority=authority.url,
        digest=digest.hex(),
        token=base64.b64encode(der).decode(),
        stamped_at=token.gen_time,
        serial=f"{token.serial:x}",
        status=f"granted; signed by {token.signer.subject.rfc4514_string()}",
    )


async def _answer(client: HttpClient, request: WebRequest) -> bytes:
    response = (await client.fetch(request)).answer.response
    if response.status != 200:
        raise TimeStampError(f"it answered with HTTP status {response.status}.")
    return response.body
