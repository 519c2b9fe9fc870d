"""Answers in Markdown or plain text, and answers as JSON, one a line or in a list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from verifaible.errors import RunError
from verifaible.evidence.sources import SourceOrigin
from verifaible.judge.inputs.context import drafts_of
from verifaible.judge.inputs.decoding import InputText, read_text
from verifaible.judge.inputs.fields import moment_of, tags_from
from verifaible.judge.inputs.making import AnswerDraft
from verifaible.judge.inputs.sidecar import Given, given_sources
from verifaible.schema.analyst import InputFault

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^([A-Za-z_][\w \-]{0,40}?)[ \t]*:[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE)
_TITLE = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_QUERIES: Final = ("query", "question", "prompt")
_ANSWERS: Final = ("answer", "response", "output", "text")
_DATES: Final = ("answered_at", "date", "timestamp", "created_at", "time", "finished_at")


def read_markdown(path: Path, *, query: str, model: str) -> AnswerDraft:
    """One answer in a file. A head between ``---`` lines may name query, model, date and tags.

    Without a query of its own or a given one, the first heading is the query, or the name of the file.

    Raises:
        RunError: the file cannot be read.
    """
    source = read_text(path)
    front = _FRONT.match(source.text)
    said = (
        {match[1].strip().lower(): match[2].strip("\"' ") for match in _FIELD.finditer(front[1])}
        if front
        else {}
    )
    known = front is not None and any(name in said for name in (*_QUERIES, "model", *_DATES))
    text = source.text[front.end() :] if front is not None and known else source.text
    title = _TITLE.search(text)
    draft = AnswerDraft(
        kind="markdown",
        origin=SourceOrigin(kind="markdown", name=path.name, sha256=source.sha256),
        model=model or said.get("model", ""),
        query=query or _first(said, _QUERIES) or (title[1] if title else path.stem),
        answer=text,
        tags=tags_from(said.get("tags", "")),
        answered_at=moment_of(_first(said, _DATES)),
    )
    if known:
        draft.columns = dict(said)
    _note_damage(draft, source)
    return draft


def _note_damage(draft: AnswerDraft, source: InputText) -> None:
    if source.damaged:
        draft.fault(
            "encoding",
            f"{draft.origin.name} is not all {source.encoding}: what cannot be decoded is shown as U+FFFD. "
            "Save it as UTF-8.",
        )


def read_records(path: Path) -> tuple[list[AnswerDraft], list[InputFault]]:
    """Answers as JSON: a record a line, a list of records, or one record.

    A record has ``query``, ``answer``, and where they are known ``model``, ``sources``, ``context``,
    ``answered_at``, ``tags``; the other fields are kept in ``columns``.

    Raises:
        RunError: the file cannot be read, or no line of it is such a record.
    """
    source = read_text(path)
    drafts: list[AnswerDraft] = []
    faults: list[InputFault] = []
    for place, value in _values(source.text, faults, path.name):
        if not isinstance(value, dict) or not any(name in value for name in (*_ANSWERS, *_QUERIES)):
            message = f"{path.name}, {place}: this is no record with query and answer. Correct it."
            faults.append(InputFault(code="source_unreadable", message=message))
            continue
        draft = _record(value, path, source)
        if source.damaged and "\ufffd" in json.dumps(value, ensure_ascii=False):
            _note_damage(draft, source)
        drafts.append(draft)
    if not drafts:
        told = faults[0].message if faults else "It is empty."
        raise RunError(f"{path} has no answers. {told} A line is {{query, model, answer, sources}}.")
    return drafts, faults


def _values(text: str, faults: list[InputFault], name: str) -> Iterator[tuple[str, Any]]:
    try:
        whole = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and not any(key in whole for key in (*_ANSWERS, *_QUERIES)):
        whole = next(
            (whole[key] for key in ("answers", "records", "items") if isinstance(whole.get(key), list)), whole
        )
    if whole is not None:
        for number, each in enumerate(whole if isinstance(whole, list) else [whole], 1):
            yield f"record {number}", each
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", json.loads(line, strict=False)
        except (ValueError, RecursionError) as error:
            message = f"{name}, line {number} is not JSON ({error}): its answer is not judged. Correct it."
            faults.append(InputFault(code="source_unreadable", message=message))


def _record(value: dict[str, Any], path: Path, source: InputText) -> AnswerDraft:
    used = {_key(value, names) for names in (_QUERIES, _ANSWERS)} | {"model", "tags", "sources", "context"}
    draft = AnswerDraft(
        kind="markdown",
        origin=SourceOrigin(kind="markdown", name=path.name, sha256=source.sha256),
        model=_text(value.get("model")),
        query=_first(value, _QUERIES),
        answer=_answer(value),
        tags=tags_from(value.get("tags")),
        answered_at=moment_of(next((value[name] for name in _DATES if value.get(name)), None)),
        columns={str(name): _text(each) for name, each in value.items() if name not in used},
    )
    given = given_sources(value.get("sources"), path.parent)
    take_given(draft, given)
    context = _text(value.get("context"))
    if context.strip():
        draft.drafts += drafts_of(context, taken=[each.id for each in draft.drafts])
    # A list of addresses alone does not say what the model had.
    draft.listed = bool(draft.drafts)
    return draft


def take_given(draft: AnswerDraft, given: Given) -> None:
    """Give an answer the sources of a list."""
    draft.drafts += given.drafts
    draft.faults += given.faults
    draft.listed = draft.listed or bool(given.drafts)


def _key(value: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if value.get(name) not in (None, "")), "")


def _first(value: dict[str, Any], names: tuple[str, ...]) -> str:
    name = _key(value, names)
    return _text(value[name]) if name else ""


def _answer(value: dict[str, Any]) -> str:
    """The answer of a record; one in parts, as interfaces of models give it, is their texts."""
    found = value.get(_key(value, _ANSWERS))
    if isinstance(found, list) and found and all(_part_text(each) is not None for each in found):
        return "\n".join(str(_part_text(each)) for each in found)
    return _text(found)


def _part_text(part: Any) -> str | None:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else None


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
