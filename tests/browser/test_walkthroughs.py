"""The three tutorials, command by command in their order, from an empty folder and without a network.

What is a file of the reader's own (``<!-- file: NAME -->``) is saved, what must fail says so (``<!-- exits with 1 -->``),
and what a tutorial shows as output is looked for in what the commands before it printed; ``…`` is any text.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.browser.conftest import REPOSITORY
from tests.browser.test_documented_commands import TUTORIALS, Place

_BLOCK = re.compile(r"(?:^<!-- ([\w ]+:? ?[\w.]+) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown(line: str) -> re.Pattern[str]:
    """A line of output as a page shows it, with its white space folded."""
    return re.compile(".*".join(re.escape(part) for part in folded(line).split("…")))


def folded(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.splitlines())


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cases and archives as their wheel brings them: in the package ``verifaible_cases``."""
    site = tmp_path_factory.mktemp("site")
    package = site / "verifaible_cases"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "cases").symlink_to(REPOSITORY / "cases")
    (package / "sites").symlink_to(REPOSITORY / "snapshots" / "sites")
    sys.path.insert(0, str(site))
    importlib.invalidate_caches()
    yield site
    sys.path.remove(str(site))


@pytest.fixture
def desk(installed: Path, tmp_path: Path) -> Place:
    """An empty folder, with nothing of this machine but the programs."""
    folder = tmp_path / "desk"
    folder.mkdir()
    environment = {
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin",
        "PYTHONPATH": f"{installed}{os.pathsep}{REPOSITORY}",
        "VERIFAIBLE_HOME": str(folder),
        # no name is looked up, and no address dialled, but this machine's
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1,localhost",
        "VERIFAIBLE_PAGE_TIMEOUT_S": "60",
        "COLUMNS": "160",
    }
    return Place(folder, environment, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", TUTORIALS)
def test_the_tutorial_works_word_for_word(name: str, desk: Place) -> None:
    walk(name, desk.home, lambda line: desk.shell(line) if "*" in line else desk.run(line))


def walk(name: str, folder: Path, run: Callable[[str], CompletedProcess[str]]) -> None:
    """Do all that a tutorial says in a folder, and compare what is printed with what it shows."""
    text = (REPOSITORY / "docs" / f"{name}.md").read_text(encoding="utf-8")
    printed, before = "", ""
    for note, language, body in _BLOCK.findall(text):
        if note.startswith("file: "):
            (folder / note.removeprefix("file: ")).write_text(body, encoding="utf-8")
        elif language == "sh":
            status = int(note.removeprefix("exits with ") or 0)
            printed = ""
            for line in body.splitlines():
                done = run(line)
                assert done.returncode == status, f"{line}\n{done.stdout}{done.stderr}"
                assert "Traceback" not in done.stderr, f"{line}\n{done.stderr}"
                printed += done.stdout + done.stderr
        elif language == "text" and before == "sh":
            for line in body.splitlines():
                assert shown(line).search(folded(printed)), f"{line}\nis not in\n{printed}"
        before = language
    assert printed, "no command was found"
