"""Measure and print: ``python -m scripts.filings [--write] [--aside]``."""

from __future__ import annotations

import argparse
import sys
import time

from scripts.filings.cells import compare, drawn, shares


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m scripts.filings", description=__doc__)
    parser.add_argument("--aside", action="store_true", help="also those that are kept aside")
    chosen = parser.parse_args()
    for name, paths in zip(("seven", "three"), drawn(), strict=True):
        if name == "three" and not chosen.aside:
            continue
        began = time.process_time()
        found = [each for path in paths for each in compare(path)]
        print(name, len(found), f"{time.process_time() - began:.1f} s", file=sys.stderr)
        for field, (part, whole) in shares(found).items():
            print(f"{field:<18} {part:>6,} of {whole:,} ({100 * part / max(whole, 1):.1f} %)")


if __name__ == "__main__":
    main()
