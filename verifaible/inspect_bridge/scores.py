"""Our two scores as a scorer of Inspect AI, with our intervals as its metrics.

The samples of one evaluation share the web, the store, and one browser while samples need it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from inspect_ai.scorer import Score, Target, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from verifaible.bench.trial import evidence_of
from verifaible.config import Settings
from verifaible.schema.case import Case
from verifaible.schema.citation import WebMode
from verifaible.schema.run import TrialCitation
from verifaible.scoring.gate import Gate, facts_of, gated_score
from verifaible.scoring.verified import verified_score
from verifaible.stats import wilson_interval
from verifaible.store.store import Store
from verifaible.tools.toolbox import Toolbox
from verifaible.tools.workspace import Workspace, open_workspace

_machines: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Machine]] = WeakKeyDictionary()


class Machine:
    """A store, and a workspace over it that is closed when the last session ends.

    Attributes:
        store: where the citations of all samples are.
    """

    def __init__(self, settings: Settings, web: WebMode) -> None:
        self.store = Store.open(settings)
        self._settings = settings
        self._web = web
        self._opened = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._workspace: Workspace | None = None
        self._users = 0

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Toolbox]:
        """The tools of one sample: their citations count from 1, and nothing of another sample is seen."""
        async with self._opening:
            if self._workspace is None:
                opening = open_workspace(self._settings, self._web, store=self.store)
                self._workspace = await self._opened.enter_async_context(opening)
            workspace = self._workspace
            self._users += 1
        try:
            yield workspace.toolbox()
        finally:
            async with self._opening:
                self._users -= 1
                if not self._users:
                    self._workspace = None
                    await self._opened.aclose()


def machine(settings: Settings, web: WebMode) -> Machine:
    """The machine of this event loop for these settings; made at its first use.

    Raises:
        ConfigError: there is no archive to serve offline.
        StoreError: the store cannot be opened.
    """
    known = _machines.setdefault(asyncio.get_running_loop(), {})
    key = f"{web} {settings.home} {settings.store_location}"
    if key not in known:
        known[key] = Machine(settings, web)
    return known[key]


#: Where a sample's store has the citations that its session made.
CITATIONS = "verifaible_citations"
#: Where a sample's metadata has its case.
CASE = "verifaible_case"


def _bound(upper: bool) -> Callable[[], Callable[[list[Any]], float]]:
    def make() -> Callable[[list[Any]], float]:
        def bound(scores: list[Any]) -> float:
            values = [float(each.score.value) for each in scores]
            if not values:
                return 0.0
            low, high = wilson_interval(round(sum(values)), len(values))
            return high if upper else low

        return bound

    return make


#: Ends of the 95 % Wilson interval of a rate; with epochs, of the samples' rounded rates.
wilson_low = metric(name="wilson_low")(_bound(upper=False))
wilson_high = metric(name="wilson_high")(_bound(upper=True))


def _verified_bench(web: WebMode = "live", gate: Gate = "answer") -> Any:
    """Scores the final answer of a sample: ``score`` from 0 to 100, ``verified`` 0 or 1.

    The evidence is verified again from the store. Where that fails for a fault of the machine, the
    sample is an error, not a zero.

    Args:
        web: as for the task: its store is the same for both.
        gate: what zeroes a score (see :mod:`verifaible.scoring.gate`).
    """
    settings = Settings()

    async def score(state: TaskState, target: Target) -> Score:
        case = Case.model_validate(state.metadata[CASE])
        answer = state.output.completion
        made = tuple(TrialCitation.model_validate(each) for each in state.store.get(CITATIONS, []))
        store = machine(settings, web).store
        evidence = await asyncio.to_thread(evidence_of, made, store)
        verdict = verified_score(case, answer, evidence)
        facts = facts_of(case, answer, made)
        why = " ".join(verdict.reasons) or "The evidence carries the answer."
        return Score(
            value={"score": gated_score(facts, gate), "verified": int(verdict.passed)},
            answer=answer,
            explanation=why,
            metadata={
                "facts": facts.model_dump(),
                "verified_reasons": list(verdict.reasons),
                "citations": [each.model_dump() for each in made],
            },
        )

    return score


verified_bench = scorer(
    metrics={"score": [mean(), stderr()], "verified": [mean(), wilson_low(), wilson_high()]},
    name="verifaible",
)(_verified_bench)
