"""One ranking from several: reciprocal rank fusion.

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods" (SIGIR 2009): a page scores the sum of 1 / (k + rank) over the rankings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

from verifaible.archive.urls import normalise
from verifaible.search.base import SearchHit

#: The constant of the paper (section 2), found there to matter little.
K = 60

#: Parameters that say how a reader came to a page, not which page it is.
_TRACKING = re.compile(
    r"utm_\w+|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|spm|ref_src|srsltid", re.IGNORECASE
)


def same_page_key(url: str) -> str:
    """Equal for the spellings under which engines give one page.

    Beyond :func:`verifaible.archive.urls.normalise`: tracking parameters, ``www.``, a slash at the
    end and the fragment are left out.
    """
    parts = urlsplit(url)
    pairs = [pair for pair in parts.query.split("&") if not _TRACKING.fullmatch(pair.partition("=")[0])]
    host = parts.netloc.lower().removeprefix("www.")
    path = parts.path.rstrip("/") or "/"
    return normalise(urlunsplit((parts.scheme, host, path, "&".join(pairs), ""))).key


def fuse(rankings: Sequence[tuple[str, Sequence[SearchHit]]], limit: int) -> tuple[SearchHit, ...]:
    """The pages of several rankings in one, best first.

    Each page is shown as the engine that ranks it best gave it; what that one lacks (a snippet, a
    date) comes from the next. Ties go to the better best rank, then to the earlier engine.

    Args:
        rankings: (name of the engine, its hits, best first); an engine counts once for a page.
        limit: how many hits to give.
    """
    placed: dict[str, dict[int, tuple[int, SearchHit]]] = {}
    for number, (_, hits) in enumerate(rankings):
        for rank, hit in enumerate(hits, start=1):
            placed.setdefault(same_page_key(hit.url), {}).setdefault(number, (rank, hit))
    merged = []
    for found in placed.values():
        order = sorted(found, key=lambda number: (found[number][0], number))
        score = sum(1 / (K + rank) for rank, _ in found.values())
        hits = [found[number][1] for number in order]
        best = hits[0].model_copy(
            update={
                "snippet": next((hit.snippet for hit in hits if hit.snippet), ""),
                "published": next((hit.published for hit in hits if hit.published), ""),
                "score": round(score, 6),
                "engines": tuple(rankings[number][0] for number in order),
            }
        )
        merged.append((-score, found[order[0]][0], order[0], best))
    merged.sort(key=lambda entry: entry[:3])
    return tuple(entry[3] for entry in merged[:limit])
