"""The public form of a run: the table of answers, and a trace for each, as the public scripts read them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from verifaible.crypto.records import HarnessTrial
from verifaible.runs.lines import usable, write_whole

ANSWERS = "answers.csv"
TRACES = "output"


def folder_name(model: str) -> str:
    """A model's name as the columns and folders have it: letters, digits, ``-``, ``_`` and ``.``."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", model).strip("-.") or "model"


def write_trace(folder: Path, trial: HarnessTrial) -> Path:
    """Write ``output/<model>/traces/<chat_id>.json``, whole.

    Its input holds every source under its mark (:class:`HarnessTrial`, ``shown``); its output the answer.

    Raises:
        RunError: it cannot be written.
    """
    path = folder / TRACES / folder_name(trial.answer.model) / "traces" / f"{trial.chat_id}.json"
    _write(path, json.dumps(trace(trial), ensure_ascii=False, indent=1) + "\n")
    return path


def trace(trial: HarnessTrial) -> dict[str, Any]:
    """The trace of a trial."""
    answer, span = trial.answer, trial.answer.span
    context = [
        {"src_id": source.id, "url": source.url, "content": trial.shown.get(source.id, "")}
        for source in answer.sources
    ]
    messages = [
        {"role": "user", "content": answer.query},
        {"role": "user", "content": json.dumps(context, ensure_ascii=False)},
    ]
    # of the query's own time, not of the machine's: a run may be asked as of another day
    asked = answer.answered_at or trial.started_at
    told = {"messages": messages, "model": folder_name(answer.model)}
    said = {"choices": [{"message": {"role": "assistant", "content": answer.answer}}]}
    return {
        "session_id": span.session_id,
        "traces": [
            {
                "trace_id": span.trace_id,
                "spans": [
                    {
                        "name": span.span_name,
                        "context.span_id": span.span_id,
                        "span_kind": span.span_kind,
                        "parent_id": span.parent_id or None,
                        "start_time": (asked - timedelta(seconds=trial.duration_s)).isoformat(),
                        "end_time": asked.isoformat(),
                        "attributes.input.value": json.dumps(told, ensure_ascii=False),
                        "attributes.output.value": json.dumps(said, ensure_ascii=False),
                    }
                ],
            }
        ],
    }


def write_table(folder: Path, trials: Sequence[HarnessTrial], model: str) -> Path:
    """Write ``answers.csv``: ``query``, ``tags``, ``<model>_response``, ``<model>_chat_id``; a row a trial.

    Raises:
        RunError: it cannot be written.
    """
    name = folder_name(model)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(("query", "tags", f"{name}_response", f"{name}_chat_id"))
    writer.writerows(
        (each.answer.query, _tags(each.answer.tags), each.answer.answer, each.chat_id) for each in trials
    )
    _write(folder / ANSWERS, text.getvalue())
    return folder / ANSWERS


def _tags(tags: Sequence[str]) -> str:
    """One tag as it is, several as a list."""
    return tags[0] if len(tags) == 1 else json.dumps(tags, ensure_ascii=False) if tags else ""


def write_answers(folder: Path, trials: Iterable[HarnessTrial]) -> Path:
    """Write ``answers.jsonl``: an :class:`~verifaible.schema.analyst.AnalystAnswer` a line.

    Raises:
        RunError: it cannot be written.
    """
    lines = (each.answer.model_dump_json(exclude_defaults=True) + "\n" for each in trials)
    _write(folder / "answers.jsonl", "".join(lines))
    return folder / "answers.jsonl"


def _write(path: Path, text: str) -> None:
    with usable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
