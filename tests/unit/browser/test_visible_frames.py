"""A frame that leaves the page while it is read is no part of it; any other failure stays one."""

from __future__ import annotations

from typing import Any, cast

import pytest

from verifaible.browser import driver, reading
from verifaible.browser.page.session import PageSession


class Frame:
    def __init__(self, *children: Frame, gone: bool = False, fails: bool = False) -> None:
        self.child_frames, self._gone, self._fails = list(children), gone, fails

    def is_detached(self) -> bool:
        return self._gone

    async def frame_element(self) -> object:
        if self._gone or self._fails:
            raise driver.Error("Frame.frame_element: Frame has been detached.")
        return object()


class Session:
    def __init__(self, main: Frame) -> None:
        self.page = self
        self.main_frame = main

    async def evaluate(self, *_: object, **__: object) -> dict[str, Any]:
        return {"shown": True, "id": ""}


async def paths(*children: Frame) -> list[tuple[str, ...]]:
    found = await reading.visible_frames(cast(PageSession, Session(Frame(*children))))
    return [path for path, _ in found]


async def test_a_frame_that_has_just_gone_is_left_out() -> None:
    assert await paths(Frame(gone=True), Frame(Frame(gone=True))) == [(), (":frame(1)",)]


async def test_another_failure_is_not_hidden() -> None:
    with pytest.raises(driver.Error):
        await paths(Frame(fails=True))
