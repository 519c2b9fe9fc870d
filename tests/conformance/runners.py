"""One runner for each interface: what a row says is done, and its differences from what it expects are listed."""

from __future__ import annotations

import asyncio
import base64
import gzip
import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, chdir, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock

import httpx2
from bs4 import BeautifulSoup
from pydantic import BaseModel, TypeAdapter

from tests.conformance.rows import Row
from tests.kit import endpoint, site
from tests.kit.cli import PROCESS_S, Done, environment, program, run, run_process
from tests.kit.disk import SmallDisk
from tests.kit.expect import differences, lacking, present
from tests.kit.homes import Home
from tests.kit.servers import McpServer, Viewer
from tests.kit.services import Buckets, Databases, Objects
from tests.kit.site import SUITES

_JSON: TypeAdapter[Any] = TypeAdapter(Any)


class RowFailed(Exception):
    """A step before the row failed, or the row asks for what no runner does."""


@dataclass
class World:
    """What all rows of a process share: the servers, and the homes to begin with."""

    home: Callable[[str], Home]
    folder: Path
    site: site.Site
    endpoint: endpoint.Endpoint
    stack: ExitStack = field(default_factory=ExitStack)
    _started: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def shared(self, key: tuple[Any, ...], start: Callable[[], Any]) -> Any:
        """A server that is started when a row first needs it and stopped at the end."""
        if key not in self._started:
            self._started[key] = start()
            self.stack.callback(self._started[key].stop)
        return self._started[key]


def run_row(world: World, row: Row) -> list[str]:
    """Do what a row says; gives every difference from what it expects, as sentences."""
    with ExitStack() as stack:
        return _RUNNERS[row.interface](_Prepared(world, row, stack))


