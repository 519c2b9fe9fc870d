"""Playing action steps on a page."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from verifaible.browser.scripts import script
from verifaible.errors import StepFailed
from verifaible.schema.action import ActionStep, Click, ExecJs, Scroll, Select, Type, Wait

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

#: An element that is not there after this long will not come; a model should not wait half a minute.
ELEMENT_TIMEOUT_MS = 5_000
EXEC_TIMEOUT_S = 15.0
VISIBLE_TIMEOUT_MS = 10_000
#: What Chromium says when a script took its own page away; its value goes with the page.
_NAVIGATED = ("navigated or closed", "context was destroyed", "Cannot find context", "Promise was collected")
#: Objects that JSON would show as something else than they are.
_NOT_JSON = frozenset(
    {"node", "error", "regexp", "date", "proxy", "map", "set", "weakmap", "weakset", "iterator", "generator"}
)


async def play(page: Page, step: ActionStep, index: int) -> str:
    """Play one step; waiting for the page to settle is the caller's.

    Args:
        page: the page as the steps before left it.
        step: what to do.
        index: position of the step, counted from 1, for the error.

    Returns:
        The JSON text of what ``exec_js`` returned; an empty string for the other steps.

    Raises:
        StepFailed: with the reason, and what to do next.
    """
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as PlaywrightTimeout

    try:
        return await _play(page, step)
    except PlaywrightTimeout:
        raise StepFailed(index, step.type, await _why_not(page, step)) from None
    except TimeoutError:
        raise StepFailed(index, step.type, f"it did not finish within {EXEC_TIMEOUT_S:.0f} s.") from None
    except Error as error:
        raise StepFailed(index, step.type, f"{_first_line(error.message)}.") from None
    except _ScriptError as error:
        raise StepFailed(index, step.type, f"{error}.") from None


async def _play(page: Page, step: ActionStep) -> str:
    if isinstance(step, ExecJs):
        return await _exec(page, step.code)
    if isinstance(step, Click):
        await _element(page, step.selector, step.elementText).click(timeout=ELEMENT_TIMEOUT_MS)
    elif isinstance(step, Type):
        field = page.locator(step.selector).first
        await field.fill(step.value, timeout=ELEMENT_TIMEOUT_MS)
        if step.submit:
            await field.press("Enter", timeout=ELEMENT_TIMEOUT_MS)
    elif isinstance(step, Select):
        await _select(page, step)
    elif isinstance(step, Scroll):
        await _scroll(page, step)
    elif isinstance(step, Wait):
        if step.selector:
            await page.locator(step.selector).first.wait_for(
                state="visible", timeout=step.ms or VISIBLE_TIMEOUT_MS
            )
        else:
            await page.wait_for_timeout(step.ms)
    return ""


def _element(page: Page, selector: str, text: str) -> Locator:
    """The first visible element that the selector and the text both allow."""
    if selector and text:
        found = page.locator(selector).filter(has_text=text)
    elif selector:
        found = page.locator(selector)
    else:
        found = page.get_by_text(text, exact=True).or_(page.get_by_role("button", name=text))
    return found.filter(visible=True).first


async def _select(page: Page, step: Select) -> None:
    field = page.locator(step.selector).first
    await field.wait_for(state="attached", timeout=ELEMENT_TIMEOUT_MS)
    options: list[dict[str, str]] | None = await page.evaluate(script("options"), {"selector": step.selector})
    if options is None:
        raise _ScriptError(
            f"{step.selector!r} is not a <select>; use click or exec_js for a menu of its own making"
        )
    for name in ("value", "label"):
        for index, option in enumerate(options):
            if option[name] == step.value:
                await field.select_option(index=index, timeout=ELEMENT_TIMEOUT_MS)
                return
    known = ", ".join(repr(option["label"] or option["value"]) for option in options[:20])
    raise _ScriptError(f"no option {step.value!r}; the options are {known}")


async def _scroll(page: Page, step: Scroll) -> None:
    by = {"down": step.amount, "up": -step.amount}.get(step.direction)
    found = await page.evaluate(
        script("scroll"),
        {"selector": step.selector, "by": by or 0, "end": "" if by is not None else step.direction},
    )
    if not found:
        raise _ScriptError(f"no element matches {step.selector!r}")


class _ScriptError(Exception):
    """Why a step could not be played, in one line."""


async def _exec(page: Page, code: str) -> str:
    """Evaluate as a console would: an expression or statements, top-level await, no CSP in the way."""
    from playwright.async_api import Error

    session = await page.context.new_cdp_session(page)
    try:
        answer = await _evaluate(session, code)
        if "exceptionDetails" in answer and "Illegal return" in json.dumps(answer["exceptionDetails"]):
            answer = await _evaluate(session, f"await (async () => {{ {code}\n }})()")
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            thrown = details.get("exception", {})
            what = str(thrown.get("description") or thrown.get("value") or details.get("text"))
            raise _ScriptError(f"the script threw {_first_line(what)}")
        result = answer["result"]
        if "value" in result:
            return json.dumps(result["value"], ensure_ascii=False)
        if result["type"] == "undefined":
            return ""
        return json.dumps(
            result.get("unserializableValue") or result.get("description", ""), ensure_ascii=False
        )
    except Error as error:
        if any(sign in error.message for sign in _NAVIGATED):
            return ""
        raise
    finally:
        with suppress(Error):
            await session.detach()


async def _evaluate(session: Any, code: str) -> dict[str, Any]:
    deadline = monotonic() + EXEC_TIMEOUT_S
    parameters = {
        "expression": code,
        "replMode": True,
        "awaitPromise": True,
        "userGesture": True,
        "timeout": EXEC_TIMEOUT_S * 1000,
    }
    answer = await _sent(session, "Runtime.evaluate", parameters, deadline)
    result = answer["result"]
    if "exceptionDetails" not in answer and result.get("subtype") == "promise":
        # In this mode a promise that is the final value is not awaited by the call itself.
        promise = {"promiseObjectId": result["objectId"]}
        answer = await _sent(session, "Runtime.awaitPromise", promise, deadline)
        result = answer["result"]
    if "exceptionDetails" in answer or "objectId" not in result or result["type"] in ("function", "symbol"):
        return answer
    if result.get("subtype") in _NOT_JSON:
        return answer
    # By value only now: asked for at once, a DOM node or a cycle would make the whole call fail.
    by_value = {
        "objectId": result["objectId"],
        "functionDeclaration": "function() { return JSON.stringify(this) }",
        "returnByValue": True,
    }
    whole = await _sent(session, "Runtime.callFunctionOn", by_value, deadline)
    if "exceptionDetails" not in whole and isinstance(whole["result"].get("value"), str):
        return {"result": {"type": "object", "value": json.loads(whole["result"]["value"])}}
    return answer


async def _sent(session: Any, method: str, parameters: dict[str, Any], deadline: float) -> dict[str, Any]:
    """A protocol call, given up at the deadline."""
    from playwright.async_api import Error

    try:
        answer: dict[str, Any] = await asyncio.wait_for(
            session.send(method, parameters), max(0.0, deadline - monotonic()) + 1
        )
    except Error:
        # Chromium calls a script that it stopped at its time limit an internal error.
        if monotonic() >= deadline:
            raise TimeoutError from None
        raise
    return answer


async def _why_not(page: Page, step: ActionStep) -> str:
    """Why an element could not be used: not there, not visible, or covered."""
    selector = getattr(step, "selector", "")
    text = getattr(step, "elementText", "")
    wanted = " with the text ".join(part for part in (selector, f"{text!r}" if text else "") if part)
    if not selector:
        return f"no visible element with the text {text!r}."
    from playwright.async_api import Error

    try:
        count = await page.locator(selector).count()
    except Error as error:
        return f"{selector!r} is not a valid selector: {_first_line(error.message)}."
    if count == 0:
        return f"no element matches {wanted}."
    if not await page.locator(selector).filter(visible=True).count():
        return f"{count} element(s) match {wanted}, none of them visible."
    return f"{wanted} is there but cannot be used (covered, disabled, or read-only)."


def _first_line(message: str) -> str:
    first = message.strip().splitlines()[0] if message.strip() else "an unknown error"
    return re.sub(r"^\w+\.\w+: ", "", first).removesuffix(".")
