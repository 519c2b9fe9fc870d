"""Loading cases: a folder with one JSON file a case, or one file in the public test-set format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import rfc8785
from pydantic import Field, ValidationError

from verifaible.errors import CaseError
from verifaible.runs.lines import write_whole
from verifaible.schema.base import Record
from verifaible.schema.case import Case

RecordT = TypeVar("RecordT", bound=Record)

_TYPES_BY_CATEGORY = {"text": ("text",), "table": ("table",)}


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
    return [f"{option} {name}: there is no such {what}{there}" for name in sorted(wanted - known)]


def _load_file(path: Path, faults: list[str], built_in: Path | None) -> list[Case]:
    try:
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
