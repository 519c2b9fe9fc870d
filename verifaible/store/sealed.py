"""What a store keeps of a citation, read only as it was sealed: its file, its capture, its pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from verifaible.errors import IntegrityError
from verifaible.schema.citation import Citation, CitationDraft
from verifaible.store.entries import RESTORE
from verifaible.store.files import Files

if TYPE_CHECKING:
    from verifaible.archive.reader import WaczReader


def capture_file(sha256: str) -> str:
    """The name of a capture in the store."""
    return f"captures/{sha256}.wacz"


def citation_file(citation_id: str) -> str:
    """The name of a citation in the store."""
    return f"citations/{citation_id}.json"


def picture_files(citation: Citation) -> dict[str, str]:
    """The SHA-256 of each file of a citation's picture, by its name in the store."""
    return {f"pictures/{tile.sha256}.webp": tile.sha256 for tile in citation.picture.tiles}


class SealedFiles:
    """The files of a store."""

    def __init__(self, files: Files) -> None:
        self.files = files

    @property
    def location(self) -> str:
        """The folder or URL, for people."""
        return self.files.location

    def citation_bytes(self, citation_id: str) -> bytes:
        """The annotation file of a citation, by its whole id.

        Raises:
            IntegrityError: it is gone.
        """
        try:
            return self.files.read(citation_file(citation_id))
        except FileNotFoundError as error:
            raise IntegrityError(
                f"The file of citation {citation_id} is missing. Restore {citation_file(citation_id)} from a "
                "copy of the store."
            ) from error

    def open_capture(self, citation: CitationDraft) -> AbstractContextManager[WaczReader]:
        """The capture of a citation; see :meth:`open_sealed`."""
        return self.open_sealed(citation.capture.sha256)

    @contextmanager
    def open_sealed(self, sha256: str) -> Iterator[WaczReader]:
        """A capture by the SHA-256 of its bytes, which must be those that were sealed.

        Raises:
            IntegrityError: the file is gone, or has another hash.
        """
        from verifaible.archive.reader import WaczReader

        with self.sealed_file(sha256) as path, WaczReader(path) as reader:
            yield reader

    def pictures(self, citation: Citation) -> tuple[bytes, ...]:
        """The files of a citation's picture.

        Raises:
            IntegrityError: one is gone or was changed.
        """
        return tuple(self.sealed_bytes(name, sha256) for name, sha256 in picture_files(citation).items())

    def sealed_bytes(self, name: str, sha256: str) -> bytes:
        """The bytes of a file, which must have this SHA-256.

        Raises:
            IntegrityError: it is gone or was changed.
        """
        try:
            data = self.files.read(name)
        except FileNotFoundError as error:
            raise IntegrityError(f"{name} is missing. {RESTORE}") from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise IntegrityError(f"{name} was changed. {RESTORE}")
        return data

    @contextmanager
    def sealed_file(self, sha256: str, name: str = "") -> Iterator[Path]:
        """The file of a capture on this machine, after a look at its bytes; its name follows from them.

        Raises:
            IntegrityError: the file is gone, or has another hash.
        """
        name = name or capture_file(sha256)
        try:
            with self.files.local(name) as path:
                with path.open("rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
                if found != sha256:
                    raise IntegrityError(f"The capture {name} was changed: its SHA-256 is {found}. {RESTORE}")
                yield path
        except FileNotFoundError as error:
            raise IntegrityError(f"The capture {name} is missing. {RESTORE}") from error
