"""What a judge model says of a whole answer: the rubric of four scores, the taxonomy of seven errors.

All parts of an answer are asked for in one question, so that their votes share a call; what it took is
counted with the first part only. The judge is blind: names of models are masked, and the options and
sources come in an order drawn from the content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from statistics import fmean
from string import Template
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field, WithJsonSchema, create_model

from verifaible.factcheck.llm_judge import CLOSING
from verifaible.factcheck.source import ReadSource
from verifaible.llm.prompting import (
    MOST_OF_ALL,
    Part,
    bounded,
    masked,
    orders,
    show_sources,
    speaks_of,
    when,
)
from verifaible.llm.structured import Form
from verifaible.llm.voting import Asked, Item, Judge, Taken, tally
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.schema.chat import Usage
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, Score


@dataclass(frozen=True, slots=True)
class Subject:
    """An answer that is judged, its sources, and the names that are masked in it."""

    answer: AnalystAnswer
    sources: Sequence[ReadSource] = ()
    names: tuple[str, ...] = ()

    def query(self) -> Part:
        """The question, as a judge sees it."""
        return Part("the question", masked(self.answer.query, self.names))

    def whole(self) -> Part:
        """The answer, as a judge sees it: shortened where it is very long, and then it says by how much."""
        text = masked(self.answer.answer, self.names)
        if len(text) > MOST_OF_ALL:
            text = f"{text[:MOST_OF_ALL]}\n[... {len(text) - MOST_OF_ALL} characters left out ...]"
        return Part("the answer", text)


def subject_of(
    answer: AnalystAnswer, pairs: Sequence[tuple[Source, str]], models: Collection[str]
) -> Subject:
    """The subject of judging; masked are the models' names that neither query nor sources speak of."""
    spoken = [answer.query, *(f"{source.url} {source.title}\n{text}" for source, text in pairs)]
    names = {name.strip() for name in (*models, answer.model) if name.strip()}
    kept = sorted(name for name in names if not any(speaks_of(each, name) for each in spoken))
    return Subject(answer, [ReadSource(*pair) for pair in pairs], tuple(kept))


_Abstain: TypeAlias = Literal["abstain"]
_Points = Annotated[int, Field(ge=1, le=10), WithJsonSchema({"type": "integer", "enum": list(range(1, 11))})]
_Presence = Annotated[int, Field(ge=0, le=1), WithJsonSchema({"type": "integer", "enum": [0, 1]})]


class ScoreForm(Form):
    """A score from 1 to 10, then its reason."""

    score: _Points | _Abstain
    reason: str


class PresenceForm(Form):
    """Whether an error is there, then the reason."""

    present: _Presence | _Abstain
    reason: str


def _form_of(name: str, parts: Sequence[str], part: type[Form]) -> type[Form]:
    fields: dict[str, Any] = {each: (part, ...) for each in parts}
    return create_model(name, __base__=Form, **fields)


RubricForm: Final = _form_of("RubricForm", DIMENSIONS, ScoreForm)
TaxonomyForm: Final = _form_of("TaxonomyForm", ERROR_CATEGORIES, PresenceForm)


#: What each of the two protocols asks about, all in one form.
_PARTS: Final[Mapping[str, tuple[str, ...]]] = {"rubric": DIMENSIONS, "taxonomy": ERROR_CATEGORIES}
_FORMS: Final = {"rubric": RubricForm, "taxonomy": TaxonomyForm}
#: What a reply says of one part: a number, None where it abstains.
_Value: TypeAlias = int | None


