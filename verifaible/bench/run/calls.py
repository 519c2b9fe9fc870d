"""The calls of a run to its models, kept by content, and given again to a run without a model.

``calls/blobs.jsonl`` holds every message, tool list, form and answer once, by the SHA-256 of its sorted JSON;
``calls/index.jsonl`` names for each call what was asked and what came back. A trial that is repeated gives
the same tools the same calls, on the same archives, so its evidence is made and verified again: only the
model's words come from the recording.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from verifaible import errors
from verifaible.bench.run.folder import CALLS, RunFolder
from verifaible.errors import InfrastructureError, LimitReached, ModelError, RunError
from verifaible.llm.base import AnswerForm, ModelClient
from verifaible.runs.lines import Lines, usable
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ModelTurn, ToolSpec
from verifaible.schema.run import TrialKey, TrialResult

_PASSING = re.compile(r"(is verified and stored \(|: done in )(?:[0-9a-z-]{8,}|\d+(?= ms))")


class _Blob(Record):
    sha256: str
    value: JsonValue


class RecordedCall(Record):
    """One call of a model: what was asked, and what came back, as digests of blobs.

    ``attempt`` names one attempt at the trial among all that were made; ``error`` is the code and the
    message of a call that failed.
    """

    model: str
    case: str
    trial: int
    attempt: str
    tools: str
    messages: tuple[str, ...]
    form: str = ""
    answer: str = ""
    error: tuple[str, str] | None = None


class CallRecorder:
    """Keeps the calls of a run in its folder."""

    def __init__(self, folder: Path) -> None:
        path = folder / CALLS
        with usable(path):
            path.mkdir(exist_ok=True)
        self._blobs = Lines(path / "blobs.jsonl", _Blob)
        self._index = Lines(path / "index.jsonl", RecordedCall)
        self._kept = {blob.sha256 for blob in self._blobs}

    def wrapped(self, client: ModelClient, key: TrialKey, attempt: str) -> ModelClient:
        """The client of one attempt at a trial, each of whose calls is kept."""
        return _Recording(client, self, key, attempt)

    def keep(self, *values: Record | Sequence[Record]) -> list[str]:
        """Keep values, each once; gives their digests."""
        plain = [_plain(value) for value in values]
        digests = [_digest(each) for each in plain]
        new = {digest: each for digest, each in zip(digests, plain, strict=True) if digest not in self._kept}
        self._blobs.add(*(_Blob(sha256=digest, value=each) for digest, each in new.items()))
        self._kept.update(new)
        return digests

    def add(self, call: RecordedCall) -> None:
        """Keep a call whose blobs are kept."""
        self._index.add(call)


class _Recording:
    def __init__(self, client: ModelClient, calls: CallRecorder, key: TrialKey, attempt: str) -> None:
        self._client = client
        self._calls = calls
        self._key = key
        self._attempt = attempt

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        given = self._calls.keep(tools, *messages, *([form] if form else []))
        asked = RecordedCall(
            **self._key.model_dump(),
            attempt=self._attempt,
            tools=given[0],
            messages=tuple(given[1 : len(messages) + 1]),
            form=given[-1] if form else "",
        )
        try:
            turn = await self._client.complete(messages, tools, form=form)
        except ModelError as error:
            self._calls.add(asked.model_copy(update={"error": (error.code, str(error))}))
            raise
        (answer,) = self._calls.keep(turn)
        self._calls.add(asked.model_copy(update={"answer": answer}))
        return turn

    async def aclose(self) -> None:
        return


class CallReplay:
    """The recorded calls of a run, to be given again.

    Args:
        run: the folder of a run that was made with ``--record-calls``.

    Attributes:
        run: the same.
        exact: requests so far that were word for word those of the recording, but for the ids of citations
            and the time that steps took.
        differing: the others, as ``model case trial turn: what differs``.
    """

    def __init__(self, run: RunFolder) -> None:
        path = run.path / CALLS
        self.run = run
        self._ended = {result.key: result for result in run.results()}
        self._blobs = {blob.sha256: blob.value for blob in Lines(path / "blobs.jsonl", _Blob)}
        self._attempts: dict[TrialKey, tuple[str, list[RecordedCall]]] = {}
        for call in Lines(path / "index.jsonl", RecordedCall):
            key = TrialKey(model=call.model, case=call.case, trial=call.trial)
            if self._attempts.get(key, ("", []))[0] != call.attempt:
                self._attempts[key] = (call.attempt, [])  # the last attempt is the one that counts
            self._attempts[key][1].append(call)
        if not self._attempts:
            raise RunError(
                f"{run.path} has no recorded calls. Name the folder of a run made with --record-calls."
            )
        self.exact = 0
        self.differing: list[str] = []

    def client(self, key: TrialKey) -> ModelClient:
        """A client that gives the answers of one recorded trial in their order."""
        return _Replaying(self, key, self._attempts.get(key, ("", []))[1], self._ended.get(key))

    def boundary_key(self, key: TrialKey) -> str:
        """What the boundaries of the recorded trial were drawn from; empty where it did not end.

        Raises:
            RunError: its transcript is not there or damaged.
        """
        return self.run.transcript(key).boundary_key if key in self._ended else ""

    def value(self, sha256: str) -> Any:
        """What a digest stands for.

        Raises:
            RunError: it is not in the recording, or is another.
        """
        value = self._blobs.get(sha256)
        if value is None or _digest(value) != sha256:
            raise RunError(
                f"{self.run.path}: the recorded calls are damaged ({sha256[:12]}). Record them again."
            )
        return value

    def compare(
        self,
        call: RecordedCall,
        turn: int,
        messages: Sequence[Message],
        tools: Any,
        form: AnswerForm | None = None,
    ) -> None:
        """Note whether a request is the recorded one."""
        pairs = zip(messages, call.messages, strict=False)
        different = next((at for at, (now, then) in enumerate(pairs) if not self._is(now, then)), None)
        what = ""
        if _digest(_plain(tools)) != call.tools:
            what = "the tools"
        elif (_digest(_plain(form)) if form else "") != call.form:
            what = "the form of the answer"
        elif different is not None:
            then = _steady(str(self.value(call.messages[different]).get("text", "")))
            now = _steady(messages[different].text)
            what = f"message {different + 1}, {_first_difference(then, now)}"
        elif len(messages) != len(call.messages):
            what = f"{len(messages)} messages instead of {len(call.messages)}"
        if what:
            self.differing.append(f"{call.model} {call.case} trial {call.trial} turn {turn}: {what}")
        else:
            self.exact += 1

    def _is(self, message: Message, sha256: str) -> bool:
        plain = _plain(message)
        if _digest(plain) == sha256:
            return True
        then = self.value(sha256)
        return bool(
            _steady(message.text) == _steady(str(then.get("text", "")))
            and {**plain, "text": ""} == {**then, "text": ""}
        )


class _Replaying:
    def __init__(
        self, replay: CallReplay, key: TrialKey, calls: Sequence[RecordedCall], ended: TrialResult | None
    ) -> None:
        self._replay = replay
        self._key = key
        self._calls = calls
        self._ended = ended
        self._turn = 0

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        if self._turn >= len(self._calls):
            raise self._over()
        call = self._calls[self._turn]
        self._turn += 1
        self._replay.compare(call, self._turn, messages, tools, form)
        if call.error is not None:
            raise _error_of(*call.error)
        return ModelTurn.model_validate(self._replay.value(call.answer))

    async def aclose(self) -> None:
        return

    def _over(self) -> Exception:
        """The recorded trial ended here; it ends again for that reason, or the replay has left its way."""
        ended = self._ended
        if ended is not None and ended.ended_by == "seconds":
            return LimitReached("seconds", ended.error or "The recorded trial ended at its time limit.")
        return InfrastructureError(
            f"The recording has no answer {self._turn + 1} of {self._key.model} in {self._key.case}, trial "
            f"{self._key.trial}: the replay took another way than the recorded trial."
        )


def _error_of(code: str, message: str) -> ModelError:
    kinds: Mapping[str, type[ModelError]] = {
        kind.code: kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, ModelError)
    }
    return kinds.get(code, ModelError)(message)


def _steady(text: str) -> str:
    """A text without what no repetition shares: the ids of citations, and how long a step took."""
    return _PASSING.sub(lambda match: f"{match[1]}*", text)


def _plain(value: Record | Sequence[Record]) -> Any:
    if isinstance(value, Record):
        return value.model_dump(mode="json", exclude_defaults=True)
    return [_plain(each) for each in value]


def _digest(plain: Any) -> str:
    # not RFC 8785: an endpoint's own items may hold integers that it has no form for
    text = json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _first_difference(then: str, now: str) -> str:
    """Where two texts part, with a few words of each."""
    at = next(
        (at for at, (a, b) in enumerate(zip(then, now, strict=False)) if a != b), min(len(then), len(now))
    )
    start = max(0, at - 20)
    return f"from character {at + 1}: {then[start : at + 40]!r} is now {now[start : at + 40]!r}"
