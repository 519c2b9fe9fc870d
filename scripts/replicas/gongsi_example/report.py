"""The annual report of one company as a PDF, from ``data/report.json``."""

from __future__ import annotations

import json

from scripts.replicas.common import Exchange
from scripts.replicas.gongsi_example.filings import HERE
from scripts.replicas.sse_com_cn.typesetting import Block, typeset

URL = "https://www.gongsi.example/pdf/20260319000433.pdf"


def exchange() -> Exchange:
    """The PDF; search finds it by its text layer."""
    content = json.loads((HERE / "data" / "report.json").read_text(encoding="utf-8"))
    blocks = tuple(
        Block(
            kind=item["kind"],
            text=item.get("text", ""),
            widths=tuple(float(width) for width in item.get("widths", ())),
            rows=tuple(tuple(cells) for cells in item.get("rows", ())),
        )
        for item in content["blocks"]
    )
    body = typeset(content["header"], content["header"], content["date"], blocks)
    return Exchange(URL, body, "application/pdf", page_title=f"{content['header']} PDF")
