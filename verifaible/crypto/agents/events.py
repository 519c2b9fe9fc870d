"""``historicalEventAnalysisAgent``: fetcher and analyser (seed, section 3.3: HEAgent).

An effect is stated only where the price was measured: its change in a window after the event and in a control
window of equal length right before it, both computed from sealed daily candles.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Literal

from verifaible.crypto.agents.material import Session, filled, from_web, meant, news_about
from verifaible.crypto.agents.report import LeftOut, Report, examined, judged_statements, marks_of
from verifaible.crypto.assets.resolver import Asset
from verifaible.crypto.providers.candles import Candles, candles
from verifaible.crypto.providers.session import Api
from verifaible.errors import DataNotAvailable, ToolError
from verifaible.evidence.sources import SourceTexts
from verifaible.llm.structured import Form
from verifaible.schema.data import Computed, Facets, Operand
from verifaible.text.dates import find_dates
from verifaible.text.delimited import delimited

#: How far back news are read; of what is older, searches know.
NEWS_BACK: Final = timedelta(days=365)
#: Days after an event, and before it, over which the price is measured.
WINDOW_DAYS: Final = 7
#: Daily candles at most, as Binance gives: events before that have no measured effect.
MOST_CANDLES: Final = 1000
#: What is searched for, behind the project's name.
TOPICS: Final = (
    "hack exploit security incident",
    "regulator lawsuit ruling",
    "network upgrade hard fork date",
)
_READINGS: Final = {
    "effect": "An effect is plausible",
    "no_effect": "No effect is seen",
    "unclear": "Unclear",
}


class Event(Form):
    """An event as the fetcher found it."""

    date: str
    kind: Literal["security", "regulation", "upgrade", "partnership", "listing", "other"]
    what: str


class Events(Form):
    """What the fetcher fills in."""

    events: tuple[Event, ...]


class Effect(Form):
    """What the analyser reads out of two windows."""

    event: int
    reading: Literal["effect", "no_effect", "unclear"]
    direction: Literal["up", "down", "none"]
    why: str


class Effects(Form):
    """What the analyser fills in."""

    effects: tuple[Effect, ...]
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """The change of the price after an event, and before it, over as many days."""

    days: int
    after: Computed
    before: Computed

    @property
    def told(self) -> str:
        """Both in a sentence, with their marks."""
        after, before = (f"{each.result:+.2f} %" for each in (self.after, self.before))
        days = f"{self.days} days" if self.days > 1 else "day"
        return (
            f"Price in the {days} from the event's day on: {after} [{self.after.id}]; in the {days} before: "
            f"{before} [{self.before.id}]."
        )


async def events_report(identifier: str, session: Session) -> Report:
    """A report on what happened to a project, and what its price did around it.

    Args:
        identifier: its ticker or name.
        session: what the report is made with.

    Raises:
        BadArguments: the name can mean several assets.
        DataNotAvailable: nothing dated was found.
        ModelError: the model cannot be asked.
        WrongContent: it did not keep to its form.
    """
    api = session.api
    asset, name, choice = meant(identifier)
    pages, news = await asyncio.gather(
        from_web(session, asset.name if asset else identifier, TOPICS), news_about(session, asset, NEWS_BACK)
    )
    found = (news + pages).shortened()
    if not found.parts:
        raise DataNotAvailable(
            f"No event of {name} was found: {' '.join(found.notes)} Search the web instead."
        )
    fetched = await filled(session.client, "events", found.text, Events, project=name)
    refused: list[LeftOut] = []
    title = f"{name}: events and the price around them"
    events = await _dated(title, fetched.events, session, refused)
    prices = await _prices(session, asset, events)
    measured = await _measured(events, prices, api, asset)
    effects, patterns = await _effects(session, name, events, measured, refused)
    sections = {
        "Events": [
            f"{day} ({event.kind}): {event.what} {_told(measured.get(number), prices)}"
            for number, (day, event) in enumerate(events)
        ],
        "Effects on the price": effects,
        "Patterns": patterns,
    }
    notes = [
        *choice,
        *found.notes,
        "A change of the price around an event proves no cause: other things happened on the same days.",
    ]
    if isinstance(prices, str):
        notes.append(f"No effect was measured: {prices}")
    elif prices.answer.synthetic:
        notes.append("The prices are synthetic: a replica stands in for the provider.")
    return await examined(title, sections, api, left_out=refused, notes=notes)


async def _prices(
    session: Session, asset: Asset | None, events: Sequence[tuple[date, Event]]
) -> Candles | str:
    """Daily candles that go back to the windows of all events; a sentence where there are none."""
    if asset is None or not events:
        return "no asset of the table is meant." if asset is None else "no dated event was found."
    back = (session.until.date() - events[0][0]).days + WINDOW_DAYS + 2
    try:
        wanted = min(back, MOST_CANDLES)
        return await candles(session.api, session.places, f"coingecko:{asset.id}", wanted, "1d")
    except ToolError as error:
        return str(error)


async def _dated(
    title: str, events: Sequence[Event], session: Session, refused: list[LeftOut]
) -> list[tuple[date, Event]]:
    """The events that their sources support, and whose day stands in one of these; oldest first."""
    api, today = session.api, session.until.date()
    texts, sources = SourceTexts(api.book.store), {each.id: each for each in api.book.sources}
    kept: list[tuple[date, Event]] = []
    judged = await judged_statements(title, [each.what for each in events], api)
    for event, found in zip(events, judged, strict=True):
        fault = found.fault
        try:
            day = date.fromisoformat(event.date.strip())
        except ValueError:
            day, fault = today, fault or f"{event.date!r} is no day."
        if not fault and day > today:
            fault = f"{day} had not come yet."
        if not fault:
            cited = [sources[mark] for mark in marks_of(event.what)]
            stated = [await asyncio.to_thread(texts.text, each) for each in cited]
            if not any(_states(text, day) for text in stated):
                fault = f"No source that it names has the day {day}."
        if fault:
            refused.append(LeftOut(statement=event.what, reason=fault))
        else:
            kept.append((day, event))
    return sorted(kept, key=lambda each: each[0])


def _states(text: str, day: date) -> bool:
    wanted = (day.year, day.month, day.day)
    return any(
        (value.year, value.month, value.day) == wanted
        for mention in find_dates(text)
        for value in mention.readings
        if not mention.ambiguous
    )


async def _measured(
    events: Sequence[tuple[date, Event]], prices: Candles | str, api: Api, asset: Asset | None
) -> dict[int, Measured]:
    """Both windows of each event that has them whole, by its number."""
    if isinstance(prices, str) or asset is None:
        return {}
    title = f"Candles of {prices.market}, 1d{' (replica: synthetic)' if prices.answer.synthetic else ''}"
    source = (await api.seal(prices.answer, title)).id
    by_day = {row.opened_at.date(): row for row in prices.rows}
    made: dict[int, Measured] = {}
    for number, (day, _) in enumerate(events):
        past = (prices.rows[-1].opened_at.date() - day).days + 1
        days = min(WINDOW_DAYS, past)
        edges = [by_day.get(day + timedelta(days=each)) for each in (-1 - days, -1, days - 1)]
        if days < 1 or None in edges:
            continue
        start, middle, end = (
            Operand(source=source, pointer=each.pointer("close")) for each in edges if each is not None
        )
        after, before = [
            await api.compute(
                "percentage_change",
                {"old": [old], "new": [new]},
                facets=Facets(asset=asset.symbol, field=field, unit="per cent", at=_midnight(last)),
            )
            for old, new, field, last in (
                (middle, end, f"change_{days}d_after", day + timedelta(days=days)),
                (start, middle, f"change_{days}d_before", day),
            )
        ]
        made[number] = Measured(days, after, before)
    return made


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _told(measured: Measured | None, prices: Candles | str) -> str:
    if measured is not None:
        return measured.told
    why = "there are no prices" if isinstance(prices, str) else "the candles do not span its windows"
    return f"No effect was measured: {why}."


async def _effects(
    session: Session,
    name: str,
    events: Sequence[tuple[date, Event]],
    measured: Mapping[int, Measured],
    refused: list[LeftOut],
) -> tuple[Sequence[str], Sequence[str]]:
    """What the analyser may say: of measured events alone, in the measured direction, with both marks."""
    if not measured:
        return (), ()
    listing = "\n".join(
        f"{number}. {events[number][0]} ({events[number][1].kind}): {events[number][1].what} {each.told}"
        for number, each in measured.items()
    )
    said = await filled(session.client, "effects", delimited("events", listing), Effects, project=name)
    kept: list[str] = []
    for effect in said.effects:
        windows = measured.get(effect.event)
        if fault := _fault(effect, windows):
            refused.append(LeftOut(statement=effect.why, reason=fault))
        else:
            kept.append(f"{events[effect.event][0]}: {_READINGS[effect.reading]}. {effect.why}")
    return kept, said.patterns


def _fault(effect: Effect, windows: Measured | None) -> str:
    if windows is None:
        return "Its event has no measured windows."
    if not {windows.after.id, windows.before.id} <= set(marks_of(effect.why)):
        return "It does not name both windows of its event."
    went = _direction(windows.after)
    return "" if effect.direction == went else f"The price went {went}."


def _direction(change: Computed) -> str:
    return "up" if change.result > 0 else "down" if change.result < 0 else "none"
