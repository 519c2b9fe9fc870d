"""Finding the element that a step means, and naming what comes nearest where there is none."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from verifaible.browser import driver
from verifaible.browser.page_time import Patience
from verifaible.browser.scripts import script, well_formed
from verifaible.browser.waiting import bounded
from verifaible.errors import PageNotLoaded
from verifaible.schema.base import Record

ResultT = TypeVar("ResultT")
StepKind: TypeAlias = Literal["click", "hover", "type", "select", "scroll", "wait"]

#: Most elements that an error lists.
MOST_CANDIDATES = 8
#: A look at a page takes milliseconds, on a machine with twenty times its work under a second; one that takes
#: so long will not come back.
LOOK_TIMEOUT_S = 10.0
#: The page itself comes first: what is only in a frame is taken when the page has had this long to show it.
FRAME_GRACE_MS = 250
#: What Chromium says of a look that a navigation ended.
PASSING = ("context was destroyed", "navigat", "detached", "Cannot find context", "Frame was")


class Unusable(Exception):
    """Why no element could be used.

    Attributes:
        reason: a sentence without its full stop.
        candidates: what there is instead, each on one line.
        several: whether it is that several match.
        late: whether it is that there was none in time.
    """

    def __init__(
        self, reason: str, candidates: Sequence[str] = (), *, several: bool = False, late: bool = False
    ) -> None:
        self.late = late
        self.reason = reason
        self.candidates = tuple(candidates)
        self.several = several
        super().__init__(reason)


class Candidate(Record):
    """An element: a selector that finds only it, the words on it, and whether a reader sees it.

    Those of the same ``group`` do the same: one is in the other, or they are the same link.
    """

    selector: str
    text: str
    whole: str
    visible: bool
    group: int

    def described(self, frame: str = "") -> str:
        """The element on one line."""
        words = f' "{self.text}"' if self.text else ""
        where = f" [in frame {frame}]" if frame else ""
        return f"{self.selector}{words}{where}{'' if self.visible else ' (not visible)'}"


class _Look(Record):
    count: int
    found: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """The element of a step: how it is reached, where it stands, and what it is."""

    locator: driver.Locator
    frame: driver.Frame
    shown: str


async def within(work: Awaitable[ResultT], seconds: float = LOOK_TIMEOUT_S) -> ResultT:
    """Await an answer of the page; errors are those of :func:`verifaible.browser.waiting.bounded`."""
    return await bounded(work, seconds, "the page")


async def find(
    page: driver.Page,
    selector: str,
    text: str = "",
    *,
    patience: Patience,
    kind: StepKind,
    strict: bool = False,
    visible: bool = True,
) -> Target:
    """The first element that selector and text allow, in the page or else in a frame that is shown.

    Args:
        page: where to look, through open shadow roots and frames.
        selector: a CSS selector; empty to find by text alone.
        text: words that the element holds; alone, the whole text of an element or a part of a button's name.
        patience: for how long it is looked for.
        kind: what it is for, for the list of what is there instead.
        strict: whether it is an error that several match which do not do the same.
        visible: whether it must be visible.

    Raises:
        Unusable: there is none in time, or there are several.
        PageNotLoaded: the page does not answer.
        playwright.async_api.Error: the selector is none.
    """
    while True:
        patient = patience.spent_ms >= min(FRAME_GRACE_MS, patience.given_ms / 2)
        for frame in await shown_frames(page) if patient else [page.main_frame]:
            matching = _matching(frame, selector, text)
            if visible:
                matching = matching.filter(visible=True)
            look = await _look(matching)
            if look is not None and look.count:
                if strict:
                    _refuse_ambiguous(look, selector, text, _frame_name(frame))
                shown = look.found[0].described(_frame_name(frame))
                return Target(matching.first, frame, shown)
        if not await within(patience.again(page)):
            raise await missing(page, selector, text, kind)


def _matching(frame: driver.Frame, selector: str, text: str) -> driver.Locator:
    if selector and text:
        return frame.locator(selector).filter(has_text=text)
    if selector:
        return frame.locator(selector)
    return frame.get_by_text(text, exact=True).or_(frame.get_by_role("button", name=text))


async def _look(matching: driver.Locator) -> _Look | None:
    """What a locator finds; None where the page was on its way elsewhere."""
    try:
        return _Look.model_validate(well_formed(await within(matching.evaluate_all(script("targets")))))
    except driver.Error as error:
        if any(sign in error.message for sign in PASSING):
            return None
        raise


async def shown_frames(page: driver.Page) -> list[driver.Frame]:
    """The frames that a reader can see, the page itself first."""

    async def hidden(frame: driver.Frame) -> bool:
        try:
            element = await within(frame.frame_element())
            return not (await within(element.evaluate(script("frame"))))["shown"]
        except (driver.Error, PageNotLoaded):
            return True  # it has gone, or does not answer

    found: list[driver.Frame] = []
    for frame in page.frames:
        parent = frame.parent_frame
        if parent is None or (parent in found and not await hidden(frame)):
            found.append(frame)
    return found


def _frame_name(frame: driver.Frame) -> str:
    return "" if frame.parent_frame is None else frame.name or frame.url


def wanted(selector: str, text: str) -> str:
    """What a step asked for, for a sentence."""
    if not selector:
        return f"the text {text!r}"
    return f"{selector} with the text {text!r}" if text else selector


def _refuse_ambiguous(look: _Look, selector: str, text: str, frame: str) -> None:
    first = look.found[0]
    leaders: dict[int, Candidate] = {first.group: first}
    for other in look.found[1:]:
        if other.visible:
            leaders.setdefault(other.group, other)
    if len(leaders) == 1:
        return
    folded = " ".join(text.split())
    exact = [each.group for each in look.found if folded and each.whole == folded]
    if exact and set(exact) == {first.group}:
        return
    raise Unusable(
        f"{len(leaders)} visible elements match {wanted(selector, text)}, and they do not do the same; "
        "name one of them with its own selector",
        [each.described(frame) for each in list(leaders.values())[:MOST_CANDIDATES]],
        several=True,
    )


async def missing(page: driver.Page, selector: str, text: str, kind: StepKind) -> Unusable:
    """Why there is no such visible element: it is hidden, or not there; with what is there instead."""
    hidden: list[str] = []
    count = 0
    if selector:
        for frame in page.frames:
            look = await _look(_matching(frame, selector, text))
            if look is not None:
                count += look.count
                hidden += [each.described(_frame_name(frame)) for each in look.found]
    near = await similar(page, selector, text, kind)
    listed = [*hidden[: MOST_CANDIDATES - 2], *(each for each in near if each not in hidden)][
        :MOST_CANDIDATES
    ]
    if not selector:
        return Unusable(f"no visible element with {wanted('', text)}", listed)
    if not count:
        return Unusable(f"no element matches {wanted(selector, text)}", listed)
    return Unusable(f"{count} element(s) match {wanted(selector, text)}, none of them visible", listed)


async def similar(page: driver.Page, selector: str, text: str, kind: StepKind) -> list[str]:
    """The elements that come nearest to what was asked for, best first, at most MOST_CANDIDATES."""
    found: list[str] = []
    argument = {"wanted": f"{selector} {text}", "kind": kind, "limit": MOST_CANDIDATES}
    for frame in await shown_frames(page):
        if len(found) >= MOST_CANDIDATES:
            break
        try:
            handles = await within(frame.evaluate_handle(script("similar"), argument))
            look = _Look.model_validate(well_formed(await within(handles.evaluate(script("targets")))))
        except driver.Error:
            continue  # a frame that went while it was looked at has nothing to offer
        found += [each.described(_frame_name(frame)) for each in look.found]
    return found[:MOST_CANDIDATES]
