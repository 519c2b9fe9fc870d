"""RFC 3161 time stamps: the request, the reply, what a token says, and whether it holds, without a network.

asn1crypto reads the structures: it takes the BER that authorities really send, such as sets of
certificates out of order, which stricter readers refuse. cryptography does the arithmetic and builds the
chain. Nothing here asks whether a certificate was revoked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from types import ModuleType
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.x509 import verification
from cryptography.x509.oid import ExtendedKeyUsageOID

from verifaible.errors import ConfigError
from verifaible.evidence.stamps.records import Fault, FaultKind, TimeStampError

#: What a library raises on bytes that are not what they should be.
_UNREADABLE = (
    *(ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError),
    *(x509.InvalidVersion, UnsupportedAlgorithm),
)
_TST_INFO = "1.2.840.113549.1.9.16.1.4"  # id-ct-TSTInfo
#: Digests that a token may be signed over; SHA-1 and MD5 are not evidence any more.
_HASHES: dict[str, hashes.HashAlgorithm] = {
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}


@dataclass(frozen=True, slots=True)
class Token:
    """What a TimeStampToken says, read but not verified.

    ``info`` is the DER of the TSTInfo, ``attributes`` the DER that was signed (RFC 5652, 5.4),
    ``info_digest`` the digest of ``info`` that stands in it, ``certificate_id`` the hash of the
    signer's certificate that stands in it (RFC 5035), with the algorithm of each.
    """

    imprint: bytes
    imprint_algorithm: str
    gen_time: datetime
    serial: int
    nonce: int | None
    names_signer: bool
    critical_extensions: tuple[str, ...]
    info: bytes
    info_digest: bytes
    attributes: bytes
    certificate_id: tuple[str, bytes]
    digest_algorithm: str
    signature_algorithm: tuple[str, str]
    signature: bytes
    signer: x509.Certificate
    others: tuple[x509.Certificate, ...]


def _asn1(name: str) -> ModuleType:
    try:
        return import_module(f"asn1crypto.{name}")
    except ModuleNotFoundError as error:
        raise ConfigError(
            "RFC 3161 time stamps need a library that is not installed. Install it with "
            "`pip install 'verifaible[timestamps]'`."
        ) from error


def request(digest: bytes, nonce: int) -> bytes:
    """The DER of a TimeStampReq (RFC 3161, 2.4.1) that asks for the authority's certificate too.

    Args:
        digest: SHA-256, 32 bytes.
        nonce: a fresh positive number, which the token has to repeat.
    """
    built = _asn1("tsp").TimeStampReq(
        {
            "version": "v1",
            "message_imprint": {"hash_algorithm": {"algorithm": "sha256"}, "hashed_message": digest},
            "nonce": nonce,
            "cert_req": True,
        }
    )
    return bytes(built.dump())


def token_of(reply: bytes) -> bytes:
    """The DER of the token in a TimeStampResp (RFC 3161, 2.4.2).

    Raises:
        TimeStampError: it is none, or the authority refused; its own words are in the message.
    """
    core, tsp = _asn1("core"), _asn1("tsp")
    try:
        answer = core.Sequence.load(reply, strict=True)
        info = tsp.PKIStatusInfo.load(answer[0].dump())
        status, text, failures = (info[name].native for name in ("status", "status_string", "fail_info"))
        token = answer[1].dump() if len(answer) > 1 else b""
    except _UNREADABLE as error:
        raise TimeStampError(
            f"what it answered ({len(reply)} bytes) is not a time-stamp reply. Check its address."
        ) from error
    if status not in {"granted", "granted_with_mods"} or not token:
        words = " ".join("; ".join([*(text or ()), *sorted(failures or ())]).split())[:200]
        raise TimeStampError(f"it refused the request ({status}{': ' if words else ''}{words}).")
    return bytes(token)


def read_token(der: bytes) -> Token:
    """Read a TimeStampToken (RFC 3161, 2.4.2; CMS SignedData, RFC 5652).

    Raises:
        TimeStampError: the bytes are no token, or the signer's certificate is not in it.
    """
    cms, _ = _asn1("cms"), _asn1("tsp")  # the second teaches the first the types of time stamps
    try:
        content = cms.ContentInfo.load(der, strict=True)
        if content["content_type"].native != "signed_data":
            raise ValueError("no SignedData")
        signed = content["content"]
        if signed["encap_content_info"]["content_type"].dotted != _TST_INFO:
            raise ValueError("its content is not a TSTInfo")
        if len(signed["signer_infos"]) != 1:
            raise ValueError("it has not exactly one signer")
        return _token(signed, signed["signer_infos"][0])
    except _UNREADABLE as error:
        # asn1crypto adds where in its structures it was; the first line is what a reader can use.
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise TimeStampError(
            f"The bytes are not a time-stamp token that can be checked ({reason}). Ask an authority "
            "for a new one."
        ) from error


def _token(signed: Any, signer_info: Any) -> Token:
    info_der = bytes(signed["encap_content_info"]["content"])
    info = _asn1("tsp").TSTInfo.load(info_der, strict=True)
    attributes = _attributes(signer_info["signed_attrs"])
    if attributes["1.2.840.113549.1.9.3"].native != "tst_info":
        raise ValueError("its signature is for another type of content")
    signer, others = _certificates(signed["certificates"], signer_info["sid"])
    algorithm = signer_info["signature_algorithm"]
    digest_algorithm = signer_info["digest_algorithm"]["algorithm"].native
    scheme = algorithm.signature_algo
    own_hash = "" if algorithm["algorithm"].native in {"rsassa_pkcs1v15", "ecdsa"} else algorithm.hash_algo
    named, other_names = info["tsa"], list(signer.subject_alt_name_value or ())
    return Token(
        imprint=info["message_imprint"]["hashed_message"].native,
        imprint_algorithm=info["message_imprint"]["hash_algorithm"]["algorithm"].native,
        gen_time=info["gen_time"].native.astimezone(UTC),
        serial=info["serial_number"].native,
        nonce=info["nonce"].native,
        names_signer=named.native is None or named.chosen == signer.subject or named in other_names,
        critical_extensions=tuple(
            str(item["extn_id"].native) for item in info["extensions"] if item["critical"].native
        ),
        info=info_der,
        info_digest=attributes["1.2.840.113549.1.9.4"].native,
        attributes=signer_info["signed_attrs"].untag().dump(),
        certificate_id=_certificate_id(attributes),
        digest_algorithm=digest_algorithm,
        signature_algorithm=(scheme, own_hash or digest_algorithm),
        signature=signer_info["signature"].native,
        signer=x509.load_der_x509_certificate(signer.dump()),
        others=others,
    )


def _attributes(attributes: Any) -> dict[str, Any]:
    """The single value of each signed attribute, by object identifier."""
    found: dict[str, Any] = {}
    for attribute in attributes:
        kind = attribute["type"].dotted
        if kind in found or len(attribute["values"]) != 1:
            raise ValueError("a signed attribute stands in it twice")
        found[kind] = attribute["values"][0]
    return found


def _certificate_id(attributes: dict[str, Any]) -> tuple[str, bytes]:
    """The hash of the signer's certificate that was signed (RFC 5816; RFC 2634 for the older form)."""
    newer, older = "1.2.840.113549.1.9.16.2.47", "1.2.840.113549.1.9.16.2.12"
    if newer in attributes:
        first = attributes[newer]["certs"][0]
        return first["hash_algorithm"]["algorithm"].native, first["cert_hash"].native
    if older in attributes:
        return "sha1", attributes[older]["certs"][0]["cert_hash"].native
    raise ValueError("its signature does not name the signer's certificate")


