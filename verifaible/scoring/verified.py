"""The verified score: whether the evidence of a trial carries its answer.

A pure judgement on facts: whoever calls it has re-verified the captures before. A machine that
failed to do so is not a failed trial and must not be reported here as ``reverified=False``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final
from urllib.parse import urlsplit

from verifaible.anchoring.dates import context_visible
from verifaible.anchoring.numbers import NumberMention, find_numbers
from verifaible.anchoring.numerals import flatten, parse_unit
from verifaible.schema.base import Record
from verifaible.schema.case import Case, Expected, ListExpected, NumberExpected, TextExpected
from verifaible.schema.citation import Anchor, Citation
from verifaible.schema.run import VerifiedScore
from verifaible.scoring.answer_text import readable
from verifaible.scoring.expectation import expectation, is_expected, units_agree
from verifaible.scoring.match import answer_markers, match_answer, match_evidence

#: A highlighted region with more numbers than this singles none out: the widest row of the 21
#: cases' tables has under 20.
MAX_REGION_NUMBERS: Final = 40
#: An answer that states more other numbers than this is a list to choose from, not an answer;
#: full sentences with a comparison or two state up to 5.
MAX_COMPETING_NUMBERS: Final = 8
#: A bare run of numbers with the expected one and as many others is a list to choose from.
MIN_RUN_COMPETING: Final = 3

_GLUE = r"(?:[\s、,，;；]|[\[【][^\[\]【】]{0,60}[\]】])*"
_RUN_JOIN = re.compile(_GLUE)
_OR_JOIN = re.compile(
    rf"{_GLUE}(?:或者|或|还是|要么|抑或|\bor\b|/)(?:\s|是|为|约|大?概|可能|\b(?:about|maybe|perhaps|possibly)\b)*",
    re.IGNORECASE,
)


class EvidenceFacts(Record):
    """A citation of the trial, and what re-verifying its capture gave.

    ``number`` is the N of ``[@v:N]``; ``reverify_message`` says why ``reverified`` is false.
    ``visible_text`` is everything a reader can see on the captured page, values of form fields
    included. ``headers`` are the labels among which the citation chose in its table: a header
    path joined with blanks, then, each after a tab, the other texts that name a row.
    """

    number: int
    citation: Citation
    reverified: bool
    reverify_message: str = ""
    visible_text: str = ""
    headers: tuple[str, ...] = ()


def verified_score(case: Case, answer: str, evidence: Sequence[EvidenceFacts]) -> VerifiedScore:
    """Whether at least one citation that the answer marks carries the answer.

    Passed only if the answer is correct and commits itself (at most
    :data:`MAX_COMPETING_NUMBERS` other numbers beside an expected number, none of them as an
    alternative to it, and no bare run of numbers), and a marked citation of this trial
    re-verified, stands on the case's site, shows the case's context, and highlights the
    expected value in a region that singles it out: in a table, of the rows and columns that
    the context names. Of a list, each item must stand in such a citation.

    Args:
        case: the case.
        answer: the whole answer.
        evidence: all citations of this trial; a marker with another number is a fake.

    Returns:
        ``reasons`` has one sentence for each condition that failed, and none if it passed.
    """
    expected = expectation(case)
    matched = match_answer(answer, expected, question=case.question)
    reasons = [] if matched.correct else [f"The answer is not correct. {matched.explanation}"]
    markers = answer_markers(answer)
    by_number = {facts.number: facts for facts in evidence}
    marked = [by_number[number] for number in markers if number in by_number]
    fakes = [f"[@v:{number}]" for number in markers if number not in by_number]
    if not marked:
        found = f"it marks {', '.join(fakes)}, which this trial did not make" if fakes else "it has no marker"
        reasons.append(f"The answer marks no citation of this trial: {found}.")
    else:
        reasons += _commitment(case, answer, expected, marked)
        reasons += _support(case, expected, marked)
    return VerifiedScore(passed=not reasons, reasons=tuple(reasons))


def _support(case: Case, expected: Expected, marked: Sequence[EvidenceFacts]) -> list[str]:
    """Why no marked citation carries the answer; empty if one does."""
    faults = [(facts, tuple(_faults(case, facts))) for facts in marked]
    items = expected.items if isinstance(expected, ListExpected) else (expected,)
    reasons: list[str] = []
    for item in items:
        found = [(facts.number, (*known, *_missing(facts.citation.anchor, item))) for facts, known in faults]
        if all(wrong for _, wrong in found):
            reasons += [f"[@v:{number}]: {reason}" for number, wrong in found for reason in wrong]
    return list(dict.fromkeys(reasons))


def _faults(case: Case, facts: EvidenceFacts) -> Iterator[str]:
    """What is wrong with a citation whatever it is expected to show."""
    citation, anchor = facts.citation, facts.citation.anchor
    if not facts.reverified:
        yield f"The capture did not re-verify: {facts.reverify_message or 'no reason was given'}."
    # the document that holds the evidence, not the page that led to it
    source = citation.document_url or citation.final_url
    if site_of(source) != site_of(case.url):
        yield f"The source {_host(source) or source!r} is not on the case's site {site_of(case.url)}."
    seen = "\n".join(_readable_parts(facts))
    for item in case.context:
        if not context_visible(seen, item):
            yield f"The context {item!r} is not visible in the capture."
        elif _elsewhere(facts, item):
            yield f"The highlighted cell is not the one of {item!r}, which heads another row or column."
    numbers = sum(mention.role == "value" for mention in find_numbers(anchor.text))
    if anchor.table and anchor.table.mode == "table":
        yield "The whole table is highlighted, which singles no value out."
    elif numbers > MAX_REGION_NUMBERS:
        yield f"The highlighted region holds {numbers} numbers and singles none out."


def _elsewhere(facts: EvidenceFacts, item: str) -> bool:
    """Whether a context item heads rows or columns of the cited table, but none of the anchor's own."""
    table = facts.citation.anchor.table
    if table is None or not any(context_visible(header, item) for header in facts.headers):
        return False
    paths = [" ".join(path) for path in (table.row_path, table.column_path)]
    own = [header for header in facts.headers if header.split("\t")[0] in paths]
    return not context_visible("\n".join((" ".join(paths), *own)), item)


