"""The paper's table 1 in one command, with scripted models over HTTP; people's labels; nothing judged is a fault."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.command_line import run_command
from tests.servers.judge_server import JudgeServer, Question, Said
from tests.unit.kg.judged import line, said
from tests.unit.kg.small import SMALL
from verifaible.kg.evaluate import cohen_kappa
from verifaible.kg.folder import GraphFolder

COMPANY = "Brennock Water Technologies, Inc."


def mind(question: Question) -> Said:
    """Extracts a triple of each passage, and finds everything right but its precision."""
    if not question.form:  # a judge: no form is sent
        items = int(question.user.rpartition("with ")[2].split()[0])
        if "\nComprehensiveness: " in question.system:
            return line([said("partial", "missing_information")])
        quote = max(question.parts["the text"].splitlines(), key=len)
        return line([said(int("\nPrecision: " not in question.system), span=quote)] * items)
    plain = {"head": COMPANY, "head_type": "company", "relation": "makes", "tail_type": "product"}
    words = max(question.parts["the passage"].splitlines(), key=len)
    named = {**plain, "tail": max(words.split(), key=len)}
    forms: dict[str, Said] = {
        "single": {"triples": [{**named, "quote": words}]},
        "free": {"triples": [{**named, "quote": words}]},
        "normalise": {"triples": [{**named, "of": 1}]},
        "criticise": {"remarks": []},
    }
    return forms[question.form]


class Home:
    """A folder with graphs, and a server behind its commands."""

    def __init__(self, path: Path, server: JudgeServer) -> None:
        self.path = path
        self._environment = {
            "VERIFAIBLE_HOME": str(path), "VERIFAIBLE_BASE_URL": server.base_url, "VERIFAIBLE_RETRY_S": "0",
            "VERIFAIBLE_API_KEY": "sk-test",
        }  # fmt: skip

    def run(self, *words: str) -> tuple[int, str, str]:
        done = run_command(["kg", *words], environment=self._environment, folder=self.path)
        return done.returncode, done.stdout, done.stderr

    def ingested(self, *names: str) -> None:
        for name in names:
            assert self.run("ingest", str(SMALL), "--into", f"graphs/{name}")[0] == 0


def test_table_1_is_one_command_and_costs_nothing_again(tmp_path: Path) -> None:
    evaluate = (
        "evaluate",
        "--model",
        "glm-5",
        "--judge",
        "qwen/qwen3-32b",
        "--api",
        "chat",
        "--filings",
        "2",
    )
    with JudgeServer(mind) as server:
        home = Home(tmp_path, server)
        home.ingested("a", "b", "c")
        more = ("--chunks", "3", "--sheet", "people.csv", "--output", "table.md")
        status, out, err = home.run(*evaluate, *more, "--json")
        assert status == 0, err
        asked = len(server.questions)
        assert home.run(*evaluate, *more, "--json")[:2] == (0, out)
        assert len(server.questions) == asked
    assert not list((tmp_path / "graphs/c").glob("runs/*"))
    tables = {each["name"]: each for each in json.loads(out)["tables"]}
    runs = ["single-glm-5", "multi-glm-5", "reflection-glm-5"]
    published = ["Single pass (published)", "Multi pass (published)", "Reflection (published)"]
    assert tables["criteria"]["columns"] == ["Criterion", *runs, *published]
    rows = {cells[0]["text"]: cells[1:] for cells in (row["cells"] for row in tables["criteria"]["rows"])}
    assert [each["text"] for each in rows["Comprehensiveness"][:3]] == ["50.00 %, 6/6"] * 3
    assert [each["text"] for each in rows["Precision"][:3]] == ["0.00 %, 6/6"] * 3
    assert [each["text"] for each in rows["Relevance"][:3]] == ["100.00 %, 6/6"] * 3
    assert [each["text"] for each in rows["Faithfulness"][3:]] == ["87.25", "78.73", "83.40"]
    assert tables["warnings"]["rows"][0]["cells"][1]["text"] == "missing_information"
    assert len(tables["kg_bias"]["rows"]) == 7
    assert "Single pass (published)" in (tmp_path / "table.md").read_text()
    with (tmp_path / "people.csv").open(newline="", encoding="utf-8") as file:
        sheet = list(csv.DictReader(file))
    assert len(sheet) == 18 and all(each["quote"] and not each["precision"] for each in sheet)
    assert len(GraphFolder(tmp_path / "graphs/a").run(runs[0]).asked.read()) == 3


def test_what_is_there_is_judged_and_compared_with_people(tmp_path: Path) -> None:
    with JudgeServer(mind) as server:
        home = Home(tmp_path, server)
        home.ingested("a")
        assert home.run("extract", "graphs/a")[0] == 0
        judged = ("evaluate", "graphs/a", "--judge", "one", "--judge", "two", "--api", "chat", "--bias", "0")
        status, out, err = home.run(*judged, "--sheet", "people.csv")
        assert (status, "Criteria (table 1)" in out) == (0, True), err
        assert all(f"xbrl, {judge}" in out for judge in ("one", "two"))
        with (tmp_path / "people.csv").open(newline="", encoding="utf-8") as file:
            sheet = list(csv.DictReader(file))
        for at, each in enumerate(sheet):
            each |= {"precision": str(at % 2), "relevance": "1"}
        with (tmp_path / "filled.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(sheet[0]))
            writer.writeheader()
            writer.writerows(sheet)
        status, out, err = home.run(*judged, "--labels", "filled.csv")
        assert status == 0, err
        assert "Agreement of one with people" in out and "Agreement of two with people" in out
        assert [line.split() for line in out.splitlines() if line.startswith(("Precision ", "Relevance "))][
            -2:
        ] == [
            ["Precision", "31", "51.6", "%", "0.00"],
            ["Relevance", "31", "100.0", "%", "-"],
        ]
        status, _, err = home.run("report", "graphs/a", "--output", "report.pdf")
        assert (status, "Use .html, .md, .json" in err) == (2, True)
        (tmp_path / "filled.csv").write_text(
            "filing,run,triple,faithfulness,precision,relevance\na,b,c,maybe,,\n"
        )
        status, _, err = home.run(*judged, "--labels", "filled.csv")
        assert (status, "line 2: faithfulness is 'maybe'" in err) == (2, True)


@pytest.mark.parametrize("reply", ["All is well.", "[]"])
def test_a_run_in_which_nothing_was_judged_exits_with_1(reply: str, tmp_path: Path) -> None:
    with JudgeServer(lambda question: reply) as server:
        home = Home(tmp_path, server)
        home.ingested("a")
        assert home.run("extract", "graphs/a")[0] == 0
        status, out, err = home.run("evaluate", "graphs/a", "--judge", "one", "--api", "chat")
        assert (status, "Nothing was judged: each of the" in err) == (1, True), err
        assert "failed: 31 of 31" in out
        status, out, err = home.run("evaluate", "--model", "glm-5", "--judge", "one", "--api", "chat")
    assert (status, err.count("single: not_"), err.count("free: not_")) == (1, 14, 7), err
    assert ["single-glm-5", "1", "7", "0", "0", "0"] in [line.split() for line in out.splitlines()]


def test_what_cannot_be_evaluated_says_what_to_do(tmp_path: Path) -> None:
    with JudgeServer(mind) as server:
        home = Home(tmp_path, server)
        assert "Take in filings with" in home.run("evaluate")[2]
        home.ingested("a")
        status, _, err = home.run("evaluate", "graphs/a", "--judge", "one")
        assert (status, "Name a model that extracts them with --model" in err) == (2, True)
        same = home.run("evaluate", "--model", "qwen3-max", "--judge", "qwen/qwen3-32b", "--api", "chat")
        assert (same[0], "of the same family" in same[2]) == (2, True)


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        ([], None),
        ([(1, 1), (1, 1)], None),
        ([(1, 1), (0, 0)], 1.0),
        ([(1, 0), (0, 1)], -1.0),
        # observed 35/50, chance (25/50)(30/50) + (25/50)(20/50) = 1/2
        ([(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15, 0.4),
    ],
)
def test_kappa(pairs: list[tuple[int, int]], kappa: float | None) -> None:
    assert cohen_kappa(pairs) == (kappa if kappa is None else pytest.approx(kappa))
