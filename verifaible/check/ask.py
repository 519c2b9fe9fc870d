"""A question to a model, answered with evidence: the answer is checked, and corrected once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from string import Template
from time import monotonic
from typing import Final

from verifaible.agent.base import Watch, unwatched
from verifaible.agent.loop import Limits, ModelAgent, prompt
from verifaible.agent.record import TrialRecord
from verifaible.check.answers import check_answer
from verifaible.check.document import NOTES, without_notes
from verifaible.claims.answer_text import with_definitions
from verifaible.config import Settings
from verifaible.llm.base import ModelClient
from verifaible.schema.base import Record
from verifaible.schema.chat import Message
from verifaible.schema.checked import Checked, CheckedClaim, ClaimVerdict
from verifaible.schema.citation import Citation
from verifaible.schema.run import AgentOutcome
from verifaible.store.store import Store
from verifaible.text.segmentation import sentence_around
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox
from verifaible.tools.toolbox import Toolbox
from verifaible.tools.workspace import open_workspace

#: Answers of the model that the correction may take, at most.
CORRECTION_ROUNDS: Final = 8
#: Claims that the model is told of, at most: a longer list is a bad answer altogether.
_MAX_FAULTS: Final = 20
#: Verdicts of claims that an answer must not have.
LACKING: Final[frozenset[ClaimVerdict]] = frozenset(
    {"contradicted", "altered", "not_in_source", "unreadable", "no_source"}
)


class Answered(Record):
    """A question with its answer and the check of it.

    Attributes:
        question: what was asked.
        model: who answered, by the name that was given.
        answer: the text with markers; empty where the model gave none.
        checked: its claims compared with the citations that they mark, as ``verifaible check`` does.
        citations: those that the answer marks and this session made, by the number of their marker.
        outcome: the work of the agent: tokens, cost, events, how it ended.
        mended: whether the answer is a second one, after the check of a first.
    """

    question: str
    model: str
    answer: str
    checked: Checked
    citations: dict[str, Citation]
    outcome: AgentOutcome
    mended: bool = False

    @property
    def lacking(self) -> tuple[CheckedClaim, ...]:
        """The claims that lack evidence, or that it contradicts; one that nobody decided is not checked."""
        return tuple(each for each in self.checked.claims if each.verdict in LACKING)

    @property
    def ok(self) -> bool:
        """Whether there is an answer, and no claim of it lacks evidence."""
        return bool(self.answer.strip()) and not self.lacking

    @property
    def text(self) -> str:
        """The answer for people: notes behind what lacks evidence, and definition lines at its end."""
        parts, at = [], 0
        for claim in sorted(self.lacking, key=lambda each: each.claim.end):
            end = max(at, self._end_of(claim))
            parts += [self.answer[at:end], _note(claim)]
            at = end
        defined = {number: citation.id for number, citation in self.citations.items()}
        return with_definitions("".join((*parts, self.answer[at:])), defined)

    def _end_of(self, claim: CheckedClaim) -> int:
        """Where the sentence of a claim ends, markers and full stop included; no later than its line."""
        start = self.answer.rfind("\n", 0, claim.claim.end) + 1
        line = self.answer[start:].partition("\n")[0].rstrip(" |")
        end = claim.claim.end - start
        return start + max(end, min(len(line), sentence_around(line, max(0, end - 1), end)[1]))


@asynccontextmanager
async def session(settings: Settings, store: Store, *, offline: bool = False) -> AsyncIterator[ToolContext]:
    """What the tools work with, on a browser of its own that ends with the context.

    Raises:
        BrowserMissing: no Chromium was found.
        ConfigError: offline, and no archive is there.
    """
    async with open_workspace(settings, "offline" if offline else "live", store=store) as workspace:
        yield workspace.context


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
    """Ask a model; what it answers is checked, and it is told once which claims lack evidence.

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
    limits = limits or Limits()
    asking = _Asking(question, client, store, toolbox(context), TrialRecord(watch), model)
    started = monotonic()
    start = f"Start page: {url}" if url else "There is no start page: search for sources."
    task = Template(prompt("ask_task.md")).substitute(start=start, question=question)
    messages = [Message(role="system", text=prompt("ask_system.md")), Message(role="user", text=task)]
    answered = await asking.answered(messages, limits)
    left = _left(limits, asking.record, monotonic() - started)
    first = answered.outcome
    if first.ended_by != "answer" or answered.ok or not first.answer.strip() or left is None:
        return answered
    messages.append(Message(role="user", text=_correction(answered.lacking)))
    second = await asking.answered(messages, left, mended=True)
    if not second.outcome.answer.strip() or len(second.lacking) > len(answered.lacking):
        # the correction made it no better; what it cost and what it tried is kept
        outcome = second.outcome.model_copy(update={"answer": first.answer, "ended_by": "answer"})
        return answered.model_copy(update={"outcome": outcome})
    return second


@dataclass(frozen=True, slots=True)
class _Asking:
    """One question on its way."""

    question: str
    client: ModelClient
    store: Store
    toolbox: Toolbox
    record: TrialRecord
    model: str

    async def answered(self, messages: list[Message], limits: Limits, *, mended: bool = False) -> Answered:
        agent = ModelAgent(self.client, self.model, limits)
        outcome = await agent.converse(messages, self.toolbox, self.record)
        # the model may not define markers itself: they are the session's
        answer = with_definitions(without_notes(outcome.answer), {}).strip()
        checked, citations = await check_answer(
            answer, outcome.citations, self.store, question=self.question, model=self.model
        )
        return Answered(
            question=self.question,
            model=self.model,
            answer=answer,
            checked=checked,
            citations=citations,
            outcome=outcome,
            mended=mended,
        )


def _left(limits: Limits, record: TrialRecord, spent_s: float) -> Limits | None:
    """The limits of the correction; None where nothing is left for one."""
    rounds = min(limits.rounds, record.rounds + CORRECTION_ROUNDS)
    seconds = None if limits.seconds is None else limits.seconds - spent_s
    tokens = record.usage.input_tokens + record.usage.output_tokens
    spent = (
        record.rounds >= rounds
        or (seconds is not None and seconds <= 0)
        or (limits.tokens is not None and tokens >= limits.tokens)
        or (limits.cost_usd is not None and (record.usage.cost_usd or 0.0) >= limits.cost_usd)
    )
    return None if spent else limits.model_copy(update={"rounds": rounds, "seconds": seconds})


def _correction(lacking: Sequence[CheckedClaim]) -> str:
    lines = list(_faults(lacking[:_MAX_FAULTS]))
    if len(lacking) > _MAX_FAULTS:
        lines.append(f"- and {len(lacking) - _MAX_FAULTS} more.")
    return Template(prompt("ask_mend.md")).substitute(faults="\n".join(lines))


def _faults(lacking: Sequence[CheckedClaim]) -> Iterator[str]:
    for claim in lacking:
        said = f" The source says: {' '.join(claim.said.split())}" if claim.said else ""
        why = "It has no marker." if claim.verdict == "no_source" and not claim.claim.broken else claim.reason
        yield f"- {' '.join(claim.claim.text.split())}\n  {why}{said}"


def _note(claim: CheckedClaim) -> str:
    if claim.verdict not in ("no_source", "unreadable"):
        return f" {NOTES[1]}"
    return f" {NOTES[2] if claim.claim.broken or claim.verdict == 'unreadable' else NOTES[0]}"
