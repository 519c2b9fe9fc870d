"""Run the bench through a LiteLLM proxy, a server that is not ours: ``python -m scripts.litellm_check``.

LiteLLM is installed into a virtual environment of its own in a temporary folder (a few hundred megabytes
from the package index) and stands between the bench and a scripted model, which speaks both of OpenAI's
APIs and follows the oracle of each case. Nothing else is asked. Three ways are tried: Responses and Chat
Completions passed on, and Responses that LiteLLM itself translates to Chat Completions. The exit status is
0 if every trial has full marks, is verified, and has its tokens and its cost.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from verifaible.bench.cases.load import load_cases
from verifaible.bench.run.folder import RunFolder
from verifaible.config import Settings
from verifaible.schema.case import Case
from verifaible.schema.run import TrialResult

#: Tokens of each answer of the scripted model.
INPUT, CACHED, OUTPUT, THOUGHT = 1000, 400, 50, 20
#: What the proxy is told that a token costs, in US dollars; cached input costs what other input does.
INPUT_USD, OUTPUT_USD = 1e-6, 2e-6
#: The ways: name, the proxy's own name of the model, API.
WAYS = (
    ("responses", "passed-on", "responses"),
    ("chat", "passed-on", "chat"),
    ("translated", "translated", "responses"),
)
START_S, RUN_S = 300, 600


class ScriptedUpstream:
    """The model behind the proxy; ``paths`` notes what it was asked."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        self.paths: list[str] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        self.paths.append(path.removeprefix("/v1"))
        text = json.dumps(body, ensure_ascii=False)
        case = next(
            each for each in self.cases if json.dumps(each.question, ensure_ascii=False)[1:-1] in text
        )
        assert case.oracle is not None
        chat = path.endswith("/chat/completions")
        results = [
            item
            for item in body["messages" if chat else "input"]
            if item.get("role") == "tool" or item.get("type") == "function_call_output"
        ]
        step = case.oracle.steps[len(results)] if len(results) < len(case.oracle.steps) else None
        call = None
        if step is not None:
            arguments = json.dumps(step.arguments, ensure_ascii=False)
            call = {"id": f"call_{len(results)}", "name": step.tool, "arguments": arguments}
        said = f"{case.answer} [@v:1]"
        return _completion(call, said) if chat else _response(call, said)


def _completion(call: dict[str, str] | None, said: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said, "reasoning_content": "Let me see."}
    if call:
        function = {"name": call["name"], "arguments": call["arguments"]}
        message |= {
            "content": None,
            "tool_calls": [{"id": call["id"], "type": "function", "function": function}],
        }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "tool_calls" if call else "stop", "message": message}],
        "usage": {
            "prompt_tokens": INPUT,
            "prompt_tokens_details": {"cached_tokens": CACHED},
            "completion_tokens": OUTPUT,
            "completion_tokens_details": {"reasoning_tokens": THOUGHT},
            "total_tokens": INPUT + OUTPUT,
        },
    }


def _response(call: dict[str, str] | None, said: str) -> dict[str, Any]:
    thought = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "Let me see."}],
    }
    if call:
        item: dict[str, Any] = {"type": "function_call", "id": f"fc_{call['id']}", "call_id": call["id"]}
        item |= {"name": call["name"], "arguments": call["arguments"], "status": "completed"}
    else:
        part = {"type": "output_text", "text": said, "annotations": []}
        item = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": "scripted",
        "output": [thought, item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": INPUT,
            "input_tokens_details": {"cached_tokens": CACHED},
            "output_tokens": OUTPUT,
            "output_tokens_details": {"reasoning_tokens": THOUGHT},
            "total_tokens": INPUT + OUTPUT,
        },
    }


def _handler(upstream: ScriptedUpstream) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = json.dumps(upstream.answer(self.path, body)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()

        def log_message(self, format: str, *args: Any) -> None:
            """No access log."""

    return Handler


def installed(folder: Path) -> tuple[Path, str]:
    """The ``litellm`` program of a virtual environment, made where there is none, and its version."""
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"Installing litellm[proxy] into {folder.name}/ ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-qq", "litellm[proxy]"], check=True)
    code = "import importlib.metadata as m; print(m.version('litellm'))"
    done = subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True)
    return folder / "bin" / "litellm", done.stdout.strip()


