"""How a text says what a triple says: as a fact, denied, as possible or planned; and who does it to whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from verifaible.factcheck.words import WORD, stem, words_of
from verifaible.kg.checks.around import Around
from verifaible.kg.checks.measured import Said
from verifaible.kg.ontology import Ontology
from verifaible.kg.triples import Modality, Triple

#: Where a clause ends for what is denied or possible in it.
_CLAUSE: Final = re.compile(
    r"[;:.!?|]|, (?=and\b|but\b|nor\b|while\b)|\b(?:and|but) (?=we\b|the\b|our\b|some\b|will\b)"
    r"|(?<=\w)\W+(?=(?:that|which|who|whose|where) )"
)
#: The verbs of what may be, and of what is to be; "would" is of both.
_MAY: Final = re.compile(r"\b(?:may|might|could|can|possibly|potentially)\b")
_WILL: Final = re.compile(
    r"\b(?:will|shall|would|expect(?:s|ed)?|intends?|anticipates?|plans? to|planned|planning)\b"
)
#: Words that deny; filings are in English.
_NO: Final = re.compile(
    r"n['’]t\b|\b(?:no|not|never|without|den(?:y|ies|ied)|refut\w+|unlikely|none|nor|neither|cannot|nothing|nobody"
    r"|no one|lack(?:s|ed|ing)?|absence of|rather than"
    r"|instead of|failures? to|failing to|incapable|impossible|nonexistent|far from)\b",
    re.IGNORECASE,
)
_PASSIVE: Final = re.compile(r"\b(?:is|was|are|were|been|being|be)\b[^.;]*\bby\b")


def manner(triple: Triple, around: Around) -> Iterator[Said]:
    """Whether the clause that names the tail denies it, or says it as possible or planned.

    A cell states its figure; what stands in prose is denied or possible by the words of its own clause.
    """
    sentence = around.sentence
    clause = sentence if around.in_table else _clause(triple, around)
    yield _negation(triple, around, clause, sentence)
    yield _modality(triple, around, clause, sentence)


def _clause(triple: Triple, around: Around) -> str:
    """The clause that the tail, or the figure, stands in; the whole sentence where that is not told."""
    sentence = around.sentence
    edges = [0, *(each.end() for each in _CLAUSE.finditer(sentence)), len(sentence)]
    clauses = [sentence[first:last] for first, last in pairwise(edges)]
    if triple.value is not None:
        figure = around.pages.filing.text[around.start : around.end]
        return next((each for each in clauses if figure in each), sentence)
    words = words_of(triple.tail)
    counts = [len(words & words_of(each)) for each in clauses]
    best = max(counts, default=0)
    found = [each for each, count in zip(clauses, counts, strict=True) if best and count == best]
    return found[0] if len(found) == 1 else sentence


@lru_cache(maxsize=4096)
def _denies(text: str) -> bool:
    """Whether a text denies something anywhere in it."""
    return bool(_NO.search(text))


def _negation(triple: Triple, around: Around, clause: str, sentence: str) -> Said:
    if around.in_table:
        denied = _denies(sentence)
        if triple.negated and not denied:
            return "negation", "wrong", "the cell states it"
        return ("negation", "open", "the row denies something") if denied else ("negation", "ok", "")
    here, anywhere = _denies(clause), _denies(sentence)
    if triple.negated == here and here == anywhere:
        return "negation", "ok", ""
    if triple.negated and not anywhere:
        return "negation", "wrong", "nothing in the sentence denies it"
    possible = "possible" in (triple.modality, _said_as(clause))  # what may not be can be meant as a risk
    if here and not triple.negated and not possible and triple.value is None:
        return "negation", "wrong", "its clause denies it"
    return "negation", "open", "the sentence denies something"


def _modality(triple: Triple, around: Around, clause: str, sentence: str) -> Said:
    here, anywhere = _said_as(clause), _said_as(sentence)
    if around.in_table:
        if triple.modality and not anywhere:
            return "modality", "wrong", "the cell states it"
        return "modality", "open" if anywhere else "ok", "the row looks forward" if anywhere else ""
    if triple.modality == here:
        return "modality", "ok", ""
    if triple.modality and not anywhere:
        return "modality", "wrong", "the sentence states it as a fact"
    if here and triple.value is None:
        return "modality", "wrong", f"its clause says it as {here}"
    return "modality", "open", f"the sentence says something as {anywhere or 'a fact'}"


@lru_cache(maxsize=4096)
def _said_as(text: str) -> Modality:
    return "possible" if _MAY.search(text) else "planned" if _WILL.search(text) else ""


def direction(triple: Triple, around: Around, ontology: Ontology) -> Said | None:
    """Of a relation that both ways allow: whether head and tail stand around its verb in that order."""
    relation = ontology.relations.get(triple.relation)
    pair = (triple.head_type, triple.tail_type)
    if relation is None or relation.inverse == triple.relation or pair[::-1] not in relation.pairs:
        return None
    sentence = around.sentence
    head, tail = (_at(name, sentence) for name in (triple.head, triple.tail))
    verbs = {_root(word) for name in (triple.relation, *relation.aliases) for word in name.split("_")[:1]}
    verb = next((m.start() for m in re.finditer(r"[^\W\d_]+", sentence) if _root(m[0]) in verbs), -1)
    known = [each for each in (head, tail) if each >= 0]
    if verb < 0 or not known:
        return "direction", "open", "the sentence does not name both around the verb"
    passive = bool(_PASSIVE.search(sentence))
    forward = (head < 0 or head < verb) and (tail < 0 or tail > verb)
    backward = (head < 0 or head > verb) and (tail < 0 or tail < verb)
    if forward == backward:
        return "direction", "open", "the order of the words does not tell it"
    right = forward != passive
    return "direction", "ok" if right else "wrong", "" if right else "the sentence says it the other way"


def _root(word: str) -> str:
    """What the forms of a verb share: acquire, acquires, acquired, acquiring."""
    short = stem(word.casefold())
    for ending in ("ing", "ed", "e"):
        if len(short) > len(ending) + 2 and short.endswith(ending):
            return short.removesuffix(ending)
    return short


def _at(name: str, sentence: str) -> int:
    """Where a name stands in a sentence, by its first word that names something; -1 where it does not."""
    first = next(filter(None, map(words_of, WORD.findall(name))), frozenset[str]())
    return next((m.start() for m in WORD.finditer(sentence) if words_of(m[0]) & first), -1)