class _Prepared:
    """A row with its home, pages, replies and names ready."""

    def __init__(self, world: World, row: Row, stack: ExitStack) -> None:
        self.world, self.row, self.stack = world, row, stack
        self.expect = row.expect
        given = row.given
        own = given.alone or given.files or given.before or given.services
        self.shares = row.interface in ("mcp", "viewer") and not own
        base = world.home(given.home)
        key = ("home", given.home)
        if self.shares:
            self.folder = world.shared(
                key, lambda: _Copy(base.folder, world.folder / f"shared-{given.home}")
            ).folder
        else:
            self.folder = world.folder / f"row-{row.id}"
            stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
            shutil.copytree(base.folder, self.folder, symlinks=True)
        self.names = {
            **base.ids,
            "home": str(self.folder),
            "version": version("verifaible"),
            "site": f"{world.site.origin}/{row.id}",
            "endpoint": world.endpoint.put(row.id, given.model),
        }
        self.objects: Objects | None = None
        self.env = self._environment({**self._serve(given.services), **given.env})
        self._put_pages(given.pages)
        self._put_files(given.files)
        for step in given.before:
            self._step(step)
        self.visited = len(world.site.requests)

    def filled(self, value: Any) -> Any:
        """A value of the row with its names filled in."""
        if isinstance(value, str):
            return re.sub(r"\{([a-z][a-z0-9-]*)\}", lambda found: self.names.get(found[1], found[0]), value)
        if isinstance(value, list | tuple):
            return [self.filled(each) for each in value]
        if isinstance(value, Mapping):
            return {self.filled(key): self.filled(each) for key, each in value.items()}
        return value

    def _serve(self, services: tuple[str, ...]) -> dict[str, str | None]:
        """A database and a bucket of the row's own, and the variables that make them its store."""
        name = re.sub(r"[^a-z0-9]", "-", self.row.id)[:60]
        variables: dict[str, str | None] = {}
        if "postgres" in services:
            lock = self.world.folder.parent.parent / "postgres.lock"
            databases: Databases = self.world.shared(("postgres",), lambda: Databases(lock))
            self.names |= databases.names(name)
            self.stack.callback(databases.drop, name)
            variables["VERIFAIBLE_INDEX"] = self.names["postgres"]
        if "s3" in services:
            buckets: Buckets = self.world.shared(("s3",), Buckets)
            self.objects, reached = buckets.store(name)
            self.stack.callback(self.objects.remove)
            self.names |= {"bucket": self.objects.url, "s3": buckets.endpoint}
            variables |= {**reached, "VERIFAIBLE_STORE": self.objects.url}
        return variables

    def _environment(self, given: Mapping[str, str | None]) -> dict[str, str]:
        variables = environment(
            self.folder,
            VERIFAIBLE_ALLOW_HOSTS="127.0.0.1",
            VERIFAIBLE_API_KEY="sk-test",
            VERIFAIBLE_RETRY_S="2",
            VERIFAIBLE_PICTURE_HEIGHT="600",
            COLUMNS="200",
        )
        for name, value in given.items():
            variables.pop(name, None)
            if value is not None:
                variables[name] = self.filled(value)
        return variables

    def _put_pages(self, pages: Mapping[str, Any]) -> None:
        self.world.site.put(self.row.id, pages)

    def _put_files(self, files: Mapping[str, Any]) -> None:
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if isinstance(content, str):
                path.write_bytes(self.filled(content).encode())
            elif "base64" in content:
                path.write_bytes(base64.b64decode(content["base64"]))
            elif "json" in content:
                path.write_text(
                    json.dumps(self.filled(content["json"]), ensure_ascii=False), encoding="utf-8"
                )
            else:
                shutil.copyfile(SUITES / content["copy"], path)

    def _step(self, step: Mapping[str, Any]) -> None:
        if "args" in step:
            args = self.filled(step["args"])
            env = {**self.env, **self.filled(step.get("env", {}))}
            done = run(
                args,
                env={name: value for name, value in env.items() if value is not None},
                folder=self.folder,
                stdin=step.get("stdin", ""),
            )
            if done.status != step.get("status", 0):
                raise RowFailed(f"{args} ended with {done.status}:\n{done.out}\n{done.err}")
            for name, pointer in step.get("keep", {}).items():
                value = json.loads(done.out)
                for key in pointer.split("/")[1:]:
                    value = value[int(key) if isinstance(value, list) else key]
                self.names[name] = str(value)
        elif "pages" in step:
            self._put_pages(step["pages"])
        elif "files" in step:
            self._put_files(step["files"])
        elif "damage" in step:
            self._damage(**step["damage"])
        elif "replace" in step:
            for path in self._found(step["replace"]["file"]):
                old, new = (self.filled(step["replace"][name]) for name in ("old", "new"))
                text = path.read_text(encoding="utf-8")
                if old not in text:
                    raise RowFailed(f"{path.name} has no {old!r}.")
                path.write_text(text.replace(old, new), encoding="utf-8")
        elif "zip" in step:
            (folder,) = self._found(step["zip"]["folder"])
            target = self.folder / self.filled(step["zip"]["file"])
            shutil.make_archive(str(target.with_suffix("")), "zip", folder.parent, folder.name)
        else:
            raise RowFailed(f"No step: {step}")

    def _found(self, glob: str) -> list[Path]:
        found = sorted(self.folder.glob(self.filled(glob)))
        if not found:
            raise RowFailed(f"No file fits {glob}.")
        return found

    def _damage(
        self, *, how: str, file: str = "", stored: str = "", at: int = 0, text: str = "", line: int = 0
    ) -> None:
        def changed(data: bytes) -> bytes | None:
            return _damaged(data, how, at, text)

        if stored:
            names = self.stored(stored) or ([self.filled(stored)] if how == "append" else [])
            if self.objects is None or not names:
                raise RowFailed(f"No object fits {stored}.")
            for name in names:
                self.objects.change(name, changed)
            return
        for path in self._found(file):
            path.chmod(0o600)
            lines = path.read_bytes().split(b"\n") if line else [path.read_bytes()]
            place = line - 1 if line else 0
            data = changed(lines[place])
            lines[place : place + 1] = [] if data is None else [data]
            if lines:
                path.write_bytes(b"\n".join(lines))
            else:
                path.unlink()

    def stored(self, glob: str) -> list[str]:
        """The names of objects in the bucket."""
        if self.objects is None:
            raise RowFailed("The row asks for no bucket.")
        return self.objects.found(self.filled(glob))


def _damaged(data: bytes, how: str, at: int, text: str) -> bytes | None:
    match how:
        case "flip":
            place = at % len(data)
            return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        case "cut":
            return data[:at] if at >= 0 else data[: len(data) + at]
        case "append":
            return data + text.encode()
        case "delete":
            return None
    raise RowFailed(f"No damage: {how}")


