from __future__ import annotations

import dataclasses
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from verifaible.archive.signing import SignedData, Signer, verify_signature
from verifaible.errors import StoreError

DIGEST = "sha256:" + "ab" * 32


def signed(path: Path) -> SignedData:
    return Signer.load_or_create(path).sign(DIGEST, created="2026-03-02T08:00:00Z", software="test")


def test_the_key_is_made_once_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "key.pem"
    first = Signer.load_or_create(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Signer.load_or_create(path).public_key == first.public_key
    assert [one.name for one in path.parent.iterdir()] == ["key.pem"]


def test_a_signature_verifies_and_has_the_form_of_the_specification(tmp_path: Path) -> None:
    import base64

    data = signed(tmp_path / "key.pem")
    assert verify_signature(data)
    assert len(base64.b64decode(data.signature)) == 96
    assert list(data.to_json()) == ["hash", "signature", "publicKey", "created", "software"]
    assert SignedData.from_json(dict(data.to_json())) == data


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hash", "sha256:" + "ac" * 32),
        ("signature", "AAAA"),
        ("signature", "not base64!"),
        ("signature", ""),
        ("public_key", ""),
        ("public_key", "AAAA"),
    ],
)
def test_a_changed_signature_does_not_verify(field: str, value: str, tmp_path: Path) -> None:
    assert not verify_signature(dataclasses.replace(signed(tmp_path / "key.pem"), **{field: value}))


def test_another_key_does_not_verify(tmp_path: Path) -> None:
    other = Signer.load_or_create(tmp_path / "other.pem")
    assert not verify_signature(
        dataclasses.replace(signed(tmp_path / "key.pem"), public_key=other.public_key)
    )


def test_files_that_are_no_key_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text("nonsense")
    with pytest.raises(StoreError, match="not an unencrypted PEM"):
        Signer.load_or_create(path)
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(other)
    with pytest.raises(StoreError, match="P-384"):
        Signer.load_or_create(path)
    with pytest.raises(StoreError, match="cannot be read or written"):
        Signer.load_or_create(path / "below-a-file.pem")
