"""What every record has in common."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict

EvidenceType: TypeAlias = Literal["text", "table", "pdf", "video", "image"]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
#: Text that files and requests can hold: half a surrogate pair, which JSON can name, becomes U+FFFD.
StorableText: TypeAlias = Annotated[str, AfterValidator(lambda text: _SURROGATE.sub("\ufffd", text))]


class Record(BaseModel):
    """A frozen record that refuses unknown fields; what checks one is built when the first is made."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def html_table(rows: Iterable[Iterable[str]]) -> str:
    """A table for notebooks: everything escaped, no script, no style; addresses of web pages are links."""
    lines = ("".join(f"<td>{_cell(each)}</td>" for each in row) for row in rows)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _cell(text: str) -> str:
    shown = escape(text)
    if not text.lower().startswith(("http://", "https://")):
        return shown
    return f'<a href="{shown}" rel="noopener noreferrer">{shown}</a>'
