"""The chat in a real Chromium: from a question to the sealed digits of a number, as it happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.viewers import PHONE, WIDE, faults_of, house_in, overflow, picture, reader, served
from tests.kit.marks import nightly
from tests.unit.viewer.chat_samples import HOSTILE, StandIn
from verifaible.config import Settings
from verifaible.store.store import Store


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(home=tmp_path_factory.mktemp("chat"))


@pytest.fixture(scope="module")
def serving(home: Settings) -> Iterator[tuple[str, StandIn]]:
    analyst = StandIn()
    analyst.store = Store.open(home)
    with served(home, answering=analyst) as found:
        yield found, analyst
    analyst.gate.set()
    analyst.store.close()


@pytest.fixture
def address(serving: tuple[str, StandIn]) -> Iterator[str]:
    serving[1].gate.set()
    yield serving[0]
    serving[1].gate.set()


@pytest.fixture
def analyst(serving: tuple[str, StandIn]) -> StandIn:
    return serving[1]


async def begun(page: Page, address: str) -> None:
    await page.goto(f"{address}/chat")
    await page.locator("main form:has(input[name=demo]) button").click()
    await page.wait_for_url("**/chat/2*")


async def asked(page: Page, words: str = "What is the price of BTC?") -> None:
    await page.locator("#prompt").fill(words)
    await page.locator("#prompt").press("Enter")
    await page.wait_for_url("**#turn-*")


def beside(page: Page) -> Locator:
    return page.locator("#beside")


@pytest.mark.parametrize(("scheme", "window"), [nightly("light", WIDE), ("dark", PHONE)])
async def test_from_a_question_to_the_sealed_digits(
    chromium: Browser, address: str, scheme: str, window: Any
) -> None:
    async with reader(chromium, address, viewport=window, color_scheme=scheme) as page:

        async def looked_at(name: str) -> None:
            assert await overflow(page) <= 0, name
            assert await faults_of(page) == [], name
            await picture(page, f"chat-{name}-{scheme}-{window['width']}")

        await begun(page, address)
        await looked_at("new")
        await asked(page)
        await expect(page.locator("#turn-1[data-state=answered]")).to_be_visible()
        await looked_at("answered")
        number = page.locator("a.figure.resolved", has_text="64250.12").first
        await number.click()
        mark = beside(page).locator("mark#evidence")
        await expect(mark).to_have_text("64250.12")
        await expect(beside(page)).to_contain_text("/bitcoin/usd")
        await expect(beside(page).locator(".badge.verified").last).to_be_visible()
        await expect(number).to_have_attribute("aria-current", "true")
        await looked_at("evidence")
        if window == PHONE:
            await page.keyboard.press("Escape")
            await expect(page.locator("#beside.open")).to_have_count(0)
            await expect(number).to_be_focused()
        await page.goto(f"{address}/chat")
        await looked_at("list")


async def test_each_number_leads_to_what_it_rests_on_and_one_without_evidence_is_told_without_colour(
    chromium: Browser, address: str
) -> None:
    async with reader(chromium, address) as page:
        await begun(page, address)
        await asked(page)
        assert await page.locator("a.figure.none").all_text_contents() == ["99999∅ (no evidence)"]
        assert await page.locator("a.figure.wrong").all_text_contents() == [
            "63500≠ (the data say something else)"
        ]
        await page.locator("a.figure.none").click()
        await expect(beside(page)).to_contain_text("No mark stands behind it.")
        await page.locator("a.figure.wrong").click()
        await expect(beside(page).locator("mark")).to_have_text("63500.25")
        # a computed value: to each of its inputs
        await page.locator("a.figure", has_text="63583.62").click()
        side = beside(page)
        await expect(side).to_contain_text("mean")
        await expect(side.locator(".badge.verified").last).to_contain_text("Computed again")
        await expect(side.locator(".values li")).to_have_text(["63000.5", "63500.25", "64250.12"])
        await side.locator(".values a").nth(1).click()
        await expect(side.locator("mark#evidence")).to_have_text("63500.25")
        await side.get_by_role("link", name="The whole source").click()
        await expect(page.locator("mark#evidence")).to_have_text("63500.25")
        await page.go_back()
        await expect(page.locator("#turn-1")).to_be_visible()
        # a link of its own
        await page.locator("a.figure.resolved").first.click()
        await expect(side.locator("mark#evidence")).to_have_text("64250.12")
        linked = await side.get_by_role("link", name="Link to this evidence").get_attribute("href")
        await page.goto(f"{address}{linked}")
        await expect(side.locator("mark#evidence")).to_have_text("64250.12")


async def test_an_answer_is_seen_as_it_happens_and_after_a_reload(
    chromium: Browser, address: str, analyst: StandIn
) -> None:
    analyst.gate.clear()
    async with reader(chromium, address) as page:
        await begun(page, address)
        await asked(page)
        turn = page.locator("#turn-1")
        await expect(turn).to_have_attribute("aria-busy", "true")
        await expect(turn.locator(".call")).to_have_count(2)
        await expect(turn.locator(".call.wrong")).to_contain_text("rate_limited")
        await expect(turn.locator(".writing")).to_have_text("Bitcoin trades at 64250.12 <b>bold</b>")
        await page.reload()
        await expect(turn.locator(".call")).to_have_count(2)
        await expect(turn.locator(".writing")).to_have_text("Bitcoin trades at 64250.12 <b>bold</b>")
        other = await page.context.new_page()
        await other.goto(page.url)
        analyst.gate.set()
        for each in (page, other):
            await expect(each.locator("#turn-1[data-state=answered] a.figure.resolved").first).to_be_visible()
            assert await each.locator("article.turn").count() == 1


async def test_stop_and_try_again(chromium: Browser, address: str, analyst: StandIn) -> None:
    analyst.gate.clear()
    async with reader(chromium, address) as page:
        await begun(page, address)
        await asked(page)
        await page.locator("#turn-1 form[action$='/stop'] button").click()
        turn = page.locator("#turn-1[data-state=ended]")
        await expect(turn).to_contain_text("Stopped.")
        analyst.gate.set()
        await turn.locator("form[action$='/retry'] button").click()
        await expect(page.locator("#turn-1[data-state=answered]")).to_be_visible()
        assert await page.locator("article.turn").count() == 1


async def test_what_is_hostile_is_shown_and_does_nothing(
    chromium: Browser, address: str, analyst: StandIn
) -> None:
    answer, analyst.answer = analyst.answer, HOSTILE
    try:
        async with reader(chromium, address) as page:  # which allows no dialog and no foreign request
            await begun(page, address)
            await asked(page, HOSTILE)
            await expect(page.locator("#turn-1[data-state=answered] .answer")).to_contain_text(
                "<script>alert(1)"
            )
            assert await page.locator("main script, main img:not(.display img)").count() == 0
            assert await page.locator("main a[href^='javascript']").count() == 0
            assert "\u202e" not in await page.locator("main").inner_text()
            source = await page.locator(".display img").get_attribute("src")
            assert source is not None and source.endswith(".png")
    finally:
        analyst.answer = answer


@pytest.mark.nightly
async def test_a_conversation_is_deleted_only_when_that_is_confirmed(chromium: Browser, address: str) -> None:
    async with reader(chromium, address, forgiven="404") as page:
        await begun(page, address)
        await asked(page)
        where = page.url
        await page.goto(f"{address}/chat")
        count = await page.locator("li.card").count()
        await page.locator("li.card a[href$='/delete']").first.click()
        await page.locator("a.button").click()
        await page.goto(where)
        await page.locator("a[href$='/delete']").click()
        await page.locator("main form button").click()
        await expect(page.locator("li.card")).to_have_count(count - 1)
        answer = await page.goto(where)
        assert answer is not None
        assert answer.status == 404


async def test_it_can_be_asked_and_read_without_scripts(
    chromium: Browser, address: str, analyst: StandIn
) -> None:
    async with reader(chromium, address, java_script_enabled=False) as page:
        await begun(page, address)
        analyst.gate.clear()
        await page.locator("#prompt").fill("What is the price of BTC?")
        await page.locator("form.ask button").click()
        await expect(page.locator("#turn-1[data-state=running] .call").first).to_be_visible()
        analyst.gate.set()
        while not await page.locator("#turn-1[data-state=answered]").count():
            await page.locator("#turn-1 .unscripted a").click()
        await page.locator("a.figure.resolved").first.click()
        await expect(beside(page).locator("mark#evidence")).to_have_text("64250.12")


@pytest.mark.nightly
async def test_the_demo_answers_from_recorded_data(chromium: Browser, tmp_path: Path) -> None:
    with served(house_in(tmp_path)) as address:
        async with reader(chromium, address) as page:
            await begun(page, address)
            await page.locator("form.try button").first.click()
            turn = page.locator("#turn-1[data-state=answered]")
            await expect(turn).to_be_visible(timeout=60_000)
            chart = turn.locator(".display img").first
            await chart.scroll_into_view_if_needed()
            await expect(chart).to_have_js_property("complete", True)
            assert await chart.evaluate("picture => picture.naturalWidth") > 0
            assert await faults_of(page) == []
            numbers = turn.locator("a.figure.resolved")
            assert await numbers.count() > 3
            await numbers.last.click()
            await expect(beside(page).locator("h2").first).to_have_text(await numbers.last.inner_text())
            await expect(beside(page).locator(".badge.held.verified")).to_be_visible()
            for (
                number
            ) in await numbers.all():  # the others as the server has them: to draw them takes seconds
                shown = await page.request.get(f"{address}{await number.get_attribute('href')}")
                found = BeautifulSoup(await shown.text(), "lxml")
                assert found.h1 is not None and found.h1.get_text(strip=True) == await number.inner_text()
                assert found.select_one(".badge.held.verified") is not None
