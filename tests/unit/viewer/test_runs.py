"""The pages of runs over real run folders: figures of the report, hostile names, hostile transcripts."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import Any
from urllib.parse import quote, unquote, urlencode

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from tests.kit.marks import nightly
from tests.unit.bench.samples import result
from tests.unit.viewer.run_samples import HOSTILE, cited, rich_trial, sample_runs, tell, write_run
from verifaible.bench import report
from verifaible.bench.cases import digest, load_cases
from verifaible.bench.pool import findings, read_run
from verifaible.bench.run_dir import RunFolder, Transcript
from verifaible.bench.tables import score_tables
from verifaible.config import Settings
from verifaible.reporting.tables import PUBLISHED
from verifaible.schema.chat import Usage
from verifaible.schema.run import ModelEvent, ToolEvent
from verifaible.scoring.match import answer_markers
from verifaible.viewer.app import create_app
from verifaible.viewer.marked import MAX_MARKDOWN_CHARS, marked_answer
from verifaible.viewer.trials import timeline

REPOSITORY = Path(__file__).resolve().parents[3]
RICH = "20260301T093000Z-z-ai-glm-5+other-model"


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample runs, which nobody changes."""
    runs = tmp_path_factory.mktemp("sampled") / "runs"
    runs.mkdir()
    sample_runs(runs)
    return runs


@pytest.fixture
def home(tmp_path: Path, sampled: Path) -> Path:
    """A home with the sample runs and the built-in cases."""
    shutil.copytree(sampled, tmp_path / "runs")
    (tmp_path / "cases").symlink_to(REPOSITORY / "cases")
    return tmp_path


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home, store=str(home / "store"))


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as opened:
        yield opened


def address(run: str = RICH, page: str = "", **query: object) -> str:
    return f"/runs/{quote(run, safe='')}{page}" + (f"?{urlencode(query)}" if query else "")


def trial_address(page: str = "/trial", run: str = RICH, **changes: object) -> str:
    return address(run, page, **{"model": "z-ai/glm-5", "case": "us_text_001", "trial": 1, **changes})


def opened(client: TestClient, path: str, status: int = 200) -> BeautifulSoup:
    answer = client.get(path)
    assert answer.status_code == status, answer.text[:2000]
    return BeautifulSoup(answer.content, "lxml")


def words(element: object) -> str:
    return " ".join(element.get_text(" ").split())  # type: ignore[attr-defined]


def name_of(row: object) -> str:
    """The name of the folder of a run in a list."""
    return words(row.select_one("bdi.name") or row.select_one("th bdi"))  # type: ignore[attr-defined]


def figures(soup: BeautifulSoup) -> dict[str, list[list[str]]]:
    """The tables of the sections of a page, by anchor; published names as the report writes them."""
    found = {}
    for section in soup.select("section.figures:not(#trials, [aria-labelledby=latest])"):
        rows = []
        for row in section.select("tbody tr"):
            name = words(row.select_one("th bdi"))
            name += f" ({PUBLISHED})" if "theirs" in (row.get("class") or ()) else ""
            rows.append([name, *(words(cell) for cell in row.find_all("td"))])
        found[str(section["id"])] = rows
    return found


def flat(rows: object) -> list[list[str]]:
    return [[" ".join(cell.split()) for cell in row] for row in rows]  # type: ignore[attr-defined]


# --- a run under way

STARTED_NAME = "20260302T080000Z-started"


def test_a_run_under_way_says_how_far_it_is(client: TestClient, home: Path) -> None:
    folder = RunFolder(home / "runs" / STARTED_NAME)
    tell(folder)
    for path in ("/runs", address(STARTED_NAME)):
        soup = opened(client, path)
        (live,) = soup.select(".live")
        said = words(live)
        assert "1 of 3 trials done" in said and "$0.0123" in said
        assert "\u202e" not in said and "\x1b" not in said
        assert live.select_one("progress")["max"] == "3"  # type: ignore[index]
        assert soup.select_one("head noscript meta[http-equiv=refresh]")
        assert "not finished" not in words(soup.select_one("main"))
    # told long ago: it was killed
    tell(folder, at=datetime(2026, 3, 2, tzinfo=UTC))
    for path in ("/runs", address(STARTED_NAME)):
        soup = opened(client, path)
        assert not soup.select(".live") and not soup.select("noscript")
        assert "not finished" in words(soup.select_one("main"))


