"""Evidence made by earlier versions stays evidence: it verifies, replays, is shown, exported and imported.

``scripts/make_old_store.py`` made the stores, each with the version that wrote its format.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.kit.marks import nightly
from verifaible.cli import verifaible
from verifaible.evidence.store.store import Store

STORES = sorted((Path(__file__).resolve().parents[1] / "stores").glob("format-*"))
EXPORTS = sorted((Path(__file__).resolve().parents[1] / "stores").glob("*.zip"))
KINDS = ["image", "pdf", "table", "text", "text", "video"]  # one of the texts stands on a dynamic page


@pytest.fixture(scope="module", params=[STORES[0], *map(nightly, STORES[1:])], ids=lambda folder: folder.name)
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose store is a copy of the old one, which signs with a new key from here on."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(request.param, home / "snapshots" / "store")
    Store(home / "snapshots" / "store").rotate_key(lost=True)
    return home


def run(home: Path, *words: str) -> Result:
    result = CliRunner().invoke(verifaible, list(words), env={"VERIFAIBLE_HOME": str(home)})
    assert result.exit_code == 0, result.output
    return result


def ids(home: Path) -> list[str]:
    return [row.id for row in Store(home / "snapshots" / "store").rows()]


@pytest.mark.parametrize("folder", STORES, ids=lambda folder: folder.name)
def test_no_private_key_is_kept(folder: Path) -> None:
    assert not list(folder.rglob("*.pem"))


def test_it_holds_a_citation_of_each_kind(home: Path) -> None:
    citations = Store(home / "snapshots" / "store").citations()
    assert sorted(citation.evidence_type for citation in citations) == KINDS


def test_it_verifies(home: Path) -> None:
    assert "6 of 6" in run(home, "verify", "--all").output


def test_it_replays_offline(home: Path) -> None:
    run(home, "replay", "--all")
    store = Store(home / "snapshots" / "store")
    checks = [store.checks(name)[-1] for name in ids(home)]
    assert [(check.kind, check.verdict, check.text_similarity) for check in checks] == [
        ("offline", "verified", 1.0)
    ] * len(KINDS)


@pytest.mark.nightly
def test_it_is_shown(home: Path) -> None:
    for name in ids(home):
        citation = Store(home / "snapshots" / "store").get(name)
        assert citation.anchor.text in run(home, "show", name).output


@pytest.mark.nightly
def test_it_is_exported_and_imported(home: Path, tmp_path: Path) -> None:
    key = Store(home / "snapshots" / "store").keys.current.id
    for name in ids(home):
        run(home, "export", name, "--out", str(tmp_path))
        exported = tmp_path / f"verifaible-{name}"
        assert (exported / "report.pdf").read_bytes().startswith(b"%PDF")
        run(tmp_path / "other", "import", str(exported), "--key", key)
    assert ids(tmp_path / "other") == ids(home)


@pytest.mark.nightly
@pytest.mark.parametrize("archive", EXPORTS, ids=lambda path: path.name)
def test_an_export_is_imported(archive: Path, tmp_path: Path) -> None:
    name = json.loads(run(tmp_path, "import", str(archive), "--json").stdout)["id"]
    assert "verified" in run(tmp_path, "verify", name).output
