"""Questions answered without a conversation: one, or the queries of a table into a folder.

``harness.json`` says what a run is made of, ``trials.jsonl`` takes a line the moment a query is done. From
it are made ``answers.jsonl`` for our judge, and in the form of the public scripts ``answers.csv`` and a trace
of each answer; in these a mark names its source alone, ``[src_2]``, as their readers know it.
"""

from __future__ import annotations

import ast
import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

from pydantic import Field

from verifaible.crypto.chat.conversations import Answered, ChatEvent, Evidence, TextDelta, Turn, TurnEnded
from verifaible.crypto.chat.turn import Analyst, History, run_turn
from verifaible.crypto.query import Understanding, prompts_sha256
from verifaible.crypto.runs import Result, RunInfo, begin, fill, folder_name, read_csv
from verifaible.errors import RunError
from verifaible.runs.lines import Lines, usable, write_whole
from verifaible.schema.analyst import AnalystAnswer, InputFault, SpanIds
from verifaible.schema.chat import Usage
from verifaible.text.markers import find_data_marks

RUN: Final = "harness.json"
TRIALS: Final = "trials.jsonl"
#: The name of the span as the public scripts look for it, spelling included.
SPAN_NAME: Final = "Cyrpto Final Response"


class Trial(Result):
    """A line of ``trials.jsonl``: a query, and the turn that answered it.

    Attributes:
        turn: its number is the row of the query, from 1.
        tags: of the query; a model is told none of them.
        asked_at: the time that it was asked as of; the answer is judged by it.
        shown: of each source, by its mark, what the public trace has as its context.
    """

    model: str
    turn: Turn
    tags: tuple[str, ...] = ()
    asked_at: datetime
    started_at: datetime
    understanding: Understanding
    shown: dict[str, str] = Field(default_factory=dict)

    @property
    def end(self) -> Answered | TurnEnded:
        """How it ended."""
        return self.turn.end or TurnEnded(reason="stopped", error=self.error)

    @property
    def chat_id(self) -> str:
        """Names its trace."""
        return _hash(self.model, str(self.row), self.turn.prompt, self.started_at.isoformat())[:32]

    @property
    def answer(self) -> AnalystAnswer:
        """The answer as judges read it; without a text it has a fault that says why."""
        end, query, model = self.end, self.turn.prompt, self.model
        text = end.text if isinstance(end, Answered) else ""
        return AnalystAnswer(
            id=_hash(model, query, text)[:20],
            origin="trial",
            model=model,
            query=query,
            tags=self.tags,
            answer=text,
            answered_at=self.asked_at,
            sources=end.sources if isinstance(end, Answered) else (),
            sources_known=True,
            span=SpanIds(
                session_id=self.chat_id,
                trace_id=_hash(self.chat_id, "trace")[:32],
                span_id=_hash(self.chat_id, "span")[:16],
                span_name=SPAN_NAME,
                span_kind="LLM",
            ),
            faults=() if text else (InputFault(code="empty_answer", message=self.error),),
        )


