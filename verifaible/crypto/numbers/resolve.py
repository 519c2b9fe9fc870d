"""Every number of an answer, with the place in the data that it rests on, or why it rests on none.

The answerer writes behind each number a mark: ``[src_2#/bitcoin/usd]``, a source and a JSON Pointer in it, or
``[calc_1]``, a computed value. A number is resolved if the value there is the one written, in the digits and
the scale shown, and if nothing that the sentence says of it (asset, field, unit, date) contradicts what the
data say that the value is. Nothing is guessed: a number without a mark is not looked for in the data, and
what no tool declared is no evidence.

A number needs no mark where it states no value: in a date, a length of time, a name, a list's numbering;
where the question has it; or where it is a parameter of a computed value (the 14 of an RSI).

A number that is marked with a text, the words of a page or of news, has no JSON Pointer and so lacks evidence
of what it is. Its value is compared all the same: one that its text does not say is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from verifaible.crypto.assets.names import Names, find_metrics
from verifaible.crypto.numbers.sentences import Spoken, spoken_numbers
from verifaible.crypto.providers.json_values import in_one
from verifaible.crypto.providers.session import Api
from verifaible.evidence.computation import FORMULA, PROGRAM
from verifaible.evidence.sources import SourceTexts
from verifaible.schema.analyst import Source
from verifaible.schema.data import Computed, DataPoint, Facets, NumberEvidence
from verifaible.text.compare import compare
from verifaible.text.markers import DataMark, find_data_marks
from verifaible.text.numbers import find_quantities
from verifaible.text.periods import Period, find_periods
from verifaible.text.quantity import Quantity
from verifaible.text.units import factor, may_be_same, read_unit, unit_kind


@dataclass(frozen=True, slots=True)
class Field:
    """A field's name, read as words.

    Attributes:
        words: the name with blanks, without its windows: ``transfer amount``.
        metrics: those of the table that it names; none for a field that the table does not have.
        windows: the lengths of time in it: ``24h``.
    """

    words: str = ""
    metrics: frozenset[str] = frozenset()
    windows: frozenset[str] = frozenset()

    @property
    def is_change(self) -> bool:
        """Whether it is how much something else has changed."""
        return "change" in self.metrics or self.words.endswith("drawdown")

    def named_in(self, text: str) -> bool:
        """Whether a text in lower case has the name itself."""
        return bool(self.words) and re.search(rf"\b{re.escape(self.words)}\b", text) is not None

    @classmethod
    @lru_cache(4096)  # a table has one field in each of its rows
    def of(cls, name: str) -> Field:
        """A field by its name in the data."""
        words = re.sub(r"[_-]+", " ", name).strip().lower()
        bare, windows = words, []
        for period in reversed(find_periods(words)):
            bare = bare[: period.start] + bare[period.end :]
            windows += [] if period.dated else [period.name]
        bare = " ".join(bare.split())
        metrics = _metrics(words) | (_FROM_HIGH if bare.endswith("drawdown") else frozenset())
        return cls(words=bare, metrics=metrics, windows=frozenset(windows))


@dataclass(frozen=True, slots=True)
class Stated:
    """A value of the data, and what it is.

    Attributes:
        value: the value.
        asset: whose it is, as the table of names calls it; empty: the whole market's.
        unit: as :class:`~verifaible.schema.data.Facets` have it.
        field: what is counted.
        day: the day that it is of; None: not known.
        unit_asset: the asset that is its unit (the BTC of ETH/BTC); empty for another unit.
    """

    value: Decimal
    asset: str
    unit: str
    field: Field
    day: date | None
    unit_asset: str = ""


def asset_of(written: str, names: Names) -> str:
    """What the table calls an asset: a ticker, a name, or the first part of a market (BTCUSDT)."""
    if known := (names.resolve(written, symbol=True) or names.resolve(written)) if written else "":
        return known
    for end in range(len(written) - 1, 1, -1):
        quote = written[end:].lstrip("/-_")
        listed = quote and (read_unit(quote).currencies or names.resolve(quote, symbol=True))
        if listed and (known := names.resolve(written[:end].rstrip("/-_"), symbol=True)):
            return known
    return written


#: A drawdown is a change from a high.
_FROM_HIGH: Final = frozenset(("ath", "high", "change"))
#: Coins worth a dollar, which sentences give for it.
_DOLLARS: Final = frozenset(("USD", "Tether", "USDC", "Dai"))
#: How far a value may be from a share in words ("a third"), and from one that is said to be about so.
_SHARES: Final = {False: Decimal("0.03"), True: Decimal("0.1")}
#: Digits behind the point of a value that is exact.
_EXACT: Final = -60
_DEFINITE: Final = re.compile(r"\bthe\s+\Z", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[,;.:(]|\s(?:and|but|while|und|et|y)\s")
#: Noughts of whole thousands.
_FILLED: Final = re.compile(r"\d[.,](?=\d{3}(?!\d))\d{0,2}?(?P<noughts>0+)(?!\d)")
#: "Up" that is no rise.
_GAVE_UP: Final = re.compile(r"\bg(?:ave|ives?|iven|iving) up\b", re.IGNORECASE)
#: Words for directions in the languages of the suites, as one reads them in reports on markets.
_UP: Final = re.compile(
    r"\b(?:rose|ris(?:e|es|en|ing)|gain(?:s|ed|ing)?|up|increas\w+|climb\w*|jump\w*|surg(?:e|es|ed|ing)|advanc\w+"
    r"|soar\w*|rall(?:y|ied)|grew|grow(?:s|n|ing|th)?|higher|added|rebound\w*|spik(?:e|es|ed|ing)|recover\w*"
    r"|stieg(?:en)?|steigt|gestiegen|leg(?:te|ten|t)|zugelegt|kletterte|gewann|gewonnen|anstieg|zuwachs"
    r"|hausse|grimp[eé]|bondit?|gagn[eé]|mont[eé]|augment[eé]|progress(?:[eé]|ion)|envol[eé]"
    r"|subi[oó]|sube|subido|gan[oóa]|ganado|aument[oóa]|avanz[oóa]|creci[oó]|crece|alza|subida|repunt[oóa])\b"
    r"|涨|升|增|反弹|走高",
    re.IGNORECASE,
)
_DOWN: Final = re.compile(
    r"\b(?:fell|fall(?:s|ing|en)?|drop\w*|declin\w+|decreas\w+|down|lower(?:ed|s)?|reduc\w+|slid\w*|slip\w*"
    r"|shr[aiu]nk|los[ts]|loses|losing|loss|cut|dip\w*|plung\w+|tumbl\w+|sank|sunk|eased|retreat\w*|crash\w*"
    r"|plummet\w*|shed|sheds|slump\w*|fiel(?:en)?|fällt|gefallen|sinkt|gesunken|verlor(?:en)?|verliert|rückgang"
    r"|verlust|baiss[eé]|recul[eé]?|chut[eé]|perdu|perd|repli|cay[oó]|caído|baj[oóa]|bajado|caída|perdi[oó]|pierde"
    r"|perdido|desplomó|retrocedió|retrocede|descenso|pérdida|rutschte|eingebüßt|büßte)\b"
    r"|跌|降|下滑|下挫|下调|回落|减少|缩水|走低",
    re.IGNORECASE,
)


def contradictions(spoken: Spoken, stated: Stated, fields: Collection[Field]) -> Iterator[str]:
    """A sentence for each way in which what is said of a number is not what the data say.

    What a sentence leaves unsaid contradicts nothing.

    Args:
        spoken: the number, and what is said of it.
        stated: the value that its mark leads to.
        fields: all fields of the answer's data: what else a sentence can name.
    """
    shown = spoken.quantity.raw.strip()
    scale = _unit_factor(spoken, stated)
    if scale is None:
        unit = stated.unit or "a number without a unit"
        yield f"The data have {unit} there, and the sentence says {shown}."
    elif not _same_value(spoken, stated, scale):
        yield f"The data say {stated.value} there, which is not {shown} in the digits shown."
    elif _turned(spoken, stated):
        yield f"The data say {stated.value} there, and the sentence says the opposite."
    if _other_asset(spoken, stated):
        subjects = ", ".join(each or "the whole market" for each in sorted(spoken.subjects))
        yield f"The value there is of {stated.asset or 'the whole market'}, and the sentence of {subjects}."
    if _other_field(spoken, stated.field, fields):
        name = stated.field.words or ", ".join(sorted(stated.field.metrics)).replace("_", " ")
        yield f"The value there is the {name}, and the sentence says something else."
    dates = [each for each in spoken.periods if each.dated]
    if stated.day and dates:
        day = Period(0, 0, ((stated.day, stated.day),))
        if all(compare(each, day) == "other" for each in dates):
            said = ", ".join(each.name or " to ".join(map(str, each.days[0])) for each in dates)
            yield f"The value there is of {stated.day}, and the sentence says {said}."


def _unit_factor(spoken: Spoken, stated: Stated) -> Decimal | None:
    """What the sentence's number is multiplied by to be in the data's unit; None where units differ."""
    number, one = spoken.quantity, Decimal(1)
    if not spoken.unit:
        return one
    if not stated.unit:  # points, times and what is counted are pure numbers
        return one if number.unit in ("点", "times", "倍") or unit_kind(number.unit) == "count" else None
    unit = read_unit(stated.unit)
    name = stated.unit_asset or unit.name
    if spoken.unit.casefold() in (name.casefold(), stated.unit.casefold()) or {spoken.unit, name} <= _DOLLARS:
        return one
    money = number.currencies or read_unit(spoken.unit).currencies
    if number.unit == "cent" and (unit.currencies or name in _DOLLARS):
        return Decimal("0.01")
    if name in _DOLLARS or (unit.currencies and not stated.unit_asset):
        codes = ("USD",) if name in _DOLLARS else (unit.currencies[0],)
        return one if spoken.unit == number.unit and may_be_same(money, codes) else None
    return factor(number.unit, name) if number.unit and not stated.unit_asset else None


def _same_value(spoken: Spoken, stated: Stated, scale: Decimal) -> bool:
    """Whether a number is the value, in the digits shown, in one of the ways to read it."""
    readings = (spoken.quantity, spoken.other) if spoken.other else (spoken.quantity,)
    return any(_is_value(each, spoken, stated, scale) for each in readings)


def _is_value(read: Quantity, spoken: Spoken, stated: Stated, scale: Decimal) -> bool:
    number = replace(
        read, unit="", currencies=(), ticker="", role="value", edge="", flow="", negated=False,
        earlier=False, scale=read.scale * scale,
    )  # fmt: skip
    if read.scale != 1 and (filled := _FILLED.search(read.raw)):  # "254.000 millones" are no exact ones
        number = replace(number, places=read.places + len(filled["noughts"]))
    value = stated.value
    if _is_size(spoken, stated.field):
        number, value = replace(number, value=abs(number.value)), abs(value)
    if number.limit and _DEFINITE.search(spoken.lead):  # "more than the 5 of another" is 5
        number = replace(number, limit="")
    if number.worded and abs(number.value - value) <= abs(value) * _SHARES[number.about]:
        return True
    exact = Quantity(value, 0, 0, str(value), places=min(_EXACT, int(value.as_tuple().exponent)))
    if number.sign == "word" and value > 0:  # a level that is "down at" it has no sign
        number = replace(number, value=abs(number.value))
    return compare(number, exact) == "same"


def _is_size(spoken: Spoken, field: Field) -> bool:
    """Whether a number gives the size of a change alone, and a word, known or not, its direction."""
    if field.words.endswith("drawdown"):  # a fall by its name
        return True
    if not field.is_change or _signed(spoken) or "change" in _metrics(spoken.lead):
        return False
    return spoken.verb or bool(_direction(spoken.before + spoken.lead))


def _signed(spoken: Spoken) -> bool:
    return spoken.quantity.sign in ("sign", "brackets")


def _direction(text: str) -> int:
    """1 where a text speaks of a rise, -1 of a fall, 0 of neither or of both."""
    text = _GAVE_UP.sub("", text)
    return bool(_UP.search(text)) - bool(_DOWN.search(text))


def _turned(spoken: Spoken, stated: Stated) -> bool:
    """Whether a change is said to go the other way, in words that are known."""
    if not stated.field.is_change or _signed(spoken):
        return False
    way = _direction(spoken.lead) or _direction(_CLAUSE.split(spoken.behind)[0])
    return bool(way) and way * stated.value < 0


def _other_asset(spoken: Spoken, stated: Stated) -> bool:
    asset = stated.asset
    said = spoken.subjects.difference(filter(None, (stated.unit_asset,)))
    if asset in spoken.subjects or not said:
        return False
    return bool(asset) or not spoken.lent


def _other_field(spoken: Spoken, field: Field, fields: Collection[Field]) -> bool:
    """Whether the sentence names another field, by the table of metrics or by the data's own names."""
    lead, behind = spoken.lead.lower(), _CLAUSE.split(spoken.behind.lower())[0]
    windows = {each.name for each in spoken.periods if not each.dated}
    if field.windows and windows and not field.windows & windows:
        return True
    if field.named_in(f"{lead} {behind}"):
        return False
    own, said = field.metrics - {"change"}, _said(spoken, fields, alone=not field.metrics)
    if said in own:
        return False
    others = (each for each in fields if each.words not in field.words and not _metrics(each.words))
    if any(each.named_in(lead) for each in others):
        return True
    return bool(said) and _differs(said, field, fields, way=_direction(lead + behind))


