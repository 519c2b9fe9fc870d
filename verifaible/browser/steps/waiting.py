"""Waiting as a step: for an element, a text or an answer, rather than for a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from verifaible.browser.page_time import Patience, let_pass
from verifaible.browser.scripts import script
from verifaible.browser.steps.staging import Played, Stage, brief, plain
from verifaible.browser.steps.targets import PASSING, Unusable, find, missing, shown_frames, within
from verifaible.schema.action import Wait

if TYPE_CHECKING:
    from playwright.async_api import Page

VISIBLE_TIMEOUT_MS = 10_000


# --- wait


async def wait(stage: Stage, step: Wait) -> Played:
    """Wait a fixed time, or for an answer, an element and a text."""
    if not (step.selector or step.text or step.response):
        await let_pass(stage.page, step.ms, turns=0)
        await asyncio.sleep(step.ms / 1000)
        return Played(did=f"waited {step.ms} ms")
    patience = Patience(step.ms or VISIBLE_TIMEOUT_MS)
    done: list[str] = []
    element = ""
    if step.response:
        done.append(await _answered(stage, step.response, patience))
    if step.selector:
        target = await find(stage.page, step.selector, patience=patience, kind="wait")
        element = target.shown
        done.append("is visible")
    if step.text:
        done.append(await _shows(stage.page, step.text, patience))
    return Played(element=element, did="; ".join(done))


async def _answered(stage: Stage, part: str, patience: Patience) -> str:
    while (found := stage.happened.holding(part, stage.since)) is None:
        if not await within(patience.again(stage.page)):
            seen = list(dict.fromkeys(each.described() for each in stage.happened.answers[stage.since :]))
            raise Unusable(
                f"no answer came whose URL holds {part!r}"
                + ("" if seen else "; nothing was asked for since the step before"),
                seen[-8:],
            )
    return f"got {found.described()}"


async def _shows(page: Page, text: str, patience: Patience) -> str:
    """Wait until what a reader sees holds a text, white space and case aside."""
    from playwright.async_api import Error

    folded = plain(text)
    while True:
        for frame in await shown_frames(page):
            try:
                raw = await within(frame.evaluate(script("text"), {}))
            except Error as error:
                if any(sign in error.message for sign in PASSING):
                    continue
                raise
            if folded in plain(str(raw["text"])):
                return f"the page shows {brief(text)!r}"
        if not await within(patience.again(page)):
            near = await missing(page, "", text, "click")
            raise Unusable(f"the page does not show {text!r}", near.candidates)
