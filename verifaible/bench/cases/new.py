"""A case from an address, a question and a value: what a page tells of the place where the value stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from verifaible.anchoring.structure import headers_of
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import CaseError, RunError, WrongContent
from verifaible.evidence.material import Material
from verifaible.evidence.observe import observe
from verifaible.evidence.place import place
from verifaible.extract.document import Document
from verifaible.net.web import Web
from verifaible.schema.action import ActionStep
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.base import Record
from verifaible.schema.case import Case, Expected, NumberExpected
from verifaible.schema.citation import WebMode
from verifaible.scoring.match import expectation, match_evidence
from verifaible.text.dates import contains_date, dates_matching, find_dates, is_date
from verifaible.text.units import read_unit, unit_kind

#: A proposed quote has at most so many characters.
MAX_QUOTE: Final = 160
#: So many places are looked at closely, those first whose words are most like the question's.
MAX_PLACES: Final = 40
_SENTENCE_END = re.compile(r"[\n\t。！？!?]|(?<=[^\d\s])\.(?=\s)")
_BRACKETED = re.compile(r"[(（\[]([^()（）\[\]]{1,12})[)）\]]")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\W_]+")
_SCRIPTS: Final = (
    ("ja", re.compile(r"[\u3041-\u30fa]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)
_CATEGORY: Final = {"table": "table", "text": "text", "pdf": "pdf"}

Kind: TypeAlias = Literal["text", "table", "pdf"]


class Found(Record):
    """A place on the page where the value stands.

    ``words`` are those around it: headers and caption of a cell, the sentence of a quote.
    """

    request: AnchorRequest
    words: str
    text: str


class Proposal(Record):
    """A case that was made up from a page, and what its author has to look at."""

    case: Case
    places: int
    notes: tuple[str, ...] = ()


async def propose(
    settings: Settings,
    mode: WebMode,
    url: str,
    question: str,
    value: str,
    *,
    case_id: str = "",
    steps: Sequence[ActionStep] = (),
) -> Proposal:
    """Open a page, find the value on it, and write a case around the place most like the question.

    Args:
        settings: paths and limits.
        mode: ``live`` or ``offline``.
        url: the page or PDF.
        question: what the case asks.
        value: the answer, as a person would write it; on the page it may be written otherwise.
        case_id: id of the case; empty: made from the host and the kind of evidence.
        steps: action steps to play first.

    Raises:
        ToolError: the page cannot be opened, operated or read.
        RunError: the value is not on the page.
        CaseError: question, value and address make no case.
    """
    draft = _case(
        {"id": case_id or "new", "category": "text", "url": url, "question": question, "answer": value}
    )
    expected = expectation(draft)
    language = ""
    async with AsyncExitStack() as opened:
        web = opened.enter_context(Web.offline(settings) if mode == "offline" else Web.live(settings))
        browser = await opened.enter_async_context(Browser(settings, offline=mode == "offline"))
        session = await opened.enter_async_context(browser.page(web))
        try:
            observed = await observe(session, url, steps, AnchorRequest())
            language = str(await session.page.evaluate("document.documentElement.lang || ''"))
        except WrongContent:
            observed = await observe(session, url, steps, AnchorRequest(evidence_type="pdf", quote=value))
        material = observed.material
    found = sorted(_places(material, expected), key=lambda each: -_likeness(each.words, question))
    proven = [each for each in found[:MAX_PLACES] if _is_proven(material, each, expected)]
    if not proven:
        raise RunError(_missing(url, value, found, bool(steps)))
    return _proposed(
        settings, draft, expected, proven, material, language=language, steps=steps, named=case_id
    )


def write_case(proposal: Proposal, path: Path) -> None:
    """Write the case as a new file.

    Raises:
        RunError: the file is there already, or cannot be written.
    """
    data = proposal.case.model_dump(mode="json", exclude_defaults=True)
    order = [name for name in Case.model_fields if name in data]
    text = json.dumps({name: data[name] for name in order}, ensure_ascii=False, indent=2)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(f"{text}\n")
    except FileExistsError:
        raise RunError(f"{path} already exists and was not changed. Give another --id or --output.") from None
    except OSError as error:
        raise RunError(f"{path} cannot be written ({error.strerror}). Give another --output.") from error


def free_id(folder: Path, url: str, kind: Kind) -> str:
    """An id that no case file of a folder has: the host's own name, the kind of evidence, a number."""
    labels = [label for label in (urlsplit(url).hostname or "site").split(".") if label != "www"]
    name = re.sub(r"[^a-z0-9]+", "_", labels[0].lower()).strip("_") or "site"
    names = (f"{name}_{kind}_{number:03d}" for number in range(1, 100_000))
    return next(each for each in names if not (folder / f"{each}.json").exists())


