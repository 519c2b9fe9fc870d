"""What stands at the places in the data that an answer names, and what it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date
from decimal import Decimal, InvalidOperation

from verifaible.crypto.numbers.facets import Field, Stated, asset_of
from verifaible.errors import BadArguments
from verifaible.evidence.computed.formula import FORMULA
from verifaible.evidence.computed.sealed import PROGRAM
from verifaible.evidence.computed.values import read_data, values_at
from verifaible.judge.numbers.periods import days_of
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.reading import Reading
from verifaible.schema.data import Computed, DataPoint, Facets


class AnswerData:
    """The data of an answer.

    What a tool declared of its numbers counts. Of a number that none declared, the rules that read JSON for
    judging say what it is by the keys and the names around it, as far as these tell.

    Args:
        points: the numbers that tools declared.
        computed: the computed values.
        library: the sources in which other numbers are pointed to.
        names: further names of assets.
    """

    def __init__(
        self,
        points: Iterable[DataPoint],
        computed: Sequence[Computed],
        library: Library,
        names: Mapping[str, Sequence[str]],
    ) -> None:
        self.lexicon = library.lexicon
        self.parameters = frozenset(_numbers(computed))
        values: dict[tuple[str, str], tuple[Facets, Decimal]] = {
            (each.source, each.pointer): (each, each.value) for each in points
        }
        for value in computed:
            for pointer in ("", "/computed/result"):
                values[value.id, pointer] = (value, value.result)
        assets = dict.fromkeys(facets.asset for facets, _ in values.values())
        for asset in assets:
            for name in (asset_of(asset, self.lexicon), *names.get(asset, ())):
                self.lexicon.define(name, asset)
        units = {facets.unit for facets, _ in values.values()}
        self._assets = {asset: asset_of(asset, self.lexicon) for asset in assets}
        self._units = {unit: self.lexicon.resolve(unit, symbol=True) or None for unit in units}
        self._library = library
        self._stated = {place: self._declared(*each) for place, each in values.items()}
        #: What else a sentence can name.
        self.fields = frozenset(each.field for each in self._stated.values())

    def at(self, mark: str, pointer: str) -> Stated | None:
        """What stands at a place; None where there is no number."""
        if (mark, pointer) not in self._stated and (found := self._read(mark, pointer)):
            self._stated[mark, pointer] = found
        return self._stated.get((mark, pointer))

    def _declared(self, facets: Facets, value: Decimal) -> Stated:
        asset, unit = self._assets[facets.asset], self._units[facets.unit]
        return Stated(
            value=value,
            asset=asset,
            unit_asset=unit if unit != asset else None,
            unit=facets.unit,
            field=Field.of(facets.field),
            day=facets.at.astimezone(UTC).date() if facets.at else None,
        )

    def _read(self, mark: str, pointer: str) -> Stated | None:
        """A number that no tool declared."""
        for page in self._library.pages((mark,)):
            try:
                (value,) = values_at(read_data(page.text), pointer)
            except (BadArguments, ValueError):
                return None
            places = (at for at, each in enumerate(page.segments) if each.pointer == pointer)
            readings = [reading for at in places for reading in page.read(at)]
            return _as_read(value, readings[0] if len(readings) == 1 else None)
        return None


def _as_read(value: Decimal, reading: Reading | None) -> Stated:
    if reading is None:
        return Stated(value, None, None, Field(), None)
    base, _, change = reading.metric.partition("/")
    metrics = frozenset(filter(None, (*base.split("+"), change)))
    days = [days_of(each) for each in reading.moments]
    spans = [each for each in days if each]
    return Stated(
        value=value,
        asset=next(iter(reading.subjects)) if len(reading.subjects) == 1 else None,
        unit=reading.unit or None,
        field=Field(metrics=metrics, windows=frozenset(_windows(reading))),
        day=_single_day(spans),
    )


def _windows(reading: Reading) -> Iterator[str]:
    return (each for each in reading.moments if not days_of(each))


def _single_day(spans: Sequence[tuple[date, date]]) -> date | None:
    return spans[0][0] if len(spans) == 1 and spans[0][0] == spans[0][1] else None


def _numbers(computed: Iterable[Computed]) -> Iterator[Decimal]:
    for value in computed:
        # what a model wrote to be computed is no parameter: "84000" would excuse that number everywhere
        for each in () if value.function in (FORMULA, PROGRAM) else value.parameters.values():
            try:
                yield Decimal(each)
            except InvalidOperation:
                continue
