"""Lists: a claim for each member, which is the sentence with that member alone in the list's place.

``It was reported by Reuters, Bloomberg and the FT`` states three things, as does ``A, B and C raised $1M, $2M
and $3M respectively``. A list is three or more names or things, parted by commas, with an ``and`` before the
last; or two or more that are all that a label or a cell says. Alternatives (``or``), pairs in a sentence
(``Johnson and Johnson``), and what may share one amount (``A, B and C hold $5M``) stay whole, as does any
list whose first or last member has no clear end: a claim never says what the answer does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.claims.facts import Fact
from verifaible.claims.verbs import finite_verb
from verifaible.claims.words import AUXILIARIES, PAST, SMALL_WORDS
from verifaible.text.language import HAN

LABEL = re.compile(r"\s*[^:：.。!?？,，;；]{1,60}[:：](?=\s|[^\x00-\x7f])\s*")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sentence: ``text[start:end]``.

    Attributes:
        start: first character of it.
        end: behind the last one.
        words: what it says, where that is put together from several places; empty: its own words.
        head: subject, or subject and verb, that it takes over from the part before it.
    """

    start: int
    end: int
    words: str = ""
    head: str = ""


_RESPECTIVELY = re.compile(r"\brespectively\b|分别|分別", re.IGNORECASE)
_GAP = re.compile(r"\s*(?:[,，]\s*(?:and|or)\b|[,，、/&]|\b(?:and|or)\b|以及|和|与|及)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*[,，、]\s*(?:(?:and|as well as)\s+)?|\s+(?:and|&)\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]\Z")
_TOKEN = re.compile(r"[^\s,，、;；:：—–]+")
#: A member of a list has at most so many words.
_LONGEST_MEMBER: Final = 5
#: Small words inside names.
_JOINERS: Final = ("of", "the", "de", "for")
#: Two in a sentence may be one thing (``Johnson and Johnson``).
_FEWEST: Final = 3
#: A longer stretch names no one.
_LONGEST_NAME: Final = 60


def in_turn(text: str, facts: Sequence[Fact]) -> tuple[Part, ...]:
    """The parts of a sentence that gives several their values in turn; none where that is not clear.

    The first part reaches from the beginning of the sentence to the first value, the last from the last value
    to its end; each of the others is its value.
    """
    said = _RESPECTIVELY.search(text)
    if said is None or _RESPECTIVELY.search(text, said.end()):
        return ()
    han = said[0][0] == "分"
    values = _run(text, facts, said.end(), len(text)) if han else _run(text, facts, 0, said.start())
    if len(values) < 2:
        return ()
    names, middle = (
        _names_han(text, said, values[0]) if han else _names(text[: values[0].end], values[0].start)
    )
    if len(names) < len(values):
        return ()
    names = names[-len(values) :]
    if not all(0 < len(name) <= _LONGEST_NAME for name in names):
        return ()
    joint = "" if han and (not middle or HAN.match(middle[-1])) else " "
    parts: list[Part] = []
    for number, (name, value) in enumerate(zip(names, values, strict=True)):
        start = 0 if number == 0 else value.start
        end = len(text.rstrip(" .。")) if number == len(values) - 1 else value.end
        apart = "" if han and (HAN.match(name[-1]) or HAN.match(middle[:1])) else " "
        words = f"{name}{apart}{middle}{joint if middle else ''}{text[value.start : value.end]}"
        parts.append(Part(start, end, " ".join(words.split())))
    return tuple(parts)


def _run(text: str, facts: Sequence[Fact], start: int, end: int) -> list[Fact]:
    """The longest run of values of one kind, parted by nothing but signs of a list."""
    values = [
        each for each in facts if each.kind in ("number", "date") and start <= each.start and each.end <= end
    ]
    best: list[Fact] = []
    run: list[Fact] = []
    for value in values:
        joined = run and run[-1].kind == value.kind and _GAP.fullmatch(text, run[-1].end, value.start)
        run = [*run, value] if joined else [value]
        best = run if len(run) > len(best) else best
    return best


def _names(before: str, end: int) -> tuple[list[str], str]:
    """The names before the first value, which begins at ``end``, and the words between."""
    verb = finite_verb(before)
    at = 0
    while verb is not None and verb.bare:
        at += verb.end
        verb = finite_verb(before[at:])
    if verb is None:
        return [], ""
    cut = at + verb.start
    clause = max(before.rfind(sign, 0, cut) for sign in (";", ":"))
    return _split(before[clause + 1 : cut]), before[cut:end].strip()


def _names_han(text: str, said: re.Match[str], first: Fact) -> tuple[list[str], str]:
    before = re.split(r"[，,；;：:。]", text[: said.start()])[-1]
    names = _split(before)
    verb = re.search(r"(?:于|在|的)", names[-1]) if names else None
    extra = names[-1][verb.start() :] if verb and verb[0] == "的" else ""
    if extra:
        names[-1] = names[-1][: verb.start()] if verb else names[-1]
        names = [name + extra for name in names]
    return names, text[said.end() : first.start].strip()


def _split(names: str) -> list[str]:
    return [each.strip() for each in _GAP.split(names) if each.strip()]


