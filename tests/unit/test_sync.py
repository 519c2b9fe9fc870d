"""The client without ``await``: the same methods with the same arguments, and none is missing."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.unit.evidence.samples import add
from verifaible import Verifaible
from verifaible.config import Settings
from verifaible.errors import CitationNotFound
from verifaible.store.store import Store
from verifaible.sync import Verifaible as Sync

#: For who has a loop: what begins in the background, or takes a record that ``cite`` makes.
ASYNC_ONLY = {"warm", "collect", "record"}


def public(kind: type) -> dict[str, object]:
    return {
        name: inspect.signature(each)
        for name, each in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


def test_each_method_has_its_mirror_with_the_same_arguments() -> None:
    theirs = {name: each for name, each in public(Verifaible).items() if name not in ASYNC_ONLY}
    assert public(Sync) == theirs


def test_what_needs_no_browser_works_without_a_loop(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, store=str(tmp_path / "store"))
    citation = add(Store.open(settings))
    with Sync(settings) as client:
        assert [row.id for row in client.list()] == [citation.id]
        assert client.verify(citation.id).verdict == "verified"
        assert client.show("latest").citation == citation
        assert client.verify_all().ok
        assert client.delete(citation.id, dry_run=True).citations[0].id == citation.id
        client.delete(citation.id)
        with pytest.raises(CitationNotFound):
            client.show(citation.id)
