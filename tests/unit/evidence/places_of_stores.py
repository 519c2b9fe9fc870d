"""The places and databases that a store is tested on."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verifaible.store.files import Bucket
from verifaible.store.root import Root
from verifaible.store.store import Store


@dataclass
class Place:
    """Opens the same store again and again, each time as another process would."""

    location: str
    index_url: str
    opened: list[Store] = field(default_factory=list)

    def store(self) -> Store:
        """The store, opened anew."""
        location: Any = self.location if "://" in self.location else Path(self.location)
        store = Store(location, index_url=self.index_url)
        self.opened.append(store)
        return store

    def remove(self, name: str) -> None:
        """Delete one file of the store."""
        files = self.store().files
        if isinstance(files, Root):
            (files.folder / name).unlink()
        else:
            assert isinstance(files, Bucket)
            files._fs.rm_file(files._path(name))

    def drop_index(self) -> None:
        """Throw the index away."""
        self.close()
        if self.index_url.startswith("postgresql"):
            empty_index(self.index_url)
            return
        (Path(self.location) / "index.sqlite").unlink(missing_ok=True)

    def close(self) -> None:
        """Give back every connection."""
        for store in self.opened:
            store.close()
        self.opened.clear()


def empty_index(url: str) -> None:
    """Throw away what PostgreSQL has of an index; the log stays."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for name in ("citations", "checks", "deleted", "state"):
            connection.execute(f"DELETE FROM verifaible_{name}")


def drop_tables(url: str) -> None:
    """Empty a PostgreSQL database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")


def remove_tree(path: Path) -> None:
    """Delete a folder, whatever is in it."""
    shutil.rmtree(path, ignore_errors=True)
