"""What the image is built from and names is there: commands, settings, versions, files.

No image is built here: that needs a network.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.unit.test_docs import ROOT, check_command, text_of
from verifaible.config import Settings
from verifaible.version import __version__

FOLDER = ROOT / "containers"
DOCKERFILE = (FOLDER / "Dockerfile").read_text(encoding="utf-8")


def pins(name: str) -> dict[str, str]:
    """The versions that a file of requirements fixes, by canonical name (PEP 503)."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = (line.partition(";")[0].strip().partition("==") for line in lines if "==" in line)
    return {re.sub(r"[-_.]+", "-", each).lower(): version for each, _, version in found}


def environment() -> Iterator[tuple[str, str]]:
    """Every variable that is set, and its value."""
    for line in re.findall(r"^ENV (.*)$", DOCKERFILE.replace("\\\n", " "), re.MULTILINE):
        for each in shlex.split(line):
            name, _, value = each.partition("=")
            yield name, value


def command_lines() -> Iterator[str]:
    """Every command of ours that is run in the image."""
    for line in re.findall(r"^(?:RUN|CMD) (.*)$", DOCKERFILE.replace("\\\n", " "), re.MULTILINE):
        words = json.loads(line) if line.startswith("[") else shlex.split(line)
        if words[0] == "verifaible":
            yield shlex.join(words)


def test_every_command_is_one() -> None:
    lines = list(command_lines())
    assert lines == ["verifaible setup", "verifaible doctor"]
    assert all(check_command(line, whole=True) for line in lines)


def test_every_variable_of_ours_is_a_setting() -> None:
    ours = {name: value for name, value in environment() if name.startswith("VERIFAIBLE_")}
    assert set(ours) == {"VERIFAIBLE_HOME", "VERIFAIBLE_BROWSER_ARGS"}
    for name, value in ours.items():
        field = name.removeprefix("VERIFAIBLE_").lower()
        assert field in Settings.model_fields
        assert Settings(**{field: value})


def test_it_holds_no_secret_and_does_not_run_as_root() -> None:
    assert not [name for name, _ in environment() if re.search(r"PASSWORD|SECRET|KEY|TOKEN", name)]
    assert re.findall(r"^USER (\S+)", DOCKERFILE, re.MULTILINE)[-1] == "10001:10001"


def test_versions_are_those_of_the_package() -> None:
    tagged = re.findall(r"-t (\S+)", DOCKERFILE + text_of("docs/bench.md"))
    assert len(tagged) == 2
    assert set(tagged) == {f"verifaible:{__version__}"}
    images, tested = pins("containers/requirements.txt"), pins("requirements-dev.txt")
    assert {name: tested.get(name, version) for name, version in images.items()} == images
    assert not images.keys() & pins("requirements.txt").keys()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in ("postgres", "ray", "s3"):
        for wanted in extras["optional-dependencies"][extra]:
            assert re.split(r"[\[>=<]", wanted)[0] in images
    python = re.findall(r"^FROM python:(\d+\.\d+)\.\d+-slim", DOCKERFILE, re.MULTILINE)
    assert len(python) == 2
    assert len(set(python)) == 1
    assert f"Programming Language :: Python :: {python[0]}" in extras["classifiers"]


def test_what_is_copied_is_there_and_reaches_the_build() -> None:
    let_in = re.findall(
        r"^!(\S+)", (FOLDER / "Dockerfile.dockerignore").read_text(encoding="utf-8"), re.MULTILINE
    )
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE)
    assert copied
    for source in " ".join(copied).split():
        assert (ROOT / source).exists()
        assert any(Path(source).is_relative_to(each) for each in let_in), f"{source} is ignored"
    assert all((ROOT / each).exists() for each in let_in)
