"""What a sentence states that evidence must hold: numbers, dates, names, ordinals, codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from verifaible.answers.moments import Moment, find_moments, year_of
from verifaible.answers.name_words import (
    ADDRESSES,
    CONNECTORS,
    FIRST_WORDS,
    JA_GENERIC,
    JA_OFFICES,
    LANGUAGE_WORDS,
    NOT_NAMES,
    SURNAMES,
    VERB_BEGINNINGS,
    ZH_BREAKS,
    ZH_GENERIC,
    ZH_MINISTRIES,
    ZH_SUFFIXES,
    ZH_TITLES,
)
from verifaible.old.numbers import NumberMention, find_numbers
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
        text: the sentence, without mark-up (:func:`verifaible.text.markdown.plain`).
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


# Names in a sentence, as far as rules find them; docs/answers.md says what they do not find.
#
# Latin letters: runs of capitalised words, words with capitals inside, acronyms. In German, where every noun
# has a capital, a single word only behind a form of address. Chinese and Japanese: titles and quotations,
# Latin words, what ends as offices, companies and places do, and persons beside their office.

Span: TypeAlias = tuple[int, int]

_QUOTED = re.compile(
    r"“([^“”\n]{2,80})”|„([^„“”\n]{2,80})[“”]|«\s?([^«»\n]{2,80}?)\s?»|「([^「」\n]{2,80})」"
    r"|『([^『』\n]{2,80})』|《([^《》\n]{1,80})》|〈([^〈〉\n]{1,80})〉|(?<!\w)\"([^\"\n]{2,80})\"(?!\w)"
)
_TOKEN = re.compile(
    r"[^\W\d_\u3040-\u9fff\uac00-\ud7af][^\W_\u3040-\u9fff\uac00-\ud7af]*"
    r"(?:[-’'&./][^\W_\u3040-\u9fff\uac00-\ud7af]+)*(?:(?<=\b[^\W\d_]\.[^\W\d_])\.)?"
)
_ELISION = re.compile(r"(?:[ldqnsjcm]|qu)[’'](?=\w)", re.IGNORECASE)
_POSSESSIVE = re.compile(r"[’']s?\Z")
_HAN: Final = r"\u3400-\u9fff々"
_ZH_NAME = re.compile(rf"[{_HAN}]{{1,18}}?(?:{'|'.join(ZH_SUFFIXES)})")
_ZH_BREAK = re.compile("|".join(ZH_BREAKS))
_SURNAME: Final = f"(?:{'|'.join(SURNAMES)})"
_ZH_BEFORE = re.compile(
    rf"(?:(?<=\A)|(?<=[^{_HAN}]))(?P<name>{_SURNAME}[{_HAN}]{{1,2}}?)(?={'|'.join(ZH_TITLES)}|说|表示|指出|认为|称|强调)"
)
_ZH_AFTER = re.compile(rf"(?:{'|'.join(ZH_TITLES)})(?P<name>{_SURNAME}[{_HAN}]{{1,2}})")
_JA_NAME = re.compile(
    rf"(?<![{_HAN}ァ-ヶー])[{_HAN}ァ-ヶーA-Za-zＡ-Ｚａ-ｚ・]+?"
    rf"(?:株式会社|銀行|省|庁|都|府|県|市|大学|新聞|研究所|委員会|協会|組合|連合会|取引所)(?![{_HAN}ァ-ヶー])"
    rf"|株式会社[{_HAN}ァ-ヶーA-Za-z]+"
)
_JA_PERSON = re.compile(
    rf"(?<![{_HAN}])(?P<name>[{_HAN}]{{1,5}})(?:さん|氏(?![名])|首相|総裁|大臣|会長|社長|知事|教授|議員|大統領|長官)"
)
_KANA = re.compile(r"[\u3041-\u30fa]")
_CJK = re.compile(r"[\u3041-\u9fff]")
_SAYS_WHO = re.compile(r"[^\W_]+", re.UNICODE)


def find_names(text: str, taken: Sequence[Span], language: str) -> tuple[Span, ...]:
    """The names of a sentence as spans, in order; they do not overlap.

    Args:
        text: plain text of the sentence.
        taken: spans of numbers, dates and codes, which are no names.
        language: of the sentence, see :func:`language_of`.
    """
    found: list[Span] = []
    counted = {end for _, end in taken}

    def add(spans: Iterator[Span]) -> None:
        for start, end in spans:
            if end > start and not any(s < end and start < e for s, e in found):
                found.append((start, end))

    add(_quoted(text, taken))
    numbers = list(taken)
    if language == "ja":
        add(_free(_japanese(text), numbers))
    elif language == "zh":
        add(span for span in _free(_chinese(text), numbers) if span[0] not in counted)
    add(_free(_latin(_masked(text, [*found, *taken]), language), numbers))
    return tuple(sorted(found))


def language_of(text: str) -> str:
    """The language by whose rules a sentence is read: zh, ja, de, fr, or en for all others."""
    cjk = len(_CJK.findall(text))
    letters = sum(char.isalpha() for char in text) - cjk
    if cjk and cjk * 3 >= letters:
        return "ja" if _KANA.search(text) else "zh"
    words = [word.lower() for word in _SAYS_WHO.findall(text)]
    votes = {name: sum(word in known for word in words) for name, known in LANGUAGE_WORDS.items()}
    best = max(votes, key=lambda name: votes[name])
    return best if votes[best] > votes["en"] else "en"


def _free(spans: Iterator[Span], taken: Sequence[Span]) -> Iterator[Span]:
    return (span for span in spans if not any(s < span[1] and span[0] < e for s, e in taken))


def _masked(text: str, spans: Sequence[Span]) -> str:
    """The text with spans replaced by a sign that parts names and is no word."""
    chars = list(text)
    for start, end in spans:
        chars[start:end] = "\x1f" * (end - start)
    return "".join(chars)


def _quoted(text: str, taken: Sequence[Span]) -> Iterator[Span]:
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        start, end = match.span(group)
        inside = "".join(char for at, char in enumerate(text[start:end], start) if not _covered(taken, at))
        stripped = text[start:end].rstrip(" ,，.。!?！？")
        if any(char.isalpha() for char in inside):
            yield start, start + len(stripped)


def _covered(taken: Sequence[Span], at: int) -> bool:
    return any(start <= at < end for start, end in taken)


# --- Latin letters


def _latin(text: str, language: str) -> Iterator[Span]:
    run: list[re.Match[str]] = []
    first = next(_SAYS_WHO.finditer(text.replace("\x1f", " ")), None)
    begins = first.start() if first and "\x1f" not in text[: first.start()] else -1
    for token in _TOKEN.finditer(text):
        if run and not _joined(text[run[-1].end() : token.start()], run, language):
            yield from _name(run, begins, language)
            run = []
        if _capital(token[0]) or (run and token[0].lower() in CONNECTORS.get(language, ())):
            run.append(token)
        elif run:
            yield from _name(run, begins, language)
            run = []
    if run:
        yield from _name(run, begins, language)


def _joined(between: str, run: list[re.Match[str]], language: str) -> bool:
    last = run[-1][0]
    if between in (" ", "\u00a0", "\u202f", " & "):
        return language != "en" or not last.endswith(("'s", "’s"))
    return between in (". ", ".\u00a0") and (last.lower() in ADDRESSES or len(last) == 1)


def _capital(word: str) -> bool:
    bare = _ELISION.sub("", word, count=1)
    return any(char.isupper() for char in bare)


def _name(run: list[re.Match[str]], begins: int, language: str) -> Iterator[Span]:
    """The name in a run: without first words of a sentence, forms of address, and connectors at its ends."""
    tokens = list(run)
    while tokens and not _capital(tokens[-1][0]):
        tokens.pop()
    addressed = started = False
    while tokens:
        word, at = tokens[0][0], tokens[0].start()
        lowered = _POSSESSIVE.sub("", word.lower())
        if lowered in ADDRESSES:
            addressed = True
        elif lowered in NOT_NAMES or (at == begins and lowered in FIRST_WORDS):
            started = started or at == begins
        elif _capital(word):
            break
        tokens.pop(0)
    while tokens and tokens[-1][0].lower() in NOT_NAMES:
        tokens.pop()
    if not tokens:
        return
    start, end = tokens[0].start(), tokens[-1].end()
    elided = _ELISION.match(tokens[0][0]) if language == "fr" or tokens[0][0][1:2] in "’'" else None
    start += elided.end() if elided else 0
    whole = tokens[0].string[start:end]
    single = len(tokens) == 1
    possessive = single and language == "en" and whole.endswith(("'s", "’s"))
    shown = addressed or elided or possessive or not single or _telling(whole)
    if not shown and (language == "de" or tokens[0].start() == begins):
        return
    yield start, end - (len(whole) - len(_POSSESSIVE.sub("", whole)))


def _telling(word: str) -> bool:
    """Whether a word is a name by its looks: an acronym, capitals inside, a digit in it."""
    bare = _POSSESSIVE.sub("", word)
    return sum(char.isupper() for char in bare) > 1 or any(map(str.isdigit, bare)) or bare[0].islower()


# --- Chinese and Japanese


def _chinese(text: str) -> Iterator[Span]:
    for match in re.finditer("|".join(ZH_MINISTRIES), text):
        yield match.span()
    yield from _persons(text)
    for match in _ZH_NAME.finditer(text):
        cut = max((each.end() for each in _ZH_BREAK.finditer(match[0])), default=0)
        name = match[0][cut:]
        suffix = (
            next(each for each in ZH_SUFFIXES if name.endswith(each)) if name.endswith(ZH_SUFFIXES) else ""
        )
        if suffix and len(name) - len(suffix) >= 2 and not name.endswith(ZH_GENERIC):
            yield match.start() + cut, match.end()


def _persons(text: str) -> Iterator[Span]:
    for match in _ZH_AFTER.finditer(text):
        start, end = match.span("name")
        name = match["name"]
        shorter = len(name) == 3 and name[2] in VERB_BEGINNINGS
        yield start, end - 1 if shorter else end
    for match in _ZH_BEFORE.finditer(text):
        yield match.span("name")


def _japanese(text: str) -> Iterator[Span]:
    for match in _JA_PERSON.finditer(text):
        if match["name"] not in JA_OFFICES:
            yield match.span("name")
    for match in _JA_NAME.finditer(text):
        if not match[0].endswith(JA_GENERIC):
            yield match.span()
