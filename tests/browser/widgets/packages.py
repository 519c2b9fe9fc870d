"""Installing the widget libraries, once, into pytest's cache; nothing of them is in the repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.browser.npm import npm_install
from tests.browser.widgets.pages import Widget

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


def installed(folder: Path, widget: Widget) -> Path:
    """The ``node_modules`` with what a widget needs; skips the test where it cannot be had.

    One that comes as files needs the packages of these and nothing more; a bundle is made of any.
    """
    if widget.bundle:
        return npm_install(folder, PACKAGES, "the widget libraries")
    named = {name: version for name, version in PACKAGES.items() if widget.needs(name)}
    own = folder / ("-".join(named).replace("/", "-") or "none")
    own.mkdir(exist_ok=True)
    return npm_install(own, named, widget.library) if named else own


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
