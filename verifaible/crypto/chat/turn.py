"""One turn of an analyst: tools are called, an answer is written, its numbers are checked, and mended once.

``ask`` is one turn, ``run`` many, ``chat`` a sequence that is kept. Two presets differ in who gathers:
``coinvisor`` (Coinvisor, section 3) has a caller that chooses tools in at most six decisions, and an answerer
that writes from the results alone; ``react`` (CryptoAnalystBench, figure 2) is one model, with the tools of
the web too, whose last text is the answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from string import Template
from typing import Final, Literal, TypeAlias

from verifaible.agent.base import unwatched
from verifaible.agent.loop import Limits, ModelAgent
from verifaible.agent.record import TrialRecord
from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    Evidence,
    TextDelta,
    ToolFinished,
    ToolStarted,
    Turn,
    TurnEnded,
)
from verifaible.crypto.metered import USUAL_LIMITS, Meter, reached
from verifaible.crypto.numbers.resolve import checked_numbers, in_words
from verifaible.crypto.planning import caller
from verifaible.crypto.providers.session import ORIGIN, Api, SourceBook
from verifaible.crypto.query import (
    Switches,
    Understanding,
    mitigations,
    prompt,
    rewrite,
    stamp,
    task,
    understand,
)
from verifaible.errors import (
    InfrastructureError,
    LimitReached,
    ModelError,
    StoreError,
    UserError,
    VerifaibleError,
)
from verifaible.evidence.sources import SourceOrigin, citation_source
from verifaible.llm.base import ModelClient
from verifaible.schema.analyst import Source
from verifaible.schema.chat import Message, ToolCall, ToolSpec
from verifaible.schema.data import NumberEvidence
from verifaible.schema.run import AgentOutcome, ToolReply
from verifaible.text.markers import find_markers
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Toolbox

#: Characters of earlier turns that each model is given, some 6,000 tokens; the oldest turns go first.
EARLIER_CHARACTERS: Final = 24_000
#: Characters of one result that the answerer is given; tools keep to 6,000, reports are longer.
RESULT_CHARACTERS: Final = 24_000
#: Charts that an answerer is shown, some 1,000 tokens each.
MOST_PICTURES: Final = 4

Preset: TypeAlias = Literal["coinvisor", "react"]
#: Makes the tools of a turn: the way to the data, and the model that report agents ask.
Tools: TypeAlias = Callable[[Api, ModelClient], Toolbox]
#: What the numbers of an answer rest on, each once: given its text, the ``prompt`` and the ``api``.
Resolve: TypeAlias = Callable[..., tuple[NumberEvidence, ...]]
#: Where what happens in a turn goes, and what its tools find, before the event that names its marks.
Tell: TypeAlias = Callable[[ChatEvent | Evidence], None]
#: Writes the answer, the second time with what is wrong in the first.
_Write: TypeAlias = Callable[[str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Analyst:
    """What questions are answered with; nothing of it is closed here.

    Attributes:
        caller: the model that chooses the tools.
        answerer: the one that writes; of the preset ``react`` the same one.
        context: web, browser, search and the store.
        tools: makes the tools of a turn.
        preset: how it works.
        switches: the mitigations, of ``react``.
        rewriting: whether the model rewrites the question first, of ``react``.
        resolve: finds what the numbers of an answer rest on.
        limits: of each turn.
        now: the present.
    """

    caller: ModelClient
    answerer: ModelClient
    context: ToolContext
    tools: Tools
    preset: Preset = "coinvisor"
    switches: Switches = field(default_factory=Switches)
    rewriting: bool = False
    resolve: Resolve = checked_numbers
    limits: Limits = USUAL_LIMITS
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class History:
    """What stands before a question.

    Attributes:
        name: of the conversation, or whatever else the captures of its sources are told to be of.
        turns: earlier ones.
        evidence: what their tools found.
        as_of: the time that it is held at: nothing later is shown; None: the present.
    """

    name: str
    turns: Sequence[Turn] = ()
    evidence: Evidence = field(default_factory=Evidence)
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What a turn came to.

    Attributes:
        end: its last event.
        at: the time that it was asked as of.
        understanding: of the question.
        shown: of each source, by its mark, what a public trace has as its context: a short answer of a
            provider whole, else what the model was shown.
    """

    end: Answered | TurnEnded
    at: datetime
    understanding: Understanding
    shown: dict[str, str]


