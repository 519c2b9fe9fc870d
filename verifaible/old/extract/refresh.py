"""Where a page sends its readers by itself: ``meta`` elements and the header ``Refresh``."""

from __future__ import annotations

import re
from urllib.parse import urldefrag, urljoin

from lxml import etree

#: WHATWG HTML, "shared declarative refresh steps", without its rarest spellings;
#: possessive, so that blanks are read once.
_REFRESH = re.compile(
    r"\s*+(?P<delay>\d*+(?:\.\d*+)?+)(?:\s*+[;,]|\s)\s*+(?:url\s*+=\s*+)?(?:\"(?P<double>[^\"]*)\"?|'(?P<single>[^']*)'?|(?P<bare>\S.*))",
    re.IGNORECASE,
)


def refresh_target(root: etree._Element, url: str, sent: str, longest_s: float) -> str:
    """The absolute address of another page that this one leads to; an empty string where it stays.

    Args:
        root: tree of the page.
        url: its address.
        sent: value of the header ``Refresh``, or an empty string.
        longest_s: a page that stays longer than this is content.
    """
    stated = [
        node.get("content") or ""
        for node in root.iter("meta")
        if (node.get("http-equiv") or "").strip().lower() == "refresh" and not _is_apart(node)
    ]
    for text in [sent, *stated]:
        match = _REFRESH.match(text)
        if match is None or float(match["delay"].strip(".") or 0) > longest_s:
            continue
        try:
            target = urljoin(url, (match["double"] or match["single"] or match["bare"] or "").strip())
        except ValueError:
            continue
        if target.startswith(("http:", "https:")) and urldefrag(target).url != urldefrag(url).url:
            return str(urldefrag(target).url)
    return ""


def _is_apart(node: etree._Element) -> bool:
    return next(node.iterancestors("noscript", "template"), None) is not None
