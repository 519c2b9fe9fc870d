from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.unit.factcheck.nli.tiny import write_model
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.factcheck.nli.model import CrossEncoder, find_model

REPOSITORY, COMMIT = "someone/tiny-nli", "0123456789abcdef0123456789abcdef01234567"


class Hub(BaseHTTPRequestHandler):
    """As much of the protocol of the Hugging Face Hub as its client needs to fetch a repository."""

    folder: Path
    asked: list[str]
    broken = ""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        self.asked.append(path)
        files = sorted(each for each in self.folder.rglob("*") if each.is_file())
        names = [each.relative_to(self.folder).as_posix() for each in files]
        if path == f"/api/models/{REPOSITORY}/revision/{COMMIT}":
            said = {"id": REPOSITORY, "sha": COMMIT, "siblings": [{"rfilename": name} for name in names]}
            return self._send(json.dumps(said).encode(), body=body, kind="application/json")
        if path.startswith(f"/api/models/{REPOSITORY}/tree/{COMMIT}"):
            rows = [
                {"type": "file", "path": name, "size": each.stat().st_size, "oid": "0" * 40}
                for name, each in zip(names, files, strict=True)
            ]
            return self._send(json.dumps(rows).encode(), body=body, kind="application/json")
        name = path.removeprefix(f"/{REPOSITORY}/resolve/{COMMIT}/")
        if name in names and name != self.broken:
            return self._send((self.folder / name).read_bytes(), body=body, kind="application/octet-stream")
        self.send_response(404)
        self.send_header("X-Error-Code", "EntryNotFound" if name in names else "RepoNotFound")
        self.send_header("Content-Length", "0")
        self.end_headers()
        return None

    def _send(self, data: bytes, *, body: bool, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    write_model(tmp_path / "hub", weights="onnx/model.onnx")
    (tmp_path / "hub" / "pytorch_model.bin").write_bytes(b"large")

    class Serving(Hub):
        folder = tmp_path / "hub"
        asked: list[str] = []  # noqa: RUF012

    server = ThreadingHTTPServer(("127.0.0.1", 0), Serving)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    yield Serving
    server.shutdown()
    server.server_close()


def settings(home: Path, **changes: str) -> Settings:
    return Settings(home=home, **{"nli_model": REPOSITORY, "nli_revision": COMMIT, **changes})


def test_a_repository_is_fetched_once_as_plain_files_and_loads(hub: type[Hub], tmp_path: Path) -> None:
    files = find_model(settings(tmp_path / "home"))
    assert (files.name, files.revision) == (REPOSITORY, COMMIT)
    assert files.folder == tmp_path / "home" / "models" / "someone--tiny-nli" / COMMIT
    assert files.weights == files.folder / "onnx" / "model.onnx"
    assert not any(path.is_symlink() for path in files.folder.rglob("*"))
    assert not any("pytorch" in path for path in hub.asked)
    names = ("config.json", "tokenizer.json", "onnx/model.onnx")
    there = {name: hashlib.sha256((hub.folder / name).read_bytes()).hexdigest() for name in names}
    assert files.identity() == {"model": REPOSITORY, "revision": COMMIT, "sha256": there}
    assert CrossEncoder(files).judge("The tower is open.", "The tower is open.").entailment > 0.9
    hub.asked.clear()
    assert find_model(settings(tmp_path / "home")) == files
    assert hub.asked == []


def test_a_fetch_that_fails_says_so_and_leaves_nothing_that_is_taken_for_a_model(
    hub: type[Hub], tmp_path: Path
) -> None:
    hub.broken = "onnx/model.onnx"
    with pytest.raises(ConfigError, match=r"someone/tiny-nli at 0123456789ab could not be fetched"):
        find_model(settings(tmp_path / "home"))
    hub.broken = ""
    assert find_model(settings(tmp_path / "home")).weights.is_file()
    with pytest.raises(ConfigError, match="could not be fetched"):
        find_model(settings(tmp_path / "home", nli_model="someone/else"))


def test_a_hub_that_is_away_is_said(hub: type[Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)  # its client tries again
    with pytest.raises(ConfigError, match="could not be fetched"):
        find_model(settings(tmp_path / "home"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"nli_model": ""}, "VERIFAIBLE_NLI_MODEL is ''"),
        ({"nli_model": "no/such/folder"}, "must be the folder"),
        ({"nli_model": "../x"}, "must be the folder"),
        ({"nli_revision": "main"}, "whole commit hash"),
        ({"nli_revision": ""}, "whole commit hash"),
    ],
)
def test_a_model_that_is_not_named_exactly_is_refused(
    tmp_path: Path, changes: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        find_model(settings(tmp_path, **changes))


def test_a_hub_is_asked_through_the_dialler_alone(
    hub: type[Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hub in a private network gets no request unless a setting names it."""
    monkeypatch.setenv("VERIFAIBLE_LOCAL_ENDPOINTS", "hub.example")
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
    with pytest.raises(ConfigError, match="could not be fetched"):
        find_model(settings(tmp_path / "home"))
    assert hub.asked == []
