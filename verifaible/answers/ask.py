"""A question to a model, answered with evidence: the agent works, the answer is checked, and mended once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from string import Template
from time import monotonic
from typing import Final

from verifaible.agent.base import Watch, unwatched
from verifaible.agent.loop import Limits, ModelAgent, prompt
from verifaible.agent.record import TrialRecord
from verifaible.answers.check import CheckedAnswer, CheckedSentence, check
from verifaible.answers.markers import with_definitions, without_notes
from verifaible.answers.stored import StoredEvidence
from verifaible.answers.words import annotated
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.audit import record as record_checks
from verifaible.evidence.cite import Collector
from verifaible.llm.base import ModelClient
from verifaible.net.web import Web
from verifaible.schema.base import Record
from verifaible.schema.chat import Message
from verifaible.schema.citation import Citation
from verifaible.schema.run import AgentOutcome, TrialCitation
from verifaible.search.live import search_for
from verifaible.store.store import Store
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox
from verifaible.tools.toolbox import Toolbox

#: Answers of the model that the correction may take, at most.
MENDING_ROUNDS: Final = 8
#: Sentences that the model is told of, at most: a longer list is a bad answer altogether.
_TOLD: Final = 20


class Answered(Record):
    """A question with its answer and the check of it.

    Attributes:
        question: what was asked.
        model: who answered, by the name that was given.
        answer: the text with markers; empty where the model gave none.
        checked: its check; ``checked.ok`` says whether each sentence has the evidence it needs.
        citations: those that the answer marks and this session made, by the number of their marker.
        outcome: the work of the agent: tokens, cost, events, how it ended.
        mended: whether the answer is a second one, after the check of a first.
    """

    question: str
    model: str
    answer: str
    checked: CheckedAnswer
    citations: dict[str, Citation]
    outcome: AgentOutcome
    mended: bool = False

    @property
    def ok(self) -> bool:
        """Whether there is an answer and each sentence of it has the evidence it needs."""
        return bool(self.answer.strip()) and self.checked.ok

    @property
    def text(self) -> str:
        """The answer for people: notes behind what lacks evidence, and definition lines at its end."""
        defined = {number: citation.id for number, citation in self.citations.items()}
        return with_definitions(annotated(self.checked), defined)


@asynccontextmanager
async def session(settings: Settings, store: Store, *, offline: bool = False) -> AsyncIterator[ToolContext]:
    """What the tools work with, on a browser of its own that ends with the context.

    Raises:
        BrowserMissing: no Chromium was found.
        ConfigError: offline, and no archive is there.
    """
    with Web.offline(settings) if offline else Web.live(settings) as web:
        async with Browser(settings, offline=offline) as browser:
            yield context_of(settings, store, browser, web)


def context_of(settings: Settings, store: Store, browser: Browser, web: Web) -> ToolContext:
    """What the tools work with, on a browser and a web that are there."""
    return ToolContext(
        settings=settings,
        web=web,
        browser=browser,
        collector=Collector(settings, web, browser, store),
        search=search_for(web.searching()),
    )


async def ask(
    question: str,
    *,
    client: ModelClient,
    context: ToolContext,
    store: Store,
    url: str = "",
    model: str = "",
    limits: Limits | None = None,
    watch: Watch = unwatched,
) -> Answered:
    """Ask a model; what it answers is checked, and it is told once which sentences lack evidence.

    Args:
        question: in any language.
        client: the model (:func:`verifaible.llm.opening.open_model`); it is not closed here.
        context: what the tools work with (:func:`session`); citations go into its collector's store.
        store: that store.
        url: a page to start from; empty: the model searches.
        model: its name, for the record.
        limits: what ends the work, the correction included.
        watch: told of every event as it happens.

    Raises:
        InfrastructureError: the machine failed.
        StoreError: the store cannot be read or written.
    """
    asking = _Asking(
        question=question,
        client=client,
        store=store,
        toolbox=toolbox(context),
        record=TrialRecord(watch),
        model=model,
        limits=limits or Limits(),
    )
    return await asking.all(url)


@dataclass(frozen=True, slots=True)
class _Asking:
    """One question on its way."""

    question: str
    client: ModelClient
    store: Store
    toolbox: Toolbox
    record: TrialRecord
    model: str
    limits: Limits

    async def all(self, url: str) -> Answered:
        started = monotonic()
        start = f"Start page: {url}" if url else "There is no start page: search for sources."
        task = Template(prompt("ask_task.md")).substitute(start=start, question=self.question)
        messages = [Message(role="system", text=prompt("ask_system.md")), Message(role="user", text=task)]
        first = await self._agent(self.limits).converse(messages, self.toolbox, self.record)
        answered = await self._answered(first)
        limits = self._left(monotonic() - started)
        if first.ended_by != "answer" or answered.ok or not first.answer.strip() or limits is None:
            return answered
        messages.append(Message(role="user", text=_faults_told(answered.checked)))
        second = await self._agent(limits).converse(messages, self.toolbox, self.record)
        mended = await self._answered(second, mended=True)
        if not second.answer.strip() or len(mended.checked.lacking) > len(answered.checked.lacking):
            # the correction made it no better; what it cost and what it tried is kept
            outcome = second.model_copy(update={"answer": first.answer, "ended_by": "answer"})
            return answered.model_copy(update={"outcome": outcome})
        return mended

    def _agent(self, limits: Limits) -> ModelAgent:
        return ModelAgent(self.client, self.model, limits)

    def _left(self, spent_s: float) -> Limits | None:
        """The limits of the correction; None where nothing is left for one."""
        limits, record = self.limits, self.record
        rounds = min(limits.rounds, record.rounds + MENDING_ROUNDS)
        seconds = None if limits.seconds is None else limits.seconds - spent_s
        tokens = record.usage.input_tokens + record.usage.output_tokens
        spent = (
            record.rounds >= rounds
            or (seconds is not None and seconds <= 0)
            or (limits.tokens is not None and tokens >= limits.tokens)
            or (limits.cost_usd is not None and (record.usage.cost_usd or 0.0) >= limits.cost_usd)
        )
        return None if spent else limits.model_copy(update={"rounds": rounds, "seconds": seconds})

    async def _answered(self, outcome: AgentOutcome, *, mended: bool = False) -> Answered:
        answer = without_notes(outcome.answer)
        checked, citations = await asyncio.to_thread(self._check, answer, outcome.citations)
        return Answered(
            question=self.question,
            model=self.model,
            answer=answer,
            checked=checked,
            citations=citations,
            outcome=outcome,
            mended=mended,
        )

    def _check(
        self, answer: str, made: tuple[TrialCitation, ...]
    ) -> tuple[CheckedAnswer, dict[str, Citation]]:
        numbers = {str(each.number): each.id for each in made}
        source = StoredEvidence(self.store, numbers)
        # the model may not define markers itself: they are the session's
        checked = check(answer, source, question=self.question)
        record_checks(self.store, source.checks)
        marked = {
            number: source.citations[name] for number, name in numbers.items() if name in source.citations
        }
        return checked, {number: each for number, each in marked.items() if each.id in checked.citations}


def _faults_told(checked: CheckedAnswer) -> str:
    lacking = checked.lacking
    lines = [_told(each) for each in lacking[:_TOLD]]
    if len(lacking) > _TOLD:
        lines.append(f"- and {len(lacking) - _TOLD} more.")
    return Template(prompt("ask_mend.md")).substitute(faults="\n".join(lines))


def _told(sentence: CheckedSentence) -> str:
    text = " ".join(sentence.text.split())
    if sentence.state == "broken":
        return f"- {text}\n  {' '.join(sentence.faults)}"
    if sentence.state == "partly":
        return f"- {text}\n  The marked citations do not hold: {', '.join(sentence.missing)}."
    facts = ", ".join(fact.raw for fact in sentence.facts if not fact.asked)
    return f"- {text}\n  It has no marker, and states: {facts}."
