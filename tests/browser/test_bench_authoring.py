"""``bench new`` writes a case from a citation; ``bench check`` proves cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.browser.bench_process import OWN_CASES, environment
from tests.browser.citing import Bench, pdf
from tests.browser.conftest import Site
from tests.command_line import run_command
from tests.unit.bench.samples import REPOSITORY, write
from verifaible.bench.authoring import CaseChecked, case_of, play_cases, write_case
from verifaible.bench.cases import lint, load_cases
from verifaible.browser.warm import Browser
from verifaible.cli.bench_cases import check, new
from verifaible.config import Settings
from verifaible.console.options import SHORT_HELP
from verifaible.errors import CaseError, RunError
from verifaible.net.web import Web
from verifaible.schema.case import Case

pytestmark = pytest.mark.usefixtures("no_patience")


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


TREASURY = OWN_CASES["us_table_001"].url


def arguments(case: Case) -> dict[str, Any]:
    assert case.oracle is not None
    return case.oracle.steps[-1].arguments


RATES = """<h1>Rates of February 2026</h1>
<table><caption>Par yields (%)</caption>
<tr><th>Date</th><th>1 Yr</th><th>10 Yr</th></tr>
<tr><th>02/05/2026</th><td>3.50</td><td>4.21</td></tr>
<tr><th>02/06/2026</th><td>4.22</td><td>4.22</td></tr></table>
<p>Yields were quoted on February 6, 2026. Nothing else happened in 2026.</p>"""


@pytest.mark.nightly
async def test_a_case_from_a_cell_is_written_once(site: Site, bench: Bench, tmp_path: Path) -> None:
    url = site.html("/page", RATES)
    cited = await bench.cite(url, evidence_type="table", row=("02/06/2026",), column=("10 Yr",))
    made = case_of(cited, "What was the 10 Yr par yield on 02/06/2026?", "4.22 %", case_id="rates")
    assert (made.category, made.evidence_types, made.language) == ("table", ("table",), "en")
    assert arguments(made)["row_anchor"] == ["02/06/2026"]
    assert arguments(made)["col_anchor"] == ["10 Yr"]
    assert made.context == ("02/06/2026",)
    path = tmp_path / "cases" / "a.json"
    write_case(made, path)
    before = path.read_bytes()
    assert load_cases(path) == (made,)
    with pytest.raises(RunError, match="already exists"):
        write_case(made, path)
    assert path.read_bytes() == before


@pytest.mark.nightly
async def test_a_sentence_reached_by_a_step_and_another_way_to_write_the_number(
    site: Site, bench: Bench
) -> None:
    sentence = "2025年年末，全国人口总量为140489万人，比上年末减少。"
    url = site.html("/page", f"<h1>年报</h1><p id=p hidden>{sentence}</p><p>其他。</p>")
    shown = {"type": "exec_js", "code": "document.querySelector('#p').hidden = false"}
    cited = await bench.cite(url, [shown], quote=sentence)
    made = case_of(cited, "2025年年末全国人口是多少？", "14.0489亿人")
    assert (made.language, made.category) == ("zh", "dynamic+text")
    assert made.context[0].startswith("2025年")
    (checked,) = await play_cases(bench.settings, [made], "live", lambda _: None)
    assert (checked.status, checked.score, checked.verified, checked.nop_score) == ("ok", 100, True, 0)


@pytest.mark.nightly
async def test_a_passage_of_a_pdf(site: Site, bench: Bench) -> None:
    url = site.file("/a.pdf", "application/pdf", pdf("Contents", "Net assets were 22.13 yuan in 2025."))
    cited = await bench.cite(url, evidence_type="pdf", quote="Net assets were 22.13 yuan", page_number=2)
    made = case_of(cited, "What were the net assets per share in 2025?", "22.13 yuan")
    assert (made.category, arguments(made)["page_number"]) == ("pdf", 2)
    (checked,) = await play_cases(bench.settings, [made], "live", lambda _: None)
    assert checked.status == "ok"


@pytest.mark.nightly
async def test_an_answer_that_the_citation_does_not_state_makes_no_case(site: Site, bench: Bench) -> None:
    cited = await bench.cite(site.html("/page", RATES), quote="Yields were quoted on February 6, 2026.")
    with pytest.raises(RunError, match=r"does not state '9\.99'"):
        case_of(cited, "What was the 10 Yr par yield?", "9.99")
    with pytest.raises(CaseError, match="question"):
        case_of(cited, "", "2026")


# --- the commands, offline


def invoke(monkeypatch: pytest.MonkeyPatch, command: Any, *given: str) -> Result:
    monkeypatch.setenv("VERIFAIBLE_HOME", str(REPOSITORY))
    return CliRunner().invoke(command, list(given), **SHORT_HELP)


def test_new_then_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A citation of a replica, a case of it, and its proof."""
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))
    done = run_command(
        ["cite", TREASURY, "--type", "table", "--row", "02/06/2026", "--col", "10 Yr", "--web", "offline"],
        environment=environment(tmp_path / "store"),
        folder=REPOSITORY,
    )
    assert done.returncode == 0, done.stderr
    path = tmp_path / "mine.json"
    question = "On February 6, 2026, what was the 10-year rate (10 Yr, in percent)?"
    given = ("--citation", "latest", "--question", question, "--answer", "4.22 %", "--output", str(path))
    ran = invoke(monkeypatch, new, *given)
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.strip() == str(path)
    ran = invoke(monkeypatch, check, str(path), "--run", "--json")
    assert ran.exit_code == 0, ran.output
    (told,) = json.loads(ran.stdout)["cases"]
    assert (told["played"]["status"], told["played"]["score"], told["played"]["verified"]) == (
        "ok",
        100,
        True,
    )


