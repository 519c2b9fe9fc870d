"""A sentence as a row of items that say something: names, numbers, periods, and words with their synonyms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from verifaible.answers.name_words import words_of
from verifaible.judge.claim_words import PAST, THIRD_PERSON
from verifaible.judge.rules.lexicon import ACRONYMS
from verifaible.judge.rules.plain_words import stem
from verifaible.judge.rules.quantities import Quantity
from verifaible.judge.rules.tagging import Tagged

ItemKind: TypeAlias = Literal["name", "proper", "number", "period", "word"]

NAMES: Final = frozenset(("name", "proper"))
#: Kinds of items that may change places with others.
MOVABLE: Final = frozenset(("number", "period"))
#: What parts a sentence.
APART: Final = re.compile(r"[,;:()，；：、（）]|\b(?:and|or|but|while|whereas|although)\b|以及|而|但")

_TOKEN: Final = re.compile(r"(?<!['’])\b[A-Za-z0-9À-ÿ]+(?:['’&+/.-][A-Za-z0-9À-ÿ]+)*\+*|[\u3400-\u9fff]+")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_POSSESSIVE: Final = re.compile(r"['’]s?\Z")
_NOT: Final = re.compile(r"n['’]t\Z", re.IGNORECASE)
#: Words that say nothing by themselves. Those of degree, number and denial are no such words.
FREE: Final = words_of(
    """
    a an the this that these those its it their they there is are was were be been being am has have had
    having do does did also now then currently presently already and or but as so i.e e.g which who whose
    stand stood stands sit sits sat sitting amount amounts amounted total totals totalled totaled own both
    respectively about around approximately roughly some itself themselves here
    come comes came reach reaches reached hit hits worth at-present valued
    """
)
#: Prepositions, kept as what leads up to the next item.
PREPOSITIONS: Final = words_of(
    """
    of in on at to for with by from into onto over under against between via through behind within across
    towards toward upon during until till since after before among amid despite following because about
    """
)
_AUX: Final = words_of("is are was were be been being get gets got")
_IRREGULAR: Final = {
    **{"rose": "rise", "risen": "rise", "fell": "fall", "fallen": "fall", "led": "lead", "lost": "lose"},
    **{"took": "take", "taken": "take", "sold": "sell", "bought": "buy", "began": "begin", "begun": "begin"},
    **{"paid": "pay", "went": "go", "gone": "go", "goes": "go", "stole": "steal", "stolen": "steal"},
    **{"won": "win", "held": "hold", "grew": "grow", "grown": "grow", "drew": "draw", "drawn": "draw"},
    **{"made": "make", "brought": "bring", "left": "leave", "found": "find", "wrote": "write"},
    **{"written": "write", "said": "say", "saw": "see", "seen": "see", "built": "build", "ran": "run"},
    **{"burnt": "burn", "gave": "give", "given": "give", "kept": "keep", "chose": "choose"},
    **{"chosen": "choose", "shrank": "shrink", "shrunk": "shrink", "sank": "sink", "sunk": "sink"},
    **{"slid": "slide", "spent": "spend", "meant": "mean", "stood": "stand", "lent": "lend", "told": "tell"},
    **{"overtook": "overtake", "overtaken": "overtake", "withdrew": "withdraw", "broke": "break"},
    **{"broken": "break", "drove": "drive", "driven": "drive", "beaten": "beat", "sought": "seek"},
    **{"got": "get", "left": "leave", "cofounded": "cofound"},
}
_ZH_FREE: Final = re.compile(
    r"(?:目前|当前|现在|截至|截止|大约|达到|已经|达|约|为|是|了|的|共有|共|其中|该|已|有|于|在|将于|将|个|项目|其|占"
    r"|合计|价值|分别)"
)
_FRAMES: Final = words_of("closed ended finished began started opened")
_CLOCK: Final = re.compile(
    r"\b(?:at )?\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]\.?m\b\.?)?(?: (?:UTC|GMT|E[SD]T|CES?T))?", re.IGNORECASE
)
#: Verbs by their form, in the past or the third person.
_VERBS: Final = PAST | THIRD_PERSON | frozenset(_IRREGULAR)


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a sentence that says something.

    Attributes:
        kind: what it is; ``proper`` is a word with a capital that the table of names has not.
        keys: what it may mean; two items say the same if they share one.
        lead: the preposition before it, empty where there is none.
        passive: of a verb, whether a form of "to be" leads up to it.
        verb: whether it has the form of a verb.
        possessive: whether an "'s" stands behind it.
        quantity: of a number.
    """

    kind: ItemKind
    keys: frozenset[str]
    start: int
    end: int
    lead: str = ""
    passive: bool = False
    verb: bool = False
    possessive: bool = False
    quantity: Quantity | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """The items of a text, in order."""

    text: str
    items: tuple[Item, ...]


