"""Sources that are given as files beside a text: a folder of them, named by id, or a list in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from verifaible.claims.references import ID_WORDS
from verifaible.errors import ConfigError
from verifaible.evidence.sources import SourceDraft, plain
from verifaible.schema.analyst import SourceKind

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
_NUMBERED: Final = re.compile(rf"{ID_WORDS}[ _\-#.:]?0*(\d{{1,4}})", re.IGNORECASE)


class ListedSource(BaseModel):
    """A source of a list: its words, its data, or a file beside the list; else nothing but its address."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str = ""
    url: str = ""
    title: str = ""
    kind: SourceKind | None = None
    text: str = ""
    data: Any = None
    file: str = ""
    media_type: str = ""
    aliases: tuple[str, ...] = ()
    at: datetime | None = None

    def draft(self, name: str, folder: Path) -> SourceDraft | None:
        """It with its bytes; None of one that is nothing but an address: that is opened."""
        media = self.media_type
        if self.file:
            file = folder / self.file
            if not file.resolve().is_relative_to(folder.resolve()):
                raise ConfigError(f"--sources: {self.file} is no file beside the list. Correct its name.")
            body, media = _bytes_of(file), media or _MEDIA.get(file.suffix.lower(), "")
        elif self.text.strip():
            body = self.text.encode("utf-8", "surrogatepass")
        elif self.data is not None:
            body = json.dumps(self.data, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
            media = media or "application/json"
        else:
            return None
        by_media: dict[str, SourceKind] = {"application/json": "api", "text/html": "page"}
        return SourceDraft(
            id=plain(self.id or name),
            kind=self.kind or by_media.get(media, "document"),
            body=body,
            url=plain(self.url),
            title=plain(self.title),
            media_type=plain(media),
            aliases=tuple(map(plain, self.aliases)),
            at=self.at,
        )


def read_source_files(path: Path) -> tuple[SourceDraft, ...]:
    """The sources of a folder, or those of a JSON list or of a JSON object by id (:class:`ListedSource`).

    Raises:
        ConfigError: there is nothing at the path, or something of it cannot be read.
    """
    listed = path / LIST_NAME if path.is_dir() else path
    if not path.is_dir() or listed.is_file():
        data = _bytes_of(listed)
        return read_listed(data.removeprefix(b"\xef\xbb\xbf"), listed.parent, name=f"--sources: {listed}")
    files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
    if not files:
        raise ConfigError(
            f"--sources: {path} has no sources. Put files named by their id into it, or {LIST_NAME}."
        )
    found_there = [ListedSource(file=each.name).draft(each.stem, path) for each in files]
    return with_unique_ids([draft for draft in found_there if draft is not None])


def read_listed(data: bytes, folder: Path, *, name: str) -> tuple[SourceDraft, ...]:
    """The sources of a JSON list, or of a JSON object by id (:class:`ListedSource`).

    Args:
        data: the JSON.
        folder: where the files are that it names.
        name: what it is called in an error.

    Raises:
        ConfigError: it is no such list, or a file of it cannot be read.
    """
    try:
        found = _LISTS.validate_json(data)
    except ValidationError as error:
        raise ConfigError(
            f"{name} is no list of sources ({error.errors()[0]['msg']}). "
            "Give JSON: a list of {id, url, title, text or file}."
        ) from error
    named = found.items() if isinstance(found, dict) else enumerate(found, 1)
    drafts = [each.draft(str(key), folder) for key, each in named]
    return with_unique_ids([draft for draft in drafts if draft is not None])


_LISTS: Final = TypeAdapter[list[ListedSource] | dict[str, ListedSource]](
    list[ListedSource] | dict[str, ListedSource]
)


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


def with_unique_ids(drafts: Sequence[SourceDraft], taken: Collection[str] = ()) -> tuple[SourceDraft, ...]:
    """The same with ids of their own; the shared one, and the number of such as ``src_5``, are aliases.

    Args:
        drafts: the sources.
        taken: ids that others have already.
    """
    used = set(taken)
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
