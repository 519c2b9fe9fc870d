"""The tables of a graph's report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from verifaible.kg.ontology import Ontology
from verifaible.kg.report.judged import (
    FIGURES,
    MODES,
    SOURCE,
    Average,
    CoveragePoints,
    Judged,
    JudgedTriple,
    average_of,
    coverage_of,
    entropy_bits,
)
from verifaible.kg.triples import CRITERIA
from verifaible.reporting.tables import Cell, Row, Table, count, figure, printed, row, words

_HEADS: Final = tuple(name.capitalize() for name in CRITERIA)
_COVERED: Final = "Comprehensiveness"
_HOW: Final = "Behind the comma: verdicts of all; a verdict that failed or is not there is in no figure."


def name_of(judged: Judged, among: Sequence[Judged]) -> str:
    """The name of a column: the extraction's, with the judge's where there are several."""
    judges = {each.judge for each in among}
    return words(f"{judged.run}, {judged.judge}" if len(judges) > 1 and judged.judge else judged.run).text


def _rows(judged: Judged, points: CoveragePoints) -> list[tuple[str, Average]]:
    """The criteria in the order of the paper's table 1."""
    found = [(_COVERED, coverage_of(judged.chunks, points))]
    return found + [
        (head, average_of(judged.triples, each)) for head, each in zip(_HEADS, CRITERIA, strict=True)
    ]


def criteria_table(judged: Sequence[Judged], points: CoveragePoints, *, published: bool = False) -> Table:
    """The paper's table 1: a row a criterion, a column an extraction."""
    columns = [_rows(each, points) for each in judged]
    rows = []
    for at, (head, _) in enumerate(columns[0]):
        theirs = map(printed, FIGURES[head.lower()]) if published else ()
        rows.append(row(head, *(average_cell(column[at][1], interval=True) for column in columns), *theirs))
    several = {len(each.filings) > 1 for each in judged}
    clusters = (
        "filing" if several == {True} else "chunk" if several == {False} else "filing (chunk where one)"
    )
    return Table(
        name="criteria",
        title="Criteria (table 1)",
        columns=(
            "Criterion",
            *(name_of(each, judged) for each in judged),
            *(f"{each} (published)" for each in MODES.values() if published),
        ),
        rows=tuple(rows),
        note="Per cent. Faithfulness, precision and relevance are micro-averaged over triples, "
        f"comprehensiveness macro-averaged over chunks; good, partial and bad count {points} (our setting, "
        f"the paper gives none). {_HOW} In brackets: 95 % bootstrap intervals, resampled by {clusters}; "
        "none where nothing varies.",
        source=SOURCE if published else "",
    )


def failures_table(judged: Sequence[Judged], points: CoveragePoints) -> Table:
    """What failed, and what it could change."""
    rows = [
        row(
            name_of(each, judged),
            head,
            count(found.failed),
            count(found.not_judged),
            *(
                figure(end, ".2f", share=True) if end is not None else words("-")
                for end in (found.least, found.most)
            ),
        )
        for each in judged
        for head, found in _rows(each, points)
    ]
    return Table(
        name="failures",
        title="Failed verdicts, and what they could change",
        columns=("Extraction", "Criterion", "Failed", "Not judged", "All failed were 0", "All failed were 1"),
        rows=tuple(rows),
        note="The criteria if every failed verdict had been 0 (bad), or 1 (good).",
    )


def ontology_table(found: Sequence[Judged], ontology: Ontology) -> Table:
    """What each extraction gave, and how much of the ontology it uses, how evenly."""
    extractions = {each.run: each for each in found}.values()
    return Table(
        name="ontology",
        title="Triples, coverage and entropy of the ontology (ours, not the paper's)",
        columns=(
            *("Extraction", "Filings", "Chunks", "With triples", "Triples", "Ungrounded", "Types used"),
            *("Type entropy, bits", "Relations used", "Relation entropy, bits", "Not in the ontology"),
        ),
        rows=tuple(_use(each, ontology) for each in extractions),
        note="Types are counted of heads and of tails. Entropy is Shannon's: 0 where all are alike, the "
        "logarithm of their number where all are as frequent. Last: triples with a type or a relation that "
        "the ontology lacks.",
    )


def _use(judged: Judged, ontology: Ontology) -> Row:
    triples = [each.triple for each in judged.triples]
    types = Counter(kind for each in triples for kind in (each.head_type, each.tail_type))
    relations = Counter(each.relation for each in triples)

    def used(counts: Counter[str], known: Sequence[str]) -> Cell:
        number = sum(name in counts for name in known)
        text = f"{number} of {len(known)} ({number / len(known) * 100:.2f} %)"
        return Cell(text=text, state="figure", value=number / len(known), n=number, of=len(known))

    return row(
        words(judged.run),
        count(len(judged.filings)),
        count(len(judged.chunks)),
        count(sum(each.triples > 0 for each in judged.chunks)),
        count(len(triples)),
        count(sum(bool(each.ungrounded) for each in triples)),
        used(types, list(ontology.types)),
        figure(entropy_bits(types.values())),
        used(relations, list(ontology.relations)),
        figure(entropy_bits(relations.values())),
        count(
            sum(
                not {each.head_type, each.tail_type} <= ontology.types.keys()
                or each.relation not in ontology.relations
                for each in triples
            )
        ),
    )


