"""Pictures of what a page shows after each step: for people who want to follow, never evidence."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from verifaible.browser import driver
from verifaible.browser.page.session import PageSession
from verifaible.errors import ToolError

#: The qualities of JPEG that are tried in turn, until a picture is no larger than this; the last is kept
#: as it comes. Dense Chinese pages of the offline cases take 55 to 61 kB at 20, simpler ones 56 kB at 40.
QUALITIES = (50, 35, 15)
MAX_BYTES = 60_000
#: Of a list that is longer only the first steps are pictured.
MAX_PICTURES = 40
TAKING_S = 5.0
#: Fields whose content nobody else is to see, not even how long it is.
_PRIVATE = "input[type=password], [autocomplete^=cc-], [autocomplete*=password], [autocomplete=one-time-code]"
_COVER = "#808080"


class Film:
    """A picture after each step of one play, in order; set ``session.after_step`` to its ``take``.

    Attributes:
        pictures: JPEGs of the window; empty bytes where none could be taken.
    """

    def __init__(self, session: PageSession) -> None:
        self._session = session
        self._quality = 0
        self.pictures: list[bytes] = []

    async def take(self) -> None:
        """Take a picture of the page as it is. What goes wrong with it is no fault of the step."""
        picture = b""
        if len(self.pictures) < MAX_PICTURES:
            with suppress(driver.Error, ToolError, TimeoutError):
                picture = await asyncio.wait_for(self._taken(), TAKING_S)
        self.pictures.append(picture)

    async def _taken(self) -> bytes:
        covered = await self._private_fields()
        data = b""
        # A page that needed a lower quality after one step needs it after the next.
        for place, quality in enumerate(QUALITIES[self._quality :], start=self._quality):
            self._quality = place
            # Animations and the caret stay as they are: to stop them would change the page.
            data = await self._session.page.screenshot(
                type="jpeg",
                quality=quality,
                scale="css",
                animations="allow",
                caret="initial",
                mask=covered,
                mask_color=_COVER,
            )
            if len(data) <= MAX_BYTES:
                break
        return data

    async def _private_fields(self) -> list[driver.Locator]:
        found = [frame.locator(_PRIVATE) for frame in self._session.page.frames]
        return [fields for fields in found if await fields.count()]
