"""What a WACZ file says of itself: its package and the pages it lists."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A page that an archive lists; ``text`` is what a reader could see on it, if it was kept."""

    id: str
    url: str
    title: str
    timestamp: datetime
    text: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """A file that the package vouches for; ``hash`` is ``sha256:<hex>``."""

    path: str
    hash: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class WaczMetadata:
    """What ``datapackage.json`` says of the archive; ``synthetic`` marks a replica."""

    title: str
    description: str
    created: str
    software: str
    wacz_version: str
    profile: str
    synthetic: bool
    resources: tuple[Resource, ...]
