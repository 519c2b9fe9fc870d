"""``video_transcript``: what is said in a video, line by line with times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, field_validator, model_validator

from verifaible.errors import AnchorNotFound
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.schema.transcript import Caption, Transcript
from verifaible.text.delimited import delimited
from verifaible.tools.presenting import Part, part_at, parts_about
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from verifaible.tools.context import ToolContext


#: Further languages that are named.
_MOST_LANGUAGES = 20


class VideoTranscriptArguments(Record):
    """Arguments of ``video_transcript``."""

    url: str = Field("", description="A YouTube page, or a .vtt or .srt file.")
    video_id: str = Field("", description="Or a YouTube id.")
    languages: tuple[str, ...] = Field(
        (),
        description='Codes, best first, such as "en". Default: English, then Chinese.',
    )
    start_s: float = Field(0, ge=0)
    end_s: float | None = Field(None, gt=0)
    find: str = Field("", description="Only the lines about these words.")
    offset: int = Field(0, ge=0, description="Where the last part said.")

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
        return ToolReply(text=_reply(await _read(context, arguments), arguments))

    return Tool(
        "video_transcript",
        "The captions of a video as lines with times, [m:ss] text.",
        VideoTranscriptArguments,
        handle,
    )


async def _read(context: ToolContext, arguments: VideoTranscriptArguments) -> Transcript:
    from verifaible.evidence.transcript import captions_in_turn
    from verifaible.net.transcripts import DEFAULT_LANGUAGES

    video = arguments.url.strip() or arguments.video_id.strip()
    return await captions_in_turn(
        context.web,
        video,
        arguments.languages or DEFAULT_LANGUAGES,
        translated=bool(arguments.languages),
        told=await context.told(),
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
    about = f"{_described(transcript)}, {len(transcript.captions)} lines, {length} long.{_others(transcript)}"
    source = transcript.source or f"https://www.youtube.com/watch?v={transcript.video_id}"
    if arguments.find:
        found = _about(captions, arguments.find)
        if not found:
            return f"{about} Nothing in it is about {arguments.find!r}: try other words, or read it whole."
        return f"{about} Only the lines about {arguments.find!r}.\n{delimited(source, found)}"
    part = part_at(lines, arguments.offset)
    title = f"Title: {transcript.title}\n" if transcript.title else ""
    where = "" if part.start == 0 and part.is_last else f" {_window(captions, lines, part)}"
    return f"{about} {part.describe()}{where}\n{delimited(source, title + part.shown)}"


def _described(transcript: Transcript) -> str:
    """Which captions these are, and who made them."""
    name = f"Video {transcript.video_id}" if transcript.video_id else "Video"
    language = transcript.language if transcript.language != "und" else "a language that is not stated"
    if transcript.translated_from:
        made = f"translated by a machine from {transcript.translated_from}: cite the original words"
    elif not transcript.video_id:
        return f"{name}, captions in {language} (from the page)"
    else:
        made = "made by a machine" if transcript.generated else "made by people"
    if transcript.origin == "file":
        made += ", from a file that was given"
    return f"{name}, captions in {language} ({made})"


def _others(transcript: Transcript) -> str:
    """A sentence about the other captions that there are; empty if there are none."""
    shown = transcript.translated_from or transcript.language
    named = [
        f"{track.language} (by a machine)" if track.generated else track.language
        for track in transcript.available
        if (track.language, track.generated) != (shown, transcript.generated)
        or track.url != (transcript.source or track.url)
    ]
    named = list(dict.fromkeys(named))
    if transcript.translated_from:
        named.insert(0, transcript.translated_from)
    more = f" and {len(named) - _MOST_LANGUAGES} more" if len(named) > _MOST_LANGUAGES else ""
    said = f" Also in: {', '.join(named[:_MOST_LANGUAGES])}{more}." if named else ""
    if transcript.translations:
        said += f" YouTube translates into {len(transcript.translations)} languages."
    return said


def _window(captions: list[Caption], lines: str, part: Part) -> str:
    """The times that a part goes from and to."""
    first = lines.count("\n", 0, part.start)
    last = lines.count("\n", 0, max(part.start, part.end - 1))
    return f"This part: {timestamp(captions[first].start_s)} to {timestamp(captions[last].end_s)}."


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
