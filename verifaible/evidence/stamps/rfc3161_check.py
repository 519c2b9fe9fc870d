"""Whether an RFC 3161 token holds, without a network: imprint, signature, certificate, chain.

cryptography does the arithmetic and builds the chain. Nothing here asks whether a certificate was
revoked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.x509 import verification
from cryptography.x509.oid import ExtendedKeyUsageOID

from verifaible.evidence.stamps.records import Fault, FaultKind
from verifaible.evidence.stamps.rfc3161 import Token

#: Digests that a token may be signed over; SHA-1 and MD5 are not evidence any more.
_HASHES: dict[str, hashes.HashAlgorithm] = {
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}


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
