"""The in-page scripts: files in ``js/``, joined with their shared library."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

# Offline the page's own short timers are watched (offline.js); ours are not the page's.
_TIMERS = 'const { setTimeout, clearTimeout } = globalThis[Symbol.for("verifaible.timers")] || globalThis;'


@cache
def _source(name: str) -> str:
    return (files("verifaible.browser") / "js" / f"{name}.js").read_text(encoding="utf-8")


@cache
def script(name: str) -> str:
    """The script ``js/<name>.js`` as a function of one argument, its library bound."""
    return (
        f"(argument) => {{ {_TIMERS} const lib = (\n{_source('lib')})();\n"
        f"return (\n{_source(name)})(lib, argument); }}"
    )


def init_script(name: str, argument: str) -> str:
    """The script ``js/<name>.js`` as a statement to run before any script of a page.

    ``argument`` is JavaScript for its only argument.
    """
    return f"(\n{_source(name)})({argument});"