# --- the list


def test_runs_are_listed_newest_first_with_their_figures(client: TestClient, home: Path) -> None:
    soup = opened(client, "/runs")
    rows = soup.select("table.runs tbody tr")
    assert [name_of(row) for row in rows] == [
        "20260302T080000Z-started",
        RICH,
        "20260228T080000Z-broken",
    ]
    assert "not finished" in words(rows[0])
    assert "1 /3" in words(rows[0])
    rich = findings([read_run(home / "runs" / RICH)])
    count = len(rich.results)
    mean = sum(one.total for one in rich.summaries) / count
    verified = sum(one.verified.count for one in rich.summaries)
    cost = sum(one.cost_usd or 0 for one in rich.summaries)
    for shown in (
        f"{mean:.1f}",
        f"{verified}/{count}",
        f"${cost:.4f}",
        "2026-03-01 09:30:00 UTC",
        "finished",
    ):
        assert shown in words(rows[1])


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("run.json", b""),
        ("run.json", b"\xff\xfe\x00"),
        ("run.json", b'{"id": 7}'),
        ("results.jsonl", b"{}\n"),
        ("results.jsonl", b"\x00\n"),
    ],
)
def test_a_damaged_run_is_listed_with_its_fault(
    client: TestClient, home: Path, file: str, content: bytes
) -> None:
    path = write_run(home / "runs", "20260501T000000Z-hurt", [result()])
    (path / file).write_bytes(content)
    row = opened(client, "/runs").select_one("table.runs tbody tr")
    assert row is not None
    assert "damaged" in words(row)
    assert file in words(row)
    assert row.find("a") is None
    assert len(opened(client, "/").select("table.runs tbody tr")) == 4
    assert "is damaged" in words(opened(client, address("20260501T000000Z-hurt"), 500))


def test_figures_beyond_all_measure_break_only_their_own_run(client: TestClient, home: Path) -> None:
    write_run(home / "runs", "20260501T000000Z-huge", [result(score=10**400)])
    write_run(home / "runs", "20260502T000000Z-late", [result()], started_at="9999-12-31T23:59:59-12:00")
    rows = opened(client, "/runs").select("table.runs tbody tr")
    assert ["damaged" in words(row) for row in rows] == [True, True, False, False, True]
    opened(client, address("20260501T000000Z-huge"), 500)


def test_an_empty_folder_is_a_run_that_is_not_there_yet(client: TestClient, home: Path) -> None:
    (home / "runs" / "20260601T000000Z-empty").mkdir()
    (home / "runs" / "a file").write_text("no run")
    (home / "runs" / ".hidden").mkdir()
    rows = opened(client, "/runs").select("table.runs tbody tr")
    assert name_of(rows[0]) == "20260601T000000Z-empty"
    assert len(rows) == 4
    assert "run.json" in words(rows[0])


def test_a_run_without_a_trial_says_so(client: TestClient, home: Path) -> None:
    write_run(home / "runs", "20260601T000000Z-begun", [], models=("a/b",), cases={"c": "0" * 64})
    assert "No trial has ended yet" in words(opened(client, address("20260601T000000Z-begun")))
    assert "No trial has ended yet" in words(opened(client, "/leaderboard?run=20260601T000000Z-begun"))


def test_without_a_folder_of_runs_there_are_none(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, store=str(tmp_path / "store"))
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        assert "There is no run yet" in words(opened(client, "/runs"))
        assert "There is no run yet" in words(opened(client, "/"))


def test_many_runs_are_paged_and_none_is_lost(client: TestClient, home: Path) -> None:
    for number in range(60):
        write_run(home / "runs", f"20270101T0000{number:02}Z-x", [result()])
    seen, path = [], "/runs"
    while path:
        soup = opened(client, path)
        seen += [name_of(row) for row in soup.select("table.runs tbody tr")]
        behind = soup.select_one("a[rel=next]")
        path = str(behind["href"]) if behind else ""
    assert len(seen) == len(set(seen)) == 63
    assert seen == sorted(seen, reverse=True)


# --- the figures


