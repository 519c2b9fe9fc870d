"""What model calls cost: written down before and after each, and limited for the whole run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from verifaible.bench.run_dir import RunFolder
from verifaible.errors import ModelUnreachable, RunError
from verifaible.llm.base import AnswerForm
from verifaible.llm.scripted import ScriptedModel
from verifaible.runs.lines import Lines
from verifaible.runs.spend import PaidClient, Spend, SpendLine, SpendLog, spent
from verifaible.schema.chat import Message, ModelTurn, ToolSpec, Usage
from verifaible.schema.run import TrialKey

KEY = TrialKey(model="m", case="c", trial=1)


class Priced:
    """A model each of whose calls costs so much, and that counts how many are under way at once."""

    def __init__(self, cost_usd: float, fails: bool = False, billed: Usage | None = None) -> None:
        self.cost_usd = cost_usd
        self.fails = fails
        self.billed = billed
        self.asked = self.now = self.most = 0

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(5):
            await asyncio.sleep(0)
        self.now -= 1
        if self.fails:
            error = ModelUnreachable("It did not answer. Try again.")
            error.usage = self.billed
            raise error
        return ModelTurn(text="36", usage=Usage(input_tokens=10, cost_usd=self.cost_usd))

    async def aclose(self) -> None:
        return


async def calls(log: SpendLog, model: Priced, number: int) -> list[BaseException | ModelTurn]:
    """So many calls that are begun at once."""
    client = PaidClient(model, log, KEY, 1)
    return await asyncio.gather(*(client.complete((), ()) for _ in range(number)), return_exceptions=True)


def lines(path: Path) -> tuple[SpendLine, ...]:
    return Lines(path, SpendLine).read()


async def test_every_call_is_written_down_before_and_after(tmp_path: Path) -> None:
    path = tmp_path / "spend.jsonl"
    await calls(SpendLog(path), Priced(0.25), 2)
    assert [line.usage is None for line in lines(path)] == [True, True, False, False]
    assert spent(lines(path)) == Spend(calls=2, usage=Usage(input_tokens=20, cost_usd=0.5))


async def test_call_that_failed_is_over_and_one_that_was_abandoned_is_not(tmp_path: Path) -> None:
    path = tmp_path / "spend.jsonl"
    log = SpendLog(path)
    (failure,) = await calls(log, Priced(1, fails=True), 1)
    assert isinstance(failure, ModelUnreachable)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await PaidClient(Priced(1), log, KEY, 1).complete((), ())
    assert spent(lines(path)) == Spend(calls=1, unanswered=1)


async def test_call_that_failed_and_is_billed_counts(tmp_path: Path) -> None:
    path = tmp_path / "spend.jsonl"
    model = Priced(0, fails=True, billed=Usage(input_tokens=7, cost_usd=0.6))
    log = SpendLog(path, 1.0)
    for _ in range(2):
        (failure,) = await calls(log, model, 1)
        assert isinstance(failure, ModelUnreachable)
    assert spent(lines(path)) == Spend(calls=2, usage=Usage(input_tokens=14, cost_usd=1.2))
    (refused,) = await calls(log, model, 1)
    assert isinstance(refused, RunError)


@pytest.mark.parametrize("at_once", [1, 4, 16])
async def test_limit_is_overshot_by_one_call_at_most(tmp_path: Path, at_once: int) -> None:
    model, path = Priced(0.3), tmp_path / "spend.jsonl"
    log = SpendLog(path, 2.0)
    results = [result for _ in range(12) for result in await calls(log, model, at_once)]
    turns = [result for result in results if isinstance(result, ModelTurn)]
    refused = [result for result in results if not isinstance(result, ModelTurn)]
    assert 2.0 <= 0.3 * len(turns) < 2.0 + 0.3
    assert model.asked == len(turns)
    assert {str(each) for each in refused} == {
        "The run has cost 2.1000 US dollars, its limit is 2. The finished trials are kept: continue with "
        "--resume and a higher --max-run-cost."
    }
    assert all(isinstance(each, RunError) for each in refused)


async def test_calls_run_side_by_side_while_there_is_plenty(tmp_path: Path) -> None:
    unlimited, plenty, scarce = Priced(0.01), Priced(0.01), Priced(0.01)
    await calls(SpendLog(tmp_path / "a"), unlimited, 8)
    log = SpendLog(tmp_path / "b", 100.0)
    await calls(log, plenty, 1)  # from here on it is known what a call costs
    await calls(log, plenty, 8)
    await calls(SpendLog(tmp_path / "c", 0.02), scarce, 8)
    assert (unlimited.most, plenty.most, scarce.most) == (8, 8, 1)


async def test_continued_run_remembers_what_it_has_cost(tmp_path: Path) -> None:
    path, model = tmp_path / "spend.jsonl", Priced(0.5)
    await calls(SpendLog(path), model, 2)
    (refused,) = await calls(SpendLog(path, 1.0), model, 1)
    assert isinstance(refused, RunError)
    (turn,) = await calls(SpendLog(path, 1.5), model, 1)
    assert isinstance(turn, ModelTurn)
    assert len({line.call for line in lines(path)}) == 3


async def test_folder_tells_what_each_model_has_cost(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, ("m",))
    log = SpendLog(run.spend_path)
    await calls(log, Priced(0.5), 2)
    other = TrialKey(model="n", case="c", trial=1)
    await PaidClient(Priced(0.25), log, other, 1).complete((), ())
    assert {name: each.usage.cost_usd for name, each in run.spend().items()} == {"m": 1.0, "n": 0.25}


async def test_the_form_of_an_answer_goes_on_to_the_model(tmp_path: Path) -> None:
    model = ScriptedModel([ModelTurn(text="{}")])
    form = AnswerForm(name="verdict", parameters={"type": "object"})
    await PaidClient(model, SpendLog(tmp_path / "spend.jsonl"), KEY, 1).complete((), (), form=form)
    assert model.requests[0].form == form
