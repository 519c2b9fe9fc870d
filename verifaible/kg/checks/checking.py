"""All checks of a filing's triples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import get_args

from verifaible.kg.checks.around import CHECKS, Check, CheckVerdict, Finding, Pages
from verifaible.kg.checks.manner import direction, manner
from verifaible.kg.checks.measured import measured, tags
from verifaible.kg.checks.names import duplicates, named, vocabulary
from verifaible.kg.chunks import Chunk
from verifaible.kg.filing import Filing
from verifaible.kg.folder import GraphFolder, write_records
from verifaible.kg.ontology import Ontology, read_ontology
from verifaible.kg.triples import Triple
from verifaible.reporting.tables import Column, Table, count, table_of


class Checker:
    """The checks of one filing.

    Args:
        filing: as it was read.
        chunks: its chunks.
        ontology: which types and relations there are.
    """

    def __init__(self, filing: Filing, chunks: Sequence[Chunk], ontology: Ontology) -> None:
        self._pages = Pages(filing, chunks)
        self._ontology = ontology

    def findings(self, triple: Triple) -> Iterator[Finding]:
        """What the checks say of a triple by itself."""
        yield from vocabulary(triple, self._ontology)
        if triple.ungrounded:
            return
        around = self._pages.around(triple)
        yield from named(triple, around, self._ontology)
        for check, verdict, said in (
            *measured(triple, around),
            *manner(triple, around),
            *tags(triple, self._pages.filing),
        ):
            yield Finding(triple=triple.id, check=check, verdict=verdict, said=said)
        if way := direction(triple, around, self._ontology):
            yield Finding(triple=triple.id, check=way[0], verdict=way[1], said=way[2])

    def is_wrong(self, triple: Triple) -> bool:
        """Whether any check says that a triple is wrong."""
        return any(each.verdict == "wrong" for each in self.findings(triple))

    def check(self, triples: Sequence[Triple]) -> list[Finding]:
        """What the checks say of each triple, and of those that say the same."""
        found = [finding for each in triples for finding in self.findings(each)]
        return [*found, *duplicates(list(triples), self._ontology)]


def check_folder(
    folder: GraphFolder, names: Sequence[str] = (), ontology: Path | None = None
) -> dict[str, list[Finding]]:
    """Check extractions of a folder, by name; the findings of each are kept as its ``checks.jsonl``.

    Args:
        folder: with a filing that was taken in.
        names: of extractions; all that there are where none is named.
        ontology: a file with another ontology.

    Raises:
        ConfigError: an extraction that is named is not there, or the ontology cannot be read.
    """
    runs = folder.runs(names)
    checker = Checker(folder.filing(), folder.chunks(), read_ontology(ontology))
    found = {run.name: checker.check(list(run.triples.read())) for run in runs}
    for run in runs:
        write_records(run.checks, found[run.name])
    return found


def checks_table(findings: Iterable[Finding]) -> Table:
    """Findings by check and verdict."""
    counts = Counter((each.check, each.verdict) for each in findings)
    rows = [name for name in CHECKS if any(check == name for check, _ in counts)]

    def counted(verdict: CheckVerdict) -> Column[Check, None]:
        return Column(verdict, lambda name: count(counts[name, verdict]))

    columns: list[Column[Check, None]] = [Column("check", lambda name: name)]
    columns += map(counted, get_args(CheckVerdict))
    return table_of("Checks of triples", columns, rows, name="checks", note="Open: it cannot be decided.")
