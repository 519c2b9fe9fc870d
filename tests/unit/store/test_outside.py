"""Nothing outside a store is read or removed, whatever in it is a link and whatever it names; each is named."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.command_line import run_command
from tests.unit.evidence.samples import add, check
from tests.unit.store.files import lines_of, write_lines
from verifaible.config import Settings
from verifaible.errors import IntegrityError
from verifaible.evidence.export import Format, export
from verifaible.store.entries import CustodyEntry
from verifaible.store.keys import key_id, sign_bytes
from verifaible.store.root import Root, parts_of
from verifaible.store.store import Store

#: What a store holds: a citation's own parts are filled in.
FOLDERS: Final = (*("captures", "checks", "citations", "keys", "pictures", "timestamps", "tmp"),)
FILES: Final = (
    *("store.json", "index.sqlite", "index.sqlite-journal", "custody-head.json", "custody.jsonl", "lock"),
    *("keys/signing.pem", "keys/{key}.json", "citations/{citation}.json", "captures/{capture}.wacz"),
    *("pictures/{picture}.webp", "checks/{citation}.jsonl"),
)
#: Commands that read or write a store; ``{citation}`` and ``{out}`` are filled in.
COMMANDS: Final = (
    *("list", "show {citation}", "verify {citation}", "verify --all", "verify --all --hash-only"),
    *(
        "export {citation} --out {out} --format jsonld",
        "store reindex",
        "store rotate-key",
        "delete {citation} --yes",
    ),
    *("doctor", "import {bundle}"),
)
#: Names that lead out of a store, or are none.
NAMES: Final = (
    *(
        "../x",
        "checks/../../x",
        "checks/{citation}/../../../x",
        "/etc/hostname",
        "captures//x",
        "captures/./x",
    ),
    *(
        "captures/..",
        "",
        ".",
        "..",
        "x",
        "elsewhere/x",
        "captures/.hidden",
        "captures/x\\..\\y",
        "captures/x\n",
    ),
    *("captures/x\x00y", "captures/" + "x" * 300, "captures/é", "~/x", "C:/x", "file:///etc/hostname"),
    "tmp/x",
)


class Made:
    """A store with a citation and its check, and the export of another."""

    def __init__(self, folder: Path, bundle: Path) -> None:
        self.home = folder
        self.store = Store(folder / "store")
        self.citation = add(self.store)
        self.store.add_check(check(self.citation))
        self.store.close()
        self.folder = folder / "store"
        self.parts = {
            "citation": self.citation.id,
            "key": key_id(self.store.signer.public_key),
            "capture": self.citation.capture.sha256,
            "picture": self.citation.picture.tiles[0].sha256,
            "out": str(folder / "out"),
            "bundle": str(bundle),
        }

    def run(self, command: str) -> tuple[int, str]:
        """The exit status of a command and all that it prints."""
        environment = {
            "VERIFAIBLE_HOME": str(self.home),
            "VERIFAIBLE_STORE": str(self.folder),
            "PATH": os.environ["PATH"],
        }
        words = [word.format(**self.parts) for word in command.split()]
        done = run_command(words, environment=environment, folder=self.home)
        return done.returncode, " ".join((done.stdout + done.stderr).split())


def seen(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a folder, with its time and bytes."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    store = Store(folder / "store")
    citation = add(store, "Another", quote="It was 5.1% then.")
    wanted: list[Format] = ["wacz", "jsonld", "picture"]
    done = asyncio.run(export(citation, store, Settings(home=folder), folder / "out", formats=wanted))
    return done.folder


@pytest.fixture
def made(tmp_path: Path, bundle: Path) -> Made:
    return Made(tmp_path / "home", bundle)


def linked(made: Made, name: str, outside: Path) -> Path:
    """Put what a name of the store stands for outside, and a link to it in its place."""
    place = made.folder / name.format(**made.parts)
    target = outside / place.name
    outside.mkdir()
    if place.exists():
        shutil.move(place, target)
    elif name in FOLDERS:
        target.mkdir()
        (target / "scratch-0").mkdir()
        (target / "old").mkdir()
        (target / "old" / "letter.txt").write_text("mine")
        place.parent.mkdir(parents=True, exist_ok=True)
        long_ago = time.time() - 7 * 24 * 3600
        for each in ("scratch-0", "old"):
            os.utime(target / each, (long_ago, long_ago))
    place.symlink_to(target)
    return place


@pytest.mark.parametrize("name", [*FOLDERS, *FILES])
def test_what_is_linked_elsewhere_is_named_and_left_alone(made: Made, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    place = linked(made, name, outside)
    before = seen(outside)
    own = str(place.relative_to(made.folder))
    for command in COMMANDS:
        status, said = made.run(command)
        assert seen(outside) == before, f"{command} changed what is outside"
        assert place.is_symlink(), f"{command} put something in the place of the link"
        if command.startswith("verify --all"):
            assert status != 0, said
            assert own.partition("/")[0] in said, said
            assert "is a link" in said, said


def entry_that_names(made: Made, kind: str, name: str) -> None:
    """Append a signed entry with an item of this name, past the checks of the code that appends."""
    lines = lines_of(made.folder)
    entry = json.loads(lines[-1])
    entry["number"], entry["signature"] = len(lines) + 1, ""
    entry["items"] = [{"kind": kind, "name": name.format(**made.parts), "sha256": "0" * 64}]
    unsigned = CustodyEntry.model_construct(**entry).model_dump(mode="json", exclude={"signature"})
    from verifaible.store.annotation import canonical

    entry["signature"] = sign_bytes(made.store.signer, canonical(unsigned))
    write_lines(made.folder, [*lines, canonical(entry)])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["check", "citation", "capture"])
def test_a_log_that_names_what_is_outside(made: Made, tmp_path: Path, kind: str, name: str) -> None:
    for path in (tmp_path / "x", made.home / "x"):
        path.write_text("mine")
    entry_that_names(made, kind, name)
    before = {path: path.read_text() for path in (tmp_path / "x", made.home / "x")}
    for command in ("verify --all", "list", "delete {citation} --yes"):
        status, said = made.run(command)
        assert {path: path.read_text() for path in before} == before, command
        if command != "list":
            assert status != 0, f"{command}: {said}"
            assert "custody.jsonl" in said, said


@pytest.mark.parametrize("name", NAMES)
def test_a_root_takes_no_name_that_leads_out(tmp_path: Path, name: str) -> None:
    (tmp_path / "x").write_text("mine")
    root = Root(tmp_path / "root")
    root.create("captures/y", b"1")
    uses: tuple[Callable[[str], object], ...] = (
        *(root.read, root.open, root.exists, root.delete),
        lambda name: root.create(name, b"2"),
        lambda name: root.replace(name, b"2"),
        lambda name: root.adopt(name, tmp_path / "x"),
    )
    if name in ("x", "elsewhere/x", "tmp/x"):
        assert parts_of(name), "a root knows no folders of a store: its records do"
        return
    for use in uses:
        with pytest.raises(IntegrityError, match="is no name of a file"):
            use(name.format(citation="c"))
    assert (tmp_path / "x").read_text() == "mine"
    assert sorted(path.name for path in (tmp_path / "root").iterdir()) == ["captures"]


def test_an_index_that_names_files_outside(made: Made, tmp_path: Path) -> None:
    made.run("list")
    (made.home / "x.json").write_text(json.dumps({"mine": True}))
    with sqlite3.connect(made.folder / "index.sqlite") as database:
        database.execute("UPDATE verifaible_checks SET citation_id = '../x'")
        database.execute("UPDATE verifaible_citations SET id = '../x', listed = replace(listed, id, '../x')")
    for command in (
        "list",
        "show {citation}",
        "show ../x",
        "verify ../x",
        "delete ../x --yes",
        "verify --all",
    ):
        status, said = made.run(command)
        assert "mine" not in said, command
        assert (made.home / "x.json").exists(), command
    assert status != 0


def test_what_stands_at_the_top_and_is_not_ours_is_named_and_left_alone(made: Made) -> None:
    (made.folder / "letters").mkdir()
    (made.folder / "letters" / "one.txt").write_text("mine")
    (made.folder / "notes.txt").write_text("mine")
    status, said = made.run("verify --all")
    assert status == 0, said
    assert "letters was not made by verifaible" in said
    assert "notes.txt was not made by verifaible" in said
    made.run("delete {citation} --yes")
    assert (made.folder / "letters" / "one.txt").read_text() == "mine"


def test_only_old_scratch_folders_of_ours_are_removed(tmp_path: Path) -> None:
    root = Root(tmp_path / "store")
    old = root.scratch()
    mine = tmp_path / "store" / "tmp" / "holiday"
    mine.mkdir()
    linked_home = tmp_path / "store" / "tmp" / "scratch-home"
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("mine")
    linked_home.symlink_to(tmp_path / "home")
    long_ago = time.time() - 7 * 24 * 3600
    for path in (old, mine, tmp_path / "home"):
        os.utime(path, (long_ago, long_ago))
    root.scratch()
    assert not old.exists()
    assert mine.exists()
    assert (tmp_path / "home" / "letter.txt").read_text() == "mine"
