"""The evidence store: a folder of captures, citations, checks, and a custody log.

Everything is written to a temporary file first and moved into place, so that a kill at any
moment leaves no half-written file under a name that is ever read.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from verifaible.archive.reader import WaczReader
from verifaible.archive.signing import Signer
from verifaible.errors import CitationNotFound, IntegrityError, StoreError
from verifaible.evidence import annotation
from verifaible.schema.citation import Check, Citation

_START_OF_CHAIN = "0" * 64


class Store:
    """A store in a folder; the folder is made when something is first put into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._signer: Signer | None = None

    @property
    def signer(self) -> Signer:
        """The store's own key, made at its first use."""
        if self._signer is None:
            with _readable(self.folder):
                (self.folder / "keys").mkdir(parents=True, exist_ok=True)
            self._signer = Signer.load_or_create(self.folder / "keys" / "signing.pem")
        return self._signer

    # --- writing -------------------------------------------------------------------------

    def scratch(self) -> Path:
        """A new empty folder inside the store for files that are not whole yet."""
        with _readable(self.folder):
            (self.folder / "tmp").mkdir(parents=True, exist_ok=True)
            return Path(tempfile.mkdtemp(dir=self.folder / "tmp"))

    def add(self, fields: dict[str, Any], capture: Path) -> Citation:
        """Put a capture and the citation that rests on it into the store.

        Args:
            fields: the citation's fields in JSON form, without ``id``.
            capture: a whole WACZ file; it is moved into the store.

        Returns:
            The citation, with its id.
        """
        citation = Citation.model_validate({**fields, "id": annotation.citation_id(fields)})
        sha256 = citation.capture.sha256
        with _readable(self.folder):
            for name in ("captures", "citations", "checks"):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
            capture.replace(self.capture_path(sha256))
            data = annotation.to_bytes(citation)
            self._write(self.folder / "citations" / f"{citation.id}.json", data)
            self._log("capture", sha256, sha256)
            self._log("citation", citation.id, hashlib.sha256(data).hexdigest())
        return citation

    def add_check(self, check: Check) -> None:
        """Append a check to its citation's history."""
        line = check.model_dump_json() + "\n"
        with _readable(self.folder):
            (self.folder / "checks").mkdir(parents=True, exist_ok=True)
            _append(self.folder / "checks" / f"{check.citation_id}.jsonl", line)

    def _write(self, path: Path, data: bytes) -> None:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)

    def _log(self, kind: str, name: str, sha256: str) -> None:
        """Append to the custody log; each line holds the hash of the line before it."""
        path = self.folder / "custody.jsonl"
        with _locked(path) as file:
            _drop_cut_line(path, file)
            previous = _last_line(path)
            entry = {
                "at": datetime.now(UTC).isoformat(),
                "kind": kind,
                "name": name,
                "sha256": sha256,
                "previous": hashlib.sha256(previous).hexdigest() if previous else _START_OF_CHAIN,
            }
            file.write(annotation.canonical(entry) + b"\n")

    # --- reading -------------------------------------------------------------------------

    def capture_path(self, sha256: str) -> Path:
        """Where the capture with that hash is, or would be."""
        return self.folder / "captures" / f"{sha256}.wacz"

    def get(self, citation_id: str) -> Citation:
        """The citation with that id, or with that unique beginning of an id.

        Raises:
            CitationNotFound: there is none, or several begin so.
            IntegrityError: its file was changed or is damaged.
        """
        path = self.folder / "citations" / f"{citation_id}.json"
        if not (citation_id.isalnum() and path.is_file()):
            path = self._by_beginning(citation_id)
        with _readable(self.folder):
            return annotation.from_bytes(path.read_bytes(), path.stem)

    def _by_beginning(self, beginning: str) -> Path:
        found: list[Path] = []
        if len(beginning) >= 4 and beginning.isalnum():
            found = sorted((self.folder / "citations").glob(f"{beginning}*.json"))
        if len(found) == 1:
            return found[0]
        if found:
            raise CitationNotFound(
                f"{len(found)} citations in {self.folder} begin with {beginning}. Give more of the id."
            )
        raise CitationNotFound(
            f"No citation {beginning} in {self.folder}. `verifaible list` shows those that are there; "
            "VERIFAIBLE_STORE names another store."
        )

    def citations(self) -> Iterator[Citation]:
        """Every citation, oldest first as far as the file system's times tell."""
        folder = self.folder / "citations"
        if self.folder.exists() and not self.folder.is_dir():
            raise StoreError(f"The store {self.folder} is not a folder. Set VERIFAIBLE_STORE to one.")
        if not folder.is_dir():
            return
        for path in sorted(folder.glob("*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name)):
            yield self.get(path.stem)

    def open_capture(self, citation: Citation) -> WaczReader:
        """The capture of a citation, whose bytes must be those that were sealed.

        Raises:
            IntegrityError: the file is gone, or has another hash than the citation names.
        """
        path = self.capture_path(citation.capture.sha256)
        if not path.is_file():
            raise IntegrityError(
                f"The capture of citation {citation.id} is missing. Restore {path.name} from a "
                f"copy of the store."
            )
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != citation.capture.sha256:
            raise IntegrityError(
                f"The capture of citation {citation.id} was changed: its SHA-256 is {found}, sealed was "
                f"{citation.capture.sha256}. Restore {path.name} from a copy of the store."
            )
        return WaczReader(path)

    def checks(self, citation_id: str) -> tuple[Check, ...]:
        """The history of a citation, oldest first; a line cut off by a kill is left out."""
        path = self.folder / "checks" / f"{citation_id}.jsonl"
        if not path.is_file():
            return ()
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        return tuple(Check.model_validate_json(line) for line in lines)

    def custody_faults(self) -> list[str]:
        """What is wrong with the custody log: lines that do not continue the chain."""
        path = self.folder / "custody.jsonl"
        if not path.is_file():
            return []
        faults = []
        previous = b""
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            expected = hashlib.sha256(previous).hexdigest() if previous else _START_OF_CHAIN
            try:
                chained = json.loads(line).get("previous") == expected
            except (ValueError, AttributeError):
                chained = False
            if not chained:
                faults.append(f"custody.jsonl line {number}: the chain is broken")
            previous = line
        return faults


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Turn what the operating system says of a store into a sentence."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"The store {folder} cannot be used ({error.strerror or error}). Free space, correct its "
            "permissions, or set VERIFAIBLE_STORE to another folder."
        ) from error


@contextmanager
def _locked(path: Path) -> Iterator[Any]:
    """An append handle that one process at a time holds, where the system can lock files."""
    with path.open("ab") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        except ImportError:
            pass  # not on Windows: appends of one line are short enough there
        yield file
        file.flush()
        os.fsync(file.fileno())


def _append(path: Path, line: str) -> None:
    with _locked(path) as file:
        _drop_cut_line(path, file)
        file.write(line.encode())


def _drop_cut_line(path: Path, file: Any) -> None:
    """Take away a last line without its line break: a kill cut it off, so it never was whole."""
    with path.open("rb") as reading:
        size = reading.seek(0, os.SEEK_END)
        whole = size
        while whole > 0:
            start = max(0, whole - 4096)
            reading.seek(start)
            found = reading.read(whole - start).rfind(b"\n")
            if found >= 0:
                whole = start + found + 1
                break
            whole = start
    if whole < size:
        file.truncate(whole)


def _last_line(path: Path) -> bytes:
    """The last whole line of a file, read from its end."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 4096))
        lines = file.read().splitlines()
    return lines[-1] if lines else b""
