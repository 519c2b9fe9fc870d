"""What a sentence states that evidence must hold: numbers, dates, names, ordinals, codes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from verifaible.anchoring.number_mention import NumberMention
from verifaible.anchoring.numbers import find_numbers
from verifaible.answers.moments import Moment, find_moments, year_of
from verifaible.answers.names import find_names, language_of
from verifaible.text.flat import flatten

FactKind: TypeAlias = Literal["number", "date", "name", "ordinal", "code"]

_CODE = re.compile(
    # telephone numbers
    r"(?<![A-Za-z0-9_.,-])(?:\+\d{1,3}[ -]?)?(?:\(0\d{1,4}\) ?|0\d{1,4}[ /-])\d{2,8}(?:[ -]\d{2,8})*"
    r"(?![A-Za-z0-9_-]|[.,]\d)|(?<![A-Za-z0-9_.,-])\+\d{1,3}(?:[ -]\d{2,8}){2,}(?![A-Za-z0-9_-])"
    r"|(?<![A-Za-z0-9_.,-])0\d(?:[ .-]\d{2}){4}(?![A-Za-z0-9_-])"
    # securities
    r"|(?<![A-Za-z0-9_.])(?:\d{6}\.(?:SH|SZ|SS|BJ)|\d{4,5}\.HK)(?![A-Za-z0-9_])"
)
_CODE_PARTS: Final = r"[A-Za-z0-9_./+-]"
_SPELLED_ONE: Final = frozenset(("one", "一", "eins"))


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact of a sentence; ``start`` and ``end`` count in its plain text.

    ``number`` is set for numbers and ordinals, ``moment`` for dates and times.
    """

    kind: FactKind
    start: int
    end: int
    raw: str
    number: NumberMention | None = None
    moment: Moment | None = None


def find_facts(text: str, *, decimal_comma: bool | None = None) -> tuple[StatedFact, ...]:
    """The facts of a sentence, in order.

    Citation markers, footnote marks, addresses and the numbers of list items are none. A number of four
    digits from 1900 to 2099 without a unit is a year. The spelled "one" is no number.

    Args:
        text: the sentence, without mark-up (:func:`verifaible.text.plain.plain`).
        decimal_comma: how to read ``12,4``; None: by the sentence's own words.
    """
    codes = _CODE.finditer(flatten(text))
    found = [StatedFact("code", *match.span(), match[0]) for match in codes]
    for moment in find_moments(text):
        if not _touches(found, moment.start, moment.end):
            raw = text[moment.start : moment.end]
            found.append(StatedFact("date", moment.start, moment.end, raw, moment=moment))
    left = _blanked(text, found)
    mentions = find_numbers(left, decimal_comma=decimal_comma)
    taken = [(fact.start, fact.end) for fact in found]
    taken += [(each.start, each.end) for each in mentions if each.role in ("value", "range", "ordinal")]
    names = find_names(text, taken, language_of(text))
    found += [StatedFact("name", start, end, text[start:end]) for start, end in names]
    named = [fact for fact in found if fact.kind == "name"]
    for mention in mentions:
        if mention.role != "marker" or not any(_inside(fact, mention) for fact in named):
            _add(found, left, mention)
    return tuple(sorted(found, key=lambda fact: (fact.start, fact.end)))


def _touches(found: list[StatedFact], start: int, end: int) -> bool:
    return any(fact.start < end and start < fact.end for fact in found)


def _inside(name: StatedFact, mention: NumberMention) -> bool:
    """Whether a code is a part of a name such as GLM-5."""
    return name.start < mention.start and mention.end <= name.end


def _blanked(text: str, found: list[StatedFact]) -> str:
    chars = list(text)
    for fact in found:
        chars[fact.start : fact.end] = "\x1f" * (fact.end - fact.start)
    return "".join(chars)


def _add(found: list[StatedFact], text: str, mention: NumberMention) -> None:
    start, end, raw = mention.start, mention.end, mention.raw
    if mention.role in ("value", "range"):
        if raw.lower() in _SPELLED_ONE:
            return
        if _is_year(mention):
            moment = Moment(start, end, ((year_of(raw),),))
            found.append(StatedFact("date", start, end, raw, moment=moment))
        else:
            found.append(StatedFact("number", start, end, raw, number=mention))
    elif mention.role == "ordinal" and not _counts_points(text, mention):
        found.append(StatedFact("ordinal", start, end, raw, number=mention))
    elif mention.role == "marker":
        while start and re.match(_CODE_PARTS, text[start - 1]):
            start -= 1
        while end < len(text) and re.match(_CODE_PARTS, text[end]):
            end += 1
        code = text[start:end].rstrip(".-/+_")
        code = code.removeprefix("v") if re.match(r"v\d", code) else code
        start = end - len(text[start:end]) + (text[start:end].find(code))
        if code and not _touches(found, start, start + len(code)):
            found.append(StatedFact("code", start, start + len(code), code))


def _counts_points(text: str, mention: NumberMention) -> bool:
    """Whether an ordinal only counts what is said: 第一，... at the beginning."""
    before, after = text[: mention.start].strip(), text[mention.end : mention.end + 1]
    return before == "第" and after in "，、,：: " and not any(map(str.isdigit, mention.raw))


def _is_year(mention: NumberMention) -> bool:
    bare = not mention.unit and mention.scale == 1 and not mention.sign_source and mention.role == "value"
    return bare and re.fullmatch(r"(?:19|20)\d{2}", mention.raw) is not None
