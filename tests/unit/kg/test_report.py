"""The averages of a graph's report, worked out by hand.

Two filings, three chunks, twelve triples; a letter is a triple, ``x`` a verdict that failed, ``.`` none::

    filing    chunk  item  triples     faithful   precise    relevant   covered
    first     a1     1     a b c d     1 1 1 0    1 0 1 1    1 1 1 1    good
    first     a2     1A    e f g       1 x 0      0 0 1      1 0 1      partial
    second    b1     1     h i j k l   1 1 0 1 0  1 x 1 x 0  1 1 1 1 .  bad

Faithfulness: 7 of 11, one failed: 7/12 to 8/12; the filings alone 4/6 and 3/5.
Precision: 6 of 10, two failed: 6/12 to 8/12; 4/7 and 2/3.
Relevance: 10 of 11, none failed, one not judged: 10/11; 6/7 and 4/4.
Comprehensiveness: (100 + 50 + 0) / 3 = 50; 75 and 0.

Of two filings a bootstrap draws the first twice in a quarter of all draws, and the second twice in another, so
that the 2.5 % and the 97.5 % points are the two filings' own averages.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from verifaible.errors import ConfigError
from verifaible.kg.chunks import Chunk
from verifaible.kg.folder import AskedChunk, GraphFolder, write_records
from verifaible.kg.report import Report, Told, average, read_report, write_report
from verifaible.kg.triples import ChunkVerdict, Coverage, Criterion, Triple, TripleVerdict
from verifaible.reporting.tables import Cell, Table

RUN, JUDGE = "single-m", "judge-m"
#: Relation and type of the tail of each triple; the head is a company.
TRIPLES = {
    "a": ("makes", "product"),
    "b": ("makes", "product"),
    "c": ("acquired", "company"),
    "d": ("headquartered_in", "place"),
    "e": ("exposed_to", "risk"),
    "f": ("exposed_to", "risk"),
    "g": ("affected_by", "event"),
    "h": ("makes", "product"),
    "i": ("acquired", "company"),
    "j": ("competes_with", "competitor"),
    "k": ("competes_with", "competitor"),
    "l": ("listed_on", "exchange"),
}
CHUNKS = {"a1": ("1", "abcd"), "a2": ("1A", "efg"), "b1": ("1", "hijkl")}
FILINGS = {"first": ("a1", "a2"), "second": ("b1",)}
VERDICTS: dict[Criterion, str] = {
    "faithfulness": "1110 1x0 11010",
    "precision": "1011 001 1x1x0",
    "relevance": "1111 101 1111.",
}
WARNINGS: dict[tuple[str, str], tuple[str, ...]] = {
    ("d", "faithfulness"): ("hallucination",),
    ("g", "faithfulness"): ("hallucination",),
    ("l", "faithfulness"): ("hallucination",),
    ("j", "faithfulness"): ("wrong_direction",),
    ("b", "precision"): ("generic_entity",),
    ("e", "precision"): ("generic_entity",),
    ("f", "precision"): ("generic_entity", "vague_relation"),
    ("h", "precision"): ("generic_entity",),
}
COVERAGE: dict[str, Coverage] = {"a1": "good", "a2": "partial", "b1": "bad"}


def triple(name: str, chunk: str) -> Triple:
    relation, kind = TRIPLES[name]
    return Triple(
        id=name,
        chunk=chunk,
        head="Ravel Pumps",
        head_type="company",
        relation=relation,
        tail=f"thing {name}",
        tail_type=kind,
        ungrounded="not_found" if name == "l" else "",
        by="m",
    )


def verdicts(names: Sequence[str], judge: str = JUDGE) -> list[TripleVerdict]:
    made = []
    for criterion, row in VERDICTS.items():
        for name, sign in zip(TRIPLES, row.replace(" ", ""), strict=True):
            if name not in names or sign == ".":
                continue
            told: dict[str, object] = {"failed": "no JSON"} if sign == "x" else {"verdict": int(sign)}
            said = {"warnings": WARNINGS.get((name, criterion), ()), "judge": judge, **told}
            made.append(TripleVerdict.model_validate({"triple": name, "criterion": criterion, **said}))
    return made


def chunk(name: str, at: int) -> Chunk:
    return Chunk(id=name, start=at, end=at + 9, part="I", item=CHUNKS[name][0], tokens=300)


def folders(home: Path, judge: str = JUDGE) -> list[GraphFolder]:
    made = []
    for filing, chunks in FILINGS.items():
        folder = GraphFolder(home / filing)
        run = folder.run(RUN)
        run.path.mkdir(parents=True)
        write_records(folder.path / "chunks.jsonl", [chunk(name, at) for at, name in enumerate(chunks)])
        run.replace([triple(name, each) for each in chunks for name in CHUNKS[each][1]])
        names = "".join(CHUNKS[each][1] for each in chunks)
        if "k" in names:  # a failure that was asked again: the later line counts
            failed = TripleVerdict(triple="k", criterion="faithfulness", judge=judge, failed="timeout")
            run.verdicts.add(failed)
        for verdict in verdicts(names, judge):
            run.verdicts.add(verdict)
        for name in chunks:
            tags = () if name == "a1" else ("missing_information",)
            run.coverage.add(ChunkVerdict(chunk=name, judge=judge, verdict=COVERAGE[name], warnings=tags))
        made.append(folder)
    return made


@pytest.fixture
def report(tmp_path: Path) -> Report:
    return read_report(folders(tmp_path))


def table(report: Report, name: str) -> Table:
    (found,) = (each for each in report.tables if each.name == name)
    return found


def texts(report: Report, name: str) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in table(report, name).texts}


def test_the_criteria_are_averaged_as_the_paper_does_with_intervals_by_filing(report: Report) -> None:
    assert table(report, "criteria").columns[:2] == ("Criterion", RUN)
    assert texts(report, "criteria") == {
        "Comprehensiveness": ("50.00 % (0.00-75.00), 3/3", "62.60", "62.41", "72.01"),
        "Faithfulness": ("63.64 % (60.00-66.67), 11/12", "87.25", "78.73", "83.40"),
        "Precision": ("60.00 % (57.14-66.67), 10/12", "56.06", "58.01", "59.49"),
        "Relevance": ("90.91 % (85.71-100.00), 11/12", "91.46", "82.64", "92.52"),
    }
    assert "resampled by filing" in table(report, "criteria").note


def test_what_failed_is_no_zero_and_is_bounded(report: Report) -> None:
    assert table(report, "failures").columns == (
        "Extraction", "Criterion", "Failed", "Not judged", "All failed were 0", "All failed were 1",
    )  # fmt: skip
    assert [row[1:] for row in table(report, "failures").texts] == [
        ("Comprehensiveness", "0", "0", "50.00 %", "50.00 %"),
        ("Faithfulness", "1", "0", "58.33 %", "66.67 %"),
        ("Precision", "2", "0", "50.00 %", "66.67 %"),
        ("Relevance", "0", "1", "90.91 %", "90.91 %"),
    ]


_HEADS = ("Faithfulness", "Precision", "Relevance")
_COVERED = "Comprehensiveness"


def test_warnings_are_counted_by_tag_and_criterion(report: Report) -> None:
    assert table(report, "warnings").columns == (
        "Extraction", "Warning", *_HEADS, _COVERED, "Of these 1 or good",
    )  # fmt: skip
    assert [row[1:] for row in table(report, "warnings").texts] == [
        ("generic_entity", "0", "4", "0", "0", "1"),
        ("hallucination", "3", "0", "0", "0", "0"),
        ("missing_information", "0", "0", "0", "2", "0"),
        ("vague_relation", "0", "1", "0", "0", "0"),
        ("wrong_direction", "1", "0", "0", "0", "0"),
    ]


def test_what_each_extraction_gave_is_counted(tmp_path: Path) -> None:
    both = folders(tmp_path)
    run = both[0].run("multi-m")
    run.replace([triple("a", "a1"), triple("b", "a2").model_copy(update={"relation": "hums"})])
    write_records(run.asked.path, [AskedChunk(chunk="a1"), AskedChunk(chunk="a2", failed="multi: timeout")])
    assert texts(read_report(both), "extractions") == {
        RUN: ("2", "3", "12", "1", "0"),
        "multi-m": ("1", "2", "2", "0", "1"),
    }


def test_a_chunk_whose_extraction_failed_is_a_failure_of_coverage(tmp_path: Path) -> None:
    both = folders(tmp_path)
    asked = [AskedChunk(chunk="a1"), AskedChunk(chunk="a2", failed="single: timeout")]
    both[0].run(RUN).coverage.path.write_text('{"chunk":"a1","judge":"judge-m","verdict":"good"}\n')
    write_records(both[0].run(RUN).asked.path, asked)
    report = read_report(both)
    assert texts(report, "criteria")["Comprehensiveness"][0].endswith(", 2/3")
    assert table(report, "failures").texts[0][1:] == ("Comprehensiveness", "1", "0", "33.33 %", "66.67 %")


def test_one_filing_is_resampled_by_chunk_and_says_so(tmp_path: Path) -> None:
    """Chunks a1 and a2: faithfulness 3/4 and 1/2, together 4/6."""
    made = read_report(folders(tmp_path)[:1])
    assert texts(made, "criteria")["Faithfulness"][0] == "66.67 % (50.00-75.00), 6/7"
    assert "resampled by chunk" in table(made, "criteria").note


def test_one_cluster_or_clusters_all_alike_have_no_interval() -> None:
    one = average([Told("f", "c", 1.0), Told("f", "c", 0.0)])
    alike = average([Told("f", "c", 1.0), Told("g", "c", 1.0)])
    assert (one.value, one.interval, alike.value, alike.interval) == (0.5, None, 1.0, None)


def test_a_failure_is_bounded_by_the_worst_and_the_best_verdict() -> None:
    """1, failed, 0: 1/2, from 1/3 to 2/3."""
    found = average([Told("f", "a", 1.0), Told("f", "b", failed=True), Told("f", "c", 0.0)])
    assert (found.value, found.least, found.most) == pytest.approx((0.5, 1 / 3, 2 / 3))
    none = average([Told("f", "a", failed=True)])
    assert (none.value, none.least, none.most, none.failed) == (None, 0.0, 1.0, 1)


def test_published_figures_stand_beside_the_criteria_alone(tmp_path: Path) -> None:
    made = read_report(folders(tmp_path))
    criteria = table(made, "criteria")
    assert criteria.columns[2:] == (
        "Single pass (published)", "Multi pass (published)", "Reflection (published)",
    )  # fmt: skip
    assert [cell.text for cell in criteria.rows[0].cells[2:]] == ["62.60", "62.41", "72.01"]
    assert {cell.state for row in criteria.rows for cell in row.cells[2:]} == {"published"}
    assert "Qwen3-32B" in criteria.source
    assert not any("published" in name for each in made.tables[1:] for name in each.columns)


def test_published_figures_stand_beside_no_other_question(tmp_path: Path) -> None:
    both = folders(tmp_path)
    for folder in both:
        folder.run(RUN).path.rename(folder.run("xbrl").path)
    assert len(table(read_report(both), "criteria").columns) == 2


def test_extractions_stand_in_the_order_of_the_paper_and_others_behind(tmp_path: Path) -> None:
    both = folders(tmp_path)
    for name in ("xbrl", "reflection-m", "multi-m"):
        both[0].run(name).replace([triple("a", "a1")])
    found = [row[0] for row in table(read_report(both), "extractions").texts]
    assert found == [RUN, "multi-m", "reflection-m", "xbrl"]


def test_judges_have_a_column_each_and_can_be_chosen(tmp_path: Path) -> None:
    both = folders(tmp_path)
    one = TripleVerdict(triple="a", criterion="faithfulness", judge="judge-n", verdict=0)
    both[0].run(RUN).verdicts.add(one)
    assert table(read_report(both), "criteria").columns[1:3] == (f"{RUN}, {JUDGE}", f"{RUN}, judge-n")
    chosen = read_report(both, judges=["judge-n"])
    assert texts(chosen, "criteria")["Faithfulness"][0] == "0.00 %, 1/12"
    with pytest.raises(ConfigError, match="judge-n"):
        read_report(both, judges=["nobody"])
    with pytest.raises(ConfigError, match=RUN):
        read_report(both, runs=["multi-m"])


def test_an_extraction_that_nobody_judged_is_counted_and_has_no_figures(tmp_path: Path) -> None:
    both = folders(tmp_path)
    for folder in both:
        folder.run(RUN).replace(list(folder.run(RUN).triples))
    made = read_report(both)
    assert {each.name for each in made.tables} == {"extractions"}
    assert any("kg evaluate" in each for each in made.warnings)


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_files(report: Report, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"report.{ending}"
    write_report(report, path)
    text = path.read_text()
    assert "63.64 % (60.00-66.67), 11/12" in text
    assert "<script" not in text
    if ending == "json":
        (criteria,) = (each for each in json.loads(text)["tables"] if each["name"] == "criteria")
        assert Cell.model_validate(criteria["rows"][1]["cells"][1]).value == pytest.approx(7 / 11)
