"""How often a judge changes its verdict when something changes that must not matter.

A question is asked as it is, and again with one thing changed. The sentences that triples rest on stay where
they are while the others change places, and the other way round, so that a judge that minds one of the two is
not taken for one that minds the other.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Final

from verifaible.kg.filing import blocks
from verifaible.kg.judging.protocol import Question, item_of
from verifaible.kg.triples import COVERAGE, CRITERIA
from verifaible.llm.prompting import orders
from verifaible.llm.voting import Judge
from verifaible.reporting.outcomes import Outcomes, share_cell
from verifaible.reporting.tables import Cell, Column, Table, table_of
from verifaible.schema.base import Record
from verifaible.schema.judged import Outcome
from verifaible.text.segmentation import sentences

#: Says nothing of anybody, and has no figure.
_PADDING: Final = (
    "This page has been left blank on purpose. Headings are there for convenience only and do not change "
    "the meaning of what stands below them. Words in the singular include the plural where the context "
    "allows it. Pages are numbered at their foot."
)
#: Says of a company what every registrant is.
_LONGER: Final = ", a corporation duly organized and validly existing under applicable law"
_OTHER: Final = "Halvern Quarry"
_ENDS: Final = re.compile(r"[.!?…][\"'”’)\]*_]*\s*\Z")


class Flip(Record):
    """A verdict before and after a change.

    Attributes:
        control: what was changed, of :data:`CONTROLS`.
        criterion: of triples, or of the chunk.
        chunk: its id; the verdicts of one are not independent.
        of: the id of the triple, or of the chunk.
        outcome: ``decided`` where both verdicts are there.
        before, after: the verdicts; empty where there are none.
    """

    control: str
    criterion: str
    chunk: str
    of: str
    outcome: Outcome
    before: str = ""
    after: str = ""


def _moved(question: Question, seed: str, *, relevant: bool) -> Question:
    """The question with the sentences that its triples rest on moved, or all others."""
    units = list(_units(question))
    free = [at for at, (_, rests) in enumerate(units) if not rests]
    resting = [at for at, (_, rests) in enumerate(units) if rests]
    if relevant:
        last = free + resting
        order = last if last != sorted(last) else resting + free
    else:
        turn = iter([free[at] for at in _order(len(free), seed)])
        order = [at if rests else next(turn) for at, (_, rests) in enumerate(units)]
    if order == sorted(order):
        return question
    return replace(question, text="\n\n".join(units[at][0] for at in order))


def _order(number: int, seed: str) -> list[int]:
    """An order that the seed decides, and that is another one than it was."""
    (drawn,) = orders(number, 1, seed)
    order = list(drawn)
    return order if order != sorted(order) else order[::-1]


def _units(question: Question) -> Iterator[tuple[str, bool]]:
    """What moves as one, a sentence or a table with the lines over it, and whether a triple rests on it."""
    text = question.text
    starts = [triple.start - question.start for triple in question.triples if triple.end]
    begin: int | None = None
    for low, high in blocks(text):
        table = text[low] == "|"
        spans = [(low, high)] if table else [(low + a, low + b) for a, b in sentences(text[low:high])]
        for first, last in spans:
            begin = first if begin is None else begin
            if not table and not _ENDS.search(text[first:last]) and last < len(text.rstrip()):
                continue  # a heading goes with what it stands over
            yield text[begin:last].strip(), any(begin <= start < last for start in starts)
            begin = None


def _reordered(question: Question, seed: str) -> Question:
    order = _order(len(question.triples), seed)
    return replace(question, triples=tuple(question.triples[at] for at in order))


def _companies(question: Question) -> list[str]:
    ends = [(each.head, each.head_type) for each in question.triples]
    ends += [(each.tail, each.tail_type) for each in question.triples]
    named = [question.filer, *(name for name, kind in ends if kind == "company")]
    return [name for name in dict.fromkeys(named) if name]


def _stem(name: str) -> str:
    """A name without its last word, mostly its legal form; one word is its own."""
    return name.rsplit(maxsplit=1)[0].rstrip(" ,&.")


def _renamed(question: Question, names: Mapping[str, str]) -> Question:
    """The question with names exchanged wherever they stand."""
    new = {old.casefold(): name for old, name in names.items() if old and old != name}
    if not new:
        return question
    longest = sorted(new, key=lambda name: (-len(name), name))
    found = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)

    def said(text: str) -> str:
        return found.sub(lambda match: new.get(match[0].casefold(), match[0]), text)

    ends = ({"head": said(each.head), "tail": said(each.tail)} for each in question.triples)
    return replace(
        question,
        text=said(question.text),
        context=tuple(map(said, question.context)),
        filer=said(question.filer),
        triples=tuple(each.model_copy(update=end) for each, end in zip(question.triples, ends, strict=True)),
    )


def _another(question: Question, seed: str) -> Question:
    """Another company throughout: the filer, by its full name and by that without its legal form."""
    if not question.filer:
        return question
    stem = _stem(question.filer)
    other = _OTHER if stem == question.filer else _OTHER + question.filer.removeprefix(stem)
    return _renamed(question, {question.filer: other, stem: _OTHER})


#: What must not matter, and how a question is changed in it.
CONTROLS: Final[Mapping[str, Callable[[Question, str], Question]]] = MappingProxyType(
    {
        "order of the sentences": lambda question, seed: _moved(question, seed, relevant=False),
        "place of the relevant sentence": lambda question, seed: _moved(question, seed, relevant=True),
        "order of the triples": _reordered,
        "longer names": lambda question, _: _renamed(
            question, {name: name + _LONGER for name in _companies(question)}
        ),
        "shorter names": lambda question, _: _renamed(
            question, {name: _stem(name) for name in _companies(question)}
        ),
        "neutral padding": lambda question, _: replace(
            question, text=f"{question.text.rstrip()}\n\n{_PADDING}"
        ),
        "another company": _another,
    }
)


def sampled(questions: Sequence[Question], number: int, seed: int) -> list[Question]:
    """The questions of so many chunks, drawn from those that have triples."""
    chunks = list(dict.fromkeys(each.chunk for each in questions if each.triples))
    if number < len(chunks):
        chunks = Random(seed).sample(chunks, number)  # noqa: S311 - a sample, not secrecy
    return [each for each in questions if each.triples and each.chunk in chunks]


async def flips_of(judge: Judge, questions: Sequence[Question], seed: int) -> list[Flip]:
    """Ask each question as it is and with each thing changed; what a change leaves as it was is not asked.

    Raises:
        RunError: the replies cannot be kept.
    """
    found = await asyncio.gather(*(_flips(judge, question, seed) for question in questions))
    return [flip for each in found for flip in each]


async def _flips(judge: Judge, question: Question, seed: int) -> list[Flip]:
    made = {control: change(question, f"{seed}/{question.chunk}") for control, change in CONTROLS.items()}
    changed = {control: each for control, each in made.items() if each != question}
    asked = await asyncio.gather(*(_verdicts(judge, each) for each in (question, *changed.values())))
    return [
        Flip(
            control=control,
            criterion=question.criterion,
            chunk=question.chunk,
            of=key,
            outcome=before if before != "decided" else after[key][0],
            before=verdict,
            after=after[key][1],
        )
        for control, after in zip(changed, asked[1:], strict=True)
        for key, (before, verdict) in asked[0].items()
    ]


async def _verdicts(judge: Judge, question: Question) -> dict[str, tuple[Outcome, str]]:
    """The outcome and the verdict of each triple, or of the chunk."""
    asked = await judge.ask(item_of(question))
    if asked.taken is None:
        return dict.fromkeys(question.ids, (asked.vote.outcome, ""))
    return {
        key: ("failed", "") if said.failed else ("decided", str(said.verdict))
        for key, said in zip(question.ids, asked.taken.data, strict=True)
    }


def bias_table(flips: Sequence[Flip], judge: str) -> Table:
    """The share of verdicts that flip by what was changed and by criterion, with intervals over chunks."""

    def column(criterion: str) -> Column[str, str]:
        return Column(criterion, lambda control: _cell(flips, control, criterion))

    first: Column[str, str] = Column("changed", lambda control: control)
    return table_of(
        f"Bias of {judge}",
        [first, *map(column, (*CRITERIA, COVERAGE))],
        list(CONTROLS),
        name="kg_bias",
        note=f"Share of verdicts that flip; {len({each.chunk for each in flips})} chunks. Ranges in brackets "
        "are 95 % intervals over chunks; behind the comma pairs of verdicts that were compared, of all. A "
        "sentence that another one explains may rightly be judged otherwise elsewhere: the figures are upper "
        "bounds.",
    )


def _cell(flips: Sequence[Flip], control: str, criterion: str) -> Cell:
    here = [each for each in flips if (each.control, each.criterion) == (control, criterion)]
    by_chunk: dict[str, list[bool]] = {each.chunk: [] for each in here}
    for each in here:
        if each.outcome == "decided":
            by_chunk[each.chunk].append(each.before != each.after)
    counts = [(sum(those), len(those)) for those in by_chunk.values()]
    return share_cell(counts, Outcomes.of(each.outcome for each in here), "not judged")
