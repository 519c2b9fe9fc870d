"""Whole runs over HTTP: the openai library, a scripted endpoint, real tools, a real Chromium."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.browser.bench_process import OWN_CASES, CaseModel, Ran, bench, calling, captured, saying
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply
from tests.unit.llm.chat_server import ChatServer, call, completion
from verifaible.schema.case import Case
from verifaible.schema.run import ModelEvent, ScoreFacts, ToolEvent
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store

#: A text, a table, a PDF behind a search, captions, and a table that steps have to bring.
#: Other kinds of evidence are in test_bench_offline.
HONEST_CASES = ("us_text_002", "cn_dynamic_pdf_001", "video_001")
FIELDS = {
    *("model", "case", "trial", "score", "verified", "answer", "citations", "rounds", "tool_calls"),
    *("input_tokens", "output_tokens", "cost_usd", "duration_s", "error"),
}


def honest(case: Case, outputs: Sequence[str]) -> Reply:
    """A wrong call first; then the way of the case's oracle; then what was captured, with its marker."""
    assert case.oracle is not None
    usage = {"input_tokens": 1_000, "cached_tokens": 400, "output_tokens": 50, "cost": 0.0125}
    if not outputs:
        wrong = {"claim": "?", "source_url": case.url, "page_number": "first", "quote": "36"}
        return calling("verifaible_cite", wrong, 0, **usage)
    if len(outputs) <= len(case.oracle.steps):
        step = case.oracle.steps[len(outputs) - 1]
        return calling(step.tool, step.arguments, len(outputs), **usage)
    return saying(case.oracle.answer.replace("{1}", captured(outputs[-1])), **usage)


@pytest.fixture(scope="module")
def honest_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, CaseModel, OpenAIServer]:
    folder = tmp_path_factory.mktemp("honest")
    model = CaseModel(honest)
    with OpenAIServer(model, api_key="sk-test") as server:
        ran = bench(
            folder,
            *("--model", "some/model", "--base-url", server.base_url, "--web", "offline"),
            cases=HONEST_CASES,
            VERIFAIBLE_API_KEY="sk-test",
        )
    return ran, model, server


@pytest.mark.slow
def test_honest_model_has_full_and_verified_scores(
    honest_run: tuple[Ran, CaseModel, OpenAIServer],
) -> None:
    ran, _, _ = honest_run
    lines = (ran.folder.path / "results.jsonl").read_text(encoding="utf-8").splitlines()
    trials = {trial["case"]: trial for trial in map(json.loads, lines)}
    assert set(trials) == set(HONEST_CASES)
    for name, trial in trials.items():
        oracle = OWN_CASES[name].oracle
        assert oracle is not None
        rounds = len(oracle.steps) + 2
        assert set(trial) >= FIELDS
        assert (trial["model"], trial["trial"], trial["error"]) == ("some/model", 1, None)
        assert (trial["score"], trial["verified"], trial["verified_reasons"]) == (100, True, [])
        assert (trial["rounds"], trial["tool_calls"]) == (rounds, rounds - 1)
        assert trial["input_tokens"] == 1_000 * rounds
        assert trial["cached_input_tokens"] == 400 * rounds
        assert trial["output_tokens"] == 50 * rounds
        assert trial["cost_usd"] == pytest.approx(0.0125 * rounds)
        assert trial["duration_s"] > 0
        (citation,) = trial["citations"]
        assert citation["number"] == 1
        assert citation["evidence_type"] in OWN_CASES[name].evidence_types
        assert citation["text"] in trial["answer"]


