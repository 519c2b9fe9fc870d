"""Running a script of a step in a page, and saying where it went wrong."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from verifaible.browser import driver
from verifaible.browser.waiting import answer_within

#: What Chromium says when a script took its own page away; its value goes with the page.
_NAVIGATED: Final = (
    "navigated or closed",
    "context was destroyed",
    "Cannot find context",
    "Promise was collected",
)
#: Objects that JSON would show as something else than they are.
_NOT_JSON: Final = frozenset(
    {"node", "error", "regexp", "date", "proxy", "map", "set", "weakmap", "weakset", "iterator", "generator"}
)
#: The name under which the browser knows the script, to tell its lines from the page's.
_NAME: Final = "action-step.js"
_PLACE: Final = re.compile(re.escape(_NAME) + r":(\d+):(\d+)")
_OPENING: Final = "await (async () => { "
_LINE_CHARACTERS: Final = 160
_ALIVE_S: Final = 1.0


class ScriptFailed(Exception):
    """Why a script gave no value, in one line without its full stop."""


class ScriptEndless(Exception):
    """A script did not finish; says why."""


async def execute(page: driver.Page, code: str, timeout_s: float) -> str:
    """Evaluate as a console would: an expression or statements, top-level await, no CSP in the way.

    Args:
        page: where.
        code: what.
        timeout_s: how long it may take.

    Returns:
        The JSON text of the value; an empty string for undefined, and where the script left its page.

    Raises:
        ScriptFailed: it threw, or is not JavaScript; says at which line and column.
        ScriptEndless: it did not finish in time.
        playwright.async_api.Error: the page failed.
    """
    session = await page.context.new_cdp_session(page)
    try:
        return await _value(session, code, timeout_s)
    except driver.Error as error:
        if any(sign in error.message for sign in _NAVIGATED):
            return ""
        raise
    except TimeoutError:
        how = "what it awaits does not come" if await _alive(page) else "it runs without end and was stopped"
        raise ScriptEndless(f"it did not finish within {timeout_s:.0f} s ({how})") from None
    finally:
        with suppress(driver.Error, TimeoutError):
            await answer_within(session.detach(), _ALIVE_S)


async def _alive(page: driver.Page) -> bool:
    try:
        await answer_within(page.evaluate("1"), _ALIVE_S)
    except TimeoutError:
        return False
    except driver.Error:
        return True
    return True


async def _value(session: driver.CDPSession, code: str, timeout_s: float) -> str:
    end = f"\n//# sourceURL={_NAME}"
    shift = 0
    answer = await _evaluate(session, code + end, timeout_s)
    if "exceptionDetails" in answer and "Illegal return" in json.dumps(answer["exceptionDetails"]):
        shift = len(_OPENING)
        answer = await _evaluate(session, f"{_OPENING}{code}\n }})(){end}", timeout_s)
    if "exceptionDetails" in answer:
        raise ScriptFailed(_thrown(answer["exceptionDetails"], code, shift))
    result = answer["result"]
    if result["type"] == "undefined":
        return ""
    value = result["value"] if "value" in result else result.get("unserializableValue")
    return json.dumps(
        result.get("description", "") if value is None and "value" not in result else value,
        ensure_ascii=False,
    )


async def _evaluate(session: driver.CDPSession, code: str, timeout_s: float) -> dict[str, Any]:
    """The result of a script: by value where JSON shows it as it is, else described."""
    deadline = monotonic() + timeout_s

    async def sent(method: str, **parameters: Any) -> dict[str, Any]:
        """A protocol call, given up at the deadline."""
        try:
            asking = session.send(method, parameters)
            answer: dict[str, Any] = await answer_within(asking, max(0.0, deadline - monotonic()) + 1)
        except driver.Error:
            # Chromium calls a script that it stopped at its time limit an internal error.
            if monotonic() >= deadline:
                raise TimeoutError from None
            raise
        return answer

    answer = await sent(
        "Runtime.evaluate",
        expression=code,
        replMode=True,
        awaitPromise=True,
        userGesture=True,
        timeout=timeout_s * 1000,
    )
    result = answer["result"]
    if "exceptionDetails" not in answer and result.get("subtype") == "promise":
        # In this mode a promise that is the final value is not awaited by the call itself.
        answer = await sent("Runtime.awaitPromise", promiseObjectId=result["objectId"])
        result = answer["result"]
    is_plain = result["type"] == "object" and result.get("subtype") not in _NOT_JSON
    if "exceptionDetails" in answer or "objectId" not in result or not is_plain:
        return answer
    # By value only now: asked for at once, a DOM node or a cycle would make the whole call fail.
    whole = await sent(
        "Runtime.callFunctionOn",
        objectId=result["objectId"],
        functionDeclaration="function() { return JSON.stringify(this) }",
        returnByValue=True,
    )
    if "exceptionDetails" not in whole and isinstance(whole["result"].get("value"), str):
        return {"result": {"type": "object", "value": json.loads(whole["result"]["value"])}}
    return answer


def _thrown(details: dict[str, Any], code: str, shift: int) -> str:
    """What was thrown, and where in the step's own code."""
    thrown = details.get("exception", {})
    what = str(thrown.get("description") or thrown.get("value") or details.get("text"))
    message = f"the script threw {first_line(what)}"
    number, column = _place(details, what)
    lines = code.split("\n")
    if not 1 <= number <= len(lines):
        return message
    if number == 1:
        column = max(1, column - shift)
    line = lines[number - 1]
    if len(line.strip()) > _LINE_CHARACTERS:
        start = max(0, column - 1 - _LINE_CHARACTERS // 2)
        end = start + _LINE_CHARACTERS
        line = f"{'…' if start else ''}{line[start:end].strip()}{'…' if end < len(line) else ''}"
    return f"{message} (line {number}, column {column}: {line.strip()})"


def _place(details: dict[str, Any], what: str) -> tuple[int, int]:
    """The innermost place in the step's code, counted from 1; (0, 0) where none is known."""
    frames = details.get("stackTrace", {}).get("callFrames", [])
    own = next((frame for frame in frames if frame["url"] == _NAME), None)
    if own is None and (found := _PLACE.search(what)):
        return int(found[1]), int(found[2])
    if own is None and (details.get("url") == _NAME or "SyntaxError" in what):
        own = details
    return (own["lineNumber"] + 1, own["columnNumber"] + 1) if own is not None else (0, 0)


def first_line(message: str) -> str:
    """The first line of an error, without the name of the function that raised it."""
    first = message.strip().partition("\n")[0] or "an unknown error"
    return re.sub(r"^\w+\.\w+: ", "", first).removesuffix(".")
