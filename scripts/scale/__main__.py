"""``python -m scripts.scale`` measures, and prints tables (``--write``: into ``docs/results/cluster.md``)."""

from __future__ import annotations

import argparse
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "results" / "cluster.md"
PARTS = ("writers", "index", "captures", "efficiency")


def main() -> None:
    """Measure the parts that are asked for, all by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append", help="measure only this (repeatable)")
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--additions", type=int, default=200, help="of each writer")
    parser.add_argument("--kills", type=int, default=16)
    parser.add_argument("--place", action="append", help="of the writers' store: only this (repeatable)")
    parser.add_argument("--citations", type=int, default=1_000_000, help="in the index")
    parser.add_argument("--captures", type=int, default=20_000, help="in the bucket")
    parser.add_argument("--rounds", type=int, default=3, help="of efficiency")
    parser.add_argument("--workers", type=int, default=2, help="of efficiency")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/results/cluster.md")
    arguments = parser.parse_args()
    for name in arguments.part or PARTS:
        if name == "writers":
            from scripts.scale import writers

            found = writers.run(
                arguments.place or writers.PLACES,
                writers=arguments.writers,
                additions=arguments.additions,
                kills=arguments.kills,
            )
        elif name == "index":
            from scripts.scale import index

            found = index.run(arguments.citations)
        elif name == "efficiency":
            from scripts.scale import efficiency

            found = efficiency.run(arguments.rounds, arguments.workers)
        else:
            from scripts.scale import captures

            found = captures.run(arguments.captures)
        print(found.markdown(), flush=True)
        if arguments.write:
            PAGE.write_text(
                renewed(PAGE.read_text(encoding="utf-8"), name, found.markdown()), encoding="utf-8"
            )


def renewed(page: str, name: str, table: str) -> str:
    """The page with this table between its marks; they come last where there are none."""
    begin, end = f"<!-- scripts.scale: {name} -->", f"<!-- end of {name} -->"
    before, begun, rest = page.partition(begin)
    after = rest.partition(end)[2] if begun else "\n"
    return f"{before if begun else page.rstrip() + 2 * chr(10)}{begin}\n#{table}{end}{after}"


if __name__ == "__main__":
    main()
