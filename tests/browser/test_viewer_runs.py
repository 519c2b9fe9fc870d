"""The pages of runs in a real Chromium: every page by clicking, wide, on a phone, in the dark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import Browser, Error, expect

from tests.browser.viewers import (
    PHONE,
    WIDE,
    faults_of,
    filled_home,
    overflow,
    picture,
    reader,
    served,
)
from tests.kit.marks import nightly
from tests.unit.viewer.run_samples import sample_runs, tell
from verifaible.bench.run_dir import RunFolder
from verifaible.config import Settings
from verifaible.store.store import Store

RICH = "20260301T093000Z-z-ai-glm-5+other-model"
#: With those of test_viewer_judged every scheme and window is in those that are not nightly.
WALKS = [
    nightly("light", WIDE),
    nightly("dark", WIDE),
    ("light", PHONE),
    nightly("dark", PHONE),
]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A run of the reference agent, with its store, and the runs made by hand."""
    settings = filled_home(tmp_path_factory, tmp_path_factory.mktemp("runs") / "home")
    store = Store.open(settings)
    sample_runs(settings.runs_dir, store.rows(limit=1)[0].id)
    store.close()
    return settings


@pytest.fixture(scope="module")
def oracle_run(house: Settings) -> str:
    """The name of the reference agent's run."""
    (folder,) = house.runs_dir.glob("*-oracle")
    return folder.name


@pytest.fixture(scope="module")
def address(house: Settings) -> Iterator[str]:
    with served(house) as found:
        yield found


@pytest.mark.nightly
@pytest.mark.parametrize(("scheme", "window"), WALKS)
async def test_every_page_by_clicking(
    chromium: Browser, address: str, oracle_run: str, scheme: str, window: Any
) -> None:
    async with reader(chromium, address, viewport=window, color_scheme=scheme) as page:

        async def looked_at(name: str, *, whole: bool = True, template: bool = True) -> None:
            assert await page.locator("h1").count() == 1
            assert await overflow(page) <= 0, name
            assert not template or await faults_of(page) == [], name
            await picture(page, f"runs-{name}-{scheme}-{window['width']}", whole=whole)

        await page.goto(address)
        await page.locator("nav a[href='/runs']").first.click()
        await expect(page.locator("table.runs tbody tr")).to_have_count(4)
        await looked_at("list")
        await page.locator("input[name=run]").nth(0).check()
        await page.locator("input[name=run]").nth(2).check()
        await page.locator("form[action='/leaderboard'] button").click()
        await page.wait_for_url("**/leaderboard?run=*")
        await looked_at("leaderboard")

        await page.go_back()
        await page.locator(f"table.runs a[href='/runs/{quote(RICH, safe='')}']").click()
        await expect(page.locator("figure.chart")).to_have_count(2)
        await looked_at("run")
        await page.locator("select[name=result]").select_option("verified")
        await page.locator("#trials form button").click()
        await page.locator(".trials tbody a", has_text="us_text_001").first.click()
        await expect(page.locator("#step-5")).to_be_visible()
        await page.locator("#step-4 summary").first.click()
        await looked_at("trial")
        await page.locator("main a[href*='/answer?']").click()
        await expect(page.locator("#beside h3")).to_be_visible()
        await looked_at("answer", whole=False)

        await page.goto(f"{address}/runs/{quote(oracle_run, safe='')}")
        await page.locator(".trials tbody a").first.click()
        await expect(page.locator("ol.timeline > li")).not_to_have_count(0)
        await looked_at("oracle-trial", template=False)  # it was looked over with more in it
        await page.locator("main a[href*='/answer?']").click()
        await expect(page.locator("#beside h3")).to_be_visible()
        await looked_at("oracle-answer", whole=False, template=False)


async def test_a_marker_shows_its_evidence_with_keys_alone(chromium: Browser, address: str) -> None:
    async with reader(chromium, address) as page:
        await page.goto(
            f"{address}/runs/{quote(RICH, safe='')}/answer?model=z-ai%2Fglm-5&case=us_text_001&trial=1"
        )
        marker = page.get_by_role("link", name="Evidence 1")
        await expect(marker).to_have_attribute("aria-current", "true")
        await page.evaluate("document.querySelector('#beside').replaceChildren()")
        await marker.focus()
        await page.keyboard.press("Enter")
        await expect(page.locator("#beside h3")).to_be_visible()
        assert await page.locator(".marker.nowhere").text_content() == "[2] ✕ leads to no citation"