async def answer_scores(
    judge: Judge, subject: Subject, name: Literal["rubric", "taxonomy"]
) -> dict[str, Score]:
    """The four scores of an answer, or its seven categories of error, 0 or 1.

    A score is the mean over the repeats that gave one, a category what most repeats say. Where as many
    abstain as say something, it is ``abstain``.

    Raises:
        RunError: the replies cannot be kept.
    """
    parts, answer = _PARTS[name], subject.answer
    if why := judge.barred(answer.model) or ("" if answer.answer.strip() else "The answer is empty."):
        return dict.fromkeys(parts, Score(outcome="not_judged", reason=f"not judged: {why}"))
    pairs = [(each.source, each.text) for each in subject.sources]
    drawn = hashlib.sha256("\0".join((name, answer.query, answer.answer)).encode("utf-8", "surrogatepass"))
    seed, options = drawn.hexdigest(), prompt(f"{name}_options.md").splitlines()

    def item(source_order: Sequence[int], option_order: Sequence[int]) -> Item[Form, Form]:
        shown = show_sources(pairs, source_order, f"{answer.query}\n{answer.answer}")
        note = shown.note or ("" if shown.parts else "What its author had been given is not known.")
        texts = (when(answer), bounded((subject.query(), subject.whole(), *shown.parts)), note, CLOSING)
        listed = "\n".join(options[at] for at in option_order)
        return Item(
            protocol=name,
            system=Template(prompt(f"{name}.md")).substitute(options=listed),
            user="\n\n".join(text for text in texts if text),
            form=_FORMS[name],
            take=lambda filled: Taken("decided", name, _longest_reason(filled), filled),
        )

    both = zip(
        orders(len(pairs), judge.repeats, seed),
        orders(len(options), judge.repeats, f"{seed}/options"),
        strict=True,
    )
    asked = await judge.ask_all([item(*each) for each in both])
    found: dict[str, Score] = {}
    for part in parts:
        votes = [_part(each, part, pays=part == parts[0]) for each in asked]
        found[part] = _mean(votes) if name == "rubric" else _majority(votes)
    return found


def prompt(name: str) -> str:
    """One of the texts of ``prompts/``."""
    return resources.files("verifaible.judge").joinpath("prompts", name).read_text(encoding="utf-8").strip()


def _longest_reason(form: Form) -> str:
    reasons = (" ".join(getattr(form, part).reason.split()) for part in type(form).model_fields)
    return max(reasons, key=lambda reason: len(reason.split()))


def _part(asked: Asked[Form], part: str, *, pays: bool) -> Asked[_Value]:
    """One part of a reply as a vote of its own."""
    vote = asked.vote if pays else asked.vote.model_copy(update={"usage": Usage()})
    if asked.taken is None:
        return Asked(vote)
    filled = getattr(asked.taken.data, part)
    said = filled.score if isinstance(filled, ScoreForm) else filled.present
    reason = " ".join(filled.reason.split())
    outcome: Literal["decided", "abstain"] = "abstain" if said == "abstain" else "decided"
    value, number = ("", None) if said == "abstain" else (str(said), said)
    voted = vote.model_copy(update={"outcome": outcome, "value": value, "reason": reason})
    return Asked(voted, Taken(outcome, value, reason, number, asked.taken.notes))


def _majority(asked: Sequence[Asked[_Value]]) -> Score:
    found = tally(asked)
    value = float(found.value) if found.outcome == "decided" else None
    votes = tuple(each.vote for each in asked)
    return Score(outcome=found.outcome, value=value, reason=found.reason, votes=votes)


def _mean(asked: Sequence[Asked[_Value]]) -> Score:
    votes = tuple(each.vote for each in asked)
    said = [each.taken for each in asked if each.taken is not None]
    given = [(each.data, each.reason) for each in said if each.data is not None]
    if len(said) >= 2 * len(given):
        found = tally(asked)
        outcome = "abstain" if found.outcome == "decided" else found.outcome
        return Score(outcome=outcome, reason=found.reason, votes=votes)
    mean = fmean(value for value, _ in given)
    # the reason that goes with the score nearest to the mean
    _, reason = min(given, key=lambda each: abs(each[0] - mean))
    return Score(outcome="decided", value=mean, reason=reason, votes=votes)