def _differs(said: str, field: Field, fields: Collection[Field], *, way: int) -> bool:
    """Whether a metric that is said is another than a field's; ``way``: the direction that is said."""
    own = field.metrics - {"change"}
    if not field.metrics:  # the table has no word for it: the name in the data is all that there is
        return said != "change" and any(said in other.metrics for other in fields)
    if field.is_change and not own:
        return said not in ("change", "price") and not way  # a change of nothing else is one of the price
    return said == "change" or not any(said.rsplit("_", maxsplit=1)[-1] in each.split("_") for each in own)


def _said(spoken: Spoken, fields: Collection[Field], *, alone: bool) -> str:
    """The metric that a sentence says a number to be of; empty where it is not certain.

    Args:
        spoken: the number.
        fields: those of the data.
        alone: whether only the words right before it count.
    """
    if found := [each.value for each in find_metrics(spoken.lead)]:
        return found[-1]
    if alone:
        return ""
    if found := [each.value for each in find_metrics(_CLAUSE.split(spoken.behind)[0])]:
        return found[0]
    carried = [] if spoken.verb else [each.value for each in find_metrics(spoken.before)]
    return next((each for each in reversed(carried) if any(each in other.metrics for other in fields)), "")


def _metrics(text: str) -> frozenset[str]:
    return frozenset(metric.value for metric in find_metrics(text))


