"""Trials as examples for supervised fine-tuning: OpenAI's chat format, one JSON object a line.

A line has ``messages``, ``tools`` and ``parallel_tool_calls``, as the fine-tuning API reads them
(FineTuneChatRequestInput of OpenAI's OpenAPI document). That format has no place for reasoning: it goes
into ``metadata``, which is ours, or into ``reasoning_content`` of the messages, which the chat templates of
open reasoning models read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any, Literal, TypeAlias

from verifaible.bench.run.folder import RunFolder, RunPrompt, Transcript
from verifaible.errors import RunError
from verifaible.llm.text_calls import read_text_calls
from verifaible.schema.base import Record
from verifaible.schema.case import Case
from verifaible.schema.chat import ToolSpec
from verifaible.schema.run import ModelEvent, RunInfo, ToolEvent, TrialResult

#: Where the model's reasoning goes.
Reasoning: TypeAlias = Literal["metadata", "message", "drop"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which trials are exported, and how.

    Attributes:
        min_score: the least score.
        verified: only those whose evidence is verified.
        models: only these; empty for all.
        reasoning: where it goes.
        plain: only what the API reads: no metadata.
    """

    min_score: int = 0
    verified: bool = False
    models: Collection[str] = ()
    reasoning: Reasoning = "metadata"
    plain: bool = False


class Example(Record):
    """One line."""

    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...]
    parallel_tool_calls: bool
    metadata: dict[str, Any] | None = None

    def line(self) -> str:
        """The line, without its end."""
        return self.model_dump_json(
            exclude_none=False, exclude={"metadata"} if self.metadata is None else None
        )


class Exported(Record):
    """How an export went; ``unanswered`` trials ended without an answer, and teach nothing."""

    examples: int = 0
    filtered: int = 0
    unanswered: int = 0


def examples(
    folder: RunFolder, cases: Mapping[str, Case], chosen: Chosen
) -> Iterator[tuple[TrialResult, Example | None]]:
    """Each trial that passes the filter, with its example; None where it has no answer.

    One transcript is held at a time.

    Args:
        folder: the run.
        cases: the cases, by id: the start page of a task is in none of a run's files.
        chosen: the filter.

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
    if missing := [model for model in chosen.models if model not in there]:
        raise RunError(f"{info.id} has no trial of {', '.join(missing)}. It has: {', '.join(sorted(there))}.")
    for result in results:
        if not _wanted(result, chosen):
            continue
        transcript = folder.transcript(result.key)
        if result.ended_by != "answer" or not transcript.answer.strip():
            yield result, None
            continue
        case = cases.get(result.case)
        if case is None:
            raise RunError(f"{result.case} is not among the cases. Name their folder with --cases.")
        messages, thoughts = conversation(prompt, transcript, case.url, chosen.reasoning)
        yield (
            result,
            Example(
                messages=tuple(messages),
                tools=tuple(_tool(tool) for tool in prompt.tools),
                parallel_tool_calls=any(len(each.get("tool_calls", ())) > 1 for each in messages),
                metadata=None if chosen.plain else _metadata(info, result, thoughts),
            ),
        )


def _wanted(result: TrialResult, chosen: Chosen) -> bool:
    return (
        result.score >= chosen.min_score
        and (result.verified or not chosen.verified)
        and (not chosen.models or result.model in chosen.models)
    )


def conversation(
    prompt: RunPrompt, transcript: Transcript, url: str, reasoning: Reasoning
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A trial as messages: the prompts, each round with its calls together, their results, the answer.

    Results are whole, as the tools gave them, even where the agent later left one out of what it sent.

    Returns:
        The messages, and for the metadata the reasoning with the index of its message.
    """
    task = Template(prompt.task).safe_substitute(url=url, question=transcript.question)
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": prompt.system},
        {"role": "user", "content": task},
    ]
    thoughts: list[dict[str, Any]] = []
    ids = _Ids()
    for said, calls in _rounds(transcript.events):
        message = _assistant(said, calls, prompt.tools, ids)
        if message is None:
            continue  # a silent turn: the agent only asked again
        if said is not None and said.reasoning and reasoning == "message":
            message["reasoning_content"] = said.reasoning
        elif said is not None and said.reasoning and reasoning == "metadata":
            thoughts.append({"message": len(messages), "text": said.reasoning})
        messages.append(message)
        messages += _results(message, calls)
    if messages[-1]["role"] != "assistant":  # an agent without a model says its answer nowhere else
        messages.append({"role": "assistant", "content": transcript.answer})
    return messages, thoughts


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"type": "function", "function": tool.model_dump(mode="json")}


def _metadata(info: RunInfo, result: TrialResult, thoughts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    told = result.model_dump(
        mode="json",
        include={"model", "case", "category", "language", "trial", "score", "verified", "failure"},
    )
    return {"run": info.id, "gate": info.gate, **told, **({"reasoning": list(thoughts)} if thoughts else {})}


class _Ids:
    """Ids of calls: the model's own where they are there and single, else numbers."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def give(self, wanted: str) -> str:
        number = len(self._taken) + 1
        while not wanted or wanted in self._taken:
            wanted, number = f"call_{number}", number + 1
        self._taken.add(wanted)
        return wanted


def _rounds(
    events: Sequence[ModelEvent | ToolEvent],
) -> Iterator[tuple[ModelEvent | None, tuple[ToolEvent, ...]]]:
    """Each round of a trial: what the model said, and the calls that it made."""
    said: ModelEvent | None = None
    calls: list[ToolEvent] = []
    number: int | None = None
    for event in events:
        if isinstance(event, ModelEvent) or (number is not None and event.round != number):
            if said is not None or calls:
                yield said, tuple(calls)
            said, calls = (event if isinstance(event, ModelEvent) else None), []
        if isinstance(event, ToolEvent):
            calls.append(event)
        number = event.round
    if said is not None or calls:
        yield said, tuple(calls)


def _assistant(
    said: ModelEvent | None, calls: Sequence[ToolEvent], tools: Sequence[ToolSpec], ids: _Ids
) -> dict[str, Any] | None:
    text = said.text if said is not None else ""
    if said is not None and calls and said.tool_calls < len(calls):
        text = read_text_calls(text, tools)[0]  # calls that were written as text are calls here
    if not calls:
        return {"role": "assistant", "content": text} if text.strip() else None
    return {
        "role": "assistant",
        "content": text or None,
        "tool_calls": [
            {
                "id": ids.give(call.call_id),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in calls
        ],
    }


def _results(message: Mapping[str, Any], calls: Sequence[ToolEvent]) -> list[dict[str, Any]]:
    return [
        {"role": "tool", "tool_call_id": asked["id"], "content": call.result}
        for asked, call in zip(message.get("tool_calls", ()), calls, strict=True)
    ]
