"""One spelling for each address, and the site it belongs to.

Addresses are parsed as browsers do (WHATWG URL Standard) by ada, the parser of Node.js.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

import ada_url

_TRIPLET = re.compile(r"%[0-9A-Fa-f]{2}")
_RESERVED = "!#$%&'()*+,/:;=?@[]"
#: Only characters that a URI may hold (RFC 3986).
_URI = re.compile(r"[a-z][a-z0-9+.\-]*:[\w!$%&'()*+,\-./:;=?@\[\]~]*", re.ASCII | re.IGNORECASE)


def _parsed(url: str) -> str:
    try:
        whole = str(ada_url.normalize_url(url))
    except ValueError:
        whole = quote(url.strip(), safe=_RESERVED, errors="surrogatepass")
    return whole.partition("#")[0]


def recordable(url: str) -> str:
    """The URL as it stands in a record: no fragment, and only characters a URI may hold.

    A URL that was valid already comes back as it was. Any other is written as a browser asks for it, and what
    is no URL at all is percent-encoded.
    """
    plain = url.partition("#")[0]
    return plain if _URI.fullmatch(plain) else _parsed(url)


def exact_key(url: str) -> str:
    """Equal for spellings of one address that cannot mean anything else.

    The fragment goes; scheme and host are lower case, the host is in punycode; the default port goes; dot
    segments are resolved; characters that no URL may hold become percent triplets, which are upper case.
    """
    return _TRIPLET.sub(lambda triplet: triplet[0].upper(), _parsed(url))


def site_of(url: str) -> str:
    """The registrable domain of a URL's host; an address or a local name stands for itself.

    Public suffixes where anybody can have a name (``github.io``) count as suffixes, so two such names are two
    sites. The list is the one that ships with the tld package.
    """
    from tld import get_fld  # 50 ms: only where a site is asked for

    domain = get_fld(url, fail_silently=True, search_private=True)
    return str(domain) if domain else (urlsplit(url).hostname or "").lower().rstrip(".")