class _Copy:
    """A home that the rows of one server share."""

    def __init__(self, base: Path, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(base, folder, symlinks=True)

    def stop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


# --- expectations shared by interfaces ----------------------------------------------------------


def _texts(row: _Prepared, said: Mapping[str, str]) -> Iterator[str]:
    for name, text in said.items():
        yield from lacking(row.filled(row.expect.get(name, [])), text, name=name)
        yield from present(row.filled(row.expect.get(f"{name}_lacks", [])), text, name=name)


def _of_json(row: _Prepared, name: str, text: str) -> Iterator[str]:
    if name not in row.expect:
        return
    try:
        given = (
            json.loads(text) if name == "json" else [json.loads(line) for line in text.split("\n") if line]
        )
    except ValueError:
        yield f"the output is no JSON:\n{text[:3000]}"
        return
    yield from differences(row.filled(row.expect[name]), given)


def _outside(row: _Prepared) -> Iterator[str]:
    """Files, objects, requests and visits."""
    yield from _left(row)
    yield from (f"no object fits {each}" for each in row.expect.get("stored", []) if not row.stored(each))
    for glob in row.expect.get("not_stored", []):
        yield from (f"the bucket has {each}" for each in row.stored(glob))
    if "requests" in row.expect:
        yield from differences(row.filled(row.expect["requests"]), row.world.endpoint.requests(row.row.id))
    prefix = f"/{row.row.id}"
    seen = [
        each.replace(prefix, "", 1)
        for each in row.world.site.requests[row.visited :]
        if f" {prefix}/" in each
    ]
    yield from (
        f"{each!r} was not visited: {seen}" for each in row.expect.get("visited", []) if each not in seen
    )
    yield from (f"{each!r} was visited" for each in row.expect.get("not_visited", []) if each in seen)


def _left(row: _Prepared) -> Iterator[str]:
    """The files of the home."""
    for glob, wanted in row.filled(row.expect.get("files", {})).items():
        found = sorted(row.folder.glob(glob))
        if not found:
            yield f"no file fits {glob}"
        for path in found:
            text = path.read_text(encoding="utf-8", errors="replace") if wanted else ""
            if isinstance(wanted, Mapping):
                yield from (f"{path.name}: {fault}" for fault in differences(wanted, json.loads(text)))
            else:
                yield from lacking(wanted, text, name=path.name)
    for glob in row.filled(row.expect.get("no_files", [])):
        for path in sorted(row.folder.glob(glob)):
            yield f"{path.relative_to(row.folder)} is there"
    for glob, parts in row.filled(row.expect.get("files_lack", {})).items():
        found = [path for path in sorted(row.folder.glob(glob)) if path.is_file()]
        if not found:
            yield f"no file fits {glob}"
        for path in found:
            for name, data in _unpacked(path.name, path.read_bytes()):
                yield from (f"{name} has {part!r}" for part in parts if part.encode() in data)


def _unpacked(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """A file's bytes, and those of what is packed in it, down to the last."""
    yield name, data
    if data.startswith(b"PK\x03\x04"):
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(data)) as packed:
            for each in packed.namelist():
                yield from _unpacked(f"{name}/{each}", packed.read(each))
    elif data.startswith(b"\x1f\x8b"):
        with suppress(OSError, EOFError):
            yield from _unpacked(f"{name} unpacked", gzip.decompress(data))


_KNOWN = {
    "command": {"status", "out", "err", "out_lacks", "err_lacks", "json", "lines"},
    "python": {"value", "error", "message"},
    "mcp": {"error", "text", "text_lacks", "structured", "content", "value", "protocol_error"},
    "viewer": {"status", "headers", "text", "text_lacks", "body", "body_lacks", "json"},
}
_EVERYWHERE = {
    *("files", "no_files", "files_lack"),
    *("stored", "not_stored"),
    *("requests", "visited", "not_visited"),
}


def _known(row: _Prepared, interface: str) -> None:
    strange = set(row.expect) - _KNOWN[interface] - _EVERYWHERE
    if strange:
        raise RowFailed(f"No expectation of {interface}: {', '.join(sorted(strange))}")


# --- the command line ---------------------------------------------------------------------------


def _command(row: _Prepared) -> list[str]:
    return _judged_command(row, run)


def _process(row: _Prepared) -> list[str]:
    do = row.filled(row.row.do)
    if "code" in do:
        return _judged_command(row, _code)
    most = {"most_bytes": do["most_bytes"]} if "most_bytes" in do else {}

    def start(args: list[str], *, env: Mapping[str, str], folder: Path, stdin: str | bytes) -> Done:
        def once(value: object) -> Done:
            if "signal" in do:
                return _signalled(row, args, env=env, folder=folder, signalled=do["signal"])
            filled = [each.replace("{number}", str(value)) for each in args]
            if "free_kb" in do:
                with SmallDisk(folder, do["free_kb"]) as disk:
                    return disk.run([*program(), *filled], env=env)
            return run_process(filled, env=env, folder=folder, stdin=stdin, **most)

        at_once = do.get("at_once", 1)
        with ThreadPoolExecutor(8) as pool:
            done = list(pool.map(once, range(at_once) if isinstance(at_once, int) else at_once))
        if "then" not in do:
            return done[0]
        for each in done:
            if list(differences({"": do.get("ends_with", 0)}, each.status)):
                raise RowFailed(f"{args} ended with {each.status}:\n{each.out}\n{each.err}")
        return run(do["then"], env=env, folder=folder)

    return _judged_command(row, start)


def _code(args: list[str], *, env: Mapping[str, str], folder: Path, stdin: str | bytes) -> Done:
    """A program in Python instead of a command: what an installed package says of itself."""
    done = subprocess.run(
        [sys.executable, "-c", *args],
        env=dict(env),
        cwd=folder,
        capture_output=True,
        timeout=PROCESS_S,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def _judged_command(row: _Prepared, runner: Callable[..., Done]) -> list[str]:
    _known(row, "command")
    do = row.filled(row.row.do)
    stdin = base64.b64decode(do["stdin_base64"]) if "stdin_base64" in do else do.get("stdin", "")
    given = [do["code"]] if "code" in do else do["args"]
    done = runner(given, env=row.env, folder=row.folder, stdin=stdin)
    faults = []
    if "status" in row.expect and differences({"": row.expect["status"]}, done.status):
        faults.append(f"exit status {done.status}, expected {row.expect['status']}:\n{done.out}\n{done.err}")
    faults += _texts(row, {"out": done.out, "err": done.err})
    faults += _of_json(row, "json", done.out)
    faults += _of_json(row, "lines", done.out)
    return [*faults, *_outside(row)]


def _signalled(
    row: _Prepared, args: list[str], *, env: Mapping[str, str], folder: Path, signalled: Mapping[str, Any]
) -> Done:
    """A process that gets a signal when it has said, written, visited or asked something."""
    world, ident = row.world, row.row.id
    out, err = folder / "stdout.txt", folder / "stderr.txt"
    with out.open("wb") as to_out, err.open("wb") as to_err:
        process = subprocess.Popen(
            [*program(), *args],
            env={**env, "PYTHONUNBUFFERED": "1"},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=to_out,
            stderr=to_err,
            start_new_session=True,
        )
        deadline = time.monotonic() + PROCESS_S
        while process.poll() is None and time.monotonic() < deadline:
            if "when_err" in signalled and signalled["when_err"] in err.read_text(
                encoding="utf-8", errors="replace"
            ):
                break
            if "when_out" in signalled and signalled["when_out"] in out.read_text(
                encoding="utf-8", errors="replace"
            ):
                break
            if "when_visited" in signalled and any(
                each == signalled["when_visited"].replace(" /", f" /{ident}/", 1)
                for each in world.site.requests[row.visited :]
            ):
                break
            if len(world.endpoint.requests(ident)) >= signalled.get("when_asked", math.inf):
                break
            if "when_file" in signalled and any(
                each.stat().st_size for each in folder.glob(signalled["when_file"])
            ):
                break
            time.sleep(0.02)
        if process.poll() is not None:
            raise RowFailed(f"It ended before the signal, with {process.returncode}: {err.read_text()}")
        os.kill(process.pid, getattr(signal, signalled["name"]))
        status = process.wait(PROCESS_S)
    return Done(status, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"))


# --- Python -------------------------------------------------------------------------------------


def _python(row: _Prepared) -> list[str]:
    _known(row, "python")
    do = row.filled(row.row.do)
    with chdir(row.folder), mock.patch.dict(os.environ, row.env, clear=True):
        given = asyncio.run(_called(do))
    faults = []
    if (wanted := row.expect.get("error")) != given.get("error"):
        faults.append(f"error {given.get('error')}, expected {wanted}: {given.get('message') or given}")
    faults += lacking(row.filled(row.expect.get("message", [])), given.get("message", ""), name="message")
    if "value" in row.expect:
        faults += differences(row.filled(row.expect["value"]), given.get("value"))
    return [*faults, *_outside(row)]


async def _called(do: Mapping[str, Any]) -> dict[str, Any]:
    from verifaible import Verifaible

    try:
        async with Verifaible(web=do.get("web", "offline")) as client:
            made = await getattr(client, do["method"])(*do.get("positional", ()), **do.get("arguments", {}))
            made = getattr(made, do["then"])() if "then" in do else made
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}
    return {
        "value": made.model_dump(mode="json")
        if isinstance(made, BaseModel)
        else _JSON.dump_python(made, mode="json")
    }


# --- MCP ----------------------------------------------------------------------------------------


def _server(row: _Prepared, name: str, start: Callable[..., Any]) -> Any:
    key = (name, row.row.given.home, tuple(sorted(row.env.items())), row.row.given.options)
    options = row.filled(row.row.given.options)
    if row.shares:
        return row.world.shared(key, lambda: start(row.env, row.folder, *options))
    started = start(row.env, row.folder, *options)
    row.stack.callback(started.stop)
    return started


def _mcp(row: _Prepared) -> list[str]:
    _known(row, "mcp")
    server: McpServer = _server(
        row, "mcp", lambda env, folder, *more: McpServer(env, folder, *(more or ("--web", "offline")))
    )
    do = row.filled(row.row.do)
    arguments = do.get("arguments", {})
    if "tool" not in do:
        value = server.ask(do["ask"], **arguments)
        faults = lacking(
            row.expect.get("protocol_error", []), value.get("protocol_error", ""), name="the error"
        )
        return [*faults, *differences(row.filled(row.expect.get("value", {})), value)]
    said = server.call(do["tool"], arguments)
    faults = lacking(row.expect.get("protocol_error", []), said.get("protocol_error", ""), name="the error")
    if "protocol_error" in said:
        return faults or ([] if "protocol_error" in row.expect else [f"the protocol refused it: {said}"])
    if "error" in row.expect and said["error"] != row.expect["error"]:
        faults.append(f"error {said['error']}, expected {row.expect['error']}: {said['text'][:3000]}")
    faults += _texts(row, {"text": said["text"]})
    for name in ("structured", "content"):
        faults += differences(row.filled(row.expect.get(name, {})), said[name])
    return [*faults, *_outside(row)]


# --- the viewer ---------------------------------------------------------------------------------


def _viewer(row: _Prepared) -> list[str]:
    _known(row, "viewer")
    viewer: Viewer = _server(row, "viewer", Viewer.start)
    do = row.filled(row.row.do)
    method, path = ("POST", do["post"]) if "post" in do else (do.get("method", "GET"), do["get"])
    headers = {**({"origin": viewer.address} if method == "POST" else {}), **do.get("headers", {})}
    answer = httpx2.request(
        method,
        viewer.address + path,
        headers={name: value.replace("{viewer}", viewer.address) for name, value in headers.items()},
        data=do.get("form"),
        timeout=PROCESS_S,
    )
    faults = []
    if "status" in row.expect and answer.status_code != row.expect["status"]:
        faults.append(f"status {answer.status_code}, expected {row.expect['status']}: {answer.text[:1000]}")
    faults += differences(
        row.filled(row.expect.get("headers", {})), {k.lower(): v for k, v in answer.headers.items()}
    )
    faults += _texts(row, {"text": _seen(answer.text), "body": answer.text})
    faults += _of_json(row, "json", answer.text)
    return [*faults, *_outside(row)]


def _seen(page: str) -> str:
    """The words of a page as a reader sees them."""
    soup = BeautifulSoup(page, "lxml")
    for hidden in soup(["script", "style", "template"]):
        hidden.decompose()
    return soup.get_text(" ")


@cache
def interfaces() -> frozenset[str]:
    """The interfaces that have a runner."""
    return frozenset(_RUNNERS)


_RUNNERS: dict[str, Callable[[_Prepared], list[str]]] = {
    "command": _command,
    "process": _process,
    "python": _python,
    "mcp": _mcp,
    "viewer": _viewer,
}
