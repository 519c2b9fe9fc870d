"""What the checks of triples catch, over ten filings and over triples made by hand: ``docs/results/kg-checks.md``."""

# ruff: noqa: E501 - sentences of a document

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.kit.triple_mutations import CLASSES, Detected, detection, mutations
from tests.unit.kg.test_checks_stated import REAL, stated
from verifaible.kg.checks.around import Finding
from verifaible.kg.checks.checking import Checker, checks_table
from verifaible.kg.chunks import chunks_of
from verifaible.kg.filing import read_filing
from verifaible.kg.ontology import read_ontology
from verifaible.kg.tagged import tagged_triples
from verifaible.reporting.tables import Table, figure, markdown_page, row

DOCUMENT: Final = Path(__file__).resolve().parents[2] / "docs" / "results" / "kg-checks.md"
#: What the checks, as they were first written, came to: caught, of how many.
_FIRST: Final = {
    "entity": (769, 9920),
    "relation": (9969, 9979),
    "direction": (9979, 9979),
    "amount": (9052, 9264),
    "unit": (7952, 9813),
    "date": (7663, 9813),
    "negation": (9816, 9979),
    "modality": (9636, 9979),
    "unchanged": (739, 9979),
}
_FIRST_STATED: Final = {
    "entity": (27, 47),
    "relation": (26, 70),
    "direction": (61, 63),
    "amount": (4, 5),
    "unit": (1, 1),
    "negation": (66, 70),
    "modality": (60, 70),
    "unchanged": (11, 70),
}
_GOALS: Final = dict.fromkeys(("amount", "unit", "date", "direction", "negation"), ">= 95 %") | {
    "unchanged": "<= 1 %"
}
_SAID: Final = (
    "Written by python -m scripts.graphs --write, over the ten filings listed in kg.md. No model is involved. "
    "A mutation changes one thing of a triple; it counts as caught if any check says wrong. The mutations were "
    "written before the checks and independently of them; the checks were fixed after the first figures, on the same "
    "filings, so expect worse figures on other filings.",
    "A check says wrong only if the text cannot support the triple. So a name or relation replaced by another one "
    "that the ontology allows is mostly left to a judge. The name of a tag does not occur on the page, so its words "
    "are not checked.",
    "Direction and relation of tagged triples are caught by the ontology's type pairs alone, and most of their "
    "negations because a cell states its figure; the triples made by hand are harder. The mutations caught include "
    "the false alarms: no entities of tagged triples are caught beyond those.",
    "When the first figures were taken, one of the triples made by hand was itself wrong, and one kind of mutation "
    "produced an invalid number (14,000000); both were fixed. The first figures of tagged triples include 32 triples of "
    "tables of executive officers, which are no longer extracted without a model.",
    "Signs are not compared: a tag may give as positive a cost that the page shows in brackets, and vice versa. "
    "The mutations change no sign.",
)


def _add(into: dict[str, Counter[str]], found: Iterable[Detected]) -> None:
    for each in found:
        into.setdefault(each.kind, Counter()).update(caught=each.caught, of=each.of)


def _table(title: str, name: str, first: dict[str, tuple[int, int]], now: dict[str, Counter[str]]) -> Table:
    rows = [
        row(
            "unchanged: false alarms" if kind == "unchanged" else kind,
            _GOALS.get(kind, "-"),
            *(
                figure(caught / of, ".1f", share=True, more=f", {caught:,} of {of:,}")
                for caught, of in (first[kind], (now[kind]["caught"], now[kind]["of"]))
            ),
        )
        for kind in (*CLASSES, "unchanged")
        if kind in now
    ]
    return Table(name=name, title=title, columns=("class", "goal", "first", "now"), rows=tuple(rows))


#: What a filing is made to lack: what is not found must refute nothing.
_LACKING: Final = {
    "no scale declared": re.compile(rb"\b(?:thousand|million|billion)s\b", re.IGNORECASE),
    "no currency sign": re.compile(rb"\$|&#36;"),
}


def _lacking() -> Table:
    """How many right triples of the filings are taken for wrong once the filings lack something."""
    ontology, rows = read_ontology(), []
    for name, words in _LACKING.items():
        alarms = of = 0
        for path in sorted(REAL.glob("*.html")):
            filing = read_filing(words.sub(b"", path.read_bytes()))
            chunks = chunks_of(filing)
            checker = Checker(filing, chunks, ontology)
            triples = [each for each in tagged_triples(filing, chunks) if not each.ungrounded]
            alarms, of = alarms + sum(map(checker.is_wrong, triples)), of + len(triples)
        rows.append(row(name, figure(alarms / of, ".1f", share=True, more=f", {alarms:,} of {of:,}")))
    title = "False alarms where the filings lack something (triples of tags)"
    return Table(name="lacking", title=title, columns=("filings", "false alarms"), rows=tuple(rows))


def main() -> None:
    """Measure, print, and with ``--write`` put it in the document."""
    began = time.process_time()
    ontology = read_ontology()
    all_tagged: dict[str, Counter[str]] = {}
    all_stated: dict[str, Counter[str]] = {}
    findings: list[Finding] = []
    checking = 0.0
    by_hand = stated()
    for path in sorted(REAL.glob("*.html")):
        filing = read_filing(path.read_bytes())
        chunks = chunks_of(filing)
        checker = Checker(filing, chunks, ontology)
        triples = tagged_triples(filing, chunks)
        before = time.process_time()
        findings += checker.check(triples)
        checking += time.process_time() - before
        own = [each for name, each in by_hand if path.name.startswith(f"{name}-")]
        for into, each in ((all_tagged, triples), (all_stated, own)):
            _add(into, detection(each, mutations(each, ontology), checker.is_wrong))
    tables = (
        _table("Triples of tags", "tagged", _FIRST, all_tagged),
        _table("Triples made by hand over sentences", "stated", _FIRST_STATED, all_stated),
        checks_table(findings),
        _lacking(),
    )
    spent = time.process_time() - began
    page = markdown_page(
        "What checks of triples catch",
        [
            *_SAID,
            f"To check the triples took {checking:.0f} s of processor time; "
            f"all of it, with {sum(each['of'] for each in all_tagged.values()):,} triples checked, {spent:.0f} s.",
        ],
        tables=tables,
    )
    print(page)
    if "--write" in sys.argv:
        DOCUMENT.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
