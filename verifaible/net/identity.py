"""Who the browser and the HTTP client say they are: one identity, in every place where it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verifaible.config import Settings
from verifaible.schema.web import Headers

#: How a Chromium without a window names itself, and what one with a window says instead.
_HEADLESS = re.compile(r"HeadlessChrome/(\d+)[.\d]*")


@dataclass(frozen=True, slots=True)
class Guise:
    """How the pages of a context see their reader.

    Attributes:
        user_agent: what it calls itself; empty: as the browser does by itself.
        language: BCP 47 tag of its only language; empty: those of the browser.
        timezone: IANA name of its time zone.
    """

    user_agent: str = ""
    language: str = ""
    timezone: str = "UTC"

    @classmethod
    def of(cls, settings: Settings) -> Guise:
        """That of live pages."""
        return cls(settings.user_agent, settings.language, settings.timezone)

    @classmethod
    def sealed(cls, provenance: Mapping[str, Any]) -> Guise:
        """That of a capture; of one that was sealed before this was kept, that of the browser."""
        found = provenance.get("identity")
        known = found if isinstance(found, dict) else {}
        return cls(**{name: str(known[name]) for name in cls.__slots__ if name in known})

    def resolved(self, own: str) -> Guise:
        """The same with a name: its own, or the browser's ``own`` without "Headless"."""
        return self if self.user_agent else replace(self, user_agent=without_headless(own))

    def as_json(self) -> dict[str, str]:
        """As ``provenance.json`` keeps it."""
        return {"user_agent": self.user_agent, "language": self.language, "timezone": self.timezone}


#: That of the browser itself.
AS_IT_IS = Guise()


def without_headless(user_agent: str) -> str:
    """A user agent as the same browser has it with a window: its name, and its version reduced."""
    return _HEADLESS.sub(r"Chrome/\1.0.0.0", user_agent)


def request_headers(user_agent: str, languages: Sequence[str], hints: Mapping[str, Any] | None) -> Headers:
    """What a browser with this identity sends with each request: its name, languages and low-entropy hints.

    Args:
        user_agent: its name.
        languages: its languages, best first.
        hints: what ``navigator.userAgentData`` says; None where there is none.
    """
    weighed = [
        tag if place == 0 else f"{tag};q={max(1 - place / 10, 0.1):g}" for place, tag in enumerate(languages)
    ]
    found = [("user-agent", user_agent), ("accept-language", ",".join(weighed))]
    if hints:
        brands = ", ".join(f'"{each["brand"]}";v="{each["version"]}"' for each in hints["brands"])
        found += [
            ("sec-ch-ua", brands),
            ("sec-ch-ua-mobile", "?1" if hints["mobile"] else "?0"),
            ("sec-ch-ua-platform", f'"{hints["platform"]}"'),
        ]
    return tuple((name, value) for name, value in found if value)