def test_the_tables_of_a_run_are_those_of_the_report(client: TestClient, home: Path) -> None:
    shown = figures(opened(client, address()))
    found = findings([read_run(home / "runs" / RICH)])
    tables = [table for table in report.all_tables(found) if table.title != "Scores"]
    assert [table.title for table in tables]
    for table in tables:
        assert shown["-".join(table.title.lower().split())] == flat(table.texts), table.title
    assert len(shown) == len(tables)


def test_the_best_model_and_what_cannot_be_ranked_are_told(client: TestClient, home: Path) -> None:
    soup = opened(client, address())
    best = findings([read_run(home / "runs" / RICH)]).summaries[0]
    tiles = words(soup.select_one(".tiles"))
    assert best.model in tiles
    assert f"{best.average:.1f}" in tiles
    assert f"{best.verified.count}/{best.verified.of}" in tiles
    assert "third/model-with-a-long-name-2026-03 is not rankable: 1 of its 5 trials" in words(soup)
    assert "did not end" in words(opened(client, address("20260302T080000Z-started")))


def test_charts_are_pictures_with_words_and_without_styles(client: TestClient) -> None:
    soup = opened(client, address())
    charts = soup.select("figure.chart > svg")
    assert len(charts) == 2
    for chart in charts:
        told = [soup.find(id=name) for name in str(chart["aria-labelledby"]).split()]
        assert all(each is not None and words(each) for each in told)
        assert chart["role"] == "img"
    assert not soup.select("[style], style, script:not([src]), [onclick]")
    first = words(charts[0].find("desc"))
    assert "z-ai/glm-5 100.0" in first
    assert "other/model 64.0 (28 to 96)" in first


def test_the_trials_of_a_run_lead_to_their_pages_and_can_be_filtered(client: TestClient) -> None:
    rows = opened(client, address()).select(".trials tbody tr")
    assert len(rows) == 15
    for row in rows[:4]:
        score = words(row.select("td")[2])
        assert f"Score {score} " in words(opened(client, str(row.a["href"])))  # type: ignore[index]
    everything = client.get(address(page=".json")).json()["trials"]
    assert everything["total"] == 15 == len(everything["items"])
    verified = [each for each in everything["items"] if each["verified"]]
    assert client.get(address(page=".json", result="verified")).json()["trials"]["items"] == verified
    model = verified[0]["model"]
    mine = client.get(address(page=".json", model=model, case="_TEXT_", sort="score")).json()["trials"][
        "items"
    ]
    assert mine and {each["model"] for each in mine} == {model}
    assert all("_text_" in each["case"] for each in mine)
    scores = [each["score"] for each in mine]
    assert scores == sorted(scores)
    assert "No trial is left" in words(opened(client, address(case="nothing")))


def test_many_trials_are_paged(client: TestClient, home: Path) -> None:
    results = [result(case=f"case_{number:03}") for number in range(250)]
    write_run(home / "runs", "20270101T000000Z-large", results)
    path, seen = address("20270101T000000Z-large"), []
    while path:
        soup = opened(client, path)
        seen += [words(row.th) for row in soup.select(".trials tbody tr")]
        behind = soup.select_one("#trials a[rel=next]")
        path = str(behind["href"]) if behind else ""
    assert seen == [each.case for each in results]


def test_a_run_that_grows_is_read_again(client: TestClient, home: Path) -> None:
    path = write_run(home / "runs", "20270101T000000Z-grows", [result()], settings={"trials": 2})
    assert client.get("/runs.json").json()["runs"]["items"][0]["trials"] == 1
    assert len(opened(client, address("20270101T000000Z-grows")).select(".trials tbody tr")) == 1
    second = result(trial=2, score=0)
    plain = Transcript(model=second.model, case=second.case, trial=2, question="?", answer="")
    RunFolder(path).add(second, plain)
    line = client.get("/runs.json").json()["runs"]["items"][0]
    assert (line["trials"], line["average"]) == (2, 50.0)
    assert len(opened(client, address("20270101T000000Z-grows")).select(".trials tbody tr")) == 2


