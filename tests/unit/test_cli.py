"""The programs as a person runs them: what they print where, their exit status, and what they load."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.command_line import run_command
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, error, message, response
from tests.unit.bench.samples import CASES, REPOSITORY, fields, info, result, transcript, write
from verifaible.bench.run_dir import RunFolder
from verifaible.cli.bench import bench
from verifaible.cli.program import verifaible
from verifaible.console.output import guarded
from verifaible.crypto.cli import crypto
from verifaible.judge.cli import judge

HEAVY = (
    "openai",
    "playwright",
    "pymupdf",
    "bs4",
    "genai_prices",
    "rich",
    "lxml",
    "httpx2",
    "pydantic",
    "warcio",
    "sqlalchemy",
    "jinja2",
    "cryptography",
)


class Shell:
    """Runs the programs in a home of their own, where the browser is a script that leaves a trace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trace = folder / "browser-started"
        browser = folder / "browser.sh"
        browser.write_text(f"#!/bin/sh\necho started >> '{self.trace}'\nexit 1\n")
        browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("VERIFAIBLE_", "OPEN"))
        }
        self.environment = {
            **kept,
            "VERIFAIBLE_HOME": str(REPOSITORY),
            "VERIFAIBLE_STORE": str(folder / "store"),
            "VERIFAIBLE_BROWSER": str(browser),
        }

    def __call__(
        self, *arguments: str, given: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run ``verifaible`` with these arguments; ``given`` is its standard input."""
        environment = {**self.environment, **variables}
        return run_command(arguments, environment=environment, folder=REPOSITORY, given=given)

    def process(self, *arguments: str, given: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """The same as a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "verifaible.cli", *arguments],
            cwd=REPOSITORY,
            env={**self.environment, **variables},
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def refused(self, *arguments: str, **variables: str) -> str:
        """Run the bench, which must refuse before it makes a folder or starts a browser; what it said."""
        output = self.folder / "runs"
        done = self("bench", *arguments, "--output", str(output), **variables)
        assert done.returncode == 2, done.stderr
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        assert not output.exists()
        assert not self.trace.exists()
        return done.stderr.strip()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port of loopback that refuses connections: bound, but nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


# --- help