async def run_turn(
    question: str, analyst: Analyst, history: History, tell: Tell, *, tags: Sequence[str] = ()
) -> TurnResult:
    """Answer a question; what happens is told to ``tell``, last an answer or why there is none.

    The second is said of a failure of a model or of the machine, of a limit, and where the turn is cancelled.

    Args:
        question: in any language.
        analyst: what it is answered with.
        history: what stands before it.
        tell: where events and evidence go.
        tags: of the question, where a data set has some; they choose the depth prompt.

    Raises:
        RunError: ``tell`` cannot write.
    """
    turn = _Turn(question, analyst, history, tell, tags)
    end = await turn.run()
    return TurnResult(end, turn.now, turn.understanding, turn.book.shown)


class _Turn:
    """One turn on its way."""

    def __init__(
        self, question: str, analyst: Analyst, history: History, tell: Tell, tags: Sequence[str]
    ) -> None:
        self.question = question
        self.analyst = analyst
        self.earlier = _earlier(history.turns)
        self.tell = tell
        self.meter = Meter(analyst.limits)
        self.answered: Answered | None = None
        self.started = time.monotonic()
        present = analyst.now()
        self.now = history.as_of or present
        self.understanding = understand(question, self.now.astimezone(UTC).date(), tags)
        self.kept = history.evidence
        key = sha256(history.name.encode("utf-8", "replace")).hexdigest()
        origin = SourceOrigin(kind="trial", name=ORIGIN, sha256=key)
        self.book = SourceBook(analyst.context.collector.store, origin, self.kept.sources)
        self.cited: tuple[Source, ...] = ()
        # a new one for each turn: what was asked for in an earlier one may have changed
        self.api = Api(
            web=analyst.context.web,
            book=self.book,
            now=present,
            as_of=history.as_of,
            time_context=analyst.switches.time_context,
            points=list(self.kept.points),
            computed=list(self.kept.computed),
        )
        model = self.meter.of(analyst.answerer)
        self.toolbox = _LoggedToolbox(analyst.tools(self.api, model), self)

    async def run(self) -> Answered | TurnEnded:
        """Work until there is an answer, a limit is reached, or a person stops it; an end is always told."""
        end: Answered | TurnEnded | None = None
        deadline = asyncio.timeout(self.analyst.limits.seconds)
        try:
            async with deadline:
                end = await self._work()
        except asyncio.CancelledError:
            end = TurnEnded(reason="stopped", usage=self.meter.usage)
            raise
        except TimeoutError:
            if not deadline.expired():
                raise
            over = reached("seconds", f"{self.analyst.limits.seconds:g} seconds")
            # what was written before the correction is an answer, its faults marked
            end = self.answered or self._ended(over)
        except VerifaibleError as error:
            end = self._ended(error)
        finally:
            self.keep_evidence()
            end = end or TurnEnded(
                reason="failed",
                error="The program failed. Try again; if it stays, report it.",
                error_code="error",
                usage=self.meter.usage,
            )
            self.tell(end)
        return end

    def _ended(self, error: VerifaibleError) -> TurnEnded:
        reason: Literal["limit", "failed"] = "limit" if isinstance(error, LimitReached) else "failed"
        return TurnEnded(reason=reason, error=str(error), error_code=error.code, usage=self.meter.usage)

    async def _work(self) -> Answered:
        write = await (self._reacting() if self.analyst.preset == "react" else self._gathered())
        text, numbers = await self._checked(await write(""))
        if not text:
            raise ModelError("The model gave no text. Ask again.")
        self.answered = self._answered(text, numbers)
        if faults := self._faults(text, numbers):
            # whatever happens now, the first answer is there, its faults marked
            with suppress(ModelError, LimitReached, InfrastructureError):
                told = Template(prompt("mend")).substitute(faults=_listed(text, faults))
                second, again = await self._checked(await write(told))
                if second and len(self._faults(second, again)) <= len(faults):
                    text, numbers = second, again
        return self._answered(text, numbers)

    async def _gathered(self) -> _Write:
        """The preset ``coinvisor``: a caller chose calls, and an answerer writes from their results."""
        results: list[tuple[ToolCall, ToolReply]] = []

        async def execute(calls: Sequence[ToolCall]) -> Sequence[str]:
            replies = await _side_by_side([self.toolbox.call(each.name, each.arguments) for each in calls])
            results.extend(zip(calls, replies, strict=True))
            return [reply.text for reply in replies]

        messages = [
            Message(role="system", text=caller.system_prompt("executed", now=stamp(self.now))),
            *self.earlier,
            Message(role="user", text=self.question),
        ]
        model = self.meter.of(self.analyst.caller)
        await caller.decide(messages, model, _specs(self.toolbox.specs), execute)
        messages = [
            self._system("answerer"),
            *self.earlier,
            Message(role="user", text=f"{self.question}\n\n{_results(results)}", pictures=_pictures(results)),
        ]

        async def write(objection: str) -> str:
            if objection:
                messages.append(Message(role="user", text=objection))
            fresh = bool(objection)

            def told(piece: str) -> None:
                nonlocal fresh
                self.tell(TextDelta(text=piece, fresh=fresh))
                fresh = False

            turn = await self.meter.of(self.analyst.answerer).stream(messages, told)
            messages.append(turn.as_message())
            return turn.text

        return write

    async def _reacting(self) -> _Write:
        """The preset ``react``: one model calls tools until it writes."""
        model = self.meter.of(self.analyst.caller)
        if self.analyst.rewriting:
            self.understanding = await rewrite(self.understanding, client=model, now=self.now)
        more = mitigations(self.understanding, self.analyst.switches, self.now)
        if self.now < self.api.now:
            more += f"\n{Template(prompt('as_of')).substitute(now=stamp(self.now))}\n"
        messages = [
            self._system("react", more),
            *self.earlier,
            Message(role="user", text=task(self.understanding)),
        ]
        agent = ModelAgent(model, "", Limits(rounds=self.analyst.limits.rounds))
        record = TrialRecord(unwatched)
        store = self.analyst.context.collector.store

        async def write(objection: str) -> str:
            if objection:
                messages.append(Message(role="user", text=objection))
            outcome = await agent.converse(messages, self.toolbox, record)
            self.cited = await asyncio.to_thread(
                lambda: tuple(
                    citation_source(store.get(each.id), f"@v:{each.number}") for each in outcome.citations
                )
            )
            text = _text_of(outcome)
            self.tell(TextDelta(text=text, fresh=bool(objection)))
            return text

        return write

    def _system(self, role: str, more: str = "") -> Message:
        told = {"role": prompt(f"{role}_role"), "form": prompt(f"{role}_form")}
        # of react the time is one of the mitigations that are measured
        now = "" if role == "react" else f" Now is {stamp(self.now)}."
        text = Template(prompt("answer")).substitute(told, mitigations=more, now=now)
        return Message(role="system", text=text)

    def keep_evidence(self) -> None:
        """Keep what was found since the last time: the marks of an answer must lead somewhere for ever."""
        before, api = self.kept, self.api
        now = Evidence(sources=self.book.sources, points=tuple(api.points), computed=tuple(api.computed))
        self.tell(
            Evidence(
                sources=now.sources[len(before.sources) :],
                points=now.points[len(before.points) :],
                computed=now.computed[len(before.computed) :],
            )
        )
        self.kept = now

    async def _checked(self, text: str) -> tuple[str, tuple[NumberEvidence, ...]]:
        text = text.strip()
        return text, await asyncio.to_thread(self.analyst.resolve, text, prompt=self.question, api=self.api)

    def _faults(self, text: str, numbers: Sequence[NumberEvidence]) -> list[NumberEvidence]:
        """The numbers that can be corrected: one that only a text or a citation says is shown as it is."""
        cited = [each.start for each in find_markers(text)]
        return [
            each
            for each in numbers
            if each.status != "resolved"
            and not in_words(each, self.book.sources)
            and not (
                not each.mark and any(at >= each.end and "\n" not in text[each.end : at] for at in cited)
            )
        ]

    def _answered(self, text: str, numbers: tuple[NumberEvidence, ...]) -> Answered:
        return Answered(
            text=text,
            numbers=numbers,
            sources=(*self.book.sources, *self.cited),
            computed=tuple(self.api.computed),
            usage=self.meter.usage,
            duration_s=time.monotonic() - self.started,
        )


