"""What a time stamp by an outside party is made of, and what can go wrong with one."""

from __future__ import annotations

import base64
import re
from datetime import datetime
from typing import Literal, TypeAlias

from verifaible.errors import UserError
from verifaible.schema.base import Record, Sha256

#: ``record`` the record and its token disagree; ``malformed`` no token of that kind; ``digest``
#: it stamps other bytes; ``content`` the signed digest is not that of the token's content;
#: ``signature``; ``algorithm`` one that is too weak or not known; ``certificate`` not one that may
#: stamp, or not the one that is named; ``validity`` not valid at the stamped time; ``chain`` no
#: path to a given root.
FaultKind: TypeAlias = Literal[
    "record",
    "malformed",
    "digest",
    "content",
    "signature",
    "algorithm",
    "certificate",
    "validity",
    "chain",
]

#: ``trusted`` signed, and leads to a given root; ``signed`` the signature is valid, whose it is was
#: not checked; ``failed`` proves nothing.
StampState: TypeAlias = Literal["trusted", "signed", "failed"]


class Authority(Record):
    """An outside party that stamps digests (RFC 3161)."""

    name: str
    url: str


class TimeStamp(Record):
    """One outside party's stamp on one digest.

    ``digest`` is the SHA-256 of what was stamped; ``token`` the DER of the TimeStampToken of RFC 3161 in
    base64; ``stamped_at`` the time that the authority states (UTC); ``serial`` the token's serial number in
    hexadecimal; ``status`` a sentence for people.
    """

    kind: Literal["rfc3161"] = "rfc3161"
    authority: str
    digest: Sha256
    token: str
    stamped_at: datetime
    serial: str
    status: str = ""


class Fault(Record):
    """Why a time stamp proves nothing; ``message`` says what to do next."""

    kind: FaultKind
    message: str


class StampCheck(Record):
    """What an offline check of a time stamp found.

    ``stamped_at`` is the time read from a valid token; ``signer`` the subject of the certificate
    that signed; ``statement`` says exactly what is proved, and what is not.
    """

    authority: str
    state: StampState
    statement: str
    stamped_at: datetime | None = None
    signer: str = ""
    faults: tuple[Fault, ...] = ()


class TimeStampError(UserError):
    """A time stamp could not be had, or cannot be read."""

    code = "time_stamp"


class AuthorityFailed(TimeStampError):
    """One authority gave no usable time stamp.

    Attributes:
        authority: which one.
        reason: what went wrong there.
    """

    code = "authority_failed"

    def __init__(self, authority: Authority, reason: str) -> None:
        self.authority = authority
        self.reason = reason
        super().__init__(
            f"{authority.name} ({authority.url}) gave no usable time stamp: {reason} "
            "Ask it again later, or name another authority."
        )


class StampingFailed(TimeStampError):
    """Not every authority gave a time stamp; what came from the others is here.

    Attributes:
        stamps: the time stamps that are good, in the order of the authorities.
        failures: one error for each authority that failed, in the same order.
    """

    code = "stamping_failed"

    def __init__(self, stamps: tuple[TimeStamp, ...], failures: tuple[AuthorityFailed, ...]) -> None:
        self.stamps = stamps
        self.failures = failures
        kept = {0: "No other authority answered.", 1: "The one other time stamp is kept."}.get(
            len(stamps), f"The {len(stamps)} other time stamps are kept."
        )
        super().__init__("\n".join([*(str(failure) for failure in failures), kept]))


def digest_bytes(sha256_hex: str) -> bytes:
    """The 32 bytes of a digest.

    Raises:
        TimeStampError: it is not 64 lower-case hexadecimal digits.
    """
    if not re.fullmatch(r"[0-9a-f]{64}", sha256_hex):
        raise TimeStampError(
            f"{sha256_hex[:80]!r} is not a SHA-256 digest. Give 64 lower-case hexadecimal digits."
        )
    return bytes.fromhex(sha256_hex)


def token_bytes(stamp: TimeStamp) -> bytes:
    """The decoded token.

    Raises:
        TimeStampError: it is not base64.
    """
    try:
        return base64.b64decode(stamp.token, validate=True)
    except ValueError as error:
        raise TimeStampError("The token is not base64. Use an untouched copy of the record.") from error
