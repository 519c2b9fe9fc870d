"""What the full system prompt saves, and what it costs: ten scripted policies, each of which errs in one way.

    python -m scripts.benchmark.prompts

A script cannot read. Each policy knows one sentence of the full prompt by heart: where the prompt has it, the
policy does what it says; else it errs, until a tool's own reply names the way (``told``) or its errors are
used up, and then goes the way of the case's oracle. The tools, the pages and their replies are real. So the
figures say how many rounds the lessons can save a model that errs so and follows them, beyond what the tools
say anyway. They do not say how often a model errs so, nor whether it follows a sentence.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from scripts.benchmark.tokens import message_tokens, tool_tokens
from verifaible.agent.base import Task, unwatched
from verifaible.agent.loop import Limits, ModelAgent, system_prompt
from verifaible.bench.cases.load import load_cases
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.make.collect import Collector
from verifaible.evidence.store.store import Store
from verifaible.llm.base import AnswerForm
from verifaible.net.web import Web
from verifaible.schema.case import Case
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec
from verifaible.search.choosing import search_for
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 30
Call: TypeAlias = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Policy:
    """One way to err.

    Attributes:
        errs: what it is.
        case: where.
        lesson: words of the sentence of the prompt that it follows.
        wrong: the calls it makes without the lesson, one a round.
        taught: the calls it makes with it, in their place.
        told: what a tool's reply says that shows it the way; a pattern.
    """

    errs: str
    case: str
    lesson: str
    wrong: tuple[Call, ...]
    taught: tuple[Call, ...] = ()
    told: str = r"(?!)"


BOND = "https://www.sse.com.cn/market/bonddata/overview/day/"
VALUE = "https://www.sse.com.cn/market/stockdata/marketvalue/main/"
FUND = "https://www.sse.com.cn/market/funddata/overview/day/"
MARGIN = "https://www.sse.com.cn/market/othersdata/margin/sum/"
TALK = "https://www.youtube.com/watch?v=iG9CE55wbtY"


def steps(url: str, *played: dict[str, Any]) -> Call:
    """A call that tries steps."""
    return "test_action_steps", {"url": url, "action_steps": list(played)}


def script(code: str) -> dict[str, Any]:
    """A step that runs a script."""
    return {"type": "exec_js", "code": code}


def find(url: str, words: str) -> Call:
    """A call that reads a page about some words."""
    return "web_fetch", {"url": url, "find": words}


def typed(url: str, value: str) -> Call:
    """A call that types a date into a date field."""
    return steps(url, {"type": "type", "selector": ".js_date input", "value": value, "submit": True})


POLICIES = (
    Policy(
        "types a date into a field that takes none, in four spellings",
        "cn_dynamic_001",
        "Three ways to set a date",
        tuple(typed(BOND, each) for each in ("2025-02-11", "2025/02/11", "20250211", "11.02.2025")),
        told=r"read-?only",
    ),
    Policy(
        "calls a function of the page with arguments that it guesses",
        "cn_dynamic_002",
        "Before you call a function of the page, read it",
        tuple(
            steps(VALUE, script(f"marketValue.{each}"))
            for each in (
                *("query('2025-02-10')", "load({date: '2025-02-10'})", "search('20250210')"),
                "setMarketValueParams('2025-02-10')",
            )
        ),
        (steps(VALUE, script("String(marketValue.setMarketValueParams)")),),
        told=r"setMarketValueParams",
    ),
    Policy(
        "presses the query button again and reads today's data",
        "cn_dynamic_003",
        "check that the date beside it",  # both prompts have it
        tuple(steps(FUND, {"type": "wait", "ms": ms}) for ms in (100, 200, 300)),
    ),
    Policy(
        "goes on with the controls for eight tries",
        "cn_dynamic_004",
        "After three failed tries",
        tuple(
            steps(MARGIN, {"type": "click", "selector": each})
            for each in (
                *(".js_date .query", ".js_date button", ".search-btn", ".js_date .js_begin"),
                *(".js_date .js_end", ".laydate-btns-confirm", "td.laydate-day", ".js_submit"),
            )
        ),
        tuple(steps(MARGIN, {"type": "click", "selector": each}) for each in (".a", ".b", ".c")),
        told=r"commonQuery|the data request",
    ),
    Policy(
        "reads a page six times before it cites",
        "cn_table_002",
        "first citation by round 4 or 5",
        tuple(
            find("https://www.stats.gov.cn/sj/zxfb/202602/t20260213_1962617.html", each)
            for each in ("郑州", "二手住宅", "同比", "分类指数", "90平方米", "一月")
        ),
        (find("https://www.stats.gov.cn/sj/zxfb/202602/t20260213_1962617.html", "郑州 二手住宅 同比"),),
    ),
    Policy(
        "confirms a citation with five more searches",
        "us_text_001",
        "stop when the fact is cited",
        tuple(
            ("verifaible_web_search", {"query": f"IORB rate February 2024 {each}"})
            for each in ("fed", "minutes", "statement", "implementation note", "news")
        ),
    ),
    Policy(
        "guesses the addresses of a video",
        "video_001",
        "No address of a video? Search its title",
        tuple(
            ("video_transcript", {"url": each})
            for each in (
                "https://www.youtube.com/watch?v=aaaaaaaaaaa",
                "https://www.ted.com/talks/do_schools_kill_creativity",
                "https://www.youtube.com/@TED",
            )
        ),
        (("verifaible_web_search", {"query": "Ken Robinson Do schools kill creativity youtube"}),),
    ),
    Policy(
        "reads a transcript whole, part by part",
        "video_001",
        "`video_transcript` with `find`",
        tuple(("video_transcript", {"url": TALK, "start_s": at}) for at in (0, 120, 240, 360)),
        (("video_transcript", {"url": TALK, "find": "God"}),),
    ),
    Policy(
        "trusts the names of columns that it remembers",
        "cn_table_005",
        "are hints: look at the thing itself",
        tuple(
            (
                "verifaible_cite",
                {
                    "claim": "index",
                    "source_url": "https://www.stats.gov.cn/sj/zxfb/202601/t20260131_1962416.html",
                    "evidence_type": "table",
                    "row_anchor": ["1月"],
                    "col_anchor": [each],
                },
            )
            for each in ("商务活动指数(%)", "非制造业PMI", "活动总指数")
        ),
        (find("https://www.stats.gov.cn/sj/zxfb/202601/t20260131_1962416.html", "商务活动 非制造业"),),
        told=r"columns?:? .*商务活动",
    ),
    Policy(
        "cites words that it put together itself",
        "us_text_002",
        "Quote exactly what stands there",  # both prompts have it
        (
            (
                "verifaible_cite",
                {
                    "claim": "dissent",
                    "source_url": "",
                    "quoted_text": "The dissenting member was the one who voted otherwise",
                },
            ),
        ),
    ),
)


@dataclass
class Scripted:
    """A model client that follows a policy."""

    policy: Policy
    case: Case
    sent: list[int] = field(default_factory=list)
    _calls: list[Call] | None = None

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The next call: of the error, of the lesson, or of the oracle; then the answer."""
        self.sent.append(tool_tokens(tools) + sum(map(message_tokens, messages)))
        assert self.case.oracle is not None
        way = [(step.tool, dict(step.arguments)) for step in self.case.oracle.steps]
        if self._calls is None:
            knows = self.policy.lesson in messages[0].text
            self._calls = [*(self.policy.taught if knows else self.policy.wrong), *way]
        elif len(self._calls) > len(way) and re.search(self.policy.told, messages[-1].text):
            self._calls = way
        if not self._calls:
            return ModelTurn(text="The answer, with its marker [@v:1].")
        name, arguments = self._calls.pop(0)
        if arguments.get("source_url") == "":
            arguments = {**arguments, "source_url": self.case.url}
        call = ToolCall(
            id=f"c{len(self.sent)}", name=name, arguments=json.dumps(arguments, ensure_ascii=False)
        )
        return ModelTurn(tool_calls=(call,))

    async def aclose(self) -> None:
        """Nothing to close."""


