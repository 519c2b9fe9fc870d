"""The sources that a text names, before any is opened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from verifaible.errors import ConfigError, RunError
from verifaible.evidence.sources import SourceDraft, SourceKeeper, SourceOrigin
from verifaible.judge.check.given import Given
from verifaible.judge.inputs.making import AnswerDraft, Maker
from verifaible.judge.inputs.marks import find_marks
from verifaible.judge.inputs.references import Reference, listed_in
from verifaible.judge.inputs.resolving import Resolver
from verifaible.judge.inputs.sidecar import read_sources
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.store.store import Store

#: Stands for the capture of a source that is not opened yet.
UNOPENED: Final = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A text with its sources.

    Attributes:
        answer: the text with all sources; those that are not in the store have no capture yet.
        labels: by id, how the text refers to a source.
    """

    answer: AnalystAnswer
    labels: dict[str, str]


def name_sources(given: Given, store: Store, files: Sequence[SourceDraft] = ()) -> Named:
    """What a text names: files that were given, citations of the store, and addresses to open.

    Args:
        given: the text.
        store: where files go, and where cited citations are.
        files: sources that were given as files; they go before the web.

    Raises:
        StoreError: the store cannot be written.
    """
    listed = listed_in(given.text).references
    targets = list(dict.fromkeys(each for mark in find_marks(given.text) for each in mark.targets))
    urls = [each for each in targets if "://" in each] + [each.url for each in listed.values() if each.url]
    draft = AnswerDraft(
        kind="markdown",
        origin=SourceOrigin(kind="markdown", name=PurePosixPath(given.name).name, sha256=given.sha256),
        model="",
        query=given.title or given.name,
        answer=given.text,
        drafts=[_with_address(each, urls) for each in files],
    )
    with SourceKeeper(store) as keeper:
        answer = Maker(store, keeper).make(draft)
    sources = list(answer.sources)
    labels: dict[str, str] = {}
    for name in dict.fromkeys([*targets, *listed]):
        reference = listed.get(name, Reference(name, name if "://" in name else ""))
        found = Resolver(sources, listed).resolve([name]).cites
        if not found and (reference.url or name in listed) and not name.startswith("@v:"):
            sources.append(
                Source(id=name, kind="page", url=reference.url, title=reference.title, capture=UNOPENED)
            )
            found = (name,)
        for each in found:
            labels.setdefault(each, _label(name, reference))
    return Named(answer.model_copy(update={"sources": tuple(sources)}), labels)


def _label(name: str, reference: Reference) -> str:
    if name.isdigit():
        return f"[{name}]"
    return reference.title if "://" in name else name.removeprefix("^") if name.startswith("^") else name


def _with_address(draft: SourceDraft, urls: Iterable[str]) -> SourceDraft:
    """A file that is called as an address ends is the source at that address."""
    if draft.url:
        return draft
    for url in urls:
        last = PurePosixPath(unquote(urlsplit(url).path)).name
        if draft.id.casefold() in (last.casefold(), PurePosixPath(last).stem.casefold()) and last:
            return draft.model_copy(update={"url": url})
    return draft


def files_of(path: Path) -> tuple[SourceDraft, ...]:
    """Sources that were given as files: a folder, or a JSON list.

    Raises:
        ConfigError: there is nothing there, or it cannot be read.
    """
    try:
        return tuple(read_sources(path).drafts)
    except RunError as error:
        raise ConfigError(f"--sources: {error}") from error
