from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import sys
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.archive.helpers import FORM, T, get, pack, post
from verifaible.archive.cdxj import surt
from verifaible.archive.reader import WaczReader
from verifaible.archive.signing import Signer
from verifaible.archive.urls import recordable
from verifaible.archive.validate import faults as faults_of
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import IntegrityError, StoreError
from verifaible.schema.web import WebExchange, WebRequest, WebResponse, header

EVIDENCE = {
    "evidence/anchor.json": json.dumps({"quote": "5.33", "rects": [{"x": 1}]}).encode(),
    "evidence/table.json": json.dumps([["a", "b"], ["c"]]).encode(),
    "evidence/steps.json": b"[]",
    "evidence/text.txt": b'A line, with "a comma\nand another',
    "evidence/dom.html": b"<!doctype html><p>x",
    "evidence/page.png": b"\x89PNG\r\n\x1a\n\x00\xff",
    "evidence/source.pdf": b"%PDF-1.7\n",
}


def some_exchanges() -> list[WebExchange]:
    return [
        get("https://example.org/", b"<p>hi</p>"),
        get(
            "https://example.org/old", status=302, headers=(("Location", "/"), ("Set-Cookie", "a=1; Path=/"))
        ),
        get("https://example.org/none", status=204, headers=()),
        get("https://example.org/same", status=304, headers=(("ETag", '"x"'), ("Content-Length", "77"))),
        get("https://example.org/blob", bytes(range(256)) * 9, headers=(("Content-Type", "image/png"),)),
        get("https://example.org/head", method="HEAD", headers=(("Content-Length", "1234"),)),
        post("https://example.org/api", b'{"page": 1}', b'{"rows": []}'),
        post("https://example.org/api", b"a=1&b=%E9%83%91", b"[]", headers=FORM),
    ]


@pytest.mark.parametrize("compress", [True, False])
def test_exchanges_come_back_as_they_were_added(compress: bool) -> None:
    added = some_exchanges()
    with WaczReader(pack(added, compress=compress)) as reader:
        assert list(reader.exchanges()) == added
        assert [one.response.body for one in reader.exchanges()] == [one.response.body for one in added]
        assert [one.request.body for one in reader.exchanges()] == [one.request.body for one in added]
        assert faults_of(reader) == []


def test_same_calls_give_same_bytes_and_close_gives_their_hash() -> None:
    first = pack(some_exchanges(), compress=False, files=EVIDENCE)
    assert first == pack(some_exchanges(), compress=False, files=EVIDENCE)
    target = io.BytesIO()
    digest = WaczWriter(target, title="t", created=T).close()
    assert digest == hashlib.sha256(target.getvalue()).hexdigest()


def test_the_form_of_the_file() -> None:
    data = pack(some_exchanges(), synthetic=True, files=EVIDENCE, pages=[("https://example.org/", "T", "hi")])
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert opened.getinfo("archive/data.warc.gz").compress_type == zipfile.ZIP_STORED
        assert {info.date_time for info in opened.infolist()} == {(2026, 3, 2, 8, 0, 0)}
        package = json.loads(opened.read("datapackage.json"))
        lines = opened.read("indexes/index.cdx").decode().splitlines()
        pages = [json.loads(line) for line in opened.read("pages/pages.jsonl").decode().splitlines()]
    assert package["profile"] == "data-package"
    assert package["wacz_version"] == "1.1.1"
    assert package["synthetic"] is True
    assert package["created"] == "2026-03-02T08:00:00Z"
    assert {item["path"] for item in package["resources"]} > set(EVIDENCE)
    assert len({item["name"] for item in package["resources"]}) == len(package["resources"])
    assert lines == sorted(lines)
    assert any(line.startswith("org,example)/api?__wb_method=post&a=1&b=") for line in lines)
    assert any(line.startswith("org,example)/api?__wb_method=post&page=1 ") for line in lines)
    assert pages[0] == {"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": True}
    assert pages[1]["url"] == "https://example.org/"
    assert pages[1]["text"] == "hi"


