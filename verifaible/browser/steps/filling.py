"""Steps that fill in forms: typing into fields and choosing options."""

from __future__ import annotations

from typing import Any

from verifaible.browser import driver
from verifaible.browser.steps.executing import first_line
from verifaible.browser.steps.staging import Played, Stage, brief, plain, told
from verifaible.browser.steps.targets import Unusable, similar
from verifaible.schema.action import Select, Type

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
