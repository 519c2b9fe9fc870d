"""verifaible: evidence you can replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifaible.version import __version__

if TYPE_CHECKING:
    from verifaible.client import Verifaible

__all__ = ["Verifaible", "__version__"]


def __getattr__(name: str) -> object:
    """The API, imported when it is first asked for: the command line starts without it."""
    if name == "Verifaible":
        from verifaible.client import Verifaible

        return Verifaible
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
