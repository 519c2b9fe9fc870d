"""Anonymous WACZ signatures (WACZ Signing and Verification 0.1.0, section "Anonymous signature").

The signature is ECDSA over P-384 with SHA-256, of the UTF-8 text of the hash
(``sha256:<hex>``), as raw r||s in base64; the public key is its SubjectPublicKeyInfo in
base64. It proves that whoever holds the key signed this hash: not who that is, nor when.
"""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from verifaible.errors import StoreError

_PART = 48  # bytes of r and of s on P-384
#: The fields of a signature as the specification names them, and as we do.
_NAMES = {name: name for name in ("hash", "signature", "publicKey", "created", "software")}
_NAMES["publicKey"] = "public_key"


@dataclass(frozen=True, slots=True)
class SignedData:
    """The ``signedData`` object of ``datapackage-digest.json``."""

    hash: str
    created: str
    software: str
    signature: str
    public_key: str

    def to_json(self) -> dict[str, str]:
        """The object under the names of the specification."""
        return {name: getattr(self, own) for name, own in _NAMES.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> SignedData:
        """Read the object; a missing field is an empty string, which no signature verifies."""
        found = {own: data.get(name) for name, own in _NAMES.items()}
        return cls(**{own: value if isinstance(value, str) else "" for own, value in found.items()})


class Signer:
    """Signs hashes with one P-384 key."""

    def __init__(self, key: ec.EllipticCurvePrivateKey) -> None:
        self._key = key

    @classmethod
    def load_or_create(cls, path: Path) -> Signer:
        """The signer whose PEM key is at ``path``; a missing file is made, with mode 0600.

        The file appears whole or not at all; of two processes that make it at once, the first
        wins and both use its key.

        Raises:
            StoreError: the file is no P-384 private key, or cannot be read or written.
        """
        try:
            if not path.exists():
                cls.new().save(path)
            return cls.from_bytes(path.read_bytes(), str(path))
        except OSError as error:
            raise StoreError(
                f"The signing key {path} cannot be read or written ({error.strerror}). Check the folder's "
                "rights, or set another store."
            ) from error

    @classmethod
    def new(cls) -> Signer:
        """A signer with a fresh key."""
        return cls(ec.generate_private_key(ec.SECP384R1()))

    @classmethod
    def from_bytes(cls, pem: bytes, name: str) -> Signer:
        """The signer of a PEM key; ``name`` is where it came from, for the error's sentence."""
        try:
            key = serialization.load_pem_private_key(pem, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise StoreError(
                f"{name} is not an unencrypted PEM private key. Put the right key back."
            ) from error
        if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP384R1):
            raise StoreError(f"{name} holds no elliptic-curve key on P-384. Put the right key back.")
        return cls(key)

    def private_bytes(self) -> bytes:
        """The private key as unencrypted PKCS #8 PEM."""
        return self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def save(self, path: Path) -> None:
        """Write the private key with mode 0600, whole or not at all; a key that is there stays."""
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")  # mode 0600
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self.private_bytes())
                file.flush()
                os.fsync(file.fileno())
            # A link, unlike a rename, never replaces a key that another process made meanwhile.
            os.link(temporary, path)
        except FileExistsError:
            pass
        finally:
            temporary.unlink()

    @property
    def public_key(self) -> str:
        """SubjectPublicKeyInfo (DER) in base64."""
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return base64.b64encode(
            self._key.public_key().public_bytes(serialization.Encoding.DER, form)
        ).decode()

    def sign(self, digest: str, *, created: str, software: str) -> SignedData:
        """Sign ``sha256:<hex>``; ``created`` is the data package's own time, ISO 8601 UTC.

        The nonce is deterministic (RFC 6979) where OpenSSL can do that, so that the same
        package is signed with the same bytes.
        """
        try:
            raw = self._key.sign(digest.encode(), ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
        except UnsupportedAlgorithm:
            raw = self._key.sign(digest.encode(), ec.ECDSA(hashes.SHA256()))
        r, s = decode_dss_signature(raw)
        signature = base64.b64encode(r.to_bytes(_PART, "big") + s.to_bytes(_PART, "big")).decode()
        return SignedData(digest, created, software, signature, self.public_key)


def verify_signature(signed: SignedData) -> bool:
    """Whether the signature is by the public key that stands beside it, over ``signed.hash``."""
    try:
        raw = base64.b64decode(signed.signature, validate=True)
        key = serialization.load_der_public_key(base64.b64decode(signed.public_key, validate=True))
    except (ValueError, UnsupportedAlgorithm):
        return False
    if len(raw) != 2 * _PART or not isinstance(key, ec.EllipticCurvePublicKey):
        return False
    if not isinstance(key.curve, ec.SECP384R1):
        return False
    r, s = int.from_bytes(raw[:_PART], "big"), int.from_bytes(raw[_PART:], "big")
    try:
        key.verify(encode_dss_signature(r, s), signed.hash.encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True
