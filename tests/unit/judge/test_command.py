"""The command from end to end: its options, its outputs, and that a rerun writes the same bytes."""

from __future__ import annotations

import csv
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.kit.public import PUBLIC, needs_public
from tests.servers.judge_server import JudgeServer, Question, Said, sensible
from tests.unit.judge.commanded import FIRST, QUERY, SAME, SECOND, Command, command, write_input
from verifaible.judge.folder import JudgeFolder
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, CitationRow, HallucinationRow, Score

__all__ = ["command"]

BY_RULES = ("--judge", "deepseek-r1", "--split", "rules")
SAMPLE = PUBLIC / "cryptoanalystbench"
FILES = {*SAME, "judge.json"}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_input(tmp_path / "input", {"gpt5": [FIRST], "grok4": [SECOND]})


def asked(server: JudgeServer) -> Counter[str]:
    return Counter(question.form for question in server.questions)


def outputs(folder: JudgeFolder) -> dict[str, bytes]:
    return {name: (folder.path / name).read_bytes() for name in SAME}


def tables(folder: JudgeFolder) -> str:
    return (folder.path / "tables.json").read_text(encoding="utf-8")


# --- without a judge


@needs_public("cryptoanalystbench")
def test_the_public_sample_is_judged_by_rules_alone(command: Command) -> None:
    folder = command.done("run", SAMPLE / "sample_input.csv", "--offline")
    assert {path.name for path in folder.path.iterdir()} == FILES
    answers = list(folder.answers())
    assert {answer.answer.model for answer in answers} == {"Sentient", "gpt5", "grok4", "pplx"}
    for answer in answers:
        assert {score.outcome for score in answer.rubric.values()} == {"not_judged"}
        assert {score.reason for score in answer.taxonomy.values()} == {"not judged: no model"}
        assert answer.claims
    page = (folder.path / "report.html").read_text(encoding="utf-8")
    assert "Not judged, no model: " in page
    assert "Not judged, no model: " in (folder.path / "report.md").read_text(encoding="utf-8")


@needs_public("cryptoanalystbench")
def test_a_table_of_queries_alone_is_no_input(command: Command) -> None:
    ran = command("run", SAMPLE / "dataset.csv", "--offline")
    assert (ran.status, ran.out) == (2, "")
    assert "_response" in ran.err


def test_rules_alone_write_everything(command: Command, table: Path) -> None:
    folder = command.done("run", table, "--offline")
    assert {path.name for path in folder.path.iterdir()} == FILES
    first, second = folder.answers()
    assert first.answer.sources_known
    assert {source.id for source in first.answer.sources} >= {"src_1", "src_2"}
    found = {judged.claim.text: judged for judged in folder.claims()}
    october = next(each for text, each in found.items() if "$308.4 billion" in text)
    assert october.citations is not None
    assert (october.citations.status, october.citations.by) == ("direct", "rules")
    okx = next(each for text, each in found.items() if "OKX" in text)
    assert okx.citations is not None
    assert okx.citations.status == "incorrect"  # src_7 leads nowhere, other marks do
    assert {score.outcome for score in second.rubric.values()} == {"not_judged"}
    info = folder.info
    assert info.finished_at is not None
    assert (info.judge, info.calls, info.input) == ("", 0, "answers.csv")
    assert len(info.input_sha256) == 64


def test_output_limit_models_and_json(command: Command, table: Path, tmp_path: Path) -> None:
    ran = command(
        "run",
        table,
        "--protocol",
        "citations",
        "--offline",
        "--models",
        "grok4",
        "--limit",
        1,
        "--output",
        tmp_path / "here",
        "--json",
    )
    assert ran.status == 0
    assert {table["name"] for table in json.loads(ran.out)} >= {"citations"}
    (place,) = (tmp_path / "here").iterdir()
    (only,) = JudgeFolder(place).answers()
    assert (only.answer.model, only.rubric) == ("grok4", {})