def _certificates(choices: Any, sid: Any) -> tuple[Any, tuple[x509.Certificate, ...]]:
    """The certificate that the signer identifier names, and the others that can be read."""
    signer, others = None, []
    for choice in choices:
        if choice.name != "certificate":
            continue
        certificate = choice.chosen
        if sid.name == "issuer_and_serial_number":
            same = (certificate.issuer, certificate.serial_number) == (
                sid.chosen["issuer"],
                sid.chosen["serial_number"].native,
            )
        else:
            same = certificate.key_identifier == sid.chosen.native
        if same and signer is None:
            signer = certificate
            continue
        try:
            others.append(x509.load_der_x509_certificate(certificate.dump()))
        except _UNREADABLE:
            continue  # a certificate that is only carried along proves nothing and spoils nothing
    if signer is None:
        raise ValueError("the certificate of its signer is not in it")
    return signer, tuple(others)


# --- whether a token holds


def faults(token: Token, digest: bytes, roots: Sequence[x509.Certificate] = ()) -> tuple[Fault, ...]:
    """Everything that is wrong with a token for this digest; empty if it is good.

    The certificate has to be valid, and to lead to one of ``roots`` if there are any, at the time
    that the token states, not now (RFC 3161, appendix B). Revocation is not checked.

    Args:
        token: as read.
        digest: SHA-256 of what should have been stamped, 32 bytes.
        roots: certificates that are trusted to issue an authority's; none: not checked.
    """
    found: list[Fault] = []

    def add(kind: FaultKind, message: str) -> None:
        found.append(Fault(kind=kind, message=message))

    if (token.imprint_algorithm, token.imprint) != ("sha256", digest):
        add("digest", "The token stamps other bytes. Compare the SHA-256 of the file with the token's.")
    if token.critical_extensions:
        add("algorithm", "The token has critical extensions that are not known here. Check it with openssl.")
    weak = {token.digest_algorithm, token.signature_algorithm[1]} - set(_HASHES)
    if weak:
        add("algorithm", f"The token rests on {', '.join(sorted(weak))}. Ask another authority for a stamp.")
    else:
        if hashlib.new(token.digest_algorithm, token.info).digest() != token.info_digest:
            add("content", "The token's content was changed after it was signed. Use an untouched copy.")
        if not _signature_holds(token):
            add("signature", "The token's signature is not that of its certificate. Use an untouched copy.")
    found.extend(_certificate_faults(token))
    if roots and not found:
        found.extend(_chain_faults(token, roots))
    return tuple(found)