@pytest.mark.slow
def test_run_adds_up(honest_run: tuple[Ran, CaseModel, OpenAIServer]) -> None:
    ran, _, server = honest_run
    (summary,) = ran.printed["models"]
    rounds = len(server.requests)
    assert (summary["total"], summary["verified"]["count"], summary["errors"]) == (300, 3, 0)
    assert (summary["input_tokens"], summary["output_tokens"]) == (1_000 * rounds, 50 * rounds)
    assert summary["cost_usd"] == pytest.approx(0.0125 * rounds)
    report = Path(ran.printed["report"]).read_text(encoding="utf-8")
    assert report == (ran.folder.path / "report.md").read_text(encoding="utf-8")
    assert f"| {0.0125 * rounds:.4f} |" in report
    assert "| some/model | 1 | 300 |" in report
    info = ran.folder.info()
    assert (info.web, info.models, set(info.cases)) == ("offline", ("some/model",), set(HONEST_CASES))
    assert info.finished_at is not None
    assert b"sk-test" not in b"".join(
        path.read_bytes() for path in ran.folder.path.rglob("*") if path.is_file()
    )


@pytest.mark.slow
def test_transcripts_are_whole(honest_run: tuple[Ran, CaseModel, OpenAIServer]) -> None:
    ran, model, _ = honest_run
    transcripts = {each.case: each for each in ran.folder.transcripts()}
    assert set(transcripts) == set(HONEST_CASES)
    for name, transcript in transcripts.items():
        case, trial = OWN_CASES[name], ran.results[name]
        assert case.oracle is not None
        turns = [event for event in transcript.events if isinstance(event, ModelEvent)]
        calls = [event for event in transcript.events if isinstance(event, ToolEvent)]
        assert (len(turns), len(calls)) == (trial.rounds, trial.tool_calls)
        assert sum(turn.usage.input_tokens for turn in turns) == trial.input_tokens
        assert (transcript.question, transcript.answer) == (case.question, trial.answer)
        assert turns[-1].text == trial.answer
        # everything that went to the model, to the letter, or in one line where it had done its work
        for made, sent in zip(calls, model.seen[name], strict=True):
            folded = f"(This result of {made.name}, {len(made.result):,} characters, is left out here, "
            assert sent == made.result or sent.startswith(folded)
        assert model.seen[name][-1] == calls[-1].result
        assert calls[0].error_code == "bad_arguments"
        assert calls[0].result.startswith("Error (bad_arguments): Wrong arguments for verifaible_cite: ")
        assert "page_number: Input should be a valid integer" in calls[0].result
        assert "quote: Extra inputs are not permitted" in calls[0].result
        assert "Correct these fields and call again." in calls[0].result
        assert [(call.name, json.loads(call.arguments)) for call in calls[1:]] == [
            (step.tool, step.arguments) for step in case.oracle.steps
        ]
        assert (calls[-1].citation, calls[-1].error_code) == (1, "")
        assert trial.citations[0].id in calls[-1].result


@pytest.mark.slow
def test_requests_are_those_of_the_published_evaluation(
    honest_run: tuple[Ran, CaseModel, OpenAIServer],
) -> None:
    _, _, server = honest_run
    for request in server.requests:
        assert (request.body["model"], request.body["temperature"]) == ("some/model", 0.3)
        assert [tool["name"] for tool in request.body["tools"]] == [
            *("verifaible_web_search", "web_fetch", "analyze_page", "test_action_steps"),
            *("verifaible_cite", "video_transcript"),
        ]
        for case in OWN_CASES.values():  # no case is in the instructions
            assert case.question not in request.body["instructions"]


@pytest.mark.slow
def test_citations_of_a_run_are_in_the_store(honest_run: tuple[Ran, CaseModel, OpenAIServer]) -> None:
    ran, _, _ = honest_run
    store = Store(ran.folder.path.parents[1] / "store")
    for name, trial in ran.results.items():
        citation = store.get(trial.citations[0].id)
        assert citation.anchor.text == trial.citations[0].text
        assert citation.capture.synthetic
        assert citation.capture.web == "offline", name
        assert store.files.exists(capture_file(citation.capture.sha256))


# --- the other API

#: How much each answer of the scripted Chat model costs, and its tokens.
CHAT_USAGE = {
    "prompt_tokens": 900,
    "prompt_tokens_details": {"cached_tokens": 300},
    "completion_tokens": 40,
    "completion_tokens_details": {"reasoning_tokens": 25},
    "total_tokens": 940,
}
CHAT_CASES = ("us_text_002", "cn_table_004", "cn_dynamic_003")


