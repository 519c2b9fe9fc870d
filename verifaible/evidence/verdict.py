"""What a check means: failures as verdicts, and addresses that lead somewhere else now. Pure functions."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from verifaible.anchoring.diff import render_diff
from verifaible.anchoring.evidence import Found
from verifaible.errors import (
    AnchorAmbiguous,
    AnchorNotFound,
    NoText,
    OfflineMiss,
    PageBlocked,
    PageNotLoaded,
    ToolError,
    WrongContent,
)
from verifaible.net.captions import NoTracks
from verifaible.schema.check import Verdict

#: What a verdict means to somebody who has not read the manual.
SAYS: dict[Verdict, str] = {
    "verified": "The same evidence is at the same place",
    "moved": "The same words are elsewhere now",
    "changed": "The words there are different now",
    "ambiguous": "Several places match now, and nothing distinguishes them",
    "gone": "The evidence is no longer there",
    "blocked": "The page does not show its content",
    "error": "The check could not be made",
}
#: Statuses by which a server says that there is nothing any more.
_GONE_STATUSES = frozenset({404, 410})
#: What lies behind captions that could not be read, by the exception of youtube-transcript-api: they
#: are gone, or are kept from us. All others say that the check failed.
CAPTION_VERDICTS: dict[str, Verdict] = {
    "TranscriptsDisabled": "gone",
    "NoTranscriptFound": "gone",
    "VideoUnavailable": "gone",
    "VideoUnplayable": "blocked",
    "AgeRestricted": "blocked",
    "RequestBlocked": "blocked",
    "IpBlocked": "blocked",
    "FailedToCreateConsentCookie": "blocked",
}
_HOME = re.compile(
    r"/(?:[a-z]{2}(?:[-_][a-z]{2,4})?/?)?(?:(?:index|default|home|main)(?:\.[a-z]{3,5})?)?/?", re.IGNORECASE
)
#: Words of a path by which a site says that it lets one in, or not.
_GATE = re.compile(
    r"(?:log|sign)[-_]?in|logon|auth(?:enticate|orize)?|sso|passport|captcha|challenge|verify|consent|cookie-?wall"
    r"|denied|forbidden|blocked|paywall|subscribe",
    re.IGNORECASE,
)
_CANDIDATES = 3


def of_failure(error: ToolError, *, live: bool) -> tuple[Found, str]:
    """The verdict of a check that ended in an error, as a placement, and what to say of it.

    On the live web a page that the server says it does not have any more, and content of another
    kind, mean that the evidence is gone; a server that fails, or does not answer, means nothing.
    """
    said = str(error)
    if isinstance(error, PageBlocked):
        return Found("blocked"), said
    if isinstance(error, AnchorNotFound):
        return Found("gone", nearest=error.nearest), said
    if isinstance(error, AnchorAmbiguous):
        return Found("ambiguous", candidates=error.candidates), said
    if isinstance(error, OfflineMiss):
        return Found("error"), f"The capture is not complete: {error}"
    return Found(_verdict_live(error) if live else "error"), said


def _verdict_live(error: ToolError) -> Verdict:
    behind = CAPTION_VERDICTS.get(type(error.__cause__).__name__)
    if behind is not None:
        return behind
    if isinstance(error, PageNotLoaded):
        return "gone" if error.status in _GONE_STATUSES else "error"
    return "gone" if isinstance(error, WrongContent | NoText | NoTracks) else "error"


def by_address(placement: Found, expected: str, reached: str) -> tuple[Found, str]:
    """What a finding is worth if the address leads elsewhere than when it was cited.

    Words on the home page of another site are not the evidence, whatever they say; words behind
    any other change of site, or on the home page of the same one, have moved at best.

    Args:
        placement: what was found where the address leads now.
        expected: where it led when it was cited.
        reached: where it leads now.

    Returns:
        The placement, and a sentence about the address, empty where there is nothing to say.
    """
    if not reached.startswith(("http://", "https://")):
        return placement, ""
    other_host, home = _host(expected) != _host(reached), is_home(reached)
    if placement.verdict == "gone" and _is_gate(reached) and not _is_gate(expected):
        return replace(
            placement, verdict="blocked"
        ), f"The address leads to {reached} now, which lets no one in."
    if home and (other_host or not is_home(expected)):
        said = f"The address leads to the home page {reached} now."
        if other_host or placement.verdict not in ("verified", "moved"):
            nearest = placement.text or placement.nearest
            return Found("gone", nearest=nearest), said
        return replace(placement, verdict="moved"), said
    if not other_host:
        return placement, ""
    verdict: Verdict = "moved" if placement.verdict == "verified" else placement.verdict
    return replace(placement, verdict=verdict), f"The address leads to {reached} now."


def is_home(url: str) -> bool:
    """Whether an address is that of a site's home page, a language's own included."""
    parts = urlsplit(url)
    routed = parts.fragment.startswith(("/", "!")) and len(parts.fragment.strip("/!")) > 0
    asked = [name for name, _ in parse_qsl(parts.query) if not name.lower().startswith(("utm_", "ref"))]
    return not asked and not routed and bool(_HOME.fullmatch(parts.path or "/"))


def _is_gate(url: str) -> bool:
    """Whether a whole part of a path says so: ``/login``, not ``/news/login-rules``."""
    segments = re.split(r"[/.]", urlsplit(url).path)
    return any(_GATE.fullmatch(segment) for segment in segments if segment)


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower().rpartition("@")[2].removeprefix("www.")


def message_of(placement: Found, address: str = "") -> str:
    """What a check says of what was found; ``address`` is a sentence about where it was found."""
    parts = [f"{SAYS[placement.verdict]}."]
    if address:
        parts.append(address)
    if placement.difference and placement.verdict in ("changed", "moved"):
        parts.append(render_diff(placement.difference))
    elif placement.verdict == "gone" and placement.nearest:
        parts.append(f"The nearest text is: {placement.nearest[:200]}")
    elif placement.verdict == "ambiguous" and placement.candidates:
        parts.append(f"They are: {' | '.join(placement.candidates[:_CANDIDATES])}")
    return " ".join(parts)
