"""Video captions."""

from __future__ import annotations

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


class Transcript(Record):
    """The captions of one video in one language, in order of time."""

    video_id: str
    title: str = ""
    language: str
    generated: bool = False
    captions: tuple[Caption, ...]
