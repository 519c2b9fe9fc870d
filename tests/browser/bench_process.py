"""The bench as a command, and models whose answers a test writes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.command_line import run_command
from tests.servers.openai_server import JsonObject, Reply, error, function_call, message, response
from tests.unit.bench.samples import CASES, REPOSITORY
from verifaible.bench.cases import load_cases
from verifaible.bench.run_dir import RunFolder
from verifaible.cli.bench import bench as bench_command
from verifaible.schema.case import Case
from verifaible.schema.run import TrialResult

OWN_CASES = {each.id: each for each in load_cases(CASES)}

_CAPTURED = re.compile(
    r"^Citation (\d+) is verified .*\nHighlighted .*?:\n(.*?)(?:\nThe rest of its row:.*)?\n--- end of content \w+ ---\Z",
    re.DOTALL,
)


@dataclass(frozen=True)
class Ran:
    """A run that has ended: what it printed, and its folder."""

    printed: dict[str, Any]
    said: str
    folder: RunFolder

    @property
    def results(self) -> dict[str, TrialResult]:
        """The trials, by case."""
        return {each.case: each for each in self.folder.results()}


def environment(store: Path, **variables: str) -> dict[str, str]:
    """The variables of a process with a store of its own, without this machine's keys."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPEN")}
    return {**kept, "VERIFAIBLE_HOME": str(REPOSITORY), "VERIFAIBLE_STORE": str(store), **variables}


def bench(
    tmp_path: Path,
    *arguments: str,
    cases: Sequence[str] = (),
    program: Sequence[str] = (),
    **variables: str,
) -> Ran:
    """Run the bench with its run folder and its store below ``tmp_path``.

    It runs in this process, or in one of its own where a program is given to run it.
    """
    options = [*arguments, "--json", "--output", str(tmp_path / "runs")]
    options += [part for name in cases for part in ("--case", name)]
    variables = environment(tmp_path / "store", **variables)
    if program:
        done = subprocess.run(
            [*program, *options],
            cwd=REPOSITORY,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
    else:
        done = run_command(options, environment=variables, folder=REPOSITORY, command=bench_command)
    assert done.returncode == 0, f"{done.stderr}\n{done.stdout}"
    assert "Traceback" not in done.stderr
    printed = json.loads(done.stdout)
    return Ran(printed, done.stderr, RunFolder(Path(printed["run"])))


#: Makes the next reply from the case and what the tool calls so far gave back.
Script = Callable[[Case, Sequence[str]], Reply]


@dataclass
class CaseModel:
    """The answering side of a model: finds the case in the request and asks the script.

    ``seen`` has the outputs of the tool calls as they stood in the last request of each case.
    """

    script: Script
    cases: Mapping[str, Case] = field(default_factory=lambda: OWN_CASES)
    seen: dict[str, list[str]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, body: JsonObject) -> Reply:
        """The reply to one request."""
        asked = json.dumps(body["input"][0], ensure_ascii=False)
        case = next((each for each in self.cases.values() if json_text(each.question) in asked), None)
        if case is None:
            return error(400, "This model knows no such question.")
        outputs = [item["output"] for item in body["input"] if item.get("type") == "function_call_output"]
        with self._lock:
            self.seen[case.id] = outputs
        return self.script(case, outputs)


def json_text(text: str) -> str:
    """A text as it stands inside a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def calling(name: str, arguments: JsonObject, place: int, **usage: Any) -> Reply:
    """A reply that calls one tool."""
    return response(function_call(name, arguments, f"call_{place}"), model="some/model", **usage)


def saying(text: str, **usage: Any) -> Reply:
    """A reply that ends the trial."""
    return response(message(text), model="some/model", **usage)


def captured(output: str) -> str:
    """What ``verifaible_cite`` says that it captured: the words that it emphasises, else all that it shows."""
    match = _CAPTURED.match(output)
    assert match, output
    return " ".join(re.findall("⟦(.*?)⟧", match[2], re.DOTALL)) or match[2]
