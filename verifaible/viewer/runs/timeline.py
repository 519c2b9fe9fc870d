"""A trial's transcript as a timeline: each step with what it took, and the sum until then."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verifaible.schema.chat import Usage
from verifaible.schema.run import ModelEvent, ToolEvent

#: Characters that would be obeyed instead of shown: controls but tabs and line breaks, those that turn
#: the direction of text, and halves of characters.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: A text with more characters or lines than this is folded; with more than the third it is cut.
_FOLDED_CHARS, _FOLDED_LINES, _CUT_CHARS = 700, 12, 4_000
#: Steps on one page.
STEPS_A_PAGE = 200


@dataclass(frozen=True, slots=True)
class Passage:
    """A text of a transcript.

    Attributes:
        text: as a page shows it, which may be its beginning.
        length: characters of the whole.
        folded: whether it is long enough to be folded.
        cut: whether ``text`` is not all.
    """

    text: str
    length: int
    folded: bool
    cut: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the model, or one tool call; what does not belong to it is empty.

    Attributes:
        name: ``step-3`` of the attempt that counts, ``lost-3`` of those before it.
        number: its place, from 1.
        round: the round trip that it belongs to.
        tool: name of the tool; empty for the model's answer.
        said: the model's text.
        reasoning: what it thought aloud.
        arguments: what the tool was given.
        result: what it gave back.
        error_code: of the tool's refusal.
        citation: number of the citation that it made; 0: none.
        citation_id: id of that citation; empty where it is not known.
        usage: tokens and cost of the answer.
        duration_s: what it took, in seconds.
        tokens_so_far: input and output of this step and all before it.
        cost_so_far_usd: likewise, in US dollars; None while it is not known.
        seconds_so_far: likewise.
    """

    name: str
    number: int
    round: int
    tool: str
    said: Passage
    reasoning: Passage
    arguments: Passage
    result: Passage
    error_code: str
    citation: int
    citation_id: str
    usage: Usage
    duration_s: float
    tokens_so_far: int
    cost_so_far_usd: float | None
    seconds_so_far: float


def visible(text: str) -> str:
    """A text in which nothing is obeyed: control characters and the like are shown as ``\\ufffd``."""
    return _OBEYED.sub("\ufffd", text.replace("\r\n", "\n"))


def passage(text: str, *, whole: bool = False) -> Passage:
    """A text for a page; all of it only if ``whole`` is wanted."""
    shown = visible(text)
    cut = not whole and len(shown) > _CUT_CHARS
    folded = len(shown) > _FOLDED_CHARS or shown.count("\n") >= _FOLDED_LINES
    return Passage(shown[:_CUT_CHARS] if cut else shown, len(text), folded, cut)


def timeline(
    events: Sequence[ModelEvent | ToolEvent],
    citations: Mapping[int, str],
    *,
    prefix: str = "step",
    whole: str = "",
) -> tuple[Step, ...]:
    """The steps of a trial.

    Args:
        events: as the transcript has them.
        citations: the id of each citation of the trial, by its number.
        prefix: of the steps' names.
        whole: name of the step whose texts are not cut.
    """
    steps: list[Step] = []
    usage, seconds = Usage(), 0.0
    for number, event in enumerate(events, 1):
        name = f"{prefix}-{number}"
        model = event if isinstance(event, ModelEvent) else None
        tool = event if isinstance(event, ToolEvent) else None
        usage += model.usage if model else Usage()
        seconds += event.duration_s
        full = name == whole
        steps.append(
            Step(
                name=name,
                number=number,
                round=event.round,
                tool=visible(tool.name) if tool else "",
                said=passage(model.text if model else "", whole=full),
                reasoning=passage(model.reasoning if model else "", whole=full),
                arguments=passage(pretty(tool.arguments) if tool else "", whole=full),
                result=passage(tool.result if tool else "", whole=full),
                error_code=visible(tool.error_code) if tool else "",
                citation=(tool.citation or 0) if tool else 0,
                citation_id=citations.get(tool.citation or 0, "") if tool else "",
                usage=model.usage if model else Usage(),
                duration_s=event.duration_s,
                tokens_so_far=usage.input_tokens + usage.output_tokens,
                cost_so_far_usd=usage.cost_usd,
                seconds_so_far=seconds,
            )
        )
    return tuple(steps)


def pretty(arguments: str) -> str:
    """The arguments of a call, indented if they are JSON; else as the model wrote them."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return arguments
