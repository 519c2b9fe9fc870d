"""What the model calls of a run have cost, written down call by call, so that a kill loses none of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from verifaible.errors import ModelError, RunError
from verifaible.llm.base import AnswerForm, ModelClient
from verifaible.llm.budget import Budget
from verifaible.runs.lines import Lines
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ModelTurn, ToolSpec, Usage
from verifaible.schema.run import TrialKey


class SpendLine(Record):
    """A line of ``spend.jsonl``: a call that was made, or what one has cost.

    ``usage`` is None where the call has only been made: after a kill, a call without a second line has
    cost nobody knows what. A trial on a cluster is one call.
    """

    call: str
    model: str
    case: str
    trial: int
    attempt: int
    usage: Usage | None = None


class Spend(Record):
    """What a run, or a part of it, has cost.

    Attributes:
        calls: model calls that came back, answered or refused.
        unanswered: calls of which nothing came back; what they cost is not known.
        usage: tokens and cost of those that came back.
    """

    calls: int = 0
    unanswered: int = 0
    usage: Usage = Usage()


def spent(lines: Sequence[SpendLine]) -> Spend:
    """The sum of spend lines."""
    asked = {line.call for line in lines}
    answered = [line.usage for line in lines if line.usage is not None]
    return Spend(calls=len(answered), unanswered=len(asked) - len(answered), usage=sum(answered, Usage()))


class SpendLog:
    """Writes down every model call of a run, and ends the run before it costs more than it may.

    Args:
        path: ``spend.jsonl``.
        most_usd: what all calls may cost together, with those of earlier sessions of the run; None: no limit.
    """

    def __init__(self, path: Path, most_usd: float | None = None) -> None:
        self._lines = Lines(path, SpendLine)
        self._most = most_usd
        before = self._lines.read()
        dearest = max((line.usage.cost_usd or 0.0 for line in before if line.usage), default=0.0)
        spent_usd = spent(before).usage.cost_usd or 0.0
        self._budget = Budget(most_usd, spent_usd=spent_usd, dearest_usd=dearest)
        self._number = len(before)
        self._session = os.urandom(4).hex()

    @property
    def cost_usd(self) -> float | None:
        """What the run has cost so far, in US dollars; None where no model was asked."""
        return self._budget.spent_usd if self._number else None

    def require_left(self) -> None:
        """Refuse to go on where the run may cost no more.

        Raises:
            RunError: so it is.
        """
        if self._budget.empty:
            raise RunError(
                f"The run has cost {self._budget.spent_usd:.4f} US dollars, its limit is {self._most:g}. "
                "The finished trials are kept: continue with --resume and a higher --max-run-cost."
            )

    def begin(self, key: TrialKey, attempt: int) -> SpendLine:
        """Write down that a call is made, before it is."""
        self._number += 1
        line = SpendLine(call=f"{self._session}-{self._number}", attempt=attempt, **key.model_dump())
        self._lines.add(line)
        return line

    def end(self, line: SpendLine, usage: Usage) -> None:
        """Write down what a call has cost, as soon as it is known."""
        self._budget.pay(Usage(cost_usd=usage.cost_usd or 0.0))
        self._lines.add(line.model_copy(update={"usage": usage}), durable=True)

    def turn(self) -> AbstractAsyncContextManager[str]:
        """A place for one call; gives why there is none, or an empty text."""
        return self._budget.turn()


class PaidClient:
    """A :class:`~verifaible.llm.base.ModelClient` whose every call is written down and limited."""

    def __init__(self, client: ModelClient, log: SpendLog, key: TrialKey, attempt: int) -> None:
        self._client = client
        self._log = log
        self._key = key
        self._attempt = attempt

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The model's next turn.

        Raises:
            RunError: the run may cost no more.
            ModelError: as the model does; what was billed all the same is written down.
        """
        async with self._log.turn() as why:
            if why:
                self._log.require_left()
            # A call that is abandoned at a time limit stays without a second line: nobody knows its cost.
            line = self._log.begin(self._key, self._attempt)
            try:
                turn = await self._client.complete(messages, tools, form=form)
            except ModelError as error:
                self._log.end(line, error.usage or Usage())
                raise
            self._log.end(line, turn.usage)
            return turn

    async def aclose(self) -> None:
        """Nothing: the client is closed by who opened it."""