def test_a_leaderboard_of_several_runs_is_that_of_the_bench(client: TestClient, home: Path) -> None:
    names = [RICH, "20260302T080000Z-started"]
    soup = opened(client, f"/leaderboard?{urlencode({'run': names}, doseq=True)}")
    found = findings([read_run(home / "runs" / name) for name in names])
    shown = figures(soup)
    for table in score_tables(found):
        assert shown["-".join(table.title.lower().split())] == flat(table.texts)
    assert "Not comparable" in words(soup)


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 200), ("run=nope", 404), ("run=..", 404), ("&".join(f"run={n}" for n in range(13)), 400)],
)
def test_a_leaderboard_of_what_is_not_there(client: TestClient, query: str, status: int) -> None:
    assert client.get(f"/leaderboard?{query}").status_code == status


# --- names and parameters


@pytest.mark.parametrize("part", ["", ".json", "/trial", "/answer"])
@pytest.mark.parametrize(
    "name",
    [
        "..", ".", "../runs", "..%2F..%2Fetc", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "%00", "x%00y",
        "a" * 5000, "%ff%fe", "nope", ".hidden", "%5c..%5c", "run.json", "~", "20260228T080000Z-broken%2Frun.json",
    ],
)  # fmt: skip
def test_a_name_that_is_not_in_the_listing_opens_nothing(
    settings: Settings, home: Path, name: str, part: str
) -> None:
    (home / "runs" / ".hidden").mkdir()
    status, body = asyncio.run(as_sent(settings, f"/runs/{name}{part}"))
    assert status == 404
    assert b"There is nothing here" in body or b'"status":404' in body
    assert b"root:" not in body


async def as_sent(settings: Settings, path: str) -> tuple[int, bytes]:
    """Ask with the very path, which a client would tidy up; it is decoded as uvicorn does."""
    scope: dict[str, Any] = {
        "type": "http", "method": "GET", "scheme": "http", "http_version": "1.1", "root_path": "",
        "path": unquote(path), "raw_path": path.encode(), "query_string": b"", "headers": [(b"host", b"127.0.0.1")],
        "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "asgi": {"version": "3.0"}, "state": {},
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await create_app(settings)(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent[1:])


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "nope"},
        {"case": "../us_text_001"},
        {"case": "us_text_001%00"},
        {"trial": "01"},
        {"trial": "9" * 6000},
        {"trial": "１"},
        {"trial": "-1"},
        {"model": "<script>"},
        {"model": ""},
    ],
)
@pytest.mark.parametrize("part", ["/trial", "/answer"])
def test_a_trial_that_is_not_there(client: TestClient, part: str, changes: dict[str, str]) -> None:
    assert "no such trial" in words(opened(client, trial_address(part, **changes), 404))


@pytest.mark.parametrize(
    "query", ["from=99999999999999999999", "from=-5", "from=x", "whole=step-999", "whole=<b>"]
)
def test_odd_parameters_change_nothing(client: TestClient, query: str) -> None:
    assert client.get(trial_address() + "&" + query).status_code == 200
    assert client.get(address() + "?" + query).status_code == 200


def test_a_case_of_a_hostile_run_leads_to_no_other_file(client: TestClient, home: Path) -> None:
    secret = home / "secret--1.json"
    trial = result(case="../../../secret", model="m")
    path = write_run(home / "runs", "20270101T000000Z-evil", [result()])
    secret.write_text(
        Transcript(model="m", case="x", trial=1, question="SECRET", answer="").model_dump_json()
    )
    (path / "trials" / "m--..").mkdir()
    with (path / "results.jsonl").open("a") as file:
        file.write(trial.model_dump_json() + "\n")
    for page in ("/trial", "/answer"):
        soup = opened(client, trial_address(page, "20270101T000000Z-evil", model="m", case="../../../secret"))
        assert "SECRET" not in words(soup)
    assert "cannot be read" in words(
        opened(client, trial_address("/trial", "20270101T000000Z-evil", model="m", case="../../../secret"))
    )


def test_names_that_would_be_obeyed_are_only_shown(client: TestClient, home: Path) -> None:
    name = "<img src=x onerror=alert(1)>\u202e"
    model = '"><script>alert(1)</script>\u202e\x07'
    write_run(home / "runs", name, [result(model=model, case="a&b<c>", category="{{7*7}}")])
    for path in (
        "/runs", address(name),
        trial_address("/trial", name, model=model, case="a&b<c>"),
        trial_address("/answer", name, model=model, case="a&b<c>"),
    ):  # fmt: skip
        answer = client.get(path)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "<img" not in answer.text
        assert "\u202e" not in words(BeautifulSoup(answer.content, "lxml").main)


