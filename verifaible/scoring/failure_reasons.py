"""Why a trial did not get everything, by rules over its record (seed, appendix B)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from verifaible.schema.case import Case
from verifaible.schema.run import AgentOutcome, FailureReason, ScoreFacts, ToolEvent, VerifiedScore
from verifaible.scoring.answer_text import readable
from verifaible.text.dates import DateMention, find_dates, is_date
from verifaible.text.numbers import find_quantities

#: What each reason says to a reader, in the order of the seed's appendix and then our own.
FAILURES: Final[dict[FailureReason, str]] = {
    "wrong_answer": "wrong answer",
    "wrong_date": "wrong date: the value of another day or period",
    "type_mismatch": "right answer, but the evidence is of another type than the case accepts",
    "no_citation": "right answer without a citation",
    "no_marker": "right answer and a citation, but the answer does not mark it",
    "evidence_not_verified": "right answer, but the cited evidence does not carry it",
    "round_trip_exhaustion": "the limit of round trips was reached",
    "other_limit": "another limit was reached (tokens, time or cost)",
    "premature_stop": "stopped without an answer while it could have gone on",
    "navigation_failure": "did not reach the page or the document",
    "model_error": "the model's endpoint failed",
    "infrastructure": "the machine failed",
}
#: Tools that open a page or a document.
_OPENING = frozenset(
    {"web_fetch", "analyze_page", "test_action_steps", "video_transcript", "verifaible_cite"}
)
#: Errors that mean: the place that was looked for was not reached.
_NOT_REACHED = frozenset(
    {
        "page_error",
        "page_not_loaded",
        "page_blocked",
        "wrong_content",
        "offline_miss",
        "url_refused",
        "step_failed",
        "no_transcript",
        "no_text",
    }
)
_GAVE_UP = re.compile(
    r"抱歉|对不起|无法|未能|没能|未找到|没有找到|没找到|找不到|查不到|未查到"
    r"|申し訳|見つかりません|見つけられません|できません|できませんでした"
    r"|죄송|찾을 수 없|찾지 못|할 수 없"
    r"|\b(?:sorry|unable|(?:could|can|did|was|were|does|do)(?:\s+not|n['’]t)|cannot|failed to"
    r"|not available|no data|not\s+(?:be\s+)?(?:found|able|accessible))\b"
    r"|\b(?:nicht (?:gefunden|möglich|verfügbar|finden|öffnen)|leider|konnte nicht)\b"
    r"|لم أتمكن|تعذر|لا يمكن|لم أجد",
    re.IGNORECASE,
)
#: A value's own date stands before or behind it within so many characters: a line of a table, a caption.
_NEAR: Final = 160


def name_failure(
    case: Case,
    outcome: AgentOutcome,
    facts: ScoreFacts,
    verdict: VerifiedScore,
    stated: tuple[str, ...],
) -> FailureReason:
    """The first reason, from the outside in, why a trial did not get all that there is.

    What ended the trial goes before what it answered; a wrong answer is told apart by whether it
    commits itself to a value and by the date of that value; a right answer by what its evidence lacks.

    Args:
        case: the case.
        outcome: what the agent did, with its events.
        facts: the four facts of the score.
        verdict: the verified score.
        stated: what was read in the answer where the expected value was not
            (:class:`~verifaible.scoring.match.AnswerMatch`).

    Returns:
        A key of :data:`FAILURES`, or "" for a trial with full score whose evidence is verified.
    """
    if outcome.ended_by in ("infrastructure", "model_error"):
        return "infrastructure" if outcome.ended_by == "infrastructure" else "model_error"
    if outcome.ended_by != "answer":
        return "round_trip_exhaustion" if outcome.ended_by == "rounds" else "other_limit"
    if not facts.answer_correct:
        return _wrong(case, outcome, verdict, stated)
    return _lacking(facts, verdict)


def _lacking(facts: ScoreFacts, verdict: VerifiedScore) -> FailureReason:
    """What the evidence of a right answer lacks."""
    if not facts.citation_created:
        return "no_citation"
    if not facts.citation_in_text:
        return "no_marker"
    if not facts.evidence_type_match:
        return "type_mismatch"
    return "" if verdict.passed else "evidence_not_verified"


def _wrong(
    case: Case, outcome: AgentOutcome, verdict: VerifiedScore, stated: tuple[str, ...]
) -> FailureReason:
    answer = readable(outcome.answer).text
    if _is_no_answer(case, answer, outcome, stated):
        return "navigation_failure" if _lost(case, outcome) else "premature_stop"
    wanted = _wanted_dates(case)
    if wanted and (
        any(repr(item) in reason for item in case.context if is_date(item) for reason in verdict.reasons)
        or _only_other_dates(answer, wanted)
        or _read_under_other_date(outcome, stated, wanted)
    ):
        return "wrong_date"
    return "wrong_answer"


def _is_no_answer(case: Case, answer: str, outcome: AgentOutcome, stated: tuple[str, ...]) -> bool:
    """Whether the answer commits itself to nothing: empty, given up, or without the number asked for."""
    if not answer.strip():
        return True
    if outcome.citations:
        return False
    if _GAVE_UP.search(answer):
        return True
    asks_number = any(mention.role == "value" for mention in find_quantities(case.answer))
    return asks_number and not stated


def _lost(case: Case, outcome: AgentOutcome) -> bool:
    """Whether what was opened was not what was looked for.

    So it is where the last attempt or half of them failed, and where only a document or a video would do
    and none was read.
    """
    opened = [event for event in outcome.events if isinstance(event, ToolEvent) and event.name in _OPENING]
    if not opened:
        return False
    failed = [event.error_code in _NOT_REACHED for event in opened]
    if failed[-1] or 2 * sum(failed) >= len(failed):
        return True
    if not case.evidence_types or not set(case.evidence_types) <= {"pdf", "video"}:
        return False
    return not any(
        not event.error_code and (event.name == "video_transcript" or ".pdf" in event.arguments.lower())
        for event in opened
    )


# --- dates

_Parts = tuple[int | None, ...]


def _parts(mention: DateMention) -> tuple[_Parts, ...]:
    """Every reading of a mention; parts that are not stated are None."""
    return tuple((each.year, each.month, each.third, each.day, each.quarter) for each in mention.readings)


def _agree(one: _Parts, two: _Parts) -> bool:
    """Whether two dates may be the same: what both state is equal."""
    return all(a == b for a, b in zip(one, two, strict=True) if a is not None and b is not None)


def _wanted_dates(case: Case) -> tuple[_Parts, ...]:
    """The dates of the case's context, or else of its question."""
    items = [item for item in case.context if is_date(item)] or [case.question]
    return tuple(parts for item in items for mention in find_dates(item) for parts in _parts(mention))


