"""Other projects' tools, measured beside ours where ``make peers`` has installed them; nothing needs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Self

FOLDER = Path(__file__).resolve().parents[2] / ".peers"
PYTHON = FOLDER / "venv" / "bin" / "python"
NODE = FOLDER / "node_modules"
NOT_INSTALLED = "not installed"
_STARTING_S = 30


class PeerFailed(Exception):
    """A tool did not do what it was asked."""


def version(name: str) -> str:
    """The version of an installed tool, by its name in the registry; empty where it is not installed."""
    package = NODE / name / "package.json"
    if package.is_file():
        return str(json.loads(package.read_text(encoding="utf-8"))["version"])
    folders = [str(each) for each in FOLDER.glob("venv/lib/python*/site-packages")]
    return next((each.version for each in distributions(name=name, path=folders)), "")


def versions(*names: str) -> str:
    """A phrase that names tools with their versions."""
    return ", ".join(f"{name} {version(name) or f'({NOT_INSTALLED})'}" for name in names)


def environment(folder: Path) -> dict[str, str]:
    """Settings under which a tool keeps what it writes in this folder, and asks the network for nothing."""
    own = {
        "HOME": str(folder),
        "CRAWL4_AI_BASE_DIRECTORY": str(folder),
        "CRAWL4AI_NO_CLOUD_NOTICE": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HF_HUB_OFFLINE": "1",
    }
    return {**os.environ, **own}


@contextmanager
def debuggable(chromium: Path) -> Iterator[str]:
    """The address of the debugging port of a Chromium of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = ["--remote-debugging-port=0", f"--user-data-dir={profile}", "--headless", "--no-sandbox"]
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen([chromium, *arguments, "about:blank"], **quiet) as process:
            try:
                told = Path(profile) / "DevToolsActivePort"
                deadline = time.monotonic() + _STARTING_S
                while not told.is_file() or "\n" not in told.read_text():
                    if time.monotonic() > deadline:
                        raise PeerFailed("Chromium did not open its debugging port.")
                    time.sleep(0.05)
                yield f"http://127.0.0.1:{told.read_text().split()[0]}"
            finally:
                process.terminate()


class Lines:
    """A process that answers each line with a line of JSON."""

    def __init__(self, command: Sequence[str | Path], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close its input, and end it if that does not."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def send(self, line: str) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next line that is a JSON object."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                return dict(json.loads(line))
        raise PeerFailed(f"{self._process.args} ended.")  # type: ignore[str-bytes-safe]


class McpServer(Lines):
    """An MCP server over standard input and output that is asked one thing after the other."""

    def __init__(self, command: Sequence[str | Path], environment: Mapping[str, str]) -> None:
        super().__init__(command, environment)
        self._asked = 0
        client = {"name": "benchmark", "version": "0"}
        self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}))
        while (answer := self.receive()).get("id") != self._asked:
            pass  # a notification
        if "result" not in answer:
            raise PeerFailed(str(answer)[:600])
        return dict(answer["result"])

    def call(self, tool: str, **arguments: str) -> str:
        """The text that a tool gives."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(each.get("text", "") for each in result["content"])
        if result.get("isError"):
            raise PeerFailed(text[:600])
        return text


def verifaible_mcp(folder: Path, chromium: Path) -> McpServer:
    """Our own server, in a process of its own as theirs are."""
    return McpServer([sys.executable, "-m", "verifaible.cli", "mcp"], ours(folder, chromium))


def ours(folder: Path, chromium: Path) -> dict[str, str]:
    """Settings for processes of our own."""
    own = {
        "VERIFAIBLE_HOME": str(folder),
        "VERIFAIBLE_STORE": str(folder / "store"),
        "VERIFAIBLE_ALLOW_HOSTS": "127.0.0.1",
        "VERIFAIBLE_BROWSER": str(chromium),
    }
    return {**os.environ, **own}


def playwright_mcp(folder: Path, chromium: Path) -> McpServer:
    """Microsoft's server, without a window and with a profile in memory."""
    command: list[str | Path] = [
        NODE / ".bin" / "playwright-mcp",
        "--headless",
        "--isolated",
        "--snapshot-mode",
        "none",
    ]
    command += ["--executable-path", chromium, "--no-sandbox", "--output-dir", folder]
    return McpServer(command, environment(folder))