@pytest.mark.parametrize(
    "argv",
    [
        ["verifaible.bench", "--help"],
        ["verifaible.cli", "--help"],
        ["verifaible.cli", "bench", "grade", "--help"],
    ],
)
def test_help_loads_nothing_heavy(argv: list[str]) -> None:
    code = f"""
import runpy, sys
sys.argv = {argv!r}
try:
    runpy.run_module({argv[0]!r}, run_name="__main__", alter_sys=True)
except SystemExit as end:
    assert not end.code, end.code
print("LOADED", sorted(set(sys.modules) & set({HEAVY!r})))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    shown, _, loaded = done.stdout.rpartition("LOADED ")
    assert "Usage:" in shown
    assert loaded.strip() == "[]"


def test_check_for_heavy_modules_can_fail() -> None:
    code = f"import sys, rich, openai; print(sorted(set(sys.modules) & set({HEAVY!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "'openai'" in done.stdout
    assert "'rich'" in done.stdout


def test_a_file_that_ends_too_soon_is_no_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def cut() -> None:
        raise EOFError("marshal data too short")

    monkeypatch.setattr(sys, "argv", ["cut"])
    with pytest.raises(EOFError, match="too short"):
        guarded(cut)


# --- wrong use


def commands_of(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words that lead to each command of a program, the groups among them."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands_of(below, (*path, name))


PROGRAMS = {"verifaible": verifaible, "bench": bench, "judge": judge, "crypto": crypto}


@pytest.mark.parametrize("program", PROGRAMS)
def test_wrong_use_of_any_command_exits_with_2_and_any_has_a_short_help(shell: Shell, program: str) -> None:
    paths = list(commands_of(PROGRAMS[program]))
    assert len(paths) > 3

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = PROGRAMS[program]
        return run_command(arguments, environment=shell.environment, folder=shell.folder, command=command)

    for path in paths:
        wrong = run(*path, "--no-such-option")
        assert (wrong.returncode, wrong.stdout) == (2, ""), path
        assert "--no-such-option" in wrong.stderr and "Traceback" not in wrong.stderr
        short, long = run(*path, "-h"), run(*path, "--help")
        assert (short.returncode, short.stdout) == (0, long.stdout), path
        assert "-h, --help" in short.stdout
    assert not shell.trace.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "--all", "--since", ""],
        ["list", "--since", "soon"],
        ["crypto", "ask", " ", "--model", "glm-5"],
        ["crypto", "ask", "BTC", "--model", "glm-5", "--now", ""],
        ["bench", "report", "x" * 300],
        ["bench", "--model", "oracle", f"--cases={'x' * 300}"],
        ["judge", "report", f"{'x' * 300}/y"],
        ["ask", "Why?", "--model", "glm-5", "--out", f"{'x' * 300}/page.html"],
        ["import", "x" * 300],
        ["cite", "example.com"],
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_what_a_command_cannot_use_is_wrong_use(shell: Shell, arguments: list[str]) -> None:
    done = shell(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "The machine failed" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert not shell.trace.exists()


# --- what the other tests rely on


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "grade", "cn_text_001", "--answer", "140489 万人"],
        ["verify", "0123456789abcdef"],
        ["bench", "--limit", "none"],
    ],
    ids=["done", "refused", "wrong use"],
)
def test_a_command_does_within_a_test_what_it_does_as_a_process(shell: Shell, arguments: list[str]) -> None:
    # A usage error names the program before its last line, and that is another one here.
    within, process = (
        (done.returncode, done.stdout, done.stderr.splitlines()[-1:])
        for done in (shell(*arguments), shell.process(*arguments))
    )
    assert within == process


# --- what the bench refuses before it starts anything


def test_no_model(shell: Shell) -> None:
    assert "Name at least one --model, such as --model oracle." in shell.refused()


def test_unknown_model(shell: Shell) -> None:
    said = shell.refused("--model", "glm5")
    assert said.startswith(
        "There is no model named 'glm5'. Did you mean glm-5? Use oracle, nop, a short name "
    )
    assert "\n" not in said


@pytest.mark.parametrize("model", ["glm-5", "z-ai/glm-5", "some/model"])
def test_missing_key_is_one_sentence(shell: Shell, model: str) -> None:
    said = shell.refused("--model", model)
    assert said == (
        f"The model {model} is asked at openrouter.ai, which needs an API key: set the environment variable"
        " OPENROUTER_API_KEY and start again."
    )


def test_run_that_needs_a_page_starts_the_browser(shell: Shell) -> None:
    """The trace that the tests here look for is left; and a browser that fails is no model's failure."""
    output = shell.folder / "runs"
    done = shell("bench", "--model", "oracle", "--case", "us_text_002", "--output", str(output))
    assert shell.trace.exists()
    (folder,) = output.iterdir()
    (trial,) = RunFolder(folder).results()
    assert (trial.ended_by, trial.score, trial.verified) == ("infrastructure", 0, False)
    assert trial.error is not None
    assert trial.error.startswith("browser.sh was found but did not start")
    line = done.stderr.splitlines()[0]
    assert line.startswith("oracle  us_text_002  0  not verified")
    assert line.endswith(trial.error)
    assert "Traceback" not in done.stderr


def test_base_url_that_is_none(shell: Shell) -> None:
    said = shell.refused("--model", "some/model", "--base-url", "openrouter.ai/api")
    assert said.startswith("VERIFAIBLE_BASE_URL='openrouter.ai/api': Does not begin with http://, https://.")


def test_bad_cases_are_all_named(shell: Shell) -> None:
    folder = shell.folder / "cases"
    folder.mkdir()
    broken = folder / "a.json"
    broken.write_text("{")
    unknown = write(folder / "b.json", fields(id="b", note="?", url="example.com"))
    twin, twice = (write(folder / name, fields()) for name in ("c.json", "d.json"))
    said = shell.refused("--model", "oracle", "--cases", str(folder)).splitlines()
    assert said[0].startswith(f"{broken}: is not JSON (")
    assert said[1] == f"{unknown}: url: must be an absolute http:// or https:// address"
    assert said[2] == f"{unknown}: note: Extra inputs are not permitted"
    assert said[3] == f"{twice}: id: 'sample_001' is the id of a case in {twin} already"
    assert said[4].startswith("No case was run: correct the lines above")
    assert len(said) == 5


