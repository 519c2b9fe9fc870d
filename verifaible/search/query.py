"""Reading a query: its words, and the one host that ``site:`` keeps to."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import urlsplit

from verifaible.errors import BadArguments
from verifaible.search.base import MAX_HITS

_SITE = re.compile(r"(?<!\S)site:(\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Query:
    """A search.

    Attributes:
        text: the query as it was given, on one line.
        words: the same without ``site:``.
        site: a host in lower case without ``www.``, or an empty string.
        limit: how many hits are wanted, 1 to ``MAX_HITS``.
    """

    text: str
    words: str
    site: str
    limit: int

    def allows(self, url: str) -> bool:
        """Whether a page is of the host that was asked for, or of one below it."""
        if not self.site:
            return True
        host = urlsplit(url).hostname or ""
        return host.removeprefix("www.") == self.site or host.endswith("." + self.site)


def parse_query(query: str, limit: int) -> Query:
    """A query as engines are asked.

    Raises:
        BadArguments: it holds no word, or the limit is not positive.
    """
    if limit < 1:
        raise BadArguments("limit: it must be 1 or more. Call again with a positive number.")
    text = " ".join(unicodedata.normalize("NFC", query).split())
    words = " ".join(_SITE.sub(" ", text).split())
    if not any(char.isalnum() for char in words):
        raise BadArguments("query: it holds no word to search for. Give a few words of what you look for.")
    found = _SITE.search(text)
    return Query(text, words, host_of_site(found[1]) if found else "", min(limit, MAX_HITS))


def host_of_site(site: str) -> str:
    """The host in what follows ``site:``: ``https://www.example.org/x`` and ``*.example.org`` too."""
    host = site.lower().removeprefix("https://").removeprefix("http://")
    return host.split("/")[0].removeprefix("*.").removeprefix("www.").strip(".")