class _LoggedToolbox(Toolbox):
    """The tools of a turn, whose calls are told as events."""

    def __init__(self, tools: Toolbox, turn: _Turn) -> None:
        self._inner = tools
        self._turn = turn
        self._calls = 0
        self.specs = tools.specs

    async def call(self, name: str, arguments: str) -> ToolReply:
        """Call a tool; what it found is kept before the marks in its text are told."""
        self._calls += 1
        call, started = f"call_{self._calls}", time.monotonic()
        tell = self._turn.tell
        tell(ToolStarted(call=call, name=name, arguments=arguments))
        try:
            reply = await self._inner.call(name, arguments)
        except StoreError:
            raise
        except (ModelError, UserError) as error:  # a key or an extra is missing: the others still work
            reply = ToolReply(text=f"Error ({error.code}): {error}", error_code=error.code)
        self._turn.keep_evidence()
        tell(
            ToolFinished(
                call=call,
                name=name,
                text=reply.text,
                error_code=reply.error_code,
                displays=reply.displays,
                duration_s=time.monotonic() - started,
            )
        )
        return reply


async def _side_by_side(works: Sequence[Awaitable[ToolReply]]) -> list[ToolReply]:
    """The results of calls that run at once; a first failure, or a stop, ends them all."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _text_of(outcome: AgentOutcome) -> str:
    """The text of an agent that came to its end.

    Raises:
        LimitReached: it did not, for a limit.
        ModelError: its model failed.
    """
    if outcome.ended_by == "model_error":
        error = ModelError(outcome.error)
        error.code = outcome.error_code
        raise error
    if outcome.ended_by != "answer":
        raise LimitReached(outcome.ended_by, outcome.error)
    return outcome.answer


def _specs(tools: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
    """The tools as the caller is told of them: the paper's in the words of the simulated mode."""
    own = {each.name for each in tools}
    known = [each for each in caller.tools() if each.name in own or each.name == caller.STOP]
    named = {each.name for each in known}
    return (*(each for each in tools if each.name not in named), *known)


