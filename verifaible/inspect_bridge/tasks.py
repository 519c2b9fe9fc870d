"""The bench as a task with our six tools: ``inspect eval verifaible/bench --model provider/name``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai import Task as InspectTask
from inspect_ai import task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolParams

from verifaible.agent.base import Task
from verifaible.agent.loop import prompt, task_prompt
from verifaible.bench.cases import load_cases, select
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.inspect_bridge.scores import CASE, CITATIONS, machine, verified_bench
from verifaible.schema.case import Case
from verifaible.schema.chat import ToolSpec
from verifaible.schema.citation import WebMode
from verifaible.schema.run import ToolReply
from verifaible.scoring.gate import Gate
from verifaible.tools.toolbox import Toolbox


def inspect_tools(toolbox: Toolbox, noted: Callable[[str, ToolReply], None]) -> list[Tool]:
    """The tools of a session with our names, descriptions and schemas; replies are not shortened.

    Args:
        toolbox: the session.
        noted: told of every reply, with the tool's name.
    """
    return [_tool(toolbox, spec, noted) for spec in toolbox.specs]


def _tool(toolbox: Toolbox, spec: ToolSpec, noted: Callable[[str, ToolReply], None]) -> Tool:
    async def execute(**kwargs: Any) -> str:
        reply = await toolbox.call(spec.name, json.dumps(kwargs, ensure_ascii=False))
        noted(spec.name, reply)
        return reply.text

    definition = ToolDef(
        execute,
        name=spec.name,
        description=spec.description,
        parameters=ToolParams.model_validate({**spec.parameters, "properties": _described(spec)}),
        parallel=False,  # the numbers of citations follow the order of the calls
        max_output=0,  # our results are short already, and say what they left out
    )
    return definition.as_tool()


def _described(spec: ToolSpec) -> dict[str, Any]:
    """The arguments of a tool; Inspect wants a description of each, so the plain ones are told by name."""
    arguments: dict[str, Any] = spec.parameters.get("properties", {})
    return {
        name: {"description": name.replace("_", " ").capitalize(), **schema}
        for name, schema in arguments.items()
    }


#: As in the published evaluation (seed, section 2.4).
MAX_ROUNDS = 30


def _answer_with_evidence(web: WebMode = "live", max_rounds: int = MAX_ROUNDS) -> Any:
    """Our agent loop with Inspect's model: one session of the six tools a sample, and a reminder.

    Args:
        web: ``live``, or ``offline`` from the archives.
        max_rounds: answers of the model a sample; past them there is no answer.
    """
    settings = Settings()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.store.set(CITATIONS, [])

        def noted(_: str, reply: ToolReply) -> None:
            if reply.citation is not None:
                made = [*state.store.get(CITATIONS), reply.citation.model_dump(mode="json")]
                state.store.set(CITATIONS, made)

        async with machine(settings, web).session() as toolbox:
            state.tools = inspect_tools(toolbox, noted)
            reminded = False
            for _ in range(max_rounds):
                state = await generate(state, tool_calls="single")
                called = bool(state.output.choices and state.output.message.tool_calls)
                if not called and (state.output.completion.strip() or reminded):
                    return state
                if not called:
                    reminded = True
                    state.messages.append(ChatMessageUser(content=prompt("reminder.md")))
        state.output.completion = ""  # what it said beside its last call is no answer
        return state

    return solve


answer_with_evidence = solver(name="verifaible_agent")(_answer_with_evidence)


def sample(case: Case) -> Sample:
    """A case as a sample; its answer is the target, its reference steps are left out."""
    return Sample(
        id=case.id,
        input=[
            ChatMessageSystem(content=prompt("system.md")),
            ChatMessageUser(content=task_prompt(Task.of(case))),
        ],
        target=case.answer,
        metadata={
            "category": case.category,
            "language": case.language,
            CASE: case.model_dump(mode="json", exclude={"oracle"}),
        },
    )


def _bench(
    *,
    cases: str = "",
    case: str = "",
    category: str = "",
    web: str = "live",
    gate: str = "answer",
    max_rounds: int = MAX_ROUNDS,
) -> Any:
    """VerifAIble Bench.

    Args:
        cases: folder of case files, or one file; default: the 21 cases.
        case: only these ids, comma separated.
        category: only these categories, comma separated.
        web: ``live``, or ``offline`` from the archives in ``snapshots/sites``.
        gate: ``answer`` or ``citation``: what zeroes a score.
        max_rounds: answers of the model a case.

    Raises:
        CaseError: a case file has faults, or there is no such case or category.
        ConfigError: ``web`` or ``gate`` is none of these.
    """
    mode: WebMode = "offline" if web == "offline" else "live"
    gated: Gate = "citation" if gate == "citation" else "answer"
    if (web, gate) != (mode, gated):
        raise ConfigError(f"web is live or offline, gate answer or citation; not {web!r} and {gate!r}.")
    settings = Settings()
    chosen = select(
        load_cases(Path(cases) if cases else settings.cases_dir, settings.cases_dir),
        ids=_names(case),
        categories=_names(category),
    )
    return InspectTask(
        dataset=MemoryDataset([sample(each) for each in chosen], name="verifaible"),
        solver=answer_with_evidence(mode, max_rounds),
        scorer=verified_bench(mode, gated),
        version=1,
    )


bench = task(name="bench")(_bench)


def _names(text: object) -> tuple[str, ...]:
    parts = text if isinstance(text, list | tuple) else str(text).split(",")
    return tuple(str(part).strip() for part in parts if str(part).strip())
