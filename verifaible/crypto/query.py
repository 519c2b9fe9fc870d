"""What a query names and what a model is told of it: entities and times by rules, a rewriting by a model.

:mod:`verifaible.text.periods` reads times; here its windows ("last 30 days") become days from the day on
which it is asked, and words for weeks, months, quarters and years of the calendar are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template
from typing import Final, Literal, TypeAlias, get_args

from verifaible.crypto.assets.names import Names, name_table
from verifaible.errors import ModelError
from verifaible.llm.base import ModelClient
from verifaible.llm.structured import BadReply, Form, read_reply
from verifaible.schema.base import Record
from verifaible.schema.chat import Message
from verifaible.text.flat import flatten, folded
from verifaible.text.periods import find_periods as read_periods

#: Longer spans are no period of a market.
_MOST_DAYS: Final = 20_000
_WINDOW: Final = re.compile(r"(\d+)([hd])")
#: What is asked about in these words is the present, the last month, or a part of the calendar.
_CALENDAR: Final = re.compile(
    r"(?P<until>(?:by |until |till )?(?:the )?end of )?\b(?P<way>the|this|current|last|previous|next|coming) "
    r"(?P<unit>week|month|quarter|year)\b|(?P<now>\b(?:now|currently|tonight)\b|现在|目前|当前|오늘|지금|현재)"
    r"|(?P<lately>\brecently\b|\blately\b|最近(?!\s*\d)|近期|최근(?!\s*\d))"
    r"|(?:지난|최근) ?(?P<count>\d{1,4}) ?(?P<korean>일|주|개월|달|년)",
    re.IGNORECASE,
)
_KOREAN: Final = {"일": 1, "주": 7, "개월": 30, "달": 30, "년": 365}
_BY: Final = {"last": -1, "previous": -1, "next": 1, "coming": 1}
_UNIT_OF: Final = {"wtd": "week", "mtd": "month", "qtd": "quarter", "ytd": "year"}


class Period(Record):
    """A time that a query asks about: its words, and the days from ``start`` to ``end``, both included (UTC).

    ``start`` is None where only the end is said ("by end of this month" has its end ahead).
    """

    written: str
    start: date | None = None
    end: date | None = None


def find_periods(text: str, today: date) -> tuple[Period, ...]:
    """The times that a text names, in its order; what overlaps a longer one is left out.

    Args:
        text: in any case.
        today: the day from which words such as "this week" count.
    """
    flat = flatten(text)
    found = [*_of_calendar(flat, today), *_read(flat, today)]
    found.sort(key=lambda each: (each[0] - each[1], each[0]))
    kept: list[tuple[int, int, date | None, date | None]] = []
    for each in found:
        if all(each[1] <= other[0] or each[0] >= other[1] for other in kept):
            kept.append(each)
    return tuple(
        Period(written=text[start:end].strip(), start=first, end=last)
        for start, end, first, last in sorted(kept, key=lambda each: each[:2])
    )


def _read(flat: str, today: date) -> Iterator[tuple[int, int, date | None, date | None]]:
    """What the reader of periods finds, as days."""
    now = datetime(today.year, today.month, today.day, tzinfo=UTC)
    for period in read_periods(flat, now):
        name = period.name
        if period.days:
            yield (period.start, period.end, *period.days[0])
        elif match := _WINDOW.fullmatch(name):
            days = -(-int(match[1]) // 24) if match[2] == "h" else int(match[1])
            if 0 < days <= _MOST_DAYS:
                yield period.start, period.end, today - timedelta(days=days), today
        elif name.startswith("--Q"):
            yield (period.start, period.end, *_part("quarter", date(today.year, 3 * int(name[3:]) - 2, 1), 0))
        elif unit := _UNIT_OF.get(name):
            yield period.start, period.end, _part(unit, today, 0)[0], today


def _of_calendar(flat: str, today: date) -> Iterator[tuple[int, int, date | None, date | None]]:
    for match in _CALENDAR.finditer(flat):
        first: date | None
        if match["unit"]:
            by = _BY.get(match["way"].lower(), 0)
            if match["way"].lower() == "the" and not match["until"]:
                continue
            first, last = _part(match["unit"].lower(), today, by)
            if match["until"]:
                first = None
            elif not by:
                last = today
        else:
            back = (
                int(match["count"]) * _KOREAN[match["korean"]]
                if match["count"]
                else 30
                if match["lately"]
                else 0
            )
            if back > _MOST_DAYS:
                continue
            first, last = today - timedelta(days=back), today
        yield (*match.span(), first, last)


def _part(unit: str, day: date, by: int) -> tuple[date, date]:
    """The first and last day of the week, month, quarter or year of a day, or of one so many further on."""
    if unit == "week":
        monday = day - timedelta(days=day.weekday()) + timedelta(weeks=by)
        return monday, monday + timedelta(days=6)
    length = {"month": 1, "quarter": 3, "year": 12}[unit]
    months = day.year * 12 + (day.month - 1) // length * length + by * length
    first, after = (date(each // 12, each % 12 + 1, 1) for each in (months, months + length))
    return first, after - timedelta(days=1)


_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


def stamp(moment: datetime) -> str:
    """A time to the minute, in UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def age(moment: datetime, now: datetime) -> str:
    """How long ago a time is: ``12 minutes``, ``5 hours``, ``3 days``; a later one is ``ahead of now``."""
    seconds = (now - moment).total_seconds()
    if seconds < -_MINUTE:
        return "ahead of now"
    for size, name in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        count = int(seconds // size)
        if count >= (2 if size == _DAY else 1):
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "less than a minute"


def time_note(source: str, moment: datetime, now: datetime) -> str:
    """A line that sets the time of data beside the time of the question."""
    old = age(moment, now)
    told = f"of {stamp(moment)}, later than the question" if old == "ahead of now" else f"{old} old"
    return (
        f"Time: now is {stamp(now)}; the data of {source} are {told}. Say their date with every value, and "
        "say so where they are older than the time that is asked about."
    )


#: The 11 tags of CryptoAnalystBench (seed, figure 1).
Category: TypeAlias = Literal[
    "Comparative & Performance Analysis",
    "Crypto Concepts & How-To",
    "Default / General Analysis",
    "Macro & Narrative Context",
    "Market Data & Price Discovery",
    "Meme Coins",
    "NFTs",
    "On-Chain Analytics & Flows",
    "Project & Fundamental Research",
    "Security & Risks",
    "Trading & Strategy Design",
]
#: ``token`` a coin, a chain or a protocol, by the table of names or a ``$``; ``venue`` an exchange or a
#: provider of data; ``address`` a contract or an account on a chain; ``account`` a name with @; ``link`` a
#: web address; ``name`` what a model named in the query's own words.
EntityKind: TypeAlias = Literal["token", "venue", "name", "address", "account", "link"]


class Switches(Record):
    """The three mitigations of the paper (seed, section 7); each is off by default."""

    prefer_api: bool = False
    time_context: bool = False
    depth_prompts: bool = False

    @property
    def on(self) -> tuple[str, ...]:
        """The names of those that are on."""
        return tuple(name for name, value in self if value)


class Entity(Record):
    """Something that a query names: the name to use, and the words of the query."""

    name: str
    kind: EntityKind
    written: str
    ticker: str = ""


class Understanding(Record):
    """What the rules, and a model where one was asked, make of a query.

    Attributes:
        query: as it came.
        rewritten: the query as a model wrote it out, else with its white space tidied.
        periods: times asked about; none: the present.
        category: the tag that the data set or a model gave it: which depth prompt it takes.
        by: who rewrote it.
        note: why a model's rewriting was not used; empty where it was, or none was asked.
    """

    query: str
    rewritten: str
    entities: tuple[Entity, ...] = ()
    periods: tuple[Period, ...] = ()
    category: Category = "Default / General Analysis"
    by: Literal["rules", "model"] = "rules"
    note: str = ""


#: The depth prompt of each tag, by the name of its file.
DEPTH: Final[dict[Category, str]] = {
    "Comparative & Performance Analysis": "comparative",
    "Crypto Concepts & How-To": "concepts",
    "Default / General Analysis": "general",
    "Macro & Narrative Context": "macro",
    "Market Data & Price Discovery": "market",
    "Meme Coins": "meme",
    "NFTs": "nft",
    "On-Chain Analytics & Flows": "onchain",
    "Project & Fundamental Research": "project",
    "Security & Risks": "security",
    "Trading & Strategy Design": "trading",
}
_WRITTEN: Final[tuple[tuple[EntityKind, re.Pattern[str]], ...]] = (
    ("link", re.compile(r"https?://[^\s<>\"')\]]+", re.IGNORECASE)),
    (
        "address",
        re.compile(r"\b0x[0-9a-fA-F]{40}\b|\b[1-9A-HJ-NP-Za-km-z]{43,44}\b|\bbc1[02-9ac-hj-np-z]{11,71}\b"),
    ),
    ("account", re.compile(r"(?<![\w.@])@\w{2,30}\b")),
)
#: A rewriting may be so many times longer than its query, and so many characters besides.
_GROWTH: Final = 3
_ROOM: Final = 300
_NUMBER: Final = re.compile(r"\d[\d,.]*")


@cache
def prompt(name: str) -> str:
    """A prompt file of this package, without white space at its ends."""
    place = resources.files("verifaible.crypto").joinpath("prompts", *f"{name}.md".split("/"))
    return place.read_text(encoding="utf-8").strip()


def prompts_sha256() -> str:
    """One digest over every prompt of an answer: a run says by it what its model was told."""
    names = "answer react_role react_form as_of mend task prefer_api time_context depth rewrite".split()
    every = (*names, *(f"depth/{name}" for name in DEPTH.values()))
    return sha256("\0".join(prompt(name) for name in every).encode()).hexdigest()


def understand(query: str, today: date, tags: Sequence[str] = ()) -> Understanding:
    """What the rules make of a query; it never fails, whatever is written.

    Args:
        query: in any language; may be empty.
        today: the day from which "this week" counts.
        tags: those of the data set: the first that is a category chooses the depth prompt.
    """
    text = " ".join(query.split())
    category: Category = next((each for each in DEPTH if each in tags), "Default / General Analysis")
    return Understanding(
        query=query,
        rewritten=text,
        entities=find_entities(text),
        periods=find_periods(text, today),
        category=category,
    )


def find_entities(query: str) -> tuple[Entity, ...]:
    """What a query names, in its order, each once: what is written as such, and the names of the table.

    A ticker counts in capitals or behind a ``$``, a name that is a word of English too (``near``) only with
    a capital letter.
    """
    found: list[tuple[int, int, Entity]] = []
    for kind, pattern in _WRITTEN:
        for match in pattern.finditer(query):
            entity = Entity(name=match[0].rstrip(".,;:!?"), kind=kind, written=match[0])
            found.append((*match.span(), entity))
    for each in Names().find(query):
        if all(each.end <= start or each.start >= end for start, end, _ in found):
            others = [each.value, *name_table()["assets"].get(each.value, ())]
            ticker = next((one for one in others if one.isascii() and one.isupper()), "")
            kind = "token" if each.kind == "asset" else "venue"
            written = query[each.start : each.end]
            found.append(
                (each.start, each.end, Entity(name=each.value, kind=kind, written=written, ticker=ticker))
            )
    unique = {
        (each.kind, each.name.casefold()): each for _, _, each in sorted(found, key=lambda one: -one[0])
    }
    return tuple(reversed(unique.values()))


def named(entities: Sequence[Entity]) -> str:
    """Entities in words: ``Hyperliquid (HYPE), Uniswap (UNI)``."""
    return ", ".join(
        f"{each.name} ({each.ticker})" if each.ticker and each.ticker != each.name else each.name
        for each in entities
    )


def mitigations(understood: Understanding, switches: Switches, now: datetime) -> str:
    """What the system prompt says besides; each switch that is on adds a block, and nothing else differs."""
    blocks = []
    if switches.prefer_api:
        blocks.append(prompt("prefer_api"))
    if switches.time_context:
        periods = "\n".join(
            f"- “{each.written}” means {_span(each)} (days in UTC)." for each in understood.periods
        )
        asked = periods or "- The question names no time: it asks about the present."
        blocks.append(Template(prompt("time_context")).substitute(now=stamp(now), periods=asked))
    if switches.depth_prompts:
        points = prompt(f"depth/{DEPTH[understood.category]}")
        blocks.append(Template(prompt("depth")).substitute(points=points))
    return "".join(f"\n{block}\n" for block in blocks)


def task(understood: Understanding) -> str:
    """The question as the model is asked it, with notes of what the rules found in it."""
    notes = []
    if understood.rewritten != " ".join(understood.query.split()):
        notes.append(f"Written out: {understood.rewritten}")
    for head, kinds in (
        ("Assets", ("token", "name")),
        ("Exchanges and data providers", ("venue",)),
        ("Addresses, accounts and links", ("address", "account", "link")),
    ):
        if found := [each for each in understood.entities if each.kind in kinds]:
            notes.append(f"{head}: {named(found)}")
    shown = "\n\nNotes, by rules:\n" + "\n".join(f"- {note}" for note in notes) if notes else ""
    return Template(prompt("task")).substitute(query=understood.query.strip(), notes=shown).strip()


def _span(period: Period) -> str:
    """The days of a period in words."""
    if period.start and period.end:
        return f"{period.start}" if period.start == period.end else f"{period.start} to {period.end}"
    return f"until {period.end}" if period.end else f"from {period.start}"


class Rewriting(Form):
    """What the model fills in."""

    rewritten: str
    entities: list[str]
    category: str


async def rewrite(understood: Understanding, *, client: ModelClient, now: datetime) -> Understanding:
    """The query as a model writes it out.

    Used is only what can be checked: every number, address and link of the query stays, no number comes to it
    but those of its dates, and each entity is one of the query or of the table of aliases. Else the rules'
    understanding is given back, with a note that says why.

    Args:
        understood: what the rules made of it.
        client: the model.
        now: when the query is asked.

    Raises:
        LimitReached: the client may be asked no more.
    """
    dates = "; ".join(f"{each.written} = {_span(each)}" for each in understood.periods)
    found = "; ".join(filter(None, (named(understood.entities), dates))) or "nothing"
    question = Template(prompt("rewrite")).substitute(
        now=stamp(now), found=found, query=understood.query, categories="; ".join(get_args(Category))
    )
    try:
        turn = await client.complete([Message(role="user", text=question)], ())
        filled = read_reply(turn.text, Rewriting, question).value
        entities = _checked(understood, filled, now)
    except (ModelError, BadReply) as error:
        return understood.model_copy(update={"note": f"Not rewritten: {error}"})
    category = filled.category if filled.category in get_args(Category) else understood.category
    return understood.model_copy(
        update={
            "rewritten": " ".join(filled.rewritten.split()),
            "entities": (*understood.entities, *entities),
            "category": category,
            "by": "model",
        }
    )


def _checked(understood: Understanding, filled: Rewriting, now: datetime) -> list[Entity]:
    """The entities that a rewriting adds.

    Raises:
        BadReply: it is not the same question.
    """
    query, text = understood.query, filled.rewritten.strip()
    if not text or len(text) > _GROWTH * len(query) + _ROOM:
        raise BadReply("content", "the rewriting is empty, or much longer than the query.")
    for each in understood.entities:
        if each.kind in {"address", "account", "link"} and each.name not in text:
            raise BadReply("content", f"it lost {each.name}.")
    asked, written = _numbers(query), _numbers(text)
    if lost := asked - written:
        raise BadReply("content", f"it lost the number {min(lost)}.")
    days = " ".join(f"{each.start} {each.end}" for each in understood.periods)
    if added := written - asked - _numbers(f"{days} {now:%Y-%m-%d}"):
        raise BadReply("content", f"it added the number {min(added)}.")
    known = {each.name.casefold() for each in understood.entities}
    more = []
    for name in filled.entities:
        listed = Names().resolve(name, symbol=True)
        if known & {name.casefold(), listed.casefold()}:
            continue
        if not listed and not (folded(name) and folded(name) in folded(query)):
            raise BadReply("content", f"it names {name!r}, which the query does not.")
        more.append(Entity(name=listed or name, kind="token" if listed else "name", written=name))
    return more


def _numbers(text: str) -> set[str]:
    return {match.rstrip(".,").lstrip("0") or "0" for match in _NUMBER.findall(text.replace("-", " "))}
