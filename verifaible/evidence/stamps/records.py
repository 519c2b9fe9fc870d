"""Time stamps by outside parties: their records and errors."""

from __future__ import annotations

import base64
from datetime import datetime
from typing import Literal, TypeAlias

from verifaible.errors import UserError
from verifaible.schema.base import Record, Sha256

#: ``content`` was changed after it was signed; ``certificate`` may not stamp, or is not the one named;
#: ``validity``: not valid at the stamped time; ``chain``: no path to a given root; ``record``: says otherwise
#: than its token.
FaultKind: TypeAlias = Literal[
    "malformed", "digest", "content", "signature", "algorithm", "certificate", "validity", "chain", "record"
]


class Authority(Record):
    """An outside party that stamps digests (RFC 3161)."""

    name: str
    url: str


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


class Fault(Record):
    """Why a time stamp proves nothing; ``message`` says what to do next."""

    kind: FaultKind
    message: str


class StampCheck(Record):
    """What an offline check found: ``statement`` says exactly what is proved, and what is not.

    ``trusted`` leads to a given root; of ``signed`` the signature is valid, whose it is was not checked.
    """

    authority: str
    state: Literal["trusted", "signed", "failed"]
    statement: str
    stamped_at: datetime | None = None
    signer: str = ""
    faults: tuple[Fault, ...] = ()


class Failure(Record):
    """An authority that gave no usable time stamp, and why."""

    authority: Authority
    reason: str


class TimeStampError(UserError):
    """A time stamp could not be had, or cannot be read."""

    code = "time_stamp"


class StampingFailed(TimeStampError):
    """Some authorities failed (``failures``); the others' time stamps are in ``stamps``."""

    code = "stamping_failed"

    def __init__(self, stamps: tuple[TimeStamp, ...], failures: tuple[Failure, ...]) -> None:
        self.stamps, self.failures = stamps, failures
        lines = [
            f"{each.authority.name} ({each.authority.url}) gave no usable time stamp: {each.reason} "
            "Ask it again later, or name another authority."
            for each in failures
        ]
        few = {0: "No other authority answered.", 1: "The one other time stamp is kept."}
        super().__init__("\n".join([*lines, few.get(len(stamps), f"The {len(stamps)} others are kept.")]))
