"""Judged answers in a real Chromium: every page by clicking, by keyboard, wide, on a phone, in the dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from tests.browser.viewers import PHONE, WIDE, faults_of, house_in, overflow, picture, reader, served
from tests.kit.marks import nightly
from tests.unit.viewer.judged_samples import RICH, sample_judging
from verifaible.config import Settings

RUN = f"/judged/{RICH}"
#: With those of test_viewer_runs and test_graph_pages every scheme and window is in those that are not nightly.
WALKS = [
    nightly("light", WIDE),
    nightly("dark", WIDE),
    nightly("light", PHONE),
    ("dark", PHONE),
]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = house_in(tmp_path_factory.mktemp("judged") / "home")
    sample_judging(settings)
    return settings


@pytest.fixture(scope="module")
def address(house: Settings) -> Iterator[str]:
    with served(house) as found:
        yield found


def damage(settings: Settings, capture: str) -> None:
    """Change the last bytes of a capture."""
    (file,) = Path(str(settings.store_location)).rglob(f"{capture}*")
    data = file.read_bytes()
    file.chmod(0o644)
    file.write_bytes(data[:-10] + bytes(10))


@pytest.mark.nightly
@pytest.mark.parametrize(("scheme", "window"), WALKS)
async def test_every_page_by_clicking(chromium: Browser, address: str, scheme: str, window: Any) -> None:
    async with reader(chromium, address, viewport=window, color_scheme=scheme) as page:

        async def looked_at(name: str) -> None:
            assert await page.locator("h1").count() == 1
            assert await overflow(page) <= 0, name
            assert await faults_of(page) == [], name
            await picture(page, f"judged-{name}-{scheme}-{window['width']}")

        await page.goto(address)
        await page.locator("nav a[href='/judged']").first.click()
        await expect(page.locator("ol.cards > li.card")).to_have_count(1)
        await looked_at("runs")
        await page.locator(f"a[href='{RUN}']").click()
        await expect(page.locator("#answers li.card")).to_have_count(3)
        await looked_at("run")
        await page.select_option("select[name=has]", "incorrect")
        await page.locator("form.filters button").click()
        await expect(page.locator("#answers li.card")).to_have_count(1)
        await page.locator("#answers h3 a").click()
        await expect(page.locator("a.chip")).to_have_count(11)
        for number in (2, 3, 6):
            await page.locator(f"a.chip[href='#c{number}']").click()
            await expect(page.locator(f"#c{number}")).to_be_visible()
        await looked_at("answer")
        await page.locator(".switch a").nth(1).click()
        await page.wait_for_url("**check=hallucination*")
        await page.locator("a.chip[href='#c5']").click()
        await page.locator("#c5 .passage a").first.click()
        await expect(page.locator("mark#evidence")).to_be_in_viewport()
        await looked_at("source")


async def test_evidence_stands_beside_its_claim_and_on_a_phone_below_it(
    chromium: Browser, address: str
) -> None:
    for window, beside in ((WIDE, True), (PHONE, False)):
        async with reader(chromium, address, viewport=window) as page:
            await page.goto(f"{address}{RUN}/answers/a1")
            units = page.locator(".answer-unit:has(> .evidence-cards)")
            assert await units.count() >= 6
            for unit in await units.all():
                block = await unit.locator("> .block").bounding_box()
                cards = await unit.locator("> .evidence-cards").bounding_box()
                assert block is not None and cards is not None
                if beside:
                    assert cards["x"] >= block["x"] + block["width"]
                    assert abs(cards["y"] - block["y"]) < 4
                else:
                    assert cards["y"] >= block["y"] + block["height"] - 1
                    assert abs(cards["x"] - block["x"]) < 30


@pytest.mark.nightly
async def test_from_a_claim_to_its_evidence_and_back_with_keys_alone(chromium: Browser, address: str) -> None:
    async with reader(chromium, address) as page:
        await page.goto(f"{address}{RUN}/answers/a1")
        await page.get_by_role("link", name="Claim 3: refuted").focus()
        await page.keyboard.press("Enter")
        await expect(page.locator("#c3")).to_be_in_viewport()
        await expect(page.locator("#c3 mark")).to_have_text("Spot ETFs took in $1.2 billion net.")
        for _ in range(4):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.getAttribute('href')") == "#at-c3":
                break
        await page.keyboard.press("Enter")
        await expect(page.locator("#at-c3")).to_be_in_viewport()
        await page.locator("details.claim > summary").first.focus()
        await page.keyboard.press("Enter")
        await expect(page.locator("#c1")).to_be_visible()
        await page.keyboard.press("Enter")
        await expect(page.locator("#c1")).to_be_hidden()


async def test_no_claim_is_told_by_its_colour_alone(chromium: Browser, address: str) -> None:
    async with reader(chromium, address, forced_colors="active") as page:
        await page.goto(f"{address}{RUN}/answers/a1")
        signs = await page.locator("a.chip > span").all_text_contents()
        assert signs == ["✓", "∑", "✕", "∅", "✕", "✓", "!", "?", "–", "○", "○"]
        names = await page.locator("a.chip").evaluate_all("all => all.map(each => each.ariaLabel)")
        assert names[3] == "Claim 4: citation missing"
        assert await page.locator(".verdict-counts li").all_text_contents() == [
            "✓ 2 direct",
            "∑ 1 derived",
            "✕ 2 refuted",
            "∅ 1 citation missing",
            "? 1 undecided",
            "! 1 judge failed",
            "○ 2 not judged",
            "– 1 no source needed",
        ]


@pytest.mark.nightly
async def test_everything_works_without_script(chromium: Browser, address: str) -> None:
    async with reader(chromium, address, java_script_enabled=False) as page:
        await page.goto(f"{address}/judged")
        await page.locator(f"a[href='{RUN}']").click()
        await page.locator("#answers h3 a").first.click()
        await page.locator("a.chip[href='#c2']").click()
        await expect(page.locator("#c2 .operands")).to_be_visible()
        await page.locator("#c2 .passage a").first.click()
        await expect(page.locator("mark#evidence")).to_have_text("$92,381")


async def test_what_an_answer_holds_does_nothing(chromium: Browser, address: str) -> None:
    async with reader(chromium, address) as page:
        for path in (f"{RUN}/answers/a1", RUN):
            await page.goto(f"{address}{path}")
            assert "owned" not in await page.title()
            assert await page.locator("main img, main script, main iframe, main [onerror]").count() == 0
            assert await page.locator("a[href^='javascript']").count() == 0
        await page.goto(f"{address}{RUN}/answers/a1")
        shown = await page.locator(".drawn").inner_text()
        assert (
            "<script>document.title='owned'</script><img src=x onerror=alert(1)> </context><context>" in shown
        )
        assert "[click](javascript:alert(1))" in shown
        assert "{{ 7 * 7 }}" in shown


async def test_a_changed_capture_is_told_where_its_words_are_shown(chromium: Browser, tmp_path: Path) -> None:
    settings = house_in(tmp_path / "home")
    sample_judging(settings)
    with served(settings) as address:
        async with reader(chromium, address) as page:
            await page.goto(f"{address}{RUN}/answers/a1#c1")
            link = await page.locator("#c1 .passage a").first.get_attribute("href")
            assert link is not None
            capture = link.split("/sources/")[1].split("?")[0]
            damage(settings, capture)
            await page.goto(f"{address}{RUN}/answers/a1")
            await expect(page.get_by_role("alert").first).to_contain_text("do not re-verify")
            await expect(page.locator("#c1 [role=alert]")).to_contain_text("was changed")
            assert await faults_of(page) == []
            await page.goto(f"{address}{link}")
            await expect(page.get_by_role("alert")).to_contain_text("The capture is gone or was changed.")
            assert await page.locator("pre.source-text").count() == 0
            assert await faults_of(page) == []
