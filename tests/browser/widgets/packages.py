"""Installing the widget libraries, once, into pytest's cache; nothing of them is in the repository."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

#: Exact versions, so that a failure is ours and not a new release's.
PACKAGES = {
    "layui": "2.13.6",
    "flatpickr": "4.6.13",
    "jquery": "3.7.1",
    "jquery-ui-dist": "1.13.3",
    "bootstrap-datepicker": "1.10.1",
    "daterangepicker": "3.1.0",
    "moment": "2.30.1",
    "vue": "2.7.16",
    "element-ui": "2.15.14",
    "vue3": "npm:vue@3.5.45",
    "element-plus": "2.14.8",
    "react": "18.3.1",
    "react-dom": "18.3.1",
    "antd": "5.29.3",
    "dayjs": "1.11.23",
    "air-datepicker": "3.6.0",
    "vanillajs-datepicker": "1.3.4",
    "@eonasdan/tempus-dominus": "6.10.4",
    "@popperjs/core": "2.11.8",
    "pikaday": "1.8.2",
    "@mui/x-date-pickers": "9.17.0",
    "@mui/material": "9.5.0",
    "@emotion/react": "11.14.0",
    "@emotion/styled": "11.14.1",
    "esbuild": "0.28.2",
}
_INSTALL_TIMEOUT_S = 300
_NPM = (
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--legacy-peer-deps",
    "--fetch-retries=0",  # where there is no registry the tests are to be skipped at once
)


def installed(folder: Path) -> Path:
    """The ``node_modules`` with all packages, installed if they are not there yet.

    Skips the test, with the reason, where npm or its registry is not there.
    """
    modules = folder / "node_modules"
    wanted = json.dumps({"private": True, "dependencies": PACKAGES})
    manifest, mark = folder / "package.json", folder / "installed.json"
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return modules
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: the widget libraries come from it")
    manifest.write_text(wanted, encoding="utf-8")
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
        pytest.skip(f"npm did not install the widget libraries within {_INSTALL_TIMEOUT_S} s")
    if done.returncode:
        pytest.skip(
            f"npm cannot install the widget libraries: {(done.stderr.strip() or 'no reason given')[-300:]}"
        )
    mark.write_text(wanted, encoding="utf-8")
    return modules


def bundled(modules: Path, folder: Path, name: str, source: str) -> str:
    """A module bundled into one script by esbuild, for libraries that come without one."""
    entry, out = folder / f"{name}.entry.jsx", folder / f"{name}.bundle.js"
    if not out.is_file() or not entry.is_file() or entry.read_text(encoding="utf-8") != source:
        entry.write_text(source, encoding="utf-8")
        arguments = ["--bundle", "--minify", "--format=iife", '--define:process.env.NODE_ENV="production"']
        done = subprocess.run(
            [modules / ".bin" / "esbuild", entry.name, *arguments, f"--outfile={out.name}"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"esbuild cannot bundle {name}: {done.stderr.strip()[-300:]}")
    return out.read_text(encoding="utf-8")
