"""Names in a sentence, as far as rules find them; docs/answers.md says what they do not find.

Latin letters: runs of capitalised words, words with capitals inside, acronyms. In German, where every noun
has a capital, a single word only behind a form of address. Chinese and Japanese: titles and quotations, Latin
words, what ends as offices, companies and places do, and persons beside their office.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

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
