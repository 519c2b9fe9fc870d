"""Every command block of the README and the documents is run, line by line, as a new user would.

The tutorials are run by ``test_walkthroughs.py``. A line of each program is a process, and so is what serves until it
is ended; the rest runs within the test (``tests/command_line.py``).

What cannot be had here is stood in for: a model by a local server that speaks its API, the internet by nothing at
all, so what looks at today's web says so. Names in capitals stand for what a reader puts there. The scripts of
the source, which measure for minutes or write into it, and make's targets are checked to be there; the tests that CI
runs are not run within themselves.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.judging.marked import marked_answers, write_public
from tests.browser.conftest import REPOSITORY
from tests.command_line import run_command
from tests.kit.marks import nightly
from tests.servers.openai_server import OpenAIServer, message, response
from tests.unit.test_docs import ACTIVATE, OF_TODAY, ROOT, blocks, example_case, text_of
from verifaible.cli.bench import bench
from verifaible.cli.program import verifaible

#: Named in the documents; made here by a model that answers without looking.
RUN = "20261121T120500Z-glm-5"
#: A run of two models, for what compares them.
PAIR = "20261121T130000Z-glm-5+kimi-k2.5"
CASES = ("cn_text_001", "us_table_001")
_PATIENCE_S = 300
#: How a line begins that runs one of the programs, and what it runs.
_PROGRAMS = {"verifaible": verifaible, "python -m verifaible.bench": bench}
#: What only a shell understands.
_SHELL = re.compile(r"[|<>&;$`]")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
#: Run in the order of their page, by tests/browser/test_walkthroughs.py.
TUTORIALS = ("fact-checker", "evaluator", "builder")
#: Commands that serve until they are ended.
_SERVING = re.compile(r"verifaible (serve|mcp --http)\b")
#: What measures for minutes, or is what runs these tests.
_LONG = re.compile(r"make |pip install |python -m scripts\.|\.venv/bin/python -m (pytest|tests\.)")
#: A text with a sentence that the page it links has, in the archives; a part of it would be left undecided.
REPORT = (
    "人口变动情况抽样调查推算，2025年年末，31个省、自治区、直辖市和现役军人合计的全国人口总量为140489万人，比上年末少339万人 "
    "([统计局](https://www.stats.gov.cn/xxgk/jd/sjjd2020/202601/t20260119_1962338.html))。\n"
)
#: The table of docs/commands.md.
QUOTES = next(block for block in blocks(text_of("docs/commands.md"), "text") if block.startswith("url,"))
#: What fails here, with its status: there is no internet, no evidence or JSON in the model's answer, no server of the
#: other API, no screen, no local model. Everything else ends with 0.
_FAILING = {
    "at 4.5 percent": 1,
    "verifaible ask": 1,
}


def lines_of(document: Path) -> list[str]:
    """The command lines of a document's blocks, in order."""
    text = document.read_text(encoding="utf-8").replace("\\\n", " ")
    found = [line for block in blocks(text, "sh") for line in block.splitlines()]
    return [line for line in found if line.strip() and not line.startswith("#") and line != ACTIVATE]


LINES = {
    path: lines
    for path in (ROOT / name for name in OF_TODAY if Path(name).stem not in TUTORIALS)
    if (lines := lines_of(path))
}


@dataclass(frozen=True)
class Place:
    """A folder in which commands are run, and their environment."""

    home: Path
    environment: dict[str, str]
    base_url: str

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run a line within this process, if it is one of ours."""
        if not _SHELL.search(_QUOTED.sub("", line)):
            for start, command in _PROGRAMS.items():
                if line.startswith(f"{start} "):
                    words = shlex.split(line.removeprefix(start))
                    return run_command(words, environment=self.environment, folder=self.home, command=command)
        return self.shell(line)

    def shell(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run a line in a shell."""
        return subprocess.run(
            ["sh", "-ec", line], cwd=self.home, env=self.environment, capture_output=True, text=True,
            check=False, timeout=_PATIENCE_S, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def meant(self, line: str) -> str:
        """A line with the names that a reader would put in."""
        other = min(path.name for path in (self.home / "runs").iterdir() if path.name not in (RUN, PAIR))
        line = re.sub(r"\bRUN RUN\b", f"{RUN} {other}", line)
        line = re.sub(r"(?<![\w-])RUN\b", PAIR if "--model" in line else RUN, line)
        if re.search(r"\b(ID|1f3a)\b", line):
            line = re.sub(r"\b(ID|1f3a)\b", self.run("verifaible list 140489").stdout.split("\t")[0], line)
        # This model opens no page: its run on the live web has none to be repeated from.
        line = line.replace("--replay-calls latest", f"--replay-calls {RUN}")
        line = line.replace("http://localhost:8000/v1", self.base_url)
        line = line.replace("check report.md", "check report.md --web offline")
        return re.sub(r"--port \d+", "--port 0", line)


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    """A model that answers at once, without a tool."""
    with OpenAIServer(lambda _: response(message("It was 4.22 %."))) as running:
        yield running


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer) -> Place:
    """A house with two cases, of which one is cited, and a recorded run of the model."""
    home = tmp_path_factory.mktemp("reader")
    (home / "cases").mkdir()
    for case in CASES:
        shutil.copy(REPOSITORY / "cases" / f"{case}.json", home / "cases")
    shutil.copytree(REPOSITORY / "snapshots" / "sites", home / "snapshots" / "sites")
    for name in ("scripts", "tests", "docs", "Makefile"):
        (home / name).symlink_to(REPOSITORY / name)
    (home / "my_cases").mkdir()
    (home / "cases" / "my_case.json").write_text(example_case(), encoding="utf-8")
    shutil.copy(home / "cases" / "cn_text_001.json", home / "my_cases")
    shutil.copy(home / "cases" / "cn_text_001.json", home / "testset.json")
    place = Place(
        home,
        {
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin",
            "PYTHONPATH": str(REPOSITORY),
            "VERIFAIBLE_HOME": str(home),
            "VERIFAIBLE_BASE_URL": server.base_url,
            "VERIFAIBLE_API_KEY": "none",
            "OPENAI_API_KEY": "none",
            # no name is looked up, and no address dialled, but this machine's
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "HTTP_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1,localhost",
            "VERIFAIBLE_PAGE_TIMEOUT_S": "60",
        },
        server.base_url,
    )
    done = place.run(f"verifaible bench --model oracle --case {CASES[0]}")
    assert done.returncode == 0, done.stderr
    cited = place.run("verifaible list 140489 --limit 1").stdout.split("\t")[0]
    answer = f"It was 140489 万人 [@v:1].\n\n[@v:1]: {cited}\n"
    (home / "answer.md").write_text(answer, encoding="utf-8")
    (home / "report.md").write_text(REPORT, encoding="utf-8")
    (home / "quotes.csv").write_text(QUOTES, encoding="utf-8")
    (filing,) = (REPOSITORY / "verifaible" / "kg" / "demo").glob("*.html")
    shutil.copy(filing, home / "aapl-20240928.htm")
    write_public(marked_answers(), home)
    record(place, RUN, "--model glm-5")
    return place


