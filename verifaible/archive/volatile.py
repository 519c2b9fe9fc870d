"""Values that are made anew for each request, and so do not say what is asked for.

A name alone never makes a value volatile: ``t=2`` is a tab, ``_=3`` a page. The value has to look
made up as well, and a time stamp has to be the time of the request: ``ts=`` with last midnight is
a day that was chosen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

Pair: TypeAlias = tuple[str, str]
#: ``chance``: made up; ``stamp``: may be the time of the request; ``range``: a time under a name that
#: bounds what is asked for, which counts as the same only where it moves along with a ``stamp``.
Volatile: TypeAlias = Literal["", "chance", "stamp", "range"]
IsGiven: TypeAlias = Callable[[str], bool]

#: How far a time stamp may be from the time of its request, in seconds. The clock of a page that is
#: replayed starts when it was recorded, so only the pace of its steps differs.
NEAR_S = 300.0
#: How far two time stamps of one request may move apart, in seconds.
APART_S = 2.0

# Names are compared in lower case and without what joins their words.
_NOISE = re.compile(r"rnd|zx|rand(om)?|nocache|cachebust(er)?|cachebreaker|bust")
_CLOCKLIKE = re.compile(r"_?|dc|t|ts|timestamp|time|r|cb|v|ver|version")
_MADE_UP = re.compile(
    r"nonce|x?(csrf|xsrf)\w*|sign|sig|signature|guid|uuid|traceparent|traceid|"
    r"x?(session|request|req|trace|correlation|span|visitor|transaction|idempotency)(id|key|token)|"
    r"(authenticity|verification|requestverification)token"
)
_MEASURED = re.compile(r"elapsed|perf|performance|rtt|latency|loadtime|pagetime|uptime")
#: Words of a name by which a time bounds, or a token continues, what is asked for.
_BOUND = frozenset(
    "before after since until cursor from to start end begin min max last next prev offset page id date day "
    "key token week month year continuation".split()
)

_EPOCH = re.compile(r"(?P<s>[1-3]\d{9}(?:\.\d+)?)|(?P<ms>[1-3]\d{12})")
_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_DIGITS = re.compile(
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?:\d{3})?"
)
#: ``String(new Date())`` and ``toUTCString()``.
_WORDS = re.compile(
    r"(\w{3} \w{3} \d\d \d{4} [\d:]{8} GMT[+-]\d{4})(?: \(.*\))?|(\w{3}, \d\d \w{3} .{13} GMT)"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_CHANCE_FLOAT = re.compile(r"0?\.\d{6,}(?:e-\d+)?")
_LETTERS = re.compile(r"[a-z]{10,}")  # ``Math.random().toString(36)`` without a digit, by chance
_RANDOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}|\d{6,}"
    r"|(?=[^\d]*\d)(?=[^a-z]*[a-z])[\w+/=\-]{8,}",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Moment:
    """When a request was recorded, in seconds since 1970, and whether that time is to be trusted.

    A replica is written by hand: the time stamps in its addresses are of another day.
    """

    recorded_s: float
    trusted: bool = True


def words_of(name: str) -> tuple[str, ...]:
    """The parts of a name in lower case: ``nextToken``, ``next_token`` and ``x-next-token`` alike."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return tuple(part.lower() for part in re.split(r"[^A-Za-z0-9]+", apart) if part)


def looks_made_up(value: str) -> bool:
    """Whether a value has the form of a time stamp, a random number, a UUID, a hash or a token."""
    return any(form.fullmatch(value) for form in (_EPOCH, _ISO, _CHANCE_FLOAT, _RANDOM))


def seconds(value: str) -> float | None:
    """The time that a value stands for, in seconds since 1970; None where it is no time stamp.

    A time without a zone is the page's, which is UTC.
    """
    if found := _EPOCH.fullmatch(value):
        return float(found["s"] or 0) or float(found["ms"]) / 1000
    try:
        if _ISO.fullmatch(value):
            moment = datetime.fromisoformat(value)
        elif _DIGITS.fullmatch(value):
            moment = datetime.strptime(value[:14], "%Y%m%d%H%M%S")
        elif found := _WORDS.fullmatch(value):
            local = found[1]
            form = "%a %b %d %Y %H:%M:%S GMT%z" if local else "%a, %d %b %Y %H:%M:%S GMT"
            moment = datetime.strptime(local or value, form)
        else:
            return None
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def volatile(name: str, value: str) -> Volatile:
    """Whether a parameter, field or header may be left out when requests are compared."""
    parts = words_of(name)
    flat = "".join(parts)
    number, float_by_chance = _NUMBER.fullmatch(value), _CHANCE_FLOAT.fullmatch(value)
    made_up = looks_made_up(value) or _LETTERS.fullmatch(value)
    if (
        (number and _MEASURED.fullmatch(flat))
        or ((made_up or number) and _NOISE.fullmatch(flat))
        or (made_up and _MADE_UP.fullmatch(flat))
        or (float_by_chance and _CLOCKLIKE.fullmatch(flat))
    ):
        return "chance"
    if seconds(value) is None:
        return ""
    return "range" if _BOUND.intersection(parts) else "stamp"