# --- a trial


def test_a_trial_tells_everything(client: TestClient) -> None:
    soup = opened(client, trial_address())
    shown = words(soup.main)
    for text in (
        "How many bureaus are there?", "Score 100", "verified", "First I open the page.", "Then I cite it.", "web_fetch",
        "page_error", "input 1,200 (cached 1,000)", "output 80 (reasoning 30)", "$0.0021", "3.2 s",
        "so far: 3,840 tokens · $0.0063 · 21.5 s", "$0.0063", "attempts: 2", "Steps of attempts that the machine failed: 2",
        "not in this store", "Served by DeepInfra, Novita",
    ):  # fmt: skip
        assert text in shown, text
    steps = soup.select("ol.timeline > li")
    assert [step["id"] for step in steps] == ["lost-1", "lost-2", *(f"step-{n}" for n in range(1, 6))]
    assert '"note": "中文"' in soup.select("#step-2 pre")[0].get_text()
    assert "wrong" in soup.select("#step-2")[0]["class"]
    assert words(soup.select_one("#step-1 details summary")).startswith("Reasoning")
    assert not soup.select("#step-3 details")


def test_what_the_case_wanted_is_shown_if_it_is_the_case_of_the_run(client: TestClient, home: Path) -> None:
    assert "not known: the case file is not here" in words(opened(client, trial_address()))
    case = load_cases(REPOSITORY / "cases" / "cn_table_001.json")[0]
    write_run(home / "runs", "20270101T000000Z-known", [result(case=case.id)], cases={case.id: digest(case)})
    shown = words(opened(client, trial_address("/trial", "20270101T000000Z-known", case=case.id)))
    assert case.answer in shown
    assert "Kinds of evidence that count Table" in shown
    assert case.url in shown


def test_long_texts_are_folded_and_cut_and_shown_whole(client: TestClient) -> None:
    soup = opened(client, trial_address())
    result_text = rich_trial()[1].events[3].result  # type: ignore[union-attr]
    folded = soup.select("#step-4 details")[1]
    assert len(folded.select("pre")[0].get_text()) == 4_001  # with a sign that it goes on
    assert not folded.has_attr("open")
    link = folded.find("a")
    assert link is not None
    assert str(link["href"]).endswith("&whole=step-4#step-4")
    whole = opened(client, str(link["href"])).select("#step-4 details")[1]
    assert whole.has_attr("open")
    assert whole.select("pre")[0].get_text().strip() == result_text


def test_sums_run_over_the_steps_of_one_attempt() -> None:
    usage = Usage(input_tokens=10, output_tokens=2, cost_usd=0.5)
    steps = timeline(
        [
            ModelEvent(round=1, text="", tool_calls=1, usage=Usage(input_tokens=5), duration_s=1.5),
            ToolEvent(round=1, name="x", arguments="{}", result="", duration_s=2.0),
            ModelEvent(round=2, text="", tool_calls=0, usage=usage, duration_s=1.0),
        ],
        {},
    )
    assert [step.tokens_so_far for step in steps] == [5, 5, 17]
    assert [step.seconds_so_far for step in steps] == [1.5, 3.5, 4.5]
    assert [step.cost_so_far_usd for step in steps] == [None, None, 0.5]


def test_many_steps_are_paged(client: TestClient, home: Path) -> None:
    trial = result()
    events = tuple(
        ToolEvent(round=number, name="web_fetch", arguments="{}", result="x" * 5_000)
        for number in range(1, 451)
    )
    transcript = Transcript(
        model=trial.model, case=trial.case, trial=1, question="?", answer="", events=events
    )
    write_run(home / "runs", "20270101T000000Z-long", [trial], {trial.case: transcript})
    path, seen = trial_address("/trial", "20270101T000000Z-long", case=trial.case), []
    while path:
        answer = client.get(path)
        assert len(answer.content) < 2_000_000
        soup = BeautifulSoup(answer.content, "lxml")
        seen += [step["id"] for step in soup.select("ol.timeline > li")]
        behind = soup.select_one("section[aria-labelledby=steps] > nav a[rel=next]")
        path = str(behind["href"]) if behind else ""
    assert seen == [f"step-{number}" for number in range(1, 451)]


