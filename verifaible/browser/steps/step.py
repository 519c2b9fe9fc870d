"""Playing one action step on a page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, Final, TypeVar

from verifaible.browser import driver
from verifaible.browser.chromium.tabs import closed_meanwhile
from verifaible.browser.page.session import PageSession
from verifaible.browser.page_time import OutOfPatience, Patience, let_pass, meanwhile
from verifaible.browser.scripts import script, well_formed
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.steps.executing import ScriptEndless, ScriptFailed, execute, first_line
from verifaible.browser.steps.targets import (
    LOOK_TIMEOUT_S,
    StepKind,
    Target,
    Unusable,
    find,
    missing,
    similar,
    within,
)
from verifaible.errors import PageError, PageNotLoaded, StepFailed
from verifaible.extract.page import page_document
from verifaible.schema.action import ActionStep, Click, ExecJs, Hover, Scroll, Select, Type, Wait

ResultT = TypeVar("ResultT")

#: An element that is not there after this long will not come; a model should not wait half a minute.
ELEMENT_TIMEOUT_MS = 5_000
EXEC_TIMEOUT_S = 15.0
#: What is waited for, where the step says no time.
VISIBLE_TIMEOUT_MS: Final = 10_000
#: A <select> that is not to be seen after this long is used as it is.
HIDDEN_AFTER_MS: Final = 1_000
#: So much longer than on a machine without other work takes what a page from an archive does on a busy one.
_HANGS: Final = 6
#: Fields into which words are typed; the others take one form only.
_KEYED: Final = frozenset(
    {"text", "search", "tel", "url", "email", "password", "number", "textarea", "div", "span", "p"}
)
_FORMS: Final = "a date is written 2025-02-11, a month 2025-02, a time 09:30, a colour #aabbcc"
_OPTIONS: Final = 20
_WORDS: Final = 60
#: Playwright says in its log what stood over the point that was to be clicked.
_INTERCEPTS: Final = re.compile(r"- (<.*?>).* intercepts pointer events")


@dataclass(frozen=True, slots=True)
class Played:
    """What a step returned (JSON text, ``exec_js`` only), which element it used, and what it did."""

    value: str = ""
    element: str = ""
    did: str = ""


async def play_step(
    session: PageSession, step: ActionStep, index: int, *, since: int, strict: bool
) -> Played:
    """Play one step; waiting for the page to settle is the caller's.

    Args:
        session: the page as the steps before left it.
        step: what to do.
        index: position of the step, counted from 1, for the error.
        since: how many answers its context had got when the last step that was no wait began.
        strict: whether a selector that finds several elements is an error.

    Raises:
        StepFailed: with the reason, what there is instead, and what to do next.
    """
    hung = False
    try:
        return await _Stage(session, since, strict, ELEMENT_TIMEOUT_MS).play(step)
    except Unusable as unusable:
        reason, hung = _listed(unusable), unusable.late
    except PageNotLoaded:
        reason = "the page does not answer: a script on it runs without end. The page was thrown away."
        hung = True
    except ScriptEndless as endless:
        reason, hung = f"{endless}.", True
    except driver.Error as error:
        reason = f"{first_line(error.message)}."
    except ScriptFailed as failed:
        reason = f"{failed}."
    raise StepFailed(index, step.type, reason, hung=hung) from None


def _listed(unusable: Unusable) -> str:
    if not unusable.candidates:
        return f"{unusable.reason}."
    return "\n".join(
        [f"{unusable.reason}. On the page are:", *(f"- {one}" for one in unusable.candidates), ""]
    )


@dataclass(frozen=True, slots=True)
class _Stage:
    """Where a step is played, for the arguments of ``play_step``.

    ``patience_ms``: how long to wait for an element, and for it to become usable.
    """

    session: PageSession
    since: int
    strict: bool
    patience_ms: float

    async def play(self, step: ActionStep) -> Played:
        """Play a step of any type."""
        if isinstance(step, ExecJs):
            return Played(await self._awaited(execute(self._page, step.code, EXEC_TIMEOUT_S)))
        if isinstance(step, Click | Hover):
            return await self._point(step)
        if isinstance(step, Type):
            return await self._type(step)
        if isinstance(step, Select):
            return await self._select(step)
        if isinstance(step, Scroll):
            return await self._scroll(step)
        return await self._wait(step)

    # --- elements ----------------------------------------------------------------------------

    @property
    def _page(self) -> driver.Page:
        return self.session.page

    @property
    def _own_time(self) -> bool:
        """Whether the page comes from an archive, and has the time that it is given."""
        return self.session.web.archive is not None

    @property
    def _limit_ms(self) -> float:
        """After how long what is done to an element is given up where no patience ends before: a hang."""
        return self.patience_ms * _HANGS if self._own_time else self.patience_ms

    async def _find(
        self, selector: str, kind: StepKind, *, text: str = "", ms: float | None = None, visible: bool = True
    ) -> Target:
        patience = Patience(self.patience_ms if ms is None else ms)
        strict = self.strict and kind not in ("scroll", "wait")
        return await find(
            self._page, selector, text, patience=patience, kind=kind, strict=strict, visible=visible
        )

    async def _awaited(self, work: Awaitable[ResultT], patience_ms: float = inf) -> ResultT:
        """Await what is done to the page; where that takes long, the page goes on meanwhile."""
        return await (meanwhile(self._page, work, Patience(patience_ms)) if self._own_time else work)

    async def _use(self, target: Target, work: Awaitable[Any]) -> None:
        """Do something to an element; where that closes its tab, it is done.

        Raises:
            Unusable: it is covered, disabled or read-only; says which.
            PageNotLoaded: the page does not answer.
        """
        try:
            await within(self._awaited(work, self.patience_ms), self._limit_ms / 1000 + 2)
        except (driver.TimeoutError, OutOfPatience) as error:
            raise Unusable(await _hindrance(target, str(error)), late=True) from None
        except driver.Error as error:
            # The answer to a click that closes its tab may find nobody to tell.
            if not await closed_meanwhile(self._page, error):
                raise

    async def _told(self, field: driver.Locator, name: str) -> Any:
        """What the in-page script ``js/<name>.js`` says of the first element of a locator.

        Asked of all elements at once that is one call instead of three; where there is none just now, it is
        waited for.

        Raises:
            PageNotLoaded: the page does not answer.
            playwright.async_api.Error: there is none in time.
        """
        try:
            asked = field.evaluate_all(f"([first]) => ({script(name)})(first)")
            return well_formed(await within(asked))
        except driver.Error:
            return well_formed(await within(field.evaluate(script(name), timeout=self._limit_ms)))

    # --- the types of steps ------------------------------------------------------------------

    async def _point(self, step: Click | Hover) -> Played:
        if isinstance(step, Hover):
            target = await self._find(step.selector, "hover")
            await self._use(target, target.locator.hover(timeout=self._limit_ms))
            return Played(element=target.shown, did="the pointer is over it")
        if not step.selector and not step.elementText:
            raise Unusable("neither selector nor elementText is given: name what to click")
        target = await self._find(step.selector, "click", text=step.elementText)
        await self._use(target, target.locator.click(timeout=self._limit_ms))
        return Played(element=target.shown, did="clicked")

    async def _scroll(self, step: Scroll) -> Played:
        by = {"down": step.amount, "up": -step.amount}.get(step.direction)
        end = "" if by is not None else step.direction
        argument: dict[str, Any] = {"element": None, "by": by or 0, "end": end}
        frame, shown = self._page.main_frame, ""
        if step.selector:
            try:
                target = await self._find(step.selector, "scroll", visible=False)
            except Unusable as unusable:
                raise Unusable(f"no element matches {step.selector!r}", unusable.candidates) from None
            frame, shown = target.frame, target.shown
            argument["element"] = await target.locator.element_handle(timeout=self._limit_ms)
        raw = await within(frame.evaluate(script("scroll"), argument))
        if raw["from"] != raw["to"]:
            did = f"scrolled from {raw['from']} to {raw['to']} of {raw['most']} px"
            return Played(element=shown, did=did)
        why = "nothing in it scrolls" if not raw["most"] else f"it is at {raw['to']} of {raw['most']} px"
        return Played(element=shown, did=f"did not move: {why}")

    async def _wait(self, step: Wait) -> Played:
        """Wait a fixed time, or for an answer, an element and a text."""
        if not (step.selector or step.text or step.response):
            await let_pass(self._page, step.ms, turns=0)
            await asyncio.sleep(step.ms / 1000)
            return Played(did=f"waited {step.ms} ms")
        patience = Patience(step.ms or VISIBLE_TIMEOUT_MS)
        done: list[str] = []
        element = ""
        if step.response:
            done.append(await self._answered(step.response, patience))
        if step.selector:
            target = await find(self._page, step.selector, patience=patience, kind="wait")
            element = target.shown
            done.append("is visible")
        if step.text:
            done.append(await self._shows(step.text, patience))
        return Played(element=element, did="; ".join(done))

    async def _answered(self, part: str, patience: Patience) -> str:
        requests = self.session.traffic.requests
        while (found := requests.holding(part, self.since)) is None:
            if not await within(patience.again(self._page)):
                seen = list(dict.fromkeys(each.described() for each in requests.answers[self.since :]))
                nothing = "" if seen else "; nothing was asked for since the step before"
                raise Unusable(f"no answer came whose URL holds {part!r}{nothing}", seen[-8:])
        return f"got {found.described()}"

    async def _shows(self, text: str, patience: Patience) -> str:
        """Wait until what a reader sees holds a text, white space and case aside."""
        while True:
            with suppress(PageError):  # it may be on its way elsewhere
                shown = page_document(await take_snapshot(self._page, seconds=LOOK_TIMEOUT_S))
                if _plain(text) in _plain(shown.text):
                    return f"the page shows {_brief(text)!r}"
            if not await within(patience.again(self._page)):
                near = await missing(self._page, "", text, "click")
                raise Unusable(f"the page does not show {text!r}", near.candidates)

    async def _type(self, step: Type) -> Played:
        """Type text into a field, and press Enter where that is asked for."""
        target = await self._find(step.selector, "type")
        field, ms = target.locator, self._limit_ms
        before = await self._held(field)
        kind = before["type"]
        if kind == "select":
            raise Unusable(f"{target.shown} is a list of options: use a select step")
        if kind in ("checkbox", "radio"):
            raise Unusable(f"{target.shown} is a {kind}: use a click step")
        if kind and not before["editable"]:
            near = await similar(self._page, step.selector, "", "type")
            raise Unusable(f"{target.shown} is no field but a <{kind}>: name the input in it", near)
        if before["readonly"]:
            # Some fields are read-only until they are entered, against automatic filling.
            await self._use(target, field.focus(timeout=ms))
        await self._use(target, _filled(field, step.value, ms))
        now = await self._held(field)
        if step.value and now["value"] in ("", before["value"]) and now["value"] != step.value:
            if now["type"] not in _KEYED:
                raise Unusable(f"{target.shown} does not take {_brief(step.value)!r}: {_FORMS}")
            # A mask that only heeds keys has thrown away what was put in at once.
            await self._use(target, _keyed(field, step.value, ms))
            now = await self._held(field)
        if step.submit:
            await self._use(target, field.press("Enter", timeout=ms))
        did = f"typed{' and pressed Enter' if step.submit else ''}"
        if str(now["value"] or "").strip() != step.value.strip():
            did += f"; the field now holds {_brief(now['value'])!r}"
        return Played(element=target.shown, did=did)

    async def _held(self, field: driver.Locator) -> dict[str, Any]:
        """What a field holds; nothing known where the page has gone on."""
        try:
            held: dict[str, Any] = await self._told(field, "shown_value")
        except driver.Error:
            return {"value": None, "type": "", "readonly": False, "editable": False}
        return held

    async def _select(self, step: Select) -> Played:
        """Choose options of a list."""
        # A menu of the page's own often stands over a hidden list, which still is what the page reads.
        shown_ms = min(HIDDEN_AFTER_MS, self.patience_ms)
        try:
            target = await self._find(step.selector, "select", ms=shown_ms)
        except Unusable as unusable:
            if unusable.several:
                raise
            left_ms = self.patience_ms - shown_ms
            target = await self._find(step.selector, "select", ms=left_ms, visible=False)
        raw = await self._told(target.locator, "options")
        if raw is None:
            raise Unusable(
                f"{target.shown} ({step.selector!r}) is not a <select>; use click or exec_js for a menu of "
                "its own making"
            )
        options: list[dict[str, Any]] = raw["options"]
        if len(step.wanted) > 1 and not raw["multiple"]:
            raise Unusable(f"{target.shown} takes one option only, and {len(step.wanted)} are given")
        chosen = [_option(options, wanted) for wanted in step.wanted]
        hidden = "(not visible)" in target.shown
        work = target.locator.select_option(index=chosen, timeout=self._limit_ms, force=hidden)
        await self._use(target, work)
        labels = ", ".join(repr(options[index]["label"] or options[index]["value"]) for index in chosen)
        return Played(element=target.shown, did=f"chose {labels}")


async def _hindrance(target: Target, log: str) -> str:
    """Why an element that is there could not be used."""
    try:
        raw = well_formed(await within(target.locator.evaluate(script("hindrance"), timeout=1_000)))
    except driver.Error:
        await within(target.frame.evaluate("1"))
        return f"{target.shown} went away while it was used"
    intercepts = _INTERCEPTS.search(log)
    cover = raw["cover"] or (intercepts[1][:200] if intercepts else "")
    reason = "it did not become ready"
    if raw["disabled"]:
        reason = "it is disabled"
    elif raw["readonly"] and "not editable" in log:
        reason = (
            "it is read-only (click it to open its calendar or list, or set it with exec_js and call what "
            "the page calls then)"
        )
    elif cover:
        words = f' "{raw["words"]}"' if raw["words"] else ""
        reason = f"it is covered by {cover}{words}: close or remove that first"
    elif "not stable" in log:
        reason = "it keeps moving"
    return f"{target.shown} is there but cannot be used (covered, disabled, or read-only): {reason}"


async def _filled(field: driver.Locator, value: str, timeout_ms: float) -> None:
    try:
        await field.fill(value, timeout=timeout_ms)
    except driver.TimeoutError:
        raise
    except driver.Error as error:
        if "Malformed value" in error.message:
            raise Unusable(f"the field does not take {_brief(value)!r}: {_FORMS}") from None
        raise Unusable(first_line(error.message)) from None


async def _keyed(field: driver.Locator, value: str, timeout_ms: float) -> None:
    await field.press("ControlOrMeta+a", timeout=timeout_ms)
    await field.press("Delete", timeout=timeout_ms)
    await field.press_sequentially(value, timeout=timeout_ms)


def _option(options: list[dict[str, Any]], wanted: str) -> int:
    """The index of the option with that value, that label, or else the only one that reads alike."""
    folded = _plain(wanted)
    ways = (
        [index for index, option in enumerate(options) if option["value"] == wanted][:1],
        [index for index, option in enumerate(options) if option["label"] == wanted][:1],
        [index for index, option in enumerate(options) if _plain(option["label"]) == folded],
        [index for index, option in enumerate(options) if folded and folded in _plain(option["label"])],
    )
    found = next((each[0] for each in ways if len(each) == 1), None)
    if found is None:
        known = ", ".join(repr(option["label"] or option["value"]) for option in options[:_OPTIONS])
        more = f" and {len(options) - _OPTIONS} more" if len(options) > _OPTIONS else ""
        what = "several options read like" if any(ways) else "no option"
        raise Unusable(f"{what} {wanted!r}; the options are {known}{more}")
    if options[found]["disabled"]:
        raise Unusable(f"the option {options[found]['label']!r} is disabled")
    return found


def _brief(text: object) -> str:
    """A text on one line, shortened, for a sentence."""
    folded = " ".join(str(text or "").split())
    return folded if len(folded) <= _WORDS else f"{folded[: _WORDS - 1]}…"


def _plain(text: str) -> str:
    """A text without white space and case, for comparing."""
    return "".join(text.split()).casefold()
