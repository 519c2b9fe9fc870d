"""Running a script of a step in a page, and saying where it went wrong."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

from verifaible.browser import driver
from verifaible.browser.scripts import script
from verifaible.browser.waiting import answer_within

#: What Chromium says when a script took its own page away; its value goes with the page.
_NAVIGATED = ("navigated or closed", "context was destroyed", "Cannot find context", "Promise was collected")
#: Objects that JSON would show as something else than they are.
_NOT_JSON = frozenset(
    {"node", "error", "regexp", "date", "proxy", "map", "set", "weakmap", "weakset", "iterator", "generator"}
)
#: The name under which the browser knows the script, to tell its lines from the page's.
_NAME = "action-step.js"
_PLACE = re.compile(re.escape(_NAME) + r":(\d+):(\d+)")
_OPENING = "await (async () => { "
_LINE_CHARACTERS = 160
_ALIVE_S = 1.0
#: A script that nothing on its page can wake any more is given up after this long, and so many looks.
HOPELESS_S = 4.0
_LOOKS = 8


class ScriptFailed(Exception):
    """Why a script gave no value, in one line without its full stop."""


class ScriptEndless(Exception):
    """A script did not finish; says why."""


async def execute(page: driver.Page, code: str, timeout_s: float, idle: Callable[[], bool]) -> str:
    """Evaluate as a console would: an expression or statements, top-level await, no CSP in the way.

    Args:
        page: where.
        code: what.
        timeout_s: how long it may take; one that nothing can wake any more has HOPELESS_S.
        idle: whether no answer is on its way to the page.

    Returns:
        The JSON text of the value; an empty string for undefined, and where the script left its page.

    Raises:
        ScriptFailed: it threw, or is not JavaScript; says at which line and column.
        ScriptEndless: it did not finish in time.
        playwright.async_api.Error: the page failed.
    """
    session = await page.context.new_cdp_session(page)
    value = asyncio.ensure_future(_value(session, code, timeout_s))
    sleeping = asyncio.ensure_future(_sleeps(page, idle))
    try:
        await asyncio.wait((value, sleeping), return_when=asyncio.FIRST_COMPLETED)
        if not value.done():
            sleeping.result()
            raise ScriptEndless(
                "what it awaits does not come: nothing is left on the page that could bring it"
            )
        return value.result()
    except driver.Error as error:
        if any(sign in error.message for sign in _NAVIGATED):
            return ""
        raise
    except TimeoutError:
        alive = await _alive(page)
        how = "what it awaits does not come" if alive else "it runs without end and was stopped"
        raise ScriptEndless(f"it did not finish within {timeout_s:.0f} s ({how})") from None
    finally:
        for each in (value, sleeping):
            each.cancel()
        await asyncio.gather(value, sleeping, return_exceptions=True)
        with suppress(driver.Error, TimeoutError):
            await asyncio.wait_for(session.detach(), _ALIVE_S)


async def _sleeps(page: driver.Page, idle: Callable[[], bool]) -> None:
    """Return when nothing could have woken a script of the page for HOPELESS_S."""
    asleep = 0
    while asleep < _LOOKS:
        await asyncio.sleep(HOPELESS_S / _LOOKS)
        try:
            asleep = asleep + 1 if await page.evaluate(script("asleep")) and idle() else 0
        except driver.Error:  # it goes elsewhere
            asleep = 0


async def _alive(page: driver.Page) -> bool:
    try:
        await answer_within(page.evaluate("1"), _ALIVE_S)
    except TimeoutError:
        return False
    except driver.Error:
        return True
    return True


async def _value(session: Any, code: str, timeout_s: float) -> str:
    named = f"{code}\n//# sourceURL={_NAME}"
    shift = 0
    answer = await _evaluate(session, named, timeout_s)
    if "exceptionDetails" in answer and "Illegal return" in json.dumps(answer["exceptionDetails"]):
        shift = len(_OPENING)
        answer = await _evaluate(session, f"{_OPENING}{code}\n }})()\n//# sourceURL={_NAME}", timeout_s)
    if "exceptionDetails" in answer:
        raise ScriptFailed(_thrown(answer["exceptionDetails"], code, shift))
    result = answer["result"]
    if "value" in result:
        return json.dumps(result["value"], ensure_ascii=False)
    if result["type"] == "undefined":
        return ""
    return json.dumps(result.get("unserializableValue") or result.get("description", ""), ensure_ascii=False)


def _thrown(details: dict[str, Any], code: str, shift: int) -> str:
    """What was thrown, and where in the step's own code."""
    thrown = details.get("exception", {})
    what = str(thrown.get("description") or thrown.get("value") or details.get("text"))
    message = f"the script threw {first_line(what)}"
    place = _place(details, what)
    lines = code.split("\n")
    if place is None or not 1 <= place[0] <= len(lines):
        return message
    number, column = place
    if number == 1:
        column = max(1, column - shift)
    return f"{message} (line {number}, column {column}: {_around(lines[number - 1], column)})"


def _place(details: dict[str, Any], what: str) -> tuple[int, int] | None:
    """The innermost place in the step's code, counted from 1."""
    frames = details.get("stackTrace", {}).get("callFrames", [])
    for frame in frames:
        if frame["url"] == _NAME:
            return frame["lineNumber"] + 1, frame["columnNumber"] + 1
    found = _PLACE.search(what)
    if found:
        return int(found[1]), int(found[2])
    if details.get("url") == _NAME or "SyntaxError" in what:
        return details["lineNumber"] + 1, details["columnNumber"] + 1
    return None


def _around(line: str, column: int) -> str:
    """A line, or of a long one the part around the column."""
    if len(line.strip()) <= _LINE_CHARACTERS:
        return line.strip()
    start = max(0, column - 1 - _LINE_CHARACTERS // 2)
    end = start + _LINE_CHARACTERS
    return f"{'…' if start else ''}{line[start:end].strip()}{'…' if end < len(line) else ''}"


def first_line(message: str) -> str:
    """The first line of an error, without the name of the function that raised it."""
    first = message.strip().partition("\n")[0] or "an unknown error"
    return re.sub(r"^\w+\.\w+: ", "", first).removesuffix(".")


async def _evaluate(session: Any, code: str, timeout_s: float) -> dict[str, Any]:
    deadline = monotonic() + timeout_s
    parameters = {
        "expression": code,
        "replMode": True,
        "awaitPromise": True,
        "userGesture": True,
        "timeout": timeout_s * 1000,
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
    try:
        answer: dict[str, Any] = await answer_within(
            session.send(method, parameters), max(0.0, deadline - monotonic()) + 1
        )
    except driver.Error:
        # Chromium calls a script that it stopped at its time limit an internal error.
        if monotonic() >= deadline:
            raise TimeoutError from None
        raise
    return answer
