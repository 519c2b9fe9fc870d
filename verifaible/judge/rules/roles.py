"""Who did what to whom: whether two sentences have their items in the same order and the same roles."""

from __future__ import annotations

import re
from typing import Final

from verifaible.answers.name_words import words_of
from verifaible.judge.rules.phrases import APART, MOVABLE, NAMES, Row

#: Prepositions that make another role; ``by`` is looked at with the passive.
_ROLES: Final = words_of(
    "from to into onto against over under between through until till since before after behind"
)
#: Prepositions by which a name may stand behind what is its own: "the fees of Aave".
_OF: Final = frozenset(("of", "on", "in", "at", "for"))
_LISTED: Final = re.compile(r"[\s,、]*(?:(?:and|&|和|与|及)\s*)?")


def agents(row: Row) -> tuple[bool, ...]:
    """Of each item whether "by" leads up to it, or to the list of names that it is in."""
    found: list[bool] = []
    for at, item in enumerate(row.items):
        listed = (
            at > 0
            and not item.lead
            and item.kind in NAMES
            and row.items[at - 1].kind in NAMES
            and _LISTED.fullmatch(row.text, row.items[at - 1].end, item.start)
        )
        found.append((item.lead == "by" and item.kind != "number") or bool(listed and found[-1]))
    return tuple(found)


def turned_round(claim: Row, source: Row, places: tuple[int, ...]) -> frozenset[int] | None:
    """Items of a claim that stand behind "by" in one text and before the verb in the other.

    None where one of them stands behind "by" only here or there, without such a turn.
    """
    ours, theirs = agents(claim), agents(source)
    found = frozenset(
        at
        for at, place in enumerate(places)
        if claim.items[at].kind != "period" and ours[at] != theirs[place]
    )
    words = [at for at, item in enumerate(claim.items) if item.kind in ("word", "proper")]
    for at in found:
        moved = [each for each in words if each not in found and (each < at) != (places[each] < places[at])]
        if not moved:
            return None
    if found and not _object_turned(claim, source, places, found):
        return None
    if not found and any(
        claim.items[at].passive != source.items[place].passive
        for at, place in enumerate(places)
        if claim.items[at].verb and source.items[place].verb
    ):
        return None
    return found


def _object_turned(claim: Row, source: Row, places: tuple[int, ...], turned: frozenset[int]) -> bool:
    """Whether what stands right behind the verb in one text stands before it in the other."""
    verb = _verb_of_agents(source, claim, places, turned)
    if verb < 0:
        return False
    if any(agents(source)[places[at]] for at in turned):  # the claim has it behind the verb
        after = [at for at in range(verb + 1, len(places)) if at not in turned]
        first = next((at for at in after if claim.items[at].kind not in MOVABLE), None)
        return first is None or bool(claim.items[first].lead) or places[first] < places[verb]
    after = [at for at in range(len(places)) if places[at] > places[verb] and at not in turned]
    after.sort(key=lambda at: places[at])
    first = next((at for at in after if claim.items[at].kind not in MOVABLE), None)
    return first is None or bool(source.items[places[first]].lead) or first < verb


def _verb_of_agents(source: Row, claim: Row, places: tuple[int, ...], turned: frozenset[int]) -> int:
    """The item of a claim that is the verb of what was turned round; -1 where nothing was."""
    if not turned:
        return -1
    passive = any(agents(source)[places[at]] for at in turned)
    if passive:
        first = min(places[at] for at in turned)
        before = [
            at
            for at, place in enumerate(places)
            if place < first and at not in turned and claim.items[at].kind not in MOVABLE
        ]
        return max(before, key=lambda at: places[at], default=-1)
    behind = (at for at in range(min(turned)) if at not in turned and claim.items[at].kind not in MOVABLE)
    return max(behind, default=-1)


def in_order(claim: Row, source: Row, places: tuple[int, ...], turned: frozenset[int]) -> bool:
    """Whether the items matched stand in one order, but for what grammar lets change places.

    Args:
        claim: the claim.
        source: the sentence.
        places: for each item of the claim, the number of that of the sentence.
        turned: items that were turned round (:func:`turned_round`).
    """
    verb = _verb_of_agents(source, claim, places, turned)
    for one in range(len(places)):
        for two in range(one + 1, len(places)):
            if places[one] < places[two]:
                continue
            kinds = {claim.items[one].kind, claim.items[two].kind}
            if kinds & MOVABLE:
                if len(kinds) == 1:
                    return False
                continue
            if one in turned or two in turned:
                if one in turned and two in turned:
                    return False
                continue
            if verb in (one, two) or _owned(claim, source, places, one, two):
                continue
            return False
    return True


def _owned(claim: Row, source: Row, places: tuple[int, ...], one: int, two: int) -> bool:
    """Whether two items have changed places as in "the fees of Aave" and "Aave's fees"."""
    first, second = claim.items[one], claim.items[two]
    here, there = source.items[places[one]], source.items[places[two]]
    # in the claim ``first`` stands first, in the sentence ``there`` does
    behind_ours = second.lead in _OF and second.kind in NAMES and there.kind in NAMES
    behind_theirs = here.lead in _OF and here.kind in NAMES | {"word"} and first.kind in NAMES | {"word"}
    if not (behind_ours or behind_theirs):
        return False
    low, high = sorted((places[one], places[two]))
    block = (*claim.items[one : two + 1], *source.items[low : high + 1])
    if high - low > 3 or two - one > 3 or sum(item.kind in NAMES for item in block) > 3:
        return False
    if any(item.verb or item.kind in MOVABLE for item in block):
        return False
    inside = (claim.text[first.start : second.end], source.text[there.start : here.end])
    return not any(
        APART.search(text) or re.search(r"\b(?:is|are|was|were|has|have|had)\b", text) for text in inside
    )


def roles_agree(claim: Row, source: Row, places: tuple[int, ...], turned: frozenset[int]) -> bool:
    """Whether the prepositions before the items matched give them one role: "from A" is not "to A"."""
    for at, place in enumerate(places):
        ours, theirs = claim.items[at], source.items[place]
        if ours.kind in MOVABLE or at in turned or ours.lead == theirs.lead:
            continue
        if {ours.lead, theirs.lead} & _ROLES:
            return False
    return True


def is_reduced(source: Row, places: tuple[int, ...], turned: frozenset[int]) -> bool:
    """Whether the claim's verb is a participle of the sentence: "a round led by Paradigm"."""
    led = agents(source)
    firsts = [places[at] for at in turned if led[places[at]]]
    if not firsts or min(firsts) == 0:
        return False
    before = source.items[min(firsts) - 1]
    return before.verb and not before.passive
