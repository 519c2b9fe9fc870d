"""Drift: a quote is anchored in a page, the page changes, the quote is looked for again.

Every mutation knows where the quote stands afterwards, and whether it still says the same.
"""

# ruff: noqa: S311 - the choice of cases is no secret
from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from scripts.accuracy.drift_mutations import CLASSES as FIRST
from scripts.accuracy.drift_mutations import FOUND, Class, Mutated
from scripts.accuracy.drift_mutations_later import DELETED_LATER, FOUND_LATER, MEANING_LATER, OTHER_LATER
from scripts.accuracy.outcome import Outcome, Result
from verifaible.anchoring.places import CONTEXT
from verifaible.browser.reading import FrameText, PageText
from verifaible.evidence.observing.material import PageMaterial
from verifaible.evidence.observing.places import Placement, place
from verifaible.schema.check import Verdict
from verifaible.schema.citation import Anchor, AnchorRequest
from verifaible.text.sentences import sentence_span

PAGES = Path(__file__).parent / "pages"
#: How many mutations of each class a page is put through, at most.
_PER_CLASS = 5
_PER_CLASS_LATER = 3
_LATER: tuple[Class, ...] = (*MEANING_LATER, *FOUND_LATER, *DELETED_LATER, *OTHER_LATER)
CLASSES: tuple[Class, ...] = (*FIRST, *_LATER)


@dataclass(frozen=True, slots=True)
class Case:
    """A quote [start, end) of a page, the mutation, and the verdicts that are right."""

    kind: str
    language: str
    name: str
    page: str
    start: int
    end: int
    mutated: Mutated
    right: tuple[Verdict, ...]


# --- the quotes of a page

_SENTENCE = {
    "en": re.compile(r"[^\n]+?(?:[.!?]\"?(?=\s|$)|(?=\n|$))"),
    "zh": re.compile(r"[^\n。]+(?:。|(?=\n|$))"),
}


def quotes(page: str, language: str) -> list[tuple[int, int]]:
    """Spans of several lengths: whole sentences, two together, clauses, and a few words."""
    spans = [match.span() for match in _SENTENCE[language].finditer(page) if len(match.group().strip()) >= 12]
    spans = [(a + len(page[a:b]) - len(page[a:b].lstrip()), b) for a, b in spans]
    found = list(spans)
    for (a, _), (c, d) in zip(spans[::3], spans[1::3], strict=False):
        if "\n" not in page[a:d] and c > a:
            found.append((a, d))
    rng = random.Random(len(page))
    for a, b in spans[1::2]:
        parts = [m.span() for m in re.finditer(r"[^，、；]+" if language == "zh" else r"\S+", page[a:b])]
        if language == "zh":
            found += [(a + x, a + y) for x, y in parts if y - x >= 8 and (x, y) != (0, b - a)][:2]
        elif len(parts) >= 9:
            first = rng.randrange(0, len(parts) - 6)
            found.append((a + parts[first][0], a + parts[first + rng.randrange(3, 6)][1]))
    unique = sorted(set(found))
    return [span for span in unique if page.count(page[span[0] : span[1]]) == 1]


#: Classes after which the words are still there, or were edited: they must be found.
FOUND_AGAIN = (
    *("moved", "typo", "reworded", "inserted, a few words", "inserted, a clause"),
    *(kind for kind, _, _ in FOUND_LATER),
)
#: Classes that change what is said.
MEANING = (
    *("digit", "unit", "date", "negation", "sign", "separator, another value"),
    *(kind for kind, _, _ in MEANING_LATER),
)
DELETED = (
    *("deleted", "deleted, lookalike elsewhere", "deleted, lookalikes around"),
    *(kind for kind, _, _ in DELETED_LATER),
)


def cases() -> Iterator[Case]:
    """Every case, the same ones each time: the first batch, then what was written later."""
    first, later = sorted(PAGES.glob("*.txt")), sorted(PAGES.glob("later/*.txt"))
    yield from _cases(first, FIRST, _PER_CLASS)
    yield from _cases(later, FIRST, _PER_CLASS)
    yield from _cases(first + later, _LATER, _PER_CLASS_LATER)


