"""Running browsers in turn: who gets a page, who is left out and comes back, who is let go. Browsers are stood in for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from tests.idle_time import idle_time
from verifaible.browser import fleet
from verifaible.browser.fleet import Fleet
from verifaible.errors import ConfigError, InfrastructureError


class Chromium:
    """A browser that refuses, hangs or closes as it is told."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.own_version = "156"
        self.version = ""
        self.refuses = self.hangs = self.closed = False
        self.starts = 0

    async def start(self) -> None:
        self.starts += 1
        if self.refuses:
            raise ConfigError(f"nobody at {self.address}")
        self.version = self.own_version

    async def answers(self, within_s: float) -> bool:
        if self.hangs:
            await asyncio.sleep(within_s)
        return not (self.hangs or self.refuses)

    async def close(self) -> None:
        self.closed = True


async def until(so: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not so():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


class Rack:
    """Browsers a, b and c, and the list that names them."""

    def __init__(self) -> None:
        self.browsers: dict[str, Chromium] = {}
        self.listed: Sequence[str] | Exception = ("http://a", "http://b", "http://c")
        self.setting: Callable[[Chromium], None] = lambda _: None
        self.fleet = Fleet(self.read, self.opened)

    async def read(self) -> Sequence[str]:
        if isinstance(self.listed, Exception):
            raise self.listed
        return self.listed

    def opened(self, address: str) -> Chromium:
        self.browsers[address[-1]] = made = Chromium(address)
        self.setting(made)
        return made

    async def pages(self, number: int) -> str:
        """The browsers that so many pages in a row are given."""
        given = []
        for _ in range(number):
            async with self.fleet.one() as browser:
                given.append(browser.address[-1])
        return "".join(given)

    async def settled(self) -> None:
        async with self.fleet.one():
            pass
        await until(lambda: all(each.answering for each in self.fleet._members.values()))


@pytest_asyncio.fixture
async def rack(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rack]:
    """A rack on which nobody waits."""
    idle_time(monkeypatch, fleet)
    times = {"READ_AGAIN_S": 0.02, "HEARD_S": 0.0, "ANSWER_S": 0.05, "FIRST_PAUSE_S": 0.02}
    for name, value in {**times, "LONGEST_PAUSE_S": 0.1, "WAIT_S": 0.5, "FIRST_WAIT_S": 0.2}.items():
        monkeypatch.setattr(fleet, name, value)
    made = Rack()
    yield made
    await made.fleet.close()
    assert all(each.closed for each in made.browsers.values())


async def test_pages_go_round(rack: Rack) -> None:
    await rack.settled()
    given = await rack.pages(9)
    assert sorted(given[:3]) == ["a", "b", "c"]
    assert given == given[:3] * 3


@pytest.mark.parametrize("fault", ["refuses", "hangs"])
async def test_one_that_does_not_answer_is_left_out_until_it_does(rack: Rack, fault: str) -> None:
    await rack.settled()
    setattr(rack.browsers["b"], fault, True)
    assert set(await rack.pages(6)) == {"a", "c"}
    starts = rack.browsers["b"].starts
    await asyncio.sleep(0.4)
    assert 1 <= rack.browsers["b"].starts - starts <= 6, "asked again, at growing intervals"
    setattr(rack.browsers["b"], fault, False)
    await asyncio.sleep(0.2)
    assert set(await rack.pages(6)) == {"a", "b", "c"}


async def test_one_that_dies_under_a_page_gets_no_other(rack: Rack) -> None:
    await rack.settled()
    with pytest.raises(InfrastructureError):
        async with rack.fleet.one() as browser:
            browser.refuses = True
            raise InfrastructureError("The browser died.")
    assert browser.address[-1] not in await rack.pages(6)


async def test_a_failure_that_is_not_the_browsers_costs_it_nothing(rack: Rack) -> None:
    await rack.settled()
    for _ in range(3):
        with pytest.raises(InfrastructureError):
            async with rack.fleet.one():
                raise InfrastructureError("The disk is full.")
    await rack.settled()
    assert set(await rack.pages(6)) == {"a", "b", "c"}


async def test_one_that_is_not_listed_any_more_keeps_its_pages_and_gets_no_other(rack: Rack) -> None:
    await rack.settled()
    async with AsyncExitStack() as pages:
        used = [await pages.enter_async_context(rack.fleet.one()) for _ in range(6)]
        assert {each.address[-1] for each in used} == {"a", "b", "c"}
        rack.listed = ("http://a", "http://c")
        await asyncio.sleep(0.05)
        assert set(await rack.pages(6)) == {"a", "c"}
        assert not rack.browsers["b"].closed
    await until(lambda: rack.browsers["b"].closed)
    assert not rack.browsers["a"].closed
    left = rack.browsers["b"]
    rack.listed = ("http://a", "http://b", "http://c")
    await asyncio.sleep(0.05)
    await rack.settled()
    assert "b" in await rack.pages(6)
    assert rack.browsers["b"] is not left


async def test_one_that_stays_after_all_is_used_again(rack: Rack) -> None:
    await rack.settled()
    async with AsyncExitStack() as pages:
        for _ in range(3):
            await pages.enter_async_context(rack.fleet.one())
        rack.listed = ("http://a",)
        await asyncio.sleep(0.05)
        assert await rack.pages(3) == "aaa"
        rack.listed = ("http://a", "http://b")
        await asyncio.sleep(0.05)
        assert set(await rack.pages(4)) == {"a", "b"}
    assert rack.browsers["b"].starts == 1


async def test_a_list_that_cannot_be_read_any_more_changes_nothing(rack: Rack) -> None:
    await rack.settled()
    rack.listed = ConfigError("no such file")
    await asyncio.sleep(0.05)
    assert set(await rack.pages(6)) == {"a", "b", "c"}


async def test_what_never_worked_is_a_setting_to_correct(rack: Rack) -> None:
    rack.setting = lambda browser: setattr(browser, "refuses", True)
    with pytest.raises(ConfigError, match="nobody at"):
        await rack.pages(1)
    rack.listed = ()
    await asyncio.sleep(0.05)
    with pytest.raises(ConfigError, match="none is listed"):
        await rack.pages(1)


async def test_the_first_page_waits_a_moment_for_a_browser_that_is_being_started(rack: Rack) -> None:
    rack.setting = lambda browser: setattr(browser, "refuses", True)
    waiting = asyncio.create_task(rack.pages(1))
    await asyncio.sleep(0.1)
    rack.browsers["c"].refuses = False
    assert await waiting == "c"


async def test_one_that_works_is_enough_to_begin(rack: Rack) -> None:
    rack.setting = lambda browser: setattr(browser, "refuses", browser.address != "http://c")
    assert await rack.pages(3) == "ccc"


async def test_when_none_answers_any_more_a_page_waits_and_then_says_so(rack: Rack) -> None:
    await rack.settled()
    for each in rack.browsers.values():
        each.refuses = True
    waiting = asyncio.create_task(rack.pages(1))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    rack.browsers["b"].refuses = False
    assert await waiting == "b"
    rack.browsers["b"].refuses = True
    with pytest.raises(InfrastructureError, match=r"http://a: nobody at http://a"):
        await rack.pages(1)


async def test_one_of_another_version_waits_until_the_others_are_gone(rack: Rack) -> None:
    await rack.settled()
    rack.setting = lambda browser: setattr(browser, "own_version", "157")
    rack.listed = ("http://a", "http://d")
    await asyncio.sleep(0.05)
    assert set(await rack.pages(6)) == {"a"}
    assert rack.fleet.version == "156"
    rack.listed = ("http://d",)
    await asyncio.sleep(0.05)
    assert await rack.pages(2) == "dd"
    assert rack.fleet.version == "157"
