"""A case from a citation: a question, and the evidence that answers it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import ValidationError

from verifaible.errors import CaseError, RunError
from verifaible.schema.case import Case
from verifaible.schema.citation import Citation
from verifaible.scoring.match import expectation, match_evidence
from verifaible.text.dates import dates_matching, find_dates, is_date
from verifaible.text.language import language_of
from verifaible.tools.cite import CiteArguments

_LONGEST_ID: Final = 80


def case_of(citation: Citation, question: str, answer: str, *, case_id: str = "") -> Case:
    """The case that a question makes with a citation that answers it.

    The reference steps make the citation again. The context is what of the question's dates stands in the
    evidence, as it is written there.

    Args:
        citation: what proves the answer.
        question: what the case asks.
        answer: the answer as a person would write it.
        case_id: id of the case; empty: from the host and the citation's id.

    Raises:
        RunError: the citation does not state the answer.
        CaseError: question and answer make no case.
    """
    kind, shown = citation.evidence_type, citation.shown.text
    asked = (mention.raw for mention in find_dates(question) if is_date(mention.raw))
    written = (mention.raw for raw in asked for mention in dates_matching(shown, raw))
    words = re.sub(r"[^a-z0-9]+", "_", (urlsplit(citation.source_url).hostname or "case").lower())
    fields = {
        "id": case_id or f"{words.removeprefix('www_')}_{citation.id[:6]}"[-_LONGEST_ID:].strip("_"),
        "category": f"dynamic+{kind}" if citation.steps else kind,
        "language": language_of("", question),
        "url": citation.source_url,
        "question": question,
        "answer": answer,
        "evidence_types": [kind],
        "context": list(dict.fromkeys(written)),
        "oracle": {
            "steps": [{"tool": "verifaible_cite", "arguments": CiteArguments.given_for(citation)}],
            "answer": "{1} [@v:1]",
        },
    }
    try:
        case = Case.model_validate(fields)
    except ValidationError as error:
        faults = (
            (".".join(map(str, fault["loc"])) or "case", fault["msg"].removeprefix("Value error, "))
            for fault in error.errors(include_url=False)
        )
        raise CaseError([f"{where}: {said}" for where, said in faults]) from error
    anchor = citation.anchor
    stated = match_evidence(anchor.text, expectation(case), question=question, around=anchor.around)
    if not stated.correct:
        raise RunError(
            f"Citation {citation.id} does not state {answer!r}; it has: {anchor.text[:200]!r}. Cite the "
            "place that states the answer, or correct --answer."
        )
    return case


def write_case(case: Case, path: Path) -> None:
    """Write a case as a new file.

    Raises:
        RunError: the file is there already, or cannot be written.
    """
    data = case.model_dump(mode="json", exclude_defaults=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(f"{json.dumps(data, ensure_ascii=False, indent=2)}\n")
    except FileExistsError:
        raise RunError(f"{path} already exists and was not changed. Give another --id or --output.") from None
    except OSError as error:
        raise RunError(f"{path} cannot be written ({error.strerror}). Give another --output.") from error
