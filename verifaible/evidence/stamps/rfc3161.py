"""RFC 3161 time stamps: the request, the reply, and what a token says; ``rfc3161_check`` verifies it.

asn1crypto reads the structures: it takes the BER that authorities really send, such as sets of
certificates out of order, which stricter readers refuse.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from types import ModuleType
from typing import Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm

from verifaible.errors import ConfigError
from verifaible.evidence.stamps.records import TimeStampError

#: What a library raises on bytes that are not what they should be.
_UNREADABLE = (
    *(ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError),
    *(x509.InvalidVersion, UnsupportedAlgorithm),
)
_TST_INFO = "1.2.840.113549.1.9.16.1.4"  # id-ct-TSTInfo


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
