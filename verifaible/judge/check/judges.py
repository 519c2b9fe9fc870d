"""Who decides what the rules leave open: a local model, or a judge model, whose proofs are checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from verifaible.config import Settings
from verifaible.judge.asking.asking import JudgeOptions, open_judge
from verifaible.judge.protocols.reviewer import JudgeReviewer
from verifaible.judge.rules.library import Library
from verifaible.llm.catalogue import Api
from verifaible.runs.replies import ReplyCache
from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.checked import Decider
from verifaible.schema.judged import Finding

if TYPE_CHECKING:
    from verifaible.judge.nli.entailment import Entailment

#: By this name the local model is asked for.
NLI: Final = "nli"
#: Replies of judges, shared with the folders of judging.
_REPLIES: Final = ".replies"


class Judging(Protocol):
    """Decides claims that rules leave open.

    Attributes:
        by: what it is called in the record of a claim.
    """

    by: Decider

    async def decide(self, claim: Claim, library: Library) -> Finding | None:
        """What it finds, by passages that stand in the sources; None: it leaves the claim open."""
        ...


#: Made for each text: a judge model is shown the text, too.
Judges: TypeAlias = Callable[[AnalystAnswer], Judging]


@dataclass(frozen=True, slots=True)
class OpenedJudges:
    """A judge that is at hand; close it by :attr:`aclose`. ``note`` is what people must know of it."""

    name: str
    judges: Judges
    aclose: Callable[[], Awaitable[None]]
    note: str = ""


def open_judges(
    name: str, settings: Settings, *, max_cost_usd: float | None = None, api: Api | None = None
) -> OpenedJudges:
    """Open a judge by its name.

    Raises:
        ConfigError: the local model is not installed, or not set.
        UnknownModel, MissingKey: the judge model cannot be asked.
    """
    if name == NLI:
        return _opened_local(settings)
    judge = open_judge(
        name,
        settings,
        ReplyCache(settings.judged_dir / _REPLIES),
        JudgeOptions(api=api, max_cost_usd=max_cost_usd),
    )
    reviewer = JudgeReviewer(judge, ())
    return OpenedJudges(judge.name, lambda answer: _ByModel(reviewer, answer), judge.aclose)


def _opened_local(settings: Settings) -> OpenedJudges:
    """The local model that the settings name."""
    from verifaible.judge.nli.entailment import Entailment  # without it, its packages are not needed

    entailment = Entailment.open(settings)

    async def nothing() -> None:
        """It holds nothing open."""

    return OpenedJudges(entailment.name, lambda _: _ByEntailment(entailment), nothing, entailment.note)


class _ByEntailment:
    """The local model; it decides from calibrated thresholds on, by a passage."""

    by: Decider = "nli"

    def __init__(self, entailment: Entailment) -> None:
        self._entailment = entailment

    async def decide(self, claim: Claim, library: Library) -> Finding | None:
        """See :class:`Judging`."""
        return await self._entailment.decide(claim, library)


class _ByModel:
    """A judge model; its verdict counts where its quotes and its proof hold (``judge.protocols``)."""

    by: Decider = "judge"

    def __init__(self, reviewer: JudgeReviewer, answer: AnalystAnswer) -> None:
        self._reviewer = reviewer
        self._answer = answer

    async def decide(self, claim: Claim, library: Library) -> Finding | None:
        """See :class:`Judging`."""
        row = await self._reviewer.citation(claim, self._answer, library)
        return row.finding if row.outcome == "decided" else None
