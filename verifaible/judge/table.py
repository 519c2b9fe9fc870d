"""The CSV of the public benchmark: ``query``, ``tags``, ``<model>_response``, ``<model>_chat_id``.

Tables of one answer a row (``query``, ``answer`` or ``response``, mostly ``model``) are read, too. Columns of
nobody's are kept in the answer's ``columns``; names count with their capital letters.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from verifaible.errors import RunError
from verifaible.evidence.sources import SourceOrigin
from verifaible.judge.draft import DATES, Draft, moment_of, read_text, tags_of
from verifaible.schema.analyst import AnalystAnswer

#: What may be behind a model's name; a date may have no model before it.
_RESPONSE: Final = "_response"
_CHAT_ID: Final = "_chat_id"
_ANSWERS: Final = ("response", "answer")
_DELIMITERS: Final = ",;\t"


def read_table(path: Path) -> tuple[list[tuple[Draft, str]], tuple[str, ...]]:
    """The answers of a table, each with the id of its chat, and its models in the order of the columns.

    Raises:
        RunError: it cannot be read, has no column ``query`` or no answers, or two columns of one name.
    """
    source = read_text(path)
    header, *lines = _lines(path, source.text)
    if "query" not in header:
        raise RunError(
            f"{path} has no column query; its first row is: {', '.join(header)[:300]}. Give the columns "
            "query and tags (in small letters), and <model>_response for each model."
        )
    if twice := sorted({name for name in header if name and header.count(name) > 1}):
        raise RunError(f"{path} has several columns called {', '.join(twice)}. Rename them.")
    ends = (_RESPONSE, _CHAT_ID)
    named = (name.removesuffix(end) for name in header for end in ends if name.endswith(end))
    models = tuple(dict.fromkeys(name for name in named if name))
    tall = any(name in header for name in _ANSWERS) and ("model" in header or not models)
    origin = SourceOrigin(kind="csv", name=path.name, sha256=source.sha256)
    drafts: list[tuple[Draft, str]] = []
    for number, line in enumerate(lines, 1):
        names = [*header, *(f"column {at}" for at in range(len(header) + 1, len(line) + 1))]
        row = dict(zip(names, line, strict=False))
        several = _answers(row, () if tall else models) if any(value.strip() for value in line) else ()
        for answer, chat_id in several:
            drafts.append((draft := Draft(answer, origin), chat_id))
            if source.damaged and any("\ufffd" in value for value in line):
                draft.fault(
                    "encoding",
                    f"Row {number} could not be decoded as the rest of {path.name}: what is lost is U+FFFD. "
                    "Save the table as UTF-8.",
                )
    found = tuple(dict.fromkeys(draft.answer.model for draft, _ in drafts)) if tall else models
    if not found:
        raise RunError(
            f"{path} has queries but no answers: there is no column <model>_response or <model>_chat_id. "
            "Give a table with answers, or one of query, model and answer."
        )
    return drafts, found


def _answers(row: Mapping[str, str], models: Sequence[str]) -> Iterator[tuple[AnalystAnswer, str]]:
    """The answers of a row, each with the id of its chat; without models it is a row of one answer."""
    ends = (_RESPONSE, _CHAT_ID, *(f"_{name}" for name in DATES))
    ours = {"query", "tags"} | ({f"{model}{end}" for model in models for end in ends} or {"model", *_ANSWERS})
    for model in models or (row.get("model", ""),):
        begin = f"{model}_" if models else ""
        dates = (*(f"{begin}{name}" for name in DATES), *DATES)
        answers = (f"{model}{_RESPONSE}",) if models else _ANSWERS
        answer = AnalystAnswer(
            id="",
            origin="csv",
            model=model,
            query=row.get("query", ""),
            answer=next((row[name] for name in answers if name in row), ""),
            tags=tags_of(row.get("tags")),
            answered_at=moment_of(next((row[name] for name in dates if row.get(name)), "")),
            columns={name: value for name, value in row.items() if name not in ours},
        )
        yield answer, row.get(f"{begin}chat_id", "").strip()


def _lines(path: Path, text: str) -> list[list[str]]:
    """The lines of a table, the first one without blanks around its names."""
    head = text.partition("\n")[0]
    with _large_fields():
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=head.count), strict=True
        )
        try:
            lines = list(reader)
        except csv.Error as error:
            raise RunError(
                f"{path} is damaged at line {reader.line_num} ({error}): a quote may never be closed. Export "
                "it again as CSV."
            ) from error
    if not lines:
        raise RunError(f"{path} is empty. Give a CSV with the columns query, tags and <model>_response.")
    return [[name.strip() for name in lines[0]], *lines[1:]]


@contextmanager
def _large_fields() -> Iterator[None]:
    """Let fields be of any size: an answer may have megabytes."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)
