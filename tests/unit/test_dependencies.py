"""Every package that verifaible imports comes with it or with one of its extras, not only to its developers."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def declared() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [lines for name, lines in project["optional-dependencies"].items() if name != "dev"]
    return [Requirement(line) for lines in [project["dependencies"], *extras] for line in lines]


def installed_by(wanted: list[Requirement]) -> set[str]:
    """The packages that pip would install for these, as far as they are installed here."""
    found: set[str] = set()
    open_ones = [(each.name, frozenset(each.extras)) for each in wanted]
    seen: set[tuple[str, frozenset[str]]] = set()
    while open_ones:
        name, extras = one = open_ones.pop()
        if one in seen:
            continue
        seen.add(one)
        found.add(canonicalize_name(name))
        if canonicalize_name(name) == "verifaible":
            continue
        try:
            needs = [Requirement(line) for line in requires(name) or ()]
        except PackageNotFoundError:
            continue
        for each in needs:
            if each.marker is None or any(each.marker.evaluate({"extra": e}) for e in (extras or {""})):
                open_ones.append((each.name, frozenset(each.extras)))
    return found


def imported() -> dict[str, str]:
    """The packages outside the standard library that the package imports, each with a module that does."""
    found = {}
    for file in (ROOT / "verifaible").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                found[name.split(".")[0]] = file.relative_to(ROOT).as_posix()
    return {
        name: file for name, file in found.items() if name not in sys.stdlib_module_names | {"verifaible"}
    }


def test_what_is_imported_is_installed_by_the_package_or_an_extra() -> None:
    here, by_us = packages_distributions(), installed_by(declared())
    missing = {
        name: file
        for name, file in imported().items()
        if not {canonicalize_name(each) for each in here.get(name, [name])} & by_us
    }
    assert not missing


def test_what_make_setup_installs_is_pinned() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = {canonicalize_name(re.split("==", line)[0]) for line in lines if "==" in line}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *extras["models"],
        *extras["pdf"],
        *extras["reading"],
        *extras["video"],
    ]
    assert {canonicalize_name(Requirement(each).name) for each in wanted} <= pinned
