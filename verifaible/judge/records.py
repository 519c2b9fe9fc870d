"""Answers in files that are no table: JSON, also as the crypto harness writes it, and Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from verifaible.check.source_files import read_listed
from verifaible.errors import ConfigError, RunError
from verifaible.evidence.sources import SourceOrigin, plain
from verifaible.judge.context import sources_in_context
from verifaible.judge.draft import DATES, Draft, TextFile, moment_of, read_text, tags_of
from verifaible.schema.analyst import AnalystAnswer, InputFault

_QUERIES: Final = ("query", "question")
_ANSWERS: Final = ("answer", "response")
_TITLE: Final = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


def read_markdown(path: Path) -> Draft:
    """One answer in a file; its query is the first heading, or the name of the file.

    Raises:
        RunError: the file cannot be read.
    """
    source = read_text(path)
    title = _TITLE.search(source.text)
    return _draft({"query": title[1] if title else path.stem, "answer": source.text}, path, source)


# --- JSON


def read_records(path: Path) -> tuple[list[Draft], list[InputFault]]:
    """Answers as JSON: a record a line, or a list of records.

    A record has ``query``, ``answer``, and where they are known ``model``, ``sources``
    (:class:`~verifaible.check.source_files.ListedSource`), ``context``, ``answered_at``, ``tags``; the other
    fields are kept in ``columns``. Or it is an :class:`~verifaible.schema.analyst.AnalystAnswer`, as the
    crypto harness writes them: its sources are captures already.

    Raises:
        RunError: the file cannot be read, or no line of it is such a record.
    """
    source = read_text(path)
    drafts: list[Draft] = []
    faults: list[InputFault] = []
    for place, value in _values(source.text):
        if isinstance(value, dict) and any(name in value for name in (*_ANSWERS, *_QUERIES)):
            drafts.append(_own(value, path, source) or _record(value, path, source))
            continue
        why = f"not JSON ({value})" if isinstance(value, Exception) else "no record with query and answer"
        message = f"{path.name}, {place} is {why}: its answer is not judged. Correct it."
        faults.append(InputFault(code="source_unreadable", message=message))
    if not drafts:
        told = faults[0].message if faults else "It is empty."
        raise RunError(f"{path} has no answers. {told} A line is {{query, model, answer, sources}}.")
    return drafts, faults


def _values(text: str) -> Iterator[tuple[str, Any]]:
    """Each record with its place; an exception for a line that is none."""
    try:
        whole = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        whole = None
    if whole is not None:
        several = whole if isinstance(whole, list) else [whole]
        yield from ((f"record {number}", each) for number, each in enumerate(several, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line, strict=False)
            except (ValueError, RecursionError) as error:
                yield f"line {number}", error


def _own(value: dict[str, Any], path: Path, source: TextFile) -> Draft | None:
    """An answer in our own form, whose sources were sealed when the tools gave them."""
    try:
        return Draft(AnalystAnswer.model_validate(value, strict=False), _origin(path, source))
    except ValidationError:
        return None


def _record(value: dict[str, Any], path: Path, source: TextFile) -> Draft:
    draft = _draft(value, path, source)
    if value.get("sources"):
        listed = json.dumps(value["sources"], ensure_ascii=False)
        if plain(listed) != listed:
            draft.fault(
                "encoding", "Half surrogate pairs in its sources are kept as U+FFFD. Export it again."
            )
        try:
            draft.sources = list(read_listed(plain(listed).encode(), path.parent, name="The field sources"))
        except ConfigError as error:
            draft.fault("source_unreadable", str(error))
    draft.sources += sources_in_context(_text(value.get("context")), [each.id for each in draft.sources])
    # a list of addresses alone does not say what the model had
    draft.update(sources_known=bool(draft.sources))
    return draft


def _draft(value: Mapping[str, Any], path: Path, source: TextFile) -> Draft:
    """An answer by its fields."""
    used = {"model", "tags", "sources", "context", _key(value, _QUERIES), _key(value, _ANSWERS)}
    answer = AnalystAnswer.model_construct(
        id="",
        origin="markdown",
        model=_text(value.get("model")),
        query=_text(_first(value, _QUERIES)),
        answer=_text(_first(value, _ANSWERS)),
        tags=tags_of(value.get("tags")),
        answered_at=moment_of(_first(value, DATES)),
        columns={name: _text(each) for name, each in value.items() if name not in used},
    )
    draft = Draft(answer, _origin(path, source))
    if source.damaged and "\ufffd" in json.dumps(value, ensure_ascii=False):
        draft.fault(
            "encoding",
            f"{path.name} is not all {source.encoding}: what cannot be decoded is shown as U+FFFD. Save it "
            "as UTF-8.",
        )
    return draft


def _origin(path: Path, source: TextFile) -> SourceOrigin:
    return SourceOrigin(kind="markdown", name=path.name, sha256=source.sha256)


def _key(value: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if value.get(name) not in (None, "")), "")


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return value.get(_key(value, names))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
