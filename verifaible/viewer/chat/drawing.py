"""Turns as pages show them: tool calls, charts and tables, and answers whose numbers lead to evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final, Literal, TypeAlias
from urllib.parse import quote, urlencode

from markupsafe import Markup

from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    NumberEvidence,
    TextDelta,
    ToolFinished,
    ToolStarted,
    Turn,
    TurnEnded,
)
from verifaible.reporting.markdown import Span, marked_html
from verifaible.schema.data import Display
from verifaible.text.markers import find_data_marks
from verifaible.viewer.runs.answer import MAX_MARKDOWN_CHARS, MAX_SHOWN_CHARS, for_viewer
from verifaible.viewer.runs.timeline import Passage, passage, visible

#: How a turn stands: under way, answered, ended without an answer, or left by a server that ended.
State: TypeAlias = Literal["running", "answered", "ended", "broken"]
#: What shows how a number stands where colour does not.
SIGNS: Final = {"resolved": "", "wrong": "≠", "none": "∅"}
#: The same in words.
STATES: Final = {
    "resolved": "the data say so",
    "wrong": "the data say something else",
    "none": "no evidence",
}
#: Why a turn ended without an answer.
ENDS: Final = {
    "stopped": "Stopped.",
    "limit": "A limit was reached before the answer was there.",
    "failed": "No answer:",
}
#: A cell of a table of Markdown, and a number that is all there is in one.
_CELL: Final = re.compile(r"\|((?:[^|\\\n]|\\.)*)(?=\|)")
_DIGITS: Final = re.compile(r" *(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?) *")


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a turn."""

    conversation: str
    turn: int

    @property
    def page(self) -> str:
        """Of the conversation."""
        return f"/chat/{quote(self.conversation, safe='')}"

    @property
    def fragment(self) -> str:
        """Of the turn alone, as a part of a page."""
        return f"{self.page}/turns/{self.turn}"

    def evidence(self, *, number: int = -1, mark: str = "", pointer: str = "", whole: bool = False) -> str:
        """Of what a number of the answer, or a mark, rests on; with ``whole`` of the page of the source."""
        asked = {"number": str(number)} if number >= 0 else {"mark": mark, "pointer": pointer}
        page = "source" if whole else "evidence"
        kept = urlencode({name: value for name, value in asked.items() if value})
        return f"{self.fragment}/{page}?{kept}{'#evidence' if whole else ''}"

    def picture(self, number: int) -> str:
        """Of a chart."""
        return f"{self.fragment}/charts/{number}.png"

    def linked(self, **asked: str) -> str:
        """Of the conversation with that evidence opened beside it."""
        return f"{self.page}?{urlencode({'turn': str(self.turn), **asked})}#turn-{self.turn}"


