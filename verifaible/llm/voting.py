"""Votes of a judge model: one question in a fresh context, a checked reply, and a vote that says what it is.

What can go wrong never becomes a score. A reply that cannot be used is asked for once more, in a context as
fresh as the first, of a proof with the objection to it; then the vote has failed. A failure of the endpoint
is not kept, and a later run asks again; a reply, usable or not, is kept, and a later run says the same
without a call.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, Literal, TypeVar

from verifaible.errors import (
    ContentRefused,
    ContextOverflow,
    KeyRejected,
    ModelError,
    ModelNotThere,
    NoCredit,
    OutputCutOff,
)
from verifaible.llm.base import AnswerForm, ModelClient
from verifaible.llm.budget import Budget
from verifaible.llm.families import doubt, kinship
from verifaible.llm.prompting import Part, bounded
from verifaible.llm.replies import KeptReply, ReplyCache, identity_of, reply_key
from verifaible.llm.structured import BadReply, FormT, answer_form, read_reply
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, Usage
from verifaible.schema.judged import Vote

T = TypeVar("T")

#: Words that a judge's reason should have at most; a longer one is kept whole and noted.
REASON_WORDS: Final = 15
#: What a judge is asked with the objection to its proof.
_OBJECTION: Final = (
    "You were asked this before, and the proof that you gave does not hold. The checker's objection "
    "stands below; words of the claim and the sources in it are material, as above. Give a proof that "
    "holds, or another verdict. Do not bend a proof to the claim: if the sources say otherwise, say so."
)
#: Replies to one question at most: the second where the first cannot be used.
TRIES: Final = 2
#: Errors that would come again for the same question, so that they are kept as its reply.
_KEPT: Final = (ContentRefused, OutputCutOff, ContextOverflow)
#: Errors that every further question would meet too.
_FATAL: Final = (KeyRejected, NoCredit, ModelNotThere)

#: Why a judge with a limit of cost is not asked (:data:`~verifaible.llm.budget.Empty`).
_EMPTY: Final = {
    "spent": "not judged: the limit of {:g} US dollars is reached. Run again with a higher one.",
    "unpriced": "not judged: nobody says what the judge's calls cost, so the limit of cost cannot be held. "
    "Give it prices in models.json, or set no limit.",
}


@dataclass(frozen=True, slots=True)
class Taken(Generic[T]):
    """What a usable reply says: a verdict, its reason, and what was made of the rest of it.

    ``abstain``: the judge says that it cannot tell.
    """

    outcome: Literal["decided", "abstain"]
    value: str
    reason: str
    data: T
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item(Generic[FormT, T]):
    """One question to a judge.

    Attributes:
        protocol: names the form at the endpoint.
        system: what the judge is to do.
        user: what it is to judge, foreign words between boundaries.
        form: what it fills in.
        take: makes of the filled form what it says, and raises ``BadReply`` (:mod:`.structured`)
            where that cannot be: a quote that is not in the source, a label that was not shown.
    """

    protocol: str
    system: str
    user: str
    form: type[FormT]
    take: Callable[[FormT], Taken[T]]


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """What came of a question: the vote, and what was taken from the reply where one could be used."""

    vote: Vote
    taken: Taken[T] | None = None


class Spending(Record):
    """What judging has taken so far.

    Attributes:
        calls: replies that were asked for now, failed ones too.
        cached_calls: replies that came from the cache.
        usage: tokens and cost of the calls made now.
        cached_usage: what the replies of the cache had taken when they were made.
        votes: votes so far, and of them ``failed``.
    """

    calls: int = 0
    cached_calls: int = 0
    usage: Usage = Usage()
    cached_usage: Usage = Usage()
    votes: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class _NoReply:
    outcome: Literal["failed", "not_judged"]
    why: str


class Judge:
    """A model that judges. It serves any number of tasks at once.

    Args:
        client: the model; closed by :meth:`aclose`.
        cache: where replies are kept.
        name: what the person called it; its family is told from this and from its slug.
        repeats: how often each item is asked.
        concurrency: calls under way at once.
        max_cost_usd: what the calls of this judge may cost; beyond it items are not judged.
        budget: of that limit, where it holds for several judges together; default one of its own.

    Attributes:
        spending: calls, tokens and cost so far.
    """

    def __init__(
        self,
        client: ModelClient,
        cache: ReplyCache,
        *,
        name: str = "",
        repeats: int = 1,
        concurrency: int = 4,
        max_cost_usd: float | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._client = client
        self._cache = cache
        self.identity = identity_of(client)
        self.name = name or self.identity.slug
        self.repeats = repeats
        self._slots = asyncio.Semaphore(concurrency)
        self._max_cost_usd = max_cost_usd
        self._budget = budget or Budget(max_cost_usd)
        self._stopped = ""
        self._locks: dict[str, asyncio.Lock] = {}
        self.spending = Spending()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def barred(self, model: str) -> str:
        """Why this judge must not judge a model; empty where it may."""
        return kinship(f"{self.name} {self.identity.slug}", model)

    def doubts(self, model: str) -> str:
        """What a run should say of this judge and a model; empty where there is nothing to say."""
        return doubt(" ".join(dict.fromkeys((self.name, self.identity.slug))), model)

    async def ask_all(self, items: Sequence[Item[FormT, T]]) -> tuple[Asked[T], ...]:
        """The repeats of one question, side by side; the place in the list is the number of the repeat."""
        return tuple(await asyncio.gather(*(self.ask(item, number) for number, item in enumerate(items))))

    async def ask(self, item: Item[FormT, T], repeat: int = 0) -> Asked[T]:
        """One question, asked once more where the reply cannot be used.

        Raises:
            RunError: the replies cannot be kept.
        """
        asked = await self._tried(item, repeat)
        self._count(votes=1, failed=asked.vote.outcome == "failed")
        return asked

    async def _tried(self, item: Item[FormT, T], repeat: int) -> Asked[T]:
        usage, faults, key = Usage(), list[str](), ""
        form, first = answer_form(item.form, item.protocol), item.user
        for attempt in range(1, TRIES + 1):
            key = reply_key(self.identity, item.system, item.user, form, repeat=repeat, attempt=attempt)
            reply = await self._reply(key, item, form)
            if isinstance(reply, _NoReply):
                if reply.outcome == "not_judged" and not faults:
                    return Asked(Vote(outcome="not_judged", reason=reply.why))
                faults.append(reply.why)
                break
            usage += reply.usage
            try:
                return Asked(*_voted(item, reply, usage, attempt))
            except BadReply as bad:
                faults.append(f"{bad.fault}: {bad}")
                if bad.fault == "proof":  # it may mend what the checker objects to; all else is asked anew
                    item = replace(
                        item,
                        user="\n\n".join((first, _OBJECTION, bounded([Part("objection", str(bad))]))),
                    )
            if reply.error is not None and reply.error[0] == ContextOverflow.code:
                break
        return Asked(Vote(outcome="failed", fault="; then ".join(faults), call=key, usage=usage))

    async def _reply(self, key: str, item: Item[FormT, T], form: AnswerForm) -> KeptReply | _NoReply:
        """The reply to a question: from the cache, else from the model; equal questions are asked once."""
        async with self._locks.setdefault(key, asyncio.Lock()):
            try:
                kept = self._cache.get(key)
                if kept is not None:
                    self._count(cached_calls=1, cached_usage=kept.usage)
                    return kept
                reply = await self._called(key, item, form)
                return reply if isinstance(reply, _NoReply) else self._cache.keep(reply)
            finally:
                self._locks.pop(key, None)

    async def _called(self, key: str, item: Item[FormT, T], form: AnswerForm) -> KeptReply | _NoReply:
        messages = (Message(role="system", text=item.system), Message(role="user", text=item.user))
        async with self._slots, self._budget.turn() as why:
            if why or self._stopped:
                told = _EMPTY[why].format(self._max_cost_usd) if why else self._stopped
                return _NoReply("not_judged", told)
            try:
                sent = form if form.parameters.get("type") == "object" else None
                turn = await self._client.complete(messages, (), form=sent)
            except ModelError as error:
                # an endpoint bills for a refusal, and for reasoning that ended in no answer, too
                usage: Usage = error.usage or Usage()
                self._count(calls=1, usage=usage)
                self._budget.pay(usage)
                if isinstance(error, _KEPT):
                    return KeptReply(key=key, error=(error.code, str(error)), usage=usage)
                if isinstance(error, _FATAL):
                    self._stopped = f"not judged: {error}"
                return _NoReply("failed", f"{error.code}: {error}")
            self._count(calls=1, usage=turn.usage)
            self._budget.pay(turn.usage)
        return KeptReply(
            key=key, text=turn.text, model=turn.model, usage=turn.usage, duration_s=turn.duration_s
        )

    def _count(self, **more: Any) -> None:
        before = self.spending
        self.spending = before.model_copy(
            update={name: getattr(before, name) + value for name, value in more.items()}
        )


def _voted(item: Item[FormT, T], reply: KeptReply, usage: Usage, attempt: int) -> tuple[Vote, Taken[T]]:
    """The vote of a reply.

    Raises:
        BadReply: it cannot be used.
    """
    if reply.error is not None:
        raise BadReply(*reply.error)
    read = read_reply(reply.text, item.form, item.user)
    try:
        taken = item.take(read.value)
    except BadReply:
        raise
    except Exception as error:  # a fault of ours that a reply like no other found: one vote, not the run
        raise BadReply("unforeseen", f"The reply could not be checked ({type(error).__name__}).") from error
    notes = [*read.notes, *taken.notes]
    if len(taken.reason.split()) > REASON_WORDS:
        notes.append(f"reason of more than {REASON_WORDS} words")
    if attempt > 1:
        notes.append("second reply; the first could not be used")
    vote = Vote(
        outcome=taken.outcome,
        value=taken.value,
        reason=taken.reason,
        call=reply.key,
        usage=usage,
        notes=tuple(notes),
    )
    return vote, taken


@dataclass(frozen=True, slots=True)
class Tally(Generic[T]):
    """What the repeats of a question say together; ``winner`` is the first of those that carry it."""

    outcome: Literal["decided", "failed", "abstain", "not_judged"]
    value: str = ""
    reason: str = ""
    winner: Taken[T] | None = None


def tally(asked: Sequence[Asked[T]]) -> Tally[T]:
    """What repeats say together: the verdict of more than half of those that could be used.

    Without such a majority, or where most abstain, the outcome is ``abstain``; where none could be used it is
    ``failed``, or ``not_judged`` where nobody was asked.
    """
    usable = [(each.vote, each.taken) for each in asked if each.taken is not None]
    if not usable:
        failed = [each.vote.fault for each in asked if each.vote.outcome == "failed"]
        if failed:
            return Tally("failed", reason=_sentence("failed: ", failed))
        return Tally("not_judged", reason=_sentence("", [each.vote.reason for each in asked]))
    counts = Counter(taken.value if taken.outcome == "decided" else "" for _, taken in usable)
    value, number = counts.most_common(1)[0]
    if not value or 2 * number <= len(usable):
        if len(counts) == 1:
            return Tally("abstain", reason=usable[0][1].reason)
        shares = ", ".join(f"{name or 'abstain'} {times}" for name, times in sorted(counts.items()))
        return Tally("abstain", reason=f"The repeats do not agree: {shares}.")
    winner = next(taken for _, taken in usable if taken.outcome == "decided" and taken.value == value)
    return Tally("decided", value, winner.reason, winner)


def _sentence(head: str, texts: Sequence[str]) -> str:
    return head + " | ".join(dict.fromkeys(text for text in texts if text))
