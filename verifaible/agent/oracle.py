"""The agents without a model: a case's own steps through the tools, and one that answers nothing."""

from __future__ import annotations

import json
import re

from verifaible.agent.base import Task, Watch
from verifaible.agent.record import TrialRecord
from verifaible.schema.run import AgentOutcome, TrialCitation
from verifaible.tools.toolbox import Toolbox

_PLACEHOLDER = re.compile(r"\{(\d+)\}")


class OracleAgent:
    """An :class:`~verifaible.agent.base.Agent` that knows the way but not the answer.

    It fills the answer from what its citations captured, so it fails when a page changes.
    """

    name = "oracle"

    async def run(self, task: Task, toolbox: Toolbox, watch: Watch) -> AgentOutcome:
        """Run the steps in order, stop at the first error, and fill the answer's placeholders."""
        record = TrialRecord(watch)
        if task.oracle is None:
            return record.outcome(
                "",
                error=f"The case {task.id} has no oracle. Add one to its file, or leave the case out"
                " of the run.",
            )
        for number, step in enumerate(task.oracle.steps, start=1):
            arguments = json.dumps(step.arguments, ensure_ascii=False)
            reply = await record.call(toolbox, step.tool, arguments, step=number)
            if reply.error_code:
                return record.outcome(
                    "", error=f"Oracle step {number} ({step.tool}) of {task.id} failed. {reply.text}"
                )
        missing = _missing(task.oracle.answer, record.citations)
        if missing:
            return record.outcome(
                "",
                error=f"The oracle's answer of {task.id} names citation {missing[0]}, which its steps did"
                " not make. Correct oracle.answer or oracle.steps in the case file.",
            )
        return record.outcome(_fill(task.oracle.answer, record.citations))


def _missing(template: str, citations: dict[int, TrialCitation]) -> list[int]:
    return [number for number in map(int, _PLACEHOLDER.findall(template)) if number not in citations]


def _fill(template: str, citations: dict[int, TrialCitation]) -> str:
    """The template with every ``{N}`` replaced by what citation N captured."""
    return _PLACEHOLDER.sub(lambda match: citations[int(match.group(1))].text, template)


class NopAgent:
    """An :class:`~verifaible.agent.base.Agent` that calls no tool and gives an empty answer."""

    name = "nop"

    async def run(self, task: Task, toolbox: Toolbox, watch: Watch) -> AgentOutcome:
        """The empty outcome."""
        return AgentOutcome(answer="")
