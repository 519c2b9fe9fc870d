"""The calls of a run to its models, and the same answers given again without a model.

Of a request only its digest is kept: a trial that is repeated calls the same tools on the same archives, so
its evidence is made and verified again, and so are its requests. Only the model's words come from what was
kept.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from verifaible import errors
from verifaible.errors import InfrastructureError, LimitReached, ModelError
from verifaible.llm.base import AnswerForm, ModelClient
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ModelTurn, ToolSpec
from verifaible.schema.run import TrialKey

#: What no repetition shares: the ids of citations, and how long a step took.
_PASSING: Final = re.compile(r"(is verified and stored \(|: done in )(?:[0-9a-z-]{8,}|\d+(?= ms))")


class RecordedCall(Record):
    """One call of a model.

    Attributes:
        request: SHA-256 of what was asked: messages, tools and form.
        answer: what came back; None where the call failed.
        error: the code and the message of a call that failed.
    """

    request: str
    answer: ModelTurn | None = None
    error: tuple[str, str] | None = None


def request_digest(
    messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None = None
) -> str:
    """The digest of a request, without what no repetition shares."""
    asked: list[Any] = []
    for message in messages:
        text = _PASSING.sub(lambda match: f"{match[1]}*", message.text)
        asked.append({**_plain(message), "text": text})
    whole = [asked, [_plain(tool) for tool in tools], _plain(form) if form is not None else None]
    # not RFC 8785: an endpoint's own items may hold integers that it has no form for
    return hashlib.sha256(json.dumps(whole, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _plain(value: Record) -> dict[str, Any]:
    return value.model_dump(mode="json", exclude_defaults=True)


class RecordingClient:
    """A :class:`~verifaible.llm.base.ModelClient` each of whose calls is kept.

    Args:
        client: who is asked.
        keep: takes each call when it is back.
    """

    def __init__(self, client: ModelClient, keep: Callable[[RecordedCall], None]) -> None:
        self._client = client
        self._keep = keep

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The model's next turn; errors are its own."""
        request = request_digest(messages, tools, form)
        try:
            turn = await self._client.complete(messages, tools, form=form)
        except ModelError as error:
            self._keep(RecordedCall(request=request, error=(error.code, str(error))))
            raise
        self._keep(RecordedCall(request=request, answer=turn))
        return turn

    async def aclose(self) -> None:
        """Nothing: the client is closed by who opened it."""


class ReplayingClient:
    """A :class:`~verifaible.llm.base.ModelClient` that gives kept answers in their order.

    Args:
        calls: what was kept of the trial.
        whose: the trial, for messages.
        timed_out: what was said when it ended at its time limit, as it ends again; empty: it did not.

    Attributes:
        exact: requests that were word for word those that were kept.
        differing: the others, as ``model case trial turn``; they got the answer of the same turn.
    """

    def __init__(self, calls: Sequence[RecordedCall], whose: TrialKey, *, timed_out: str = "") -> None:
        self._calls = calls
        self._whose = whose
        self._timed_out = timed_out
        self._turn = 0
        self.exact = 0
        self.differing: list[str] = []

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The answer that was kept.

        Raises:
            InfrastructureError: none is left: the repetition took another way.
            ModelError: as when it was kept.
        """
        if self._turn >= len(self._calls):
            if self._timed_out:
                raise LimitReached("seconds", self._timed_out)
            raise InfrastructureError(
                f"The recording has no answer {self._turn + 1} of {self._whose.model} in {self._whose.case}, "
                f"trial {self._whose.trial}: the replay took another way than the recorded trial."
            )
        call = self._calls[self._turn]
        self._turn += 1
        if request_digest(messages, tools, form) == call.request:
            self.exact += 1
        else:
            named = f"{self._whose.model} {self._whose.case} trial {self._whose.trial}"
            self.differing.append(f"{named} turn {self._turn}")
        if call.answer is not None:
            return call.answer
        raise _error_of(*(call.error or ("", "The recorded call failed.")))

    async def aclose(self) -> None:
        """Nothing is open."""


def _error_of(code: str, message: str) -> ModelError:
    kinds: Mapping[str, type[ModelError]] = {
        kind.code: kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, ModelError)
    }
    return kinds.get(code, ModelError)(message)
