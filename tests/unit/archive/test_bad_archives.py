"""Archives that were made to do harm, are broken, foreign or newer: a sentence, and no memory spent."""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.accuracy.tamper_store import packed, rehash, unpacked
from tests.unit.archive.helpers import get, pack
from verifaible.archive import limits, warcio_parts
from verifaible.archive.reader import WaczReader
from verifaible.archive.signing import Signer
from verifaible.archive.validate import faults as faults_of
from verifaible.errors import IntegrityError, StoreError

_MEGABYTE = 1 << 20
_WARC, _INDEX = "archive/data.warc.gz", "indexes/index.cdx"


@pytest.fixture(scope="module")
def sealed() -> bytes:
    return pack(
        [get("https://a.com/", b"the rate is 5.33 percent")],
        signer=Signer.new(),
        files={"evidence/text.txt": b"the rate is 5.33 percent"},
        pages=[("https://a.com/", "T", "the rate is 5.33 percent")],
    )


def peak(use: Callable[[], object]) -> int:
    """The most memory that Python held while it ran, in bytes."""
    tracemalloc.start()
    try:
        use()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refused(data: bytes, said: str) -> None:
    """The archive is refused when it is opened, before anything is unpacked."""

    def use() -> None:
        with pytest.raises(IntegrityError, match=said) as caught, WaczReader(data):
            pass
        assert str(caught.value).endswith("not to be opened.")

    assert peak(use) < 2 * _MEGABYTE + len(data)


def with_entry(
    sealed: bytes, info: zipfile.ZipInfo, data: bytes = b"x", *, by: int = zipfile.ZIP_DEFLATED
) -> bytes:
    target = io.BytesIO(sealed)
    with zipfile.ZipFile(target, "a") as opened:
        opened.writestr(info, data, by)
    return target.getvalue()


# --- names and links


@pytest.mark.parametrize(
    "name",
    [
        "../evil.txt",
        "evidence/../../evil.txt",
        "..",
        "/etc/passwd",
        "C:/evil.txt",
        "a\\..\\evil",
        "a\nb",
        "a\x7f",
    ],
)
def test_a_name_that_leads_out_of_the_archive(sealed: bytes, name: str) -> None:
    refused(with_entry(sealed, zipfile.ZipInfo(name)), "has a name that leads out of the archive")


def test_a_name_with_a_nul(sealed: bytes) -> None:
    """The standard library cuts such a name, so that another file seems to be there."""
    data = with_entry(sealed, zipfile.ZipInfo("evidence/text.txt~.exe"))
    refused(data.replace(b"text.txt~.exe", b"text.txt\x00.exe"), "leads out of the archive")


def test_names_with_dots_that_lead_nowhere_are_let_pass(sealed: bytes) -> None:
    with WaczReader(with_entry(sealed, zipfile.ZipInfo("evidence/a..b.txt"))) as reader:
        assert reader.read("evidence/a..b.txt") == b"x"


def test_a_symbolic_link(sealed: bytes) -> None:
    link = zipfile.ZipInfo("evidence/link.txt")
    link.external_attr = 0o120777 << 16
    refused(with_entry(sealed, link, b"/etc/passwd"), "is a symbolic link")


# --- bombs


def test_a_file_that_unfolds_to_a_thousand_times_its_size(sealed: bytes) -> None:
    bomb = with_entry(sealed, zipfile.ZipInfo("evidence/bomb.txt"), bytes(64 * _MEGABYTE))
    assert len(bomb) < _MEGABYTE
    refused(bomb, r"bomb.txt in archive.wacz would unfold to \d+ times its size")


