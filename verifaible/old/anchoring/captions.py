"""Anchoring a quote in the captions of a video."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.quote import QuoteMatch, QuoteStatus, exact_spans, find_quote, matched
from verifaible.schema.check import DiffToken
from verifaible.schema.transcript import Caption, Transcript

#: Lines whose times are at most this far apart may repeat each other, in seconds.
_ROLLING_GAP_S = 1.0
#: A repeat at the joint of two lines counts from this many words, or folded characters.
_REPEAT_WORDS = 2
_REPEAT_CHARACTERS = 6


@dataclass(frozen=True, slots=True)
class CaptionMatch:
    """Where a quote is spoken.

    ``start_s`` and ``end_s`` are seconds: from the start of the first caption line it stands in
    to the end of the last. ``text`` is those words as the captions have them, ``lines`` the
    indices of its first and last caption line. ``in_window`` is False when it is not spoken
    within ``window_s`` of the asked time: the times then say where it is. ``candidates`` shows
    each place of an ambiguous quote, with its time.
    """

    status: QuoteStatus
    start_s: float = 0.0
    end_s: float = 0.0
    text: str = ""
    lines: tuple[int, int] = (0, 0)
    in_window: bool = True
    occurrences: int = 0
    candidates: tuple[str, ...] = ()
    difference: tuple[DiffToken, ...] = ()
    nearest: str = ""


@dataclass(frozen=True, slots=True)
class _Flow:
    """Captions as one text, repeats of rolling captions left out.

    ``starts`` holds where the text of each line begins; ``lines`` which line that is.
    """

    text: str
    starts: Sequence[int]
    lines: Sequence[int]

    def line_at(self, offset: int) -> int:
        return self.lines[max(0, bisect_right(self.starts, offset) - 1)]


def find_caption(
    transcript: Transcript,
    quote: str,
    *,
    at_s: float | None = None,
    window_s: float = 30,
    near: str = "",
) -> CaptionMatch:
    """Find a quote in captions, also over several lines.

    Args:
        transcript: the captions, in order of time.
        quote: the exact words.
        at_s: the second it is said to be spoken at; of several occurrences those within
            ``window_s`` seconds of it count, and of these the nearest.
        window_s: how far from ``at_s`` it may begin or end.
        near: a short text inside or beside the quote that tells repeated quotes apart.
    """
    flow = _flow(transcript.captions)
    found = find_quote(flow.text, quote, near=near)
    if found.status == "gone" or not transcript.captions:
        return CaptionMatch("gone", nearest=found.nearest)
    if not found.occurrences and found.status == "ambiguous":
        return CaptionMatch("ambiguous", candidates=found.candidates)
    if found.status == "changed":
        match = _placed(transcript, flow, found)
        return _windowed(match, at_s, window_s)
    told_apart = bool(near) and found.status == "verified" and found.near_found
    places = [found] if told_apart else _all_places(flow, quote, found)
    matches = [_windowed(_placed(transcript, flow, place), at_s, window_s) for place in places]
    if at_s is not None:
        matches = _nearest_in_time(matches, at_s)
    if len(matches) == 1:
        return matches[0]
    shown = tuple(f"{match.start_s:.1f} s: {match.text}" for match in matches[:8])
    return CaptionMatch("ambiguous", occurrences=len(places), candidates=shown or found.candidates)


def _flow(captions: Sequence[Caption]) -> _Flow:
    parts: list[str] = []
    starts: list[int] = []
    lines: list[int] = []
    length = 0
    tail = ""
    for index, caption in enumerate(captions):
        previous = captions[index - 1] if index else None
        rolling = previous is not None and caption.start_s - previous.end_s <= _ROLLING_GAP_S
        text = caption.text[_repeated(tail, caption.text) :] if rolling else caption.text
        if not text.strip():
            continue
        starts.append(length)
        lines.append(index)
        parts.append(text)
        length += len(text) + 1
        tail = (tail + "\n" + text)[-400:] if rolling else text[-400:]
    return _Flow("\n".join(parts), starts, lines)


def _repeated(tail: str, text: str) -> int:
    """Code points at the start of a line that repeat the end of what was shown before it."""
    shown, line = fold(tail).text, fold(text)
    for size in range(min(len(shown), len(line.text)), 0, -1):
        if not shown.endswith(line.text[:size]):
            continue
        end = line.ends[size - 1]
        whole_words = end == len(text) or not (
            text[end - 1].isalnum() and text[end].isalnum() and text[end].isascii()
        )
        words = len(text[:end].split())
        if whole_words and (
            words >= _REPEAT_WORDS or size >= _REPEAT_CHARACTERS or size == len(line.text) > 3
        ):
            return end
        return 0
    return 0


def _all_places(flow: _Flow, quote: str, found: QuoteMatch) -> list[QuoteMatch]:
    """Every exact place of a quote, one after the other."""
    if found.status != "ambiguous" or not found.occurrences:
        return [found]
    spans = exact_spans(flow.text, quote)
    return [replace(matched(flow.text, *span, "verified"), occurrences=len(spans)) for span in spans]


def _placed(transcript: Transcript, flow: _Flow, found: QuoteMatch) -> CaptionMatch:
    first, last = flow.line_at(found.start), flow.line_at(found.end - 1)
    captions = transcript.captions
    return CaptionMatch(
        status=found.status,
        start_s=captions[first].start_s,
        end_s=captions[last].end_s,
        text=found.text,
        lines=(first, last),
        occurrences=found.occurrences,
        difference=found.difference,
        nearest=found.nearest,
    )


def _windowed(match: CaptionMatch, at_s: float | None, window_s: float) -> CaptionMatch:
    inside = at_s is None or match.start_s - window_s <= at_s <= match.end_s + window_s
    status: QuoteStatus = "moved" if match.status == "verified" and not inside else match.status
    return replace(match, status=status, in_window=inside)


def _nearest_in_time(matches: list[CaptionMatch], at_s: float) -> list[CaptionMatch]:
    inside = [match for match in matches if match.in_window]
    if not inside:
        return matches
    gaps = [max(match.start_s - at_s, at_s - match.end_s, 0.0) for match in inside]
    closest = min(gaps)
    return [match for match, gap in zip(inside, gaps, strict=True) if gap == closest]
