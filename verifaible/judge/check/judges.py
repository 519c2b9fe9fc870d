"""Who decides what the rules leave open: a local model, or a judge model, whose proofs are checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from verifaible.config import Settings
from verifaible.judge.asking.asking import Judge
from verifaible.judge.protocols.claim_checks import citation_row
from verifaible.judge.protocols.subject import subject_of
from verifaible.judge.rules.library import Library
from verifaible.llm.catalogue import Api
from verifaible.llm.opening import open_model
from verifaible.runs.replies import replies_of
from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.checked import Decider
from verifaible.schema.judged import Finding

#: By this name the local model is asked for.
NLI: Final = "nli"
#: Replies of judges, shared with the folders of judging.
REPLIES: Final = ".replies"


@dataclass(frozen=True, slots=True)
class Judging:
    """Decides claims that rules leave open.

    Attributes:
        by: what it is called in the record of a claim.
        decide: what it finds, by passages that stand in the sources; None: it leaves the claim open.
    """

    by: Decider
    decide: Callable[[Claim, Library], Awaitable[Finding | None]]


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
    client = open_model(name, settings, api, temperature=0.0).client
    judge = Judge(
        client, replies_of(settings, settings.judged_dir / REPLIES), name=name, max_cost_usd=max_cost_usd
    )

    def judging(answer: AnalystAnswer) -> Judging:
        async def decide(claim: Claim, library: Library) -> Finding | None:
            row = await citation_row(judge, claim, subject_of(answer, library, ()))
            if row.outcome == "decided":
                return row.finding
            fault = next((vote.fault for vote in reversed(row.votes) if vote.fault), "")
            why = fault.partition(": ")[2] or row.reason  # a fault is its kind and a sentence
            return Finding(verdict="undecided", reason=f"The judge left it open. {why}".strip())

        return Judging("judge", decide)

    return OpenedJudges(judge.name, judging, judge.aclose)


def _opened_local(settings: Settings) -> OpenedJudges:
    """The local model that the settings name."""
    from verifaible.judge.nli.entailment import Entailment  # without it, its packages are not needed

    entailment = Entailment.open(settings)
    judging = Judging("nli", entailment.decide)

    async def nothing() -> None:
        """It holds nothing open."""

    return OpenedJudges(entailment.name, lambda _: judging, nothing)
