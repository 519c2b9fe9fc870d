"""Trials as examples for supervised fine-tuning: OpenAI's chat format, one JSON object a line.

A line has ``messages``, ``tools`` and ``parallel_tool_calls``, as the fine-tuning API reads them
(FineTuneChatRequestInput of OpenAI's OpenAPI document), and ``metadata``, which is ours: the trial, its
scores, and the model's reasoning, for which that format has no place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from string import Template
from typing import Any

from verifaible.bench.run_dir import RunFolder, RunPrompt, Transcript
from verifaible.errors import RunError
from verifaible.llm.text_calls import read_text_calls
from verifaible.schema.case import Case
from verifaible.schema.run import ModelEvent, ToolEvent, TrialResult

_TOLD = {"model", "case", "category", "language", "trial", "score", "verified", "failure"}


def examples(
    folder: RunFolder,
    cases: Mapping[str, Case],
    *,
    min_score: int = 0,
    verified: bool = False,
    models: Collection[str] = (),
) -> Iterator[dict[str, Any] | None]:
    """An example for each trial that passes the filter; None where it has no answer.

    One transcript is held at a time.

    Args:
        folder: the run.
        cases: the cases, by id: the start page of a task is in none of a run's files.
        min_score: the least score.
        verified: only trials whose evidence is verified.
        models: only these; empty for all.

    Raises:
        RunError: the run has no ``prompt.json``, a transcript is damaged, or a case is not there.
    """
    prompt, info = folder.prompt(), folder.info()
    if prompt is None:
        raise RunError(
            f"{folder.path} has no prompt.json, so what its conversations began with is not known. "
            "Run it again with this version."
        )
    results = folder.results()
    there = {result.model for result in results}
    if missing := [model for model in models if model not in there]:
        raise RunError(f"{info.id} has no trial of {', '.join(missing)}. It has: {', '.join(sorted(there))}.")
    for result in results:
        wanted = result.score >= min_score and (result.verified or not verified)
        if not wanted or (models and result.model not in models):
            continue
        transcript = folder.transcript(result.key)
        if result.ended_by != "answer" or not transcript.answer.strip():
            yield None
            continue
        if (case := cases.get(result.case)) is None:
            raise RunError(f"{result.case} is not among the cases. Name their folder with --cases.")
        said = {"run": info.id, "gate": info.gate}
        yield example(prompt, transcript, case.url, result, said)


def example(
    prompt: RunPrompt, transcript: Transcript, url: str, result: TrialResult, said: Mapping[str, Any]
) -> dict[str, Any]:
    """A trial as messages: the prompts, each round with its calls together, their results, the answer.

    Results are whole, as the tools gave them, even where the agent later left one out of what it sent.
    """
    task = Template(prompt.task).safe_substitute(url=url, question=transcript.question)
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": prompt.system},
        {"role": "user", "content": task},
    ]
    thoughts: list[dict[str, Any]] = []
    taken: set[str] = set()
    for _, events in groupby(transcript.events, lambda event: event.round):
        round_events = list(events)
        turn = next((each for each in round_events if isinstance(each, ModelEvent)), None)
        calls = [each for each in round_events if isinstance(each, ToolEvent)]
        text = turn.text if turn is not None else ""
        if turn is not None and turn.tool_calls < len(calls):
            text = read_text_calls(text, prompt.tools)[0]  # calls that were written as text are calls here
        if not calls and not text.strip():
            continue  # a silent turn: the agent only asked again
        if turn is not None and turn.reasoning:
            thoughts.append({"message": len(messages), "text": turn.reasoning})
        messages += _round(text, calls, taken)
    if messages[-1]["role"] != "assistant":  # an agent without a model says its answer nowhere else
        messages.append({"role": "assistant", "content": transcript.answer})
    return {
        "messages": messages,
        "tools": [{"type": "function", "function": tool.model_dump(mode="json")} for tool in prompt.tools],
        "parallel_tool_calls": any(len(each.get("tool_calls", ())) > 1 for each in messages),
        "metadata": {
            **said,
            **result.model_dump(mode="json", include=_TOLD),
            **({"reasoning": thoughts} if thoughts else {}),
        },
    }


def _round(text: str, calls: list[ToolEvent], taken: set[str]) -> Iterator[dict[str, Any]]:
    """What the model said in a round with its calls, and their results."""
    if not calls:
        yield {"role": "assistant", "content": text}
        return
    named = [(_call_id(call.call_id, taken), call) for call in calls]
    yield {
        "role": "assistant",
        "content": text or None,
        "tool_calls": [
            {"id": name, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for name, call in named
        ],
    }
    for name, call in named:
        yield {"role": "tool", "tool_call_id": name, "content": call.result}


def _call_id(wanted: str, taken: set[str]) -> str:
    """The model's own id where it is there and single, else a number."""
    number = len(taken) + 1
    while not wanted or wanted in taken:
        wanted, number = f"call_{number}", number + 1
    taken.add(wanted)
    return wanted
