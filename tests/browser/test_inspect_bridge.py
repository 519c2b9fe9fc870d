"""The bench as a task of Inspect AI, end to end, offline, with a scripted model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.bench.samples import CASES, REPOSITORY
from verifaible.bench.cases import load_cases

inspect_ai = pytest.importorskip("inspect_ai", reason="the extra [inspect] is not installed")

from inspect_ai.log import EvalLog, read_eval_log  # noqa: E402
from inspect_ai.model import ModelOutput, get_model  # noqa: E402

from verifaible.inspect_bridge.tasks import bench  # noqa: E402

OWN = {case.id: case for case in load_cases(CASES)}
TOOLS = (
    "verifaible_web_search",
    "web_fetch",
    "analyze_page",
    "test_action_steps",
    "verifaible_cite",
    "video_transcript",
)


class Script:
    """A model that plays a case's reference steps, then says an answer made of the case and the replies."""

    def __init__(self, answers: dict[str, str], *, plays: bool = True) -> None:
        self.answers, self.plays = answers, plays
        self.seen: dict[str, list[str]] = {}
        self.offered: set[tuple[str, ...]] = set()

    def __call__(self, messages: list[Any], tools: list[Any], *_: Any) -> ModelOutput:
        self.offered.add(tuple(tool.name for tool in tools))
        asked = next(message.text for message in messages if message.role == "user")
        case = next(case for case in OWN.values() if case.question in asked)
        replies = [message.text for message in messages if message.role == "tool"]
        self.seen[case.id] = replies
        steps = case.oracle.steps if case.oracle and self.plays else ()
        if len(replies) < len(steps):
            step = steps[len(replies)]
            given = dict(step.arguments)
            for name in {"row_anchor", "col_anchor"} & set(given):  # Inspect holds models to the schema
                given[name] = [given[name]] if isinstance(given[name], str) else given[name]
            return ModelOutput.for_tool_call("mockllm", step.tool, given)
        return ModelOutput.from_content("mockllm", self.answers[case.id])


def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Any, **options: Any) -> EvalLog:
    """Evaluate, and read the log as ``inspect view`` does."""
    monkeypatch.setenv("VERIFAIBLE_HOME", str(REPOSITORY))
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))
    # Inspect's own count for its mock model asks the internet for a vocabulary.
    monkeypatch.setattr("inspect_ai.model._model.count_text_tokens", len)
    model = get_model("mockllm/model", custom_outputs=script, memoize=False)
    epochs = options.pop("epochs", 1)
    (log,) = inspect_ai.eval(
        bench(web="offline", **options),
        model=model,
        log_dir=str(tmp_path / "logs"),
        display="none",
        epochs=epochs,
    )
    assert log.status == "success", log.error
    return read_eval_log(log.location)


def metrics(log: EvalLog) -> dict[str, dict[str, float]]:
    assert log.results is not None
    return {
        each.name: {name: metric.value for name, metric in each.metrics.items()}
        for each in log.results.scores
    }


def test_right_answers_with_evidence_score_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = ("cn_text_001", "us_table_001")
    script = Script({name: f"{OWN[name].answer} [@v:1]" for name in ids})
    log = run(tmp_path, monkeypatch, script, case=",".join(ids))
    assert log.samples is not None
    assert script.offered == {TOOLS}
    for sample in log.samples:
        assert sample.scores is not None
        score = sample.scores["verifaible"]
        assert score.value == {"score": 100, "verified": 1}
        assert score.metadata is not None
        (citation,) = score.metadata["citations"]
        assert citation["number"] == 1  # each sample is a session of its own
        assert (tmp_path / "store" / "citations" / f"{citation['id']}.json").is_file()
        assert [message.role for message in sample.messages] == [
            "system",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert "Citation 1 is verified" in sample.messages[3].text
        assert "oracle" not in sample.metadata["verifaible_case"]
    found = metrics(log)
    assert found["score"]["mean"] == 100
    assert (found["verified"]["mean"], found["verified"]["wilson_high"]) == (1, 1)
    assert 0.3 < found["verified"]["wilson_low"] < 0.4


def test_an_answer_from_memory_is_not_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script({"cn_text_001": f"{OWN['cn_text_001'].answer} [@v:1]"}, plays=False)
    log = run(tmp_path, monkeypatch, script, case="cn_text_001", epochs=2)
    assert log.samples is not None and len(log.samples) == 2
    for sample in log.samples:
        assert sample.scores is not None
        assert sample.scores["verifaible"].value == {"score": 40, "verified": 0}
        assert "marks no citation of this trial" in str(sample.scores["verifaible"].explanation)
    strict = run(tmp_path, monkeypatch, script, case="cn_text_001", gate="citation")
    assert metrics(strict)["score"]["mean"] == 0


def test_a_model_that_never_ends_has_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(*_: Any) -> ModelOutput:
        output = ModelOutput.for_tool_call("mockllm", "no_such_tool", {})
        output.completion = "140489 万人"
        return output

    log = run(tmp_path, monkeypatch, script, case="cn_text_001", max_rounds=3)
    assert log.samples is not None
    (sample,) = log.samples
    assert sample.scores is not None
    assert sample.scores["verifaible"].value == {"score": 0, "verified": 0}
    assert sum(message.role == "assistant" for message in sample.messages) == 3


def test_a_silent_model_is_reminded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = iter([ModelOutput.from_content("mockllm", " "), ModelOutput.from_content("mockllm", "36 个")])

    def script(*_: Any) -> ModelOutput:
        return next(outputs)

    log = run(tmp_path, monkeypatch, script, case="cn_text_002")
    assert log.samples is not None
    assert [message.role for message in log.samples[0].messages[2:]] == ["assistant", "user", "assistant"]
    assert metrics(log)["score"]["mean"] == 40


def test_wrong_arguments_come_back_as_our_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = iter(
        [
            ModelOutput.for_tool_call("mockllm", "web_fetch", {"url": "ftp://example.com/"}),
            ModelOutput.from_content("mockllm", "I cannot find it."),
        ]
    )
    log = run(tmp_path, monkeypatch, lambda *_: next(outputs), case="cn_text_002")
    assert log.samples is not None
    told = [message.text for message in log.samples[0].messages if message.role == "tool"]
    assert len(told) == 1 and told[0].startswith("Error (")


def test_log_can_be_read_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = run(tmp_path, monkeypatch, Script({"cn_text_002": "x"}, plays=False), case="cn_text_002")
    read = json.loads(log.model_dump_json())
    assert read["eval"]["task"].endswith("bench")
    assert read["samples"][0]["metadata"]["category"] == "text"
