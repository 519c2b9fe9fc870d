"""The two agents that need no model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.agent.tools import toolbox
from verifaible.agent.base import Event, Task, unwatched
from verifaible.agent.oracle import NopAgent, OracleAgent
from verifaible.errors import InfrastructureError
from verifaible.schema.case import Oracle, OracleStep
from verifaible.schema.run import AgentOutcome, ToolEvent

PAGE = "http://site.test/页"


def task(*steps: tuple[str, dict[str, Any]], answer: str = "It is {1} [@v:1].") -> Task:
    # Not validated: a case could not name a tool that there is not.
    played = [OracleStep.model_construct(tool=tool, arguments=arguments) for tool, arguments in steps]
    oracle = Oracle.model_construct(steps=tuple(played), answer=answer)
    return Task(id="case_1", question="?", url=PAGE, oracle=oracle)


FETCH = ("web_fetch", {"url": PAGE})
CITE = ("verifaible_cite", {"url": PAGE, "quote": "90.9"})


async def test_oracle_fills_its_answer_from_what_was_captured() -> None:
    seen: list[Event] = []
    outcome = await OracleAgent().run(task(FETCH, CITE), toolbox(), seen.append)
    assert (outcome.answer, outcome.error, outcome.ended_by) == ("It is 90.9 [@v:1].", "", "answer")
    assert (outcome.rounds, outcome.tool_calls, len(outcome.citations)) == (0, 2, 1)
    assert list(outcome.events) == seen
    assert isinstance(seen[0], ToolEvent)
    assert seen[0].arguments == json.dumps({"url": PAGE}, ensure_ascii=False)


async def test_oracle_fills_several_citations_and_no_other_braces() -> None:
    other = ("verifaible_cite", {"url": PAGE, "quote": "{1}"})
    work = task(CITE, other, answer="{2} and {1} and {x}")
    outcome = await OracleAgent().run(work, toolbox("90.9 {1}"), unwatched)
    assert outcome.answer == "{1} and 90.9 and {x}"


async def test_oracle_fails_when_the_page_has_changed() -> None:
    outcome = await OracleAgent().run(task(CITE, FETCH), toolbox("Zhengzhou: 91.1"), unwatched)
    assert (outcome.answer, outcome.tool_calls, outcome.citations) == ("", 1, ())
    assert "step 1 (verifaible_cite) of case_1 failed" in outcome.error
    assert "91.1" in outcome.error


async def test_oracle_with_an_unknown_tool_fails() -> None:
    outcome = await OracleAgent().run(task(("rm", {})), toolbox(), unwatched)
    assert outcome.answer == ""
    assert "no tool named 'rm'" in outcome.error


async def test_oracle_without_the_citation_it_names_fails() -> None:
    outcome = await OracleAgent().run(task(CITE, answer="{2}"), toolbox(), unwatched)
    assert outcome.answer == ""
    assert "names citation 2" in outcome.error


async def test_case_without_an_oracle_says_so() -> None:
    outcome = await OracleAgent().run(Task(id="case_1", question="?", url=PAGE), toolbox(), unwatched)
    assert (outcome.answer, outcome.tool_calls) == ("", 0)
    assert "has no oracle" in outcome.error


async def test_a_broken_machine_is_not_the_oracles_failure() -> None:
    with pytest.raises(InfrastructureError):
        await OracleAgent().run(task(("break_machine", {})), toolbox(), unwatched)


async def test_nop_does_nothing() -> None:
    seen: list[Event] = []
    assert await NopAgent().run(task(CITE), toolbox(), seen.append) == AgentOutcome(answer="")
    assert seen == []
