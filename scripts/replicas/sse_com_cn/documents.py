"""The announcements' PDF files: the texts in ``data/documents``, or a short notice for the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping

from scripts.replicas.sse_com_cn import data
from scripts.replicas.sse_com_cn.typesetting import Block, typeset

PLEDGE = (
    "本公司董事会及全体董事保证本公告内容不存在任何虚假记载、误导性陈述或者重大遗漏，"
    "并对其内容的真实性、准确性和完整性承担法律责任。"
)


def pdf(row: Mapping[str, str]) -> bytes:
    """The PDF of one announcement, a row of ``data/announcements.csv``."""
    if not row["document"]:
        return typeset(f"{row['name']} 公告", row["title"], row["date"], _notice(row))
    text = (data.HERE / "data" / "documents" / f"{row['document']}.json").read_text(encoding="utf-8")
    content = json.loads(text)
    blocks = tuple(
        Block(
            kind=item["kind"],
            text=item.get("text", "").replace("{PLEDGE}", PLEDGE),
            widths=tuple(float(width) for width in item.get("widths", ())),
            rows=tuple(tuple(cells) for cells in item.get("rows", ())),
        )
        for item in content["blocks"]
    )
    return typeset(
        content["header"], row["title"], row["date"], blocks, scanned=content.get("scanned", False)
    )


def _notice(row: Mapping[str, str]) -> tuple[Block, ...]:
    year, month, day = row["date"].split("-")
    return (
        Block("meta", f"证券代码：{row['code']}　　　　证券简称：{row['name']}"),
        Block("title", row["title"]),
        Block("para", PLEDGE),
        Block("heading", "一、基本情况"),
        Block("para", f"公司就“{row['type']}”事项作出本公告。本文件为合成样例，仅载明公告的标题与日期。"),
        Block("heading", "二、风险提示"),
        Block("para", "敬请广大投资者注意投资风险。特此公告。"),
        Block("right", "董事会"),
        Block("right", f"{year}年{int(month)}月{int(day)}日"),
    )
