"""Stage 3: a model reads each finding with its lines, and may doubt it; it removes none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import Final, Literal

from verifaible.crypto.contracts.slither import Doubt, Finding
from verifaible.crypto.contracts.source import VerifiedContract
from verifaible.errors import ModelError
from verifaible.llm.base import ModelClient
from verifaible.llm.structured import BadReply, Form, answer_form, read_reply
from verifaible.schema.chat import Message
from verifaible.text.delimited import delimited

#: Lines around those of a finding that the model sees, and the characters of all of them.
_AROUND: Final = 15
_MOST_CHARACTERS: Final = 60_000
#: A quote of fewer characters stands somewhere in any source.
_SHORTEST_QUOTE: Final = 8
#: Comments, and texts in quotes, in which nothing is a comment.
_COMMENT: Final = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


def without_comments(code: str) -> str:
    """Solidity with blanks for its comments, each place where it was: what they say proves nothing."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0]) if match[0].startswith("/") else match[0]

    return _COMMENT.sub(blank, code)


class _Review(Form):
    finding: str
    verdict: Literal["stands", "likely_false"]
    reason: str
    quote: str


class _Reviews(Form):
    reviews: tuple[_Review, ...]


async def reviewed(
    contract: VerifiedContract, findings: Sequence[Finding], client: ModelClient
) -> tuple[tuple[Finding, ...], str]:
    """The same findings, some with a doubt, and a sentence about the review.

    A doubt counts only where its quote stands in the code, letter for letter; comments are not shown.

    Args:
        contract: the source.
        findings: what the analyser reports.
        client: the model; it is not closed here.
    """
    if not findings:
        return (), "There was nothing to review."
    question, shown = _question(contract, findings)
    system = resources.files("verifaible.crypto.contracts").joinpath("review.md").read_text(encoding="utf-8")
    messages = (Message(role="system", text=system.strip()), Message(role="user", text=question))
    try:
        turn = await client.complete(messages, (), form=answer_form(_Reviews, "contract_review"))
        reviews = read_reply(turn.text, _Reviews, question).value.reviews
    except (ModelError, BadReply) as error:
        return tuple(findings), f"There was no review by a model: {error}"
    standing = {each.finding for each in reviews if each.verdict == "stands"}
    doubts = {
        each.finding: doubt
        for each in reviews
        if each.verdict == "likely_false" and each.finding in shown - standing
        for doubt in [_doubt(contract, each)]
    }
    kept = {name: doubt for name, doubt in doubts.items() if doubt}
    answered = shown & {each.finding for each in reviews}
    told = f"A model reviewed {len(answered)} of {len(findings)} findings and calls {len(kept)} likely false."
    if refused := len(doubts) - len(kept):
        told += f" {refused} of its doubts had no reason or no quote of the source, and are left out."
    return tuple(each.model_copy(update={"doubt": kept.get(each.id)}) for each in findings), told


def _doubt(contract: VerifiedContract, review: _Review) -> Doubt | None:
    quote, reason = review.quote.strip(), " ".join(review.reason.split())
    if len(quote) < _SHORTEST_QUOTE or not reason:
        return None
    for path, text in contract.files.items():
        start = without_comments(text).find(quote)
        if start >= 0:
            return Doubt(reason=reason, path=path, line=text.count("\n", 0, start) + 1, quote=quote)
    return None


def _question(contract: VerifiedContract, findings: Sequence[Finding]) -> tuple[str, set[str]]:
    """What the model reads, and the ids of the findings that fit in."""
    files = {path: without_comments(text).split("\n") for path, text in contract.files.items()}
    parts: list[str] = []
    shown: set[str] = set()
    size = 0
    for each in findings:
        lines = [f"{each.id}: {each.detector}, {each.impact}, confidence {each.confidence}", each.description]
        # the narrowest place first, with what stands around it, and the functions that the finding names
        for place in [*each.places[:1], *(place for place in each.places[1:4] if place.kind == "function")]:
            start, end = max(1, place.start - _AROUND), place.end + _AROUND
            text = "\n".join(
                f"{number}: {line}" for number, line in enumerate(files[place.path][start - 1 : end], start)
            )
            lines.append(f"{place.path}, lines {start} to {end}:\n{text}")
        part = "\n".join(lines)
        size += len(part)
        if size > _MOST_CHARACTERS and parts:
            break
        parts.append(part)
        shown.add(each.id)
    head = f"Contract {contract.name} at {contract.address}, Solidity {contract.compiler}."
    return f"{head}\n{delimited(contract.address, chr(10).join(parts))}", shown
