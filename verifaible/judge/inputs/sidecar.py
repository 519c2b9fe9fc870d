"""Sources given beside an answer: a folder of files named by id, or a list in JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from verifaible.errors import RunError
from verifaible.evidence.sources import SourceDraft, plain
from verifaible.judge.inputs.context import Piece, named
from verifaible.judge.inputs.decoding import decoded, read_bytes
from verifaible.judge.inputs.fields import moment_of
from verifaible.schema.analyst import InputFault, SourceKind

LIST: Final = "sources.json"
_MEDIA: Final = {
    ".json": "application/json",
    ".html": "text/html",
    ".htm": "text/html",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".pdf": "application/pdf",
    ".xml": "application/xml",
}
_KINDS: Final = frozenset({"page", "api", "snippet", "document", "context"})
_TEXTS: Final = ("text", "content", "markdown", "body", "snippet", "html")
_DATA: Final = ("data", "json", "response", "result")


@dataclass(slots=True)
class Given:
    """Sources of a list or a folder; ``references`` are those of which only the address is known."""

    drafts: list[SourceDraft] = field(default_factory=list)
    faults: list[InputFault] = field(default_factory=list)
    sha256: str = ""

    def fault(self, message: str) -> None:
        """Note a source that cannot be used."""
        self.faults.append(InputFault(code="source_unreadable", message=message))


def read_sources(path: Path) -> Given:
    """The sources of a folder or a list.

    Raises:
        RunError: there is nothing at the path, or the list is no JSON.
    """
    if not path.is_dir():
        return _read_list(path)
    if (path / LIST).is_file():
        return _read_list(path / LIST)
    given = Given()
    hasher = hashlib.sha256()
    for file in sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith(".")):
        data = read_bytes(file)
        hasher.update(f"{file.name}\0".encode() + hashlib.sha256(data).digest())
        given.drafts.append(_file_draft(file.stem, file, data, {}))
    if not given.drafts:
        raise RunError(f"{path} has no sources. Put files named by their id into it, or {LIST}.")
    given.drafts = _apart(given.drafts)
    given.sha256 = hasher.hexdigest()
    return given


def _read_list(path: Path) -> Given:
    data = read_bytes(path)
    text, _, _ = decoded(data)
    try:
        if path.suffix.lower() in (".jsonl", ".ndjson"):
            value: Any = [json.loads(line, strict=False) for line in text.split("\n") if line.strip()]
        else:
            value = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise RunError(
            f"{path} is not JSON ({error}). Give a list of {{id, url, title, text or file}}."
        ) from error
    given = given_sources(value, path.parent)
    given.sha256 = hashlib.sha256(data).hexdigest()
    return given


def given_sources(value: Any, folder: Path | None) -> Given:
    """The sources of a JSON value: a list of records, or a record by id.

    Args:
        value: the value; other forms are faults, and nothing is raised.
        folder: where files are that a record names; None: none may be named.
    """
    given = Given()
    for number, (name, record) in enumerate(_records(value), 1):
        draft = _draft(name or str(number), record, folder, given)
        if draft is not None:
            given.drafts.append(draft)
    given.drafts = _apart(given.drafts)
    return given


def _records(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and isinstance(value.get("sources"), list | dict):
        value = value["sources"]
    if isinstance(value, dict):
        for name, record in value.items():
            yield str(name), record
    elif isinstance(value, list):
        for record in value:
            yield "", record
    elif value is not None:
        yield "", value


def _draft(name: str, record: Any, folder: Path | None, given: Given) -> SourceDraft | None:
    if isinstance(record, str):
        return _text_draft(name, record, {}) if record.strip() else None
    if not isinstance(record, dict):
        return _json_draft(name, record, {}) if record is not None else None
    own = next(
        (
            str(record[key])
            for key in ("id", "src_id", "source_id", "ref")
            if record.get(key) not in (None, "")
        ),
        name,
    )
    if record.get("file") and folder is not None:
        return _listed_file(own, record, folder, given)
    found = next((record[key] for key in _TEXTS if record.get(key) not in (None, "", [])), None)
    if found is None:
        found = next((record[key] for key in _DATA if record.get(key) is not None), None)
    if found is None:
        return None  # only an address: the answer's marks that lead to it are broken
    return _text_draft(own, found, record) if isinstance(found, str) else _json_draft(own, found, record)


def _listed_file(name: str, record: dict[str, Any], folder: Path, given: Given) -> SourceDraft | None:
    file = folder / str(record["file"])
    try:
        inside = file.resolve().is_relative_to(folder.resolve())
        if not inside or not file.is_file():
            given.fault(f"Source {name}: {record['file']} is no file beside the list. Correct its name.")
            return None
        return _file_draft(name, file, read_bytes(file), record)
    except (OSError, ValueError, RunError) as error:
        given.fault(f"Source {name}: {record['file']} cannot be read ({error}). Correct its name.")
        return None


def _file_draft(name: str, file: Path, data: bytes, record: dict[str, Any]) -> SourceDraft:
    media = _media_of(record) or _MEDIA.get(file.suffix.lower(), "")
    default: SourceKind = "api" if media == "application/json" else "document"
    return _made(name, data, record, media, "page" if media == "text/html" else default)


def _text_draft(name: str, text: str, record: dict[str, Any]) -> SourceDraft:
    media = _media_of(record) or ("text/html" if record.get("html") == text else "")
    default: SourceKind = "page" if record.get("url") else "document"
    return _made(name, text.encode("utf-8", "surrogatepass"), record, media, default)


def _json_draft(name: str, value: Any, record: dict[str, Any]) -> SourceDraft:
    data = json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
    return _made(name, data, record, "application/json", "api")


def _media_of(record: dict[str, Any]) -> str:
    media = record.get("media_type")
    return media if isinstance(media, str) else ""


def _made(name: str, data: bytes, record: dict[str, Any], media: str, default: SourceKind) -> SourceDraft:
    kind = record.get("kind") or record.get("type")
    moment = next((record[key] for key in ("at", "fetched_at", "retrieved_at") if record.get(key)), None)
    aliases = record.get("aliases")
    return SourceDraft.model_validate(
        {
            "id": plain(name),
            "kind": kind if isinstance(kind, str) and kind in _KINDS else default,
            "body": data,
            "url": plain(str(record.get("url") or "")),
            "title": plain(str(record.get("title") or "")),
            "media_type": plain(media),
            "aliases": tuple(plain(str(each)) for each in aliases) if isinstance(aliases, list) else (),
            "at": moment_of(moment),
        }
    )


def _apart(drafts: list[SourceDraft]) -> list[SourceDraft]:
    """The same with ids that are unique, and the numbers of ids such as ``src_5`` as aliases."""
    pieces = [Piece("", draft.kind, (), draft.id, draft.url, draft.title) for draft in drafts]
    return [
        draft.model_copy(
            update={"id": name.id, "aliases": tuple(dict.fromkeys((*draft.aliases, *name.aliases)))}
        )
        for draft, name in zip(drafts, named(pieces), strict=True)
    ]
