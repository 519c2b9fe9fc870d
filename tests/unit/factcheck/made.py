"""Libraries and claims for the tests of the rules."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from verifaible.factcheck.library import Library
from verifaible.schema.analyst import Claim, ClaimKind, Source


def source(number: int, *, title: str = "", url: str = "") -> Source:
    return Source(id=f"src_{number}", kind="page", capture=f"{number:064x}", title=title, url=url)


def library(
    texts: Iterable[str], *, at: datetime | None = None, topic: str = "", title: str = "", url: str = ""
) -> Library:
    pairs = [(source(n, title=title, url=url), text) for n, text in enumerate(texts)]
    return Library(pairs, at=at, topic=topic)


def claim(text: str, *context: str, kind: ClaimKind = "number") -> Claim:
    return Claim(id="c1", start=0, end=len(text), text=text, kind=kind, context=context)
