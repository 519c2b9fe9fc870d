"""The two wheels, built as ``make dist`` builds them, from what is on this machine alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.kit.cli import PROCESS_S, REPOSITORY
from tests.kit.services import Unavailable

#: What the build asks for, in ``pyproject.toml``.
_SETUPTOOLS = 77


def build(folder: Path) -> None:
    """Put both wheels into a folder.

    Raises:
        Unavailable: the setuptools of this environment is too old.
        RuntimeError: it failed for another reason.
    """
    if not _installed():
        raise Unavailable(f"the wheels need setuptools>={_SETUPTOOLS}, of requirements-dev.txt")
    # Built from a copy: the build writes beside its sources, and must not take up what stands there.
    source = folder.parent / f"{folder.name}-source"
    for name in ("verifaible", "packaging", "cases", "snapshots/sites"):
        ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
        shutil.copytree(REPOSITORY / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(REPOSITORY / name, source)
    options = ("-q", "--no-deps", "--no-build-isolation", "--no-index")
    done = _pip("wheel", *options, "-w", str(folder), ".", "./packaging/cases", at=source)
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
