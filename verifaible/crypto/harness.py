"""One query answered: understood, researched with the tools, written with marks, every source sealed."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256

from verifaible.agent.base import Watch, unwatched
from verifaible.agent.loop import Limits, ModelAgent
from verifaible.agent.record import TrialRecord
from verifaible.crypto.chain.queries import tools as ethereum
from verifaible.crypto.prompting import opening, rewrite
from verifaible.crypto.records import HarnessTrial, Switches, Understanding
from verifaible.crypto.sandbox.calculating import tools as calculate
from verifaible.crypto.sandbox.running import Sandbox
from verifaible.crypto.sources import SourceBook
from verifaible.crypto.tools.api import Api
from verifaible.crypto.tools.registry import Endpoints, toolbox
from verifaible.crypto.understanding import understand
from verifaible.errors import InfrastructureError, StoreError
from verifaible.evidence.sources import SourceOrigin, citation_source
from verifaible.llm.base import ModelClient
from verifaible.schema.analyst import AnalystAnswer, InputFault, Source, SpanIds
from verifaible.schema.run import AgentOutcome, ToolEvent, TrialCitation
from verifaible.store.store import Store
from verifaible.tools.context import ToolContext

#: The name of the span as the public scripts look for it, spelling included.
SPAN_NAME = "Cyrpto Final Response"
#: Who gave the words of a source, as its capture says it.
ORIGIN = "verifaible crypto"


@dataclass(frozen=True, slots=True)
class Asking:
    """How queries are asked; the same for all of a run.

    Attributes:
        client: the model; it is not closed here.
        context: browser, web, search and the store (its collector's).
        model: its name in what is written.
        switches: the mitigations.
        limits: of each query.
        rewriting: whether the model rewrites the query first; what that costs is counted.
        endpoints: where the providers of data are.
        watch: told of every event.
        sleep: how a pause for a provider's limit of requests is made.
    """

    client: ModelClient
    context: ToolContext
    model: str
    switches: Switches = field(default_factory=Switches)
    limits: Limits = field(default_factory=Limits)
    rewriting: bool = False
    endpoints: Endpoints = field(default_factory=Endpoints)
    watch: Watch = unwatched
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


async def answer(
    query: str,
    *,
    client: ModelClient,
    context: ToolContext,
    model: str = "",
    switches: Switches | None = None,
    now: datetime | None = None,
    limits: Limits | None = None,
) -> AnalystAnswer:
    """A long answer to one query, with its sources sealed in the store of ``context``.

    Args:
        query: in any language.
        client: the model; it is not closed here.
        context: what the tools work with (:func:`verifaible.check.ask.session`).
        model: its name.
        switches: the mitigations; default none.
        now: when it is asked; default the present.
        limits: what ends the work.

    Raises:
        InfrastructureError: the machine failed.
        StoreError: the store cannot be read or written.
    """
    asking = Asking(
        client=client,
        context=context,
        model=model,
        switches=switches or Switches(),
        limits=limits or Limits(),
    )
    return (await attempt(query, asking, now=now or datetime.now(UTC))).answer


async def attempt(
    query: str, asking: Asking, *, now: datetime, row: int = 1, tags: Sequence[str] = ()
) -> HarnessTrial:
    """The same with everything that is known of how it went.

    Args:
        query: in any language.
        asking: how it is asked.
        now: when; dates count from there, and the answer is judged by it.
        row: its number in the file.
        tags: its tags, for the judge; the model is not told.

    Raises:
        InfrastructureError: the machine failed.
        StoreError: the store cannot be read or written.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    key = sha256(query.encode("utf-8", "replace")).hexdigest()
    book = SourceBook(asking.context.collector.store, SourceOrigin(kind="trial", name=ORIGIN, sha256=key))
    api = Api(
        web=asking.context.web,
        book=book,
        now=now,
        time_context=asking.switches.time_context,
        sleep=asking.sleep,
    )
    record = TrialRecord(asking.watch)
    understood = await _understood(query, asking, now, record)
    agent = ModelAgent(asking.client, asking.model, asking.limits)
    async with Sandbox(asking.context.settings) as sandbox:  # nothing is started before the first program
        further = (*ethereum(api), *calculate(api, sandbox.run))
        tools = toolbox(asking.context, api, asking.switches, asking.endpoints, further=further)
        outcome = await agent.converse(opening(understood, asking.switches, now), tools, record)
    cited = await asyncio.to_thread(_citations, asking.context.collector.store, outcome.citations)
    chat_id = sha256(f"{asking.model}\0{row}\0{key}\0{started.isoformat()}".encode()).hexdigest()[:32]
    return HarnessTrial(
        row=row,
        key=key,
        chat_id=chat_id,
        answer=_answer(
            query, asking.model, outcome, sources=(*book.sources, *cited), chat_id=chat_id, now=now, tags=tags
        ),
        understanding=understood,
        switches=asking.switches,
        shown={**book.shown, **{each.id: _shown(outcome, each.id) for each in cited}},
        ended_by=outcome.ended_by,
        error=outcome.error,
        error_code=outcome.error_code,
        rounds=outcome.rounds,
        tool_calls=outcome.tool_calls,
        tool_errors=_tool_errors(outcome),
        usage=outcome.usage,
        started_at=started,
        duration_s=time.monotonic() - clock,
    )


def failed(
    query: str,
    asking: Asking,
    error: InfrastructureError | StoreError,
    *,
    now: datetime,
    row: int,
    tags: Sequence[str],
) -> HarnessTrial:
    """The trial of a query that the machine failed: it stays in every count, and is asked again later."""
    key = sha256(query.encode("utf-8", "replace")).hexdigest()
    chat_id = sha256(f"{asking.model}\0{row}\0{key}\0{now.isoformat()}\0failed".encode()).hexdigest()[:32]
    outcome = AgentOutcome(answer="", ended_by="infrastructure", error=str(error), error_code=error.code)
    return HarnessTrial(
        row=row,
        key=key,
        chat_id=chat_id,
        answer=_answer(query, asking.model, outcome, chat_id=chat_id, now=now, tags=tags),
        understanding=understand(query, now.date()),
        switches=asking.switches,
        ended_by="infrastructure",
        error=str(error),
        error_code=error.code,
        started_at=datetime.now(UTC),
    )


async def _understood(query: str, asking: Asking, now: datetime, record: TrialRecord) -> Understanding:
    understood = understand(query, now.astimezone(UTC).date())
    if not asking.rewriting:
        return understood
    understood, turn = await rewrite(understood, client=asking.client, now=now)
    if turn is not None:
        record.model_answered(turn)
    return understood


def _citations(store: Store, made: Sequence[TrialCitation]) -> tuple[Source, ...]:
    return tuple(citation_source(store.get(each.id), f"@v:{each.number}") for each in made)


def _shown(outcome: AgentOutcome, mark: str) -> str:
    """What the tool said when it made a citation."""
    number = mark.removeprefix("@v:")
    calls = (event for event in outcome.events if isinstance(event, ToolEvent))
    return next((each.result for each in calls if str(each.citation) == number), "")


def _tool_errors(outcome: AgentOutcome) -> dict[str, int]:
    calls = (event for event in outcome.events if isinstance(event, ToolEvent))
    return dict(Counter(event.error_code for event in calls if event.error_code))


def _answer(
    query: str,
    model: str,
    outcome: AgentOutcome,
    *,
    sources: Sequence[Source] = (),
    chat_id: str,
    now: datetime,
    tags: Sequence[str],
) -> AnalystAnswer:
    text = outcome.answer.strip()
    faults: tuple[InputFault, ...] = ()
    if not text:
        why = outcome.error or "The model gave no text. Ask again."
        faults = (InputFault(code="empty_answer", message=why),)
    identity = sha256("\0".join((model, query, text)).encode("utf-8", "replace")).hexdigest()
    return AnalystAnswer(
        id=identity[:20],
        origin="trial",
        model=model,
        query=query,
        tags=tuple(tags),
        answer=text,
        answered_at=now,
        sources=tuple(sources),
        sources_known=True,
        span=SpanIds(
            session_id=chat_id,
            trace_id=sha256(f"{chat_id} trace".encode()).hexdigest()[:32],
            span_id=sha256(f"{chat_id} span".encode()).hexdigest()[:16],
            span_name=SPAN_NAME,
            span_kind="LLM",
        ),
        faults=faults,
    )