async def measured(
    folder: Path, policies: Sequence[Policy] = POLICIES
) -> list[tuple[Policy, list[list[int]]]]:
    """For each policy the input tokens of each round, with the short prompt and with the full one.

    Raises:
        AssertionError: a trial ended without the citation of its case.
    """
    settings = Settings(home=ROOT, store=str(folder / "store"))
    cases = {case.id: case for case in load_cases(settings.cases_dir)}
    web = Web.offline(settings)
    found = []
    async with Browser(settings, offline=True) as browser:
        collector = Collector(settings, web, browser, Store.open(settings))
        context = ToolContext(settings, web, browser, collector, search_for(web))
        for policy in POLICIES:
            case, both = cases[policy.case], []
            for name in ("short", "full"):
                model = Scripted(policy, case)
                agent = ModelAgent(model, name, Limits(rounds=ROUNDS), system_prompt(name, ROUNDS))
                outcome = await agent.run(Task.of(case), toolbox(context), unwatched)
                assert outcome.citations, f"{policy.case}: {outcome.events[-1]}"
                both.append(model.sent)
            found.append((policy, both))
    return found


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measured(Path(folder)))
    print("| Errs | Case | Rounds, short | full | Input tokens, short | full |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for policy, (short, full) in found:
        print(
            f"| {policy.errs} | {policy.case} | {len(short)} | {len(full)} | {sum(short):,} | {sum(full):,} |"
        )
    rounds = [sum(len(both[at]) for _, both in found) for at in (0, 1)]
    tokens = [sum(sum(both[at]) for _, both in found) for at in (0, 1)]
    print(f"| all | | {rounds[0]} | {rounds[1]} | {tokens[0]:,} | {tokens[1]:,} |")


if __name__ == "__main__":
    main()
