"""The four models of the published evaluation, in the forms in which each writes calls, at an endpoint that fails
before every answer: real HTTP, real tools, a real Chromium.

The model is a script that goes the way of each case's oracle; what is tried is everything between its words and
the result.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.browser.bench_process import OWN_CASES, CaseModel, bench, captured, saying
from tests.kit.marks import nightly
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, error
from tests.unit.llm.chat_server import ChatServer, completion
from verifaible.schema.case import Case

Writer = Callable[[str, Mapping[str, Any]], str]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _named(name: str, arguments: Mapping[str, Any]) -> str:
    return _json({"name": name, "arguments": arguments})


def _text(value: object) -> str:
    return value if isinstance(value, str) else _json(value)


def _r1(begin: str, separator: str, end: str, wrap: tuple[str, str] = ("", "")) -> Writer:
    def write(name: str, arguments: Mapping[str, Any]) -> str:
        call = f"{begin}function{separator}{name}\n```json\n{_json(arguments)}\n```{end}"
        return wrap[0] + call + wrap[1]

    return write


def _glm(name: str, arguments: Mapping[str, Any]) -> str:
    pairs = "\n".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{_text(value)}</arg_value>" for key, value in arguments.items()
    )
    return f"<tool_call>{name}\n{pairs}\n</tool_call>"


def _minimax(name: str, arguments: Mapping[str, Any]) -> str:
    pairs = "\n".join(
        f'<parameter name="{key}">{_text(value)}</parameter>' for key, value in arguments.items()
    )
    return f'<minimax:tool_call>\n<invoke name="{name}">\n{pairs}\n</invoke>\n</minimax:tool_call>'


def _kimi(section: str, prefix: str) -> Writer:
    def write(name: str, arguments: Mapping[str, Any]) -> str:
        call = f"<|tool_call_begin|>{prefix}{name}:0<|tool_call_argument_begin|>{_json(arguments)}<|tool_call_end|>"
        return f"<|{section}_begin|>{call}<|{section}_end|>"

    return write


#: How each model was seen to write calls where its server leaves them in the text; used in turn.
DIALECTS: dict[str, tuple[Writer, ...]] = {
    "glm-5": (
        _glm,
        lambda name, arguments: _glm(name, arguments).replace("\n", ""),
        lambda name, arguments: f"<think>Now.</think>\n{_glm(name, arguments).removesuffix('</tool_call>')}",
        lambda name, arguments: f"<tool_call>\n{_named(name, arguments)}\n</tool_call>",
    ),
    "kimi-k2.5": (
        _kimi("tool_calls_section", "functions."),
        _kimi("tool_call_section", ""),
        lambda name, arguments: f"<think>I look.{_kimi('tool_calls_section', 'functions.')(name, arguments)}",
    ),
    "minimax-m2.5": (
        _minimax,
        lambda name, arguments: _minimax(name, arguments).replace("<minimax:tool_call>\n", ""),
        lambda name, arguments: f"<tool_calls>\n{_named(name, arguments)}\n</tool_calls>",
    ),
    "deepseek-r1": (
        _r1(
            "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>",
            ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        ),
        _r1("<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"),
        _r1("<|tool_call_begin|>", "<|tool_sep|>", "<|tool_call_end|>"),
        _r1("```\n<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"),
        lambda name, arguments: f"I open it.\n\n```json\n{_named(name, arguments)}\n```<｜tool▁call▁end｜>",
        lambda name, arguments: f"{_named(name, arguments)}<|tool_call_end|>",
        lambda name, arguments: f"I open it.\n\n{_named(name, arguments)}",
        lambda name, arguments: f"```json\n{_named(name, arguments)}\n```",
    ),
}  # fmt: skip

#: What fails in front of each answer, in turn.
FAULTS: tuple[Reply, ...] = (
    Reply(drop="before"),
    error(429, "Slow down.", retry_after="0"),
    error(503, "No provider is there."),
    Reply(b'{"output": [', drop="middle"),
    Reply({"error": {"code": 502, "message": "Provider returned error"}}),
    error(500, "Internal error."),
)


class Failing:
    """A model that fails once in front of every answer, each time in another way."""

    def __init__(self, answer: Callable[[JsonObject], Reply]) -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self._asked: Counter[str] = Counter()
        self.faults = 0

    def __call__(self, body: JsonObject) -> Reply:
        """A fault where this request has not failed yet, else the answer."""
        with self._lock:
            asked = json.dumps(body.get("input") or body.get("messages"))
            self._asked[asked] += 1
            if self._asked[asked] == 1:
                self.faults += 1
                return FAULTS[self.faults % len(FAULTS)]
        return self._answer(body)


def writing(writers: Sequence[Writer]) -> Callable[[Case, Sequence[str]], Reply]:
    """The way of a case's oracle, each call in the next of the forms; its results come as results of calls."""
    turns = Counter[str]()

    def script(case: Case, outputs: Sequence[str]) -> Reply:
        assert case.oracle is not None
        if len(outputs) == len(case.oracle.steps):
            return saying(case.oracle.answer.replace("{1}", captured(outputs[-1])), provider="Novita")
        step = case.oracle.steps[len(outputs)]
        write = writers[(turns["all"]) % len(writers)]
        turns["all"] += 1
        return saying(write(step.tool, step.arguments), provider="Novita")

    return script


