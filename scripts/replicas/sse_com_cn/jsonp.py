"""One JSONP exchange of query.sse.com.cn, spelt as ``static/js/common/core.js`` requests it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from scripts.replicas.common import Exchange

HOST = "https://query.sse.com.cn/"
#: A callback's name and a time stamp change on every request; the recording holds these.
CALLBACK = "jsonpCallback52041793"
TIME_STAMP = "1772438400000"
#: What encodeURIComponent leaves alone, besides letters, digits, ``-``, ``_``, ``.`` and ``~``.
_UNESCAPED = "!*'()"


def exchange(path: str, params: Mapping[str, str], payload: Mapping[str, object]) -> Exchange:
    """The answer ``payload`` to the query ``params`` at ``path``."""
    pairs = {"jsonCallBack": CALLBACK, **params, "_": TIME_STAMP}
    query = "&".join(
        f"{quote(name, safe='')}={quote(value, safe=_UNESCAPED)}" for name, value in pairs.items()
    )
    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return Exchange(
        url=f"{HOST}{path}?{query}",
        body=f"{CALLBACK}({body})".encode(),
        content_type="application/json;charset=UTF-8",
    )


def page_of(items: Sequence[object], number: int, size: int) -> dict[str, object]:
    """The exchange's ``pageHelp`` object for page ``number`` (from 1) of ``items``."""
    return {
        "beginPage": number,
        "cacheSize": 1,
        "data": list(items[(number - 1) * size : number * size]),
        "endPage": number,
        "pageCount": page_count(items, size),
        "pageNo": number,
        "pageSize": size,
        "total": len(items),
    }


def page_count(items: Sequence[object], size: int) -> int:
    """Number of pages that ``items`` fill; an empty list still has one."""
    return max(1, -(-len(items) // size))
