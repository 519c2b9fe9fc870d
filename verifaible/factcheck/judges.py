"""Who decides what the rules leave open: a local model, or a judge model, whose proofs are checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from verifaible.config import Settings
from verifaible.factcheck.library import Library
from verifaible.factcheck.llm_judge import REPLIES, open_judge
from verifaible.llm.catalogue import Api
from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.checked import Decider
from verifaible.schema.verdict import Verdict

__all__ = ["NLI", "REPLIES", "Judges", "Judging", "OpenedJudges", "open_judges"]

#: By this name the local model is asked for.
NLI: Final = "nli"


@dataclass(frozen=True, slots=True)
class Judging:
    """Decides claims that rules leave open.

    Attributes:
        by: what it is called in the record of a claim.
        decide: what it finds, by passages that stand in the sources; None: it leaves the claim open.
    """

    by: Decider
    decide: Callable[[Claim, Library], Awaitable[Verdict | None]]


#: Made for each text: a judge model is shown the text, too.
Judges: TypeAlias = Callable[[AnalystAnswer], Judging]


@dataclass(frozen=True, slots=True)
class OpenedJudges:
    """A judge that is at hand; close it by :attr:`aclose`."""

    name: str
    judges: Judges
    aclose: Callable[[], Awaitable[None]]


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
    judge = open_judge(name, settings, max_cost_usd=max_cost_usd, api=api)

    def judging(answer: AnalystAnswer) -> Judging:
        async def decide(claim: Claim, library: Library) -> Verdict | None:
            return await judge.decide(claim, answer, library.of())

        return Judging("judge", decide)

    return OpenedJudges(judge.name, judging, judge.aclose)


def _opened_local(settings: Settings) -> OpenedJudges:
    """The local model that the settings name."""
    from verifaible.factcheck.nli.entailment import Entailment  # without it, its packages are not needed

    entailment = Entailment.open(settings)
    judging = Judging("nli", entailment.decide)

    async def nothing() -> None:
        """It holds nothing open."""

    return OpenedJudges(entailment.name, lambda _: judging, nothing)
