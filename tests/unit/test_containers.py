"""What the images and manifests name is there: commands, options, settings, versions, files, secrets.

No image is built here and no cluster is started: that needs a network.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from tests.unit.test_docs import ROOT, blocks, check_command, text_of
from verifaible.config import Settings
from verifaible.runs.on_ray import BROWSER
from verifaible.version import __version__

FOLDER = ROOT / "containers"
DOCKERFILE = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
MANIFESTS = list(yaml.safe_load_all((FOLDER / "kuberay.yaml").read_text(encoding="utf-8")))
JOB = next(each["spec"] for each in MANIFESTS if each["kind"] == "RayJob")
GROUPS = [JOB["rayClusterSpec"]["headGroupSpec"], *JOB["rayClusterSpec"]["workerGroupSpecs"]]
#: Whose values nobody else may know; a file of the repository names them and holds none.
SECRET = re.compile(r"PASSWORD|SECRET|_KEY|KEY_ID|TOKEN")


def pins(name: str) -> dict[str, str]:
    """The versions that a file of requirements fixes, by canonical name (PEP 503)."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = (line.partition(";")[0].strip().partition("==") for line in lines if "==" in line)
    return {re.sub(r"[-_.]+", "-", each).lower(): version for each, _, version in found}


def containers() -> Iterator[dict[str, Any]]:
    """Those of the Pods."""
    for group in GROUPS:
        spec = group["template"]["spec"]
        yield from (*spec["containers"], *spec.get("initContainers", ()))


def environment() -> Iterator[tuple[str, str]]:
    """Every variable that is set, and its value."""
    for service in COMPOSE["services"].values():
        yield from service.get("environment", {}).items()
    for container in containers():
        yield from ((each["name"], each["value"]) for each in container.get("env", ()))
    for line in re.findall(r"^ENV (.*)$", DOCKERFILE, re.MULTILINE):
        for each in shlex.split(line):
            name, _, value = each.partition("=")
            yield name, value


def command_lines() -> Iterator[list[str]]:
    """Every command that is run in an image of ours."""
    for service in COMPOSE["services"].values():
        if service["image"].startswith("verifaible"):
            yield service["command"]
            if "healthcheck" in service:
                yield service["healthcheck"]["test"][1:]
    yield shlex.split(JOB["entrypoint"])
    yield from (each["command"] for each in containers() if "command" in each)
    for line in re.findall(r"^(?:RUN|CMD) (.*)$", DOCKERFILE.replace("\\\n", " "), re.MULTILINE):
        words = json.loads(line) if line.startswith("[") else shlex.split(line)
        if words[0] == "verifaible":
            yield words
    for kind in ("sh", "text"):
        for block in blocks(text_of("docs/containers.md"), kind):
            for line in block.replace("\\\n", " ").splitlines():
                if " exec head " in line:
                    yield shlex.split(line.partition(" exec head ")[2])


@pytest.mark.parametrize("words", list(command_lines()), ids=lambda words: " ".join(words)[:40])
def test_every_command_is_one(words: list[str]) -> None:
    if words[0] == "verifaible":
        assert check_command(shlex.join(words), whole=True)
    elif words[0] == "ray":
        scripts = pytest.importorskip("ray.scripts.scripts", reason="Ray has no wheel for this Python")
        command = scripts.cli.commands[words[1]]
        command.make_context(words[1], list(words[2:]), parent=click.Context(scripts.cli))
        given = [each for each in words if each.startswith("--resources=")]
        assert [json.loads(each.partition("=")[2]) for each in given] in ([], [{BROWSER: 2}])
    else:
        assert words[0] in {"playwright", "python"}


def test_every_variable_of_ours_is_a_setting() -> None:
    ours = {name: value for name, value in environment() if name.startswith("VERIFAIBLE_")}
    assert {"VERIFAIBLE_STORE", "VERIFAIBLE_INDEX", "VERIFAIBLE_HOME"} <= set(ours)
    for name, value in ours.items():
        field = name.removeprefix("VERIFAIBLE_").lower()
        assert field in Settings.model_fields
        assert Settings(**{field: value})


