"""Playing one action step on a page."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

from verifaible.browser import driver
from verifaible.browser.page_time import Patience, let_pass
from verifaible.browser.scripts import script
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.steps.executing import ScriptEndless, ScriptFailed, execute, first_line
from verifaible.browser.steps.staging import Played, Stage, brief, plain, told
from verifaible.browser.steps.targets import (
    LOOK_TIMEOUT_S,
    Unusable,
    find,
    missing,
    similar,
    within,
)
from verifaible.errors import PageError, PageNotLoaded, StepFailed
from verifaible.extract.page import page_document
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
    except PageNotLoaded:
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
        with suppress(PageError):  # it may be on its way elsewhere
            shown = page_document(await take_snapshot(page, seconds=LOOK_TIMEOUT_S))
            if folded in plain(shown.text):
                return f"the page shows {brief(text)!r}"
        if not await within(patience.again(page)):
            near = await missing(page, "", text, "click")
            raise Unusable(f"the page does not show {text!r}", near.candidates)


#: A <select> that is not to be seen after this long is used as it is.
HIDDEN_AFTER_MS = 1_000
#: Fields into which words are typed; the others take one form only.
_KEYED = frozenset(
    {"text", "search", "tel", "url", "email", "password", "number", "textarea", "div", "span", "p"}
)
_FORMS = "a date is written 2025-02-11, a month 2025-02, a time 09:30, a colour #aabbcc"
_OPTIONS = 20


async def type_text(stage: Stage, step: Type) -> Played:
    """Type text into a field, and press Enter where that is asked for."""
    timeout_ms = stage.limit_ms
    target = await stage.find(step.selector, "", "type")
    field = target.locator
    before = await _held(field, timeout_ms)
    if before["type"] == "select":
        raise Unusable(f"{target.shown} is a list of options: use a select step")
    if before["type"] in ("checkbox", "radio"):
        raise Unusable(f"{target.shown} is a {before['type']}: use a click step")
    if before["editable"] is False and before["type"]:
        raise Unusable(
            f"{target.shown} is no field but a <{before['type']}>: name the input in it",
            await similar(stage.page, step.selector, "", "type"),
        )
    if before["readonly"]:
        # Some fields are read-only until they are entered, against automatic filling.
        await stage.use(target, field.focus(timeout=timeout_ms))
    await stage.use(target, _filled(field, step.value, timeout_ms))
    now = await _held(field, timeout_ms)
    if step.value and now["value"] in ("", before["value"]) and now["value"] != step.value:
        if now["type"] not in _KEYED:
            raise Unusable(f"{target.shown} does not take {brief(step.value)!r}: {_FORMS}")
        # A mask that only heeds keys has thrown away what was put in at once.
        await stage.use(target, _keyed(field, step.value, timeout_ms))
        now = await _held(field, timeout_ms)
    if step.submit:
        await stage.use(target, field.press("Enter", timeout=timeout_ms))
    holds = (
        ""
        if str(now["value"] or "").strip() == step.value.strip()
        else f"; the field now holds {brief(now['value'])!r}"
    )
    return Played(element=target.shown, did=f"typed{' and pressed Enter' if step.submit else ''}{holds}")


async def _held(field: driver.Locator, timeout_ms: float) -> dict[str, Any]:
    """What a field holds; nothing known where the page has gone on."""
    try:
        held: dict[str, Any] = await told(field, "shown_value", timeout_ms)
    except driver.Error:
        return {"value": None, "type": "", "readonly": False, "editable": False}
    return held


async def _filled(field: driver.Locator, value: str, timeout_ms: float) -> None:
    try:
        await field.fill(value, timeout=timeout_ms)
    except driver.TimeoutError:
        raise
    except driver.Error as error:
        if "Malformed value" in error.message:
            raise Unusable(f"the field does not take {brief(value)!r}: {_FORMS}") from None
        raise Unusable(f"{first_line(error.message)}") from None


async def _keyed(field: driver.Locator, value: str, timeout_ms: float) -> None:
    await field.press("ControlOrMeta+a", timeout=timeout_ms)
    await field.press("Delete", timeout=timeout_ms)
    await field.press_sequentially(value, timeout=timeout_ms)


async def select(stage: Stage, step: Select) -> Played:
    """Choose options of a list."""
    timeout_ms = stage.limit_ms
    # A menu of the page's own often stands over a hidden list, which still is what the page reads.
    shown_ms = min(HIDDEN_AFTER_MS, stage.patience_ms)
    try:
        target = await stage.find(step.selector, "", "select", shown_ms)
    except Unusable as unusable:
        if unusable.several:
            raise
        left_ms = stage.patience_ms - shown_ms
        target = await stage.find(step.selector, "", "select", left_ms, visible=False)
    raw = await told(target.locator, "options", timeout_ms)
    if raw is None:
        raise Unusable(
            f"{target.shown} ({step.selector!r}) is not a <select>; use click or exec_js for a menu of its "
            "own making"
        )
    options: list[dict[str, Any]] = raw["options"]
    if len(step.wanted) > 1 and not raw["multiple"]:
        raise Unusable(f"{target.shown} takes one option only, and {len(step.wanted)} are given")
    chosen = [_option(options, wanted) for wanted in step.wanted]
    hidden = "(not visible)" in target.shown
    work = target.locator.select_option(index=chosen, timeout=timeout_ms, force=hidden)
    await stage.use(target, work)
    labels = ", ".join(repr(options[index]["label"] or options[index]["value"]) for index in chosen)
    return Played(element=target.shown, did=f"chose {labels}")


def _option(options: list[dict[str, Any]], wanted: str) -> int:
    """The index of the option with that value, that label, or else the only one that reads alike."""
    for name in ("value", "label"):
        for index, option in enumerate(options):
            if option[name] == wanted:
                return _enabled(options, index)
    folded = plain(wanted)
    same = [index for index, option in enumerate(options) if folded == plain(option["label"])]
    part = [index for index, option in enumerate(options) if folded and folded in plain(option["label"])]
    for found in (same, part):
        if len(found) == 1:
            return _enabled(options, found[0])
    known = ", ".join(repr(option["label"] or option["value"]) for option in options[:_OPTIONS])
    more = f" and {len(options) - _OPTIONS} more" if len(options) > _OPTIONS else ""
    what = "several options read like" if same or part else "no option"
    raise Unusable(f"{what} {wanted!r}; the options are {known}{more}")


def _enabled(options: list[dict[str, Any]], index: int) -> int:
    if options[index]["disabled"]:
        raise Unusable(f"the option {options[index]['label']!r} is disabled")
    return index
