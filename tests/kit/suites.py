"""Suites of cases as data: ``tests/suites/NAME.jsonl``, one case a line, every line a ``Row``.

A row that needs a file names it under the key ``file`` (a whole folder: ``folder``) anywhere in its ``input``, relative
to ``tests/suites``. ``pins.json`` holds the number of rows by split and a hash of each suite with its files;
``python -m tests.kit.suites --pin`` writes it anew, and refuses where a suite would lose rows.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

ROOT = Path(__file__).resolve().parents[1] / "suites"
PINS = ROOT / "pins.json"

_Words = Annotated[str, StringConstraints(min_length=1)]


class SuiteError(ValueError):
    """A suite that cannot be read; names the file and the line."""


class Row(BaseModel):
    """One case: what is given, what must come of it, and what it protects.

    ``split`` is ``dev`` for what the code was developed on, ``heldout-N`` for the sets that were written before the
    code was tried on them, in the order in which they were made.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: _Words
    kind: _Words
    split: Annotated[str, StringConstraints(pattern=r"^(dev|heldout-[1-9])$")]
    input: dict[str, Any]
    expect: dict[str, Any]
    why: _Words


def names() -> list[str]:
    """The suites there are, such as ``traps/texts``."""
    return sorted(path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.rglob("*.jsonl"))


def load(name: str, *, split: str | None = None, kind: str | None = None) -> list[Row]:
    """The rows of a suite in the order of its file, or those of one split or kind.

    Raises SuiteError where there is no such suite, a line is no row, or nothing is left of it.
    """
    rows = [row for row in _rows(name) if split in (None, row.split) and kind in (None, row.kind)]
    if not rows:
        raise SuiteError(f"{_path(name)}: no row with split {split!r} and kind {kind!r}")
    return rows


def files(name: str) -> list[Path]:
    """The files that the rows of a suite name, each once, sorted."""
    found: set[Path] = set()
    for row in _rows(name):
        for path in _named(row.input):
            if not path.exists():
                raise SuiteError(f"{_path(name)}: row {row.id!r} names {path}, which does not exist")
            found |= {each for each in path.rglob("*") if each.is_file()} if path.is_dir() else {path}
    return sorted(found)


def pins() -> dict[str, dict[str, Any]]:
    """The number of rows by split and the hash of every suite, as they are now."""
    return {
        name: {"rows": dict(Counter(row.split for row in _rows(name))), "sha256": _sha256(name)}
        for name in names()
    }


def lost(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What of the pinned rows is no longer there, a sentence each."""
    return [
        f"{name}, {split}: {count} rows are pinned, {now} are there"
        for name, pin in before.items()
        for split, count in pin["rows"].items()
        if (now := after.get(name, {"rows": {}})["rows"].get(split, 0)) < count
    ]


def _path(name: str) -> Path:
    return ROOT / f"{name}.jsonl"


@cache
def _rows(name: str) -> tuple[Row, ...]:
    path, rows, seen = _path(name), [], set()
    if not path.is_file():
        raise SuiteError(f"{path}: there is no such suite")
    # Not splitlines: U+2028 and the like may stand in a string.
    for number, line in enumerate(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"), 1):
        try:
            row = Row.model_validate(json.loads(line))
        except (ValidationError, ValueError) as error:
            raise SuiteError(f"{path}:{number}: {error}") from None
        if row.id in seen:
            raise SuiteError(f"{path}:{number}: a second row with the id {row.id!r}")
        seen.add(row.id)
        rows.append(row)
    return tuple(rows)


def _named(value: object) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, each in value.items():
            if key in ("file", "folder") and isinstance(each, str):
                yield ROOT / each
            else:
                yield from _named(each)
    elif isinstance(value, list):
        for each in value:
            yield from _named(each)


def _sha256(name: str) -> str:
    whole = hashlib.sha256()
    for path in (_path(name), *files(name)):
        data = path.read_bytes()
        whole.update(f"{path.relative_to(ROOT).as_posix()}\n{len(data)}\n".encode())
        whole.update(data)
    return whole.hexdigest()


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.kit.suites", description=__doc__)
    parser.add_argument("--pin", action="store_true", help="write tests/suites/pins.json anew")
    chosen = parser.parse_args()
    now = pins()
    for name, pin in now.items():
        print(name, *(f"{split} {count}" for split, count in pin["rows"].items()), pin["sha256"][:16])
    if chosen.pin:
        before = json.loads(PINS.read_text(encoding="utf-8")) if PINS.is_file() else {}
        if missing := lost(before, now):
            raise SystemExit("Not pinned. Rows may only be added:\n" + "\n".join(missing))
        PINS.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _main()
