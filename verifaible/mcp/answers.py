"""The tool ``check_answer``: a final answer comes back sentence by sentence, as what it is."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, Literal, TypeAlias

import mcp_types as types
from pydantic import Field

from verifaible.browser.scripts import well_formed
from verifaible.check.answers import check_answer
from verifaible.schema.base import Record
from verifaible.schema.checked import Checked, CheckedClaim, ClaimVerdict
from verifaible.schema.run import TrialCitation
from verifaible.store.store import Store
from verifaible.text.segmentation import sentences

CHECK: Final = "check_answer"
Result: TypeAlias = Literal["verified", "contradicted", "not checked"]
_RESULTS: Final[dict[ClaimVerdict, Result]] = {
    "supported": "verified",
    "calculated": "verified",
    "contradicted": "contradicted",
    "altered": "contradicted",
}
#: Code points of an answer; a longer one is a document, for which there is ``verifaible check``.
LONGEST: Final = 50_000


class CheckArguments(Record):
    """What ``check_answer`` is called with."""

    answer: str = Field(
        min_length=1,
        max_length=LONGEST,
        description="The whole final answer in Markdown, with its markers [@v:N].",
    )
    question: str = Field("", max_length=LONGEST, description="What was asked.")


class CheckedSentence(Record):
    """What was found of a sentence, or of a claim in it."""

    text: str
    result: Result = Field(
        description="verified: a citation that it marks says so; contradicted: one says otherwise; not "
        "checked: no rule could tell, or it marks none."
    )
    reason: str
    said: str = Field("", description="What the source says instead; untrusted.")


class AnswerResult(Record):
    """The answer, sentence by sentence; nothing of it is left out."""

    sentences: tuple[CheckedSentence, ...]
    faults: tuple[str, ...] = Field((), description="Citations that no longer hold, and what was not read.")


def tool() -> types.Tool:
    """The tool as a client lists it."""
    given, result = CheckArguments.model_json_schema(), AnswerResult.model_json_schema(mode="serialization")
    return types.Tool(
        name=CHECK,
        title="Check the answer",
        description="Check your final answer before you give it: each sentence is compared with the "
        "citations of this session that it marks, and comes back as verified, contradicted or not checked. "
        "Correct what is contradicted, and cite or leave out what is not checked.",
        input_schema=given,
        output_schema=result,
        annotations=types.ToolAnnotations(
            # each citation that it verifies gets an entry in its history
            title="Check the answer",
            read_only_hint=False,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


async def checked_answer(
    arguments: CheckArguments, made: Sequence[TrialCitation], store: Store
) -> types.CallToolResult:
    """The result of the tool.

    Raises:
        StoreError: the store cannot be read.
    """
    checked, _ = await check_answer(arguments.answer, made, store, question=arguments.question)
    found = AnswerResult(sentences=tuple(await asyncio.to_thread(_sentences, checked)), faults=checked.faults)
    counts = (
        f"{sum(each.result == name for each in found.sentences)} {name}"
        for name in ("verified", "contradicted", "not checked")
    )
    lines = [f"{', '.join(counts)}.", *found.faults]
    for each in found.sentences:
        said = f" The source says: {each.said}" if each.said else ""
        lines.append(f"- {each.result}: {each.text}\n  {each.reason}{said}")
    return types.CallToolResult(
        content=[types.TextContent(text=well_formed("\n".join(lines)))],
        structured_content=found.model_dump(mode="json"),
    )


def _sentences(checked: Checked) -> list[CheckedSentence]:
    """The claims, and the sentences in which no claim was found, in the order of the text."""
    text, claims = checked.text, sorted(checked.claims, key=lambda each: each.claim.start)
    found = [(each.claim.start, _of_claim(each)) for each in claims]
    starts = [start for start, _ in found]
    # up to where the text is told by the claims so far
    told = list(accumulate((each.claim.end for each in claims), max))
    for low, high in sentences(text):
        words, begun = text[low:high], bisect_left(starts, high)
        if any(map(str.isalnum, words)) and not (begun and told[begun - 1] > low):
            reason = "It is no claim that could be checked, such as a heading."
            found.append((low, CheckedSentence(text=_line(words), result="not checked", reason=reason)))
    return [each for _, each in sorted(found, key=lambda each: each[0])]


def _of_claim(claim: CheckedClaim) -> CheckedSentence:
    reason, marks = claim.reason, ", ".join(f"[{mark}]" for mark in claim.claim.broken)
    if claim.verdict == "no_source":
        reason = f"This session made no citation for {marks}." if marks else "It has no marker of a citation."
    return CheckedSentence(
        text=_line(claim.claim.text),
        result=_RESULTS.get(claim.verdict, "not checked"),
        reason=reason,
        said=_line(claim.said),
    )


def _line(text: str) -> str:
    return " ".join(text.split())
