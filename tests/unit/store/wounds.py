"""Damage to what a whole store rests on; each function gives words of the fault that must be named."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from tests.unit.store.files import LOG, lines_of, write_lines
from verifaible.store.entries import DESCRIPTION, CustodyEntry, CustodyHead
from verifaible.store.keys import PRIVATE
from verifaible.store.lines import HEAD

#: Takes the store's folder and two numbers that say which one, and where; empty if there was nothing to damage.
Wound: TypeAlias = Callable[[Path, int, int], str]

FOLDERS: Final = ("captures", "checks", "citations", "keys", "pictures")


def flipped(data: bytes, where: int) -> bytes:
    """The data with a bit changed somewhere."""
    place = where % len(data)
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def _ends_with_its_head(folder: Path) -> bool:
    """Whether the head speaks of the last line; behind a kill it may be one behind, and cannot know of that."""
    head = CustodyHead.model_validate_json((folder / HEAD).read_bytes())
    return head.number == CustodyEntry.model_validate_json(lines_of(folder)[-1]).number


def cut_the_log(folder: Path, pick: int, where: int) -> str:
    """Lines at its end are gone."""
    lines = lines_of(folder)
    if not _ends_with_its_head(folder):
        return ""
    write_lines(folder, lines[: pick % len(lines)])
    return "custody"


def tear_the_log(folder: Path, pick: int, where: int) -> str:
    """Its last line, which was whole once, ends early."""
    if not _ends_with_its_head(folder):
        return ""
    *before, last = lines_of(folder)
    write_lines(folder, before)
    with (folder / LOG).open("ab") as file:
        file.write(last[: where % len(last)])
    return "custody"


def edit_the_log(folder: Path, pick: int, where: int) -> str:
    """A bit of a line is another."""
    lines = lines_of(folder)
    at = pick % len(lines)
    lines[at] = flipped(lines[at], where)
    write_lines(folder, lines)
    return f"custody.jsonl:{at + 1}"


def take_a_line(folder: Path, pick: int, where: int) -> str:
    """A line before the last is gone."""
    lines = lines_of(folder)
    if len(lines) < 2:
        return ""
    del lines[pick % (len(lines) - 1)]
    write_lines(folder, lines)
    return "custody"


def repeat_a_line(folder: Path, pick: int, where: int) -> str:
    """A line stands there twice."""
    lines = lines_of(folder)
    at = pick % len(lines)
    write_lines(folder, [*lines[: at + 1], *lines[at:]])
    return f"custody.jsonl:{at + 2}"


def swap_lines(folder: Path, pick: int, where: int) -> str:
    """Two lines have changed places."""
    lines = lines_of(folder)
    if len(lines) < 2:
        return ""
    at = pick % (len(lines) - 1)
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    write_lines(folder, lines)
    return "custody"


def remove_the_log(folder: Path, pick: int, where: int) -> str:
    """The file is gone."""
    if not _ends_with_its_head(folder):
        return ""
    (folder / LOG).unlink()
    return "custody"


def remove_the_head(folder: Path, pick: int, where: int) -> str:
    """The file is gone."""
    (folder / HEAD).unlink()
    return HEAD


def edit_the_head(folder: Path, pick: int, where: int) -> str:
    """A bit of it is another."""
    (folder / HEAD).write_bytes(flipped((folder / HEAD).read_bytes(), where))
    return HEAD


def _by_age(folder: Path, pattern: str) -> list[Path]:
    """The files of a pattern, in an order that does not depend on their names, which are made by chance."""
    return sorted(folder.glob(pattern), key=lambda path: path.lstat().st_mtime_ns)


def _one_of(folder: Path, pattern: str, pick: int) -> Path | None:
    found = _by_age(folder, pattern)
    return found[pick % len(found)] if found else None


def edit_a_history(folder: Path, pick: int, where: int) -> str:
    """A bit of a check is another."""
    path = _one_of(folder, "checks/*.jsonl", pick)
    if path is None or not (lines := lines_of(folder, f"checks/{path.name}")):
        return ""
    at = where % len(lines)
    lines[at] = flipped(lines[at], where)
    write_lines(folder, lines, f"checks/{path.name}")
    return f"checks/{path.name}"


def add_to_a_history(folder: Path, pick: int, where: int) -> str:
    """A check more, past the log."""
    path = _one_of(folder, "checks/*.jsonl", pick)
    if path is None or not (lines := lines_of(folder, f"checks/{path.name}")):
        return ""
    forged = lines[where % len(lines)].replace(b'"verified"', b'"gone"').replace(b'"moved"', b'"verified"')
    write_lines(folder, [*lines, forged], f"checks/{path.name}")
    return f"checks/{path.name}"


def _named_key(folder: Path, pick: int) -> Path:
    """A public key that the log names; others are what a kill left."""
    log = (folder / LOG).read_bytes()
    found = [path for path in _by_age(folder, "keys/*.json") if path.name.encode() in log]
    return found[pick % len(found)]


def remove_a_key(folder: Path, pick: int, where: int) -> str:
    """A public key is gone."""
    path = _named_key(folder, pick)
    path.unlink()
    return path.stem


def edit_a_key(folder: Path, pick: int, where: int) -> str:
    """A bit of a public key's record is another."""
    path = _named_key(folder, pick)
    path.write_bytes(flipped(path.read_bytes(), where))
    return path.stem


