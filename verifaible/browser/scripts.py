"""The in-page scripts: files in ``js/``, joined with their shared library."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

# Offline the page's own short timers are watched (offline.js); ours are not the page's.
_TIMERS = 'const { setTimeout, clearTimeout } = globalThis[Symbol.for("verifaible.timers")] || globalThis;'

_SURROGATE = re.compile("[\ud800-\udfff]")


@cache
def source(name: str) -> str:
    """A script without its comments and indents: it is sent with every call."""
    lines = (files("verifaible.browser") / "js" / f"{name}.js").read_text(encoding="utf-8").splitlines()
    return "\n".join(line.strip() for line in lines if not line.lstrip().startswith("//"))


@cache
def _with_library(body: str) -> str:
    library = f"(\n{source('lib')})()"
    return f"(argument) => {{ {_TIMERS} const lib = {library};\nreturn {body}; }}"


@cache
def script(name: str) -> str:
    """The script ``js/<name>.js`` as a function of one argument, its library bound."""
    return _with_library(f"(\n{source(name)})(lib, argument)")


def init_script(name: str, argument: str) -> str:
    """The script ``js/<name>.js`` as a statement to run before any script of a page.

    ``argument`` is JavaScript for its only argument.
    """
    return f"(\n{source(name)})({argument});"


def init_scripts(*names: str) -> str:
    """Several such scripts without an argument, in this order, as one."""
    return "\n".join(init_script(name, "") for name in names)


def well_formed(found: Any) -> Any:
    """What a page gave, with each lone surrogate made U+FFFD, as a browser does when it writes UTF-8.

    No file and no database can hold them; the number of code points stays the same.
    """
    if isinstance(found, str):
        return found if found.isascii() or not _SURROGATE.search(found) else _SURROGATE.sub("\ufffd", found)
    if isinstance(found, list):
        return [well_formed(each) for each in found]
    if isinstance(found, dict):
        return {key: well_formed(value) for key, value in found.items()}
    return found
