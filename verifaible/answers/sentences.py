"""Sentences of a block, in Chinese, Japanese and European languages, by rule.

A full stop ends a sentence unless it stands in a number, behind an abbreviation, an initial or a German
ordinal, or before a small letter. Closing quotes and brackets, and markers behind the stop, belong to the
sentence before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from verifaible.schema.base import Record
from verifaible.text.lists import words_of
from verifaible.text.markdown import Block, BlockKind
from verifaible.text.markers import find_markers

#: Stands for the characters of a marker while sentences are looked for.
_MARK: Final = "\ue000"
_END = re.compile(r"[。！？｡]+|[.!?…‥]+|\n")
_CLOSING = re.compile(
    rf"(?:[”’\"'»）)\]」』】*_~]|[ \t\u00a0\u202f]»|[ \t]*{_MARK}+|[ \t]*\n?[ \t]*{_MARK}+(?=\s*(?:\n|\Z)))*"
)
_WORD_BEFORE = re.compile(r"[^\W_][\w.]*\Z")
_NEVER_LAST: Final = words_of(
    """
    mr mrs ms dr prof st gov sen rep gen col lt capt sgt hon rev messrs no nos vs cf approx ca art fig figs eq
    vol pp p ed eds dept est e.g i.e al jan feb mar apr jun jul aug sep sept oct nov dec z d u h b o s bzw vgl
    nr bd abs hr fr dipl ing phil evtl ggf inkl mio mrd tsd ziff m mm mme mlle mgr env av ex n art chap
    """
)
_SOMETIMES_LAST: Final = words_of("inc corp ltd co plc etc u.s u.k u.n e.u a.m p.m usw jr sr")
_STARTERS: Final = words_of(
    """
    the a an it its this that these those there he she they we i you in on at by for from as but and or so if
    when while however also after before since although
    der die das ein eine es er sie wir im le la les il elle ils un une ce cette en
    """
)
_AFTER_ORDINAL: Final = words_of(
    """
    januar februar märz april mai juni juli august september oktober november dezember jänner quartal halbjahr
    jahrhundert platz rang mal tag monat woche jahr klasse auflage etage stock
    """
)
_HIRAGANA = re.compile(r"[\u3041-\u309f]")
_WORDS = re.compile(r"[^\W_]")
_NOT_BLANK = re.compile(r"\S")
#: Characters on either side of a stop that tell whether it ends a sentence.
_NEAR: Final = 500


class Piece(Record):
    """A sentence, a heading, a row of a table, or a block of code: ``body[start:end]`` of the answer."""

    kind: BlockKind
    start: int
    end: int
    group: int = 0
    header: tuple[str, ...] = ()


def split(content: str) -> tuple[tuple[int, int], ...]:
    """The sentences of a block's text as spans; what stands between them is white space."""
    chars = list(content)
    for marker in find_markers(content):
        chars[marker.start : marker.end] = _MARK * (marker.end - marker.start)
    text = "".join(chars)
    spans: list[tuple[int, int]] = []
    start = at = 0
    while match := _END.search(text, at):
        at = match.end()
        if not _ends(text, match, start):
            continue
        closing = _CLOSING.match(text, at)
        end = closing.end() if closing else at
        if match[0][0] in "。！？｡" and end > at and _HIRAGANA.match(text, end):
            continue  # 「……。」と述べた goes on
        at = end
        _add(spans, text, start, end)
        start = end
    _add(spans, text, start, len(text))
    return tuple(spans)


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    words = text[start:end]
    left, right = start + len(words) - len(words.lstrip()), start + len(words.rstrip())
    if right <= left:
        return
    if not _WORDS.search(words.replace(_MARK, "")) and spans:
        spans[-1] = (spans[-1][0], right)  # markers or signs alone belong to what they follow
    else:
        spans.append((left, right))


def _ends(text: str, match: re.Match[str], start: int) -> bool:
    found, at = match[0], match.end()
    # Only so much is looked at on either side: a copy of all the rest at each stop takes ever longer.
    before = text[max(start, match.start() - _NEAR) : match.start()]
    if found == "\n":
        hard = before.endswith(("  ", "\\"))
        return hard or before.rstrip().endswith((_MARK, ":", "："))
    if found[0] in "。！？｡":
        return True
    closing = _CLOSING.match(text, at)
    behind = closing.end() if closing else at
    after = text[behind : behind + 1]
    if after and not after.isspace() and not _is_cjk(after) and not (closing and _MARK in closing[0]):
        return False  # 3.5, verifaible.org, U.S.A
    next_sign = _NOT_BLANK.search(text, behind)
    following = text[next_sign.start() : next_sign.start() + _NEAR] if next_sign else ""
    if not following or found[0] in "!?":
        return not following or not following[0].islower()
    if found[0] in "…‥" or len(found) > 1:
        return not following[0].islower()
    return _stop_ends(before, following)


def _stop_ends(before: str, following: str) -> bool:
    """Whether a single full stop ends the sentence before it."""
    if following[0].islower():
        return False
    word = _WORD_BEFORE.search(before)
    last = word[0].lower() if word else ""
    next_word = re.match(r"[\"'“‘(\[*_]*([^\W\d_]*)", following)
    following_word = next_word[1].lower() if next_word else ""
    if last in _NEVER_LAST:
        return False
    if last in _SOMETIMES_LAST:
        return following_word in _STARTERS or following[0] == _MARK
    if word and re.fullmatch(r"(?:[^\W\d_]\.)*[^\W\d_]", word[0]) and word[0][-1].isupper():
        return following_word in _STARTERS  # initials
    if re.fullmatch(r"\d{1,2}", last):
        return following_word not in _AFTER_ORDINAL and not re.fullmatch(r"\s*\d{1,2}", before)
    return True


def _is_cjk(char: str) -> bool:
    return "\u3041" <= char <= "\u9fff" or "\uff01" <= char <= "\uffef"


def pieces_of(blocks: Sequence[Block]) -> tuple[Piece, ...]:
    """The pieces of an answer: they are in order and do not overlap."""
    pieces: list[Piece] = []
    for block in blocks:
        if block.kind in ("header", "row"):
            start, end = block.offsets[0], block.offsets[-1] + 1
            if pieces and pieces[-1].group == block.group and pieces[-1].kind == block.kind:
                start = pieces.pop().start
            pieces.append(
                Piece(kind=block.kind, start=start, end=end, group=block.group, header=block.header)
            )
        elif block.kind == "code":
            pieces.append(Piece(kind="code", start=block.offsets[0], end=block.offsets[-1] + 1))
        else:
            pieces += [
                Piece(
                    kind=block.kind,
                    start=block.offsets[start],
                    end=block.offsets[end - 1] + 1,
                    group=block.group,
                )
                for start, end in split(block.content)
            ]
    return tuple(pieces)