def same_but_for_time(
    asked: Sequence[Pair], recorded: Sequence[Pair], moment: Moment, now_s: float, is_given: IsGiven
) -> bool:
    """Whether the volatile pairs of two requests, equal in all else, leave them the same request.

    Made-up values may differ and be missing. Time stamps may differ where both are the time of
    their request; the bounds of a period only where they moved as far as such a stamp did. A value
    that ``is_given``, that is, stands in an answer that the page has got, was not made up by it: it
    chooses one of several records, and has to be equal.
    """
    ours, theirs = _by_name(asked), _by_name(recorded)
    moves: list[float] = []
    bounded = anchored = False
    for name in ours.keys() | theirs.keys():
        mine, other = ours.get(name, []), theirs.get(name, [])
        kinds = {volatile(name, value) for value in (*mine, *other)}
        if mine == other:
            continue
        if any(map(is_given, mine)):
            return False
        if kinds == {"chance"}:
            continue
        if "range" in kinds:
            if len(mine) != len(other):
                return False
            bounded = True
        elif not moment.trusted:
            continue
        now = _all_near(mine, moment.recorded_s, now_s) and _all_near(other, moment.recorded_s)
        if "range" not in kinds and not now:
            return False
        anchored = anchored or now
        moves += [_apart(left, right) for left, right in zip(mine, other, strict=False)]
    return not bounded or (anchored and _moved_along(moves, theirs))


def _moved_along(moves: Sequence[float], recorded: Mapping[str, Sequence[str]]) -> bool:
    """Whether a period moved as a whole, and so little that it is no next page of the same list."""
    times = [found for values in recorded.values() for value in values if (found := seconds(value))]
    limit = min(NEAR_S, (max(times) - min(times)) / 10)
    return len(moves) > 1 and max(moves) - min(moves) <= APART_S and max(map(abs, moves)) <= limit


def _by_name(pairs: Sequence[Pair]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        # A stamp without a name came as a name without a value.
        found.setdefault(name if value else "", []).append(value or name)
    return found


def _apart(left: str, right: str) -> float:
    first, second = seconds(left), seconds(right)
    return float("inf") if first is None or second is None else first - second


def _all_near(values: Sequence[str], *moments_s: float) -> bool:
    times = [found for value in values if (found := seconds(value)) is not None]
    return all(any(abs(time - moment) <= NEAR_S for moment in moments_s) for time in times)


def set_aside(value: object, aside: list[Pair]) -> object:
    """A JSON value without its volatile leaves, which are put into ``aside``."""
    if isinstance(value, list):
        return [set_aside(item, aside) for item in value]
    if not isinstance(value, dict):
        return value
    rpc = "jsonrpc" in value  # its id only ties an answer to its request (JSON-RPC 2.0, 4)
    kept: dict[str, object] = {}
    for key, item in value.items():
        is_id = rpc and key == "id"
        leaf = "" if isinstance(item, dict | list) else _text(item)
        if leaf and (is_id or volatile(key, leaf)):
            # The id of a call is no time, whatever it looks like.
            aside.append(("requestId" if is_id else key, leaf))
        else:
            kept[key] = set_aside(item, aside)
    return kept


def _text(leaf: object) -> str:
    return " ".join((leaf if isinstance(leaf, str) else json.dumps(leaf)).split())


def set_aside_in(name: str, value: str, aside: list[Pair]) -> str | None:
    """A parameter or field without what is volatile in it; None where nothing is left of it.

    A value that is a JSON object is looked into.
    """
    # ``?1700000000123``: a time stamp without a name.
    if volatile(name, value) or (not value and volatile("", name)):
        aside.append((name, value))
        return None
    if not value.startswith("{"):
        return value
    inside: list[Pair] = []
    try:
        kept = set_aside(json.loads(value), inside)
    except (ValueError, RecursionError):
        return value
    aside.extend(inside)
    return json.dumps(kept, sort_keys=True) if inside else value
