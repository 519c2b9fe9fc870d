"""Playing one action step on a page."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from verifaible.browser import driver
from verifaible.browser.page_time import Patience, let_pass
from verifaible.browser.scripts import script
from verifaible.browser.steps.executing import ScriptEndless, ScriptFailed, execute, first_line
from verifaible.browser.steps.filling import select, type_text
from verifaible.browser.steps.staging import Played, Stage, brief, plain
from verifaible.browser.steps.targets import PASSING, Hung, Unusable, find, missing, shown_frames, within
from verifaible.errors import StepFailed
from verifaible.schema.action import ActionStep, Click, ExecJs, Hover, Scroll, Select, Type, Wait

#: An element that is not there after this long will not come; a model should not wait half a minute.
ELEMENT_TIMEOUT_MS = 5_000
EXEC_TIMEOUT_S = 15.0
#: What is waited for, where the step says no time.
VISIBLE_TIMEOUT_MS = 10_000


async def play_step(stage: Stage, step: ActionStep, index: int) -> Played:
    """Play one step; waiting for the page to settle is the caller's.

    Args:
        stage: where.
        step: what to do.
        index: position of the step, counted from 1, for the error.

    Raises:
        StepFailed: with the reason, what there is instead, and what to do next.
    """
    try:
        return await _play(replace(stage, patience_ms=ELEMENT_TIMEOUT_MS), step)
    except Unusable as unusable:
        raise StepFailed(index, step.type, _listed(unusable), hung=unusable.late) from None
    except Hung:
        reason = "the page does not answer: a script on it runs without end. The page was thrown away."
        raise StepFailed(index, step.type, reason, hung=True) from None
    except ScriptEndless as endless:
        raise StepFailed(index, step.type, f"{endless}.", hung=True) from None
    except driver.Error as error:
        raise StepFailed(index, step.type, f"{first_line(error.message)}.") from None
    except ScriptFailed as failed:
        raise StepFailed(index, step.type, f"{failed}.") from None


def _listed(unusable: Unusable) -> str:
    if not unusable.candidates:
        return f"{unusable.reason}."
    return "\n".join(
        [f"{unusable.reason}. On the page are:", *(f"- {one}" for one in unusable.candidates), ""]
    )


async def _play(stage: Stage, step: ActionStep) -> Played:
    if isinstance(step, ExecJs):
        return Played(await stage.awaited(execute(stage.page, step.code, EXEC_TIMEOUT_S, stage.idle)))
    if isinstance(step, Click | Hover):
        return await _point(stage, step)
    if isinstance(step, Type):
        return await type_text(stage, step)
    if isinstance(step, Select):
        return await select(stage, step)
    if isinstance(step, Scroll):
        return await _scroll(stage, step)
    return await _wait(stage, step)


async def _point(stage: Stage, step: Click | Hover) -> Played:
    if isinstance(step, Hover):
        target = await stage.find(step.selector, "", "hover")
        await stage.use(target, target.locator.hover(timeout=stage.limit_ms))
        return Played(element=target.shown, did="the pointer is over it")
    if not step.selector and not step.elementText:
        raise Unusable("neither selector nor elementText is given: name what to click")
    target = await stage.find(step.selector, step.elementText, "click")
    await stage.use(target, target.locator.click(timeout=stage.limit_ms))
    return Played(element=target.shown, did="clicked")


async def _scroll(stage: Stage, step: Scroll) -> Played:
    by = {"down": step.amount, "up": -step.amount}.get(step.direction)
    argument: dict[str, Any] = {
        "element": None,
        "by": by or 0,
        "end": "" if by is not None else step.direction,
    }
    frame, shown = stage.page.main_frame, ""
    if step.selector:
        try:
            patience = Patience(stage.patience_ms)
            target = await find(stage.page, step.selector, patience=patience, kind="scroll", visible=False)
        except Unusable as unusable:
            raise Unusable(f"no element matches {step.selector!r}", unusable.candidates) from None
        frame, shown = target.frame, target.shown
        argument["element"] = await target.locator.element_handle(timeout=stage.limit_ms)
    raw = await within(frame.evaluate(script("scroll"), argument))
    if raw["from"] != raw["to"]:
        return Played(element=shown, did=f"scrolled from {raw['from']} to {raw['to']} of {raw['most']} px")
    why = "nothing in it scrolls" if not raw["most"] else f"it is at {raw['to']} of {raw['most']} px"
    return Played(element=shown, did=f"did not move: {why}")


async def _wait(stage: Stage, step: Wait) -> Played:
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
    while (found := stage.session.happened.holding(part, stage.since)) is None:
        if not await within(patience.again(stage.page)):
            seen = list(
                dict.fromkeys(each.described() for each in stage.session.happened.answers[stage.since :])
            )
            raise Unusable(
                f"no answer came whose URL holds {part!r}"
                + ("" if seen else "; nothing was asked for since the step before"),
                seen[-8:],
            )
    return f"got {found.described()}"


async def _shows(page: driver.Page, text: str, patience: Patience) -> str:
    """Wait until what a reader sees holds a text, white space and case aside."""
    folded = plain(text)
    while True:
        for frame in await shown_frames(page):
            try:
                raw = await within(frame.evaluate(script("text"), {}))
            except driver.Error as error:
                if any(sign in error.message for sign in PASSING):
                    continue
                raise
            if folded in plain(str(raw["text"])):
                return f"the page shows {brief(text)!r}"
        if not await within(patience.again(page)):
            near = await missing(page, "", text, "click")
            raise Unusable(f"the page does not show {text!r}", near.candidates)
