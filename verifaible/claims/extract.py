"""The atomic claims of an answer, by rule, and whether claims cover an answer.

No model is asked, so the same answer has the same claims. A claim is what one part of a sentence, one cell of
a table, or one item states; its words are those of the answer, and what it needs to stand alone is in its
context: the headings over it, the bold label or the lead-in of its list, the head and the row of its cell,
the subject that it shares with the part before it.

What a mark covers: the sentence that it stands in or directly follows, its row of a table, its list item; a
mark in or behind a heading covers the claims under it that have none. Within a sentence, a mark belongs to
the part that it stands in, and to those before it that have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from verifaible.claims.attribution import Citing
from verifaible.claims.facts import Fact, find_facts
from verifaible.claims.kinds import Setting, has_measured, is_listing, kind_of
from verifaible.claims.lists import Part
from verifaible.claims.split import parts_of
from verifaible.claims.units import LONGEST, Unit, Units, units_of
from verifaible.schema.analyst import AnalystAnswer, Claim, Coverage
from verifaible.text.markdown import Plain

#: What may stand outside all claims of a sentence: so many words without a digit say nothing on their own.
_WORDS_LEFT = 3
_EDGE = " \t\n\r.,;:，。；：、!！"
_PICTURE = re.compile(r"[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")
_EMPHASIS = "*_~`"
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});")


@dataclass(frozen=True, slots=True)
class _Read:
    """A unit with its plain text and the facts in it."""

    unit: Unit
    plain: Plain
    facts: tuple[Fact, ...]


def extract_claims(answer: AnalystAnswer) -> tuple[Claim, ...]:
    """The claims of an answer in order; each lies in one sentence, and together they cover all of them."""
    units = units_of(answer)
    read = [_read(units, unit) for unit in units.units]
    citing = Citing(units)
    rows = _rows_with_values(units.units)
    claims: list[Claim] = []
    for each in read:
        if each.unit.label and each.unit.group in rows and not _label_states(each):
            continue
        claims += _claims(each, units, citing)
    return tuple(
        claim.model_copy(update={"id": f"c{number}"}) for number, claim in enumerate(claims, start=1)
    )


def _read(units: Units, unit: Unit) -> _Read:
    shown = units.plain(unit.start, unit.end)
    return _Read(unit, shown, find_facts(shown.text) if len(shown.text) <= LONGEST else ())


def _label_states(read: _Read) -> bool:
    """Whether the label of a row gives a value besides, and does not only number the row."""
    return bool(re.search(r"[^\W\d_]", read.plain.text)) and has_measured(read.plain.text, read.facts)


def _rows_with_values(units: Sequence[Unit]) -> frozenset[int]:
    return frozenset(unit.group for unit in units if unit.kind == "row" and not unit.label)


# --- the claims of a sentence


def _claims(read: _Read, units: Units, citing: Citing) -> list[Claim]:
    unit, text = read.unit, read.plain.text
    whole = unit.head or text.rstrip().endswith((":", "：")) or is_listing(text)
    parts = (Part(0, len(text)),) if whole else parts_of(text, read.facts, alone=unit.kind != "paragraph")
    ranges = _ranges(units.body, read, parts)
    claims: list[Claim] = []
    for part, (start, end), cited in zip(parts, ranges, citing.of_parts(unit, ranges), strict=True):
        setting = Setting(
            sentence=text,
            context=unit.context,
            heading=whole,
            cell=unit.kind == "row",
            item=unit.kind == "item",
            label=unit.label,
            cited=cited.near,
        )
        own = part.words or text[part.start : part.end]
        facts = find_facts(own) if part.words else _within(read.facts, part)
        claims.append(
            Claim(
                id="c0",
                start=start,
                end=end,
                text=_sentence(own),
                kind=kind_of(own, facts, setting),
                context=_context(unit, part, claims),
                sentence=unit.sentence,
                cites=cited.cites,
                broken=cited.broken,
            )
        )
    return claims


def _sentence(words: str) -> str:
    """Words as a line: no blanks where marks stood, no signs at its ends."""
    line = re.sub(r"\s+(?=[.,;:!?)\]。，；：！？）])", "", " ".join(words.split()))
    return line.strip(_EDGE.replace("!", "")) or line


def _within(facts: Iterable[Fact], part: Part) -> list[Fact]:
    """The facts of a part, counted from its beginning."""
    return [
        replace(fact, start=fact.start - part.start, end=fact.end - part.start)
        for fact in facts
        if part.start <= fact.start and fact.end <= part.end
    ]


def _context(unit: Unit, part: Part, before: Sequence[Claim]) -> tuple[str, ...]:
    context = unit.context
    if before and unit.kind == "item":
        label = re.match(r"\s*([^:：.。!?]{1,80})[:：]\s", before[0].text + " ")
        context += (label[1].strip(),) if label else ()
    if part.head:
        context += (part.head,)
    return tuple(dict.fromkeys(context))


def _ranges(body: str, read: _Read, parts: Sequence[Part]) -> list[tuple[int, int]]:
    """Where parts stand in the answer, without signs at their ends, with the emphasis around them."""
    ranges: list[tuple[int, int]] = []
    shown = read.plain
    for number, part in enumerate(parts):
        start, end = part.start, part.end
        while start < end - 1 and shown.text[start] in _EDGE and not _signed(shown.text, start):
            start += 1
        while end - 1 > start and (shown.text[end - 1] in _EDGE or _PICTURE.match(shown.text[end - 1])):
            end -= 1
        first, last = shown.span(start, end)
        if body[last - 1] == "&" and (entity := _ENTITY.match(body, last - 1)):
            last = entity.end()  # a character that is written as an entity stands where that begins
        while first > read.unit.start and body[first - 1] in _EMPHASIS and number == 0:
            first -= 1
        while last < read.unit.end and body[last] in _EMPHASIS:
            last += 1
        ranges.append((first, last))
    return ranges


def _signed(text: str, at: int) -> bool:
    """Whether a stop begins a number (``.5``)."""
    return text[at] == "." and text[at + 1 : at + 2].isdigit()


# --- coverage


def coverage_of(answer: AnalystAnswer, claims: Sequence[Claim]) -> Coverage:
    """How many sentences of an answer claims cover, and the ranges that none does.

    A sentence is covered if no more of it is left than signs, connectors and up to three words without a
    digit; a row of a table if each of its cells that states something is. Headings count; heads of tables,
    references and code do not.
    """
    units = units_of(answer)
    rows = _rows_with_values(units.units)
    ranges = sorted((claim.start, claim.end) for claim in claims)
    open_ranges: list[tuple[int, int]] = []
    uncovered: set[int] = set()
    at = 0
    for unit in units.units:
        while at < len(ranges) and ranges[at][1] <= unit.start:
            at += 1
        if unit.label and unit.group in rows and not _label_states(_read(units, unit)):
            continue
        left = _left(units.body, unit, ranges[at : _last(ranges, at, unit.end)])
        open_ranges += left
        if left:
            uncovered.add(unit.sentence)
    total = units.units[-1].sentence + 1 if units.units else 0
    return Coverage(sentences=total, covered=total - len(uncovered), uncovered=tuple(open_ranges))


def _last(ranges: Sequence[tuple[int, int]], at: int, end: int) -> int:
    while at < len(ranges) and ranges[at][0] < end:
        at += 1
    return at


def _left(body: str, unit: Unit, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The stretches of a unit outside all ranges that say something."""
    left: list[tuple[int, int]] = []
    at = unit.start
    for start, end in (*ranges, (unit.end, unit.end)):
        if start > at and _says(
            body[at : min(start, unit.end)], whole=at == unit.start and start >= unit.end
        ):
            left.append((at, min(start, unit.end)))
        at = max(at, end)
    return left


def _says(text: str, *, whole: bool) -> bool:
    words = re.findall(r"[^\W_]+", text)
    if whole:
        return bool(words)
    han = len(re.findall(r"[\u3400-\u9fff]", text))
    return any(char.isdigit() for char in text) or len(words) > _WORDS_LEFT or han > 2 * _WORDS_LEFT
