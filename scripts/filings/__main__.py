"""Measure and print: ``python -m scripts.filings [--write] [--aside]``."""

# ruff: noqa: E501 - sentences of the document
from __future__ import annotations

import argparse
from pathlib import Path

from scripts.benchmark.table import Section, renewed
from scripts.filings.cells import ASIDE, SEED, compare, drawn, shares

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "kg-filings.md"
CODE = ("verifaible/kg/metrics.py", "verifaible/kg/years.py", "verifaible/kg/metrics.json")
HEAD = (
    "# How well tables of filings are read without their tags\n\nWritten by `scripts/filings/__main__.py`.\n"
)
#: What the readers of proofs and claims gave by themselves, chunk by chunk, before anything was written for filings.
FIRST = {
    "seven": (3728, 4234, 4373, 2739, 1712, 1974, 3493, 1489, 6694),
    "three": (1121, 1279, 1529, 695, 516, 581, 1103, 248, 1867),
}
TEXT = (
    "Ten 10-Ks of 2024 and 2025 with inline XBRL. Their tags are removed, the words in them stay; then each tagged number in a "
    "cell of a table is read from the cell, its headers and the lines above the table, and compared with its tag. *Value*: "
    "scaled and signed. *Scale*: the same value apart from its sign. *Period*: the same last day, both an instant or "
    "both a span, of the same length within a week. A dash tagged as nil counts as 0. *All but the sign*: scale, "
    "unit "
    "and period; a tag's sign follows the definition of its concept (a payment is positive, so is an increase in "
    "receivables that a cash flow statement shows in brackets), which a reader of the table does not know. Wrong: "
    "read, and not all "
    "four agree. Refused: no reading. Three filings were drawn (`random.Random({seed}).sample`) before any code was "
    "written for filings, and were run only for the first and the last figure. The first figure is that of the "
    "general readers alone, with a chunk as their text. The goal for the three is 90 % with all four right; below "
    "it, "
    "`kg extract` does so only with `--mode tables`. Code written for it: {code}."
)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m scripts.filings", description=__doc__)
    parser.add_argument("--aside", action="store_true", help="also those that are kept aside")
    parser.add_argument("--write", action="store_true", help="write docs/kg-filings.md; needs --aside")
    chosen = parser.parse_args()
    columns, rows = [""], [list[str]() for _ in FIRST["seven"][:-1]]
    for name, paths in zip(FIRST, drawn(), strict=True):
        if name == "three" and not chosen.aside:
            continue
        last = shares([each for path in paths for each in compare(path)])
        columns += [f"{name}: first", f"{name}: last"]
        for row, (field, (part, whole)), first in zip(rows, last.items(), FIRST[name], strict=False):
            row.extend([] if row else [field])
            row.extend([_of(first, FIRST[name][-1]), _of(part, whole)])
    sizes = ", ".join(f"`{name}` {len((ROOT / name).read_text().splitlines())} lines" for name in CODE)
    text = TEXT.format(seed=SEED, code=sizes)
    section = Section(
        f"Tagged cells of tables, {ASIDE} of ten filings kept aside",
        text,
        tuple(columns),
        tuple(map(tuple, rows)),
    )
    print(section.markdown())
    if chosen.write and chosen.aside:
        PAGE.write_text(renewed("", HEAD, [section]), encoding="utf-8")


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({100 * part / max(whole, 1):.1f} %)"


if __name__ == "__main__":
    main()
