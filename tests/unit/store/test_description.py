"""A store's description, made by whichever writer comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifaible.errors import IntegrityError
from verifaible.store.entries import describe
from verifaible.store.root import Root
from verifaible.store.store import Store


class Overtaken(Root):
    """The files of a writer that another one overtakes after it found no description."""

    def at_top(self) -> list[str]:
        _ = Store(self.folder).signer
        return super().at_top()


def test_a_writer_that_is_overtaken_takes_the_description_of_the_other(tmp_path: Path) -> None:
    described = describe(Overtaken(tmp_path / "store"), shared=False)
    assert described.id == Store(tmp_path / "store").id


def test_keys_without_a_description_are_a_damaged_store(tmp_path: Path) -> None:
    _ = Store(tmp_path / "store").signer
    (tmp_path / "store" / "store.json").unlink()
    with pytest.raises(IntegrityError, match=r"store\.json of .* is missing"):
        describe(Root(tmp_path / "store"), shared=False)
