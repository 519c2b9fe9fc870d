"""What a larger run would take: sums that can be worked out by hand, limits, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.unit.bench.samples import result
from tests.unit.bench.test_report_data import folder_of
from verifaible.bench.cli import bench
from verifaible.bench.report.scale import Larger, Work, play, tables, work_of
from verifaible.errors import RunError


def work(duration_s: float = 10, *, requests: int = 5, citations: int = 1) -> Work:
    return Work(
        model="m", duration_s=duration_s, requests=requests, citations=citations, cost_usd=0.5, tokens=100,
        stored_bytes=2_000_000,
    )  # fmt: skip


@pytest.mark.parametrize(("workers", "seconds"), [(1, 120), (4, 30), (5, 30), (12, 10), (100, 10)])
def test_workers_share_equal_trials(workers: int, seconds: float) -> None:
    assert play([work()] * 12, Larger(cases=12, workers=workers)).seconds == pytest.approx(seconds)


def test_a_long_trial_at_the_end_is_waited_for() -> None:
    assert play([*[work(10)] * 4, work(60)], Larger(cases=5, workers=2)).seconds == pytest.approx(80)


def test_the_limit_of_an_endpoint_bounds_the_run() -> None:
    # 100 trials of 5 requests at 60 a minute: the last of 500 requests goes out after 499 s, and takes 2
    played = play([work()] * 100, Larger(cases=100, workers=1000, requests_per_minute=60))
    assert played.seconds == pytest.approx(501, abs=0.01)
    assert played.waits_for == "the endpoint's limit"
    assert not play([work()] * 100, Larger(cases=100, workers=1, requests_per_minute=60)).waits_for


def test_the_log_bounds_the_run() -> None:
    played = play([work(citations=2)] * 100, Larger(cases=100, workers=100, log_s=1))
    assert played.seconds == pytest.approx(210)
    assert played.waits_for == "the log of the store"


def test_sums_of_trials_that_are_all_alike_have_no_spread() -> None:
    taken, by_workers = tables({"m": [[work()]]}, Larger(cases=100, trials=2, workers=10))
    assert taken.texts[-1] == (
        "all", "200", "3 min (3 min to 3 min)", "100.00 (100.00-100.00)", "20,000 (20,000-20,000)",
        "400.0 (400.0-400.0)",
    )  # fmt: skip
    assert [row[0] for row in by_workers.texts] == ["1", "2", "4", "8", "10", "16"]
    assert by_workers.texts[1][2:4] == ("2.0", "100%")


def test_another_seed_draws_other_trials_and_the_same_draws_the_same() -> None:
    recorded = {"m": [[work(each)] for each in range(1, 30)]}
    one, again, other = (tables(recorded, Larger(cases=40, seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_a_price_that_is_not_recorded_is_not_made_up() -> None:
    unpriced = work().model_copy(update={"cost_usd": None, "stored_bytes": None})
    taken, _ = tables({"m": [[unpriced]]}, Larger(cases=3))
    assert (taken.texts[0][3], taken.texts[0][5]) == ("not recorded", "not recorded")


def test_trials_that_the_machine_failed_tell_nothing() -> None:
    with pytest.raises(RunError, match="no completed trial"):
        work_of([result(ended_by="infrastructure", error="The browser died.")], {})


def test_trials_that_a_limit_ended_are_planned_with() -> None:
    # the longest and dearest of all: without them a plan is too low
    over = result(ended_by="tokens", error="The limit of 5000 tokens is reached.", cost_usd=3.0, score=0)
    refused = result(case="b", ended_by="model_error", error_code="context_overflow", error="Too long.")
    recorded = work_of([result(case="c"), over, refused], {})
    assert [case[0].cost_usd for case in recorded["z-ai/glm-5"]] == [None, None, 3.0]


def test_the_command_plans_by_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    folder = folder_of(tmp_path / "r", result(duration_s=30.0, rounds=4, cost_usd=0.25))
    asked = ["plan", str(folder), "--cases", "1000", "--workers", "10", "--json"]
    done = CliRunner().invoke(bench, asked, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (taken, by_workers) = json.loads(done.stdout)["tables"]
    assert taken["rows"][-1]["cells"][3]["value"] == 250
    assert by_workers["rows"][0]["cells"][1]["value"] == 30_000
    refused = CliRunner().invoke(bench, [*asked, "--model", "other"])
    assert refused.exit_code == 2
    assert "other is not a model of the run: z-ai/glm-5" in refused.output