@pytest.fixture(scope="module")
def paired(prepared: Place) -> None:
    """A run of two models in that house, for the documents that have RUN for a reader's own."""
    record(prepared, PAIR, "--model glm-5 --model kimi-k2.5")


def record(place: Place, name: str, models: str) -> None:
    """Record a run of models, and give it that name."""
    cases = " ".join(f"--case {case}" for case in CASES)
    done = place.run(f"verifaible bench {models} --web offline {cases} --output made")
    assert done.returncode == 0, done.stderr
    next((place.home / "made").iterdir()).rename(place.home / "runs" / name)


@pytest.fixture
def place(request: pytest.FixtureRequest, prepared: Place, document: Path, tmp_path: Path) -> Place:
    """The same in a folder of its own."""
    if any(re.search(r"\bRUN\b", line) for line in LINES[document]):
        request.getfixturevalue("paired")
    home = tmp_path / "home"
    shutil.copytree(prepared.home, home, symlinks=True)
    if "my_case" not in document.read_text(encoding="utf-8"):  # a page more in every run of all cases
        (home / "cases" / "my_case.json").unlink()
    environment = {**prepared.environment, "HOME": str(home), "VERIFAIBLE_HOME": str(home)}
    place = Place(home, environment, prepared.base_url)
    if any("graphs/demo" in line for line in LINES[document]):  # README.md makes it
        check(place, "verifaible kg demo", "verifaible kg demo")
    return place


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [path if path.name == "README.md" else nightly(path) for path in LINES],
    ids=lambda path: str(path.name),
)
def test_every_command_of_the_document_runs(place: Place, document: Path) -> None:
    for line in LINES[document]:
        if _LONG.match(line):
            check_long(place, line)
        elif _SERVING.match(line):
            check_serving(place, place.meant(line))
        elif "verifaible import" in line:
            made = next(path for path in place.home.glob("verifaible-*") if path.is_dir())
            check(place, line, f"verifaible import {made.name}")
        else:
            check(place, line, place.meant(line))


#: A line of each program, which shows that its entry point works; of the larger one a line that needs no browser.
AS_PROCESS = {
    next(line for lines in LINES.values() for line in lines if line.startswith(f"{start} "))
    for start in ("verifaible list", "python -m verifaible.bench")
}


def check(place: Place, line: str, meant: str) -> None:
    done = place.shell(meant) if line in AS_PROCESS else place.run(meant)
    told = f"{line}\n$ {meant}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    assert "Traceback" not in done.stderr, told
    expected = next((status for part, status in _FAILING.items() if part in line), 0)
    assert done.returncode == expected, told
    assert done.returncode == 0 or done.stderr.strip() or done.stdout.strip(), "it failed without a word"


#: Modules that have told their options: pytest and the scripts stand in several lines.
_TOLD: set[str] = set()


def check_long(place: Place, line: str) -> None:
    """Whether it is there: make knows the target, a script its options."""
    words = shlex.split(line)
    if words[0] == "pip":  # tests/browser/test_wheels.py
        return
    if words[0] == "make":
        done = place.shell(f"make --directory {REPOSITORY} --dry-run --always-make {' '.join(words[1:])}")
    elif words[2] in _TOLD:
        return
    else:
        done = place.shell(f"python -m {words[2]} --help")
        _TOLD.add(words[2])
    assert done.returncode == 0, f"{line}\n{done.stderr}"


def check_serving(place: Place, line: str) -> None:
    """Whether it begins to serve, and ends when it is told to."""
    command = [sys.executable, "-m", "verifaible.cli", *shlex.split(line)[1:]]
    with subprocess.Popen(
        command,
        cwd=place.home,
        env=place.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = ""
        while "http://" not in said and (told := process.stdout.readline()):
            said += told
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=180)[0]
    assert "http://" in said, f"{line}\n{said}{rest}"
    assert "Traceback" not in rest, rest


def test_the_lines_are_found() -> None:
    found = [line for lines in LINES.values() for line in lines]
    for command in ("cite", "replay", "verify", "export", "import", "list", "serve", "bench", "check"):
        assert any(re.match(rf"verifaible {command}\b", line) for line in found), command
