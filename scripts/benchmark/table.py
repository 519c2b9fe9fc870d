"""What the benchmarks publish: sections with a table each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, what the table says and how it was measured, and the table."""

    heading: str
    explained: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The section as it stands in ``docs/benchmarks.md``."""
        lines = [f"| {' | '.join(self.columns)} |", "|---" + "|---:" * (len(self.columns) - 1) + "|"]
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return f"## {self.heading}\n\n{self.explained}\n\n" + "\n".join(lines) + "\n"


def kilobytes(size: float) -> str:
    """Bytes as kilobytes."""
    return f"{size / 1000:.1f} kB"


def megabytes(size: float) -> str:
    """Bytes as megabytes."""
    return f"{size / 1e6:.2f} MB"


def renewed(page: str, head: str, sections: Sequence[Section]) -> str:
    """The page with these sections instead of those of the same headings; new ones come last."""
    kept = {
        part.partition("\n")[0].removeprefix("## "): part
        for part in re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]
    }
    kept |= {section.heading: section.markdown() for section in sections}
    return "\n".join([head, *(part.rstrip("\n") + "\n" for part in kept.values())])