def _is_other(mention: DateMention, wanted: tuple[_Parts, ...]) -> bool:
    return not any(_agree(one, two) for one in _parts(mention) for two in wanted)


def _only_other_dates(text: str, wanted: tuple[_Parts, ...]) -> bool:
    """Whether a text names dates, as finely as is wanted, and all of them are others."""
    named = [mention for mention in find_dates(text) if _as_fine(mention, wanted)]
    return bool(named) and all(_is_other(mention, wanted) for mention in named)


def _as_fine(mention: DateMention, wanted: tuple[_Parts, ...]) -> bool:
    """Whether a mention states a year, and a month and a day where those are wanted."""
    depth = max(sum(part is not None for part in parts) for parts in wanted)
    return any(
        parts[0] is not None and sum(part is not None for part in parts) >= depth for parts in _parts(mention)
    )


def _read_under_other_date(
    outcome: AgentOutcome, stated: tuple[str, ...], wanted: tuple[_Parts, ...]
) -> bool:
    """Whether the tools showed a stated value, and wherever they did, under another date."""
    seen = [
        _is_other(nearest, wanted)
        for event in outcome.events
        if isinstance(event, ToolEvent)
        for value in stated
        for nearest in _dates_of(value, event.result, wanted)
    ]
    return bool(seen) and all(seen)


def _dates_of(value: str, text: str, wanted: tuple[_Parts, ...]) -> Iterator[DateMention]:
    """For each place of a value in a text, the date it stands under: of its line, or the nearest before."""
    values = {mention.scaled_value for mention in find_quantities(value)}
    places = [mention.start for mention in find_quantities(text) if mention.scaled_value in values]
    dates = [mention for mention in find_dates(text) if _as_fine(mention, wanted)]
    for place in places:
        line = text.rfind("\n", 0, place) + 1
        end = text.find("\n", place)
        own = [each for each in dates if line <= each.start < (end if end >= 0 else len(text))]
        before = [each for each in dates if each.start < place]
        behind = [each for each in dates if place <= each.start < place + _NEAR]
        if own:
            yield max(
                (each for each in own if each.start < place), key=lambda each: each.start, default=own[0]
            )
        elif before or behind:
            yield before[-1] if before else behind[0]
