"""One person at one keyboard: who is asked by two pages at once is asked one thing after the other."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any, cast

import pytest

from verifaible.browser.page.session import ByKeyboard


class Page:
    """A page that stays open."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def wait_for_event(self, *_: object, **__: object) -> None:
        await asyncio.Event().wait()


async def test_each_enter_answers_one_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    helper = ByKeyboard()
    with os.fdopen(reading) as keyboard, os.fdopen(writing, "w") as person:
        monkeypatch.setattr(sys, "stdin", keyboard)
        asked = [asyncio.ensure_future(helper(cast(Any, Page(name)), "A check.")) for name in ("one", "two")]
        for place, (each, name) in enumerate(zip(asked, ("one", "two"), strict=True)):
            for _ in range(3):
                await asyncio.sleep(0)
            assert [line.partition(":")[0] for line in capsys.readouterr().err.splitlines()][::2] == [name]
            assert [one.done() for one in asked] == [place > 0, False]
            print(file=person, flush=True)
            await asyncio.wait_for(each, 60)
