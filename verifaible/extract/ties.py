"""What ties blocks together that do not hold one another: seen when all are there.

A lead-in and all that is listed after it, a question and its answer, the mark of a note and the note. What
tells is the shape of boxes and what is raised, never which words there are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise, takewhile
from typing import Final

from verifaible.extract.boxes import LayoutBox
from verifaible.extract.document import Mark
from verifaible.extract.drafts import COLONS, Draft, asks, is_open
from verifaible.extract.places import INLINE

#: What parts the items of a list.
_PARTING: Final = (",", ";", "，", "；", "،", "؛", "、")
#: The figure, letter or sign of a note; the signs need not be raised.
_NOTE: Final = re.compile(r"\d{1,3}|[^\W\d_]|[*†‡§]{1,3}")
_SIGNS: Final = "*†‡§"
_SIGN: Final = re.compile(r"[*†‡§]{1,3}")
#: What a raised figure is a power of: ten, or a unit.
_BASE: Final = re.compile(r"(?:(?<!\d)10|(?<![^\W\d_])[^\W\d_]{1,2})\Z")


def tie(blocks: Sequence[Draft]) -> None:
    """Tie the blocks of a page, numbered in reading order, to what governs them from afar."""
    for lead, first in pairwise(blocks):
        if lead in first.colon and "heading" not in (lead.place.kind, first.place.kind):
            for draft in _listed(blocks, lead, first):
                if lead not in (*draft.colon, *draft.place.leads):
                    draft.colon = (*draft.colon, lead)
    _answers(blocks)
    _notes(blocks)


# --- lists


def _listed(blocks: Sequence[Draft], lead: Draft, first: Draft) -> Iterator[Draft]:
    """What is listed after the first block that a colon leads in to: what is in boxes of its own's shape.

    Where only words tell a list from a text, as in plain boxes, or in such as the lead-in is in, it goes on
    as long as its punctuation does.
    """
    around = {id(each.parent): each for each in lead.owners[-1][1].around()}
    boxes = {}
    for each in first.owners[0][1].around():
        boxes[id(each.parent)] = each
        if id(each.parent) in around:
            break
    if each.text is not None or each.display in INLINE:
        return
    rival, last = around.get(id(each.parent)), first
    punctuated = not each.attributes.get("class") and not each.role
    punctuated = punctuated or (rival is not None and _shape(each) == _shape(rival))
    for draft in blocks[first.index + 1 :]:
        box = next((each for each in draft.owners[0][1].around() if id(each.parent) in boxes), None)
        if box is None or draft.frame != first.frame or draft.cell is not None:
            return
        own = boxes[id(box.parent)]
        if draft.place.kind == "heading" or draft.heading is not first.heading:
            return
        if box is not own and (_shape(box) != _shape(own) or (punctuated and not _goes_on(last, draft))):
            return
        yield draft
        last = draft


def _shape(box: LayoutBox) -> tuple[str, ...]:
    """What boxes of one list have alike: a role, or an element and its first class."""
    return (box.role,) if box.role else (box.tag, *box.attributes.get("class", "").split()[:1])


def _goes_on(one: Draft, after: Draft) -> bool:
    """Whether two lines are of one list: a comma or semicolon parts them, or neither has a stop."""
    if one.text.endswith(_PARTING):
        return True
    return is_open(one.text) and is_open(after.text) and not after.text.endswith(COLONS)


# --- questions


def _answers(blocks: Sequence[Draft]) -> None:
    """A question is answered by the first words under it; where it links elsewhere, there."""
    for question, after in pairwise(blocks):
        folds = after.place.question is question
        if not (folds or asks(question.text)) or not question.is_text():
            continue
        if folds:
            question.answer = after
        elif _is_under(question, after):
            under = takewhile(partial(_is_under, question), blocks[after.index :])
            question.answer = next(filter(Draft.is_text, under), None)
        elif _is_bold(question) and _is_plain(after) and after.frame == question.frame:
            question.answer = after
            after.place = after.place._replace(question=after.place.question or question)


def _is_under(question: Draft, after: Draft) -> bool:
    """Whether a block stands under a term or a heading, and is none itself."""
    return question in after.place.terms or (after.heading is question and after.place.kind != "heading")


def _is_bold(draft: Draft) -> bool:
    """Whether a paragraph is marked as important whole, as headings are where nothing else marks them."""
    if draft.place.kind != "paragraph" or any(mark.kind == "link" for mark in draft.marks):
        return False
    owners = (owner for _, owner in draft.owners)
    return all(any(each.tag in ("b", "strong") for each in owner.around()) for owner in owners)


def _is_plain(draft: Draft) -> bool:
    return draft.place.kind == "paragraph" and draft.is_text() and not _is_bold(draft)


# --- notes


def _notes(blocks: Sequence[Draft]) -> None:
    """Tie what no link ties: a raised mark, and the next block that begins with the same one."""
    opening: dict[tuple[int, str], list[Draft]] = defaultdict(list)
    for draft in blocks:
        if (draft.marks or draft.text[0] in _SIGNS) and (sign := _opening(draft)):
            opening[draft.frame, sign].append(draft)
    for draft in blocks if opening else ():
        for start, end in list(_references(draft)):
            notes = opening.get((draft.frame, draft.text[start:end]), [])
            note = next((each for each in notes if each.index > draft.index), None)
            if note is None:
                continue
            draft.notes = (*draft.notes, note)
            mark = Mark(start, end, "note")
            if mark not in draft.marks:
                draft.marks.append(mark)
                draft.marks.sort(key=lambda each: (each.start, each.end))


def _opening(draft: Draft) -> str:
    """The mark of a note that a block begins with: raised, or a sign that stands apart from words."""
    text = draft.text
    first = _NOTE.match(text)
    if first is None or first.end() == len(text):
        return ""
    marks = draft.marks
    raised = any(each.kind == "raised" and text[: each.end].strip() == first[0] for each in marks)
    return first[0] if raised or _SIGN.fullmatch(first[0]) else ""


def _references(draft: Draft) -> Iterator[tuple[int, int]]:
    """Where marks of notes stand in a block: raised after words, and neither linked nor powers."""
    text = draft.text
    links = [mark for mark in draft.marks if mark.kind == "link"]
    for mark in draft.marks:
        if mark.kind != "raised" or any(each.start <= mark.start < each.end for each in links):
            continue
        sign, before = text[mark.start : mark.end].strip(), text[: mark.start]
        if before and _NOTE.fullmatch(sign) and not (sign.isdigit() and _BASE.search(before)):
            start = text.index(sign, mark.start)
            yield start, start + len(sign)