@pytest.mark.parametrize(
    "text",
    [
        HOSTILE,
        "x" * 1_000_000,
        "\x00" * 50,
        "\u202e\u2066abc",
        "</details></li></ol>" * 50,
        "{{ config }}{% raw %}",
        "\r\n" * 40,
    ],
)
def test_a_hostile_transcript_is_inert(client: TestClient, home: Path, text: str) -> None:
    trial = result(
        answer=text,
        verified=False,
        verified_reasons=(text[:5_000],),
        error=text[:5_000],
        citations=(cited(1, "x", text),),
    )
    surrogate = '{"a": "\\ud800\\udc00 \\ud800", "b": ' + json.dumps(text) + "}"
    transcript = Transcript(
        model=trial.model, case=trial.case, trial=1, question=text, answer=text,
        events=(
            ModelEvent(round=1, text=text, reasoning=text, tool_calls=1, usage=Usage()),
            ToolEvent(round=1, name=text[:500], arguments=surrogate, result=text, error_code=text[:500], citation=1),
            ToolEvent(round=1, name="x", arguments="[" * 100_000, result=text),
        ),
    )  # fmt: skip
    write_run(home / "runs", "20270101T000000Z-evil", [trial], {trial.case: transcript})
    plain = client.get(trial_address())
    for page in ("/trial", "/answer"):
        for more in ({}, {"whole": "step-2"}):
            answer = client.get(trial_address(page, "20270101T000000Z-evil", case=trial.case, **more))
            assert answer.status_code == 200
            soup = BeautifulSoup(answer.content, "lxml")
            assert [str(each["src"]).partition("?")[0] for each in soup.select("script")] == [
                "/static/viewer.js"
            ]
            assert not soup.select("img, object, embed, [onerror], [style], iframe[src*=evil]")
            assert len(soup.select("h1")) == len(soup.select("main")) == 1
            assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", answer.text)
            assert answer.headers["content-security-policy"] == plain.headers["content-security-policy"]
            for link in soup.select("a[href]"):
                assert str(link["href"]).startswith(("/", "#", "https://")), link
    cut = client.get(trial_address("/trial", "20270101T000000Z-evil", case=trial.case))
    assert len(cut.content) < 150_000


@pytest.mark.parametrize("content", [b"", b"{", b'{"question": "\\ud800"}', b"\xff"])
def test_a_damaged_transcript_leaves_the_result(client: TestClient, home: Path, content: bytes) -> None:
    (file,) = (home / "runs" / RICH / "trials").glob("z-ai*us_text_001*")
    file.write_bytes(content)
    soup = opened(client, trial_address())
    assert "The transcript cannot be read." in words(soup)
    assert "Score 100" in words(soup)
    opened(client, trial_address("/answer"))


# --- an answer


def drawn(text: str, **citations: str) -> BeautifulSoup:
    known = {int(number.removeprefix("n")): name for number, name in citations.items()}
    answer = marked_answer(text, known)
    return BeautifulSoup(f"<body>{answer.html}</body>", "lxml")


@pytest.mark.parametrize(
    "text",
    [
        "a [@v:1] b", "【@v:1】", "［＠ｖ：１］", "[@v:1](https://evil.example)", "`x [@v:1]`", "```\nx [@v:1]\n```",
        "    code [@v:1]", "[@v:1]: https://evil.example", "| a |\n|---|\n| 1 [@v:1] |", "- [@v:1]", "# x [@v:1]",
        "**[@v:1]**", "<b>[@v:1]</b>", "[ @V : 1 ]", "> [@v:1]", "- a\n\n  ```\n  x [@v:1]\n  ```", "\\[@v:1\\]",
    ],
)  # fmt: skip
def test_a_marker_is_a_link_to_its_evidence_wherever_it_stands(text: str) -> None:
    soup = drawn(text, n1="abc")
    (link,) = soup.select("a.marker")
    assert link["href"] == "/citations/abc/beside" and link.has_attr("data-beside")
    assert link["aria-label"] == "Evidence 1"
    assert answer_markers(text) == (1,)