@pytest.mark.nightly
def test_a_program_of_its_own(command: Command, table: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "verifaible.judge", "run", str(table), "--offline"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Results: " in ran.stderr
    assert "not judged: no model" not in ran.stdout
    assert "Rubric" not in ran.stdout
    assert "Not judged, no model: " in ran.stderr
    verified = command("verify", "latest")
    assert (verified.status, "passages hold" in verified.out) == (0, True), verified.err


# --- with a judge


def test_a_judge_fills_all_tables_and_a_rerun_asks_nothing(command: Command, table: Path) -> None:
    with JudgeServer(cost=0.001) as server:
        command.at(server)
        judged = ("run", table, *BY_RULES)
        first = command.done(*judged)
        calls = len(server.questions)
        second = command.done(*judged)
        assert len(server.questions) == calls > 0
        assert {question.api for question in server.questions} == {"responses"}
    assert first.path != second.path
    assert (first.info.calls, first.info.cached_calls) == (calls, 0)
    assert (second.info.calls, second.info.cached_calls) == (0, calls)
    assert second.info.usage.cost_usd is None
    assert first.info.usage.cost_usd == pytest.approx(0.001 * calls)
    before, after = outputs(first), outputs(second)
    assert [name for name in SAME if before[name] != after[name]] == []
    for answer in first.answers():
        assert {name: score.outcome for name, score in answer.rubric.items()} == dict.fromkeys(
            DIMENSIONS, "decided"
        )
        assert {name: score.outcome for name, score in answer.taxonomy.items()} == dict.fromkeys(
            ERROR_CATEGORIES, "decided"
        )
    for claim in first.claims():
        assert claim.citations is not None
        assert claim.citations.outcome == "decided", claim.citations
        assert claim.hallucination is None or claim.hallucination.outcome == "decided", claim.hallucination
    told = json.loads(tables(first))
    assert {table["name"] for table in told["tables"]} >= {"citations", "hallucination", "rubric", "taxonomy"}
    assert told["run"]["judge"] == "deepseek-r1"
    assert told["run"]["settings"]["judge"]["api"] == "responses"
    assert len(told["run"]["settings"]["prompts_sha256"]) == 64
    assert told["run"]["usage"]["cost_usd"] == pytest.approx(0.001 * calls)
    assert first.path.name not in tables(first)


def test_a_judge_may_split_the_answers(command: Command, table: Path) -> None:
    with JudgeServer() as server:
        command.at(server)
        folder = command.done(
            "run", table, "--protocol", "citations", "--judge", "deepseek-r1", "--split", "model"
        )
        assert asked(server)["claims"] == 2
    assert [answer.claims_by for answer in folder.answers()] == ["judge", "judge"]
    assert all(answer.coverage.covered == answer.coverage.sentences for answer in folder.answers())


def test_what_a_judge_could_not_split_is_told(command: Command, table: Path) -> None:
    def prose(question: Question) -> Said:
        return "I would rather not." if question.form == "claims" else sensible(question)

    with JudgeServer(prose) as server:
        command.at(server)
        folder = command.done(
            "run", table, "--protocol", "citations", "--judge", "deepseek-r1", "--split", "model"
        )
    assert [answer.claims_by for answer in folder.answers()] == ["rules", "rules"]
    assert len(folder.info.settings["notes"]) == 2
    assert "split by rules" in (folder.path / "report.md").read_text(encoding="utf-8")


def test_repeats_are_votes(command: Command, table: Path) -> None:
    with JudgeServer() as server:
        command.at(server)
        folder = command.done("run", table, "--protocol", "rubric", *BY_RULES, "--repeats", 3)
        assert asked(server)["rubric"] == 6
    assert folder.info.repeats == 3
    assert {len(score.votes) for answer in folder.answers() for score in answer.rubric.values()} == {3}


def test_a_limit_of_cost_leaves_the_rest_unjudged(command: Command, table: Path) -> None:
    with JudgeServer(cost=0.01) as server:
        command.at(server)
        folder = command.done(
            "run",
            table,
            *BY_RULES,
            "--max-cost",
            "0.03",
        )
        assert len(server.questions) in (3, 4)
    rows: list[Score | CitationRow | HallucinationRow] = [
        row for answer in folder.answers() for row in (*answer.rubric.values(), *answer.taxonomy.values())
    ]
    rows += [row for claim in folder.claims() for row in (claim.citations, claim.hallucination) if row]
    left = [row for row in rows if row.outcome == "not_judged"]
    assert left
    assert [row.reason for row in left if "limit of 0.03 US dollars" not in row.reason] == []
    told = (folder.path / "report.md").read_text(encoding="utf-8")
    assert f"{len(left)} judgements were not made. Not judged: the limit of 0.03 US dollars" in told


def test_a_judge_of_the_same_family_is_refused_by_name(command: Command, table: Path) -> None:
    with JudgeServer() as server:
        command.at(server)
        judged = (
            "run",
            table,
            "--protocol",
            "rubric",
            "--judge",
            "x-ai/grok-4.1-fast",
        )
        ran = command(*judged)
        folder = command.latest()
        told = (folder.path / "report.md").read_text(encoding="utf-8")
        assert ran.status == 0
        assert "grok4: not judged by x-ai/grok-4.1-fast" in ran.err
        assert "grok4: not judged by x-ai/grok-4.1-fast" in told
        by_model = {answer.answer.model: answer for answer in folder.answers()}
        assert {score.outcome for score in by_model["grok4"].rubric.values()} == {"not_judged"}
        assert {score.outcome for score in by_model["gpt5"].rubric.values()} == {"decided"}


def test_a_family_that_nobody_knows_is_told(command: Command, tmp_path: Path) -> None:
    table = write_input(tmp_path / "input", {"analyst": [SECOND]})
    with JudgeServer() as server:
        command.at(server)
        folder = command.done("run", table, "--protocol", "rubric", *BY_RULES)
    assert "The family of analyst is not known" in (folder.path / "report.md").read_text(encoding="utf-8")
    assert "The family of analyst is not known" in (folder.path / "report.html").read_text(encoding="utf-8")


def test_a_wrong_key_judges_nothing_and_says_so(
    command: Command, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with JudgeServer(api_key="sk-right") as server:
        command.at(server)
        judged = ("run", table, *BY_RULES)
        folder = command.done(*judged)
        calls = len(server.requests)
        assert not server.questions
        monkeypatch.setenv("VERIFAIBLE_API_KEY", "sk-right")
        right = command.done(*judged)
    assert calls < 5  # not one for each claim
    for answer in folder.answers():
        assert {score.outcome for score in answer.rubric.values()} <= {"failed", "not_judged"}
        assert all(score.value is None for score in (*answer.rubric.values(), *answer.taxonomy.values()))
    assert "key" in (folder.path / "report.md").read_text(encoding="utf-8").lower()
    # The failure was not kept: with the right key all is asked.
    assert {score.outcome for answer in right.answers() for score in answer.rubric.values()} == {"decided"}


@pytest.mark.usefixtures("brief_retries")
def test_an_endpoint_that_is_down_loses_nothing(command: Command, table: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    command.at(f"http://127.0.0.1:{port}/v1")
    folder = command.done(
        "run",
        table,
        "--protocol",
        "citations",
        *BY_RULES,
        "--limit",
        1,
    )
    outcomes = Counter(claim.citations.outcome for claim in folder.claims() if claim.citations)
    assert outcomes["failed"] >= 1
    assert outcomes["decided"] >= 1  # by rules
    assert "judgements failed" in (folder.path / "report.md").read_text(encoding="utf-8")


@pytest.mark.nightly
def test_a_kill_in_the_middle_and_again(command: Command, table: Path, tmp_path: Path) -> None:
    def slow(question: Question) -> Said:
        time.sleep(0.05)
        return sensible(question)

    with JudgeServer(slow) as server:
        command.at(server)
        asked = ("run", str(table), *BY_RULES)
        judged = [sys.executable, "-m", "verifaible.judge", *asked]
        stopped = subprocess.Popen(judged, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while len(server.questions) < 8 and stopped.poll() is None:
            time.sleep(0.01)
        stopped.send_signal(signal.SIGINT)
        _, said = stopped.communicate(timeout=300)
        assert stopped.returncode == 130, said
        assert "Stopped." in said
        killed = subprocess.Popen(judged, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = len(server.questions)
        while len(server.questions) < before + 2 and killed.poll() is None:
            time.sleep(0.01)
        killed.kill()
        killed.wait(timeout=300)
        again = command(*asked)
        assert again.status == 0, again.err
        first, _, last = sorted((tmp_path / "home/judged").glob("*/judge.json"), key=os.path.getmtime)
        assert JudgeFolder(first.parent).info.finished_at is None
        whole = JudgeFolder(last.parent)
        assert whole.info.cached_calls >= 3
        total = whole.info.calls + whole.info.cached_calls
        # What was under way at a stop may be asked twice, and nothing else.
        assert total <= len(server.questions) <= total + 8  # four at once, at two stops
    reported = command("report", first.parent)
    assert reported.status == 0, reported.err
    assert "did not end" in (first.parent / "report.md").read_text(encoding="utf-8")


# --- of folders


def test_a_report_is_written_again(command: Command, table: Path) -> None:
    folder = command.done("run", table, "--offline")
    before = outputs(folder)
    for name in SAME[2:]:
        (folder.path / name).unlink()
    ran = command("report", folder.path.name)
    assert ran.status == 0
    assert outputs(folder) == before


def test_the_latest_folder_is_the_latest(command: Command, table: Path) -> None:
    folders = [command.done("run", table, "--protocol", "citations", "--offline") for _ in range(3)]
    assert command.latest().path == folders[-1].path


def test_compare_tells_what_changed(command: Command, tmp_path: Path) -> None:
    queries = [f"{QUERY} {number}" for number in range(6)]
    before = write_input(tmp_path / "before", {"gpt5": [FIRST] * 6}, queries=queries)
    after = write_input(tmp_path / "after", {"gpt5": [FIRST.replace("9.90", "8.02")] * 6}, queries=queries)
    one, two = (
        command.done("run", table, "--protocol", "citations", "--offline") for table in (before, after)
    )
    ran = command("compare", one.path, two.path, "--json")
    assert ran.status == 0, ran.err
    told = json.dumps(json.loads(ran.out))
    assert "precision" in told.lower()


def test_people_fill_in_a_sheet(command: Command, table: Path, tmp_path: Path) -> None:
    with JudgeServer() as server:
        command.at(server)
        folder = command.done("run", table, *BY_RULES)
    sheets = {who: tmp_path / f"{who}.csv" for who in ("Ann", "Ben")}
    for who, path in sheets.items():
        ran = command("sheet", folder.path, "--annotator", who, "--output", path, "--json")
        assert ran.status == 0, ran.err
        written = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
        assert json.loads(ran.out)["lines"] >= 11
        assert written[0][:5] == ["answer", "annotator", "kind", "claim", "value"]
        text = path.read_text("utf-8-sig")
        for name in DIMENSIONS:
            text = text.replace(f"{who},{name},,,", f"{who},{name},,7,")
        path.write_text(text)
    again = command("sheet", folder.path, "--annotator", "Ann", "--output", sheets["Ann"])
    assert (again.status, "exists" in again.err) == (2, True)
    ran = command(
        "agreement", folder.path, "--annotations", sheets["Ann"], "--annotations", sheets["Ben"], "--json"
    )
    assert ran.status == 0, ran.err
    assert "Depth" in ran.out
    assert "line" not in ran.err


# --- what cannot be done


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "{table}"), "--offline"),
        (
            ("run", "{table}", "--offline", *BY_RULES),
            "--offline",
        ),
        (("run", "{table}", "--offline", "--split", "model"), "--split model"),
        (("run", "{table}", "--judge", "no-such-model"), "no-such-model"),
        (("run", "{table}", "--offline", "--models", "gemini"), "gpt5, grok4"),
        (("run", "{table}", "--offline", "--limit", "0"), "--limit"),
        (("run", "{table}", "--offline", "--repeats", "0"), "--repeats"),
        (("run", "{table}", "--offline", "--max-cost", "dear"), "--max-cost"),
        (("run", "{table}", "--offline", "--protocol", "ranking"), "--protocol"),
        (("run", "{table}", "--offline", "--wrong"), "--wrong"),
        (("run", "{table}", "--offline", "--traces", "{folder}/none"), "none"),
        (("run", "{table}", "--offline", "--sources", "{folder}/none"), "none"),
        (("run", "{folder}/none.csv", "--offline"), "none.csv"),
        (("run", "{folder}", "--offline"), "{folder}"),
        (("run", "{queries}", "--offline"), "_response"),
        (("verify", "latest"), "judge run"),
        (("verify", "{folder}"), "judge.json"),
        (("report", "none"), "none"),
        (("compare", "none", "latest"), "none"),
        (("agreement", "none"), "none"),
        (("agreement", "latest", "--annotations", "{folder}/none"), "none"),
        (("nothing",), "nothing"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(
    command: Command, table: Path, arguments: tuple[str, ...], said: str
) -> None:
    queries = table.with_name("queries.csv")
    queries.write_text("query,tags\nWhere?,Market\n", encoding="utf-8")
    places = {"table": table, "folder": table.parent, "queries": queries}
    filled = [each.format(**places) for each in arguments]
    ran = command(*filled)
    assert (ran.status, ran.out) == (2, ""), ran
    assert said.format(**places) in ran.err
    assert "Traceback" not in ran.err
    assert not list(command.home.glob("judged/*/judge.json"))


@pytest.mark.parametrize("other", [{"format": 1}, {"format": 3}, {"protocols": ["citations", "ranking"]}])
def test_a_folder_of_another_version_is_told_and_left_alone(
    other: dict[str, object], command: Command, table: Path
) -> None:
    path = command.done("run", table, "--protocol", "citations", "--offline").path / "judge.json"
    info = json.loads(path.read_bytes())
    old = json.dumps({**info, **other}).encode()
    path.write_bytes(old)
    ran = command("report", "latest")
    assert ran.status == 2
    assert "was made by another version of verifaible. Judge again" in " ".join(ran.err.split())
    assert path.read_bytes() == old