def test_unknown_case_category_and_folder(shell: Shell) -> None:
    said = shell.refused("--model", "oracle", "--case", "cn_text_01", "--category", "films")
    assert "--case cn_text_01: there is no such case" in said
    assert "--category films: there is no such category (there are: dynamic, dynamic+pdf, table," in said
    nowhere = shell.folder / "nowhere"
    assert f"{nowhere}: cannot be read" in shell.refused("--model", "nop", "--cases", str(nowhere))


def test_offline_without_archives(shell: Shell) -> None:
    home = shell.folder / "home"
    (home / "cases").mkdir(parents=True)
    write(home / "cases" / "one.json", fields())
    for arguments in (["--web", "offline"], []):
        said = shell.refused("--model", "oracle", *arguments, VERIFAIBLE_HOME=str(home))
        assert said.startswith(f"There is no archive in {home / 'snapshots' / 'sites'}.")
        assert "VERIFAIBLE_HOME" in said


def test_setting_that_cannot_be(shell: Shell) -> None:
    said = shell.refused("--model", "oracle", VERIFAIBLE_PAGE_TIMEOUT_S="soon", VERIFAIBLE_MAX_BODY_BYTES="0")
    assert "VERIFAIBLE_PAGE_TIMEOUT_S='soon': Input should be a valid number" in said
    assert "VERIFAIBLE_MAX_BODY_BYTES='0': Input should be greater than 0" in said
    assert said.endswith("Correct or unset it.")


# --- the other commands of the bench


def test_grade_as_json(shell: Shell) -> None:
    done = shell("bench", "grade", "cn_text_001", "--answer", "140489 万人", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "case": "cn_text_001",
        "answer_correct": True,
        "expected": '{"kind":"number","value":"140489","unit":"万人"}',
        "explanation": "States 140489 万人.",
        "read_instead": [],
        "markers": [],
        "score": 40,
        "score_with_citation": 85,
    }


def test_grade_for_people_and_from_standard_input(shell: Shell) -> None:
    done = shell.process("bench", "grade", "cn_text_001", "--answer", "-", given="约 14 亿人[@v:1]\n")
    assert done.returncode == 0
    assert done.stdout.startswith("cn_text_001: wrong. Expected 140489 万人")
    assert "Score of the text alone: 0; with fitting evidence: 0." in done.stdout


def test_grade_of_a_case_file(shell: Shell) -> None:
    path = write(shell.folder / "mine.json", fields())
    done = shell("bench", "grade", str(path), "--answer", "36 [@v:1]", "--json")
    assert json.loads(done.stdout)["score_with_citation"] == 100
    broken = write(shell.folder / "broken.json", fields(url="x"))
    refused = shell("bench", "grade", str(broken), "--answer", "36")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"{broken}: url: must be" in refused.stderr


def test_grade_of_an_unknown_case(shell: Shell) -> None:
    done = shell("bench", "grade", "cn_text_999", "--answer", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("cn_text_999: there is no such case")


def test_schema(shell: Shell) -> None:
    done = shell("bench", "check", "--schema")
    assert done.returncode == 0
    assert set(json.loads(done.stdout)["required"]) == {"id", "category", "url", "question", "answer"}


def test_check(shell: Shell) -> None:
    done = shell("bench", "check")
    assert done.returncode == 0
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == sorted(
        path.stem for path in CASES.glob("*.json")
    )
    assert done.stderr == "21 cases, no fault.\n"
    path = write(shell.folder / "bad.json", fields(answer=""))
    refused = shell("bench", "check", str(path))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"{path}: answer: String should have at least 1 character")


