"""robots.txt (RFC 9309): what a site asks programs to leave alone; reported, and obeyed by setting."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from protego import Protego

from verifaible.errors import PageBlocked, ToolError
from verifaible.net.client import live_client
from verifaible.net.web import Web
from verifaible.schema.web import WebRequest

#: The name by which a site may mean us.
US = "verifaible"
#: A file is read again after this long (RFC 9309, 2.4).
KEPT = timedelta(days=1)
#: More of a file is not read (RFC 9309, 2.5).
MAX_BYTES = 500 * 1024


@dataclass(frozen=True, slots=True)
class Robots:
    """What the file of a site says about an address.

    Attributes:
        url: of the file.
        status: its HTTP status; 0 where it could not be read.
        read_at: when it was read.
        allows: whether the address may be asked for.
        text: the file; empty where there is none.
    """

    url: str
    status: int
    read_at: datetime
    allows: bool = True
    text: str = field(default="", repr=False)

    def as_json(self) -> dict[str, object]:
        """As ``provenance.json`` keeps it."""
        read_at = self.read_at.isoformat()
        return {"url": self.url, "status": self.status, "read_at": read_at, "allows": self.allows}

    def require(self, url: str) -> None:
        """Make sure that an address may be asked for.

        Raises:
            PageBlocked: the site asks programs not to.
        """
        if not self.allows:
            raise PageBlocked(
                f"{self.url} asks programs to leave {url} alone. Use another source; where you may read it "
                "all the same, set VERIFAIBLE_ROBOTS=never."
            )


async def robots_of(url: str, web: Web) -> Robots | None:
    """What the site of an address says; None on an offline web, or by setting.

    A site is asked once a day by a web, under no browser's name. A recording does not keep
    the answer.
    """
    if web.archive is not None or web.settings.robots == "never":
        return None
    parts, (known, reading) = urlsplit(url), web.manners.robots
    place = f"{parts.scheme}://{parts.netloc}/robots.txt"
    async with reading[place]:
        asked = known.get(place)
        if not isinstance(asked, Robots) or datetime.now(UTC) - asked.read_at > KEPT:
            asked = await _read(place, web)
            if 0 < asked.status < 500:  # else it is away for a while
                known[place] = asked
    return replace(asked, allows=judge(asked.text, url))


async def _read(place: str, web: Web) -> Robots:
    """A file that cannot be read, or is none, allows all.

    A server error would mean that nothing is allowed (RFC 9309, 2.3.1.4): whoever reads one page by hand is
    told the status, and decides.
    """
    at = datetime.now(UTC)
    try:
        async with live_client(web.settings, web.guard, None, (), web.manners) as client:
            answer = (await client.fetch(WebRequest(place))).answer.response
    except ToolError:
        return Robots(place, 0, at)
    is_file = answer.status == 200 and answer.content_type != "text/html"
    text = answer.body[:MAX_BYTES].decode("utf-8", "replace") if is_file else ""
    return Robots(place, answer.status, at, text=text)


def judge(text: str, url: str) -> bool:
    """Whether a file allows an address (RFC 9309, by the library Protego)."""
    return bool(Protego.parse(text).can_fetch(url, US))