def members(
    text: str, part: Part, facts: Sequence[Fact], barred: Sequence[int], *, alone: bool
) -> Sequence[Part]:
    """The parts of a part for each member of the list in it; only the part where there is none.

    Args:
        text: the sentence.
        part: a part of it.
        facts: those of the sentence.
        barred: 1 for each of its characters that stands in brackets, a quotation or a fact.
        alone: whether it stands in a cell or an item, so that it may be a list and nothing else.
    """
    label = LABEL.match(text, part.start, part.end)
    begins = label.end() if label else part.start
    ends = part.start + len(text[part.start : part.end].rstrip(" .。!！"))
    gaps = [
        match
        for match in _BETWEEN.finditer(text, begins, ends)
        if match.start() > begins and not any(barred[match.start() : match.end()])
    ]
    cuts = [begins, *(at for gap in gaps for at in gap.span()), ends]
    stretches = list(zip(cuts[::2], cuts[1::2], strict=True))
    if not gaps:
        return (part,)
    if (label or alone) and all(_is_member(text[start:end]) for start, end in stretches):
        return _parts(text, part, stretches)
    last = next((at for at, gap in enumerate(gaps) if re.search(r"[a-z&]", gap[0].lower())), 0)
    spans = _bounded(text, stretches[: last + 2]) if last else []
    amount = any(
        fact.kind == "number"
        and part.start <= fact.start < part.end
        and not any(start <= fact.start < end for start, end in spans)
        for fact in facts
    )
    return (part,) if len(spans) < _FEWEST or amount else _parts(text, part, spans)


def _bounded(text: str, stretches: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The members of a list in a sentence; none if it is not clear where they begin and end."""
    first = len(stretches) - 1
    while first and _is_member(text[slice(*stretches[first - 1])]):
        first -= 1
    inner, low, high = stretches[first:-1], stretches[max(first - 1, 0)], stretches[-1]
    words = [text[start:end] for start, end in inner]
    names = all(_ARTICLE.sub("", each, count=1)[:1].isupper() for each in words)
    start = low[1] if first == 0 else _first(text, *low, names=names)
    end = _last(text, *high, names=names)
    if start is None or end is None:
        return []
    tail = text[high[0] : end]
    if not names:
        articles = {bool(_ARTICLE.match(each)) for each in (*words, tail)}
        begun = bool(re.search(r"\b(?:the|an?)\s+\Z", text[:start], re.IGNORECASE))
        adjectives = len(tail.split()) > 1 and all(len(each.split()) == 1 for each in words)
        if len(articles) > 1 or begun != articles.pop() or adjectives:
            return []  # "a fast, cheap and secure chain": what is listed is not things
    return [*([(start, low[1])] if start < low[1] else []), *inner, (high[0], end)]


def _first(text: str, start: int, end: int, *, names: bool) -> int | None:
    """Where the first member begins, whose end is known."""
    tokens = list(_TOKEN.finditer(text, start, end))
    verb = finite_verb(text[start:])
    at = end
    for place in range(len(tokens) - 1, -1, -1):
        token = tokens[place][0]
        before = tokens[place - 1][0] if place else ""
        joined = names and at < end and token.lower() in _JOINERS and before[:1].isupper()
        says = verb is not None and tokens[place].start() == start + verb.start
        if not joined and (says or not _is_noun(token) or (names and not token[0].isupper())):
            return at if names or says or _is_small(token) else None
        at = tokens[place].start()
    return at if len(tokens) <= _LONGEST_MEMBER else None


def _last(text: str, start: int, end: int, *, names: bool) -> int | None:
    """Where the last member ends, whose beginning is known."""
    article = _ARTICLE.match(text, start, end)
    at = start
    for token in _TOKEN.finditer(text, article.end() if article else start, end):
        if not _is_noun(token[0]) or (names and not token[0][0].isupper()):
            bracket = re.match(r"\s*[(（][^()（）]*[)）]", text[at:end]) if at > start else None
            at += bracket.end() if bracket else 0
            verb = token[0].lower() in AUXILIARIES | PAST
            return at if at > start and (names or verb) else None
        at = token.end()
    return at if at > start else None


def _is_member(words: str) -> bool:
    """Whether words are a name or a thing, and neither a clause nor a word of when, where or how."""
    words = _ARTICLE.sub("", _BRACKETS.sub("", words.strip()), count=1)
    tokens = _TOKEN.findall(words)
    if not 0 < len(tokens) <= _LONGEST_MEMBER or not _is_noun(tokens[0]) or not _is_noun(tokens[-1]):
        return False
    doing = len(tokens) > 1 and re.fullmatch(r"[a-z]+(?:ing|ed)", tokens[0]) is not None
    name = tokens[0][0].isupper() and tokens[-1][0].isupper()
    return not doing and all(_is_noun(each) or (name and each.lower() in _JOINERS) for each in tokens)


def _is_noun(token: str) -> bool:
    return not _is_small(token) and token[0].isalnum() and not token[0].isdigit()


def _is_small(token: str) -> bool:
    """Whether a word is a verb, or one that no name and no thing has."""
    low = token.lower()
    verb = low in AUXILIARIES or low in PAST
    return verb or low in SMALL_WORDS or (low.endswith("ly") and token.islower())


def _parts(text: str, part: Part, spans: Sequence[tuple[int, int]]) -> list[Part]:
    """A part for each member: the sentence with it alone; the ranges together are that of the whole part."""
    before, behind = text[part.start : spans[0][0]], text[spans[-1][1] : part.end]
    found: list[Part] = []
    for at, (start, end) in enumerate(spans):
        words = " ".join(f"{before}{text[start:end]}{behind}".split())
        first, last = (part.start if at == 0 else start), (part.end if at == len(spans) - 1 else end)
        found.append(Part(first, last, words, part.head))
    return found