def chatting(body: JsonObject) -> Reply:
    """The oracle's way over Chat Completions: a wrong call first, then calls as text; thoughts beside each."""
    asked = json.dumps(body["messages"][1], ensure_ascii=False)
    case = next(
        each for each in OWN_CASES.values() if json.dumps(each.question, ensure_ascii=False)[1:-1] in asked
    )
    assert case.oracle is not None
    results = [message["content"] for message in body["messages"] if message["role"] == "tool"]
    thought = {"reasoning_content": f"Step {len(results) + 1}."}
    if len(results) == len(case.oracle.steps) + 1:
        said = case.oracle.answer.replace("{1}", captured(results[-1]))
        return completion(f"<think>Done.</think>{said}", usage=CHAT_USAGE, message=thought)
    if not results:  # a tool that is not there, under an id that cannot be sent back
        return completion(None, call("no_such_tool", {}, ""), usage=CHAT_USAGE, message=thought)
    step = case.oracle.steps[len(results) - 1]
    written = json.dumps({"name": step.tool, "arguments": step.arguments}, ensure_ascii=False)
    return completion(f"Now:\n<tool_call>\n{written}\n</tool_call>", usage=CHAT_USAGE, message=thought)


@pytest.mark.nightly
@pytest.mark.slow
def test_whole_run_over_chat_completions(tmp_path: Path) -> None:
    models: Mapping[str, object] = {
        "models": [
            {
                "name": "scripted",
                "slug": "maker/scripted",
                "prices": {"input": 1, "cached_input": 0, "output": 10},
            }
        ]
    }
    (tmp_path / "models.json").write_text(json.dumps(models), encoding="utf-8")
    with ChatServer(chatting) as server:
        arguments = (
            "--model",
            "scripted",
            "--api",
            "chat",
            "--base-url",
            server.base_url,
            "--web",
            "offline",
        )
        ran = bench(tmp_path, *arguments, cases=CHAT_CASES, VERIFAIBLE_MODELS=str(tmp_path / "models.json"))
    for name in CHAT_CASES:
        trial, oracle = ran.results[name], OWN_CASES[name].oracle
        assert oracle is not None
        rounds = len(oracle.steps) + 2
        assert (trial.score, trial.verified, trial.error) == (100, True, None)
        assert (trial.rounds, trial.tool_calls) == (rounds, rounds - 1)
        assert (trial.input_tokens, trial.cached_input_tokens) == (900 * rounds, 300 * rounds)
        assert (trial.output_tokens, trial.reasoning_tokens) == (40 * rounds, 25 * rounds)
        assert trial.cost_usd == pytest.approx((600 * 1 + 40 * 10) / 1_000_000 * rounds)
        assert trial.billed_usd is None
        assert "<think>" not in trial.answer
    for request in server.requests:
        assert (request.body["model"], request.body["temperature"]) == ("maker/scripted", 0.3)
        said = [message for message in request.body["messages"] if message["role"] == "assistant"]
        assert [message["reasoning_content"] for message in said] == [
            f"Step {number}." for number in range(1, len(said) + 1)
        ]


# --- models that do not tell the truth

CITED = ScoreFacts(
    answer_correct=True, citation_created=True, citation_in_text=True, evidence_type_match=True
)

