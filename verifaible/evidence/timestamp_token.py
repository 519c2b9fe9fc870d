"""Tokens of RFC 3161: the request, the reply, and whether a token holds, without a network.

asn1crypto reads the structures, cryptography verifies. rfc3161-client 1.0.9 would be shorter, but it verifies
nothing without a root, refuses RSA-PSS and signers named by key identifier, and accepts SHA-1, relabelled
content and an exchanged certificate. Nothing here asks whether a certificate was revoked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.x509 import verification
from cryptography.x509.oid import ExtendedKeyUsageOID

from verifaible.errors import UserError, needing

#: What the libraries raise on bytes that are not what they should be.
_UNREADABLE: Final = (
    *(ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError),
    *(x509.InvalidVersion, UnsupportedAlgorithm),
)
#: Digests that a token may be signed over; SHA-1 and MD5 are not evidence any more.
_HASHES: Final = {"sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}


class TimeStampError(UserError):
    """A time stamp could not be had, or proves nothing; the message says why and what to do next."""

    code = "time_stamp"


@dataclass(frozen=True, slots=True)
class Token:
    """What a token that holds says; ``serial`` is hexadecimal, ``signer`` the subject of its certificate."""

    stamped_at: datetime
    serial: str
    nonce: int | None
    signer: str


def _asn1() -> tuple[Any, Any, Any]:
    with needing("timestamps", "A time stamp by RFC 3161"):
        from asn1crypto import cms, core, tsp  # tsp teaches cms the types of time stamps
    return cms, core, tsp


def request(digest: bytes, nonce: int) -> bytes:
    """The DER of a TimeStampReq (RFC 3161, 2.4.1) for a SHA-256; the token has to repeat the nonce."""
    imprint = {"hash_algorithm": {"algorithm": "sha256"}, "hashed_message": digest}
    fields = {"version": "v1", "message_imprint": imprint, "nonce": nonce, "cert_req": True}
    return bytes(_asn1()[2].TimeStampReq(fields).dump())


def token_of(reply: bytes) -> bytes:
    """The DER of the token in a TimeStampResp (RFC 3161, 2.4.2).

    Raises:
        TimeStampError: it is none, or the authority refused; its own words are in the message.
    """
    _, core, tsp = _asn1()
    try:
        answer = core.Sequence.load(reply, strict=True)
        info = tsp.PKIStatusInfo.load(answer[0].dump())
        status, text, failures = (info[name].native for name in ("status", "status_string", "fail_info"))
        token = bytes(answer[1].dump()) if status in {"granted", "granted_with_mods"} else b""
    except _UNREADABLE as error:
        raise TimeStampError("its answer is not a time-stamp reply. Check its address.") from error
    if not token:
        words = " ".join("; ".join([*(text or ()), *sorted(failures or ())]).split())[:200]
        raise TimeStampError(f"it refused the request ({status}{': ' if words else ''}{words}).")
    return token


def read_token(der: bytes, digest: bytes, roots: Sequence[x509.Certificate] = ()) -> Token:
    """Read and verify a TimeStampToken (RFC 3161, 2.4.2; CMS SignedData, RFC 5652) on a SHA-256.

    Its certificate has to be valid, and lead to one of ``roots`` if any, at the stamped time (appendix B).

    Raises:
        ConfigError: the library is missing.
        TimeStampError: the bytes are no token, or it does not hold.
    """
    cms, _, tsp = _asn1()
    try:
        content = cms.ContentInfo.load(der, strict=True)
        if content["content_type"].native != "signed_data":
            raise ValueError("no SignedData")
        return _token(content["content"], tsp.TSTInfo, digest, roots)
    except _UNREADABLE as error:
        # asn1crypto adds where in its structures it was; the first line is what a reader can use.
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        message = f"The bytes are not a time-stamp token that can be checked ({reason}). Ask for a new one."
        raise TimeStampError(message) from error


def _token(signed: Any, tst_info: Any, digest: bytes, roots: Sequence[x509.Certificate]) -> Token:
    inner, signers = signed["encap_content_info"], signed["signer_infos"]
    if inner["content_type"].native != "tst_info":
        raise ValueError("its content is not a TSTInfo")
    if len(signers) != 1:
        raise ValueError("it has not exactly one signer")
    data, signer = bytes(inner["content"]), signers[0]
    attributes = {each["type"].native: each["values"] for each in signer["signed_attrs"]}
    if len(attributes) != len(signer["signed_attrs"]) or any(len(each) != 1 for each in attributes.values()):
        raise ValueError("a signed attribute stands in it twice")
    if attributes["content_type"][0].native != "tst_info":
        raise ValueError("its signature is for another type of content")
    carried = [each.chosen for each in signed["certificates"] if each.name == "certificate"]
    named = next((each for each in carried if _is_signer(each, signer["sid"])), None)
    if named is None:
        raise ValueError("the certificate of its signer is not in it")
    info, certificate = tst_info.load(data, strict=True), x509.load_der_x509_certificate(named.dump())
    at = info["gen_time"].native.astimezone(UTC)
    _check_content(info, digest)
    _check_signature(signer, data, attributes["message_digest"][0].native, certificate.public_key())
    if not _is_own(named, attributes, info["tsa"]):
        raise TimeStampError("The token names another certificate than the one in it. Use an untouched copy.")
    _check_certificate(certificate, at)
    if roots:
        _check_chain(certificate, carried, roots, at)
    name = certificate.subject.rfc4514_string()
    return Token(at, f"{info['serial_number'].native:x}", info["nonce"].native, name)


def _is_signer(certificate: Any, sid: Any) -> bool:
    with suppress(*_UNREADABLE):  # a certificate that is only carried along proves and spoils nothing
        if sid.name == "subject_key_identifier":
            return bool(certificate.key_identifier == sid.native)
        issuer, serial = sid.chosen["issuer"], sid.chosen["serial_number"].native
        return bool(certificate.issuer == issuer and certificate.serial_number == serial)
    return False


def _is_own(certificate: Any, attributes: dict[str, Any], authority: Any) -> bool:
    """Whether the certificate is the one that was signed (RFC 5816; RFC 2634), and of the named authority."""
    newer = attributes.get("signing_certificate_v2")
    signed = newer or attributes.get("signing_certificate")
    if not signed:
        raise ValueError("its signature does not name the signer's certificate")
    first = signed[0]["certs"][0]
    name = first["hash_algorithm"]["algorithm"].native if newer else "sha1"  # the older form knows no other
    der, stated = certificate.dump(), first["cert_hash"].native
    if name not in {"sha1", *_HASHES} or hashlib.new(name, der).digest() != stated:
        return False
    others = list(certificate.subject_alt_name_value or ())
    return authority.native is None or authority.chosen == certificate.subject or authority in others


def _check_content(info: Any, digest: bytes) -> None:
    algorithm, stamped = info["message_imprint"]["hash_algorithm"], info["message_imprint"]["hashed_message"]
    if algorithm["algorithm"].native != "sha256" or stamped.native != digest:
        raise TimeStampError("The token stamps other bytes. Compare its SHA-256 with the file's.")
    if any(each["critical"].native for each in info["extensions"]):
        raise TimeStampError("The token has critical extensions, unknown here. Check it with openssl.")


def _check_signature(signer: Any, data: bytes, data_digest: bytes, key: Any) -> None:
    algorithm, over = signer["signature_algorithm"], signer["digest_algorithm"]["algorithm"].native
    bare = algorithm["algorithm"].native in {"rsassa_pkcs1v15", "ecdsa"}  # does not name the digest
    name = over if bare else algorithm.hash_algo
    if weak := ", ".join(sorted({over, name} - set(_HASHES))):
        raise TimeStampError(f"The token rests on {weak}. Ask another authority for a stamp.")
    if hashlib.new(over, data).digest() != data_digest:
        raise TimeStampError("The token's content was changed after it was signed. Use an untouched copy.")
    own = _HASHES[name]
    arguments: dict[str, Any] = {
        "rsassa_pkcs1v15": (padding.PKCS1v15(), own),
        "rsassa_pss": (padding.PSS(padding.MGF1(own), padding.PSS.AUTO), own),
        "ecdsa": (ec.ECDSA(own),),
        "ed25519": (),
    }
    try:
        signed = signer["signed_attrs"].untag().dump()  # in the token their tag is another (RFC 5652, 5.4)
        key.verify(signer["signature"].native, signed, *arguments[algorithm.signature_algo])
    except (InvalidSignature, *_UNREADABLE) as error:  # a key of another kind takes other arguments
        raise TimeStampError(
            "The token's signature is not that of its certificate. Use an untouched copy."
        ) from error


def _check_certificate(certificate: x509.Certificate, at: datetime) -> None:
    try:
        usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
        stamps = usage.critical and list(usage.value) == [ExtendedKeyUsageOID.TIME_STAMPING]
    except (x509.ExtensionNotFound, x509.DuplicateExtension, ValueError):
        stamps = False
    if not stamps:
        lacks = "not for time stamps alone (RFC 3161, 2.3: extended key usage timeStamping, critical)"
        raise TimeStampError(f"The certificate is {lacks}. Ask another authority for a stamp.")
    first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if not first <= at <= last:
        days = f"from {first} to {last}, not at the stamped time {at}"
        raise TimeStampError(f"The certificate was valid {days}. Ask an authority for a new stamp.")


def _check_chain(
    certificate: x509.Certificate, carried: Sequence[Any], roots: Sequence[x509.Certificate], at: datetime
) -> None:
    others = []
    for each in carried:
        with suppress(*_UNREADABLE):
            others.append(x509.load_der_x509_certificate(each.dump()))
    agnostic, anything = verification.Criticality.AGNOSTIC, verification.ExtensionPolicy.permit_all()
    issuers = (
        anything.require_present(x509.BasicConstraints, agnostic, None)  # the library looks at "ca" itself
        .may_be_present(x509.KeyUsage, agnostic, _may_issue)
        .may_be_present(x509.ExtendedKeyUsage, agnostic, _may_issue)
    )
    policy = verification.PolicyBuilder().store(verification.Store(list(roots))).time(at)
    verifier = policy.extension_policies(ca_policy=issuers, ee_policy=anything).build_client_verifier()
    try:
        verifier.verify(certificate, others)
    except (verification.VerificationError, UnsupportedAlgorithm, ValueError) as error:
        why = f"The certificate does not lead to a given root at the stamped time ({str(error)[:200]})."
        raise TimeStampError(f"{why} Give the root certificate that this authority publishes.") from error


def _may_issue(_: object, __: object, usage: x509.KeyUsage | x509.ExtendedKeyUsage | None) -> None:
    stamps = {ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE}
    if isinstance(usage, x509.KeyUsage) and not usage.key_cert_sign:
        raise ValueError("an issuer may not sign certificates")
    if isinstance(usage, x509.ExtendedKeyUsage) and not stamps & set(usage):
        raise ValueError("an issuer's certificates are not for time stamps")