def edit_the_private_key(folder: Path, pick: int, where: int) -> str:
    """It is no key any more."""
    if not (folder / PRIVATE).exists():
        return ""
    (folder / PRIVATE).write_bytes(b"no key")
    return PRIVATE


def remove_the_description(folder: Path, pick: int, where: int) -> str:
    """The file is gone."""
    (folder / DESCRIPTION).unlink()
    return DESCRIPTION


def edit_the_description(folder: Path, pick: int, where: int) -> str:
    """A bit of it is another."""
    (folder / DESCRIPTION).write_bytes(flipped((folder / DESCRIPTION).read_bytes(), where))
    return DESCRIPTION


def edit_the_index(folder: Path, pick: int, where: int) -> str:
    """It says something else of a citation."""
    if not (folder / "index.sqlite").exists():
        return ""
    with sqlite3.connect(folder / "index.sqlite") as database:
        ids = [name for (name,) in database.execute("SELECT id FROM verifaible_citations ORDER BY id")]
        if ids:
            change = (
                "UPDATE verifaible_citations SET listed = json_set(listed, '$.claim', 'forged') WHERE id = ?"
            )
            database.execute(change, [ids[pick % len(ids)]])
    database.close()
    return f"The index says something else of citation {ids[pick % len(ids)]}" if ids else ""


def link_a_folder(folder: Path, pick: int, where: int) -> str:
    """It lies elsewhere."""
    path = folder / FOLDERS[pick % len(FOLDERS)]
    return _linked(path) if path.exists() else ""


def link_a_file(folder: Path, pick: int, where: int) -> str:
    """It lies elsewhere."""
    names = (LOG, HEAD, DESCRIPTION, "lock", PRIVATE, "index.sqlite")
    path = folder / names[pick % len(names)]
    return _linked(path) if path.exists() else ""


def _linked(path: Path) -> str:
    outside = path.parent.parent / f"{path.name}-outside"
    if outside.is_dir():
        shutil.rmtree(outside)
    else:
        outside.unlink(missing_ok=True)
    shutil.move(path, outside)
    path.symlink_to(outside)
    return "is a link"


OF_THE_LOG: Final[tuple[Wound, ...]] = (
    *(cut_the_log, tear_the_log, edit_the_log, take_a_line, repeat_a_line, swap_lines, remove_the_log),
    *(remove_the_head, edit_the_head),
)
OF_THE_REST: Final[tuple[Wound, ...]] = (
    *(edit_a_history, add_to_a_history, remove_a_key, edit_a_key, edit_the_private_key),
    *(remove_the_description, edit_the_description, edit_the_index, link_a_folder, link_a_file),
)
