"""The tables of a run: exact cells, and published figures that cannot be taken for ours."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import pytest
from rich.console import Console

from tests.unit.bench.samples import info, result
from tests.unit.bench.test_summary import GLM, ORACLE
from verifaible.bench.pool import findings_of
from verifaible.bench.report import all_tables, markdown, terminal
from verifaible.reporting.tables import Table, escaped
from verifaible.schema.run import RunInfo, TrialResult

RESULTS = (*GLM, *ORACLE)


def of(results: Sequence[TrialResult], run: RunInfo | None = None) -> dict[str, Table]:
    found = all_tables(findings_of(results, run or info(*results)))
    return {table.title: table for table in found}


def rows(table: Table) -> dict[str, dict[str, str]]:
    assert all(len(row) == len(table.columns) for row in table.texts)
    return {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.texts}


def test_leaderboard() -> None:
    table = of(RESULTS)["Leaderboard"]
    ours = rows(table)["z-ai/glm-5"]
    assert ours["Total"] == "280"
    assert ours["Average"].startswith("70.0 (")
    assert ours["Pass"] == "3/4 (30-95 %)"
    assert ours["Full"] == ours["Verified"] == "2/4 (15-85 %)"
    assert (ours["Errors"], ours["pass@2"], ours["pass^2"]) == ("1", "1.00", "0.50")
    assert rows(table)["oracle"]["Verified"] == "2/2 (34-100 %)"
    assert [row[0] for row in table.texts][:2] == ["oracle", "z-ai/glm-5"]


def test_published_rows_say_so_and_carry_the_printed_figures() -> None:
    found = of(RESULTS)
    for name in ("Leaderboard", "Categories", "Tokens and cost", "Rounds and durations"):
        names = [row[0] for row in found[name].texts]
        assert names[2:] == [
            "GLM-5 (published)",
            "MiniMax-M2.5 (published)",
            "Kimi-K2.5 (published)",
            "DeepSeek-R1 (published)",
        ], name
    board = rows(found["Leaderboard"])
    assert [board[f"{name} (published)"]["Total"] for name in ("GLM-5", "Kimi-K2.5", "DeepSeek-R1")] == [
        "2,100",
        "1,680",
        "1,080",
    ]
    assert all(board[name]["Verified"] == "-" for name in board if "published" in name)
    assert "(published)" in found["Scores"].columns[-1]
    tokens = rows(found["Tokens and cost"])["GLM-5 (published)"]
    assert (tokens["Total"], tokens["Score / 10K"]) == ("1,898,043", "11.1")
    rounds = rows(found["Rounds and durations"])["DeepSeek-R1 (published)"]
    assert (rounds["Rounds"], rounds["Time / trial"], rounds["Score / min"]) == ("5.0", "329 s", "9.4")


def test_discrepancy_of_the_published_total_is_noted() -> None:
    note = of(RESULTS)["Leaderboard"].note
    assert "DeepSeek-R1 is printed as 1,080; the cells of its own matrix add up to 1,180" in note
    assert escaped(note) in markdown(findings_of(RESULTS, info(*RESULTS)))


def test_categories() -> None:
    found = rows(of(RESULTS)["Categories"])
    assert found["z-ai/glm-5"] == {"Model": "z-ai/glm-5", "text": "100 / 200", "table": "180 / 200"}
    assert found["oracle"] == {"Model": "oracle", "text": "100 / 100", "table": "100 / 100"}
    assert found["Kimi-K2.5 (published)"]["table"] == "600 / 700"
    other = rows(of([result(category="my own")])["Categories"])
    assert other["GLM-5 (published)"]["my own"] == "-"


def test_matrix() -> None:
    table = of((*GLM, *ORACLE, result(model="oracle", case="cn_dynamic_001", score=40)))["Scores"]
    found = rows(table)
    assert (found["a"]["z-ai/glm-5"], found["b"]["z-ai/glm-5"]) == ("100 ✓, 0 !", "80, 100 ✓")
    assert (found["a"]["oracle"], found["cn_dynamic_001"]["oracle"]) == ("100 ✓", "40")
    assert found["cn_dynamic_001"]["z-ai/glm-5"] == "-"
    assert list(found["cn_dynamic_001"].values())[3:] == ["100", "0", "100", "0"]
    assert list(found["a"].values())[3:] == ["-"] * 4


def test_tokens_and_rounds() -> None:
    found = of(RESULTS)
    tokens = rows(found["Tokens and cost"])
    assert list(tokens["z-ai/glm-5"].values())[1:] == [
        *("1,500", "200", "100", "0", "1,600", "375", "0.4 %", "25", "6.7 %", "1750.0", "0.7500"),
    ]
    assert list(tokens["oracle"].values())[1:] == ["0", "0", "0", "0", "0", "0", "0.0 %", "0", "-", "-", "-"]
    rounds = rows(found["Rounds and durations"])
    assert list(rounds["z-ai/glm-5"].values())[1:] == ["5.0", "4.0", "30.0 s", "2.0 min", "140.0"]


def test_markdown_is_whole_and_names_the_web_and_the_gate() -> None:
    text = markdown(findings_of(RESULTS, info(*RESULTS, gate="citation")))
    assert text.startswith("# Run 20260221T080000Z-glm-5\n")
    assert "2 cases, gate: citation" in text
    assert "Archives marked synthetic are replicas" in text
    assert "they were not measured here" in text
    assert "It does not prove that the server told the truth" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count(" | ") for line in block.splitlines() if "---" not in line}) == 1
    live = markdown(findings_of(RESULTS, info(*RESULTS, web="live")))
    assert "live web" in live
    assert "replicas" not in live


def test_markdown_says_why_a_trial_is_not_verified() -> None:
    results = (
        result(
            case="a", score=100, verified=False, verified_reasons=("[@v:1]: The context is\nnot visible.",)
        ),
        result(case="b", score=0, ended_by="rounds", error="No answer."),
        result(case="c"),
    )
    text = markdown(findings_of(results, info(*results)))
    lines = text.partition("## Not verified\n\n")[2].splitlines()
    assert lines[0] == "- z-ai/glm-5, a, trial 1: 100. [@v:1]: The context is not visible."
    assert lines[1] == "- z-ai/glm-5, b, trial 1: 0. Ended by its limit of rounds. No answer."
    assert not lines[2]
    assert "Not verified" not in markdown(findings_of([result()], info(result())))


def test_a_bar_in_a_name_does_not_break_the_table() -> None:
    results = [result(model="a|b")]
    assert "| a\\|b | 1 | 100 |" in markdown(findings_of(results, info(*results)))


@pytest.mark.parametrize("width", [140, 400])
def test_terminal_shows_the_same_cells(width: int) -> None:
    console = Console(width=width, record=True, file=io.StringIO())
    for part in terminal(findings_of(RESULTS, info(*RESULTS))):
        console.print(part)
    text = console.export_text()
    for cell in ("z-ai/glm-5", "DeepSeek-R1 (published)", "3/4 (30-95 %)", "100 ✓, 0 !", "1,600", "0.7500"):
        assert cell in text
    assert "add up to 1,180" in " ".join(text.split())
