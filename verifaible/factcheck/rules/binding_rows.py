"""Readings of the rows of tables: a cell is bound to its row's heads and to its column's."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from verifaible.factcheck.numbers.quantities import Quantity, told_unit_of
from verifaible.factcheck.rules.layout import TELLS_UNIT, Segment
from verifaible.factcheck.rules.lexicon import find_metrics, is_money_metric, metric_units, names_of
from verifaible.factcheck.plain_words import denial, forecast
from verifaible.factcheck.rules.reading import Manner, Reading
from verifaible.factcheck.rules.surroundings import Surroundings, joined_metric, label_words
from verifaible.factcheck.rules.tagging import Bound, Tagged

_BRACKETED: Final = re.compile(r"[(（\[]([^()（）\[\]]{1,32})[)）\]]")
_DECLARED: Final = re.compile(r"(?:单位|unit)s?\s*[:：]\s*(\S{1,8})", re.IGNORECASE)
_SUFFIXED: Final = re.compile(r"[_ ](usd|eur|pct|percent)\b", re.IGNORECASE)
_COUNTING: Final = re.compile(
    r"#|%|\b(?:number|count|chains?|rank|stage|days?|years?|date|ratio|share|users?|holders?|rate|change|id|no)\b"
    r"|数量|数|排名|日期|占比|比例|率|人数",
    re.IGNORECASE,
)
_IN_SCALE: Final = re.compile(
    r"\b(in (?:thousands?|millions?|billions?)(?: of)?(?: (?:US |U\.S\. )?(?:dollars|USD|US\$|euros?))?)",
    re.IGNORECASE,
)
#: Code points before a row in which other rows of its table may stand.
_TABLE: Final = 1500
_MOST_CAPTION: Final = 200
#: Heads of columns whose dates are those of an event, and not of the row's values.
_EVENT: Final = re.compile(
    r"\b(?:unlock|launch|list(?:ing|ed)|vest|expir|matur|due|founded|inception|next|genesis|tge|halving|deadline"
    r"|effective|start|end)|解锁|上线|到期|成立|发行日|截止|下次|上市",
    re.IGNORECASE,
)
_DOLLAR: Final = re.compile(r"usd|\$|dollar|美元", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Row:
    """What the cells of a row without numbers say of those with numbers."""

    words: tuple[str, ...]
    names: frozenset[str]
    dates: frozenset[str]
    windows: frozenset[str]

    @property
    def head(self) -> str:
        """The first cell that says something."""
        return next(filter(None, self.words), "")


@dataclass(frozen=True, slots=True)
class _Cell:
    """A number of a cell: where the cell begins in its row, and the head of its column."""

    start: int
    tag: Tagged
    bound: Bound
    head: str


def _at(heads: tuple[str, ...], index: int) -> str:
    return heads[index] if index < len(heads) else ""


def read_row(around: Surroundings, segment: Segment) -> tuple[Reading, ...]:
    """The values of a row, in order."""
    cells = [segment.words[start:end] for start, end in segment.cells]
    tagged = [Tagged(cell, around.lexicon) for cell in cells]
    if not any(tag.numbers for tag in tagged):
        return ()
    heads = segment.scope.table
    row = _row_of(cells, tagged, heads)
    return tuple(
        _cell(around, segment, row, _Cell(segment.cells[index][0], tag, bound, _at(heads, index)))
        for index, tag in enumerate(tagged)
        for bound in tag.bound
    )


def _row_of(cells: list[str], tagged: list[Tagged], heads: tuple[str, ...]) -> _Row:
    words: list[str] = []
    names: frozenset[str] = frozenset()
    dates: frozenset[str] = frozenset()
    windows: frozenset[str] = frozenset()
    for index, tag in enumerate(tagged):
        if index and tag.numbers:
            continue
        names |= names_of(tag.names)
        if not _EVENT.search(_at(heads, index)):
            dates |= frozenset(period.value for period in tag.periods if period.dated)
        windows |= frozenset(period.value for period in tag.periods if not period.dated)
        if not tag.numbers:
            words.append(cells[index])
    return _Row(tuple(words), names, dates, windows)


def _cell(around: Surroundings, segment: Segment, row: _Row, cell: _Cell) -> Reading:
    tag, bound, head = cell.tag, cell.bound, cell.head
    over, first = around.label(head), around.label(row.head)
    manner: set[Manner] = set(bound.manner) - {"unclear"}
    subjects = names_of(tag.names) | row.names | names_of(over.names)
    clear = len(around.assets(subjects)) <= 1
    lent = not subjects
    if lent:
        subjects, clear = around.over(segment)
    if not clear:
        manner.add("unclear")
    if any(map(forecast, (head, row.head, *segment.scope.labels[:-1]))):
        manner.add("forecast")
    if denial(head) or denial(row.head):
        manner.add("denied")
    quantity = _scaled(bound.quantity, head)
    quantity = quantity if quantity.unit else _scaled(quantity, row.head)
    if quantity.unit in ("", "USD") and not _counts(head) and not _counts(row.head):
        told = _captioned(quantity, segment)
        shown = around.text[max(0, segment.start - _TABLE) : segment.end]
        if told is not quantity and not told.unit and around.only_dollars and "$" in shown:
            told = replace(told, unit="USD")
        quantity = told
    metric = _metric(segment, row, cell, quantity)
    if (
        not quantity.unit
        and is_money_metric(metric)
        and around.only_dollars
        and _DOLLAR.search(head + row.head)
    ):
        quantity = replace(quantity, unit="USD")
    above = frozenset(period.value for period in over.periods if not period.dated)
    windows = bound.windows | above or row.windows
    dates = bound.dates | frozenset(period.value for period in over.periods if period.dated) or row.dates
    outer = frozenset() if windows or dates else around.heading_dates(segment)
    close = over.words | tag.words | (first.words if not first.names else frozenset())
    start, end = segment.span(cell.start + quantity.start, cell.start + quantity.end)
    labels = (*(label for label in (*row.words, head) if label), *segment.scope.labels)
    return Reading(
        source=around.source, text=around.text, start=start, end=end,
        place=(segment.start, segment.end), value=quantity.value, unit=quantity.unit,
        digits=quantity.half, mention=quantity.mention, labels=labels, subjects=subjects, metric=metric,
        moments=windows | dates | outer, manner=frozenset(manner),
        words=close | label_words((*row.words, *segment.scope.labels)),
        own=close | label_words(row.words), pointer=segment.pointer, kind="row", close=close,
        signed=True, dated=dates, quantity=quantity, lent=lent, head=head,
    )  # fmt: skip


def _metric(segment: Segment, row: _Row, cell: _Cell, quantity: Quantity) -> str:
    """What a cell measures: by its column's head, by its row's, or by its own words."""
    own = [metric.value for metric in cell.tag.metrics]
    above = [metric.value for metric in find_metrics(cell.head)]
    beside = [metric.value for words in row.words for metric in find_metrics(words)]
    found = above or beside or own
    if above and beside and above != beside:
        found = [*beside, *above]
    if not found:
        told = [metric.value for label in _captions(segment) for metric in find_metrics(label)]
        found = told if len(set(told)) == 1 else []
    metric = joined_metric(found)
    if metric == "change":
        base = _changed(segment)
        return f"{base}/change" if base else ""
    if (
        quantity.unit in ("%", "pp")
        and "/" not in metric
        and metric_units().get(metric) in ("money", "count")
    ):
        return ""
    return metric


def _captions(segment: Segment) -> list[str]:
    """The lines over a table, from inner to outer, that tell the unit of its cells."""
    return [label for label in segment.scope.labels if TELLS_UNIT.search(label[:_MOST_CAPTION])][:2]


def _captioned(quantity: Quantity, segment: Segment) -> Quantity:
    """A number of a table in the unit that the line or the heading over the table tells."""
    for label in _captions(segment):
        told = _scaled(quantity, label)
        if told is quantity and (match := _IN_SCALE.search(label)):
            told = _scaled(quantity, f"({match[1]})")
        if told is not quantity:
            return told
    return quantity


def _counts(head: str) -> bool:
    """Whether a head is of what is counted, ranked or dated, and not of money."""
    units = {metric_units().get(metric.value) for metric in find_metrics(head)}
    return bool(_COUNTING.search(head)) or bool(units & {"count", "%", "time"})


def _changed(segment: Segment) -> str:
    """What a column "change" is of, where the table has one metric that it can be of."""
    heads = (metric.value for head in segment.scope.table for metric in find_metrics(head))
    metrics = {metric for metric in heads if metric != "change"}
    if "price" in metrics or not metrics:
        return "price"
    return metrics.pop() if len(metrics) == 1 else ""


def _scaled(quantity: Quantity, head: str) -> Quantity:
    """A number of a table in the unit and the scale that a head tells."""
    if not head:
        return quantity
    inside = [*_BRACKETED.findall(head), *_DECLARED.findall(head), *_SUFFIXED.findall(head)]
    for words in inside:
        scale, unit = told_unit_of(words)
        for part in re.split(r"[,，;、]|\s+in\s+", words) if not unit and scale == 1 else ():
            further, named = told_unit_of(part)
            scale, unit = max(scale, further), unit or named
        if (quantity.unit and unit and quantity.unit != unit) or (not unit and scale == 1):
            continue
        if quantity.mention.scale != 1:
            return quantity if quantity.unit else replace(quantity, unit=unit)
        return replace(
            quantity, value=quantity.value * scale, half=quantity.half * scale, unit=quantity.unit or unit
        )
    return quantity