class AnswerData:
    """The data of an answer: what tools declared of their numbers, and what was computed from them."""

    def __init__(self, points: Iterable[DataPoint], computed: Sequence[Computed]) -> None:
        self.names = Names()
        self.parameters = frozenset(_numbers(computed))
        values: dict[tuple[str, str], tuple[Facets, Decimal]] = {
            (each.source, each.pointer): (each, each.value) for each in points
        }
        for value in computed:
            for pointer in ("", "/computed/result"):
                values[value.id, pointer] = (value, value.result)
        assets = dict.fromkeys(facets.asset for facets, _ in values.values())
        for asset in assets:
            self.names.define(asset_of(asset, self.names), asset)
        self._assets = {asset: asset_of(asset, self.names) for asset in assets}
        #: What stands at a mark and a pointer in its source.
        self.stated = {place: self._declared(*each) for place, each in values.items()}
        #: What else a sentence can name.
        self.fields = frozenset(each.field for each in self.stated.values())

    def _declared(self, facets: Facets, value: Decimal) -> Stated:
        value, written = in_one(value, facets.unit)
        unit = self.names.resolve(written, symbol=True)
        return Stated(
            value=value,
            asset=self._assets[facets.asset],
            unit_asset=unit if self.names.kind(unit) == "asset" else "",
            unit=written,
            field=Field.of(facets.field),
            day=facets.at.astimezone(UTC).date() if facets.at else None,
        )


