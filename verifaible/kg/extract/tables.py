"""Triples out of the figures of tables, read without tags: what the company reports, its unit, and when."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from verifaible.kg.chunks import Chunk
from verifaible.kg.filing import Filing
from verifaible.kg.metrics import MetricReader
from verifaible.kg.triples import Triple

_WORD: Final = re.compile(r"[^\W_](?:[^\s()|]*[^\W_])?")
_MOST_WORDS: Final = 5
#: Whom a filing is of, where no tag tells: the line over the words that every cover has.
_CHARTER: Final = re.compile(r"([^\n|]*\w[^\n|]*)[\s|]*\W*exact name of (?:the )?registrant", re.IGNORECASE)


def table_triples(filing: Filing, chunks: Sequence[Chunk]) -> list[Triple]:
    """A triple for each figure of a table that is read; the span is its cell."""
    charter = _CHARTER.search(filing.text)
    company = filing.name or (charter[1].strip(" *") if charter else "the registrant")
    starts = [chunk.start for chunk in chunks]
    found: list[Triple] = []
    for metric in MetricReader(filing).cells():
        if not (words := _WORD.findall(metric.name)):
            continue
        found.append(
            Triple(
                id=f"table-{len(found)}",
                chunk=chunks[bisect_right(starts, metric.start) - 1].id,
                head=company,
                head_type="company",
                relation="reports",
                tail=" ".join(words[:_MOST_WORDS]).lower(),
                tail_type="metric",
                quote=filing.text[metric.start : metric.end],
                start=metric.start,
                end=metric.end,
                value=metric.value,
                unit=metric.unit,
                period=str(metric.period),
                by="tables",
            )
        )
    return found
