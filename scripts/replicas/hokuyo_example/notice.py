"""The notice of a revised forecast as a PDF, from ``data/notice.json``."""

from __future__ import annotations

import json
from pathlib import Path

from scripts.replicas.common import Exchange
from scripts.replicas.sse_com_cn.typesetting import Block, typeset

PATH = "/ir/news/pdf/20260206_gyosekiyosou.pdf"


def exchange() -> Exchange:
    """The PDF; search finds it by its text layer."""
    source = Path(__file__).parent / "data" / "notice.json"
    content = json.loads(source.read_text(encoding="utf-8"))
    blocks = tuple(
        Block(
            kind=item["kind"],
            text=item.get("text", ""),
            widths=tuple(float(width) for width in item.get("widths", ())),
            rows=tuple(tuple(cells) for cells in item.get("rows", ())),
        )
        for item in content["blocks"]
    )
    body = typeset(content["header"], content["title"], content["date"], blocks)
    return Exchange(f"https://www.hokuyo.example{PATH}", body, "application/pdf", page_title=content["title"])