def test_several_numbers_in_one_bracket_are_several_links() -> None:
    soup = drawn("x [@v:1, 2][@v:3] 【@v：2、@v：9】", n1="a", n2="b", n3="c")
    assert [str(link["href"]) for link in soup.select("a.marker")] == [
        f"/citations/{name}/beside" for name in ("a", "b", "c", "b")
    ]
    assert [link.get("aria-current") for link in soup.select("a.marker")] == ["true", None, None, None]
    (nowhere,) = soup.select(".nowhere")
    assert words(nowhere) == "[9] ✕ leads to no citation"


def test_a_marker_in_a_link_and_a_picture_lead_where_they_say() -> None:
    soup = drawn("[the *filing* [@v:1]](https://a.example/x) ![chart](https://b.example/c.png)", n1="abc")
    links = [(words(link), str(link["href"])) for link in soup.select("a")]
    assert links == [
        ("the filing", "https://a.example/x"),
        ("[1]", "/citations/abc/beside"),
        ("[image: chart]", "https://b.example/c.png"),
    ]


def test_a_number_beyond_all_measure_leads_nowhere() -> None:
    assert len(drawn("[@v:" + "9" * 6_000 + "] [@v:0]", n1="a").select(".nowhere")) == 2


def test_an_answer_loads_nothing_and_runs_nothing() -> None:
    soup = drawn(
        "<script>alert(1)</script> ![x](https://evil.example/x.png) [a](javascript:alert(1)) "
        "[b](https://example.com \"t\") <https://example.org> <javascript:alert(1)> [c](//evil.example) "
        "[d](data:text/html,x) [e](/runs) [f](https://) <img src=x onerror=y>\n\n# Title\n\n###### deep\n\n"
        "<div onclick=x>\n\n<iframe src=y></iframe>"
    )  # fmt: skip
    assert not soup.select("script, img, iframe, div, [onclick], [title], h1, h2")
    links = soup.select("a")
    assert {str(link["href"]) for link in links} <= {
        "https://example.com",
        "https://example.org",
        "https://evil.example/x.png",
    }
    assert all(link["rel"] == ["noopener", "noreferrer"] for link in links)
    assert [each.name for each in soup.select("h3, h6")] == ["h3", "h6"]


def test_the_text_of_an_answer_is_all_there() -> None:
    text = "[x]: https://example.com\n\n日本語 **b** [@v:1] [^1] \\[@v:2\\] &amp; 1 < 2 [unfinished](\n\n~~~"
    shown = words(drawn(text, n1="a"))
    for part in ("[x]: https://example.com", "日本語", "[1]", "[^1]", "1 < 2", "[unfinished]("):
        assert part in shown


PARTS = ("[@v:1]", "[", "*a", "> ", "[@v:", "`", "x", "![", "<a")


#: What is longer than the first is not read as Markdown.
@pytest.mark.parametrize(
    ("part", "length"),
    [
        *((part, MAX_MARKDOWN_CHARS) for part in PARTS),
        (PARTS[0], 1_000_000),
        *(nightly(part, 1_000_000) for part in PARTS[1:]),
    ],
)
def test_an_answer_that_would_take_long_does_not(part: str, length: int) -> None:
    started = process_time()
    drawn((part * length)[:length], n1="a")
    assert process_time() - started < 30  # a second or two


def test_of_an_endless_answer_the_beginning_is_shown(client: TestClient, home: Path) -> None:
    trial = result(answer="[@v:1] word " * 100_000)
    write_run(home / "runs", "20270101T000000Z-endless", [trial])
    answer = client.get(trial_address("/answer", "20270101T000000Z-endless", case=trial.case))
    assert len(answer.content) < 3_000_000
    assert "only the beginning of 1,200,000 characters" in answer.text


def test_the_answer_opens_its_first_evidence(client: TestClient) -> None:
    soup = opened(client, trial_address("/answer"))
    assert words(soup.select_one(".nowhere")) == "[1] ✕ leads to no citation"
    assert "There is no evidence to show." in words(soup)
    assert soup.select_one("h1") is not None
    assert words(soup.select_one("h1")) == "How many bureaus are there?"


def test_a_damaged_run_whose_name_is_no_text_hides_no_other(client: TestClient, home: Path) -> None:
    damaged = home / "runs" / os.fsdecode(b"a\xffb")
    damaged.mkdir()
    (damaged / "run.json").write_text("{", encoding="utf-8")
    for path in ("/", "/runs"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert RICH in answer.text