# --- where the value stands


def _places(material: Material, expected: Expected) -> Iterator[Found]:
    document = material.document
    for index in range(len(document.tables)):
        yield from _cells(document, index, expected)
    for block in document.blocks:
        for quote in _quotes(block.text, expected):
            kind: Kind = "pdf" if document.medium == "pdf" else "text"
            page_number = block.page_number or None
            request = AnchorRequest(evidence_type=kind, quote=quote, page_number=page_number)
            yield Found(request=request, words=quote, text=quote)


def _cells(document: Document, index: int, expected: Expected) -> Iterator[Found]:
    table, headers = document.tables[index], headers_of(document, index)
    titles = [document.blocks[each].text for each in table.caption]
    titles += [document.blocks[table.heading].text] if table.heading is not None else []
    for cell in table.cells:
        if not match_evidence(cell.text, expected).correct:
            continue
        row = next((r for r in headers.rows if r.row == cell.row and r.first <= cell.column < r.last), None)
        column = next((c for c in headers.columns if cell.column in c.columns and cell.row in c.rows), None)
        if row is None or column is None or not row.path or not column.path:
            continue
        request = AnchorRequest(
            evidence_type="table",
            row=row.path,
            column=column.path,
            selector=table.css_path if len(document.tables) > 1 and not table.frame else "",
        )
        words = " ".join((*titles, *row.labels, *row.keys, *column.path))
        yield Found(request=request, words=words, text=cell.text)


def _quotes(text: str, expected: Expected) -> Iterator[str]:
    """The sentences that state the value, cut to what stands around it."""
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    for start, end in pairwise(ends):
        sentence = text[start:end]
        matched = match_evidence(sentence, expected)
        if not matched.correct or not matched.spans:
            continue
        first, last = matched.spans[0][0], matched.spans[-1][1]
        spare = max(0, MAX_QUOTE - (last - first)) // 2
        cut = sentence[_left(sentence, first - spare) : _right(sentence, last + spare)]
        yield cut.strip()


def _left(text: str, at: int) -> int:
    if at <= 0:
        return 0
    blank = text.find(" ", at)
    return blank + 1 if 0 <= blank < at + 20 else at


