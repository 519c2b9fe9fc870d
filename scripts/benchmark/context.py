"""How many input tokens a case costs, on trajectories as long as those of the published evaluation.

For each of the 21 cases a scripted model goes the way that a careful model goes: search, read the start page,
look at its structure, read again about the words of the question, try the steps, cite wrongly once, cite,
answer. That is 8 answers and 7 tool calls; the published means are 5.0 to 10.6 and 4.0 to 9.7 (seed, section
4.4). Everything is real but the model: the tools, the pages, and what they send back.
"""

from __future__ import annotations

import asyncio
import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

from scripts.benchmark.table import Section
from scripts.benchmark.tokens import message_tokens, tokens, tool_tokens
from verifaible.agent import loop
from verifaible.agent.base import Task, unwatched
from verifaible.agent.loop import ModelAgent, system_prompt
from verifaible.bench.cases.load import load_cases
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.make.collect import Collector
from verifaible.evidence.store.store import Store
from verifaible.llm.base import AnswerForm
from verifaible.net.web import Web
from verifaible.schema.case import Case
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec
from verifaible.scoring.published import MODELS
from verifaible.search.choosing import search_for
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox

ROOT = Path(__file__).resolve().parents[2]
#: Of the published 88.9 thousand input tokens a case (GLM-5, the most economical that solved all cases).
GOAL_SHARE = 0.40
GOAL_PREFIX_TOKENS = 2_500


@dataclass
class Scripted:
    """A model client that makes the calls of a list and counts what it is sent."""

    calls: list[tuple[str, dict[str, Any]]]
    sent: list[list[int]] = field(default_factory=list)
    words: list[list[str]] = field(default_factory=list)

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The next call, or an answer when none is left."""
        self.sent.append([tool_tokens(tools), *(message_tokens(message) for message in messages)])
        self.words.append([message.text for message in messages])
        place = len(self.sent) - 1
        if place >= len(self.calls):
            return ModelTurn(text="The answer, with its marker [@v:1].")
        name, arguments = self.calls[place]
        call = ToolCall(id=f"c{place}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))
        return ModelTurn(tool_calls=(call,))

    async def aclose(self) -> None:
        """Nothing to close."""

    @property
    def total(self) -> int:
        """Input tokens of all rounds."""
        return sum(map(sum, self.sent))

    @property
    def repeated(self) -> int:
        """Input tokens that stood at the beginning of the round before, too: what a prompt cache can hold."""
        found = 0
        for (before, said), (now, saying) in pairwise(zip(self.sent, self.words, strict=True)):
            same = 0
            while same < min(len(said), len(saying)) and said[same] == saying[same]:
                same += 1
            found += sum(now[: 1 + same]) if before[0] == now[0] else 0
        return found


def trajectory(case: Case) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a careful model on a case."""
    assert case.oracle is not None
    steps = [(step.tool, dict(step.arguments)) for step in case.oracle.steps]
    cite = next(arguments for name, arguments in steps if name == "verifaible_cite")
    played = cite.get("action_steps", [])
    if cite.get("evidence_type") == "video":
        about: list[tuple[str, dict[str, Any]]] = [
            ("web_fetch", {"url": case.url}),
            ("video_transcript", {"url": case.url}),
            ("video_transcript", {"url": case.url, "find": cite["quoted_text"].split()[0]}),
        ]
    else:
        look = {"url": cite["source_url"], "action_steps": played, "anchor": cite.get("quoted_text", "")}
        if cite.get("evidence_type") == "table":
            look |= {"verify_type": "table", "row_anchor": cite.get("row_anchor", [])}
            look |= {"col_anchor": cite.get("col_anchor", [])}
            del look["anchor"]
        about = [
            ("web_fetch", {"url": case.url}),
            ("analyze_page", {"url": case.url}),
            ("web_fetch", {"url": cite["source_url"], "find": case.question[:40]}),
            ("test_action_steps", look),
        ]
    wrong = {**cite, "quoted_text": "words that do not stand there", "row_anchor": ["no such row"]}
    return [("verifaible_web_search", {"query": case.question}), *about, ("verifaible_cite", wrong), *steps]


async def _trial(context: ToolContext, case: Case, system: str) -> Scripted:
    model = Scripted(trajectory(case))
    await ModelAgent(model, "scripted", system=system).run(Task.of(case), toolbox(context), unwatched)
    return model


async def _all(folder: Path, name: str = "full") -> list[Scripted]:
    system = system_prompt(name, 30)
    settings = Settings(home=ROOT, store=str(folder / "store"))
    web = Web.offline(settings)
    async with Browser(settings, offline=True) as browser:
        collector = Collector(settings, web, browser, Store.open(settings))
        context = ToolContext(settings, web, browser, collector, search_for(web))
        return [await _trial(context, case, system) for case in load_cases(settings.cases_dir)]


def _unfolded(folder: Path) -> float:
    """Input tokens a case where no result is folded."""
    with (
        mock.patch.object(loop, "fold_cited", lambda messages, *_: list(messages)),
        mock.patch.object(loop, "fold_followed", list),
        mock.patch.object(loop, "fold_oldest", list),
    ):
        return statistics.fmean(each.total for each in asyncio.run(_all(folder)))


def run(folder: Path, *, quick: bool) -> list[Section]:
    """Tokens with the folding of results and, unless it must be quick, without it, beside the published."""
    folded = asyncio.run(_all(folder / "folded"))
    unfolded = [] if quick else [("without folding", f"{_unfolded(folder / 'whole'):,.0f}", "")]
    published = MODELS[0].input_tokens / 21
    prefix = folded[0].sent[0][0] + tokens(system_prompt("full", 30))
    short = [] if quick else asyncio.run(_all(folder / "short", "short"))
    shorter = (
        [("with --prompt short", f"{statistics.fmean(each.total for each in short):,.0f}", "")]
        if short
        else []
    )
    mean = statistics.fmean(each.total for each in folded)
    rounds = statistics.fmean(len(each.sent) for each in folded)
    rows = [
        ("system prompt and tool schemas", f"{prefix:,}", f"under {GOAL_PREFIX_TOKENS:,}"),
        ("answers of the model a case", f"{rounds:.1f}", f"{MODELS[0].average_rounds:.1f} published"),
        ("input tokens a case", f"{mean:,.0f}", f"{GOAL_SHARE * published:,.0f}"),
        ("of the published", f"{mean / published:.0%}", f"at most {GOAL_SHARE:.0%}"),
        ("the dearest case", f"{max(each.total for each in folded):,}", ""),
        *shorter,
        *unfolded,
        (
            "unchanged since the round before (a prompt cache can hold it)",
            f"{sum(each.repeated for each in folded) / sum(each.total for each in folded):.0%}",
            "",
        ),
    ]
    return [
        Section(
            "Input tokens",
            "The 21 cases with a scripted model that searches, reads, looks, reads again, tries, cites "
            f"wrongly, cites and answers. Counted with o200k_base. Published: GLM-5, {published:,.0f} a "
            "case.",
            ("", "measured", "goal"),
            tuple(rows),
        )
    ]
