"""A frame that leaves the page while it is read is no part of it; any other failure stays one."""

from __future__ import annotations

from typing import Any, cast

import pytest

from verifaible.browser import driver, reading
from verifaible.browser.page.session import PageSession


class Frame:
    url = "https://example.com/"

    def __init__(
        self, *children: Frame, gone: bool = False, fails: bool = False, leaves_when_read: bool = False
    ) -> None:
        self.child_frames, self._gone, self._fails = list(children), gone, fails
        self._leaves_when_read = leaves_when_read

    def is_detached(self) -> bool:
        return self._gone

    async def frame_element(self) -> object:
        if self._gone or self._fails:
            raise driver.Error("Frame.frame_element: Frame has been detached.")
        return object()

    def read(self) -> dict[str, Any]:
        self._gone = self._gone or self._leaves_when_read
        if self._gone or self._fails:
            raise driver.Error("Frame.evaluate: Frame was detached")
        return {"text": "words", "ruby": False, "language": "", "cased": []}


class Session:
    def __init__(self, main: Frame) -> None:
        self.page = self
        self.main_frame = main

    async def evaluate(self, name: str, _: object, *, frame: Frame) -> dict[str, Any]:
        return {"shown": True, "id": ""} if name == "frame" else frame.read()


async def paths(*children: Frame) -> list[tuple[str, ...]]:
    found = await reading.visible_frames(cast(PageSession, Session(Frame(*children))))
    return [path for path, _ in found]


async def test_a_frame_that_has_just_gone_is_left_out() -> None:
    assert await paths(Frame(gone=True), Frame(Frame(gone=True))) == [(), (":frame(1)",)]


async def test_another_failure_is_not_hidden() -> None:
    with pytest.raises(driver.Error):
        await paths(Frame(fails=True))


async def test_a_frame_that_goes_while_it_is_read_is_left_out() -> None:
    main = Frame(Frame(leaves_when_read=True), Frame())
    page = await reading.page_text(cast(PageSession, Session(main)))
    assert [frame.path for frame in page.frames] == [(), (":frame(1)",)]


async def test_a_page_that_cannot_be_read_fails() -> None:
    with pytest.raises(driver.Error):
        await reading.page_text(cast(PageSession, Session(Frame(leaves_when_read=True, fails=True))))
