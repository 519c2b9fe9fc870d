"""Several runs in one table, and what may not stand in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.bench.samples import result
from tests.unit.bench.test_compare import run, scored
from verifaible.bench.report.leaderboard import leaderboard, leaderboard_json, leaderboard_tables
from verifaible.errors import RunError

CASES = {"cn_text_001": 100, "cn_dynamic_001": 0}
ONE, TWO = run("one", *scored("a", **CASES)), run("two", *scored("b", cn_text_001=100, cn_dynamic_001=100))


def test_runs_and_published_figures_stand_together() -> None:
    found = leaderboard([ONE, TWO])
    tables = {table.title: table for table in leaderboard_tables(found)}
    board = tables["Leaderboard"]
    assert [row[0] for row in board.texts][:3] == ["b", "a", "GLM-5 (published)"]
    assert [row.published for row in board.rows] == [False, False, True, True, True, True]
    beside = {row[0]: row[1] for row in tables["On the published cases"].texts}
    assert (beside["a"], beside["b"], beside["MiniMax-M2.5 (published)"]) == ("50.0", "100.0", "50.0")


def test_json_entries_say_where_they_are_from() -> None:
    told = leaderboard_json(leaderboard([ONE, TWO]))
    assert told["comparable"] is True
    sources = {entry["model"]: entry["source"] for entry in told["entries"]}
    assert (sources["a"], sources["GLM-5"]) == ("measured", "published")
    averages = [entry["average"] for entry in told["entries"]]
    assert averages == sorted(averages, reverse=True)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"gate": "citation"}, "gate citation, not answer"),
        ({"cases": {"cn_text_001": "9"}}, "other texts of"),
    ],
)
def test_what_is_not_comparable_is_refused_and_named(changes: dict[str, object], said: str) -> None:
    other = run("other", *scored("b", **CASES), **changes)
    with pytest.raises(RunError, match=said) as refused:
        leaderboard([ONE, other])
    assert "--anyway" in str(refused.value)
    merged = leaderboard([ONE, other], anyway=True)
    assert leaderboard_json(merged)["comparable"] is False
    assert any(said in each["message"] for each in leaderboard_json(merged)["differences"])


def test_another_web_is_merged_and_told(tmp_path: Path) -> None:
    found = leaderboard([ONE, run("live", *scored("b", **CASES), web="live")])
    assert leaderboard_json(found)["warnings"][-1] == "Differs: live against one: web live, not offline."


def test_too_many_errors_are_not_ranked() -> None:
    broken = [result(model="c", case=case, score=100, ended_by="answer") for case in CASES]
    broken[0] = broken[0].model_copy(update={"ended_by": "infrastructure", "score": 0, "verified": False})
    found = leaderboard([ONE, run("broken", *broken)])
    entry = next(each for each in leaderboard_json(found)["entries"] if each["model"] == "c")
    assert (entry["rankable"], entry["rank"]) == (False, None)
    row = next(row for row in leaderboard_tables(found)[0].texts if row[0] == "c")
    assert row[1] == "not rankable"
