"""The published models stand beside the questions that they were asked, and beside no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit.public import PUBLIC, needs_public
from tests.unit.bench.samples import info, result
from verifaible.bench.cases import load_cases
from verifaible.bench.pool import RunData, findings
from verifaible.bench.published import was_asked
from verifaible.bench.report import all_tables, as_json, charts, made_of, markdown

FILES = PUBLIC / "verifaible-bench/testset.json"
OURS = Path(__file__).parents[3] / "cases"


def test_our_cases_are_not_those_that_the_published_models_were_asked() -> None:
    ours = load_cases(OURS, OURS)
    assert sum(was_asked(case.question, case.answer) for case in ours) == 0


@needs_public("verifaible-bench/testset.json")
def test_the_public_set_is_known_by_its_questions_and_answers() -> None:
    public = load_cases(FILES, OURS)
    assert len(public) == 21
    assert all(was_asked(case.question, case.answer) for case in public)
    assert not was_asked(public[0].question, public[1].answer)


@pytest.mark.parametrize(("same", "wanted"), [(False, False), (True, False), (False, True)])
def test_published_figures_in_every_part_of_a_report(same: bool, wanted: bool) -> None:
    trial = result(served_by=("DeepInfra",))
    run = RunData(Path(), info(trial, beside_published=same), (trial,), {})
    found = findings([run], published_too=wanted)
    shown = same or wanted
    assert any(row.published for table in all_tables(found) for row in table.rows) == shown
    assert any("published" in column for table in all_tables(found) for column in table.columns) == shown
    assert any(bar.label.endswith("(published)") for chart in charts(found) for bar in chart.bars) == shown
    assert bool(as_json(found)["published"]["models"]) == shown
    assert ("GLM-5 (published)" in markdown(found)) == shown
    assert any("restate" in line for line in made_of(found)) == (not same)
    assert any("served by DeepInfra (1 trials)" in line for line in made_of(found))
    json.dumps(as_json(found))
