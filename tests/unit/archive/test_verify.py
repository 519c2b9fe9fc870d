"""Every kind of tampering is found, also where the tamperer made the hashes anew."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.archive.helpers import get, pack
from verifaible.archive.reader import WaczReader
from verifaible.archive.signing import Signer
from verifaible.archive.validate import faults as faults_of
from verifaible.archive.warc import sha256

Files = dict[str, bytes]
WARC = "archive/data.warc"


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    return Signer.load_or_create(tmp_path_factory.mktemp("keys") / "key.pem")


@pytest.fixture(scope="module")
def sealed(signer: Signer) -> bytes:
    return pack(
        [get("https://a.com/", b"the rate is 5.33 percent"), get("https://a.com/2", b"second")],
        compress=False,
        signer=signer,
        files={"evidence/text.txt": b"the rate is 5.33 percent"},
        pages=[("https://a.com/", "T", "the rate is 5.33 percent")],
    )


def unpack(data: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def repack(files: Files, extra: tuple[tuple[str, bytes], ...] = ()) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as opened:
        for name, content in (*files.items(), *extra):
            opened.writestr(name, content)
    return target.getvalue()


def rehash(files: Files) -> None:
    """Make every hash anew, as somebody does who changes a file on purpose; the signature stays."""
    package = json.loads(files["datapackage.json"])
    package["resources"] = [
        {"name": name.split("/")[-1], "path": name, "hash": sha256(data), "bytes": len(data)}
        for name, data in files.items()
        if not name.startswith("datapackage")
    ]
    files["datapackage.json"] = json.dumps(package).encode()
    digest = json.loads(files["datapackage-digest.json"])
    digest["hash"] = sha256(files["datapackage.json"])
    files["datapackage-digest.json"] = json.dumps(digest).encode()


def edit(name: str, old: bytes, new: bytes, *, again: bool = False) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        assert old in files[name]
        files[name] = files[name].replace(old, new)
        if again:
            rehash(files)

    return change


def drop(name: str, *, again: bool = False) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        del files[name]
        if again:
            rehash(files)

    return change


def add(files: Files) -> None:
    files["evidence/more.txt"] = b"more"


def cut_warc(files: Files) -> None:
    files[WARC] = files[WARC][:-40]
    rehash(files)


def cut_index(files: Files) -> None:
    files["indexes/index.cdx"] = files["indexes/index.cdx"].split(b"\n")[0] + b"\n"
    rehash(files)


def strip_signature(files: Files) -> None:
    rehash(files)
    digest = json.loads(files["datapackage-digest.json"])
    del digest["signedData"]
    files["datapackage-digest.json"] = json.dumps(digest).encode()


def move_signature(files: Files) -> None:
    """The hash inside the signed data is replaced, the signature kept."""
    files["evidence/text.txt"] = b"the rate is 5.35 percent"
    rehash(files)
    digest = json.loads(files["datapackage-digest.json"])
    digest["signedData"]["hash"] = digest["hash"]
    files["datapackage-digest.json"] = json.dumps(digest).encode()


TAMPERS: dict[str, tuple[Callable[[Files], None], str]] = {
    "a digit in a payload": (edit(WARC, b"5.33", b"5.35"), "has the hash"),
    "a digit in a payload, hashes made anew": (edit(WARC, b"5.33", b"5.35", again=True), "own digest"),
    "evidence changed": (edit("evidence/text.txt", b"5.33", b"5.35"), "evidence/text.txt has the hash"),
    "evidence removed": (drop("evidence/text.txt"), "missing"),
    "a file added": (add, "not listed"),
    "a page changed": (edit("pages/pages.jsonl", b"5.33", b"5.35"), "pages/pages.jsonl has the hash"),
    "the page list removed, hashes made anew": (
        drop("pages/pages.jsonl", again=True),
        "pages.jsonl is missing",
    ),
    "the page list made unreadable": (
        edit("pages/pages.jsonl", b'"url"', b'"uri"', again=True),
        "is no page",
    ),
    "a status in the index": (
        edit("indexes/index.cdx", b'"200"', b'"404"', again=True),
        "has the status 404",
    ),
    "a URL in the index": (edit("indexes/index.cdx", b"//a.com/2", b"//b.com/2", again=True), "b.com/2 for"),
    "a time in the index": (edit("indexes/index.cdx", b" 2026", b" 2025", again=True), "has the time 2025"),
    "a line of the index removed": (cut_index, "lacks the record"),
    "the index removed": (drop("indexes/index.cdx"), "no index"),
    "the WARC file cut short": (cut_warc, "cannot be read"),
    "the WARC file removed": (drop(WARC, again=True), "no WARC file"),
    "the package's title": (edit("datapackage.json", b"A test", b"B test"), "datapackage.json has the hash"),
    "the package's time": (edit("datapackage.json", b"T08:00", b"T09:00"), "created"),
    "the package no longer JSON": (edit("datapackage.json", b"{", b"["), "not JSON"),
    "the package's version": (edit("datapackage.json", b"1.1.1", b"1.0.0"), "wacz_version"),
    "the digest removed": (drop("datapackage-digest.json"), "holds no datapackage-digest.json"),
    "the digest's hash": (edit("datapackage-digest.json", b'"hash": "sha256:', b'"hash": "sha256:0'), "says"),
    "the signature removed": (strip_signature, "not signed"),
    "the signature of another package": (rehash, "signature is over"),
    "the signature's hash replaced": (move_signature, "does not verify"),
}


def test_the_sealed_archive_is_whole(sealed: bytes, signer: Signer) -> None:
    with WaczReader(sealed) as reader:
        assert faults_of(reader, signer.public_key) == []
    with WaczReader(repack(unpack(sealed))) as reader:
        assert faults_of(reader, signer.public_key) == []


@pytest.mark.parametrize("name", TAMPERS)
def test_tampering_is_found(name: str, sealed: bytes, signer: Signer) -> None:
    change, said = TAMPERS[name]
    files = unpack(sealed)
    change(files)
    with WaczReader(repack(files)) as reader:
        found = faults_of(reader, signer.public_key)
    assert any(said in fault for fault in found), found


def test_a_file_that_is_there_twice_is_found(sealed: bytes) -> None:
    files = unpack(sealed)
    with pytest.warns(UserWarning, match="Duplicate name"):
        doubled = repack(files, extra=(("evidence/text.txt", files["evidence/text.txt"]),))
    with WaczReader(doubled) as reader:
        assert any("2 times" in fault for fault in faults_of(reader))


def test_an_archive_signed_anew_is_found_by_the_key(sealed: bytes, signer: Signer, tmp_path: Path) -> None:
    other = Signer.load_or_create(tmp_path / "other.pem")
    forged = pack([get("https://a.com/", b"the rate is 5.35 percent")], signer=other)
    with WaczReader(forged) as reader:
        assert faults_of(reader) == []
        assert any("another key" in fault for fault in faults_of(reader, signer.public_key))


def test_damaged_bytes_inside_the_zip_are_found(sealed: bytes) -> None:
    place = sealed.index(b"the rate is 5.33 percent")
    damaged = sealed[:place] + b"T" + sealed[place + 1 :]
    with WaczReader(damaged) as reader:
        assert any("damaged" in fault for fault in faults_of(reader))


def test_no_flipped_byte_of_a_record_goes_unseen(sealed: bytes) -> None:
    files = unpack(sealed)
    start = files[WARC].index(b"WARC/1.1\r\nWARC-Type: response")
    for place in range(start, len(files[WARC]), 23):
        changed = dict(files)
        changed[WARC] = files[WARC][:place] + bytes([files[WARC][place] ^ 1]) + files[WARC][place + 1 :]
        with WaczReader(repack(changed)) as reader:
            assert faults_of(reader) != []


def test_compressed_records_are_checked_too(signer: Signer) -> None:
    files = unpack(pack([get("https://a.com/", b"the rate")], signer=signer))
    data = files["archive/data.warc.gz"]
    files["archive/data.warc.gz"] = data[: len(data) - 20]
    rehash(files)
    with WaczReader(repack(files)) as reader:
        assert any(fault.startswith("archive/data.warc.gz") for fault in faults_of(reader))