def test_report_of_a_folder_is_printed_again(shell: Shell) -> None:
    folder = RunFolder.create(shell.folder / "runs", ("z-ai/glm-5",))
    trials = [result(case=name) for name in ("cn_text_001", "cn_table_001")]
    folder.write_info(info(*trials))
    for each in reversed(trials):
        folder.add(each, transcript(each))
    with (folder.path / "results.jsonl").open("a") as file:
        file.write('{"model": "half')
    done = shell("bench", "report", str(folder.path))
    assert done.returncode == 0, done.stderr
    assert "Leaderboard" in done.stdout
    assert "2/2" in done.stdout
    text = (folder.path / "report.md").read_text()
    # in the order of the cases, not in that of the finish
    assert text.index("| cn_text_001 |") < text.index("| cn_table_001 |")


def test_report_of_what_is_no_run(shell: Shell) -> None:
    done = shell("bench", "report", str(shell.folder))
    assert (done.returncode, done.stdout) == (2, "")
    assert "run.json cannot be read" in done.stderr
    assert "Traceback" not in done.stderr
    empty = RunFolder.create(shell.folder / "runs", ("nop",))
    empty.write_info(info(result()))
    done = shell("bench", "report", str(empty.path))
    assert done.returncode == 2
    assert "has no finished trial" in done.stderr


# --- the programs beside the bench