@pytest.mark.parametrize("by", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_file_that_is_packed_in_another_way(sealed: bytes, by: int) -> None:
    odd = with_entry(sealed, zipfile.ZipInfo("evidence/odd.txt"), b"a" * 100, by=by)
    refused(odd, "odd.txt in archive.wacz is packed in a rare way")


def test_a_short_file_of_one_letter_is_no_bomb(sealed: bytes) -> None:
    with WaczReader(with_entry(sealed, zipfile.ZipInfo("evidence/a.txt"), b"a" * _MEGABYTE)) as reader:
        assert len(reader.read("evidence/a.txt")) == _MEGABYTE


def test_one_file_too_large_and_all_together_too_large(
    sealed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = random.Random(1).randbytes(30_000).hex().encode()
    two = with_entry(with_entry(sealed, zipfile.ZipInfo("e/a.txt"), text), zipfile.ZipInfo("e/b.txt"), text)
    monkeypatch.setattr(limits, "MAX_TOTAL_BYTES", 100_000)
    refused(two, "would unfold to 12[0-9]+ bytes; at most 100000")
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 50_000)
    refused(two, "e/a.txt in archive.wacz would unfold to 60000 bytes; at most 50000")


def test_a_size_that_lies_about_what_is_packed(sealed: bytes) -> None:
    """What is unpacked is never more than what the directory says."""
    bomb = with_entry(sealed, zipfile.ZipInfo("evidence/bomb.txt"), bytes(32 * _MEGABYTE))
    lying = bomb.replace(struct.pack("<L", 32 * _MEGABYTE), struct.pack("<L", 1000))

    def use() -> None:
        with WaczReader(lying) as reader, pytest.raises(IntegrityError, match="damaged"):
            reader.read("evidence/bomb.txt")

    assert peak(use) < 4 * _MEGABYTE


def test_files_that_share_their_bytes(sealed: bytes) -> None:
    """Many entries of one packed file: a bomb without any ratio of its own."""
    target = io.BytesIO(sealed)
    with zipfile.ZipFile(target, "a") as opened:
        opened.writestr("evidence/x.txt", random.Random(2).randbytes(5000))
        first = opened.NameToInfo["evidence/x.txt"]
        for number in range(30):
            other = zipfile.ZipInfo(f"evidence/{number}.txt")
            for name in ("header_offset", "compress_size", "file_size", "CRC", "compress_type"):
                setattr(other, name, getattr(first, name))
            opened.filelist.append(other)
    refused(target.getvalue(), "overlap")


@pytest.mark.parametrize("size", [0xFFFFFFF0, 0x7FFFFFFF])
def test_gigantic_declared_lengths(sealed: bytes, size: int) -> None:
    directory = sealed.rindex(b"PK\x01\x02")
    huge = struct.pack("<L", size)
    refused(sealed[: directory + 20] + huge + sealed[directory + 24 :], "beyond the end of the file")


def with_warc(sealed: bytes, records: bytes) -> WaczReader:
    files = unpacked(sealed)
    files[_WARC] = records
    rehash(files)
    return WaczReader(packed(files))


def record(body: bytes, *, head: bytes = b"", length: int | None = None) -> bytes:
    block = b"HTTP/1.1 200 OK\r\n" + head + b"\r\n" + body
    size = len(block) if length is None else length
    fields = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.com/\r\nContent-Length: {size}\r\n"
    )
    dated = b"WARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-03-02T08:00:00Z\r\n"
    return gzip.compress(
        fields.encode() + dated + b"Content-Type: application/http\r\n\r\n" + block + b"\r\n\r\n"
    )


@pytest.mark.parametrize("kind", ["member", "encoded body", "line"])
def test_a_record_that_unfolds_without_end(sealed: bytes, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (limits, warcio_parts):
        monkeypatch.setattr(module, "MAX_RECORD_BYTES", 4 * _MEGABYTE)
    zeros = bytes(64 * _MEGABYTE)
    data = {
        "member": lambda: record(zeros),
        "encoded body": lambda: record(gzip.compress(zeros), head=b"Content-Encoding: gzip\r\n"),
        "line": lambda: record(b"", head=b"X: " + b"a" * (2 * _MEGABYTE) + b"\r\n"),
    }[kind]()
    said = "A line in the head" if kind == "line" else "would unfold to more than"
    with with_warc(sealed, data) as reader:

        def use() -> None:
            with pytest.raises(IntegrityError, match=said):
                list(reader.records("data.warc.gz"))
            assert any(said in fault for fault in faults_of(reader))

        # One block of 16 KB unfolds to at most 16 MB before the reader can count it.
        assert peak(use) < 48 * _MEGABYTE


def test_a_record_that_says_it_is_longer_than_the_file(sealed: bytes) -> None:
    with with_warc(sealed, record(b"body", length=10**18)) as reader:
        assert any("before its stated length" in fault or "cut short" in fault for fault in faults_of(reader))


def test_a_packed_index_that_unfolds_without_end(sealed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", _MEGABYTE)
    files = unpacked(sealed)
    del files[_INDEX]
    files["indexes/index.cdx.gz"] = gzip.compress(bytes(32 * _MEGABYTE))
    with WaczReader(packed(files)) as reader, pytest.raises(IntegrityError, match="would unfold"):
        reader.entries()


# --- an index, a page list and a package that lie


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("offset", "99999999"),
        ("offset", "-1"),
        ("offset", 1e308),
        ("length", "0"),
        ("length", str(10**30)),
        ("filename", "../../etc/passwd"),
        ("filename", "other.warc.gz"),
    ],
)
def test_an_index_that_points_outside(sealed: bytes, field: str, value: object) -> None:
    files = unpacked(sealed)
    key, time, text = files[_INDEX].decode().split(" ", 2)
    files[_INDEX] = f"{key} {time} {json.dumps({**json.loads(text), field: value})}\n".encode()
    rehash(files)
    with WaczReader(packed(files)) as reader:
        with pytest.raises(IntegrityError, match=r"points outside|not in the file"):
            list(reader.exchanges())
        assert faults_of(reader) != []