@pytest.mark.slow
@pytest.mark.usefixtures("brief_retries")
@pytest.mark.parametrize(
    ("model", "cases"),
    [
        ("deepseek-r1", ("us_text_002",)),
        *(nightly(model, tuple(OWN_CASES)) for model in DIALECTS),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{len(value)} cases",
)
def test_a_model_that_writes_its_calls_at_an_endpoint_that_fails(
    tmp_path: Path, model: str, cases: tuple[str, ...]
) -> None:
    failing = Failing(CaseModel(writing(DIALECTS[model])))
    with OpenAIServer(failing) as server:
        ran = bench(
            tmp_path,
            *("--model", f"x/{model}", "--base-url", server.base_url, "--web", "offline"),
            *("--prompt", "full", "--provider", "novita/fp8"),
            cases=cases,
        )
    assert set(ran.results) == set(cases)
    for name, trial in ran.results.items():
        oracle = OWN_CASES[name].oracle
        assert oracle is not None
        assert (trial.score, trial.verified, trial.error) == (100, True, None), name
        assert trial.rounds == len(oracle.steps) + 1
        assert trial.served_by == ("Novita",)
        assert any(note.startswith("asked again after ") for note in trial.notes)
    assert failing.faults >= sum(trial.rounds for trial in ran.results.values())
    assert all(request.body["provider"]["order"] == ["novita/fp8"] for request in server.requests)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("brief_retries")
def test_an_endpoint_without_tools_runs_the_bench(tmp_path: Path) -> None:
    def answer(body: JsonObject) -> Reply:
        if "tools" in body:
            return error(400, "maker/m does not support tools")
        said = json.dumps(body["messages"], ensure_ascii=False)
        case = OWN_CASES["us_text_002"]
        assert case.oracle is not None
        if "is verified and stored" in said:
            result = body["messages"][-1]["content"].partition("Result of verifaible_cite:\n")[2]
            return completion(case.oracle.answer.replace("{1}", captured(result)))
        step = case.oracle.steps[-1]
        return completion(f"<tool_call>\n{_named(step.tool, step.arguments)}\n</tool_call>")

    with ChatServer(answer) as server:
        ran = bench(
            tmp_path,
            *("--model", "maker/m", "--base-url", server.base_url, "--api", "chat", "--web", "offline"),
            cases=("us_text_002",),
        )
    trial = ran.results["us_text_002"]
    assert (trial.score, trial.verified) == (100, True)
    assert any("tools were written into the conversation" in note for note in trial.notes)
