"""The verified score: whether the evidence of a trial carries its answer.

A pure judgement on facts: whoever calls it has re-verified the captures before. A machine that
failed to do so is not a failed trial and must not be reported here as ``reverified=False``.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from verifaible.archive.urls import site_of
from verifaible.schema.action import ExecJs, Type
from verifaible.schema.base import Record
from verifaible.schema.case import Case, Expected, ListExpected, NumberExpected, TextExpected
from verifaible.schema.citation import Citation
from verifaible.schema.run import VerifiedScore
from verifaible.scoring.commitment import commitment_faults
from verifaible.scoring.match import (
    answer_markers,
    context_visible,
    expectation,
    is_expected,
    match_answer,
    match_evidence,
)
from verifaible.text.numbers import find_quantities
from verifaible.text.units import told_units

#: A highlighted region with more numbers than this singles none out: the widest row of the 21
#: cases' tables has under 20.
MAX_REGION_NUMBERS: Final = 40


class EvidenceFacts(Record):
    """A citation of the trial, and what re-verifying its capture gave.

    ``number`` is the N of ``[@v:N]``; ``reverify_message`` says why ``reverified`` is false.
    ``visible_text`` is everything a reader can see on the captured page, values of form fields
    included. ``headers`` are the labels among which the citation chose in its table: a header
    path joined with blanks, then, each after a tab, the other texts that name a row. ``unsent`` are
    the first words of the evidence that nothing holds which the site sent, where scripts of the
    citation ran in the page: they may have written them.
    """

    number: int
    citation: Citation
    reverified: bool
    reverify_message: str = ""
    visible_text: str = ""
    headers: tuple[str, ...] = ()
    unsent: str = ""


def verified_score(case: Case, answer: str, evidence: Sequence[EvidenceFacts]) -> VerifiedScore:
    """Whether at least one citation that the answer marks carries the answer.

    Passed only if the answer is correct and commits itself (see
    :mod:`verifaible.scoring.commitment`), and a marked citation of this trial re-verified, stands
    on a page that the case names, shows the case's context, highlights the expected value in a region that
    singles it out (in a table, of the rows and columns that the context names), and has not put
    that value into the page by its own address or steps. Of a list, each item must stand in such a
    citation.

    Args:
        case: the case.
        answer: the whole answer.
        evidence: all citations of this trial; a marker with another number is a fake.

    Returns:
        ``reasons`` has one sentence for each condition that failed, and none if it passed. Where nothing
        failed but that the page is another one of the case's site, ``unreviewed`` has its address.
    """
    expected = expectation(case)
    matched = match_answer(answer, expected, question=case.question)
    reasons = [] if matched.correct else [f"The answer is not correct. {matched.explanation}"]
    markers = answer_markers(answer)
    by_number = {facts.number: facts for facts in evidence}
    marked = [by_number[number] for number in markers if number in by_number]
    fakes = [f"[@v:{number}]" for number in markers if number not in by_number]
    unreviewed: tuple[str, ...] = ()
    if not marked:
        found = f"it marks {', '.join(fakes)}, which this trial did not make" if fakes else "it has no marker"
        reasons.append(f"The answer marks no citation of this trial: {found}.")
    else:
        reasons += commitment_faults(
            answer,
            expected,
            question=case.question,
            regions=[facts.citation.anchor.text for facts in marked],
        )
        elsewhere = {facts.number: page for facts in marked if (page := _unnamed_page(case, facts))}
        named = [facts for facts in marked if facts.number not in elsewhere]
        if not named or _support(case, expected, named):
            faults = _support(case, expected, marked)
            if not faults:
                unreviewed = () if reasons else tuple(dict.fromkeys(elsewhere.values()))
                pages = ", ".join(case.trusted_pages)
                faults = [
                    f"[@v:{number}]: {page} is none of the pages of the case ({pages})."
                    for number, page in elsewhere.items()
                ]
            reasons += faults
    return VerifiedScore(passed=not reasons, reasons=tuple(reasons), unreviewed=unreviewed)


def _unnamed_page(case: Case, facts: EvidenceFacts) -> str:
    """The address of the document that holds the evidence, if the case does not name it."""
    source = facts.citation.document_url or facts.citation.final_url
    return "" if any(_is_of(pattern, source) for pattern in case.trusted_pages) else source


def _is_of(pattern: str, url: str) -> bool:
    """Whether a page has an address of a pattern: the same but for http or https, letter case of the host,
    and a text fragment; query and fragment count, since a page may show what they say."""
    wanted = ".*".join(re.escape(part) for part in _address(pattern).split("*"))
    return re.fullmatch(wanted, _address(url)) is not None


def _address(url: str) -> str:
    parts = urlsplit(url.partition(":~:")[0].removesuffix("#"))
    host = parts.netloc.lower().removesuffix(":80" if parts.scheme == "http" else ":443")
    return quote(
        parts._replace(scheme="", netloc=host, path=parts.path or "/").geturl(), safe=string.punctuation
    )


def _support(case: Case, expected: Expected, marked: Sequence[EvidenceFacts]) -> list[str]:
    """Why no marked citation carries the answer; empty if one does."""
    faults = [(facts, tuple(_faults(case, facts))) for facts in marked]
    items = expected.items if isinstance(expected, ListExpected) else (expected,)
    reasons: list[str] = []
    for item in items:
        found = [
            (facts.number, (*known, *_missing(facts.citation, item, case.question)))
            for facts, known in faults
        ]
        if all(wrong for _, wrong in found):
            reasons += [f"[@v:{number}]: {reason}" for number, wrong in found for reason in wrong]
    return list(dict.fromkeys(reasons))


def _faults(case: Case, facts: EvidenceFacts) -> Iterator[str]:
    """What is wrong with a citation whatever it is expected to show."""
    citation, anchor = facts.citation, facts.citation.anchor
    if not facts.reverified:
        yield f"The capture did not re-verify: {facts.reverify_message or 'no reason was given'}."
    elif facts.unsent:
        yield (
            f"Nothing that the site sent holds {facts.unsent[:60]!r} of the evidence: a script of the "
            "citation may have written it."
        )
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
    numbers = sum(mention.role == "value" for mention in find_quantities(anchor.text))
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


def _missing(citation: Citation, item: NumberExpected | TextExpected, question: str) -> Iterator[str]:
    anchor, table = citation.anchor, citation.anchor.table
    told = told_units(table.caption, *table.row_path, *table.column_path) if table else ()
    matched = match_evidence(anchor.text, item, question=question, around=anchor.around, told=told)
    if not matched.correct:
        yield f"The highlighted region does not hold the value. {matched.explanation}"
    elif by := supplied_by(citation, item):
        yield f"The value was put into the page by {by} of the citation, so the page may only repeat it."


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").lower().rstrip(".")


# What a citation itself puts into the page that it cites: by its address, its typing, its scripts.
#
# A page that repeats what it was given (the words of a search, a text that a script has written) is no
# evidence of it. Documents and videos are kept by the site as they are, whatever led to them.

_PAGES: Final = ("text", "table", "image")
#: In a script a number with fewer digits is as likely a position or a count.
_MIN_SCRIPT_DIGITS: Final = 3
_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{4,6})\}?|\\x([0-9a-fA-F]{2})")


def supplied_by(citation: Citation, item: NumberExpected | TextExpected) -> str:
    """Which part of a citation gave the page the expected value, in words; empty if none did."""
    if citation.evidence_type not in _PAGES:
        return ""
    for url in (citation.source_url, citation.final_url):
        if any(match_evidence(text, item).correct for text in _of_address(url)):
            return "the address"
    for step in citation.steps:
        if isinstance(step, Type) and match_evidence(step.value, item).correct:
            return "what is typed in a step"
        if isinstance(step, ExecJs) and _scripted(step.code, item):
            return "a script"
    return ""


def _of_address(url: str) -> Iterator[str]:
    parts = urlsplit(url)
    for text in (parts.query, parts.fragment.removeprefix(":~:")):
        pairs = parse_qsl(text, keep_blank_values=True)
        yield from (value for _, value in pairs) if pairs else (unquote(text),)


def _scripted(code: str, item: NumberExpected | TextExpected) -> bool:
    text = _ESCAPE.sub(_character, code)
    if isinstance(item, TextExpected):
        return match_evidence(text, item).correct
    if len(item.value.as_tuple().digits) < _MIN_SCRIPT_DIGITS:
        return False
    return any(is_expected(item, mention) for mention in find_quantities(text))


def _character(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if code < 0x110000 else match[0]
