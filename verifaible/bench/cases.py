"""Cases: loaded from a folder with one JSON file a case, or from the public test set; chosen; doubted."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, TypeVar

import rfc8785
from pydantic import Field, ValidationError

from verifaible.archive.urls import site_of
from verifaible.errors import CaseError
from verifaible.runs.lines import write_whole
from verifaible.schema.base import Record
from verifaible.schema.case import Case, ListExpected, NumberExpected
from verifaible.scoring.match import answer_markers, expectation, match_answer
from verifaible.text.flat import folded

RecordT = TypeVar("RecordT", bound=Record)

#: Parts of which a category is made, as in ``text/table`` and ``dynamic+pdf``.
CATEGORIES: Final = frozenset({"text", "table", "dynamic", "pdf", "video", "image"})
_PLACEHOLDER = re.compile(r"\{\d+\}")
#: A case is a page of text; more is another file that was named by mistake.
MAX_FILE_BYTES: Final = 4_000_000
_TYPES_BY_CATEGORY: Final = {"text": ("text",), "table": ("table",)}


class PublicCase(Record):
    """A case as the public ``testset.json`` has it; ``evidence_type`` may name several, with ``|``."""

    id: str
    category: str
    evidence_type: str = ""
    url: str
    question: str
    answer: str


class PublicSet(Record):
    """The public test set (format version 2.0)."""

    version: str = ""
    description: str = ""
    cases: tuple[dict[str, Any], ...] = Field(min_length=1)


def load_cases(source: Path, built_in: Path | None = None) -> tuple[Case, ...]:
    """Load and check every case; the order is that of file names, or of the file.

    Args:
        source: a folder of case files, a single case file, or a file in the public format.
        built_in: folder whose cases lend their oracle to public cases of the same id and URL.

    Raises:
        CaseError: with ``path: message`` for every fault found in any file.
    """
    faults: list[str] = []
    if source == built_in and not source.exists():
        raise CaseError(
            [f"{source}: does not exist. Install verifaible-cases, or name your own with --cases"]
        )
    if source.is_dir():
        files = sorted(source.glob("*.json"))
        if not files:
            raise CaseError([f"{source}: the folder has no .json file"])
        found = [(path, case) for path in files for case in _load_file(path, faults, built_in)]
    else:
        found = [(source, case) for case in _load_file(source, faults, built_in)]
    faults += _duplicates(found)
    if faults:
        raise CaseError(faults)
    return tuple(case for _, case in found)


def one_case(name: str, source: Path, built_in: Path) -> Case:
    """A case by its id, or the one of a file.

    Raises:
        CaseError: there is none.
    """
    path = Path(name)
    if path.suffix == ".json" and path.is_file():
        found = load_cases(path, built_in)
        if len(found) == 1:
            return found[0]
    known = {case.id: case for case in load_cases(source, built_in)}
    if name in known:
        return known[name]
    near = get_close_matches(name, known, 1)
    meant = f"; did you mean {near[0]}?" if near else ""
    raise CaseError([f"{name}: there is no such case{meant}"])


def accept_pages(source: Path, case_id: str, pages: Sequence[str]) -> Path:
    """Add addresses to the pages of a case, in its file, and give the file.

    Raises:
        CaseError: no file of a single case below ``source`` has this id.
        RunError: the file cannot be written; it is as it was.
    """
    for path in sorted(source.rglob("*.json")) if source.is_dir() else [source]:
        found = [case for case in _load_file(path, [], None) if case.id == case_id]
        raw = json.loads(path.read_bytes().decode("utf-8-sig")) if found else {}
        if raw.get("id") == case_id:
            raw["pages"] = list(dict.fromkeys([*found[0].trusted_pages, *pages]))
            write_whole(path, json.dumps(raw, ensure_ascii=False, indent=2) + "\n")
            return path
    raise CaseError(
        [f"{source}: no file of a single case has the id {case_id}; name its folder with --cases"]
    )


def digest(case: Case) -> str:
    """SHA-256 of a case's canonical JSON: equal digests, equal cases.

    Fields that are left out do not count, so that a field which is new in the format changes no digest.
    """
    return hashlib.sha256(rfc8785.dumps(case.model_dump(mode="json", exclude_defaults=True))).hexdigest()


def select(
    cases: Iterable[Case],
    *,
    ids: Iterable[str] = (),
    categories: Iterable[str] = (),
    tags: Iterable[str] = (),
    limit: int | None = None,
) -> tuple[Case, ...]:
    """The cases with these ids, categories and tags; an empty filter lets all through.

    Args:
        cases: to choose from.
        ids: any of these.
        categories: any of these.
        tags: any of these.
        limit: so many of the chosen at most, the first ones.

    Raises:
        CaseError: an id, a category or a tag that no case has, or none that has all that was asked for.
    """
    cases, wanted_ids, wanted = tuple(cases), set(ids), set(categories)
    wanted_tags = set(tags)
    faults = [
        *_unknown("--case", "case", wanted_ids, {case.id for case in cases}, listed=False),
        *_unknown("--category", "category", wanted, {case.category for case in cases}),
        *_unknown("--tag", "tag", wanted_tags, {tag for case in cases for tag in case.tags}),
    ]
    if faults:
        raise CaseError(faults)
    chosen = tuple(
        case
        for case in cases
        if (not wanted_ids or case.id in wanted_ids)
        and (not wanted or case.category in wanted)
        and (not wanted_tags or wanted_tags & set(case.tags))
    )
    if not chosen:
        raise CaseError(["no case has all of the given --case, --category and --tag: leave one out"])
    return chosen[:limit]


def _unknown(option: str, what: str, wanted: set[str], known: set[str], *, listed: bool = True) -> list[str]:
    there = f" (there are: {', '.join(sorted(known)) or 'none'})" if listed else ""

    def meant(name: str) -> str:
        near = get_close_matches(name, known, 1)
        return f"; did you mean {near[0]}?" if near and not listed else ""

    return [
        f"{option} {name}: there is no such {what}{there}{meant(name)}" for name in sorted(wanted - known)
    ]


def _load_file(path: Path, faults: list[str], built_in: Path | None) -> list[Case]:
    try:
        if (size := path.stat().st_size) > MAX_FILE_BYTES:
            faults.append(f"{path}: has {size:,} bytes; a file of cases has at most {MAX_FILE_BYTES:,}")
            return []
        data = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        faults.append(f"{path}: cannot be read ({error.strerror})")
        return []
    except (ValueError, RecursionError) as error:
        faults.append(f"{path}: is not JSON ({error})")
        return []
    if isinstance(data, dict) and "cases" in data:
        return _load_public(path, data, faults, built_in)
    case = _validated(Case, data, str(path), faults)
    return [case] if case is not None else []


def _load_public(path: Path, data: dict[str, Any], faults: list[str], built_in: Path | None) -> list[Case]:
    whole = _validated(PublicSet, data, str(path), faults)
    if whole is None:
        return []
    oracles = _oracles(built_in)
    cases = []
    for index, entry in enumerate(whole.cases):
        where = f"{path}: cases.{index}"
        public = _validated(PublicCase, entry, where, faults)
        if public is None:
            continue
        known = oracles.get((public.id, public.url))
        types = tuple(filter(None, public.evidence_type.split("|"))) or _TYPES_BY_CATEGORY.get(
            public.category, ()
        )
        fields = {
            "id": public.id,
            "category": public.category,
            "url": public.url,
            "question": public.question,
            "answer": public.answer,
            "evidence_types": types,
            "language": known.language if known else "",
            "oracle": known.oracle if known else None,
            "pages": known.pages if known else (),
            "tags": known.tags if known else (),
        }
        case = _validated(Case, fields, where, faults)
        if case is not None:
            cases.append(case)
    return cases


def _oracles(folder: Path | None) -> dict[tuple[str, str], Case]:
    if folder is None or not folder.is_dir():
        return {}
    faults: list[str] = []
    cases = [case for path in sorted(folder.glob("*.json")) for case in _load_file(path, faults, None)]
    if faults:
        raise CaseError(faults)
    return {(case.id, case.url): case for case in cases}


def _validated(kind: type[RecordT], data: object, where: str, faults: list[str]) -> RecordT | None:
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            place = ".".join(str(part) for part in fault["loc"])
            message = fault["msg"].removeprefix("Value error, ")
            faults.append(f"{where}: {place}: {message}" if place else f"{where}: {message}")
        return None


def _duplicates(found: list[tuple[Path, Case]]) -> list[str]:
    first: dict[str, Path] = {}
    faults = []
    for path, case in found:
        if case.id in first:
            faults.append(f"{path}: id: {case.id!r} is the id of a case in {first[case.id]} already")
        first.setdefault(case.id, path)
    return faults


# --- doubts


def lint(case: Case, *, extended: bool = False) -> tuple[str, ...]:
    """What is doubtful in a case, one sentence each; nothing here keeps it from being run.

    Args:
        case: the case.
        extended: whether it belongs to a set in which every case names its difficulty.
    """
    return tuple(_lint(case, extended))


def _lint(case: Case, extended: bool) -> Iterator[str]:
    expected = expectation(case)
    own = match_answer(case.answer, expected, question=case.question)
    if not own.correct:
        yield f"answer: its own expectation does not take it. {own.explanation}"
    if match_answer(case.question, expected).correct:
        yield "question: it states the answer."
    unknown = sorted(set(re.split(r"[/+,]", case.category)) - CATEGORIES)
    if unknown:
        yield f"category: {', '.join(unknown)} is none of {', '.join(sorted(CATEGORIES))}."
    if not case.evidence_types:
        yield "evidence_types: none is named, so any evidence counts."
    if not case.context:
        yield "context: nothing is named, so the same value of another period or place would count."
    for item in case.context:
        if match_answer(item, expected).correct:
            yield f"context: {item!r} states the answer."
    if _needs_unit(case):
        yield "expect.unit: the answer has a unit, the expectation has none."
    yield from (
        f"expect.unit: this case's answer has no unit: '{item.value:f}' accepts any currency. "
        'Give its unit; "unit": "" says that it has none.'
        for item in _unitless(case)
    )
    if not case.language:
        yield "language: it is not given."
    if extended and not case.difficulty:
        yield "difficulty: it is not given."
    yield from _lint_oracle(case)


def _needs_unit(case: Case) -> bool:
    derived = expectation(case.model_copy(update={"expect": None}))
    given = expectation(case)
    return (
        isinstance(derived, NumberExpected)
        and isinstance(given, NumberExpected)
        and bool(derived.unit)
        and not given.unit
    )


def _unitless(case: Case) -> tuple[NumberExpected, ...]:
    """The numbers that are expected without a unit, where nobody wrote that they have none."""
    expected = expectation(case)
    items = expected.items if isinstance(expected, ListExpected) else (expected,)
    numbers = (item for item in items if isinstance(item, NumberExpected) and not item.unit)
    return tuple(item for item in numbers if case.expect is None or "unit" not in item.model_fields_set)


def _lint_oracle(case: Case) -> Iterator[str]:
    if case.oracle is None:
        yield "oracle: there is none, so nothing proves that the case can be solved."
        return
    template = _PLACEHOLDER.sub(" … ", case.oracle.answer)
    expected = expectation(case)
    items = expected.items if isinstance(expected, ListExpected) else (expected,)
    if any(match_answer(template, item, question=case.question).correct for item in items):
        yield "oracle.answer: it states the answer itself instead of {1}, so it would hide a changed page."
    if not answer_markers(case.oracle.answer):
        yield "oracle.answer: it has no marker such as [@v:1]."
    for number, step in enumerate(case.oracle.steps, start=1):
        url = step.arguments.get("source_url") or step.arguments.get("url")
        if isinstance(url, str) and site_of(url) != site_of(case.url):
            yield f"oracle.steps.{number}: {site_of(url)} is not the case's site {site_of(case.url)}."


def lint_all(cases: Sequence[Case], *, extended: bool = False) -> dict[str, tuple[str, ...]]:
    """The doubts about every case, by id, those about several of them included."""
    found = {case.id: list(lint(case, extended=extended)) for case in cases}
    first: dict[tuple[str, str], str] = {}
    for case in cases:
        key = (case.url, folded(case.question))
        if key in first:
            found[case.id].append(f"question: {first[key]} asks the same of the same page.")
        first.setdefault(key, case.id)
    return {name: tuple(doubts) for name, doubts in found.items()}
