"""Where Pyodide is, and how it is installed: one version of its npm package, known by its hash."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.runs.lines import usable

VERSION: Final = "314.0.7"
_SHA256: Final = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
_FILES: Final = (
    "package.json",
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
_NPM_LIMIT_S: Final = 300
_INSTALL: Final = "Install it with `verifaible setup --pyodide` (it needs npm), or set VERIFAIBLE_PYODIDE."


def require_pyodide(settings: Settings) -> tuple[Path, str]:
    """The folder of Pyodide, and its version.

    Raises:
        ConfigError: it is not there, or a file of it is missing; says how to install it.
    """
    folder = settings.pyodide_dir
    lacking = [name for name in _FILES if not (folder / name).is_file()]
    if lacking:
        raise ConfigError(f"Programs run in Pyodide, and {folder} has no {lacking[0]}. {_INSTALL}")
    return folder, str(json.loads((folder / "package.json").read_bytes())["version"])


def install_pyodide(settings: Settings) -> Path:
    """Fetch Pyodide from npm into its folder.

    Raises:
        ConfigError: npm is not there or failed, or what came is not the package that was tried here.
    """
    with tempfile.TemporaryDirectory() as scratch:
        command = ["npm", "pack", "--silent", f"pyodide@{VERSION}"]
        try:
            done = subprocess.run(  # noqa: S603 - the command above
                command, cwd=scratch, capture_output=True, text=True, timeout=_NPM_LIMIT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ConfigError(
                f"npm did not run ({error}). Install Node.js with npm, and run this again."
            ) from error
        packed = Path(scratch) / f"pyodide-{VERSION}.tgz"
        if done.returncode or not packed.is_file():
            raise ConfigError(
                f"`{' '.join(command)}` failed: {done.stderr.strip()[-500:]} Run this again online."
            )
        if hashlib.sha256(packed.read_bytes()).hexdigest() != _SHA256:
            raise ConfigError(
                f"npm gave another pyodide {VERSION} than was published. Nothing of it was installed."
            )
        folder = settings.pyodide_dir
        with usable(folder), tarfile.open(packed) as archive:
            folder.mkdir(parents=True, exist_ok=True)
            for name in _FILES:
                member = archive.extractfile(f"package/{name}")
                assert member is not None
                (folder / name).write_bytes(member.read())
    return folder