def _right(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    blank = text.rfind(" ", 0, at)
    return blank if blank > at - 20 else at


def _is_proven(material: Material, found: Found, expected: Expected) -> bool:
    """Whether a citation made so would be accepted, and highlight the value."""
    placement = place(replace(material, selected=None), found.request)
    anchor = placement.anchor
    if placement.verdict != "verified" or anchor is None:
        return False
    single = anchor.table is None or anchor.table.mode == "crosshair"
    return single and match_evidence(anchor.text, expected, around=anchor.around).correct


def _likeness(words: str, question: str) -> float:
    """The share of the question's words that stand in a text, and 1 more if it has a date of the question."""
    dated = any(dates_matching(words, raw) for raw in _dates(question))
    asked = {word.casefold() for word in _WORD.findall(question)}
    told = {word.casefold() for word in _WORD.findall(words)}
    return dated + (len(asked & told) / len(asked) if asked else 0.0)


def _missing(url: str, value: str, found: Sequence[Found], played: bool) -> str:
    if found:
        shown = "; ".join(" ".join(each.text.split())[:60] for each in found[:3])
        return (
            f"{value!r} stands on {url}, but not so that one citation singles it out ({shown}). Write the "
            "case by hand, with a longer quote or the table's headers."
        )
    more = "after these steps" if played else "as it loads; if it has to be operated first, give --steps FILE"
    return f"{value!r} was not found on {url} {more}. Look at the page with analyze_page or web_fetch."


# --- the case around it


def _proposed(
    settings: Settings,
    draft: Case,
    expected: Expected,
    proven: Sequence[Found],
    material: Material,
    *,
    language: str,
    steps: Sequence[ActionStep],
    named: str,
) -> Proposal:
    found = proven[0]
    kind = _kind(found)
    notes = []
    if len(proven) > 1:
        notes.append(
            f"The value can be cited at {len(proven)} places; the one most like the question was taken: "
            f"{' '.join(found.words.split())[:100]!r}."
        )
    unit_note, expect = _with_unit(draft, expected, found)
    notes += unit_note
    context = _context(draft.question, found, material.visible_text)
    if not context:
        notes.append("No date or period was found in the question or beside the value: fill in context.")
    known = _language(draft.question) or language.partition("-")[0].lower()
    if not known:
        notes.append("The language could not be told: fill in language.")
    case = _case(
        {
            **draft.model_dump(mode="json", exclude_defaults=True),
            "id": named or free_id(settings.cases_dir, draft.url, kind),
            "category": f"dynamic+{kind}"
            if steps and kind == "pdf"
            else "dynamic"
            if steps
            else _CATEGORY[kind],
            "language": known,
            "evidence_types": (kind,),
            "expect": expect.model_dump(mode="json", exclude_defaults=False),
            "context": context,
            "oracle": _oracle(draft, found, expect, steps),
        }
    )
    return Proposal(case=case, places=len(proven), notes=tuple(notes))


def _kind(found: Found) -> Kind:
    kind = found.request.evidence_type
    return "table" if kind == "table" else "pdf" if kind == "pdf" else "text"


def _with_unit(draft: Case, expected: Expected, found: Found) -> tuple[list[str], Expected]:
    """The expectation with the unit that the headers name, where value and question name none."""
    if not isinstance(expected, NumberExpected) or expected.unit:
        return [], expected
    named = [text.strip() for text in _BRACKETED.findall(found.words)]
    units = [text for text in named if unit_kind(read_unit(text).name)]
    if not units:
        return ["No unit was found; if the value has one, fill in expect.unit."], expected
    return [f"The unit {units[-1]!r} was read from the headers."], expected.model_copy(
        update={"unit": units[-1]}
    )


def _context(question: str, found: Found, visible: str) -> tuple[str, ...]:
    """The date of the question as it is written beside the value, or on the page; else what is beside it."""
    asked = _dates(question)
    for raw in sorted(asked, key=len, reverse=True):
        written = [mention.raw for mention in dates_matching(found.words, raw)]
        if written:
            return (written[0],)
    shown = [raw for raw in dict.fromkeys(asked) if contains_date(visible, raw)]
    if shown:
        return (max(shown, key=len),)
    return tuple(_dates(found.words)[:1])


def _dates(text: str) -> list[str]:
    return [mention.raw for mention in find_dates(text) if is_date(mention.raw)]


def _language(question: str) -> str:
    return next((code for code, script in _SCRIPTS if script.search(question)), "")


def _oracle(draft: Case, found: Found, expect: Expected, steps: Sequence[ActionStep]) -> dict[str, Any]:
    request = found.request
    arguments: dict[str, Any] = {
        "claim": draft.question,
        "source_url": draft.url,
        "evidence_type": request.evidence_type,
    }
    if steps:
        arguments["action_steps"] = [step.model_dump(mode="json", exclude_defaults=True) for step in steps]
    if request.quote:
        arguments["quoted_text"] = request.quote
    if request.page_number:
        arguments["page_number"] = request.page_number
    if request.row:
        arguments |= {"row_anchor": list(request.row), "col_anchor": list(request.column)}
    if request.selector:
        arguments["table_selector"] = request.selector
    unit = expect.unit if isinstance(expect, NumberExpected) and request.row else ""
    return {
        "steps": [{"tool": "verifaible_cite", "arguments": arguments}],
        "answer": f"{{1}} {unit} [@v:1]".replace("  ", " "),
    }


def _case(fields: dict[str, Any]) -> Case:
    from pydantic import ValidationError

    try:
        return Case.model_validate(fields)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'case'}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors(include_url=False)
        ]
        raise CaseError(faults) from error