_DEEP = b"[" * 100_000 + b"]" * 100_000
_HUGE = b'{"url": ' + b"9" * 5000 + b', "ts": 1e999, "offset": 1e999, "length": 1, "filename": 1}'


@pytest.mark.parametrize(
    "junk", [_DEEP, _HUGE, b"[1]", b'"x"', b"7", b"null", b"\xff\xfe", b'{"a": "\\ud800"}']
)
@pytest.mark.parametrize("name", [_INDEX, "pages/pages.jsonl", "datapackage.json", "datapackage-digest.json"])
def test_files_that_hold_something_else(sealed: bytes, name: str, junk: bytes) -> None:
    files = unpacked(sealed)
    files[name] = b"com,a)/ 20260302080000 " + junk if name == _INDEX else junk
    with WaczReader(packed(files)) as reader:
        assert faults_of(reader) != []


@pytest.mark.parametrize("date", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "yesterday", ""])
def test_times_outside_of_all_time(sealed: bytes, date: str) -> None:
    files = unpacked(sealed)
    files["pages/pages.jsonl"] = json.dumps({"url": "https://a.com/", "ts": date}).encode()
    moved = gzip.decompress(record(b"x")).replace(b"2026-03-02T08:00:00Z", date.encode())
    files[_WARC] = gzip.compress(moved)
    with WaczReader(packed(files)) as reader:
        with pytest.raises(IntegrityError, match="is no page"):
            list(reader.pages())
        (found,) = reader.records("data.warc.gz")
        with pytest.raises(ValueError, match=r"no time|isoformat"):
            _ = found.recorded_at
        assert faults_of(reader) != []


# --- broken, foreign and newer


def test_no_cut_goes_unseen(sealed: bytes) -> None:
    for part in range(40):
        with pytest.raises(StoreError), WaczReader(sealed[: len(sealed) * part // 40]):
            pass


def faults(data: bytes) -> list[str]:
    """What is said of an archive, also where it cannot be opened."""
    try:
        with WaczReader(data) as reader:
            return faults_of(reader)
    except StoreError as error:
        return [str(error)]


def test_a_flipped_byte_is_seen_or_changes_no_file(sealed: bytes) -> None:
    """Dates and attributes in the ZIP directory are in no file; the SHA-256 of a capture covers them."""
    chance, whole = random.Random(3), unpacked(sealed)
    for _ in range(120):
        place = chance.randrange(len(sealed))
        data = sealed[:place] + bytes([sealed[place] ^ chance.randint(1, 255)]) + sealed[place + 1 :]
        if not faults(data):
            with WaczReader(data) as reader:
                assert {name: reader.read(name) for name in reader.names()} == whole, place


def test_a_capture_of_another_tool(tmp_path: Path) -> None:
    """A WACZ of py-wacz over a WARC of warcio is read; it is not signed, and that is said."""
    from wacz.main import main  # type: ignore[import-untyped]
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    source = tmp_path / "page.warc.gz"
    with source.open("wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        page = io.BytesIO(b"<title>T</title>the rate is 5.33 percent")
        writer.write_record(
            writer.create_warc_record("https://a.com/", "response", payload=page, http_headers=http)
        )
    target = tmp_path / "foreign.wacz"
    pages = tmp_path / "pages.jsonl"
    pages.write_text(
        '{"format": "json-pages-1.0", "id": "pages", "title": "All"}\n'
        '{"url": "https://a.com/", "ts": "2026-03-02T08:00:00Z", "title": "T"}\n'
    )
    main(["create", str(source), "-o", str(target), "-p", str(pages), "-c"])
    with WaczReader(target) as reader:
        (exchange,) = reader.exchanges()
        assert b"5.33 percent" in exchange.response.body
        assert [fault for fault in faults_of(reader) if "wacz_version" not in fault] == []
        assert "The archive is not signed." in faults_of(reader, Signer.new().public_key)


def test_a_newer_wacz_is_named(sealed: bytes) -> None:
    files = unpacked(sealed)
    files["datapackage.json"] = files["datapackage.json"].replace(b'"1.1.1"', b'"2.0.0"')
    with WaczReader(packed(files)) as reader:
        assert any("wacz_version is '2.0.0'" in fault for fault in faults_of(reader))


def test_limits_let_the_largest_honest_answer_pass() -> None:
    from verifaible.config import Settings

    assert 4 * Settings.model_fields["max_body_bytes"].default <= limits.MAX_RECORD_BYTES