def relations_table(found: Sequence[Judged]) -> Table:
    """Each extraction by relation, the most frequent first."""
    heads = _HEADS if any(each.judge for each in found) else ()
    rows = []
    for judged in found:
        for relation, triples in _grouped(judged.triples, lambda each: each.triple.relation):
            ungrounded = sum(bool(each.triple.ungrounded) for each in triples)
            cells = [average_cell(average_of(triples, each, intervals=False)) for each in CRITERIA if heads]
            rows.append(
                row(name_of(judged, found), words(relation), count(len(triples)), count(ungrounded), *cells)
            )
    columns = ("Extraction", "Relation", "Triples", "Ungrounded", *heads)
    return Table(
        name="relations", title="By relation", columns=columns, rows=tuple(rows), note=_HOW if heads else ""
    )


def items_table(found: Sequence[Judged], points: CoveragePoints) -> Table:
    """Each extraction by item of the report, in the report's order."""
    heads = (*_HEADS, _COVERED) if any(each.judge for each in found) else ()
    rows = []
    for judged in found:
        triples = dict(_grouped(judged.triples, lambda each: each.item))
        items = dict.fromkeys([*(each.chunk.item for each in judged.chunks), *triples])
        for item in sorted(items, key=lambda name: (int("".join(filter(str.isdigit, name)) or 0), name)):
            chunks = [each for each in judged.chunks if each.chunk.item == item]
            those = triples.get(item, [])
            cells = [average_of(those, each, intervals=False) for each in CRITERIA]
            cells.append(coverage_of(chunks, points, intervals=False))
            if not those and not any(each.verdict for each in chunks):
                continue
            told = (count(len(chunks)), count(sum(each.triples > 0 for each in chunks)), count(len(those)))
            name = words(item or "before item 1, or hidden")
            rows.append(row(name_of(judged, found), name, *told, *map(average_cell, cells if heads else ())))
    columns = ("Extraction", "Item", "Chunks", "With triples", "Triples", *heads)
    return Table(
        name="items",
        title="By item of the report",
        columns=columns,
        rows=tuple(rows),
        note=f"Items without a triple or a verdict are left out. {_HOW if heads else ''}".strip(),
    )


def warnings_table(judged: Sequence[Judged]) -> Table:
    """Each extraction by warning tag, the most frequent first."""
    rows = []
    for each in judged:
        tags: dict[str, Counter[str]] = {}
        said: list[tuple[str, tuple[str, ...], bool]] = [
            (criterion, verdict.warnings, verdict.verdict == 1)
            for triple in each.triples
            for criterion, verdict in triple.verdicts.items()
        ]
        said += [
            (_COVERED, chunk.verdict.warnings, chunk.verdict.verdict == "good")
            for chunk in each.chunks
            if chunk.verdict
        ]
        for criterion, warnings, passed in said:
            for tag in dict.fromkeys(warnings):
                tags.setdefault(tag, Counter()).update([criterion, "all", *(["passed"] if passed else [])])
        for tag, counts in sorted(tags.items(), key=lambda pair: (-pair[1]["all"], pair[0])):
            cells = (count(counts[name]) for name in (*CRITERIA, _COVERED, "passed"))
            rows.append(row(name_of(each, judged), words(tag), *cells))
    return Table(
        name="warnings",
        title="By warning",
        columns=("Extraction", "Warning", *_HEADS, _COVERED, "Of these 1 or good"),
        rows=tuple(rows),
        note="Verdicts with the tag, by criterion; a verdict may have several.",
    )


def _grouped(
    triples: Sequence[JudgedTriple], key: Callable[[JudgedTriple], str]
) -> list[tuple[str, list[JudgedTriple]]]:
    groups: dict[str, list[JudgedTriple]] = {}
    for each in triples:
        groups.setdefault(key(each), []).append(each)
    return sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))


def average_cell(found: Average, *, interval: bool = False) -> Cell:
    """A share with the verdicts that it rests on, or why there is none."""
    if found.value is None:
        text = (
            f"failed: {found.failed:,} of {found.all:,}"
            if found.failed
            else "not judged"
            if found.all
            else "-"
        )
        return Cell(text=text, state="nothing", n=0, of=found.all)
    return figure(
        found.value, ".2f", found.interval if interval else None, share=True, n=found.decided, of=found.all
    )
