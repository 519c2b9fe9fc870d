"""Filings that are read at the places of an executor: the same triples, and none where one is no filing."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from tests.unit.kg.small import SMALL
from tests.unit.runs.losing import Losing
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.evidence.store.store import Store
from verifaible.kg import keyless
from verifaible.kg.folder import KEYLESS, GraphFolder
from verifaible.kg.keyless import extract_keyless
from verifaible.runs.executor import Opening


@pytest.fixture
def folders(tmp_path: Path) -> list[GraphFolder]:
    store = Store.open(Settings(home=tmp_path))
    made = [GraphFolder(tmp_path / name) for name in "abcd"]
    for number, folder in enumerate(made):
        body = SMALL.read_bytes().replace(b"714", b"%d14" % number)
        folder.ingest(body, "demo.html", store, url=f"https://filings.example/{number}")
    store.close()
    return made


def written(folders: list[GraphFolder]) -> list[bytes]:
    return [folder.run(mode).triples.path.read_bytes() for folder in folders for mode in KEYLESS]


async def test_what_workers_read_is_what_is_read_here(
    folders: list[GraphFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in folders:
        folder.extract(tuple(KEYLESS))
    before = written(folders)
    assert len(set(before)) > len(KEYLESS)  # the filings differ
    await extract_keyless(folders, tuple(KEYLESS))
    assert written(folders) == before
    executors: list[Losing] = []

    def workers(opening: Opening) -> Losing:
        executors.append(Losing(opening, 2, frozenset({1, 4}), pickle))
        return executors[0]

    monkeypatch.setattr(keyless, "executor_of", lambda *_, **__: workers)
    for folder in folders:
        for mode in KEYLESS:
            folder.run(mode).replace(())
    await extract_keyless(folders, tuple(KEYLESS), executor="ray")
    assert len(executors[0].calls) == len(folders) + 2
    assert written(folders) == before


async def test_a_folder_without_a_filing_is_told_before_any_is_read(
    folders: list[GraphFolder], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="has no filing"):
        await extract_keyless([*folders, GraphFolder(tmp_path / "empty")], ("xbrl",))
    assert not any(folder.runs() for folder in folders)