def _cases(paths: Sequence[Path], classes: Sequence[Class], most: int) -> Iterator[Case]:
    for path in paths:
        language = path.stem[:2]
        page = path.read_text(encoding="utf-8")
        spans = quotes(page, language)
        for kind, mutate, right in classes:
            rng = random.Random(f"{path.stem} {kind}")
            made = 0
            for start, end in rng.sample(spans, len(spans)):
                mutated = mutate(page, start, end, rng)
                if mutated is None or (mutated.page == page and kind != "unchanged"):
                    continue
                made += 1
                name = f"{path.stem}:{start}-{end}"
                # The same words in another sentence say something else; what was done inside the quote
                # leaves the rest of its sentence as it was.
                inside = mutated.page.startswith(page[:start]) and mutated.page.endswith(page[end:])
                alike = (
                    mutated.span is None
                    or (
                        inside
                        and mutated.span[0] == start
                        and len(mutated.page) - mutated.span[1] == len(page) - end
                    )
                    or _sentence(page, (start, end), language)
                    == _sentence(mutated.page, mutated.span, language)
                )
                rightly = right if alike or not {"verified", "moved"} & {*right} else ("changed",)
                yield Case(kind, language, name, page, start, end, mutated, rightly)
                if made == most:
                    break


def _sentence(text: str, span: tuple[int, int], language: str) -> str:
    """The sentences that a span touches, white space aside: those of the suite, not those of the product."""
    spans = [match.span() for match in _SENTENCE[language].finditer(text)]
    touched = [(first, last) for first, last in spans if first < span[1] and last > span[0]]
    return "".join(text[touched[0][0] : touched[-1][1]].split()) if touched else ""


def material(text: str) -> PageMaterial:
    """A page of one frame with that text."""
    frame = FrameText(path=(), url="https://example.org/", start=0, text=text)
    return PageMaterial(url="https://example.org/", title="", page=PageText(frames=(frame,)))


def look_again(case: Case) -> Placement:
    """What is found of a quote on the changed page."""
    first, last = sentence_span(case.page, case.start, case.end)
    anchor = Anchor(
        sentence=case.page[first:last],
        in_sentence=case.start - first,
        evidence_type="text",
        text=case.page[case.start : case.end],
        prefix=case.page[max(0, case.start - CONTEXT) : case.start],
        suffix=case.page[case.end : case.end + CONTEXT],
        start=case.start,
        end=case.end,
    )
    return place(material(case.mutated.page), AnchorRequest(quote=anchor.text), anchor)


def outcome(case: Case, placement: Placement) -> Outcome:
    """What a placement is worth."""
    verdict, span = placement.verdict, case.mutated.span
    anchor = placement.anchor
    if span is None:
        if verdict in FOUND:
            return "false verified"
        return (
            "right" if verdict in case.right else "false present" if verdict == "changed" else "wrong verdict"
        )
    if anchor is None or anchor.start is None or anchor.end is None:
        return "missed"
    if verdict in FOUND and not set(FOUND) & set(case.right):
        return "false verified"
    shared = min(anchor.end, span[1]) - max(anchor.start, span[0])
    if shared < 0.5 * (max(anchor.end, span[1]) - min(anchor.start, span[0])):
        return "wrong place"
    return "right" if verdict in case.right else "wrong verdict"


def run(each: int = 1) -> list[Result]:
    """Run the suite, or every ``each``-th case of it."""
    results: list[Result] = []
    for case in islice(cases(), 0, None, each):
        placement = look_again(case)
        came_to = outcome(case, placement)
        said = "" if came_to == "right" else f"{placement.verdict}: {placement.found[:80]!r}"
        results.append(Result(f"{case.language}: {case.kind}", case.name, came_to, said))
    return results
