"""The Python API, in a real browser on the offline web; the example of docs/python.md."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.browser.bench_process import calling, saying
from tests.browser.conftest import REPOSITORY
from tests.browser.viewers import house_in
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply
from verifaible import Verifaible
from verifaible.config import Settings
from verifaible.errors import AnchorNotFound, CitationNotFound, ConfigError, UrlRefused
from verifaible.schema.run import TrialResult

PAGE = "https://www.stats.gov.cn/xxgk/jd/sjjd2020/202601/t20260119_1962338.html"
QUOTE = "全国人口总量为140489万人"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Verifaible]:
    """What all tests cite with, into one store."""
    settings = Settings(home=REPOSITORY, store=str(tmp_path_factory.mktemp("house") / "store"))
    async with Verifaible(settings, web="offline") as opened:
        yield opened


async def test_the_example_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFAIBLE_HOME", str(REPOSITORY))
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))
    text = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "docs/python.md", "exec"), names)
    assert await names["count"](PAGE, QUOTE) == 1


async def test_a_question_is_answered_with_evidence(
    house: Verifaible, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer(_citing) as server:
        settings = house.settings.model_copy(update={"base_url": server.base_url})
        async with Verifaible(settings, web="offline") as asked:
            answered = await asked.ask("How many people lived in China?", model="glm-5", url=PAGE)
    assert answered.text.startswith("It was 140489 万人 [@v:1].\n")
    assert answered.ok


def _citing(body: JsonObject) -> Reply:
    """A model that cites the sentence, and then answers from it."""
    if any(item.get("type") == "function_call_output" for item in body["input"]):
        return saying("It was 140489 万人 [@v:1].")
    return calling("verifaible_cite", {"claim": "c", "source_url": PAGE, "quoted_text": QUOTE}, 0)


async def test_runs_and_exports_are_made_from_python(house: Verifaible, tmp_path: Path) -> None:
    home = house_in(tmp_path / "home")
    async with Verifaible(home, web="offline") as v:
        run = await v.bench("nop", ids=("cn_text_001",))
        assert [result.score for result in run.results()] == [0]
    citation = await house.cite(PAGE, quote=QUOTE)
    exported = await house.export(citation.id, tmp_path)
    assert {"capture.wacz", "report.pdf"} <= set(exported.files)


async def test_what_is_cited_is_in_the_store_with_its_history(house: Verifaible) -> None:
    citation = await house.cite(PAGE, quote=QUOTE)
    assert (citation.claim, citation.anchor.text) == (QUOTE, QUOTE)
    replayed = await house.replay(citation.id[:8])
    hashed = await house.verify("latest", hash_only=True)
    kinds = [check.kind for check in house.store.checks(citation.id)]
    assert kinds == ["self", "offline", "rehash"]
    assert (replayed.verdict, hashed.verdict) == ("verified", "verified")
    assert replayed.overlap == pytest.approx(1, abs=0.05)


@pytest.mark.nightly
async def test_calls_side_by_side_share_one_browser(house: Verifaible) -> None:
    steps = [{"type": "scroll", "direction": "down", "amount": 300}]
    before = house.store.count()
    made = await asyncio.gather(
        house.cite(PAGE, quote=QUOTE),
        house.cite(PAGE, quote="140489万人", near="全国人口总量为"),
        house.cite(PAGE, quote=QUOTE, claim="after scrolling", steps=steps),
    )
    assert len({citation.id for citation in made}) == 3
    assert house.store.count() == before + 3
    assert [step.type for step in made[2].steps] == ["scroll"]


async def test_a_cell_without_a_claim_is_claimed_with_its_headers(house: Verifaible) -> None:
    yields = (
        "https://home.treasury.gov/resource-center/data-chart-center/interest-rates/TextView"
        "?type=daily_treasury_yield_curve&field_tdr_date_value=2026"
    )
    citation = await house.cite(yields, row="02/06/2026", column="10 Yr")
    assert citation.claim == "02/06/2026, 10 Yr: 4.22"
    with pytest.raises(AnchorNotFound, match="No column header '10 Year of") as refused:
        await house.cite(yields, row="02/06/2026", column="10 Year of the bond")
    assert "test_action_steps" not in str(refused.value)


async def test_a_refusal_stores_nothing(house: Verifaible) -> None:
    before = house.store.count()
    with pytest.raises(AnchorNotFound, match="140489"):
        await house.cite(PAGE, quote="全国人口总量为140498万人")
    assert house.store.count() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"quote": ""}, "quote= is missing: evidence_type='text'"),
        ({"quote": "x", "page_number": 0}, "page_number=: "),
        ({"quote": "x", "at": "soon"}, "at=: "),
        ({"quote": "x", "steps": "[{"}, "steps=: "),
        ({"quote": "x", "steps": [{"type": "fly"}]}, "steps=: 0: "),
        ({"alt": "x", "position": (-1, 5)}, "position=: "),
        ({"row": {"a": 1}, "quote": "x"}, "row=: "),
    ],
)
async def test_wrong_arguments_are_named(house: Verifaible, arguments: dict[str, Any], said: str) -> None:
    before = house.store.count()
    with pytest.raises(ConfigError, match=said):
        await house.cite(PAGE, **arguments)
    assert house.store.count() == before


async def test_an_argument_that_is_misspelt_is_named(house: Verifaible) -> None:
    with pytest.raises(TypeError, match="qoute"):
        await house.cite(PAGE, qoute=QUOTE)  # type: ignore[call-arg]


async def test_an_address_that_must_not_be_opened_is_refused(tmp_path: Path) -> None:
    async with Verifaible(Settings(home=tmp_path)) as live:
        with pytest.raises(UrlRefused):
            await live.cite("http://127.0.0.1:9/", quote="x")


async def test_an_unknown_citation_is_said(house: Verifaible, tmp_path: Path) -> None:
    for call in (
        house.replay("0123456789"),
        house.verify("0123456789"),
        house.export("0123456789", tmp_path),
    ):
        with pytest.raises(CitationNotFound, match="0123456789"):
            await call


async def test_wrong_settings_are_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFAIBLE_PAGE_TIMEOUT_S", "-1")
    with pytest.raises(ConfigError, match="VERIFAIBLE_PAGE_TIMEOUT_S"):
        Verifaible()


@pytest.mark.nightly
async def test_a_run_can_be_watched(tmp_path: Path) -> None:
    seen: list[str] = []
    async with Verifaible(house_in(tmp_path / "home"), web="offline") as house:

        def watch(model: str, case: Any, trial: int, event: object) -> None:
            if isinstance(event, TrialResult):
                seen.append(f"{model} {case.id} {trial}")

        run = await house.bench("nop", watch=watch, ids=("cn_text_001",), trials=2)
        assert sorted(seen) == ["nop cn_text_001 1", "nop cn_text_001 2"]
        assert run.info().finished_at is not None
