"""Conversations: the events of a turn, from which every screen is drawn, and how they are kept.

A conversation is a folder, its files readable after a kill at any moment.
``conversation.json`` says what it was begun with, ``events.jsonl`` takes every event but the pieces of an
answer, which its end has whole, and ``evidence.jsonl`` what the tools found: sources, values, computed ones.
"""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from verifaible.errors import ConfigError, RunError
from verifaible.runs.folder import held, new_folder, read_info
from verifaible.runs.lines import DamagedLine, Lines, usable, write_whole
from verifaible.schema.analyst import Source
from verifaible.schema.base import Record, StorableText
from verifaible.schema.chat import Usage
from verifaible.schema.data import Computed, DataPoint, Display, NumberEvidence


class TurnStarted(Record):
    """A person's words were taken in."""

    type: Literal["turn_started"] = "turn_started"
    turn: int
    prompt: str


class ToolStarted(Record):
    """The caller called a tool; ``arguments`` is the JSON text it sent."""

    type: Literal["tool_started"] = "tool_started"
    call: str
    name: str
    arguments: str


class ToolFinished(Record):
    """A tool replied; ``text`` is what the models read."""

    type: Literal["tool_finished"] = "tool_finished"
    call: str
    name: str
    text: str
    error_code: str = ""
    displays: tuple[Display, ...] = ()
    duration_s: float = 0.0


class TextDelta(Record):
    """A further piece of the answer, as the answerer writes it.

    With ``fresh`` the answer begins anew with it: what was written so far of this turn is dropped.
    """

    type: Literal["text_delta"] = "text_delta"
    text: StorableText
    fresh: bool = False


class Answered(Record):
    """The turn ended with an answer."""

    type: Literal["answered"] = "answered"
    text: str
    numbers: tuple[NumberEvidence, ...] = ()
    sources: tuple[Source, ...] = ()
    computed: tuple[Computed, ...] = ()
    usage: Usage = Field(default_factory=Usage)
    duration_s: float = 0.0


class TurnEnded(Record):
    """The turn ended without an answer: a person stopped it, a limit was reached, or it failed."""

    type: Literal["turn_ended"] = "turn_ended"
    reason: Literal["stopped", "limit", "failed"]
    error: str = ""
    error_code: str = ""
    usage: Usage = Field(default_factory=Usage)


ChatEvent: TypeAlias = Annotated[
    TurnStarted | ToolStarted | ToolFinished | TextDelta | Answered | TurnEnded, Field(discriminator="type")
]


INFO: Final = "conversation.json"
FORMAT: Final = 1
_ID: Final = re.compile(r"\d{8}T\d{6}Z-chat(-\d+)?")
_TITLE_CHARACTERS: Final = 80


class ConversationInfo(Record):
    """What a conversation was begun with.

    Attributes:
        caller: name of the model that chooses the tools.
        answerer: of the one that writes.
        web: where its tools look.
        as_of: the time that it is held at; None: the present of each turn.
    """

    format: int = 1
    started_at: datetime
    caller: str
    answerer: str
    web: Literal["live", "offline"] = "live"
    as_of: datetime | None = None


