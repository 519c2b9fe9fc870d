"""What every step needs: where it is played, its element, and why an element cannot be used."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from dataclasses import dataclass
from math import inf
from typing import Any, TypeVar

from verifaible.browser import driver
from verifaible.browser.chromium.tabs import closed_meanwhile
from verifaible.browser.page.session import PageSession
from verifaible.browser.page_time import OutOfPatience, Patience, meanwhile
from verifaible.browser.scripts import script, well_formed
from verifaible.browser.steps.targets import StepKind, Target, Unusable, find, within

ResultT = TypeVar("ResultT")

#: So much longer than on a machine without other work takes what a page from an archive does on a busy one.
_HANGS = 6

#: Playwright says in its log what stood over the point that was to be clicked.
_INTERCEPTS = re.compile(r"- (<.*?>).* intercepts pointer events")
_WORDS = 60


@dataclass(frozen=True, slots=True)
class Played:
    """What a step returned (JSON text, ``exec_js`` only), which element it used, and what it did."""

    value: str = ""
    element: str = ""
    did: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a step is played.

    Attributes:
        session: the page as the steps before left it.
        since: how many answers its context had got when the last step that was no wait began.
        strict: whether a selector that finds several elements is an error.
        patience_ms: how long to wait for an element, and for it to become usable.
    """

    session: PageSession
    since: int = 0
    strict: bool = False
    patience_ms: float = 5_000

    @property
    def page(self) -> driver.Page:
        """The page itself."""
        return self.session.page

    @property
    def own_time(self) -> bool:
        """Whether the page comes from an archive, and has the time that it is given."""
        return self.session.web.archive is not None

    def idle(self) -> bool:
        """Whether no answer is on its way to the page, and none can come unasked."""
        traffic = self.session.traffic
        return traffic.idle.is_set() and not self.page.workers

    async def find(
        self,
        selector: str,
        text: str,
        kind: StepKind,
        within_ms: float | None = None,
        *,
        visible: bool = True,
    ) -> Target:
        """The element that a step means; see :func:`verifaible.browser.steps.targets.find`."""
        patience = Patience(self.patience_ms if within_ms is None else within_ms)
        return await find(
            self.page, selector, text, patience=patience, kind=kind, strict=self.strict, visible=visible
        )

    @property
    def limit_ms(self) -> float:
        """After how long what is done to an element is given up where no patience ends before: a hang."""
        return self.patience_ms * _HANGS if self.own_time else self.patience_ms

    async def awaited(self, work: Awaitable[ResultT], patience_ms: float = inf) -> ResultT:
        """Await what is done to the page; where that takes long, the page goes on meanwhile."""
        return await (meanwhile(self.page, work, Patience(patience_ms)) if self.own_time else work)

    async def use(self, target: Target, work: Awaitable[Any]) -> None:
        """Do something to an element; where that closes its tab, it is done.

        Raises:
            Unusable: it is covered, disabled or read-only; says which.
            PageNotLoaded: the page does not answer.
        """
        try:
            await within(self.awaited(work, self.patience_ms), self.limit_ms / 1000 + 2)
        except (driver.TimeoutError, OutOfPatience) as error:
            raise Unusable(await _hindrance(target, str(error)), late=True) from None
        except driver.Error as error:
            # The answer to a click that closes its tab may find nobody to tell.
            if not await closed_meanwhile(self.page, error):
                raise


async def _hindrance(target: Target, log: str) -> str:
    """Why an element that is there could not be used."""
    why: list[str] = []
    try:
        raw = well_formed(await within(target.locator.evaluate(script("hindrance"), timeout=1_000)))
    except driver.Error:
        await within(target.frame.evaluate("1"))
        return f"{target.shown} went away while it was used"
    if raw["disabled"]:
        why.append("it is disabled")
    if raw["readonly"] and "not editable" in log:
        why.append(
            "it is read-only (click it to open its calendar or list, or set it with exec_js and call what "
            "the page calls then)"
        )
    intercepts = _INTERCEPTS.search(log)
    if raw["cover"] and not why:
        words = f' "{raw["words"]}"' if raw["words"] else ""
        why.append(f"it is covered by {raw['cover']}{words}: close or remove that first")
    elif intercepts and not why:
        why.append(f"it is covered by {intercepts[1][:200]}: close or remove that first")
    if not why and "not stable" in log:
        why.append("it keeps moving")
    reason = "; ".join(why) or "it did not become ready"
    return f"{target.shown} is there but cannot be used (covered, disabled, or read-only): {reason}"


async def told(field: driver.Locator, name: str, timeout_ms: float) -> Any:
    """What the in-page script ``js/<name>.js`` says of the first element of a locator.

    Asked of all elements at once that is one call instead of three; where there is none just now, it is
    waited for.

    Raises:
        PageNotLoaded: the page does not answer.
        playwright.async_api.Error: there is none in time.
    """
    try:
        return well_formed(await within(field.evaluate_all(f"([first]) => ({script(name)})(first)")))
    except driver.Error:
        return well_formed(await within(field.evaluate(script(name), timeout=timeout_ms)))


def brief(text: object) -> str:
    """A text on one line, shortened, for a sentence."""
    folded = " ".join(str(text or "").split())
    return folded if len(folded) <= _WORDS else f"{folded[: _WORDS - 1]}…"


def plain(text: str) -> str:
    """A text without white space and case, for comparing."""
    return "".join(text.split()).casefold()
