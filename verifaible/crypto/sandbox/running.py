"""A small Python program, run by Pyodide in a Web Worker of an offline Chromium of its own, within bounds.

What holds, from outside to inside: the browser resolves no name, and every request but those for Pyodide's
own files is refused; the content security policy allows no ``eval`` and no connection elsewhere; before a
program runs, the worker deletes all that a browser adds to a bare JavaScript engine, and makes and writes no
file; its Python has no bridge to JavaScript. Each worker runs one program. Pyodide is one version of its npm
package, known by its hash.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeAlias

from pydantic import ValidationError

from verifaible.browser import driver
from verifaible.browser.chromium.launch import launch
from verifaible.config import Settings
from verifaible.errors import ConfigError, InfrastructureError, ToolError
from verifaible.runs.lines import usable
from verifaible.schema.base import Record
from verifaible.tools.presenting import one_line

VERSION: Final = "314.0.7"
_SHA256: Final = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
_FILES: Final = (
    "package.json",
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
_NPM_LIMIT_S: Final = 300
_INSTALL: Final = "Install it with `verifaible setup --pyodide` (it needs npm), or set VERIFAIBLE_PYODIDE."


def require_pyodide(settings: Settings) -> tuple[Path, str]:
    """The folder of Pyodide, and its version.

    Raises:
        ConfigError: it is not there, or a file of it is missing; says how to install it.
    """
    folder = settings.pyodide_dir
    lacking = [name for name in _FILES if not (folder / name).is_file()]
    if lacking:
        raise ConfigError(f"Programs run in Pyodide, and {folder} has no {lacking[0]}. {_INSTALL}")
    return folder, str(json.loads((folder / "package.json").read_bytes())["version"])


def install_pyodide(settings: Settings) -> Path:
    """Fetch Pyodide from npm into its folder.

    Raises:
        ConfigError: npm is not there or failed, or what came is not the package that was tried here.
    """
    with tempfile.TemporaryDirectory() as scratch:
        command = ["npm", "pack", "--silent", f"pyodide@{VERSION}"]
        try:
            done = subprocess.run(  # noqa: S603 - the command above
                command, cwd=scratch, capture_output=True, text=True, timeout=_NPM_LIMIT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ConfigError(
                f"npm did not run ({error}). Install Node.js with npm, and run this again."
            ) from error
        packed = Path(scratch) / f"pyodide-{VERSION}.tgz"
        if done.returncode or not packed.is_file():
            raise ConfigError(
                f"`{' '.join(command)}` failed: {done.stderr.strip()[-500:]} Run this again online."
            )
        if hashlib.sha256(packed.read_bytes()).hexdigest() != _SHA256:
            raise ConfigError(
                f"npm gave another pyodide {VERSION} than was published. Nothing of it was installed."
            )
        folder = settings.pyodide_dir
        with usable(folder), tarfile.open(packed) as archive:
            folder.mkdir(parents=True, exist_ok=True)
            for name in _FILES:
                member = archive.extractfile(f"package/{name}")
                assert member is not None
                (folder / name).write_bytes(member.read())
    return folder


_PAGE: Final = "https://sandbox.invalid/"
_TYPES: Final = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
}
#: A worker may start no other, and connects to nothing but the files it starts from.
_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src {workers}"
)
_START: Final = """(limits) => new Promise((ready, failed) => {
  globalThis.worker = new Worker("/worker.js", {type: "module"});
  worker.onerror = (event) => failed(new Error(event.message || "the worker did not load"));
  worker.onmessage = () => ready();
  worker.postMessage(limits);
})"""
_RUN: Final = """({task, milliseconds}) => new Promise((done) => {
  const end = (said) => { worker.terminate(); done(said); };
  setTimeout(() => end(null), milliseconds);
  worker.onerror = () => end([]);
  worker.onmessage = ({data}) => {
    const whole = Array.isArray(data) && data.length === 4 && data[0] === task.nonce
      && typeof data[1] === "string" && typeof data[2] === "string" && typeof data[3] === "boolean";
    end(whole ? data.slice(1) : []);
  };
  worker.postMessage(task);
})"""
#: Pyodide starts in two seconds, on a busy machine in some ten times that.
_START_LIMIT_S: Final = 90.0
_GRACE_S: Final = 5.0

_Inputs: TypeAlias = Mapping[str, "str | Sequence[str]"]


class ProgramFailed(ToolError):
    """A program raised an error, passed a bound or gave no number; the message says which.

    Attributes:
        output: what it had printed, as far as that came back.
    """

    code = "program_failed"

    def __init__(self, message: str, output: str = "") -> None:
        self.output = output
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a program may use: seconds, bytes of Python's memory, characters of what it prints and gives."""

    seconds: float = 10.0
    memory_bytes: int = 256 * 1024 * 1024
    output_bytes: int = 20_000


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program gave.

    Attributes:
        result: its number, as text.
        output: what it printed.
        cut: whether more of that was dropped.
        pyodide: the version that ran it.
    """

    result: str
    output: str
    cut: bool
    pyodide: str


class _Told(Record):
    """What a worker says of its program."""

    result: str = ""
    error: str = ""


class Sandbox:
    """Runs programs, each in an interpreter of its own; nothing is started before the first.

    Args:
        settings: which Chromium and which Pyodide.
        bounds: of each program.

    Attributes:
        started_s: how long the last interpreter took to start.
        refused: requests after the start of an interpreter, all of them refused.
    """

    def __init__(self, settings: Settings, bounds: Bounds | None = None) -> None:
        self._settings = settings
        self.bounds = bounds or Bounds()
        self.refused: list[str] = []
        self.started_s = 0.0
        self._open = AsyncExitStack()
        self._folder, self._version = Path(), ""
        self._browser: driver.Browser | None = None
        self._one = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    @property
    def pyodide(self) -> str:
        """The version of Pyodide.

        Raises:
            ConfigError: it is not there; says how to install it.
        """
        return require_pyodide(self._settings)[1]

    async def run(self, code: str, inputs: _Inputs) -> Ran:
        """Run a program.

        Args:
            code: Python; its last expression, or what it calls ``result``, is the result, a number.
            inputs: decimal numbers, or lists of them, by the names under which the program finds them.

        Raises:
            ProgramFailed: it failed, took too long or too much memory, or gave no number.
            ConfigError: Pyodide is not there; says how to install it.
            BrowserMissing: there is no Chromium.
            InfrastructureError: Chromium or Pyodide did not start.
        """
        async with self._one:
            browser = await self._ready()
            try:
                return await self._run(browser, code, inputs)
            except (driver.Error, TimeoutError) as error:
                await self._end(browser)
                raise ProgramFailed(
                    "The program took down the process it ran in, and gave nothing. Use less memory, or "
                    "fewer steps."
                ) from error

    async def _run(
        self, browser: driver.Browser, code: str, inputs: Mapping[str, str | Sequence[str]]
    ) -> Ran:
        context = await browser.new_context(service_workers="block", accept_downloads=False)
        try:
            started = time.monotonic()
            page = await self._started(context)
            self.started_s = time.monotonic() - started
            task = {"nonce": secrets.token_hex(16), "code": code, "inputs": json.dumps(dict(inputs))}
            limit = self.bounds.seconds
            said = await asyncio.wait_for(
                page.evaluate(_RUN, {"task": task, "milliseconds": limit * 1000}), limit + _GRACE_S
            )
        finally:
            with suppress(Exception):
                await asyncio.wait_for(context.close(), _GRACE_S)
        if said is None:
            raise ProgramFailed(f"The program was ended after {limit:g} s. Compute less, or in fewer steps.")
        if not said:
            raise ProgramFailed("The program stopped its interpreter, and gave nothing. Write it otherwise.")
        result, output, cut = said
        try:
            told = _Told.model_validate_json(result)
        except ValidationError as error:  # it is too long, or the program has changed what writes it
            raise ProgramFailed(
                "The program's result cannot be read. Give one plain number.", output
            ) from error
        if told.error:
            raise ProgramFailed(f"{one_line(told.error, 400)}. Correct the program and call again.", output)
        return Ran(told.result, output, cut, self._version)

    async def _started(self, context: driver.BrowserContext) -> driver.Page:
        """A page whose worker has loaded Python, and which reaches nothing any more."""
        loading = True

        async def answer(route: driver.Route) -> None:
            name = route.request.url.removeprefix(_PAGE) or "page.html"
            body = await asyncio.to_thread(self._file, name) if loading else None
            if body is None:
                self.refused.append(route.request.url)
                await route.abort()
                return
            policy = _POLICY.format(workers="'self'" if name == "page.html" else "'none'")
            kind = _TYPES.get(Path(name).suffix, "application/octet-stream")
            await route.fulfill(body=body, headers={"content-type": kind, "content-security-policy": policy})

        await context.route("**/*", answer)
        page = await context.new_page()
        bounds = self.bounds
        limits = {"memoryBytes": bounds.memory_bytes, "outputBytes": bounds.output_bytes}
        try:
            await page.goto(_PAGE)
            await asyncio.wait_for(page.evaluate(_START, limits), _START_LIMIT_S)
        except (driver.Error, TimeoutError) as error:
            raise InfrastructureError(
                f"Pyodide did not start: {driver.first_line(error) or 'it took too long'} Try again; if it "
                "fails again, install it anew with `verifaible setup --pyodide`."
            ) from error
        loading = False
        return page

    def _file(self, name: str) -> bytes | None:
        """A file that Python starts from; None for any other name."""
        if name in {"page.html", "worker.js", "inside.py"}:
            return files(__package__).joinpath(name).read_bytes()
        path = self._folder / name
        return path.read_bytes() if path.parent == self._folder and path.is_file() else None

    async def _ready(self) -> driver.Browser:
        self._folder, self._version = require_pyodide(self._settings)
        if self._browser is None or not self._browser.is_connected():
            await self._open.aclose()
            playwright = await self._open.enter_async_context(driver.async_playwright())
            heap = f"--js-flags=--max-old-space-size={self.bounds.memory_bytes >> 20}"
            limited = {"browser_args": (*self._settings.browser_args, heap)}
            self._browser = await launch(playwright, self._settings.model_copy(update=limited), offline=True)
            self._open.push_async_callback(self._end, self._browser)
        return self._browser

    async def _end(self, browser: driver.Browser) -> None:
        with suppress(Exception):
            await asyncio.wait_for(browser.close(), _GRACE_S)
        if self._browser is browser:
            self._browser = None
