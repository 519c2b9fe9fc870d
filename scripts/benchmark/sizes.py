"""What citations take in a store: the archive, the pictures, and the rest of the evidence."""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from scripts.benchmark.table import kilobytes

COLUMNS = ("archive / sent", "stored / sent", "sent", "archive part", "pictures", "other evidence", "stored")
EXPLAINED = (
    "those that a citation adds to the store: the part that a web archive holds (`archive/`, `indexes/`, "
    "`pages/`, package, signature), the pictures, and all other evidence. The goal is at most 1.2 times the "
    "bytes sent for the archive part; on pages of a few kilobytes that cannot be, because heads, digests and "
    "the signature take some kilobytes however little was sent."
)
_PICTURES = (".png", ".webp", ".jpg", ".jpeg", ".avif")
#: Made from the other files, and made again from them when it is lost.
_INDEX = "index.sqlite"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes on the disk."""

    archive: int
    pictures: int
    other: int

    @property
    def whole(self) -> int:
        """All of them."""
        return self.archive + self.pictures + self.other

    def cells(self, sent: int) -> tuple[str, ...]:
        """The cells under ``COLUMNS``, beside the bytes that were sent."""
        sizes = (sent, self.archive, self.pictures, self.other, self.whole)
        return f"{self.archive / sent:.2f}", f"{self.whole / sent:.2f}", *map(kilobytes, sizes)


def files(store: Path) -> set[str]:
    """The names of all files of a store in a folder, without its index."""
    found = (path for path in store.rglob("*") if path.is_file() and not path.name.startswith(_INDEX))
    return {path.relative_to(store).as_posix() for path in found}


def sizes(store: Path, names: Collection[str]) -> Sizes:
    """How large these files of a store are; captures are looked into."""
    archive = pictures = other = 0
    for path in (store / name for name in names):
        size = path.stat().st_size
        if zipfile.is_zipfile(path):
            inner = _evidence(path)
            shown = sum(each for name, each in inner.items() if name.endswith(_PICTURES))
            pictures += shown
            other += sum(inner.values()) - shown
            archive += size - sum(inner.values())
        elif path.name.endswith(_PICTURES):
            pictures += size
        else:
            other += size
    return Sizes(archive, pictures, other)


def _evidence(capture: Path) -> dict[str, int]:
    """What each evidence file takes in a capture."""
    with zipfile.ZipFile(capture) as file:
        inside = {info.filename: info.compress_size for info in file.infolist()}
    return {name: size for name, size in inside.items() if name.startswith("evidence/")}
