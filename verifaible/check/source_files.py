"""Sources that are given as files beside a text: a folder of them, named by id, or a list in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from verifaible.errors import ConfigError
from verifaible.evidence.sources import SourceDraft, plain
from verifaible.extract.charset import decode_html, is_utf8

LIST_NAME: Final = "sources.json"
_MAX_BYTES: Final = 256 * 1024 * 1024
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
_TEXT_FIELDS: Final = ("text", "content", "markdown", "body", "snippet", "html")
_DATA_FIELDS: Final = ("data", "json", "response", "result")
_ID_FIELDS: Final = ("id", "src_id", "source_id", "ref")
_NUMBERED: Final = re.compile(
    r"(?:src|source|ref|reference|doc|document|cit|cite|citation)[ _\-#.:]?0*(\d{1,4})", re.IGNORECASE
)


def read_source_files(path: Path) -> tuple[SourceDraft, ...]:
    """The sources of a folder, or those that a JSON list names: ``{id, url, title, text or file}`` each.

    Raises:
        ConfigError: there is nothing at the path, or something of it cannot be read.
    """
    if path.is_dir() and not (path / LIST_NAME).is_file():
        files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
        if not files:
            raise ConfigError(
                f"--sources: {path} has no sources. Put files named by their id into it, or {LIST_NAME}."
            )
        return _with_unique_ids([_from_file(file.stem, file, {}) for file in files])
    listed = path / LIST_NAME if path.is_dir() else path
    data = _bytes_of(listed)
    text = decode_html(data, "text/plain; charset=utf-8" if is_utf8(data) else "text/plain").text
    try:
        if listed.suffix.lower() in (".jsonl", ".ndjson"):
            value: Any = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            value = json.loads(text.removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"--sources: {listed} is not JSON ({error}). Give a list of {{id, url, title, text or file}}."
        ) from error
    found = (_from_record(*each, listed.parent) for each in _records(value))
    return _with_unique_ids([draft for draft in found if draft is not None])


def _records(value: Any) -> Iterator[tuple[str, Any]]:
    """The records of a list or of an object by id, each with its id; ids of lists count from 1."""
    if isinstance(value, dict) and isinstance(value.get("sources"), list | dict):
        value = value["sources"]
    if isinstance(value, dict):
        yield from ((str(name), record) for name, record in value.items())
    elif isinstance(value, list):
        yield from ((str(number), record) for number, record in enumerate(value, 1))


def _from_record(name: str, record: Any, folder: Path) -> SourceDraft | None:
    """None of one that is nothing but an address: it is opened."""
    if isinstance(record, str):
        return _draft(name, record.encode("utf-8", "surrogatepass"), {}) if record.strip() else None
    if not isinstance(record, dict):
        return None
    name = next((str(record[key]) for key in _ID_FIELDS if record.get(key)), name)
    if record.get("file"):
        file = folder / str(record["file"])
        if not file.resolve().is_relative_to(folder.resolve()):
            raise ConfigError(f"--sources: {record['file']} is no file beside the list. Correct its name.")
        return _from_file(name, file, record)
    text = next((record[key] for key in _TEXT_FIELDS if record.get(key)), None)
    if isinstance(text, str):
        media = {"media_type": "text/html"} if record.get("html") == text else {}
        return _draft(name, text.encode("utf-8", "surrogatepass"), {**media, **record})
    value = text if text is not None else next((record[key] for key in _DATA_FIELDS if key in record), None)
    if value is None:
        return None
    data = json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
    return _draft(name, data, {"media_type": "application/json", **record})


def _from_file(name: str, file: Path, record: Mapping[str, Any]) -> SourceDraft:
    media = _MEDIA.get(file.suffix.lower(), "")
    return _draft(name, _bytes_of(file), {"media_type": media, **record})


def _draft(name: str, data: bytes, record: Mapping[str, Any]) -> SourceDraft:
    media = record.get("media_type") if isinstance(record.get("media_type"), str) else ""
    by_media = {"application/json": "api", "text/html": "page"}
    kind = record.get("kind") or record.get("type")
    aliases = record.get("aliases")
    fields = {
        "id": plain(name),
        "kind": kind if kind in _KINDS else by_media.get(str(media), "document"),
        "body": data,
        "url": plain(str(record.get("url") or "")),
        "title": plain(str(record.get("title") or "")),
        "media_type": plain(str(media)),
        "aliases": tuple(map(plain, map(str, aliases))) if isinstance(aliases, list) else (),
    }
    moment = next((record[key] for key in ("at", "fetched_at", "retrieved_at") if record.get(key)), None)
    try:
        return SourceDraft.model_validate({**fields, "at": moment})
    except ValidationError:  # a moment in words of their own
        return SourceDraft.model_validate(fields)


def _bytes_of(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            data = opened.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"--sources: {file} cannot be read ({reason}). Correct its name.") from error
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"--sources: {file} has more than {_MAX_BYTES:,} bytes. Give a part of it.")
    return data


def _with_unique_ids(drafts: Sequence[SourceDraft]) -> tuple[SourceDraft, ...]:
    """The same with ids of their own; the shared one, and the number of such as ``src_5``, are aliases."""
    used: set[str] = set()
    apart: list[SourceDraft] = []
    for draft in drafts:
        name, number = draft.id, 1
        while name in used:
            number += 1
            name = f"{draft.id}#{number}"
        used.add(name)
        numbered = _NUMBERED.fullmatch(draft.id)
        also = [*draft.aliases, draft.id, *([numbered[1]] if numbered else [])]
        aliases = tuple(each for each in dict.fromkeys(also) if each != name)
        apart.append(draft.model_copy(update={"id": name, "aliases": aliases}))
    return tuple(apart)
