"""What a report says beyond the seed's tables: errors, failures, money, several runs."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from rich.console import Console

from tests.unit.bench.samples import info, result
from tests.unit.bench.test_compare import run, scored
from verifaible.bench.metrics import is_error, summarise
from verifaible.bench.pool import Findings, RunData, findings, findings_of
from verifaible.bench.report import MAX_LISTED, as_json, markdown, terminal, terminal_summary
from verifaible.bench.report import all_tables as tables_of
from verifaible.reporting.tables import Table, plain
from verifaible.runs.spend import Spend
from verifaible.schema.chat import Usage
from verifaible.schema.run import ReplayedCalls


def found_of(*trials: Any, **changes: Any) -> Findings:
    return findings_of(trials, info(*trials, **changes))


def table(found: Findings, title: str) -> Table:
    return next(each for each in tables_of(found) if each.title == title)


def row(found: Findings, title: str, name: str) -> dict[str, str]:
    there = table(found, title)
    cells = next(each for each in there.texts if each[0] == name)
    return dict(zip(there.columns, cells, strict=True))


def errors(count: int, of: int) -> list[Any]:
    return [
        result(case=f"c{at}", score=0, ended_by="infrastructure")
        if at < count
        else result(case=f"c{at}", score=100)
        for at in range(of)
    ]


def test_a_model_with_too_many_errors_is_not_ranked() -> None:
    found = found_of(*errors(1, 4))
    assert row(found, "Leaderboard", "z-ai/glm-5")["Rank"] == "not rankable"
    assert "z-ai/glm-5 is not rankable: 1 of its 4 trials" in markdown(found)


def test_five_per_cent_is_the_limit() -> None:
    (at_limit,) = summarise(errors(1, 20))
    (above,) = summarise(errors(2, 39))
    assert at_limit.rankable
    assert not above.rankable


def test_what_the_model_itself_brought_about_is_no_error() -> None:
    own = result(ended_by="model_error", error_code="context_overflow", score=0)
    assert not is_error(own)
    assert is_error(own.model_copy(update={"error_code": "no_credit"}))
    assert is_error(own.model_copy(update={"error_code": ""}))
    assert is_error(own.model_copy(update={"ended_by": "infrastructure"}))


def test_failures_by_reason() -> None:
    trials = [
        result(case="a", score=0, failure="wrong_date"),
        result(case="b", score=0, failure="wrong_date"),
        result(case="c", score=80, verified=False, failure="type_mismatch"),
        result(case="d"),
    ]
    found = found_of(*trials)
    counts = {each[0]: each[2] for each in table(found, "Failures").texts}
    assert counts == {"wrong date": "2", "type mismatch": "1"}
    assert "- z-ai/glm-5, a, trial 1: 0 (wrong date)." in markdown(found)


def test_languages_and_difficulties() -> None:
    trials = [
        result(case="a", language="zh", difficulty="date-picker"),
        result(case="b", language="zh", difficulty="plain", score=0),
        result(case="c", language="en", difficulty="plain"),
    ]
    found = found_of(*trials)
    assert row(found, "Languages", "z-ai/glm-5") == {
        "Model": "z-ai/glm-5",
        "zh": "50.0, 1/2",
        "en": "100.0, 1/1",
    }
    assert row(found, "Difficulties", "z-ai/glm-5")["plain"] == "50.0, 1/2"
    assert "Languages" not in [each.title for each in tables_of(found_of(result()))]


def test_money_is_told_apart() -> None:
    trials = (
        result(case="a", cost_usd=0.30, billed_usd=0.10, input_tokens=10),
        result(
            case="b",
            score=0,
            cost_usd=0.10,
            attempts=2,
            input_tokens=10,
            lost_usage=Usage(input_tokens=5, cost_usd=0.05, billed_usd=0.05),
        ),
        result(case="c", input_tokens=10),
    )
    (one,) = summarise(trials)
    cost = one.cost
    assert (cost.total, cost.billed, round(cost.estimated, 9), cost.lost) == (0.4, 0.1, 0.3, 0.05)
    assert (cost.unpriced, cost.repeated, cost.lost_tokens) == (1, 1, 5)
    assert cost.per_verified is not None
    assert round(cost.per_verified, 9) == 0.225
    assert row(found_of(*trials), "Cost", "z-ai/glm-5")["USD / verified trial"] == "0.2250"
    (unknown,) = summarise([result(input_tokens=10)])
    assert (unknown.cost.total, unknown.cost.per_verified) == (None, None)


def test_the_ledger_knows_what_a_kill_lost() -> None:
    trial = result(cost_usd=0.25, input_tokens=100, output_tokens=10)
    spend = Spend(calls=4, unanswered=1, usage=Usage(input_tokens=400, output_tokens=20, cost_usd=1.0))
    data = RunData(Path(), info(trial), (trial,), {"z-ai/glm-5": spend})
    (one,) = findings([data]).summaries
    assert (one.cost.total, one.cost.lost, one.cost.lost_tokens, one.cost.unanswered) == (0.25, 0.75, 310, 1)
    assert "Of 1 calls nothing came back" in table(findings([data]), "Cost").note


def test_context_economy_beside_the_seed() -> None:
    trial = result(input_tokens=26_665, cached_input_tokens=13_000, rounds=5)
    told = row(found_of(trial), "Tokens and cost", "z-ai/glm-5")
    assert (told["of 88.9K"], told["of it cached"]) == ("30.0 %", "13,000")
    assert row(found_of(trial), "Tokens and cost", "GLM-5 (published)")["of 88.9K"] == "100.0 %"


def test_published_averages_on_the_same_cases() -> None:
    found = found_of(*scored("a", cn_dynamic_001=100, cn_table_004=0, own=100))
    cells = {each[0]: each[1:] for each in table(found, "On the published cases").texts}
    assert cells["a"] == ("50.0", "2")
    assert cells["DeepSeek-R1 (published)"] == ("40.0", "2")
    assert "On the published cases" not in [each.title for each in tables_of(found_of(result(case="own")))]


def test_several_runs() -> None:
    one, two = run("one", *scored("a", c1=100)), run("two", *scored("a", c1=0), gate="citation")
    text = markdown(findings([one, two]))
    assert text.startswith("# 2 runs\n")
    assert "- **Not comparable: two against one: gate citation, not answer.**" in text
    assert "| a @ one |" in text


def test_runs_stand_side_by_side_best_first_beside_the_published_figures() -> None:
    one = run("one", *scored("a", cn_text_001=100, cn_dynamic_001=0))
    two = run("two", *scored("b", cn_text_001=100, cn_dynamic_001=100))
    board = table(findings([one, two]), "Leaderboard")
    assert [row[:4] for row in board.texts][:3] == [
        ("b", "1", "200", "100.0"),
        ("a", "2", "100", "50.0 (0.0-100.0)"),
        ("GLM-5 (published)", "-", "2,100", "100.0"),
    ]
    assert row(findings([one, two]), "Leaderboard", "a")["Verified"] == "1/2 (9-91 %)"
    assert [row.published for row in board.rows] == [False, False, True, True, True, True]


def test_models_with_the_same_average_share_a_rank_and_too_many_errors_have_none() -> None:
    broken = scored("c", c1=100, c2=100)
    broken[0] = broken[0].model_copy(update={"ended_by": "infrastructure", "score": 0, "verified": False})
    equal = [*scored("a", c1=100, c2=0), *scored("b", c1=0, c2=100)]
    found = findings([run("one", *equal, *scored("d", c1=0, c2=0)), run("broken", *broken)])
    ranks = {name: rank for name, rank, *_ in table(found, "Leaderboard").texts}
    assert [ranks[name] for name in "abcd"] == ["1", "1", "not rankable", "3"]


def test_another_web_is_only_named() -> None:
    live = run("live", *scored("b", c1=100), web="live")
    told = as_json(findings([run("one", *scored("a", c1=100)), live]))
    assert told["comparable"] is True
    assert told["warnings"][-1] == "Differs: live against one: web live, not offline."


def test_what_a_reader_must_know_first() -> None:
    replayed = ReplayedCalls(run="first", exact=9, differing=1)
    text = markdown(found_of(result(), replayed=replayed))
    assert "did not end" in text
    assert "repeats the recorded model calls of first (9 requests word for word, 1 not)" in text
    ended = found_of(result(), finished_at=result().finished_at)
    assert "did not end" not in markdown(ended)


def test_hostile_text_in_markdown_and_on_the_terminal() -> None:
    name = "<img src=x>`![p](http://e.test)[l](http://e.test)\x1b]0;t\x07\x9b2J\u202e\nmore"
    trial = result(model=name, score=0, verified_reasons=(name,))
    text = markdown(found_of(trial))
    assert "<img" not in text
    assert "![" not in text
    assert "](" not in text
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(text)
    console = Console(width=200, record=True, file=io.StringIO(), force_terminal=True)
    for part in terminal(found_of(trial)):
        console.print(part)
    drawn = console.export_text()
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(drawn)


def test_plain_text_is_one_line() -> None:
    assert plain("a\n\t b\x00c") == "a b\ufffdc"


def test_short_report_at_the_end_of_a_run() -> None:
    found = found_of(result(score=0, failure="wrong_answer"))
    console = Console(width=160, record=True, file=io.StringIO())
    for part in terminal_summary(found):
        console.print(part)
    text = console.export_text()
    assert "z-ai/glm-5: 1 trial of 1 case" in text
    assert "verified  0/1" in text
    assert "cost      none" in text
    assert "Leaderboard" not in text
    paid = result(input_tokens=10, output_tokens=1)
    assert "cost      unknown" in str(terminal_summary(found_of(paid))[-1])
    assert "cost      0.2500 US dollars" in str(
        terminal_summary(found_of(paid.model_copy(update={"cost_usd": 0.25})))[-1]
    )


def test_many_failures_are_counted_not_listed() -> None:
    found = found_of(*(result(case=f"c{at}", score=0) for at in range(MAX_LISTED + 30)))
    text = markdown(found)
    assert text.count("\n- z-ai/glm-5, c") == MAX_LISTED
    assert "and 30 more" in text


def test_json_has_the_figures() -> None:
    trials = (*scored("a", c1=100, c2=0), *scored("b", c1=100, c2=100))
    told = json.loads(json.dumps(as_json(found_of(*trials))))
    assert [each["model"] for each in told["models"]] == ["b", "a"]
    assert told["models"][0]["verified"]["count"] == 2
    assert {(each["model"], each["case"]): each["score"] for each in told["scores"]}[("a", "c2")] == 0
    assert told["published"]["models"][0]["scores"]["cn_text_001"] == 100
    assert told["comparable"] is True


def test_many_trials_of_a_case_are_counted_by_outcome() -> None:
    trials = [result(case="a", trial=at, score=100 if at < 5 else 0) for at in range(1, 9)]
    (cells,) = (each for each in table(found_of(*trials), "Scores").texts if each[0] == "a")
    assert cells[1] in ("4 × 100 ✓, 4 × 0", "4 × 0, 4 × 100 ✓")