@cache
def _synonyms() -> tuple[dict[str, list[tuple[tuple[str, ...], str]]], dict[str, str]]:
    """Phrases of stems by their first, each with its group; and Chinese phrases with theirs."""
    path = resources.files("verifaible.judge.rules").joinpath("synonyms.json")
    data: dict[str, list[list[str]]] = json.loads(path.read_text(encoding="utf-8"))
    english: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for number, group in enumerate(data["english"]):
        for phrase in group:
            stems = tuple(base(word) for word in re.findall(r"[\w-]+", phrase))
            english.setdefault(stems[0], []).append((stems, f"~{number}"))
    for entries in english.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    chinese = {phrase: f"~zh{number}" for number, group in enumerate(data["chinese"]) for phrase in group}
    return english, chinese


@cache
def _chinese() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(_synonyms()[1], key=len, reverse=True))))


@lru_cache(maxsize=8192)
def base(word: str) -> str:
    """The stem of a word, of irregular forms that of the verb."""
    lowered = word.lower().replace("’", "'")
    return stem(_IRREGULAR.get(lowered, lowered))


@cache
def _irregular_stems() -> dict[str, tuple[str, ...]]:
    """For each verb the stems of its irregular forms."""
    found: dict[str, list[str]] = {}
    for form, verb in _IRREGULAR.items():
        found.setdefault(stem(verb), []).append(stem(form))
    return {verb: tuple(forms) for verb, forms in found.items()}


@cache
def _members() -> dict[str, tuple[str, ...]]:
    """For each group the first stem, or the first Chinese character, of each of its phrases."""
    english, chinese = _synonyms()
    found: dict[str, list[str]] = {}
    for first, entries in english.items():
        for _, group in entries:
            found.setdefault(group, []).append(first)
    for phrase, group in chinese.items():
        found.setdefault(group, []).append(phrase[0])
    return {group: tuple(dict.fromkeys(firsts)) for group, firsts in found.items()}


def first_stems(item: Item) -> frozenset[str]:
    """Stems of which a place that says the same as a word has one, as an index of words has them."""
    found: set[str] = set()
    for key in item.keys:
        for each in _members()[key] if key.startswith("~") else (key,):
            found.update((each, *_irregular_stems().get(each, ())))
    return frozenset(found)


def items_of(tagged: Tagged) -> tuple[Item, ...]:
    """The items of a sentence, in order."""
    spans: list[tuple[int, int, Item]] = []
    for number in tagged.numbers:
        spans.append(
            (number.start, number.end, Item("number", frozenset(), number.start, number.end, quantity=number))
        )
    for name in tagged.all_names:
        if name.kind != "provider" and not _taken(name.start, name.end, spans):
            spans.append(
                (name.start, name.end, Item("name", frozenset((f"={name.value}",)), name.start, name.end))
            )
    for period in tagged.periods:
        if not _taken(period.start, period.end, spans):
            keys = frozenset((period.value,))
            spans.append((period.start, period.end, Item("period", keys, period.start, period.end)))
    left = list(tagged.text)
    for start, end, _ in spans:
        left[start:end] = " " * (end - start)
    bare = _CLOCK.sub(lambda match: " " * len(match[0]), "".join(left))
    found = [item for _, _, item in spans]
    found += _words(tagged.text, list(_TOKEN.finditer(bare)))
    found.sort(key=lambda item: item.start)
    return tuple(_led(tagged.text, _without_frames(tagged.text, found)))


