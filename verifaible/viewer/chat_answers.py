"""Turns of the chat as pages show them: tool calls, charts and tables, and numbers that lead to evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, TypeAlias

from markupsafe import Markup

from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    TextDelta,
    ToolFinished,
    ToolStarted,
    Turn,
    TurnEnded,
)
from verifaible.reporting.markdown import Span
from verifaible.schema.data import Display, NumberEvidence
from verifaible.text.markers import find_data_marks
from verifaible.viewer.marked import MAX_SHOWN_CHARS, NUMBERS, evidence_link, linked_html
from verifaible.viewer.respond import address
from verifaible.viewer.text import Excerpt, excerpt, plain_text

#: How a turn stands: under way, answered, ended without an answer, or left by a server that ended.
State: TypeAlias = Literal["running", "answered", "ended", "broken"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A chart, a table or a report in line; ``marks`` are those of its sources with their addresses."""

    kind: Literal["chart", "table", "report"]
    title: str
    marks: tuple[tuple[str, str], ...]
    picture: str
    alt: str
    html: Markup


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; ``done`` where its reply is there, ``opened`` where it is shown whole."""

    id: str
    name: str
    arguments: Excerpt
    reply: Excerpt
    error_code: str
    duration_s: float
    done: bool
    opened: bool
    shown: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn.

    Attributes:
        number: its number.
        address: of the turn alone, as a part of a page.
        seen: how many of its events are drawn.
        prompt: what was asked.
        calls: tools, in the order that they were called in.
        writing: of an answer that has not ended, what is there.
        html: the answer.
        cut: whether ``html`` is only its beginning.
        unproven: how many numbers have no evidence, or are said otherwise by it.
        marks: of the sources and computed values, each with its title and address.
        end: the event that ended it.
        state: how it stands.
    """

    number: int
    address: str
    seen: int
    prompt: str
    calls: tuple[Call, ...]
    writing: str
    html: Markup
    cut: bool
    unproven: int
    marks: tuple[tuple[str, str, str], ...]
    end: Answered | TurnEnded | None
    state: State


def shown_turn(turn: Turn, at: str, *, running: bool, whole: str = "") -> ShownTurn:
    """A turn for a page.

    Args:
        turn: the turn.
        at: its address.
        running: whether it is under way.
        whole: id of the call whose reply is not cut.
    """
    end = turn.end
    answer = end if isinstance(end, Answered) else None
    sources = [(each.id, each.title) for each in answer.sources if each.kind != "computed"] if answer else []
    sources += [(each.id, each.function) for each in answer.computed] if answer else []
    state: State = "answered" if answer else "ended" if end else "running" if running else "broken"
    return ShownTurn(
        number=turn.number,
        address=at,
        seen=len(turn.events),
        prompt=turn.prompt,
        calls=tuple(calls_of(turn.events, at, whole)),
        writing=written(turn.events),
        html=answer_html(answer, at) if answer else Markup(),
        cut=answer is not None and len(answer.text) > MAX_SHOWN_CHARS,
        unproven=sum(each.status != "resolved" for each in answer.numbers) if answer else 0,
        marks=tuple((mark, title, evidence_address(at, mark=mark)) for mark, title in sources),
        end=end,
        state=state,
    )


def evidence_address(at: str, **asked: str) -> str:
    """The address of what a ``number`` of the answer, or a ``mark`` with a ``pointer``, rests on."""
    return address(f"{at}/evidence", asked)


def written(events: Iterable[ChatEvent]) -> str:
    """What of the answer has been written, since it was last begun anew."""
    text = ""
    for each in events:
        if isinstance(each, TextDelta):
            text = each.text if each.fresh else text + each.text
    return text


def displays_of(events: Iterable[ChatEvent]) -> list[Display]:
    """All that tools gave to be seen, in the order of their numbers."""
    return [each for event in events if isinstance(event, ToolFinished) for each in event.displays]


def calls_of(events: Sequence[ChatEvent], at: str, whole: str = "") -> Iterator[Call]:
    """The tool calls of a turn, each with the first reply to it that no call before it has."""
    replies: list[tuple[int, ToolFinished]] = []
    charts = 0
    for each in events:
        if isinstance(each, ToolFinished):
            replies.append((charts, each))  # with the number of its first picture
            charts += len(each.displays)
    for number, event in enumerate((each for each in events if isinstance(each, ToolStarted)), 1):
        name = f"turn-{at.rpartition('/')[2]}-call-{number}"
        found = next((each for each in replies if each[1].call == event.call), None)
        if found is not None:
            replies.remove(found)
        first, reply = found or (0, None)
        yield Call(
            id=name,
            name=event.name,
            arguments=excerpt(event.arguments, whole=name == whole),
            reply=excerpt(reply.text if reply else "", whole=name == whole),
            error_code=reply.error_code if reply else "",
            duration_s=reply.duration_s if reply else 0.0,
            done=reply is not None,
            opened=name == whole,
            shown=tuple(
                _shown(each, f"{at}/charts/{place}.png", at)
                for place, each in enumerate(reply.displays if reply else (), first)
            ),
        )


def _shown(display: Display, picture: str, at: str) -> Shown:
    return Shown(
        kind=display.kind,
        title=display.title,
        marks=tuple((mark, evidence_address(at, mark=mark)) for mark in display.sources),
        picture=picture if display.png_base64 else "",
        alt=display.alt,
        html=display_html(display, at) if display.markdown else Markup(),
    )


def display_html(display: Display, at: str) -> Markup:
    """A table or a report of a tool, whose marks are links."""
    shown = plain_text(display.markdown)[:MAX_SHOWN_CHARS]
    return linked_html(shown, list(_marks(shown, (), at)))


def answer_html(answered: Answered, at: str) -> Markup:
    """An answer whose numbers and marks are links to their evidence."""
    shown = plain_text(answered.text)[:MAX_SHOWN_CHARS]
    spans: list[Span] = []
    for place, number in enumerate(answered.numbers):
        if (not spans or number.start >= spans[-1].end) and number.start < number.end <= len(shown):
            spans.append(Span(number.start, number.end, "", _number(shown, number, place, at)))
    spans += _marks(shown, answered.numbers, at)
    return linked_html(shown, sorted(spans, key=lambda each: each.start))


def _number(text: str, number: NumberEvidence, place: int, at: str) -> str:
    """A number as a link; one without evidence bears a sign, and says so to those who do not see it."""
    sign, said = NUMBERS[number.status]
    lacking = f'<span aria-hidden="true">{sign}</span><span class="unseen"> ({said})</span>' if sign else ""
    html = f"{escape(text[number.start : number.end])}{lacking}"
    return evidence_link(f"figure {number.status}", evidence_address(at, number=str(place)), html)


def _marks(text: str, numbers: Sequence[NumberEvidence], at: str) -> Iterator[Span]:
    """The marks of a text as links; what a number before the mark rests on, the number itself leads to."""
    last = 0
    for mark in find_data_marks(text):
        told = {
            (each.mark, each.pointer) for each in numbers if last <= each.start and each.end <= mark.start
        }
        links = [
            evidence_link(
                "marker", evidence_address(at, mark=name, pointer=place), escape(name), f"Evidence: {name}"
            )
            for name, place in dict.fromkeys(mark.places)
            if (name, place) not in told
        ]
        blanks = 0 if links else mark.start - len(text[: mark.start].rstrip(" "))
        yield Span(mark.start - blanks, mark.end, "", " ".join(links))
        last = mark.end