def _signature_holds(token: Token) -> bool:
    scheme, name = token.signature_algorithm
    algorithm, signature, data = _HASHES[name], token.signature, token.attributes
    try:
        key = token.signer.public_key()
        if isinstance(key, rsa.RSAPublicKey) and scheme == "rsassa_pkcs1v15":
            key.verify(signature, data, padding.PKCS1v15(), algorithm)
        elif isinstance(key, rsa.RSAPublicKey) and scheme == "rsassa_pss":
            key.verify(signature, data, padding.PSS(padding.MGF1(algorithm), padding.PSS.AUTO), algorithm)
        elif isinstance(key, ec.EllipticCurvePublicKey) and scheme == "ecdsa":
            key.verify(signature, data, ec.ECDSA(algorithm))
        elif isinstance(key, ed25519.Ed25519PublicKey) and scheme == "ed25519":
            key.verify(signature, data)
        else:
            return False
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        return False
    return True


def _certificate_faults(token: Token) -> tuple[Fault, ...]:
    """Whether the signer's certificate is the one that was signed for, may stamp, and was valid."""
    found: list[Fault] = []
    certificate = token.signer
    name, expected = token.certificate_id
    algorithm = {**_HASHES, "sha1": hashes.SHA1()}.get(name)  # noqa: S303 - the older form knows no other
    if algorithm is None or certificate.fingerprint(algorithm) != expected or not token.names_signer:
        message = "The token names another certificate than the one in it. Use an untouched copy."
        found.append(Fault(kind="certificate", message=message))
    try:
        usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
        stamps = usage.critical and list(usage.value) == [ExtendedKeyUsageOID.TIME_STAMPING]
    except (x509.ExtensionNotFound, x509.DuplicateExtension, ValueError):
        stamps = False
    if not stamps:
        message = (
            "The certificate is not one for time stamps alone (RFC 3161, 2.3: extended key usage "
            "timeStamping, critical). Ask another authority for a stamp."
        )
        found.append(Fault(kind="certificate", message=message))
    if not certificate.not_valid_before_utc <= token.gen_time <= certificate.not_valid_after_utc:
        message = (
            f"The certificate was valid from {certificate.not_valid_before_utc:%Y-%m-%d} to "
            f"{certificate.not_valid_after_utc:%Y-%m-%d}, not at the stamped time "
            f"{token.gen_time:%Y-%m-%d %H:%M:%S} UTC. Ask an authority for a new stamp."
        )
        found.append(Fault(kind="validity", message=message))
    return tuple(found)


def _chain_faults(token: Token, roots: Sequence[x509.Certificate]) -> tuple[Fault, ...]:
    def signs(_: verification.Policy, __: x509.Certificate, usage: x509.KeyUsage | None) -> None:
        if usage is not None and not usage.key_cert_sign:
            raise ValueError("an issuer may not sign certificates")

    def stamps(_: verification.Policy, __: x509.Certificate, usage: x509.ExtendedKeyUsage | None) -> None:
        allowed = {ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE}
        if usage is not None and not allowed & set(usage):
            raise ValueError("an issuer's certificates are not for time stamps")

    agnostic, anything = verification.Criticality.AGNOSTIC, verification.ExtensionPolicy.permit_all()
    issuers = (
        anything.require_present(x509.BasicConstraints, agnostic, None)  # the library looks at "ca" itself
        .may_be_present(x509.KeyUsage, agnostic, signs)
        .may_be_present(x509.ExtendedKeyUsage, agnostic, stamps)
    )
    policy = (
        verification.PolicyBuilder()
        .store(verification.Store(list(roots)))
        .time(token.gen_time)
        .extension_policies(ca_policy=issuers, ee_policy=anything)
    )
    try:
        policy.build_client_verifier().verify(token.signer, list(token.others))
    except (verification.VerificationError, UnsupportedAlgorithm, ValueError) as error:
        message = (
            f"The certificate does not lead to a given root at the stamped time ({str(error)[:200]}). Give "
            "the root certificate that this authority publishes."
        )
        return (Fault(kind="chain", message=message),)
    return ()