async def test_a_citation_of_a_step_leads_to_its_page(
    chromium: Browser, address: str, oracle_run: str
) -> None:
    async with reader(chromium, address) as page:
        await page.goto(f"{address}/runs/{quote(oracle_run, safe='')}")
        await page.locator(".trials tbody a").first.click()
        await page.locator("ol.timeline a.badge").first.click()
        await page.wait_for_url("**/citations/*")
        assert await page.get_by_role("button", name="Compare hashes").count() == 1


@pytest.mark.nightly
async def test_everything_can_be_read_without_script(chromium: Browser, address: str) -> None:
    async with reader(chromium, address, java_script_enabled=False) as page:
        await page.goto(f"{address}/runs")
        await page.locator(f"table.runs a[href='/runs/{quote(RICH, safe='')}']").click()
        await page.locator(".trials tbody a", has_text="us_text_001").first.click()
        await page.locator("#step-4 summary").last.click()
        await page.locator("#step-4 a[href*='whole=']").click()
        await expect(page.locator("#step-4 pre").last).to_contain_text("Line 399 of the page")
        await page.locator("main a[href*='/answer?']").click()
        await page.locator("a.marker").first.click()
        await expect(page.locator("#beside h3")).to_be_visible()


async def test_a_page_s_text_runs_nothing_in_a_timeline(chromium: Browser, address: str) -> None:
    async with reader(chromium, address) as page:
        await page.goto(
            f"{address}/runs/{quote(RICH, safe='')}/trial?model=z-ai%2Fglm-5&case=us_text_001&trial=1"
        )
        assert "owned" not in await page.title()
        shown = await page.locator("#step-2 pre").last.inner_text()
        assert "<script>document.title='owned'</script>" in shown
        assert "{{ 7 * 7 }} &amp;" in shown
        assert await page.locator("main img, main iframe, main script").count() == 0


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("scheme", "window"),
    [nightly("light", WIDE), ("dark", PHONE), nightly("dark", WIDE), nightly("light", PHONE)],
)
async def test_a_run_under_way_is_loaded_anew_unless_the_page_is_in_use(
    chromium: Browser, tmp_path: Path, scheme: Any, window: Any
) -> None:
    sample_runs(tmp_path / "runs")
    name = "20260302T080000Z-started"
    folder = RunFolder(tmp_path / "runs" / name)
    (first,) = folder.results()
    with served(Settings(home=tmp_path)) as address:
        async with reader(chromium, address, viewport=window, color_scheme=scheme) as page:
            await page.clock.install()
            for path in ("/runs", f"/runs/{name}"):
                tell(folder)
                await page.goto(f"{address}{path}")
                await page.locator("main a").first.focus()
                await expect(page.locator(".live")).to_contain_text("1 of 3 trials done")
                assert await overflow(page) <= 0
                assert await faults_of(page) == []
                shown = f"runs-live-{'list' if path == '/runs' else 'run'}-{scheme}-{window['width']}"
                await picture(page, shown, whole=True)
            folder.add(first.model_copy(update={"trial": 2}), folder.transcript(first.key))
            tell(folder, done=2)
            await page.clock.run_for(30_000)
            await expect(page.locator(".live")).to_contain_text("1 of 3 trials done")
            await page.evaluate("document.activeElement.blur()")
            with suppress(Error):  # the page is loaded anew under the call
                await page.clock.fast_forward(10_000)
            await expect(page.locator(".live")).to_contain_text("2 of 3 trials done")
            await expect(page.locator("#latest ~ .wide tbody tr")).to_have_count(2)
            folder.write_info(folder.info().model_copy(update={"finished_at": datetime.now(UTC)}))
            with suppress(Error):
                await page.clock.fast_forward(10_000)
            await expect(page.locator(".live")).to_have_count(0)
            await expect(page.locator("main .badge").first).to_contain_text("finished")