async def ask(
    query: str,
    analyst: Analyst,
    *,
    model: str,
    as_of: datetime | None = None,
    row: int = 1,
    tags: Sequence[str] = (),
    watch: Callable[[ChatEvent], None] = lambda event: None,
) -> Trial:
    """Answer a query, its sources sealed in the store of the analyst.

    Args:
        query: in any language.
        analyst: what it is answered with.
        model: its name in what is written.
        as_of: the time that it is asked as of; default the present.
        row: its number.
        tags: of the query.
        watch: told of every event.
    """
    started, events = datetime.now(UTC), list[ChatEvent]()

    def tell(told: ChatEvent | Evidence) -> None:
        if not isinstance(told, Evidence):  # the end of the turn has it
            events.extend([] if isinstance(told, TextDelta) else [told])
            watch(told)

    made = await run_turn(query, analyst, History(query, as_of=as_of), tell, tags=tags)
    end = made.end if isinstance(made.end, TurnEnded) else None
    return Trial(
        row=row,
        error=(end.error or end.reason) if end else "",
        error_code=end.error_code if end else "",
        usage=made.end.usage,
        model=model,
        turn=Turn(number=row, prompt=query, events=tuple(events)),
        tags=tuple(tags),
        asked_at=made.at,
        started_at=started,
        understanding=made.understanding,
        shown=made.shown,
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """A query of a file: its number from 1, its words, its tags."""

    row: int
    query: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run has come to: the last trial of each row that was asked for, in their order; ``left`` rows
    have none. The folder may have further rows.
    """

    folder: Path
    trials: tuple[Trial, ...]
    left: int

    @property
    def answered(self) -> int:
        """How many have an answer."""
        return sum(not each.error for each in self.trials)

    @property
    def usage(self) -> Usage:
        """Tokens and cost of the trials that count."""
        return sum((each.usage for each in self.trials), Usage())


#: Told of each query that is done: its trial, how many are, and of how many.
Told: TypeAlias = Callable[[Trial, int, int], None]


async def run_queries(
    queries: Sequence[Asked],
    folder: Path,
    analyst: Analyst,
    *,
    model: str,
    as_of: datetime | None = None,
    at_once: int = 1,
    most_cost_usd: float | None = None,
    told: Told = lambda trial, done, of: None,
    watch: Callable[[ChatEvent], None] = lambda event: None,
) -> RunReport:
    """Answer queries into a folder; rows that it has an answer to are not asked again.

    A query that fails keeps its line, with the reason and an empty answer, and is asked again when the run
    goes on.

    Raises:
        RunError: the folder is of another run or cannot be written, or the model will refuse every query.
    """
    locked: dict[str, Any] = {
        "preset": analyst.preset,
        "switches": analyst.switches.model_dump(),
        "limits": analyst.limits.model_dump(),
        "rewriting": analyst.rewriting,
        "web": analyst.context.web.mode,
        "prompts_sha256": prompts_sha256(),
        "as_of": as_of.isoformat() if as_of else "",
    }
    begin(folder / RUN, RunInfo(model=model, locked=locked))
    lines = Lines(folder / TRIALS, Trial, sparse=False, alone=True)
    words = {each.row: each.query for each in queries}
    for trial in lines:
        if words.get(trial.row, trial.turn.prompt) != trial.turn.prompt:
            raise RunError(
                f"Row {trial.row} of the queries is not the one that {folder} has an answer to. Use the same "
                "file, or another folder."
            )

    async def one(each: Asked, left: float | None) -> Trial:
        within = _limited(analyst, left)
        return await ask(
            each.query, within, model=model, as_of=as_of, row=each.row, tags=each.tags, watch=watch
        )

    try:
        await fill(
            lines,
            {each.row: partial(one, each) for each in queries},
            at_once=at_once,
            most_cost_usd=most_cost_usd,
            told=told,
        )
    finally:
        last = {trial.row: trial for trial in lines}
        trials = tuple(last[row] for row in sorted(last))
        publish(folder, trials, model)
    wanted = tuple(trial for trial in trials if trial.row in words)
    return RunReport(folder, wanted, len(words) - len(wanted))


def _limited(analyst: Analyst, left: float | None) -> Analyst:
    """The same, for a question that may cost no more than what is left."""
    costs = [cost for cost in (analyst.limits.cost_usd, left) if cost is not None]
    limits = analyst.limits.model_copy(update={"cost_usd": min(costs, default=None)})
    return replace(analyst, limits=limits)


# --- the public files


def read_queries(path: Path) -> tuple[Asked, ...]:
    """The queries of a CSV with the columns ``query`` and ``tags``, in order, with the number of their row.

    Raises:
        RunError: it cannot be read, is empty, or has no column ``query``.
    """
    _, rows = read_csv(path, needs="query")
    return tuple(
        Asked(number, row["query"], _tags(row.get("tags", "")))
        for number, (_, row) in enumerate(rows, 1)
        if row.get("query", "").strip()
    )


def _tags(written: str) -> tuple[str, ...]:
    """Tags: a list as Python or JSON writes it, or one a line."""
    values: object = None
    if written.strip().startswith(("[", "(")):
        try:
            values = ast.literal_eval(written.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            values = None
    listed = map(str, values) if isinstance(values, list | tuple) else written.splitlines()
    return tuple(dict.fromkeys(filter(None, (each.strip() for each in listed))))


def publish(folder: Path, trials: Sequence[Trial], model: str) -> None:
    """Write ``answers.jsonl``, ``answers.csv`` and ``output/<model>/traces/<chat_id>.json``.

    Raises:
        RunError: the folder cannot be written.
    """
    name = folder_name(model)
    answers = (each.answer.model_dump_json(exclude_defaults=True) + "\n" for each in trials)
    write_whole(folder / "answers.jsonl", "".join(answers))
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(("query", "tags", f"{name}_response", f"{name}_chat_id"))
    traces = folder / "output" / name / "traces"
    with usable(traces):
        traces.mkdir(parents=True, exist_ok=True)
    for each in trials:
        tags = each.tags[0] if len(each.tags) == 1 else json.dumps(each.tags) if each.tags else ""
        table.writerow((each.turn.prompt, tags, public_text(each.answer.answer), each.chat_id))
        path = traces / f"{each.chat_id}.json"
        if not path.is_file():
            write_whole(path, json.dumps(trace(each), ensure_ascii=False, indent=1) + "\n")
    write_whole(folder / "answers.csv", text.getvalue())


def public_text(answer: str) -> str:
    """An answer whose marks name their sources alone."""
    for mark in reversed(find_data_marks(answer)):
        names = " ".join(f"[{each}]" for each in dict.fromkeys(name for name, _ in mark.places))
        answer = answer[: mark.start] + names + answer[mark.end :]
    return answer


def trace(trial: Trial) -> dict[str, Any]:
    """The trace of a trial: its input has under the mark of each source what the model was shown of it, its
    output the answer.
    """
    answer, span = trial.answer, trial.answer.span
    context = [
        {"src_id": source.id, "url": source.url, "content": trial.shown.get(source.id, "")}
        for source in answer.sources
        if source.kind != "citation"
    ]
    messages = [
        {"role": "user", "content": answer.query},
        {"role": "user", "content": json.dumps(context, ensure_ascii=False)},
    ]
    said = {"choices": [{"message": {"role": "assistant", "content": public_text(answer.answer)}}]}
    took = trial.end.duration_s if isinstance(trial.end, Answered) else 0.0
    told = {
        "name": span.span_name,
        "context.span_id": span.span_id,
        "span_kind": span.span_kind,
        "parent_id": None,
        # of the query's own time, not of the machine's: a run may be asked as of another day
        "start_time": (trial.asked_at - timedelta(seconds=took)).isoformat(),
        "end_time": trial.asked_at.isoformat(),
        "attributes.input.value": json.dumps(
            {"messages": messages, "model": folder_name(answer.model)}, ensure_ascii=False
        ),
        "attributes.output.value": json.dumps(said, ensure_ascii=False),
    }
    return {"session_id": span.session_id, "traces": [{"trace_id": span.trace_id, "spans": [told]}]}


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