def _without_frames(text: str, items: list[Item]) -> list[Item]:
    """Without the verb of "closed October with $5 in volume", which only says when."""
    return [
        item
        for at, item in enumerate(items)
        if not (
            at + 2 < len(items)
            and text[item.start : item.end].lower() in _FRAMES
            and items[at + 1].kind == "period"
            and text[items[at + 1].end : items[at + 2].start].strip() == "with"
        )
    ]


def _taken(start: int, end: int, spans: Iterable[tuple[int, int, Item]]) -> bool:
    return any(first < end and start < last for first, last, _ in spans)


def _words(text: str, tokens: list[re.Match[str]]) -> list[Item]:
    found: list[Item] = []
    english, _ = _synonyms()
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if _HAN.match(token[0]):
            found += _han(token)
            at += 1
            continue
        stems = [base(_POSSESSIVE.sub("", each[0])) for each in tokens[at : at + 5]]
        phrases = [
            (phrase, group)
            for phrase, group in english.get(stems[0], ())
            if tuple(stems[: len(phrase)]) == phrase and _together(text, tokens[at : at + len(phrase)])
        ]
        longest = max((len(phrase) for phrase, _ in phrases), default=1)
        groups = frozenset(group for phrase, group in phrases if len(phrase) == longest)
        item = _word(text, token, tokens[at + longest - 1].end(), groups, stems[0] if longest == 1 else "")
        if item is not None:
            found.append(item)
        at += longest
    return found


def _together(text: str, tokens: list[re.Match[str]]) -> bool:
    gaps = (text[one.end() : two.start()] for one, two in pairwise(tokens))
    return all(gap in (" ", "-") for gap in gaps)


def _word(text: str, token: re.Match[str], end: int, groups: frozenset[str], own: str) -> Item | None:
    word = _POSSESSIVE.sub("", token[0])
    lowered = word.lower()
    if _NOT.search(token[0]):
        return Item("word", frozenset(("not",)), token.start(), token.end())
    if own and (lowered in FREE or lowered in PREPOSITIONS) and not word.isupper():
        return None
    keys = groups | ({own} if own else frozenset())
    begins = not text[: token.start()].strip(" \"'“‘([-•*:") or text[: token.start()].rstrip()[-1:] in ".:;"
    proper = word[0].isupper() and not (begins and word[1:].islower())
    return Item(
        "proper" if proper and lowered.upper() not in ACRONYMS else "word",
        keys,
        token.start(),
        end,
        verb=lowered in _VERBS or (lowered.endswith("ed") and len(lowered) > 4),
        possessive=word != token[0],
    )


def _han(token: re.Match[str]) -> list[Item]:
    """Chinese characters one by one, and phrases that have synonyms as a whole."""
    run, at, found = token[0], token.start(), []
    place = 0
    groups = _synonyms()[1]
    while place < len(run):
        if match := _chinese().match(run, place):
            found.append(Item("word", frozenset((groups[match[0]],)), at + place, at + match.end()))
        elif match := _ZH_FREE.match(run, place):
            pass
        else:
            found.append(Item("word", frozenset((run[place],)), at + place, at + place + 1))
        place = match.end() if match else place + 1
    return found


def _led(text: str, items: list[Item]) -> Iterable[Item]:
    """The items with the preposition or the form of "to be" that leads up to each."""
    end = 0
    for item in items:
        gap = [word.lower() for word in re.findall(r"[A-Za-z]+", text[end : item.start])]
        lead = next((word for word in reversed(gap) if word in PREPOSITIONS), "")
        passive = item.kind == "word" and bool(gap) and gap[-1] in _AUX
        if lead or passive or item.kind != "word":
            possessive = text[item.end : item.end + 2] in ("'s", "’s") or item.possessive
            yield Item(
                *(
                    item.kind,
                    item.keys,
                    item.start,
                    item.end,
                    lead,
                    passive,
                    item.verb,
                    possessive,
                    item.quantity,
                )
            )
        else:
            yield item
        end = item.end
