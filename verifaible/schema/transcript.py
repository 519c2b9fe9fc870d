"""Video captions."""

from __future__ import annotations

from typing import Literal, TypeAlias

from verifaible.schema.base import Record


class Caption(Record):
    """One caption line; times are seconds from the start of the video."""

    start_s: float
    duration_s: float
    text: str

    @property
    def end_s(self) -> float:
        """When the line goes, in seconds."""
        return self.start_s + self.duration_s


class CaptionTrack(Record):
    """Captions that a video has; ``url`` is the address of their file, where they have one of their own.

    ``language`` is a BCP 47 tag, ``und`` where none is given; ``generated`` says that a machine
    made them.
    """

    language: str
    name: str = ""
    generated: bool = False
    url: str = ""


#: Where captions of YouTube come from: youtube-transcript-api, or a file that a person gave.
Origin: TypeAlias = Literal["library", "file"]


class Transcript(Record):
    """The captions of one video in one language, in order of time.

    ``video_id`` is YouTube's id, empty for other sites; ``source`` the address of the file of the
    captions, empty for YouTube. ``translated_from`` is the language that a machine translated
    from, empty where nothing was translated. ``available`` are all captions of the video, and
    ``translations`` the languages into which YouTube would translate them. ``origin`` says where those of
    YouTube are from.
    """

    video_id: str
    title: str = ""
    language: str
    generated: bool = False
    captions: tuple[Caption, ...]
    source: str = ""
    translated_from: str = ""
    available: tuple[CaptionTrack, ...] = ()
    translations: tuple[str, ...] = ()
    origin: Origin | None = None
