"""Visits of the live web, kept and written as archives: what stays, what goes, and what fails."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.unit.archive.helpers import T, pack
from verifaible.archive.lookup import Archive
from verifaible.archive.reader import RecordedPage, WaczReader
from verifaible.archive.recording import Recorder, archive_of
from verifaible.archive.redaction import REMOVED
from verifaible.archive.signing import Signer
from verifaible.archive.urls import site_of
from verifaible.archive.validate import faults as faults_of
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import StoreError
from verifaible.schema.web import Headers, WebExchange, WebRequest, WebResponse

PAGE = "https://www.example.org/rates"
HTML: Headers = (("content-type", "text/html"),)


def got(
    url: str,
    body: bytes | str,
    *,
    at: float = 0,
    method: str = "GET",
    sent: bytes = b"",
    asked: Headers = (),
    headers: Headers = HTML,
    status: int = 200,
) -> WebExchange:
    """An exchange ``at`` seconds after T."""
    payload = body.encode() if isinstance(body, str) else body
    request = WebRequest(url, method, asked, sent)
    return WebExchange(request, WebResponse(status, headers, payload), T + timedelta(seconds=at))


def written(tmp_path: Path, *visits: Sequence[WebExchange]) -> Path:
    """The archive of some visits to one site."""
    with Recorder() as recorder:
        for visit in visits:
            recorder.add(PAGE, visit)
        (one,) = recorder.write(tmp_path / "out")
    return one.path


def names(folder: Path) -> list[str]:
    """Everything in a folder, hidden or not."""
    return sorted(path.name for path in folder.iterdir())


def answers(path: Path, *requests: WebRequest) -> list[bytes]:
    """What a fresh context would be answered from an archive, one request after the other."""
    archive = Archive.open([path])
    player = archive.player()
    found = [player.find(request).response.body for request in requests]
    archive.close()
    return found


# --- what is written


def test_an_archive_a_site_with_its_third_parties(tmp_path: Path) -> None:
    with Recorder() as recorder:
        recorder.add(PAGE, [got(PAGE, "page"), got("https://cdn.net/a.js", "script", at=1)])
        recorder.add("https://data.gov.cn/", [got("https://data.gov.cn/", "data")])
        recorder.add("https://nothing.org/", [])
        assert recorder.sites == ("data.gov.cn", "example.org")
        found = recorder.write(tmp_path / "out")
    assert [(one.path.name, one.replaced) for one in found] == [
        ("data.gov.cn.wacz", ""),
        ("example.org.wacz", ""),
    ]
    assert names(tmp_path / "out") == ["data.gov.cn.wacz", "example.org.wacz"]
    with WaczReader(found[1].path) as reader:
        assert [each.request.url for each in reader.exchanges()] == [PAGE, "https://cdn.net/a.js"]
        assert reader.metadata.synthetic is False
        assert faults_of(reader) == []


def test_it_is_valid_and_signed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from wacz.main import main  # type: ignore[import-untyped]

    signer = Signer.load_or_create(tmp_path / "keys" / "key.pem")
    with Recorder() as recorder:
        recorder.add(PAGE, [got(PAGE, "page")], [RecordedPage(PAGE, "Rates", T, "利率 5.33")])
        (one,) = recorder.write(tmp_path, signer=signer)
    with WaczReader(one.path) as reader:
        assert faults_of(reader, signer.public_key) == []
        assert [(page.title, page.text) for page in reader.pages()] == [("Rates", "利率 5.33")]
    assert main(["validate", "-f", str(one.path)]) == 0, capsys.readouterr().out


def test_a_page_is_listed_once_with_its_fullest_text(tmp_path: Path) -> None:
    pages = [RecordedPage(PAGE, "Rates", T, text) for text in ("some", "some more text", "less")]
    with Recorder() as recorder:
        for page in pages:
            recorder.add(PAGE, [got(PAGE, "page")], [page])
        (one,) = recorder.write(tmp_path)
    with WaczReader(one.path) as reader:
        assert [page.text for page in reader.pages()] == ["some more text"]


def test_bodies_come_back_whole(tmp_path: Path) -> None:
    bodies = [os.urandom(700), b"", os.urandom(5000), b"x" * 700]
    urls = [f"{PAGE}/{number}" for number in range(len(bodies))]
    path = written(tmp_path, [got(url, body) for url, body in zip(urls, bodies, strict=True)])
    assert answers(path, *map(WebRequest, urls)) == bodies


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://query.sse.com.cn/x?y=1", "sse.com.cn"),
        ("http://home.treasury.gov:8080/", "treasury.gov"),
        ("https://WWW.YouTube.com./watch", "youtube.com"),
        ("https://someone.github.io/page", "someone.github.io"),
        ("http://127.0.0.1:8000/", "127.0.0.1"),
        ("http://localhost/", "localhost"),
        ("http://[::1]:80/", "::1"),
    ],
)
def test_sites(url: str, site: str) -> None:
    assert site_of(url) == site


# --- several visits


def test_a_visit_that_saw_the_same_adds_nothing(tmp_path: Path) -> None:
    visit = [got(PAGE, "page"), got(f"{PAGE}/api", "5.33", at=1)]
    later = [got(PAGE, "page", at=9), got(f"{PAGE}/api", "5.33", at=10)]
    with WaczReader(written(tmp_path, visit, later)) as reader:
        assert len(reader.entries()) == 2


def test_repeated_requests_of_one_visit_stay_in_order(tmp_path: Path) -> None:
    texts = ("pending", "pending", "done")
    visit = [got(f"{PAGE}/api", text, at=number) for number, text in enumerate(texts)]
    again = [got(f"{PAGE}/api", text, at=20 + number) for number, text in enumerate(texts)]
    path = written(tmp_path, visit, again)
    assert answers(path, *[WebRequest(f"{PAGE}/api")] * 4) == [b"pending", b"pending", b"done", b"done"]


@pytest.mark.parametrize("richest_first", [True, False])
def test_two_visits_are_not_mixed(tmp_path: Path, richest_first: bool) -> None:
    """A page with a token of its own, opened twice: the visit that used the token gives the page."""
    glance = [got(PAGE, "token 4f1c9a7be2d08835")]
    used = [
        got(PAGE, "token 9b2d77e1c0a4f6d3", at=5),
        got(f"{PAGE}/api?key=9b2d77e1c0a4f6d3", "5.33", at=6),
    ]
    path = written(tmp_path, *((used, glance) if richest_first else (glance, used)))
    asked = WebRequest(PAGE), WebRequest(f"{PAGE}/api?key=9b2d77e1c0a4f6d3"), WebRequest(PAGE)
    assert answers(path, *asked) == [b"token 9b2d77e1c0a4f6d3", b"5.33", b"token 9b2d77e1c0a4f6d3"]


def test_addresses_that_are_new_each_time_with_other_answers_are_all_kept(tmp_path: Path) -> None:
    midnight = int(datetime(2025, 1, 1, tzinfo=UTC).timestamp())
    visits = [[got(f"{PAGE}/api?ts={midnight + day * 86400}", f"day {day}", at=day)] for day in range(3)]
    path = written(tmp_path, *visits)
    asked = [WebRequest(f"{PAGE}/api?ts={midnight + day * 86400}") for day in (2, 0, 1)]
    assert answers(path, *asked) == [b"day 2", b"day 0", b"day 1"]


def test_bodies_and_headers_that_choose_are_told_apart(tmp_path: Path) -> None:
    def asked(body: bytes, page: str) -> WebExchange:
        headers = (("content-type", "application/json"), ("x-page", page))
        return got(f"{PAGE}/api", body + page.encode(), method="POST", sent=body, asked=headers)

    all_four = [asked(body, page) for body in (b'{"day":1}', b'{"day":2}') for page in ("one", "two")]
    path = written(tmp_path, all_four[:2], all_four[2:])
    assert answers(path, *(one.request for one in all_four)) == [one.response.body for one in all_four]


def test_visits_at_the_same_time_keep_their_own_order(tmp_path: Path) -> None:
    slow = [got(f"{PAGE}/slow", "slow", at=5), got(f"{PAGE}/fast", "fast", at=1)]
    other = [got(f"{PAGE}/other", "other", at=2)]
    with WaczReader(written(tmp_path, slow, other)) as reader:
        paths = [each.request.url.rpartition("/")[2] for each in reader.exchanges()]
    assert paths == ["slow", "fast", "other"]


# --- what fails


def test_what_stood_there_is_replaced_and_named(tmp_path: Path) -> None:
    (tmp_path / "www.example.org.wacz").write_bytes(pack([got(PAGE, "replica")], synthetic=True))
    (tmp_path / "a.example.wacz").write_bytes(b"no archive at all")
    with Recorder() as recorder:
        for url in (PAGE, "https://a.example/", "https://b.example/"):
            recorder.add(url, [got(url, "live")])
        found = recorder.write(tmp_path)
    assert [(one.path.name, one.replaced) for one in found] == [
        ("a.example.wacz", "file"),
        ("b.example.wacz", ""),
        ("www.example.org.wacz", "replica"),
    ]
    assert answers(tmp_path / "www.example.org.wacz", WebRequest(PAGE)) == [b"live"]
    assert archive_of(tmp_path, "example.org").name == "www.example.org.wacz"


def test_keys_stand_in_no_list_of_pages() -> None:
    secret = "sk-SECRET-123456"
    url = f"https://user:pass@www.example.org/rates?key={secret}"
    with Recorder([secret]) as recorder:
        recorder.add(PAGE, [got(url, "x")], [RecordedPage(url, f"T {secret}", T, f"text {secret}")])
        with tempfile.TemporaryDirectory() as folder:
            (one,) = recorder.write(Path(folder))
            with WaczReader(one.path) as reader:
                (page,) = reader.pages()
                (exchange,) = reader.exchanges()
    assert secret not in f"{page.url} {page.title} {page.text}"
    assert page.url == exchange.request.url == f"https://www.example.org/rates?key={REMOVED}"


def test_what_a_failed_attempt_loaded_is_forgotten(tmp_path: Path) -> None:
    api = f"{PAGE}/api"
    with Recorder() as recorder:
        recorder.add(PAGE, [got(PAGE, "page"), got(api, "kept", at=1)])
        mark = recorder.mark()
        recorder.add(PAGE, [got(PAGE, "page", at=2), got(api, "down", status=503, at=3), got(api, "x", at=4)])
        recorder.add("https://other.example/", [got("https://other.example/", "other")])
        recorder.back_to(mark)
        assert recorder.sites == ("example.org",)
        (one,) = recorder.write(tmp_path)
    assert answers(one.path, WebRequest(api)) == [b"kept"]


@pytest.mark.parametrize("fails_at", [7, 9, 12])
def test_a_full_disk_leaves_nothing_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    count = 0

    def full(self: WaczWriter, *record: Any) -> tuple[str, int, int]:
        nonlocal count
        count += 1
        if count >= fails_at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return normal(self, *record)

    normal = WaczWriter._add
    monkeypatch.setattr(WaczWriter, "_add", full)
    with Recorder() as recorder:
        for site in ("https://a.org/", "https://b.org/"):
            recorder.add(site, [got(site, "page")])
        with pytest.raises(StoreError, match=r"No space left on device.*Free some space"):
            recorder.write(tmp_path / "out")
    assert names(tmp_path / "out") == []


def test_a_disk_that_is_full_while_recording_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def seek(self, *_: int) -> int:
            return 0

        def write(self, _: bytes) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def close(self) -> None: ...

    monkeypatch.setattr("tempfile.TemporaryFile", Full)
    with Recorder() as recorder, pytest.raises(StoreError, match=r"No space left.*Free some space"):
        recorder.add(PAGE, [got(PAGE, "page")])


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from verifaible.archive.recording import Recorder
from verifaible.archive.wacz import WaczWriter
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

def die(self): os.kill(os.getpid(), signal.SIGKILL)

WaczWriter._finish = die
recorder = Recorder()
url = "https://example.org/"
recorder.add(url, [WebExchange(WebRequest(url), WebResponse(200), datetime.now(UTC))])
recorder.write(Path(sys.argv[1]))
"""


def test_a_kill_while_writing_leaves_no_archive_that_is_listed(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False, timeout=300)
    assert done.returncode == -9
    assert list(tmp_path.glob("*.wacz")) == []
    with Recorder() as recorder:
        recorder.add(PAGE, [got(PAGE, "page")])
        (one,) = recorder.write(tmp_path)
    assert one.path == tmp_path / "example.org.wacz"