def _readable_parts(facts: EvidenceFacts) -> Iterator[str]:
    yield facts.visible_text
    yield facts.citation.anchor.text
    if table := facts.citation.anchor.table:
        yield table.caption
        # one line each: a year and a month of one header path belong together
        yield " ".join(table.row_path)
        yield " ".join(table.column_path)


def _missing(anchor: Anchor, item: NumberExpected | TextExpected) -> Iterator[str]:
    matched = match_evidence(anchor.text, item)
    if not matched.correct:
        yield f"The highlighted region does not hold the value. {matched.explanation}"


def _commitment(case: Case, answer: str, expected: Expected, marked: Sequence[EvidenceFacts]) -> list[str]:
    items = expected.items if isinstance(expected, ListExpected) else (expected,)
    numbers = [item for item in items if isinstance(item, NumberExpected)]
    if not numbers:
        return []
    allowed = _values(case.question)
    for facts in marked:
        allowed |= _values(facts.citation.anchor.text)
    text = readable(answer).text
    told = [m for m in find_numbers(text) if m.role in ("value", "range") and not m.negated]
    right = [any(is_expected(number, mention) for number in numbers) for mention in told]
    rival = [
        not fits and mention.scaled_value not in allowed and not _rounds(mention, numbers)
        for fits, mention in zip(right, told, strict=True)
    ]
    competing = {mention.scaled_value for mention, other in zip(told, rival, strict=True) if other}
    if len(competing) > MAX_COMPETING_NUMBERS:
        return [f"The answer does not commit itself: it states {len(competing)} other numbers."]
    for first, last, alternatives in _runs(flatten(text), told):
        others = {told[at].scaled_value for at in range(first, last) if rival[at]}
        if any(right[first:last]) and others and (alternatives or len(others) >= MIN_RUN_COMPETING):
            shown = text[told[first].start : told[last - 1].end]
            what = "alternatives" if alternatives else "numbers to choose from"
            return [f"The answer does not commit itself: it gives {what} ({shown[:60]!r})."]
    return []


def _rounds(mention: NumberMention, numbers: Sequence[NumberExpected]) -> bool:
    """Whether a number is an expected one rounded to three digits or more (72.4亿 of 7,242,119,013)."""
    digits = mention.value.as_tuple()
    if len(digits.digits) < 3:
        return False
    step = mention.scale.scaleb(int(digits.exponent))
    return any(
        units_agree(number, mention)
        and abs(mention.scaled_value - number.value * parse_unit(number.unit)[0]) * 2 <= step
        for number in numbers
    )


def _runs(flat: str, told: Sequence[NumberMention]) -> Iterator[tuple[int, int, bool]]:
    """Runs of numbers with only separators, markers or an "or" between: first, last (excluded), or."""
    first, alternatives = 0, False
    for at in range(1, len(told) + 1):
        between = (told[at - 1].end, told[at].start) if at < len(told) else None
        if between and _OR_JOIN.fullmatch(flat, *between):
            alternatives = True
        elif not between or not _RUN_JOIN.fullmatch(flat, *between):
            yield first, at, alternatives
            first, alternatives = at, False


def _values(text: str) -> set[Decimal]:
    return {mention.scaled_value for mention in find_numbers(text) if mention.role in ("value", "range")}


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").lower().rstrip(".")


def site_of(url: str) -> str:
    """The registrable domain of a URL's host; an address or a local name stands for itself.

    Public suffixes where anybody can have a name (``github.io``) count as suffixes, so two
    such names are two sites. The list is the one that ships with the tld package.
    """
    from tld import get_fld  # 50 ms: only where a site is judged

    domain = get_fld(url, fail_silently=True, search_private=True)
    return str(domain) if domain else _host(url)