@pytest.mark.nightly
def test_check_tells_what_has_drifted_and_what_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = OWN_CASES["us_table_001"].model_dump(mode="json", exclude_none=True)
    drifted = {
        **base,
        "id": "drifted",
        "answer": "4.33 %",
        "expect": {"kind": "number", "value": "4.33", "unit": "%"},
    }
    gone = json.loads(json.dumps({**base, "id": "gone"}).replace("TextView?", "NoView?"))
    folder = tmp_path / "cases"
    folder.mkdir()
    write(folder / "a.json", drifted)
    write(folder / "b.json", gone)
    ran = invoke(monkeypatch, check, str(folder), "--web", "offline", "--json")
    assert ran.exit_code == 1
    played = {each["case"]: each["played"] for each in json.loads(ran.stdout)["cases"]}
    assert (played["drifted"]["status"], played["drifted"]["then"], played["drifted"]["now"]) == (
        "drifted",
        "4.33 %",
        "4.22",
    )
    assert played["gone"]["status"] == "gone"
    assert "offline archives" in played["gone"]["now"]


@pytest.mark.nightly
def test_check_of_our_own_cases_has_no_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = invoke(monkeypatch, check, "--strict")
    assert ran.exit_code == 0, ran.output
    assert len(ran.stdout.splitlines()) == 21
    assert "21 cases, no fault." in ran.stderr


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("change", "doubt"),
    [
        ({"expect": {"kind": "number", "value": "4.23", "unit": "%"}}, "answer: its own expectation"),
        ({"question": "Was the rate 4.22 percent?"}, "question: it states the answer"),
        ({"category": "spreadsheet"}, "category: spreadsheet is none of"),
        ({"evidence_types": ()}, "evidence_types"),
        ({"context": ()}, "context: nothing is named"),
        ({"context": ("4.22 %",)}, "states the answer"),
        ({"expect": {"kind": "number", "value": "4.22"}}, "expect.unit"),
        ({"language": ""}, "language"),
        ({"url": "https://example.com/"}, "is not the case's site"),
        ({"oracle": None}, "oracle: there is none"),
    ],
)
def test_each_doubt_has_its_sentence(change: dict[str, Any], doubt: str) -> None:
    case = Case.model_validate({**OWN_CASES["us_table_001"].model_dump(), **change})
    assert any(doubt in told for told in lint(case))
    assert all(told.endswith(".") for told in lint(case))


def test_a_template_that_states_the_answer_and_a_nameless_difficulty() -> None:
    case = OWN_CASES["us_table_001"]
    assert case.oracle is not None
    oracle = case.oracle.model_copy(update={"answer": "4.22 percent, {1}"})
    told = lint(case.model_copy(update={"oracle": oracle}), extended=True)
    assert [each.split(":")[0] for each in told] == ["difficulty", "oracle.answer", "oracle.answer"]


@pytest.mark.nightly
def test_a_record_of_a_check_is_plain_json() -> None:
    checked = CaseChecked(case="a", status="ok", score=100, verified=True, nop_score=0, then="1")
    assert json.loads(checked.model_dump_json())["status"] == "ok"
