"""A quote found again in a later version of its Document: at its place, elsewhere, changed, or gone.

Similarity only locates. Whatever does not stand there exactly is at best "changed", and only where what stood
around it says that it is the cited words and no look-alike.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from verifaible.anchoring.diff import word_diff
from verifaible.anchoring.evidence import Found, described, placed
from verifaible.anchoring.order import Order, Sentences
from verifaible.anchoring.quote import Match, Place, find_places
from verifaible.anchoring.similar import ALIKE, Similar, find_similar
from verifaible.extract.document import Document
from verifaible.schema.anchor import Anchor, Structure
from verifaible.schema.check import DiffToken, Verdict
from verifaible.text.equivalence import says_same
from verifaible.text.normalise import key

#: Context that is at least this alike is the same place: with a changed word in 64 characters it still is,
#: that of another sentence of the same page is not (it scores about 0.2 to 0.35).
_SAME_CONTEXT = 0.6
#: Of several places, the best context must lead the next by this much.
_LEAD = 0.1
#: Between the same neighbours, this part of the words makes it the evidence, in another order or with more.
_SAME_WORDS = 0.5
#: Captions that were timed anew are shown at most so much earlier or later.
_SAME_MOMENT_S = 2.0
#: Governors whose words decide what the evidence says; the others name where it stands.
_DECIDING = frozenset(
    ("lead_in", "term", "question", "answer", "speaker", "struck", "inserted", "column_head", "row_head")
)


@dataclass(frozen=True, slots=True)
class _Cited:
    """What was cited, and how its surroundings tell where it is now."""

    anchor: Anchor
    document: Document
    order: Order | None
    others: frozenset[str]
    neighbours: tuple[str, str]

    def holds(self, match: Match) -> bool | None:
        """Whether a place is that of the cited words; None where nothing tells."""
        if self.order is None:
            return None
        now = Sentences.of(self.document)
        first = now.at(match.first.block, match.first.start)
        return self.order.holds(first, now.at(match.last.block, match.last.end - 1))

    def context(self, match: Match) -> float:
        """How alike the words around a place are to those around the cited ones, 0 to 1."""
        text, (start, end) = self.document.text, match.span(self.document)
        before, after = key(self.anchor.prefix), key(self.anchor.suffix)
        sides = []
        if before:
            now = key(text[max(0, start - 160) : start])[-len(before) :]
            sides.append(Levenshtein.normalized_similarity(before, now))
        if after:
            sides.append(Levenshtein.normalized_similarity(after, key(text[end : end + 160])[: len(after)]))
        return sum(sides) / len(sides) if sides else 0.0


def quote_again(document: Document, anchor: Anchor, earlier: Document | None) -> Found:
    """Find cited words again.

    Args:
        document: the source now.
        anchor: the anchor of then.
        earlier: the source of then; without it only the words around tell the place.
    """
    cited = _cited(document, anchor, earlier)
    places = find_places(document, anchor.text)
    matches = list(places.exact or places.cut)
    if not matches:
        return _changed(cited)
    held = [match for match in matches if cited.holds(match)] or matches
    if len(held) == 1 < len(matches) and cited.context(held[0]) < _SAME_CONTEXT:
        held = matches  # of several places one is in order by chance, too
    if len(held) > 1:
        same = [match for match in held if _compared(document, match, anchor)[0] == "verified"]
        held = same or held
    if len(held) > 1:
        held = _by_context(cited, held)
    if len(held) > 1:
        return Found("ambiguous", candidates=described(document, held))
    match = held[0]
    at_place = cited.holds(match)
    if at_place is None:
        at_place = (
            anchor.start is None
            or cited.context(match) >= _SAME_CONTEXT
            or not cited.anchor.prefix + cited.anchor.suffix
        )
    verdict, difference = _compared(document, match, anchor)
    found = placed(document, match, anchor.evidence_type)
    if verdict == "verified" and not (at_place and _is_said_then(found.anchor, anchor)):
        verdict = "moved"
    return replace(found, verdict=verdict, difference=difference)


def _is_said_then(now: Anchor | None, then: Anchor) -> bool:
    """Whether captions are shown at the time they were; everything else has none."""
    if now is None or now.time is None or then.time is None:
        return True
    return abs(now.time.start_s - then.time.start_s) <= _SAME_MOMENT_S


def _cited(document: Document, anchor: Anchor, earlier: Document | None) -> _Cited:
    if earlier is None or anchor.start is None or anchor.end is None or not _is_there(earlier, anchor):
        return _Cited(anchor, document, None, frozenset(), ("", ""))
    then, now = Sentences.of(earlier), Sentences.of(document)
    first = then.at(*earlier.block_at(anchor.start))
    last = then.at(*earlier.block_at(max(anchor.start, anchor.end - 1)))
    others = frozenset(name for at, name in enumerate(then.keys) if not first <= at <= last)
    order = Order(then.keys, (first, last), now.keys)
    once = Counter(now.keys)
    before = next((name for name in reversed(then.keys[:first]) if once[name] == 1), "")
    after = next((name for name in then.keys[last + 1 :] if once[name] == 1), "")
    return _Cited(anchor, document, order, others, (before, after))


def _is_there(earlier: Document, anchor: Anchor) -> bool:
    return earlier.text[anchor.start : anchor.end] == anchor.text


def _by_context(cited: _Cited, matches: list[Match]) -> list[Match]:
    """The places whose context is the best by a clear lead; all, when none is that of the quote."""
    scores = [cited.context(match) for match in matches]
    best = max(scores)
    if best < _SAME_CONTEXT:
        return matches
    return [match for match, score in zip(matches, scores, strict=True) if score > best - _LEAD]


def _compared(document: Document, match: Match, anchor: Anchor) -> tuple[Verdict, tuple[DiffToken, ...]]:
    """Whether the evidence and what governs it still say the same, and what differs."""
    found = placed(document, match, anchor.evidence_type).anchor
    assert found is not None
    if anchor.evidence and not says_same(anchor.evidence, found.evidence):
        return "changed", word_diff(anchor.evidence, found.evidence)
    return compared_structure(anchor.structure, found.structure)


def compared_structure(
    then: tuple[Structure, ...], now: tuple[Structure, ...], *, of_table: bool = False
) -> tuple[Verdict, tuple[DiffToken, ...]]:
    """What a change of what governs the evidence makes of it.

    A lead-in, a question, a speaker or a head that says something else makes it "changed"; so do other
    numbers in its heading or caption. Other words there only say that it stands elsewhere: "moved". But the
    title of a table says of what its values are, and in what unit: one that was edited makes it "changed".
    """
    verdict: Verdict = "verified"
    for kind in dict.fromkeys(each.kind for each in (*then, *now)):
        before, after = ("\n".join(each.text for each in side if each.kind == kind) for side in (then, now))
        if kind == "item" or says_same(before, after):
            continue
        difference = word_diff(before, after)
        if kind not in _DECIDING and all(t.op == "same" for t in difference):
            continue  # other letter case in a title
        edited = of_table and any(t.op == "same" and any(map(str.isalpha, t.text)) for t in difference)
        edited |= bool(before and after) and any(t.op != "same" and t.kind == "number" for t in difference)
        if edited or kind in _DECIDING:
            return "changed", difference
        verdict = "moved"
    return verdict, ()


# --- what changed


def _changed(cited: _Cited) -> Found:
    """What stands where the cited words stood, where that is certain; else they are gone."""
    document, anchor = cited.document, cited.anchor
    similar = find_similar(document, anchor.text)
    likely = [each for each in similar if each.score >= ALIKE and _is_plausible(cited, each)]
    between = _between(cited)
    if between is not None and not any(_within(document, each.place, between) for each in likely):
        inside = [each for each in similar if _within(document, each.place, between)]
        place = max(inside, key=lambda each: each.score).place if inside else None
        return _as_changed(cited, Match((place,)) if place is not None else between)
    if between is not None:
        likely = [each for each in likely if _within(document, each.place, between)]
    if not likely:
        return Found("gone", nearest=similar[0].text if similar else "")
    scores = [each.score + cited.context(Match((each.place,))) for each in likely]
    best = max(scores)
    rivals = [each for each, score in zip(likely, scores, strict=True) if score > best - 0.02]
    if len(rivals) > 1:
        return Found("ambiguous", candidates=described(document, [Match((each.place,)) for each in rivals]))
    return _as_changed(cited, Match((rivals[0].place,)))


def _as_changed(cited: _Cited, match: Match) -> Found:
    found = placed(cited.document, match, cited.anchor.evidence_type)
    assert found.anchor is not None
    then, now = cited.anchor.evidence or cited.anchor.text, found.anchor.evidence
    return replace(found, verdict="changed", nearest=found.anchor.text, difference=word_diff(then, now))


def _is_plausible(cited: _Cited, similar: Similar) -> bool:
    """Whether similar words are the cited ones, edited, and not others that stood on the page then, too."""
    now = Sentences.of(cited.document)
    if now.keys[now.at(similar.place.block, similar.place.start)] in cited.others:
        return False
    match = Match((similar.place,))
    holds, context = cited.holds(match), cited.context(match)
    if holds is None:
        return context >= _SAME_CONTEXT
    return holds or context >= 0.8


def _between(cited: _Cited) -> Match | None:
    """What stands between the neighbours of the cited sentences now, where it has much of their words."""
    now = Sentences.of(cited.document)
    before, after = cited.neighbours
    low = now.keys.index(before) + 1 if before else 0
    high = now.keys.index(after) if after else len(now.keys)
    if cited.order is None or not (before or after) or not low < high <= low + 6:
        return None
    first, last = now.places[low], now.places[high - 1]
    said = Counter(_grams("".join(now.keys[low:high])))
    asked = Counter(_grams(key(cited.anchor.evidence or cited.anchor.text)))
    shared = 2 * (said & asked).total() / max(1, said.total() + asked.total())
    if shared < _SAME_WORDS:
        return None
    ends = [Place(first.block, first.start, first.end), Place(last.block, last.start, last.end)]
    return Match(tuple(ends if first != last else ends[:1]))


def _grams(text: str) -> list[str]:
    size = 3 if text.isascii() else 2
    return [text[at : at + size] for at in range(len(text) - size + 1)]


def _within(document: Document, place: Place, match: Match) -> bool:
    low, high = match.span(document)
    return low <= document.starts[place.block] + place.start < high
