# ruff: noqa: E501 - the attempts are programs, a line each
"""Attempts to get out of the sandbox for programs, and how many succeed (``make escapes``).

A program prints ESCAPED where it has reached something that it must not. What it cannot know is looked at from outside:
requests that left the worker, a server on loopback that nobody may ask, seconds, bytes of the browser's processes,
characters that came back, and whether a plain program is right afterwards.
"""

from __future__ import annotations

import asyncio
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from verifaible.config import Settings
from verifaible.crypto.sandbox.running import Bounds, ProgramFailed, Sandbox

#: What the browser of a sandbox may take in all: an idle one with Python loaded takes some 0.5 GB.
MOST_BYTES = 1_600_000_000
#: Beyond the seconds of a program, on a busy machine: ending it and closing its page.
GRACE_S = 20.0

#: Every object that any module, frame or collection still leads to, looked at as if it were JavaScript's.
_ANY = """
import gc, sys
def handles():
    for each in gc.get_objects():
        if 'JsProxy' in [kind.__name__ for kind in type(each).__mro__]:
            yield each
"""
#: A handle of JavaScript made anew from the C module of the bridge.
_MADE = """
import _pyodide_core as core
make = getattr(core, 'to_js', None)
"""

ATTEMPTS: dict[str, str] = {
    "files of the machine": """
import os, pathlib, glob
for name in ('/etc/passwd', '/proc/self/environ', '/proc/1/cmdline', '../../../../etc/passwd', 'file:///etc/passwd'):
    try:
        text = open(name).read()
        if 'root:' in text or 'PATH' in text or text.strip('\\0'): print('ESCAPED', text[:80])
    except OSError: pass
seen = [name for name in os.listdir('/') if name in ('root', 'work', 'var', 'boot', 'usr', 'opt')]
if seen: print('ESCAPED', seen)
1""",
    "files written": """
import os, tempfile
for name in ('/tmp/x', '/x', '/dev/shm/x', '/lib/python314.zip', 'x'):
    for mode in ('w', 'a', 'r+', 'x'):
        try:
            with open(name, mode) as file: file.write('x'); print('ESCAPED', name, mode)
        except OSError: pass
for make in (lambda: os.mkdir('/y'), lambda: os.symlink('/', '/z'), lambda: os.pipe(), lambda: os.truncate('/lib/python314.zip', 9)):
    try: make(); print('ESCAPED')
    except OSError: pass
1""",
    "network by the standard library": """
import socket, urllib.request, http.client
for ask in (lambda: urllib.request.urlopen('http://127.0.0.1:PORT/', timeout=2).read(),
            lambda: socket.create_connection(('127.0.0.1', PORT), 2),
            lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT)),
            lambda: (c := http.client.HTTPConnection('127.0.0.1', PORT), c.request('GET', '/'))):
    try: ask(); print('ESCAPED')
    except Exception as error: print(repr(error)[:80])
1""",
    "fetch by the bridge": """
for ask in ("from js import fetch; fetch('http://127.0.0.1:PORT/')",
            "from js import XMLHttpRequest as X; x = X.new(); x.open('GET', 'http://127.0.0.1:PORT/', False); x.send()",
            "from pyodide.http import open_url; open_url('http://127.0.0.1:PORT/')",
            "from pyodide.http import pyfetch; pyfetch('http://127.0.0.1:PORT/').send(None)",
            "import pyodide_js; pyodide_js.loadPackage('http://127.0.0.1:PORT/x.whl')"):
    try: exec(ask); print('ESCAPED', ask)
    except BaseException as error: print(repr(error)[:80])
1""",
    "the bridge brought back": """
import importlib, sys
for name in ('js', 'pyodide_js', 'pyodide_js._api', 'pyodide_js._module', 'js.globalThis'):
    for way in (importlib.import_module, __import__, lambda n: importlib.util.find_spec(n).loader.load_module(n)):
        try: found = way(name); print('ESCAPED', name, dir(found)[:9])
        except BaseException as error: print(name, repr(error)[:60])
try:
    from _pyodide import _importhook as hook
    finder = hook.JsFinder(); sys.meta_path.insert(0, finder)
    hook.register_js_finder() if hasattr(hook, 'register_js_finder') else None
    import pyodide_js; print('ESCAPED', dir(pyodide_js)[:9])
except BaseException as error: print(repr(error)[:80])
1""",
    "handles left in memory": _ANY
    + """
for each in handles():
    for name in ('globalThis', 'fetch', 'postMessage', '_module', '_api', 'FS', 'constructor', 'eval'):
        try: found = getattr(each, name)
        except BaseException: continue
        if found is not None and 'undefined' not in repr(found): print('ESCAPED', name, repr(each)[:60])
1""",
    "JavaScript's eval": """
for way in ("from pyodide.code import run_js; run_js('1+1')", "import pyodide.code as c; c.run_js('self')",
            "from pyodide_js._api import evalJs; evalJs('1')", "from js import eval as e; e('1')",
            "from js import Function as F; F.new('return this')()"):
    try: exec(way); print('ESCAPED', way)
    except BaseException as error: print(repr(error)[:80])
1""",
    "functions by the constructor": _MADE
    + """
for thing in ([1], {'a': 1}, {1}, b'x', lambda: 1, None, 10**30):
    try: handle = make(thing) if not callable(thing) else core.create_proxy(thing)
    except BaseException as error: print(repr(error)[:80]); continue
    for path in ('constructor', 'constructor.constructor', 'slice.constructor', 'push.constructor', '__proto__', 'toString.constructor', 'then'):
        try:
            found = handle
            for part in path.split('.'): found = getattr(found, part)
            made = found('return globalThis') if 'tructor' in path else found
            print(path, repr(made)[:60])
            if 'tructor' in path and hasattr(made(), 'Object'): print('ESCAPED', path)
        except BaseException as error: print(path, repr(error)[:80])
1""",
    "C functions by ctypes": """
try:
    import ctypes
    here = ctypes.CDLL(None)
    for name, argument in (('emscripten_run_script', b'self.escaped=1'), ('emscripten_run_script_int', b'41+1'), ('system', b'id'),
                           ('popen', b'id'), ('dlopen', b'/x.so')):
        try:
            said = getattr(here, name)(argument); print(name, said)
            if name == 'emscripten_run_script_int' and said == 42: print('ESCAPED', name)
        except BaseException as error: print(name, repr(error)[:80])
except BaseException as error: print(repr(error)[:80])
1""",
    "a loop without end": "n = 0\nwhile True: n += 1",
    "a loop that catches everything": """
import time, signal
while True:
    try:
        while True: time.sleep(0.001)
    except BaseException: pass""",
    "memory": """
held = []
try:
    while True: held.append(bytearray(8 << 20))
except MemoryError: pass
got = len(held) * 8
print('MB', got)
if got > 300: print('ESCAPED', got)
del held
more = []
while True: more.append([0] * 1000)""",
    "memory outside of Python's": _MADE
    + """
held, size = [], 0
def hold(value):
    global size
    held.append(make(value)); size += 8
try:
    for _ in range(400): hold(bytes(8 << 20))
except BaseException as error: print(repr(error)[:80], size)
try:
    for _ in range(400): hold(list(range(1 << 20)))
except BaseException as error: print(repr(error)[:80], size)
for _ in range(400):
    try: hold('x' * (8 << 20) + str(_))
    except BaseException as error: print(repr(error)[:80], size); break
print('MB held', size)
size""",
    "memory by files and pipes": """
import os, io
size = 0
def more(write):
    global size
    try:
        while size < 4000: write(b'x' * (8 << 20)); size += 8
    except (OSError, MemoryError) as error: print(repr(error)[:60])
for name in ('/tmp/a', '/a', '/dev/null/a'):
    try: more(open(name, 'wb').write)
    except OSError as error: print(repr(error)[:60])
try: r, w = os.pipe(); more(lambda b: os.write(w, b))
except OSError as error: print(repr(error)[:60])
try:
    for n in range(10**7): os.mkdir(f'/d{n}')
except OSError as error: print(repr(error)[:60])
if size > 300: print('ESCAPED', size)
1""",
    "output": """
import sys, os
for _ in range(200): print('x' * 1_000_000); sys.stderr.write('y' * 1_000_000); os.write(1, b'z' * 1_000_000)
sys.set_int_max_str_digits(0)
10 ** 300_000""",
    "processes": """
import os, subprocess
for way in (lambda: subprocess.run(['id'], capture_output=True), lambda: os.fork(), lambda: os.execv('/bin/sh', ['sh']),
            lambda: os.posix_spawn('/bin/id', ['id'], {}), lambda: __import__('multiprocessing').Process(target=print).start(),
            lambda: __import__('threading').Thread(target=print, args=('ESCAPED thread',)).start(), lambda: os.popen('id').read()):
    try: print('ESCAPED', way())
    except BaseException as error: print(repr(error)[:80])
if os.system('true') == 0: print('ESCAPED system')
1""",
    "a forged reply": _ANY
    + """
import json, builtins, ast
json.dumps = lambda *a, **k: '{"result": "666", "output": "forged", "nonce": "0"}' + ' ' * 5_000_000
for each in handles():
    try: each.postMessage([0, '{"result": "666"}', 'ESCAPED', False])
    except BaseException: pass
frame = sys._getframe()
while frame: print(frame.f_code.co_name, [k for k in frame.f_globals if 'nonce' in k]); frame = frame.f_back
1""",
    "prototypes changed": _MADE
    + """
for thing in ([1], {'a': 1}, b'x'):
    try:
        handle = make(thing)
        for path in ('__proto__', 'constructor.prototype', 'valueOf.__proto__'):
            try:
                found = handle
                for part in path.split('.'): found = getattr(found, part)
                found.polluted = 'yes'; found.toJSON = 'yes'; found.slice = core.create_proxy(lambda *a: 'forged')
                if getattr(make({'b': 2}), 'polluted', None) == 'yes': print('ESCAPED', path)
            except BaseException as error: print(path, repr(error)[:80])
    except BaseException as error: print(repr(error)[:80])
1""",
    "a stack and a pickle": """
import pickle, sys
for bad in (b"cos\\nsystem\\n(S'true'\\ntR.", b"cjs\\nfetch\\n(S'http://127.0.0.1:PORT/'\\ntR.", b"cbuiltins\\neval\\n(S'__import__(\\"js\\").fetch'\\ntR."):
    try: said = pickle.loads(bad); print('ESCAPED' if said == 0 or 'Js' in type(said).__name__ else said)
    except BaseException as error: print(repr(error)[:80])
def deep(n): return deep(n + 1)
try: deep(0)
except RecursionError: print('recursion')
sys.setrecursionlimit(10**8)
try: eval('(' * 10**5 + ')' * 10**5)
except BaseException as error: print(repr(error)[:60])
deep(0)""",
    "a pattern without end": """
import re
re.match(r'(a+)+$', 'a' * 60 + 'b')
1""",
    "work after the reply": """
import asyncio, atexit, gc, sys, weakref
class Late:
    def __del__(self):
        import urllib.request; urllib.request.urlopen('http://127.0.0.1:PORT/late')
late = Late(); atexit.register(Late)
try: loop = asyncio.new_event_loop(); loop.call_later(0.1, print, 'ESCAPED late'); loop.call_soon(Late)
except BaseException as error: print(repr(error)[:80])
try: exec(compile('await asyncio.sleep(1)', 'x', 'exec', flags=0x2000))
except BaseException as error: print(repr(error)[:80])
def hook(*a): print('hook')
sys.setprofile(None); sys.excepthook = hook
1""",
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """How an attempt went: why it counts as an escape (empty: it does not), and what was measured."""

    name: str
    escaped: str
    seconds: float
    most_bytes: int
    said: str


async def attempt(box: Sandbox, name: str, canary: Canary) -> Attempt:
    """Run one attempt, and look at what it reached."""
    asked, refused, peak = len(canary.asked), len(box.refused), Peak()
    started = time.monotonic()
    reasons = []
    with peak.watching():
        try:
            ran = await box.run(ATTEMPTS[name].replace("PORT", str(canary.port)), {})
            said = f"{ran.output}\n{ran.result}"
        except ProgramFailed as error:
            said = f"{error.output}\n{error}"
    if len(said) > 2 * box.bounds.output_bytes + 1_000:
        reasons.append(f"{len(said)} characters came back")
    seconds = time.monotonic() - started - box.started_s
    if "ESCAPED" in said:
        reasons.append(said[said.index("ESCAPED") :][:120])
    if len(canary.asked) > asked:
        reasons.append("the server was asked")
    if len(box.refused) > refused:
        reasons.append(f"asked for {box.refused[-1]}")
    if seconds > box.bounds.seconds + GRACE_S:
        reasons.append(f"took {seconds:.0f} s")
    if peak.most > MOST_BYTES:
        reasons.append(f"took {peak.most / 1e6:.0f} MB")
    return Attempt(name, "; ".join(reasons), seconds, peak.most, said)


class Canary:
    """A server on loopback that notes whoever asks it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        noted = self.asked

        class Handler(BaseHTTPRequestHandler):
            def handle(self) -> None:
                noted.append("asked")

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Peak:
    """The most memory that this process's children held at once, looked at ten times a second (Linux)."""

    def __init__(self) -> None:
        self.most = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        over = threading.Event()

        def watch() -> None:
            while not over.wait(0.1):
                self.most = max(self.most, _resident())

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()


def _resident() -> int:
    """Private bytes of all descendants but Playwright's driver, which is no browser."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    total, found = 0, {_own()}
    for child in sorted(parents):
        if parents[child] in found:
            found.add(child)
            try:
                status = Path(f"/proc/{child}/status").read_text()
                held = re.search(r"RssAnon:\s+(\d+)", status)
                total += 1024 * int(held[1]) if held and "node" not in status.splitlines()[0] else 0
            except OSError:
                continue
    return total


def _own() -> int:
    import os

    return os.getpid()


async def measure(names: list[str]) -> list[Attempt]:
    """Each attempt once, and a plain program after each."""
    canary = Canary()
    tried = []
    try:
        async with Sandbox(Settings(), Bounds()) as box:
            for name in names:
                tried.append(await attempt(box, name, canary))
                one = tried[-1]
                print(
                    f"{'ESCAPED' if one.escaped else 'held':8} {name}: {one.seconds:.1f} s, "
                    f"{one.most_bytes / 1e6:.0f} MB {one.escaped}",
                    flush=True,
                )
                if "-v" in sys.argv:
                    print(one.said[:1500], flush=True)
            plain = await box.run("sum(rows)", {"rows": ["1.1", "2.2"]})
            print("plain program afterwards:", plain.result)
            assert plain.result == "3.3"
    finally:
        canary.close()
    return tried


def main() -> None:
    """Measure all, or those whose names hold a word that is given."""
    words = [each for each in sys.argv[1:] if not each.startswith("-")]
    names = [name for name in ATTEMPTS if not words or any(word in name for word in words)]
    tried = asyncio.run(measure(names))
    escaped = [each for each in tried if each.escaped]
    print(
        f"{len(escaped)} of {len(tried)} escaped; longest {max(each.seconds for each in tried):.1f} s, "
        f"most memory {max(each.most_bytes for each in tried) / 1e6:.0f} MB"
    )
    sys.exit(bool(escaped))


if __name__ == "__main__":
    main()