def _numbers(computed: Iterable[Computed]) -> Iterator[Decimal]:
    for value in computed:
        # what a model wrote to be computed is no parameter: "84000" would excuse that number everywhere
        for each in () if value.function in (FORMULA, PROGRAM) else value.parameters.values():
            try:
                yield Decimal(each)
            except InvalidOperation:
                continue


#: A character that no reader sees (zero width space).
_NOTHING: Final = "\u200b"

#: A share in words that can be an ordinal, too.
_SHARE: Final = re.compile(
    r"\b(?:an?|one) (?:third|quarter|fourth|fifth|sixth|eighth|tenth)\s*\Z|\bhalf\s*\Z"
)


def resolve_numbers(
    answer: str,
    points: Iterable[DataPoint],
    computed: Sequence[Computed] = (),
    *,
    prompt: str = "",
    at: datetime | None = None,
) -> tuple[NumberEvidence, ...]:
    """What each number of an answer rests on, in order.

    Args:
        answer: its text, with the marks.
        points: the numbers that the tools declared (``Api.points``).
        computed: the values that were computed (``Api.computed``).
        prompt: the question: its numbers need no mark.
        at: when it was asked: what "today" is.
    """
    data = AnswerData(points, computed)
    marks = find_data_marks(answer)
    text = answer
    for mark in marks:  # as if neither it nor the blank before it were there: no character moves
        start = mark.start - (answer[mark.start - 1 : mark.start] == " ")
        before = text[:start]
        if _SHARE.search(before):  # what has a mark is a share, and no ordinal
            before = before.rstrip() + " of"
        text = before + _NOTHING * (mark.end - len(before)) + text[mark.end :]
    spoken = list(_up_to_marks(answer, marks, spoken_numbers(text, data.names, at=at, topic=prompt)))
    places = _places(spoken, marks)
    known = {each.scaled_value for each in find_quantities(prompt)} | data.parameters
    found = []
    for number in spoken:
        if number.start in places:
            found.append(_evidence(number, data, *places[number.start]))
        elif number.states_value and number.quantity.scaled_value not in known:
            reason = "No mark behind it says which data it is from."
            found.append(NumberEvidence(start=number.start, end=number.end, status="none", reason=reason))
    return tuple(found)