class Turn(Record):
    """A prompt and what became of it; ``end`` is None while it is under way, and after a kill."""

    number: int
    prompt: str
    events: tuple[ChatEvent, ...] = ()

    @property
    def end(self) -> Answered | TurnEnded | None:
        """How it ended."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Answered | TurnEnded) else None


class _Line(Record):
    at: datetime
    event: ChatEvent


class Evidence(Record):
    """What the tools of a turn found."""

    sources: tuple[Source, ...] = ()
    points: tuple[DataPoint, ...] = ()
    computed: tuple[Computed, ...] = ()


class Conversation:
    """One conversation in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.id = folder.name
        self.info = read_info(
            folder / INFO, ConversationInfo, FORMAT, "Delete the conversation, or update this program."
        )
        self._events = Lines(folder / "events.jsonl", _Line, sparse=False, alone=True)
        self._evidence = Lines(folder / "evidence.jsonl", Evidence)

    def turns(self) -> tuple[Turn, ...]:
        """Its turns; one that was tried again stands for what it replaced.

        Raises:
            RunError: the files cannot be read.
        """
        found: list[tuple[TurnStarted, list[ChatEvent]]] = []
        for line in self._events:
            if isinstance(line.event, TurnStarted):
                found = [each for each in found if each[0].turn < line.event.turn]
                found.append((line.event, []))
            elif found:
                found[-1][1].append(line.event)
        return tuple(
            Turn(number=start.turn, prompt=start.prompt, events=tuple(events)) for start, events in found
        )

    @property
    def title(self) -> str:
        """The beginning of its first prompt; empty before there is one."""
        starts = (line.event.prompt for line in self._events if isinstance(line.event, TurnStarted))
        words = " ".join(next(starts, "").split())
        return words if len(words) <= _TITLE_CHARACTERS else f"{words[: _TITLE_CHARACTERS - 1]}…"

    def evidence(self) -> Evidence:
        """All that its tools have found.

        Raises:
            RunError: the file is damaged: marks would lead to other sources.
        """
        lines = self._evidence.read()
        return Evidence(
            sources=tuple(source for line in lines for source in line.sources),
            points=tuple(point for line in lines for point in line.points),
            computed=tuple(each for line in lines for each in line.computed),
        )

    def keep(self, told: ChatEvent | Evidence) -> None:
        """Keep an event, or what the tools found since the last time; a piece of an answer is not kept.

        Raises:
            RunError: the disk is full or the folder is gone.
        """
        if not isinstance(told, Evidence | TextDelta):
            self._events.add(_Line(at=datetime.now(UTC), event=told))
        elif isinstance(told, Evidence) and told != Evidence():
            self._evidence.add(told)


class Conversations:
    """All conversations of a home.

    Args:
        folder: where they are (``settings.conversations_dir``); it is made by the first.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def new(self, info: ConversationInfo) -> Conversation:
        """Begin one.

        Raises:
            RunError: its folder cannot be made.
        """
        folder = new_folder(self.folder, "chat")
        write_whole(folder / INFO, info.model_dump_json(indent=1) + "\n")
        return Conversation(folder)

    def all(self) -> tuple[Conversation, ...]:
        """Every one, the newest first.

        Warns:
            DamagedLine: one cannot be read; it is left out.
        """
        found = []
        for name in self._names():
            try:
                found.append(Conversation(self.folder / name))
            except RunError as error:
                warnings.warn(str(error), DamagedLine, stacklevel=2)
        return tuple(found)

    def get(self, name: str) -> Conversation:
        """The one with this id, or whose id alone begins so.

        Raises:
            ConfigError: there is none, or several.
            RunError: it is damaged.
        """
        return Conversation(self.folder / self._named(name))

    def delete(self, name: str) -> str:
        """Delete one, and give its id; the sources that it sealed stay in the store.

        Raises:
            ConfigError: there is none.
            RunError: an answer to it is being written, or the folder cannot be deleted.
        """
        folder = self.folder / self._named(name)
        with held(folder), usable(folder):
            shutil.rmtree(folder)
        return folder.name

    def _names(self) -> list[str]:
        with usable(self.folder):
            folders: Iterable[Path] = self.folder.iterdir() if self.folder.is_dir() else ()
            names = (each.name for each in folders if (each / INFO).is_file())
            return sorted(filter(_ID.fullmatch, names), reverse=True)

    def _named(self, name: str) -> str:
        names = self._names()
        found = [name] if name in names else [each for each in names if name and each.startswith(name)]
        if len(found) != 1:
            what = "is the beginning of several conversations" if found else "is no conversation"
            raise ConfigError(f"{name!r} {what}. `verifaible crypto chat --list` names them.")
        return found[0]
