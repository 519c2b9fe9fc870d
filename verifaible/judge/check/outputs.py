"""What is written of a checked text: a page, JSON, SARIF, Markdown, and a summary for the terminal.

Each is made of the record alone: the same record gives the same bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from verifaible.errors import RunError
from verifaible.judge.check.shown import brief
from verifaible.judge.check.shown.words import View
from verifaible.schema.checked import Checked

if TYPE_CHECKING:
    from rich.console import RenderableType

Format: TypeAlias = Literal["html", "json", "sarif", "md"]


def write(checked: Checked, path: Path, format: Format) -> None:
    """Write a checked text to a file.

    Raises:
        RunError: the file cannot be written.
    """
    try:
        path.write_bytes(rendered(checked, format).encode())
    except OSError as error:
        raise RunError(
            f"{path} cannot be written ({error.strerror or error}). Name a file in a folder that exists and "
            "can be written to."
        ) from error


def rendered(checked: Checked, format: Format) -> str:
    """A checked text as a page (``html``), the record (``json``), SARIF 2.1.0 or Markdown (``md``)."""
    view = View(checked)
    if format == "json":
        return as_json(view)
    if format == "md":
        return brief.markdown(view)
    if format == "sarif":
        from verifaible.judge.check.shown.sarif import sarif

        return sarif(view)
    from verifaible.judge.check.shown.page import page

    return page(view)


def terminal(checked: Checked) -> RenderableType:
    """A summary of one screen of 100 columns and 40 lines."""
    return brief.terminal(View(checked))


def as_json(view: View) -> str:
    """The record and its coverage as canonical JSON (RFC 8785): keys in order, nothing between them."""
    import rfc8785

    record: dict[str, Any] = {"coverage": view.figures, **view.checked.model_dump(mode="json")}
    return rfc8785.dumps(record).decode() + "\n"
