"""The extended cases: the reference agent solves each with verified evidence, nop none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser.bench_process import Ran, bench
from tests.unit.bench.samples import REPOSITORY
from verifaible.bench.cases import load_cases

FOLDER = REPOSITORY / "cases" / "extended"
CASES = {case.id: case for case in load_cases(FOLDER)}


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return bench(tmp_path_factory.mktemp("extended"), "--model", "oracle", "--cases", str(FOLDER))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_reference_agent_solves_it(solved: Ran, name: str) -> None:
    trial = solved.results[name]
    assert (trial.error, trial.score, trial.verified, trial.verified_reasons) == (None, 100, True, ())


def test_nop_solves_none(tmp_path: Path) -> None:
    (summary,) = bench(tmp_path, "--model", "nop", "--cases", str(FOLDER)).printed["models"]
    assert (summary["trials"], summary["total"], summary["verified"]["count"]) == (len(CASES), 0, 0)


def test_there_are_forty_and_more_in_five_languages_and_fields() -> None:
    assert len(CASES) >= 40
    assert {case.language for case in CASES.values()} >= {"ja", "ko", "de", "ar", "en"}
    assert {"health", "law", "science", "sport", "companies"} <= {
        tag for case in CASES.values() for tag in case.tags
    }


@pytest.mark.parametrize("name", CASES)
def test_it_names_its_difficulty_and_is_of_an_invented_host(name: str) -> None:
    case = CASES[name]
    assert case.difficulty
    assert case.context
    assert case.url.split("/")[2].endswith(".example")
    # the template does not state the answer: it comes from the page
    assert case.oracle is not None
    assert case.answer not in case.oracle.answer
    assert json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["oracle"]["steps"]
