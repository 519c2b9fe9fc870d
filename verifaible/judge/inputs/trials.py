"""The trials of a run of the bench as answers; their citations and what their tools gave are the sources."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verifaible.bench.run.folder import RunFolder, Transcript
from verifaible.errors import RunError
from verifaible.evidence.given.given import SourceDraft, SourceOrigin
from verifaible.judge.inputs.context import Piece, drafts_of, named
from verifaible.judge.inputs.making import AnswerDraft
from verifaible.schema.analyst import SourceKind
from verifaible.schema.run import ToolEvent, TrialResult

#: The file of a run that has its trials.
RESULTS = "results.jsonl"
_READING = ("fetch", "analyze", "page", "transcript", "steps", "browse", "open")


def is_run(path: Path) -> bool:
    """Whether a folder is a run of the bench."""
    return (path / "run.json").is_file()


def read_trials(path: Path) -> Iterator[tuple[AnswerDraft, dict[str, str]]]:
    """The answers of a run, each with the ids of its citations by number.

    Raises:
        RunError: the folder is damaged.
    """
    folder = RunFolder(path)
    folder.info()
    for result in folder.results():
        yield _draft(folder, result, path), {str(each.number): each.id for each in result.citations}


def _draft(folder: RunFolder, result: TrialResult, path: Path) -> AnswerDraft:
    named_by = f"{result.model}, {result.case}, trial {result.trial}"
    draft = AnswerDraft(
        kind="trial",
        origin=SourceOrigin(kind="trial", name=f"{path.name}: {named_by}"),
        model=result.model,
        query=result.case,
        answer=result.answer,
        tags=tuple(each for each in (result.category,) if each),
        answered_at=result.finished_at,
        columns={
            "case": result.case,
            "trial": str(result.trial),
            "ended_by": result.ended_by,
            "error": result.error or "",
        },
    )
    try:
        transcript = folder.transcript(result.key)
    except RunError as error:
        there = any((path / "trials").glob(f"*--{result.case}--{result.trial}.json"))
        code = "trace_unreadable" if there else "trace_missing"
        draft.fault(code, f"The transcript of {named_by} cannot be used: {error}")
        return draft
    digest = hashlib.sha256(transcript.model_dump_json().encode()).hexdigest()
    draft.origin = draft.origin.model_copy(update={"sha256": digest})
    draft.query = transcript.question or result.case
    draft.drafts = list(sources_of(transcript))
    draft.listed = True
    return draft


def sources_of(transcript: Transcript) -> tuple[SourceDraft, ...]:
    """What the tools of a trial gave the model, in order; a search gives its results one by one."""
    drafts: list[SourceDraft] = []
    for number, event in enumerate(_calls(transcript), 1):
        name = f"call {number}"
        if "search" in event.name and not event.error_code:
            found = drafts_of(event.result, taken=[each.id for each in drafts])
            drafts += [each.model_copy(update={"title": each.title or event.name}) for each in found]
            continue
        url = _address(event.arguments)
        piece = Piece(event.result, _kind(event, url), (), name, url, event.name)
        drafts += named([piece], taken=[each.id for each in drafts])
    return tuple(drafts)


def _calls(transcript: Transcript) -> Iterator[ToolEvent]:
    for event in transcript.events:
        if isinstance(event, ToolEvent) and event.result.strip():
            yield event


def _kind(event: ToolEvent, url: str) -> SourceKind:
    if event.error_code or "cite" in event.name:
        return "context"
    if event.result.lstrip()[:1] in ("{", "["):
        return "api"
    return "page" if url and any(word in event.name for word in _READING) else "context"


def _address(arguments: str) -> str:
    try:
        said: Any = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(said, dict):
        return ""
    found = (said.get(name) for name in ("url", "source_url", "video_url", "link"))
    return next((each for each in found if isinstance(each, str) and each), "")
