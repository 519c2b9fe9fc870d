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
def _source(name: str) -> str:
    return (files("verifaible.browser") / "js" / f"{name}.js").read_text(encoding="utf-8")


@cache
def script(name: str, then: str = "") -> str:
    """The script ``js/<name>.js`` as a function of one argument, its library bound.

    With ``then`` that script runs in the moment in which the first one has ended, on ``argument.look``; the
    function gives what both found, as a list.
    """
    found = f"(\n{_source(name)})(lib, argument)"
    if then:
        found = f"(async () => [await {found}, (\n{_source(then)})(lib, argument.look)])()"
    library = f"(\n{_source('grids')})((\n{_source('drawn')})((\n{_source('lib')})()))"
    return f"(argument) => {{ {_TIMERS} const lib = {library};\nreturn {found}; }}"


def init_script(name: str, argument: str) -> str:
    """The script ``js/<name>.js`` as a statement to run before any script of a page.

    ``argument`` is JavaScript for its only argument.
    """
    return f"(\n{_source(name)})({argument});"


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
