"""Programs of others that open web archives, each asked whether it opens a capture of ours."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import tarfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pymupdf
import pytest
from playwright.async_api import Browser, Frame, Page

from verifaible.archive.reader import WaczReader
from verifaible.evidence.shown import link_of
from verifaible.schema.citation import Citation

#: Exact versions, so that a failure is ours and not a new release's. pywb needs pkg_resources.
PIP = ("wacz==0.6.0", "pywb==2.10.0", "setuptools==75.8.0")
NPM = ("replaywebpage@2.4.6",)
_INSTALL_TIMEOUT_S = 400
_WAIT_S = 60
_MARKED_S = 15
#: What a marked quote is painted with: no page has this colour.
_MARK = (1, 254, 3)
_PAINTS = f"""addEventListener("DOMContentLoaded", () => {{
  const style = document.createElement("style");
  style.textContent = "::target-text {{ background: rgb{_MARK} !important }}";
  document.documentElement.append(style);
}});"""


@dataclass(frozen=True)
class Tools:
    """Where they are: the programs of a virtual environment, and the folder of ReplayWeb.page."""

    programs: Path
    replayer: Path


def tools(config: pytest.Config, *, install: bool) -> Tools:
    """The tools, in pytest's cache; skips, with the reason, where they are not there and cannot be had."""
    assert config.cache is not None
    folder = Path(config.cache.mkdir("archive-tools"))
    made = {name: folder / f"{name}-{'-'.join(wanted)}" for name, wanted in (("pip", PIP), ("npm", NPM))}
    if not install and not all(each.is_dir() for each in made.values()):
        pytest.skip("pywb and ReplayWeb.page are not installed; make nightly installs them")
    for place, make in ((made["pip"], _virtual_environment), (made["npm"], _package)):
        if not place.is_dir():
            try:
                make(place)
            except (OSError, subprocess.SubprocessError) as error:
                shutil.rmtree(place, ignore_errors=True)
                pytest.skip(f"pywb and ReplayWeb.page cannot be installed: {error}")
    return Tools(made["pip"] / "bin", made["npm"] / "package")


def _virtual_environment(place: Path) -> None:
    _installed([sys.executable, "-m", "venv", str(place)])
    _installed([str(place / "bin" / "pip"), "install", "-q", "--retries", "0", *PIP])


def _package(place: Path) -> None:
    """Unpacked as it is: what it needs is bundled in it, and its list of packages need not be had."""
    place.mkdir()
    _installed(["npm", "pack", "--fetch-retries=0", "--pack-destination", str(place), *NPM])
    (packed,) = place.glob("*.tgz")
    with tarfile.open(packed) as archive:
        archive.extractall(place, filter="data")


def _installed(command: list[str]) -> None:
    subprocess.run(command, capture_output=True, timeout=_INSTALL_TIMEOUT_S, check=True)


# --- py-wacz


def wacz_says(tools: Tools, capture: Path) -> str:
    """What ``wacz validate`` finds wrong; empty if nothing."""
    done = _run([str(tools.programs / "wacz"), "validate", "-f", str(capture)], capture.parent)
    return "" if done.returncode == 0 else done.stdout + done.stderr


# --- pywb


def pywb_says(tools: Tools, captures: Sequence[Path], folder: Path) -> dict[Path, str]:
    """What is wrong where pywb takes captures in and serves the page of each; those without a fault are left out."""
    program = str(tools.programs / "wb-manager")
    assert _run([program, "init", "ours"], folder).returncode == 0
    added = _run([program, "add", "--unpack-wacz", "ours", *map(str, captures)], folder)
    assert added.returncode == 0, added.stderr
    with _serving_pywb(tools, folder) as url:
        return {capture: fault for capture in captures if (fault := _pywb_fault(url, capture))}


