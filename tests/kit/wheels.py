"""The two wheels, built as ``make dist`` builds them, from what is on this machine alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import urlsplit

from tests.kit.cli import PROCESS_S, REPOSITORY
from tests.kit.services import Unavailable

#: What the build asks for, in ``pyproject.toml``.
_SETUPTOOLS = 77


def build(folder: Path) -> None:
    """Put both wheels into a folder.

    Raises:
        Unavailable: the build needs a package from the network.
        RuntimeError: it failed for another reason.
    """
    if said := _missing():
        raise Unavailable(said)
    # Built from a copy: the build writes beside its sources, and must not take up what stands there.
    source = folder.parent / f"{folder.name}-source"
    for name in ("verifaible", "packaging", "cases", "snapshots/sites"):
        ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
        shutil.copytree(REPOSITORY / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(REPOSITORY / name, source)
    done = _pip(
        "wheel", "-q", "--no-deps", *_offline(), "-w", str(folder), ".", "./packaging/cases", at=source
    )
    if done.returncode:
        raise RuntimeError(f"The wheels were not built:\n{done.stdout}\n{done.stderr}")
    shutil.rmtree(source)


def _pip(*arguments: str, at: Path) -> subprocess.CompletedProcess[str]:
    # Nobody's settings, which name package indexes.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    return subprocess.run(
        [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", *arguments],
        cwd=at,
        env={**kept, "PIP_CONFIG_FILE": os.devnull},
        capture_output=True,
        text=True,
        timeout=PROCESS_S,
        check=False,
    )


def _installed() -> bool:
    try:
        return int(version("setuptools").partition(".")[0]) >= _SETUPTOOLS
    except PackageNotFoundError:
        return False


@cache
def _offline() -> tuple[str, ...]:
    """The options of pip: the setuptools of this environment, or else only indexes and folders of this machine."""
    if _installed():
        return ("--no-build-isolation",)
    said = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    places: dict[str, list[str]] = {"index": [], "links": []}
    for name, value in re.findall(r"^\S*?((?:extra-)?index-url|find-links)='(.*)'$", said, re.MULTILINE):
        kind = "links" if name == "find-links" else "index"
        places[kind] += [each for each in value.split() if urlsplit(each).scheme in ("", "file")]
    first, *more = places["index"] or [f"file://{os.devnull}"]
    return (
        f"--index-url={first}",
        *(f"--extra-index-url={each}" for each in more),
        *(f"--find-links={each}" for each in places["links"]),
    )


@cache
def _missing() -> str:
    """Why the wheels cannot be built without the network; empty if they can."""
    if _installed():
        return ""
    wanted = f"setuptools>={_SETUPTOOLS}"
    done = _pip("install", "-q", "--dry-run", "--no-deps", *_offline(), wanted, at=REPOSITORY)
    if "No matching distribution" not in done.stderr:
        return ""
    return f"the wheels need {wanted}, which is neither installed nor in an index on this machine"