def _up_to_marks(answer: str, marks: Sequence[DataMark], spoken: Iterable[Spoken]) -> Iterator[Spoken]:
    """Numbers that end where their mark begins, though a unit may stand behind it ("5M [src_1#/a] coins")."""
    for number in spoken:
        inside = [mark.start for mark in marks if number.start < mark.start < number.end]
        yield replace(number, end=len(answer[: inside[0]].rstrip())) if inside else number


def _places(spoken: Sequence[Spoken], marks: Sequence[DataMark]) -> dict[int, tuple[str, str]]:
    """The place that is named for a number, by where the number begins.

    A mark is of the number before it; one that names several places, of as many numbers before it.
    """
    found: dict[int, tuple[str, str]] = {}
    for mark in marks:
        before = [
            each.start
            for each in spoken
            if each.end <= mark.start and (each.states_value or each.end + 1 >= mark.start)
        ]
        for start, place in zip(reversed(before), reversed(mark.places), strict=False):
            if start in found:
                break
            found[start] = place
    return found


def _evidence(number: Spoken, data: AnswerData, mark: str, pointer: str) -> NumberEvidence:
    stated = data.stated.get((mark, pointer))
    if stated is not None:
        reason = " ".join(contradictions(number, stated, data.fields))
    elif pointer or mark.startswith("calc_"):
        reason = f"No tool gave a number at {pointer or 'this mark'} of {mark}."
    else:
        reason = f"The mark names {mark}, and not the place of the number in it."
    return NumberEvidence(
        start=number.start,
        end=number.end,
        status="none" if stated is None else "wrong" if reason else "resolved",
        mark=mark,
        pointer=pointer,
        reason=reason,
    )


def checked_numbers(text: str, *, prompt: str, api: Api) -> tuple[NumberEvidence, ...]:
    """What the numbers of an answer rest on, those marked with a text compared with its words.

    Args:
        text: the answer, with its marks.
        prompt: the question.
        api: has the data that its tools showed and computed.

    Raises:
        StoreError: a source cannot be read, or was changed.
    """
    found = resolve_numbers(text, api.points, api.computed, prompt=prompt, at=api.as_of or api.now)
    texts = SourceTexts(api.book.store)
    sources = {each.id: each for each in api.book.sources}
    claimed = {each.start: each for each in find_quantities(text)}
    return tuple(
        _compared(each, claimed[each.start], texts.text(sources[each.mark]))
        if each.start in claimed and in_words(each, api.book.sources)
        else each
        for each in found
    )


def in_words(number: NumberEvidence, sources: Sequence[Source]) -> bool:
    """Whether a number is marked with a text, in which no pointer leads to it."""
    marked = number.status == "none" and not number.pointer
    return marked and any(each.id == number.mark and not each.file.endswith(".json") for each in sources)


def _compared(number: NumberEvidence, claimed: Quantity, words: str) -> NumberEvidence:
    likeness = {compare(claimed, each) for each in find_quantities(words)}
    if not likeness & {"same", "open"}:
        reason = f"{number.mark} is a text, and does not say this number."
        return number.model_copy(update={"status": "wrong", "reason": reason})
    said = "says this number" if "same" in likeness else "says a number like this"
    reason = f"{number.mark} is a text that {said}; of what it says it was not compared."
    return number.model_copy(update={"reason": reason})
