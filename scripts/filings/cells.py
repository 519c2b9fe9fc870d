"""Tagged cells of tables, read without their tags and compared with them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from verifaible.kg.filing import Fact, Filing, read_filing
from verifaible.kg.metrics import Metric, MetricReader
from verifaible.kg.xbrl import Period

FILINGS = Path(__file__).resolve().parents[3] / "shared" / "data" / "filings"
#: The draw of the filings that nobody looked at while the readers were written.
SEED, ASIDE = 19, 3
#: Days by which spans of one kind differ: a fiscal year has 52 or 53 weeks, a calendar year 365 days or 366.
_SAME_LENGTH = 8
FIELDS = ("value", "scale", "unit", "period")
_HEADER = re.compile(r"<ix:header\b.*?</ix:header\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?ix:[^>]*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Compared:
    """A tagged cell beside what was read there.

    Attributes:
        read: None where the reader refused.
        right: the fields that agree with the tag.
        sign: whether the value agrees but for its sign.
    """

    filing: str
    words: str
    fact: Fact
    read: Metric | None
    right: frozenset[str]

    @property
    def all_right(self) -> bool:
        """Whether value, scale, unit and period agree."""
        return len(self.right) == len(FIELDS)


def drawn() -> tuple[list[Path], list[Path]]:
    """The filings to develop on, and those that are kept aside; empty where there are none."""
    found = sorted(FILINGS.glob("*.html"))
    names = sorted(path.name.split("-")[0] for path in found)
    aside = set(Random(SEED).sample(names, ASIDE)) if found else set()  # noqa: S311
    return (
        [path for path in found if path.name.split("-")[0] not in aside],
        [path for path in found if path.name.split("-")[0] in aside],
    )


def untagged(body: bytes) -> bytes:
    """A filing without its tags; their words stay, but for the header, which no reader sees."""
    return _TAG.sub("", _HEADER.sub("", body.decode())).encode()


def compare(path: Path) -> list[Compared]:
    """Each tagged number in a cell of a table, read in the filing without tags.

    Marks that find a tag's place may leave white space or a backslash in the text that the bare filing has
    not: a cell is looked up by how many other characters stand before it.
    """
    body = path.read_bytes()
    with_tags, bare = read_filing(body), read_filing(untagged(body))
    assert not bare.facts
    reader = MetricReader(bare)
    places = _places(with_tags, bare)
    return [
        _compared(path.stem, bare.text[start:end], fact, reader.at(start, end))
        for fact in with_tags.facts
        if fact.numeric
        and fact.value is not None
        and fact.spans
        and _in_table(with_tags.text, fact.spans[0][0])
        for start, end in [(places[fact.spans[0][0]], places[fact.spans[0][1]])]
    ]


def _places(one: Filing, other: Filing) -> Sequence[int]:
    """Where each character of a text stands in another one that has other white space and backslashes."""
    kept = [at for at, sign in enumerate(other.text) if not _loose(sign)]
    assert [sign for sign in one.text if not _loose(sign)] == [other.text[at] for at in kept]
    kept.append(len(other.text))
    found, before = [], 0
    for sign in one.text:
        found.append(kept[before])
        before += not _loose(sign)
    return [*found, kept[-1]]


def _loose(sign: str) -> bool:
    return sign.isspace() or sign == "\\"


def _in_table(text: str, at: int) -> bool:
    return text.startswith("|", text.rfind("\n", 0, at) + 1)


def _compared(name: str, words: str, fact: Fact, read: Metric | None) -> Compared:
    right: Iterator[str] = iter(())
    if read is not None:
        assert fact.value is not None
        agree = (
            read.value == fact.value,
            abs(read.value) == abs(fact.value),
            read.unit == fact.unit,
            fact.period is not None and same_period(read.period, fact.period),
        )
        right = (field for field, told in zip(FIELDS, agree, strict=True) if told)
    return Compared(name, words, fact, read, frozenset(right))


def same_period(one: Period, other: Period) -> bool:
    """Whether two periods end on one day and are both moments, or spans of one length."""
    moments = (one.start is None, other.start is None)
    return one.end == other.end and len(set(moments)) == 1 and abs(one.days - other.days) <= _SAME_LENGTH


def shares(found: Sequence[Compared]) -> dict[str, tuple[int, int]]:
    """Of each field, and of all four: how many agree, and of how many that were read; refused apart."""
    counts = Counter(field for each in found for field in each.right)
    read = [each for each in found if each.read is not None]
    rows = {field: (counts[field], len(found)) for field in FIELDS}
    rows["all four"] = (sum(each.all_right for each in found), len(found))
    rows["all but the sign"] = (sum(each.right >= {"scale", "unit", "period"} for each in found), len(found))
    rows["wrong"] = (sum(not each.all_right for each in read), len(found))
    rows["refused"] = (len(found) - len(read), len(found))
    return rows
