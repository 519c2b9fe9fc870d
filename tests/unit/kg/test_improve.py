"""What judges said goes back to extraction.

Four chunks of one filing; ``x`` is a verdict that failed::

    chunk  before                    sent back                       after
    c1     a 1 (warning), b 0        remarks on a and b              a 1, b 1 in other words
    c2     d 0, e 1, f 1             a remark on d, and what lacks   d 0, e x, g 1 (f dropped, g added)
    c3     h 1                       nothing                         h 1
    c4     i 0                       a remark, and no usable reply   i 0, as it was
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.command_line import run_command
from tests.servers.judge_server import JudgeServer, Question, Said
from verifaible.errors import ConfigError
from verifaible.kg.chunks import Chunk
from verifaible.kg.folder import Extraction, GraphFolder, write_records
from verifaible.kg.improve import Improved, NotCorrected, improve
from verifaible.kg.report.report import read_report
from verifaible.kg.triples import ChunkVerdict, Triple, TripleVerdict

JUDGE = "judge-m"
BEFORE = {"c1": "ab", "c2": "def", "c3": "h", "c4": "i"}
SAID = {"a": 1, "b": 0, "d": 0, "e": 1, "f": 1, "h": 1, "i": 0}


def triple(name: str, chunk: str, tail: str = "") -> Triple:
    return Triple(
        id=name, chunk=chunk, head="Ravel", head_type="company", relation="makes", tail=tail or f"thing {name}",
        tail_type="product", by="m",
    )  # fmt: skip


def verdict(name: str, value: int | None, *warnings: str) -> TripleVerdict:
    told = {"failed": "timeout"} if value is None else {"verdict": value, "reason": f"Reason {name}."}
    line = {"triple": name, "criterion": "faithfulness", "judge": JUDGE, "warnings": warnings, **told}
    return TripleVerdict.model_validate(line)


@pytest.fixture
def folder(tmp_path: Path) -> GraphFolder:
    made = GraphFolder(tmp_path)
    run = made.run("single-m")
    run.path.mkdir(parents=True)
    chunks = [
        Chunk(id=each, start=at, end=at + 1, part="I", item="1", tokens=9) for at, each in enumerate(BEFORE)
    ]
    write_records(tmp_path / "chunks.jsonl", chunks)
    run.replace([triple(name, chunk) for chunk, names in BEFORE.items() for name in names])
    for name, value in SAID.items():
        run.verdicts.add(verdict(name, value, *(["vague_relation"] if name in "ab" else [])))
    run.coverage.add(ChunkVerdict(chunk="c1", judge=JUDGE, verdict="good"))
    run.coverage.add(
        ChunkVerdict(
            chunk="c2", judge=JUDGE, verdict="bad", warnings=("missing_information",), reason="No date."
        )
    )
    return made


class Helpers:
    """An extractor that corrects by a table and a judge that judges by one; both say what they were asked."""

    def __init__(self) -> None:
        self.asked: dict[str, tuple[list[list[str]], list[str]]] = {}
        self.judged: list[str] = []

    async def correct(
        self,
        chunk: Chunk,
        triples: Sequence[Triple],
        remarks: Sequence[Sequence[str]],
        missing: Sequence[str],
    ) -> Sequence[Triple]:
        self.asked[chunk.id] = [list(each) for each in remarks], list(missing)
        if chunk.id == "c4":
            raise NotCorrected("no usable reply")
        if chunk.id == "c1":
            return [triples[0], triple("b", "c1", "other words")]
        return [triples[0], triples[1], triple("g", "c2")]

    async def judge(self, run: Extraction) -> None:
        values = {"a": 1, "b": 1, "d": 0, "e": None, "g": 1}
        done = {each.triple for each in run.verdicts}
        for each in run.triples.read():
            if each.id not in done:
                self.judged.append(each.id)
                run.verdicts.add(verdict(each.id, values[each.id]))
        run.coverage.add(ChunkVerdict(chunk="c1", judge=JUDGE, verdict="good"))
        run.coverage.add(ChunkVerdict(chunk="c2", judge=JUDGE, verdict="partial"))


def improved(folder: GraphFolder, helpers: Helpers) -> Improved:
    return asyncio.run(
        improve(folder, folder.run("single-m"), JUDGE, correct=helpers.correct, judge_again=helpers.judge)
    )


def test_remarks_go_back_with_the_chunk_that_they_are_of(folder: GraphFolder) -> None:
    helpers = Helpers()
    made = improved(folder, helpers)
    assert helpers.asked == {
        "c1": (
            [["faithfulness 1: vague_relation. Reason a."], ["faithfulness 0: vague_relation. Reason b."]], [],
        ),
        "c2": ([["faithfulness 0. Reason d."], [], []], ["comprehensiveness bad: missing_information. No date."]),
        "c4": ([["faithfulness 0. Reason i."]], []),
    }  # fmt: skip
    assert made.failed == {"c4": "no usable reply"}
    assert (made.sent, made.replaced, made.added, made.dropped) == (3, 1, 1, 1)


def test_the_new_extraction_is_whole_and_only_what_changed_is_judged_again(folder: GraphFolder) -> None:
    helpers = Helpers()
    made = improved(folder, helpers)
    assert made.run.name == "single-m-improved"
    assert [each.id for each in made.run.triples.read()] == list("abdeghi")
    assert helpers.judged == list("abdeg")
    assert {each.triple: each.verdict for each in made.run.verdicts}["i"] == 0
    assert len(folder.run("single-m").triples.read()) == 7


def test_the_report_compares_the_extraction_before_and_after(folder: GraphFolder) -> None:
    """Faithfulness before: 4 of 7; after: 4 of 6, with one failed. Coverage: good and bad, then good and partial."""
    made = improved(folder, Helpers())
    report = read_report([folder], runs=["single-m", made.run.name], judges=[JUDGE])
    criteria = next(each for each in report.tables if each.name == "criteria")
    assert criteria.columns == ("Criterion", "single-m", "single-m-improved")
    rows = {row[0]: row[1:] for row in criteria.texts}
    assert [each.partition(" ")[0] for each in rows["Faithfulness"]] == ["57.14", "66.67"]
    assert [each.partition(" ")[0] for each in rows["Comprehensiveness"]] == ["50.00", "75.00"]


def test_without_verdicts_it_says_what_to_do(folder: GraphFolder) -> None:
    helpers = Helpers()
    with pytest.raises(ConfigError, match="kg judge"):
        asyncio.run(
            improve(
                folder, folder.run("single-m"), "nobody", correct=helpers.correct, judge_again=helpers.judge
            )
        )


@pytest.mark.nightly
def test_the_command_lets_a_model_correct_and_the_same_judge_judge_again(tmp_path: Path) -> None:
    """The scripted judge finds none of the tags' names in the text of two chunks; the model drops all of them."""

    def mind(question: Question) -> Said:
        remarks = [json.loads(line) for line in question.parts["the remarks"].splitlines()]
        return {"triples": [], "dropped": sorted({each["triple"] for each in remarks} - {0})}

    home = {"VERIFAIBLE_HOME": str(tmp_path), "VERIFAIBLE_RETRY_S": "0", "VERIFAIBLE_API_KEY": "sk-test"}
    with JudgeServer(mind) as server:
        home["VERIFAIBLE_BASE_URL"] = server.base_url
        assert run_command(["kg", "demo"], environment=home, folder=tmp_path).returncode == 0
        told = ["kg", "judge", "graphs/demo", "--judge", "scripted"]
        assert run_command(told, environment=home, folder=tmp_path).returncode == 0
        told = [
            "kg",
            "improve",
            "graphs/demo",
            "--run",
            "xbrl",
            "--model",
            "some/model",
            "--judge",
            "scripted",
        ]
        done = run_command(told, environment=home, folder=tmp_path)
        asked = len(server.questions)
        again = run_command(told, environment=home, folder=tmp_path)
    assert (done.returncode, "scripted, not a result" in done.stdout) == (0, True), done.stderr
    assert (
        "0 were not corrected; 0 triples replaced, 0 added" in done.stderr and "xbrl-improved" in done.stdout
    )
    assert asked > 0
    assert (again.stdout, len(server.questions)) == (done.stdout, asked)
    after = GraphFolder(tmp_path / "graphs" / "demo").run("xbrl-improved")
    assert after.triples.read()
    assert not any(each.verdict == 0 for each in after.verdicts)