def _pywb_fault(url: str, capture: Path) -> str:
    with WaczReader(capture) as reader:
        (page,) = reader.pages()
        answers = [one for one in reader.exchanges() if one.request.url == page.url]
    if not answers:
        return ""  # a page that a script moved to has no answer of its own
    wanted = answers[0]
    query = urlencode({"url": page.url, "output": "json"})
    lines = _fetched(f"{url}/ours/cdx?{query}").decode().splitlines()
    if not lines:
        return f"it lists nothing for {page.url}"
    moment = f"{wanted.recorded_at:%Y%m%d%H%M%S}"
    body = _fetched(f"{url}/ours/{moment}id_/{page.url}")
    return "" if body == wanted.response.body else f"it serves other bytes for {page.url}: {body[:200]!r}"


def _fetched(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=_WAIT_S) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        return f"HTTP {error.code}".encode()


@contextmanager
def _serving_pywb(tools: Tools, folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with (folder / "wayback.log").open("wb") as log:
        process = subprocess.Popen(
            [str(tools.programs / "wayback"), "-b", "127.0.0.1", "-p", str(port)],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    url, end = f"http://127.0.0.1:{port}", time.monotonic() + _WAIT_S
    try:
        while True:
            try:
                _fetched(f"{url}/")
                break
            except (urllib.error.URLError, ConnectionError):
                assert time.monotonic() < end, (folder / "wayback.log").read_text()
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(_WAIT_S)


# --- ReplayWeb.page


@contextmanager
def serving_replayer(tools: Tools, captures: Mapping[str, Path]) -> Iterator[str]:
    """ReplayWeb.page and captures under these names, on loopback."""

    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            name = path.partition("?")[0].lstrip("/")
            return str(captures[name]) if name in captures else super().translate_path(path)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(tools.replayer)))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def replayer_says(chromium: Browser, url: str, name: str, capture: Path, citation: Citation) -> str:
    """What is wrong where ReplayWeb.page opens a capture and is given the link of a citation; empty if nothing.

    A page has to show the captured answer. A quote on it must be marked once its link, which an export
    has, was put into the address bar.
    """
    with WaczReader(capture) as reader:
        (page,) = reader.pages()
    context = await chromium.new_context(viewport={"width": 1200, "height": 900})
    try:
        await context.add_init_script(_PAINTS)
        tab = await context.new_page()
        where = {"view": "pages", "url": page.url, "ts": f"{page.timestamp:%Y%m%d%H%M%S}"}
        await tab.goto(f"{url}/?source={url}/{name}#{urlencode(where, quote_via=quote)}")
        frame = await _replayed(tab)
        if frame is None:
            return "it shows no page"
        if citation.evidence_type != "text" or citation.anchor.frame_path:
            return ""
        bar = tab.locator("input#url")
        await bar.fill(link_of(citation))
        await bar.press("Enter")
        return "" if await _marked(tab) else f"it does not mark the words of {link_of(citation)}"
    finally:
        await context.close()


async def _replayed(tab: Page) -> Frame | None:
    """The frame of the captured page, once it has content."""
    end = time.monotonic() + _WAIT_S
    while time.monotonic() < end:
        for frame in tab.frames:
            if "mp_/" in frame.url and await _has_content(frame):
                return frame
        await asyncio.sleep(0.1)
    return None


async def _has_content(frame: Frame) -> bool:
    seen: Any = await frame.evaluate(
        "document.readyState === 'complete' && !document.querySelector('replay-not-found') &&"
        " !!document.body && (document.body.innerText.trim().length > 20 || !!document.querySelector('embed, object'))"
    )
    return bool(seen)


async def _marked(tab: Page) -> bool:
    end = time.monotonic() + _MARKED_S
    while time.monotonic() < end:
        if bytes(_MARK) in pymupdf.Pixmap(await tab.screenshot()).color_count(colors=True):
            return True
        await asyncio.sleep(0.2)
    return False


def _run(command: list[str], where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False, timeout=300)