def _earlier(turns: Sequence[Turn]) -> tuple[Message, ...]:
    """The latest turns that fit, each as its prompt and its answer; their marks still hold."""
    kept: list[Message] = []
    left = EARLIER_CHARACTERS
    for turn in reversed(turns):
        said = turn.end.text if isinstance(turn.end, Answered) else "(There was no answer to this.)"
        left -= len(turn.prompt) + len(said)
        if left < 0:
            break
        kept[:0] = [Message(role="user", text=turn.prompt), Message(role="assistant", text=said)]
    return tuple(kept)


def _pictures(results: Sequence[tuple[ToolCall, ToolReply]]) -> tuple[str, ...]:
    """The latest charts; the client leaves them out for a model that takes none."""
    drawn = [display.png_base64 for _, reply in results for display in reply.displays if display.png_base64]
    return tuple(drawn[-MOST_PICTURES:])


def _results(results: Sequence[tuple[ToolCall, ToolReply]]) -> str:
    if not results:
        return "(No tool was called for this question.)"
    parts = ["The results of the tools:"]
    for call, reply in results:
        text = reply.text
        if len(text) > RESULT_CHARACTERS:
            text = f"{text[:RESULT_CHARACTERS]}\n(The rest of {len(reply.text):,} characters is left out.)"
        parts.append(f"## {call.name} {call.arguments}\n\n{text}")
    return "\n\n".join(parts)


def _listed(text: str, faults: Sequence[NumberEvidence]) -> str:
    lines = []
    for each in faults:
        around = " ".join(text[max(0, each.start - 60) : each.end + 30].split())
        why = each.reason or "No mark behind it leads to a value."
        lines.append(f"- {text[each.start : each.end]} (in: {around}): {why}")
    return "\n".join(lines)
