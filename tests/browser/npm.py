"""Packages from npm for tests, installed once into a folder that pytest keeps."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

_INSTALL_TIMEOUT_S = 300
_NPM = (
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--legacy-peer-deps",
    "--fetch-retries=0",  # where there is no registry the tests are to be skipped at once
)


def npm_install(folder: Path, packages: Mapping[str, str], what: str) -> Path:
    """The ``node_modules`` with these packages, installed if they are not there yet.

    Skips the test, with the reason, where npm or its registry is not there.

    Args:
        folder: where to.
        packages: version by name.
        what: they are, for the reason.
    """
    modules, mark = folder / "node_modules", folder / "installed.json"
    wanted = json.dumps({"private": True, "dependencies": dict(packages)})
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return modules
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"npm is not installed, and {what} cannot be had")
    (folder / "package.json").write_text(wanted, encoding="utf-8")
    try:
        done = subprocess.run(
            [npm, "install", *_NPM],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_INSTALL_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not install {what} within {_INSTALL_TIMEOUT_S} s")
    if done.returncode:
        pytest.skip(f"npm cannot install {what}: {(done.stderr.strip() or 'no reason given')[-300:]}")
    mark.write_text(wanted, encoding="utf-8")
    return modules
