"""``video_transcript``: what is said in a YouTube video, line by line with times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, field_validator, model_validator

from verifaible.errors import AnchorNotFound
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.schema.transcript import Caption, Transcript
from verifaible.tools.presenting import delimited, part_at, parts_about
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from verifaible.tools.context import ToolContext


class VideoTranscriptArguments(Record):
    """Arguments of ``video_transcript``."""

    url: str = Field("", description="Address of the video's watch page.")
    video_id: str = Field("", description="Or its id of 11 characters.")
    languages: tuple[str, ...] = Field(
        (),
        description='Languages of the captions, best first, such as ["en"]. Default: English, then Chinese.',
    )
    start_s: float = Field(0, ge=0, description="Only from this second on.")
    end_s: float | None = Field(None, gt=0, description="Only up to this second.")
    find: str = Field("", description="Only the lines about these words.")
    offset: int = Field(0, ge=0, description="Where to read on, as the last part said.")

    @field_validator("languages", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return () if value is None else value

    @model_validator(mode="after")
    def _consistent(self) -> VideoTranscriptArguments:
        if not self.url.strip() and not self.video_id.strip():
            raise ValueError("give url or video_id")
        if self.end_s is not None and self.end_s <= self.start_s:
            raise ValueError("end_s must be later than start_s")
        return self


def video_transcript(context: ToolContext) -> Tool[VideoTranscriptArguments]:
    """The tool, over the session's web."""

    async def handle(arguments: VideoTranscriptArguments) -> ToolReply:
        from verifaible.net.transcripts import DEFAULT_LANGUAGES, fetch_transcript

        video = arguments.url.strip() or arguments.video_id.strip()
        async with context.web.client() as client:
            transcript = await fetch_transcript(video, client, arguments.languages or DEFAULT_LANGUAGES)
        return ToolReply(text=_reply(transcript, arguments))

    return Tool(
        "video_transcript",
        "The captions of a YouTube video as lines with times, [m:ss] text. To cite a passage, give its "
        "words and its time to verifaible_cite with evidence_type video.",
        VideoTranscriptArguments,
        handle,
    )


def _reply(transcript: Transcript, arguments: VideoTranscriptArguments) -> str:
    captions = [
        caption
        for caption in transcript.captions
        if caption.end_s > arguments.start_s
        and (arguments.end_s is None or caption.start_s < arguments.end_s)
    ]
    length = timestamp(transcript.captions[-1].end_s)
    if not captions:
        raise AnchorNotFound(
            f"Nothing is said between {arguments.start_s:g} s and {arguments.end_s or 0:g} s: the captions "
            f"end at {length}. Ask for another window."
            if arguments.end_s
            else f"Nothing is said after {arguments.start_s:g} s: the captions end at {length}. Ask for an "
            "earlier window."
        )
    lines = "\n".join(_line(caption) for caption in captions)
    kind = "made by a machine" if transcript.generated else "made by people"
    about = (
        f"Video {transcript.video_id}, captions in {transcript.language} ({kind}), "
        f"{len(transcript.captions)} lines, {length} long."
    )
    source = f"https://www.youtube.com/watch?v={transcript.video_id}"
    if arguments.find:
        found = _about(captions, arguments.find)
        if not found:
            return f"{about} Nothing in it is about {arguments.find!r}: try other words, or read it whole."
        return f"{about} Only the lines about {arguments.find!r}.\n{delimited(source, found)}"
    part = part_at(lines, arguments.offset)
    title = f"Title: {transcript.title}\n" if transcript.title else ""
    return f"{about} {part.describe()}\n{delimited(source, title + part.shown)}"


def timestamp(seconds: float) -> str:
    """A time as m:ss, or h:mm:ss from an hour on."""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def _line(caption: Caption) -> str:
    return f"[{timestamp(caption.start_s)}] {' '.join(caption.text.split())}"


def _about(captions: list[Caption], words: str) -> str:
    """The passages about some words: a sentence runs over lines, so three are read as one."""
    size = 3
    passages = [captions[index : index + size] for index in range(0, len(captions), size)]
    text = "\n\n".join("\n".join(_line(caption) for caption in passage) for passage in passages)
    return parts_about(text, words)