#: Case to: whose evidence is cited (with changes), the answer, the score, the facts, a part of a reason.
LIES: dict[str, tuple[dict[str, object] | None, str, int, ScoreFacts, str]] = {
    # from memory, with the marker of a citation that was never made
    "us_text_002": (
        None,
        "It was Bowman [@v:1].",
        40,
        ScoreFacts(
            answer_correct=True, citation_created=False, citation_in_text=False, evidence_type_match=False
        ),
        "it marks [@v:1], which this trial did not make",
    ),
    # a citation of another site, of another type
    "us_table_001": (
        {"of": "us_text_001"},
        "It was 4.22 % [@v:1].",
        80,
        CITED.model_copy(update={"evidence_type_match": False}),
        "'www.federalreserve.gov' is not on the case's site treasury.gov",
    ),
    # another page of the same site, and the right type
    "cn_table_002": (
        {"of": "cn_table_004"},
        "同比指数为90.9[@v:1]。",
        100,
        CITED,
        "The highlighted region does not hold the value",
    ),
    # the right page, and a list that has the answer in it somewhere
    "us_text_001": (
        {"of": "us_text_001"},
        "IORB is one of 5.1 %, 5.15 %, 5.2 %, 5.25 %, 5.3 %, 5.35 %, 5.4 %, 5.45 %, 5.55 %, 5.6 % [@v:1].",
        100,
        CITED,
        "The answer does not commit itself: it states 9 other numbers.",
    ),
    # the exchange's page as it opens, on the newest date, with the right figure from memory
    "cn_dynamic_002": (
        {"of": "cn_dynamic_002", "action_steps": [{"type": "wait", "selector": ".js_totalValue[data-date]"}]},
        "占总市值的 3.97 %[@v:1]。",
        100,
        CITED,
        "The context '2025-02-10' is not visible in the capture.",
    ),
    # the same trap on another page, and what stood there
    "cn_dynamic_001": (
        {
            "of": "cn_dynamic_001",
            "action_steps": [{"type": "wait", "selector": ".js_overviewDay[data-date]"}],
        },
        "成交笔数为 {1} 笔[@v:1]。",
        0,
        CITED.model_copy(update={"answer_correct": False}),
        "The answer is not correct. Expected 61 笔",
    ),
    # good evidence behind the wrong marker
    "cn_text_002": (
        {"of": "cn_text_002"},
        "设立了36个证券监管局[@v:2]。",
        85,
        CITED.model_copy(update={"citation_in_text": False}),
        "it marks [@v:2], which this trial did not make",
    ),
}


def lying(case: Case, outputs: Sequence[str]) -> Reply:
    cited, answer, *_ = LIES[case.id]
    if cited is not None and not outputs:
        changes = dict(cited)
        source = OWN_CASES[str(changes.pop("of"))]
        assert source.oracle is not None
        return calling("verifaible_cite", {**source.oracle.steps[-1].arguments, **changes}, 1)
    return saying(answer.replace("{1}", captured(outputs[-1])) if outputs else answer)


@pytest.fixture(scope="module")
def lying_run(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    with OpenAIServer(CaseModel(lying)) as server:
        arguments = ("--model", "some/model", "--base-url", server.base_url, "--web", "offline")
        return bench(tmp_path_factory.mktemp("lying"), *arguments, cases=tuple(LIES))


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", LIES)
def test_lie_keeps_the_score_of_the_formula_but_is_not_verified(lying_run: Ran, name: str) -> None:
    _, _, score, facts, reason = LIES[name]
    trial = lying_run.results[name]
    assert trial.error is None
    assert trial.facts == facts
    assert (trial.score, trial.verified) == (score, False)
    assert any(reason in each for each in trial.verified_reasons), trial.verified_reasons
    assert reason in Path(lying_run.printed["report"]).read_text(encoding="utf-8")


@pytest.mark.nightly
@pytest.mark.slow
def test_newest_date_tempts(lying_run: Ran) -> None:
    assert lying_run.results["cn_dynamic_002"].citations[0].text == "5.33"
    assert lying_run.results["cn_dynamic_001"].answer == "成交笔数为 167 笔[@v:1]。"
    (summary,) = lying_run.printed["models"]
    assert (summary["total"], summary["verified"]["count"]) == (505, 0)


@pytest.mark.slow
def test_published_gate_zeroes_the_answer_from_memory(tmp_path: Path) -> None:
    with OpenAIServer(CaseModel(lying)) as server:
        arguments = ("--model", "some/model", "--base-url", server.base_url, "--web", "offline")
        ran = bench(tmp_path, *arguments, "--gate", "citation", cases=["us_text_002"])
    assert (ran.results["us_text_002"].score, ran.folder.info().gate) == (0, "citation")