def test_status_of_a_command_reaches_the_shell(shell: Shell) -> None:
    done = shell.process(
        "doctor", VERIFAIBLE_HOME=str(shell.folder), VERIFAIBLE_BROWSER=str(shell.folder / "none")
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_replay_of_an_unknown_citation(shell: Shell) -> None:
    for command in ("replay", "verify"):
        done = shell(command, "0123456789abcdef", "--json")
        assert (done.returncode, done.stdout) == (2, "")
        assert "0123456789abcdef" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Give the ID of a citation, or --all"),
        (["1f3a", "--all"], "Give the ID of a citation, or --all"),
        (["1f3a", "--since", "2026-03-02"], "--since needs --all"),
        (["1f3a", "--concurrency", "2"], "--concurrency needs --all"),
        (["1f3a", "--executor", "ray"], "--executor needs --all"),
        (["1f3a", "--older", "1d"], "--older needs --all"),
        (["--all", "--older", "1d"], "--older needs --live"),
        (["--all", "--live", "--older", "soon"], "--older soon: give a number"),
        (["--all", "--headed"], "--headed shows one citation"),
        (["--all", "--since", "soon"], "--since soon: give a day"),
        (["--all", "--concurrency", "0"], "0 is not in the range"),
    ],
)
def test_options_of_replay_that_do_not_fit(shell: Shell, arguments: list[str], said: str) -> None:
    done = shell("replay", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not shell.trace.exists()


@pytest.mark.parametrize("command", [("watch",), ("replay", "--all"), ("replay", "--all", "--live")])
def test_looking_at_a_store_that_is_not_there_makes_none(shell: Shell, command: tuple[str, ...]) -> None:
    before = set(shell.folder.rglob("*"))
    assert shell(*command).returncode == 0
    assert set(shell.folder.rglob("*")) == before


def test_replay_of_an_empty_store_starts_no_browser(shell: Shell) -> None:
    done = shell("replay", "--all")
    assert (done.returncode, done.stdout) == (0, "0 of 0 replayed: none\n")
    assert "There is no citation to replay in" in done.stderr
    assert not shell.trace.exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"[{", "steps.json: Value error, is not valid JSON"),
        (b'[{"type": "dance"}]', "steps.json: 0: "),
    ],
)
def test_cite_with_bad_steps(shell: Shell, data: bytes, said: str) -> None:
    path = shell.folder / "steps.json"
    path.write_bytes(data)
    done = shell("cite", "https://example.com", "--quote", "x", "--web", "offline", "--steps", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not shell.trace.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--quote is missing: --type text needs the exact words of the source."),
        (["--type", "image"], "--selector, --alt or --position is missing"),
        (["--quote", "x", "--at", "soon"], "--at: must be seconds"),
        (["--selector", "img", "--position", "1"], "--position: must be two numbers such as"),
    ],
)
def test_cite_names_the_options_that_were_typed(shell: Shell, arguments: list[str], said: str) -> None:
    done = shell("cite", "https://example.com", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "URL example.com is not an absolute" in shell("cite", "example.com", *arguments[:0]).stderr
    assert not shell.trace.exists()


# --- an endpoint that gives nothing


@pytest.mark.slow  # the client waits 1 + 2 + 4 + 8 s between its five attempts
@pytest.mark.usefixtures("brief_retries")
def test_base_url_that_does_not_answer(shell: Shell, closed_port: int) -> None:
    output = shell.folder / "runs"
    url = f"http://127.0.0.1:{closed_port}/v1"
    done = shell(
        *("bench", "--model", "some/model", "--base-url", url, "--web", "offline", "--output", str(output)),
        VERIFAIBLE_BROWSER="",
    )
    assert done.returncode == 2
    last = done.stderr.strip().splitlines()[-1]
    assert re.match(rf"127\.0\.0\.1:{closed_port} was asked \d+ times, and the connection failed \(", last)
    assert "Check that" in last or "Check the base URL" in last
    (folder,) = output.iterdir()
    assert str(folder) in last
    trials = RunFolder(folder).results()
    # two were under way; the other nineteen would have ended the same way and were not begun
    assert 1 <= len(trials) <= 2
    assert {(each.ended_by, each.score, each.rounds) for each in trials} == {("model_error", 0, 0)}


def test_key_that_is_refused_stops_the_run_at_once(shell: Shell) -> None:
    output = shell.folder / "runs"
    with OpenAIServer(lambda body: error(500, "not reached"), api_key="sk-right") as server:
        done = shell(
            *("bench", "--model", "some/model", "--base-url", server.base_url, "--web", "offline"),
            *("--concurrency", "1", "--output", str(output)),
            VERIFAIBLE_BROWSER="",
            VERIFAIBLE_API_KEY="sk-wrong",
        )
    assert done.returncode == 2
    assert "did not accept the API key" in done.stderr
    assert "sk-wrong" not in done.stdout + done.stderr
    assert len(server.requests) == 1
    (folder,) = output.iterdir()
    assert all(b"sk-wrong" not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.nightly
def test_stopping_a_run_keeps_what_is_finished(shell: Shell) -> None:
    output, held = shell.folder / "runs", threading.Event()

    def answer(body: JsonObject) -> Reply:
        return response(message("Unknown.")) if len(server.requests) == 1 else Reply(hold=held)

    with OpenAIServer(answer) as server:
        command = [
            sys.executable,
            "-m",
            "verifaible.cli",
            "bench",
            "--model",
            "some/model",
            "--web",
            "offline",
        ]
        command += ["--base-url", server.base_url, "--concurrency", "1", "--output", str(output)]
        with subprocess.Popen(
            command, cwd=REPOSITORY, env=shell.environment, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            while process.poll() is None and not any(
                each.read_bytes().endswith(b"\n") for each in output.glob("*/results.jsonl")
            ):
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            rest = process.stderr.read()
            status = process.wait(timeout=300)
        held.set()
    (folder,) = output.iterdir()
    assert status == 130, rest
    assert f"Finished trials are kept in {folder}." in rest
    assert "Traceback" not in rest
    assert [each.case for each in RunFolder(folder).results()] == ["cn_dynamic_001"]
    assert RunFolder(folder).info().finished_at is None


def test_a_full_disk_is_a_sentence(shell: Shell) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "verifaible.cli", "bench", "check", "--schema"],
            env=shell.environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("The machine failed ([Errno 28]")
    assert "Traceback" not in done.stderr


def test_an_argument_that_is_no_text_is_a_sentence(shell: Shell, tmp_path: Path) -> None:
    text = tmp_path / "\udcff.md"
    text.write_text("It was 5.", encoding="utf-8")
    done = shell.process("check", str(text), "--out", str(tmp_path / "page.html"))
    assert done.returncode == 2
    assert done.stderr == "An argument holds bytes that are no UTF-8 text. Correct it.\n"