@dataclass(frozen=True, slots=True)
class Shown:
    """A chart, a table or a report in line."""

    kind: Literal["chart", "table", "report"]
    title: str
    sources: tuple[str, ...]
    picture: str = ""
    alt: str = ""
    html: Markup = field(default_factory=Markup)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; ``done`` where its reply is there, ``opened`` where it is shown whole."""

    id: str
    name: str
    arguments: Passage
    reply: Passage
    error_code: str
    duration_s: float
    done: bool
    opened: bool
    shown: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnTurn:
    """A turn.

    Attributes:
        number: its number.
        seen: how many of its events are drawn.
        prompt: what was asked.
        calls: tools, in the order that they were called in.
        writing: of an answer that has not ended, what is there.
        html: the answer.
        cut: whether ``html`` is only its beginning.
        counts: how many numbers are resolved, wrong, and without evidence.
        end: the event that ended it.
        state: how it stands.
    """

    number: int
    seen: int
    prompt: str
    calls: tuple[Call, ...]
    writing: str
    html: Markup
    cut: bool
    counts: dict[str, int]
    end: Answered | TurnEnded | None
    state: State


def draw(turn: Turn, at: Addresses, *, running: bool, whole: str = "") -> DrawnTurn:
    """A turn for a page.

    Args:
        turn: the turn.
        at: its addresses.
        running: whether it is under way.
        whole: id of the call whose reply is not cut.
    """
    end = turn.end
    drawn, cut = answer_html(end, at) if isinstance(end, Answered) else (Markup(), False)
    states: dict[bool, State] = {True: "answered", False: "ended"}
    return DrawnTurn(
        number=at.turn,
        seen=len(turn.events),
        prompt=visible(turn.prompt),
        calls=tuple(calls_of(turn.events, at, whole)),
        writing=visible(written(turn.events)[0]),
        html=drawn,
        cut=cut,
        counts=_counted(end.numbers) if isinstance(end, Answered) else {},
        end=end,
        state=states[isinstance(end, Answered)] if end else "running" if running else "broken",
    )


def written(events: Iterable[ChatEvent]) -> tuple[str, bool]:
    """What of the answer has been written, and whether it was begun anew with it."""
    text, anew = "", False
    for each in events:
        if isinstance(each, TextDelta):
            text, anew = (each.text, True) if each.fresh else (text + each.text, anew)
    return text, anew


def calls_of(events: Sequence[ChatEvent], at: Addresses, whole: str = "") -> Iterable[Call]:
    """The tool calls of a turn, each with its reply where that is there."""
    replies = [each for each in events if isinstance(each, ToolFinished)]
    charts = 0
    places: dict[int, int] = {}  # the number of a reply's first picture
    for place, reply in enumerate(replies):
        places[place] = charts
        charts += len(reply.displays)
    free = list(range(len(replies)))
    for number, event in enumerate((each for each in events if isinstance(each, ToolStarted)), 1):
        name = f"turn-{at.turn}-call-{number}"
        found = next((place for place in free if replies[place].call == event.call), None)
        if found is not None:
            free.remove(found)
        answer = replies[found] if found is not None else None
        yield Call(
            id=name,
            name=visible(event.name),
            arguments=passage(event.arguments, whole=name == whole),
            reply=passage(answer.text if answer else "", whole=name == whole),
            error_code=visible(answer.error_code) if answer else "",
            duration_s=answer.duration_s if answer else 0.0,
            done=answer is not None,
            opened=name == whole,
            shown=tuple(_shown(each, places[found] + place, at) for place, each in enumerate(answer.displays))
            if answer and found is not None
            else (),
        )


def displays_of(events: Iterable[ChatEvent]) -> list[Display]:
    """All that tools gave to be seen, in the order of their numbers."""
    return [each for event in events if isinstance(event, ToolFinished) for each in event.displays]


def display_html(display: Display, at: Addresses) -> Markup:
    """A table or a report of a tool: its marks are links, and values in rows that say their places, too."""
    shown = visible(display.markdown.replace("\r\n", " \n"))[:MAX_SHOWN_CHARS]
    spans = list(_marks(shown, (), at))
    if len(display.sources) == 1 and not spans:
        spans = list(_cells(shown, display.sources[0], at))
    html = marked_html(shown, (), spans, as_text=len(shown) > MAX_MARKDOWN_CHARS)
    return Markup(for_viewer(html))  # noqa: S704 - made of escaped text


def answer_html(answered: Answered, at: Addresses) -> tuple[Markup, bool]:
    """An answer whose numbers and marks are links to their evidence, and whether it is only its beginning."""
    # Numbers are named by their places, which a line break of two characters must not move.
    text = visible(answered.text.replace("\r\n", " \n"))
    shown = text[:MAX_SHOWN_CHARS]
    spans: list[Span] = []
    for place, number in enumerate(answered.numbers):
        if (not spans or number.start >= spans[-1].end) and number.start < number.end <= len(shown):
            spans.append(Span(number.start, number.end, "", _number(shown, number, place, at)))
    spans += _marks(shown, answered.numbers, at)
    spans.sort(key=lambda each: each.start)
    html = marked_html(shown, (), spans, as_text=len(shown) > MAX_MARKDOWN_CHARS)
    return Markup(for_viewer(html)), len(text) > len(shown)  # noqa: S704 - likewise


def _marks(text: str, numbers: Sequence[NumberEvidence], at: Addresses) -> Iterator[Span]:
    """The marks of a text as links; what a number before the mark rests on, the number itself leads to."""
    last = 0
    for mark in find_data_marks(text):
        told = {
            (each.mark, each.pointer) for each in numbers if last <= each.start and each.end <= mark.start
        }
        links = [_mark(*place, at) for place in dict.fromkeys(mark.places) if place not in told]
        blanks = 0 if links else mark.start - len(text[: mark.start].rstrip(" "))
        yield Span(mark.start - blanks, mark.end, "", " ".join(links))
        last = mark.end


def _cells(text: str, mark: str, at: Addresses) -> Iterator[Span]:
    """The numbers of tables whose rows begin with a JSON Pointer, as links to their places in a source.

    So :func:`verifaible.crypto.tools.data.table` writes them: the head of a column is the rest of the pointer
    of a value below that of its row, with the unit behind it.
    """
    heads: list[str] = []
    start = 0
    for line in text.splitlines(keepends=True):
        cells = list(_CELL.finditer(line))
        row = cells[0][1].strip() if cells else ""
        if not cells or not line.startswith("|"):
            heads = []
        elif not heads:
            heads = [each[1].strip().partition(" (")[0] for each in cells] if row == "row" else []
        elif row.startswith("/"):
            for head, cell in zip(heads[1:], cells[1:], strict=False):
                if number := _DIGITS.fullmatch(cell[1]):
                    href = escape(at.evidence(mark=mark, pointer=f"{row}/{head}"))
                    link = f'<a class="figure resolved" href="{href}" target="evidence">{number[1]}</a>'
                    place = start + cell.start(1)
                    yield Span(place + number.start(1), place + number.end(1), "", link)
        start += len(line)


def _number(text: str, number: NumberEvidence, place: int, at: Addresses) -> str:
    """A number as a link; one without evidence bears a sign, and says so to those who do not see it."""
    lacking = ""
    if sign := SIGNS[number.status]:
        said = escape(STATES[number.status])
        lacking = f'<span aria-hidden="true">{sign}</span><span class="unseen"> ({said})</span>'
    return (
        f'<a class="figure {number.status}" href="{escape(at.evidence(number=place))}" target="evidence">'
        f"{escape(text[number.start : number.end])}{lacking}</a>"
    )


def _mark(mark: str, pointer: str, at: Addresses) -> str:
    said = escape(f"Evidence: {mark}")
    return (
        f'<a class="marker" href="{escape(at.evidence(mark=mark, pointer=pointer))}" target="evidence" '
        f'aria-label="{said}">{escape(mark)}</a>'
    )


def _counted(numbers: Sequence[NumberEvidence]) -> dict[str, int]:
    return {status: sum(each.status == status for each in numbers) for status in SIGNS}


def _shown(display: Display, number: int, at: Addresses) -> Shown:
    return Shown(
        kind=display.kind,
        title=visible(display.title),
        sources=display.sources,
        picture=at.picture(number) if display.png_base64 else "",
        alt=visible(display.alt),
        html=display_html(display, at) if display.markdown else Markup(),
    )
