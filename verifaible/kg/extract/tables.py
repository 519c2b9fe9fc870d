"""Triples out of tables, read without tags: reported figures, subsidiaries, executive officers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from verifaible.judge.proof.places import SourceText
from verifaible.judge.proof.tables import Table
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


#: The heads that a kind of table is known by; the first two name the things that a row relates.
_OFFICERS: Final = tuple(
    re.compile(head, re.IGNORECASE)
    for head in (r"\bname\b", r"^(?!.*\bsince\b).*(?:position|title|office)", r"^\W*age\b")
)
_SUBSIDIARIES: Final = tuple(
    re.compile(head, re.IGNORECASE)
    for head in (r"subsidiar|\bname\b", r"jurisdiction|incorporat|organi[sz]|state or country")
)
_FIRST_ROWS: Final = 4


def pattern_triples(filing: Filing, chunks: Sequence[Chunk]) -> list[Triple]:
    """What the tables of these kinds say, a triple a row and relation."""
    found: list[Triple] = []
    for chunk in chunks:
        text = filing.text[chunk.start : chunk.end]
        for table in SourceText(text).tables:
            for row, made in _of_table(filing, table):
                cells = table.rows[row]
                start, end = chunk.start + cells[0].start, chunk.start + cells[-1].end
                place = {"start": start, "end": end, "quote": filing.text[start:end], "chunk": chunk.id}
                found.append(
                    Triple.model_validate(
                        {**made, **place, "id": f"{chunk.id}-p{len(found)}", "by": "patterns"}
                    )
                )
    return found


def _of_table(filing: Filing, table: Table) -> Iterator[tuple[int, dict[str, str]]]:
    head, columns = next(_heads(table), (0, ()))
    for row in range(head + 1, len(table.rows)) if columns else ():
        cells = [cell.text.strip(" *") for cell in table.rows[row]]
        one, other = (cells[at] if at < len(cells) else "" for at in columns[:2])
        if not one or not other:
            continue
        if len(columns) == len(_OFFICERS):
            yield row, _triple(one, "person", "holds_position", other, "role")
        else:
            yield row, _triple(filing.name, "company", "owns", one, "subsidiary")
            yield row, _triple(one, "subsidiary", "incorporated_in", other, "place")


def _heads(table: Table) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The rows that may be the head, with the columns that one of the kinds is known by."""
    for row, cells in enumerate(table.rows[:_FIRST_ROWS]):
        for kind in (_OFFICERS, _SUBSIDIARIES):
            found = [
                next((at for at, cell in enumerate(cells) if head.search(cell.text)), -1) for head in kind
            ]
            if -1 not in found and len(set(found)) == len(found):
                yield row, tuple(found)


def _triple(head: str, head_type: str, relation: str, tail: str, tail_type: str) -> dict[str, str]:
    return {
        "head": head,
        "head_type": head_type,
        "relation": relation,
        "tail": tail,
        "tail_type": tail_type,
    }