@pytest.mark.parametrize("compress", [True, False])
def test_the_reference_validator_accepts_it(
    compress: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from wacz.main import main  # type: ignore[import-untyped]

    path = tmp_path / "a.wacz"
    signer = Signer.load_or_create(tmp_path / "key.pem")
    pages = [("https://example.org/", "Ein „Titel“", "line, one\nline two")]
    path.write_bytes(pack(some_exchanges(), compress=compress, files=EVIDENCE, signer=signer, pages=pages))
    monkeypatch.setattr(sys, "argv", ["wacz"])
    assert main(["validate", "-f", str(path)]) == 0, capsys.readouterr().out


def test_content_and_transfer_encoding_go_and_the_length_fits() -> None:
    sent = (
        ("Content-Encoding", "gzip"),
        ("transfer-encoding", "chunked"),
        ("CONTENT-LENGTH", "20"),
        ("X-Kept", "as it is; q=0.1"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    )
    with WaczReader(pack([get("https://example.org/", b"decoded payload", headers=sent)])) as reader:
        (found,) = reader.exchanges()
    assert found.response.headers == (
        ("CONTENT-LENGTH", "15"),
        ("X-Kept", "as it is; q=0.1"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    )
    assert found.response.body == b"decoded payload"


def test_headers_joined_by_newlines_are_taken_apart_and_pseudo_headers_left_out() -> None:
    request = WebRequest("https://example.org/", headers=((":authority", "example.org"), ("accept", "*/*")))
    response = WebResponse(200, (("set-cookie", "a=1\nb=2"),), b"x")
    with WaczReader(pack([WebExchange(request, response, T)])) as reader:
        (found,) = reader.exchanges()
    assert found.response.headers == (("set-cookie", "a=1"), ("set-cookie", "b=2"))
    assert found.request.headers == (("accept", "*/*"),)


def test_a_header_name_that_would_break_the_record_is_refused() -> None:
    with pytest.raises(StoreError, match="header name"):
        pack([get("https://example.org/", headers=(("X: y\r\nZ", "1"),))])


def test_times_keep_their_fractions_and_become_utc() -> None:
    moment = datetime.fromisoformat("2026-03-02T16:00:00.123456+08:00")
    exchange = WebExchange(WebRequest("https://example.org/"), WebResponse(200), moment)
    with WaczReader(pack([exchange])) as reader:
        assert next(reader.exchanges()).recorded_at == moment
        assert next(reader.exchanges()).recorded_at.utcoffset() == timedelta(0)
        assert reader.entries()[0].timestamp == "20260302080000"
    with pytest.raises(ValueError, match="time zone"):
        pack([WebExchange(WebRequest("https://example.org/"), WebResponse(200), datetime(2026, 1, 1))])


_NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9\-]{0,20}", fullmatch=True).filter(
    lambda name: name.lower() not in {"content-length", "content-encoding", "transfer-encoding"}
)
_VALUES = st.text(
    st.characters(min_codepoint=32, exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=60
).map(str.strip)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    body=st.binary(max_size=3000),
    sent=st.binary(max_size=500),
    headers=st.lists(st.tuples(_NAMES, _VALUES), max_size=6),
    status=st.integers(200, 599),
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH"]),
)
def test_any_bytes_and_headers_survive(
    body: bytes, sent: bytes, headers: list[tuple[str, str]], status: int, method: str
) -> None:
    exchange = WebExchange(
        WebRequest("https://example.org/a?b=c", method, tuple(headers), sent),
        WebResponse(status, tuple(headers), body),
        T,
    )
    with WaczReader(pack([exchange, get("https://example.org/next")], compress=status % 2 == 0)) as reader:
        found = next(reader.exchanges())
        assert found == exchange
        assert (found.request.body, found.response.body) == (sent, body)
        assert faults_of(reader) == []


def test_url_characters_outside_ascii_are_written_as_a_uri() -> None:
    assert recordable("https://例子.cn/郑 州?q=郑#top") == (
        "https://xn--fsqu00a.cn/%E9%83%91%20%E5%B7%9E?q=%E9%83%91"
    )
    assert recordable("http://a.com/x?q=%d6%a3&r=a+b") == "http://a.com/x?q=%d6%a3&r=a+b"


@pytest.mark.parametrize(
    "url",
    [
        "https://www.Example.com:443/A%20b/?b=1&a=2#x",
        "http://a.com:8080/x/",
        "https://a.com",
        "https://a.com/x?b=2&a=&c",
        "http://a.com/x?a=1&a=0&b",
        "http://query.sse.com.cn/x.do?jsonCallBack=cb&q=郑",
        "https://例子.cn/郑",
        "https://a.com//x/../y",
        "http://a.com/?__wb_method=POST&__wb_post_data=QUJD",
    ],
)
def test_index_keys_are_those_of_the_surt_package(url: str) -> None:
    import surt as reference  # type: ignore[import-untyped]

    assert surt(url) == reference.surt(url)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.wacz"
    writer = WaczWriter(path, title="t", created=T)
    writer.add_exchange(get("https://example.org/", b"x"))
    with pytest.raises(RuntimeError, match="stop"), writer:
        raise RuntimeError("stop")
    assert list(path.parent.iterdir()) == []
    writer = WaczWriter(path, title="t", created=T)
    writer.add_exchange(get("https://example.org/", b"x"))
    assert not path.exists()
    digest = writer.close()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    assert [one.name for one in path.parent.iterdir()] == ["a.wacz"]
    with pytest.raises(StoreError, match="closed"):
        writer.add_exchange(get("https://example.org/2"))


@pytest.mark.parametrize(
    "path",
    ["page.png", "evidence/deep/page.png", "evidence/page", "../x.png", "archive/x.warc", "pages/x.jsonl"],
)
def test_files_that_validators_would_miss_are_refused(path: str) -> None:
    with pytest.raises(StoreError, match=r"folder/name\.suffix"):
        pack([], files={path: b"x"})


def test_pages_come_back() -> None:
    text = "郑　　州 100.1\n\u2028odd"
    with WaczReader(pack([], pages=[("https://a.com/", "T", text)])) as reader:
        (page,) = reader.pages()
    assert (page.url, page.title, page.timestamp, page.text) == ("https://a.com/", "T", T, text)


@pytest.mark.parametrize("compress", [True, False])
def test_files_that_are_no_archive(compress: bool, tmp_path: Path) -> None:
    whole = pack(some_exchanges(), compress=compress)
    for name, data in {"empty": b"", "half": whole[: len(whole) // 2], "text": b"hello" * 100}.items():
        path = tmp_path / f"{name}.wacz"
        path.write_bytes(data)
        with pytest.raises(StoreError, match=rf"{name}\.wacz .*(good copy|record it again)"):
            WaczReader(path)
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as opened:
        opened.writestr("a.txt", "x")
    with pytest.raises(StoreError, match="no WACZ"):
        WaczReader(other.getvalue())
    with pytest.raises(StoreError, match="cannot be opened"):
        WaczReader(tmp_path / "missing.wacz")


def test_missing_files_and_foreign_records_are_told() -> None:
    with WaczReader(pack([get("https://a.com/")])) as reader:
        with pytest.raises(StoreError, match="holds no evidence/x"):
            reader.read("evidence/x")
        (entry,) = reader.entries()
        with pytest.raises(IntegrityError, match="but that is"):
            reader.exchange(dataclasses.replace(entry, url="https://b.com/"))
        with pytest.raises(IntegrityError, match="outside"):
            reader.exchange(dataclasses.replace(entry, length=10**9))


def test_archives_of_other_tools_are_read() -> None:
    """Chunked and gzipped payloads, SHA-1 digests and a request before its response (as wget does)."""
    import gzip

    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    packed = gzip.compress(b"decoded text")
    payload = b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True)
    head = StatusAndHeaders(
        "200 OK",
        [("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")],
        protocol="HTTP/1.1",
    )
    record = writer.create_warc_record("https://a.com/t", "response", io.BytesIO(payload), http_headers=head)
    writer.write_record(record)
    warc = buffer.getvalue()
    line = {
        "url": "https://a.com/t",
        "status": "200",
        "offset": "0",
        "length": str(len(warc)),
        "filename": "x.warc.gz",
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as opened:
        opened.writestr("archive/x.warc.gz", warc)
        opened.writestr(
            "indexes/index.cdx.gz", gzip.compress(f"com,a)/t 20260302080000 {json.dumps(line)}\n".encode())
        )
        opened.writestr("datapackage.json", "{}")
    with WaczReader(target.getvalue()) as reader:
        (found,) = reader.exchanges()
    assert found.response.body == b"decoded text"
    assert header(found.response.headers, "content-encoding") == ""
    assert found.request.url == "https://a.com/t"