def started(program: Path, folder: Path, upstream: str, key: str) -> tuple[subprocess.Popen[bytes], str]:
    """The proxy, once it is ready, and its base URL."""
    same = {"api_base": upstream, "api_key": "sk-upstream"}
    prices = {"input_cost_per_token": INPUT_USD, "output_cost_per_token": OUTPUT_USD}
    prices["cache_read_input_token_cost"] = INPUT_USD
    config = {
        "model_list": [
            {"model_name": "passed-on", "litellm_params": {"model": "openai/scripted", **same, **prices}},
            # LiteLLM has no Responses API of DeepSeek, so it translates
            {"model_name": "translated", "litellm_params": {"model": "deepseek/scripted", **same, **prices}},
        ]
    }
    (folder / "litellm.yaml").write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(program), "--config", str(folder / "litellm.yaml"), "--host", "127.0.0.1"]
    with (folder / "litellm.log").open("wb") as log:
        proxy = subprocess.Popen(
            [*command, "--port", str(port)],
            env={**os.environ, "LITELLM_MASTER_KEY": key, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    until = time.monotonic() + START_S
    while time.monotonic() < until and proxy.poll() is None:
        try:
            with ask(f"http://127.0.0.1:{port}/health/liveliness", timeout=5):
                return proxy, f"http://127.0.0.1:{port}/v1"
        except OSError:
            time.sleep(0.5)
    proxy.kill()
    proxy.wait()
    raise SystemExit((folder / "litellm.log").read_text(errors="replace")[-2000:])


def run_bench(folder: Path, base_url: str, key: str, cases: Sequence[str]) -> RunFolder:
    """One run of the bench over all ways, described in a ``models.json``."""
    models = {
        "endpoints": {"litellm": {"base_url": base_url}},
        "models": [
            {"name": name, "slug": slug, "endpoint": "litellm", "api": api} for name, slug, api in WAYS
        ],
    }
    (folder / "models.json").write_text(json.dumps(models), encoding="utf-8")
    command = [sys.executable, "-m", "verifaible.bench", "--web", "offline", "--json"]
    command += ["--output", str(folder / "runs"), *(f"--model={name}" for name, _, _ in WAYS)]
    command += [f"--case={case}" for case in cases]
    own = {
        "VERIFAIBLE_MODELS": str(folder / "models.json"),
        "VERIFAIBLE_STORE": str(folder / "store"),
        "LITELLM_API_KEY": key,
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VERIFAIBLE_BASE")}
    done = subprocess.run(command, env={**kept, **own}, stdout=subprocess.PIPE, check=True, timeout=RUN_S)
    return RunFolder(Path(json.loads(done.stdout)["run"]))


def fits(trial: TrialResult) -> bool:
    """Whether a trial is whole: score, evidence, tokens, and the cost that the proxy stated."""
    rounds = trial.rounds
    cost = rounds * (INPUT * INPUT_USD + OUTPUT * OUTPUT_USD)
    tokens = (trial.input_tokens, trial.cached_input_tokens, trial.output_tokens, trial.reasoning_tokens)
    return (
        (trial.score, trial.verified, trial.error) == (100, True, None)
        and tokens == (INPUT * rounds, CACHED * rounds, OUTPUT * rounds, THOUGHT * rounds)
        and trial.billed_usd is not None
        and abs(trial.billed_usd - cost) < 1e-9
    )


def main() -> int:
    """Run the check and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", action="append", help="Case to run; repeat for several.")
    parser.add_argument("--venv", type=Path, help="Virtual environment to use or make, and keep.")
    options = parser.parse_args()
    names = options.case or ["cn_text_001", "us_table_001", "cn_table_004"]
    settings = Settings()
    cases = [each for each in load_cases(settings.cases_dir, settings.cases_dir) if each.id in names]
    key = f"sk-{secrets.token_hex(16)}"
    with tempfile.TemporaryDirectory(prefix="litellm_check_") as made:
        folder = Path(made)
        program, version = installed(options.venv or folder / "venv")
        upstream = ScriptedUpstream(cases)
        try:
            proxy, base_url = started(program, folder, upstream.url, key)
            try:
                trials = run_bench(folder, base_url, key, names).results()
            finally:
                proxy.terminate()
                proxy.wait(60)
        finally:
            upstream.close()
    asked = ", ".join(f"{path} {upstream.paths.count(path)}" for path in sorted(set(upstream.paths)))
    print(f"LiteLLM {version}; the model behind it was asked: {asked}")
    print("way         case          score  verified  rounds  input  cached  output  thought  billed USD")
    for trial in trials:
        print(
            f"{trial.model:<11} {trial.case:<13} {trial.score:>5}  {trial.verified!s:<8}  {trial.rounds:>6}"
            f"  {trial.input_tokens:>5}  {trial.cached_input_tokens:>6}  {trial.output_tokens:>6}"
            f"  {trial.reasoning_tokens:>7}  {trial.billed_usd or 0:>10.6f}  {trial.error or ''}".rstrip()
        )
    good = sum(map(fits, trials))
    print(f"{good} of {len(names) * len(WAYS)} trials are whole.")
    return 0 if good == len(names) * len(WAYS) else 1


if __name__ == "__main__":
    sys.exit(main())
