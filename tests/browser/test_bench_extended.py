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


def covering() -> list[str]:
    """Cases that between them have every language, category and kind of evidence."""
    traits = {
        name: {f"language {case.language}", f"category {case.category}", *case.evidence_types}
        for name, case in CASES.items()
    }
    missing = set().union(*traits.values())
    found = []
    while missing:
        found.append(max(traits, key=lambda name: len(traits[name] & missing)))
        missing -= traits[found[-1]]
    return found


#: The others are solved nightly.
COVERING = covering()
OTHERS = [name for name in CASES if name not in COVERING]


def solved(folder: Path, names: list[str]) -> Ran:
    return bench(folder, "--model", "oracle", "--cases", str(FOLDER), cases=names)


@pytest.fixture(scope="module")
def covering_run(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return solved(tmp_path_factory.mktemp("covering"), COVERING)


@pytest.fixture(scope="module")
def other_run(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return solved(tmp_path_factory.mktemp("others"), OTHERS)


def assert_solved(ran: Ran, name: str) -> None:
    trial = ran.results[name]
    assert (trial.error, trial.score, trial.verified, trial.verified_reasons) == (None, 100, True, ())


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", COVERING)
def test_reference_agent_solves_it(covering_run: Ran, name: str) -> None:
    assert_solved(covering_run, name)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_reference_agent_solves_another(other_run: Ran, name: str) -> None:
    assert_solved(other_run, name)


@pytest.mark.nightly  # nop itself: test_bench_oracle
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