def test_no_secret_stands_in_a_file() -> None:
    secret = [(name, value) for name, value in environment() if SECRET.search(name)]
    assert secret
    assert all(re.fullmatch(r"\$\{\w+(:\?[\w ]+|:-)\}", value) for _, value in secret)
    told = [each for each in containers() if "envFrom" in each]
    assert {each["name"] for each in told} == {"ray-head", "ray-worker"}
    assert all(each["envFrom"] == [{"secretRef": {"name": "verifaible"}}] for each in told)
    assert not any(each["kind"] == "Secret" for each in MANIFESTS)


def test_what_pages_run_in_has_no_secret_and_reaches_only_workers() -> None:
    browser, worker = COMPOSE["services"]["browser"], COMPOSE["services"]["worker"]
    assert browser["networks"] == ["pages"] and COMPOSE["networks"]["pages"]["internal"]
    reached = {name for name, each in COMPOSE["services"].items() if "pages" in each["networks"]}
    assert reached == {"browser", "worker"} and "pages" in worker["networks"]
    assert set(browser["environment"]) == {"HOME"}
    sidecar = next(each for each in containers() if each["name"] == "browser")
    assert "envFrom" not in sidecar and sidecar["restartPolicy"] == "Always"


def test_nothing_runs_as_root_or_writes_into_its_image() -> None:
    for service in COMPOSE["services"].values():
        if service["image"].startswith("verifaible"):
            assert service["read_only"] and service["cap_drop"] == ["ALL"]
    for group in GROUPS:
        assert group["template"]["spec"]["securityContext"]["runAsNonRoot"]
    for container in containers():
        assert container["securityContext"]["readOnlyRootFilesystem"]
    for stage in DOCKERFILE.split("\nFROM ")[2:]:
        assert re.findall(r"^USER (\S+)", stage, re.MULTILINE)[-1] == "10001:10001"


def test_versions_are_those_of_the_package() -> None:
    ours = {*re.findall(r"-t (\S+)", DOCKERFILE), *(each["image"] for each in containers())}
    ours |= {each["image"] for each in COMPOSE["services"].values() if each["image"].startswith("verifaible")}
    assert ours == {f"verifaible:{__version__}", f"verifaible-worker:{__version__}"}
    others = [each["image"] for each in COMPOSE["services"].values()] + re.findall(
        r"^FROM (\S+:\S+)", DOCKERFILE
    )
    assert all(re.search(r":v?\d+\.\d+", each) for each in others), "pinned"
    images, tested = pins("containers/requirements.txt"), pins("requirements-dev.txt")
    assert JOB["rayClusterSpec"]["rayVersion"] == images["ray"]
    assert {name: tested.get(name, version) for name, version in images.items()} == images
    assert not images.keys() & pins("requirements.txt").keys()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in ("postgres", "ray", "s3"):
        for wanted in extras["optional-dependencies"][extra]:
            assert re.split(r"[\[>=<]", wanted)[0] in images
    python = re.findall(r"^FROM python:(\d+\.\d+)\.\d+-slim", DOCKERFILE, re.MULTILINE)
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
    stages = re.findall(r" AS (\w+)$", DOCKERFILE, re.MULTILINE)
    built = [each["build"] for each in COMPOSE["services"].values() if "build" in each]
    for build in built:
        assert (FOLDER / build["context"]).resolve() == ROOT
        assert ROOT / build["dockerfile"] == FOLDER / "Dockerfile" and build["target"] in stages


def test_a_worker_has_the_resource_that_runs_ask_for() -> None:
    given = json.loads(
        json.loads(JOB["rayClusterSpec"]["workerGroupSpecs"][0]["rayStartParams"]["resources"])
    )
    assert given == {BROWSER: 2}
