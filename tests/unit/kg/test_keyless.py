"""Filings that are read at the places of an executor: the same triples, and none where one is no filing."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.unit.kg.small import SMALL
from tests.unit.runs.losing import Losing
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.evidence.store.store import Store
from verifaible.kg import keyless
from verifaible.kg.cli import kg
from verifaible.kg.extract import by_model as by_model_module
from verifaible.kg.extract.by_model import ExtractionInfo
from verifaible.kg.folder import KEYLESS, GraphFolder
from verifaible.kg.keyless import extract_keyless
from verifaible.runs import executing
from verifaible.runs.executor import Opening
from verifaible.schema.chat import Usage


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


def test_the_command_has_one_cluster_for_all_its_folders_and_modes(
    folders: list[GraphFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    @contextmanager
    def cluster(chosen: str) -> Iterator[None]:
        said.append(f"{chosen} begins")
        yield
        said.append(f"{chosen} ends")

    def by_model(*_: object) -> ExtractionInfo:
        said.append("by a model")
        return ExtractionInfo.model_construct(failed={}, not_asked={}, usage=Usage(), seconds=0.0)

    async def by_none(*_: object, **__: object) -> None:
        said.append("by none")

    monkeypatch.setattr(executing, "one_cluster", cluster)
    monkeypatch.setattr(keyless, "extract_keyless", by_none)
    monkeypatch.setattr(by_model_module, "extract_by_model", by_model)
    monkeypatch.setattr(ExtractionInfo, "line", lambda *_: "")
    paths = [str(folder.path) for folder in folders]
    asked = ["--mode", "xbrl", "--mode", "single", "--model", "m", "--executor", "ray"]
    done = CliRunner().invoke(kg, ["extract", *paths, *asked], catch_exceptions=False)
    assert done.exit_code == 0
    assert said == ["ray begins", "by none", *["by a model"] * len(folders), "ray ends"]


async def test_a_folder_without_a_filing_is_told_before_any_is_read(
    folders: list[GraphFolder], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="has no filing"):
        await extract_keyless([*folders, GraphFolder(tmp_path / "empty")], ("xbrl",))
    assert not any(folder.runs() for folder in folders)
