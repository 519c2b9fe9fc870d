"""What the benchmarks publish: sections with a table each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, what the table says and how it was measured, and the table."""

    heading: str
    explained: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The section as it is printed."""
        lines = [f"| {' | '.join(self.columns)} |", "|---" + "|---:" * (len(self.columns) - 1) + "|"]
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return f"## {self.heading}\n\n{self.explained}\n\n" + "\n".join(lines) + "\n"


def kilobytes(size: float) -> str:
    """Bytes as kilobytes."""
    return f"{size / 1000:.1f} kB"


def megabytes(size: float) -> str:
    """Bytes as megabytes."""
    return f"{size / 1e6:.2f} MB"
