"""What is kept, for lists, pages and deletions: citations of the store, runs, folders of judging."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from verifaible.errors import ConfigError
from verifaible.schema.base import Record
from verifaible.schema.check import Check, IndexRow, State
from verifaible.schema.citation import Citation

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.store.deletion import Deletion
    from verifaible.store.store import Store

#: What ``delete`` takes by age.
Kind: TypeAlias = Literal["citations", "runs", "judged"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
#: What a folder holds that is a run's or a folder of judging; others were put there by somebody.
_MARKS: Final = ("run.json", "harness.json", "judge.json")


class Kept(Record):
    """A citation as it lies in the store: with its history, and where its capture is."""

    citation: Citation
    checks: tuple[Check, ...]
    capture: str

    @property
    def state(self) -> State:
        """What its checks say of it."""
        return State.of(self.checks)

    def as_json(self) -> dict[str, Any]:
        """For programs, as ``verifaible show --json`` prints it."""
        from verifaible.evidence.shown import as_json, link_of

        citation, state = self.citation, self.state
        return {
            "id": citation.id,
            "verdict": state.overall,
            "state": state.model_dump(mode="json"),
            "replay": citation.replay,
            "graded": citation.graded,
            "link": link_of(citation),
            "text": citation.anchor.text,
            **as_json(citation.anchor),
            "capture": self.capture,
            "citation": citation.model_dump(mode="json"),
            "checks": [check.model_dump(mode="json") for check in self.checks],
        }


def kept(store: Store, citation_id: str) -> Kept:
    """A citation by its id, the beginning of one, or ``latest``.

    Raises:
        CitationNotFound: there is none, or several begin so.
    """
    from verifaible.store.sealed import capture_file

    citation = store.get(citation_id)
    capture = f"{store.location}/{capture_file(citation.capture.sha256)}"
    return Kept(citation=citation, checks=store.checks(citation.id), capture=capture)


class Deleted(Record):
    """What was deleted, or would be.

    Attributes:
        citations: of the store.
        folders: of runs and of judging, as the custody log names them.
        files: of the store.
        kept: captures and pictures that stay, since others need them.
    """

    citations: tuple[IndexRow, ...] = ()
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


class DeletionPlan:
    """What is to be deleted; a signed entry of the custody log says that it was done.

    Args:
        settings: where the folders are.
        store: the store.
        names: ids of citations or their beginnings, and names or paths of folders.
        older: instead, all that was made, or last written into, longer ago than this.
        kinds: what of that.

    Raises:
        ConfigError: a folder is none of a run or of judging.
        CitationNotFound: there is no such citation.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        names: Sequence[str] = (),
        *,
        older: timedelta | None = None,
        kinds: Collection[Kind] = KINDS,
    ) -> None:
        self._store = store
        self._all = _folders(settings)
        rows = {row.id: row for row in store.rows()} if names or "citations" in kinds else {}
        self._citations: dict[str, IndexRow] = {}
        self._folders: dict[str, Path] = {}
        if older is not None:
            before = datetime.now(UTC) - older
            self._citations = {name: row for name, row in rows.items() if row.created_at < before}
            self._folders = {
                name: path
                for name, path in self._all.items()
                if name.partition("/")[0] in kinds and _is_ours(path) and _last_written(path) < before
            }
        for name in names:
            if folder := self._folder(settings, name):
                self._folders[folder] = self._all[folder]
            else:
                found = store.full_id(name)
                self._citations[found] = rows[found]

    def plan(self) -> Deleted:
        """What would go."""
        deletion = self._deletion()
        return Deleted(
            citations=tuple(self._citations.values()),
            folders=tuple(self._folders),
            files=tuple(each.name for each in deletion.items),
            kept=deletion.kept,
        )

    def carry_out(self) -> Deleted:
        """Delete it, and tell what has gone: another citation may need a capture since it was planned.

        Raises:
            IntegrityError: the store has faults, whose traces a deletion would cover.
            RunError: a run is under way in a folder.
        """
        planned, deletion = self.plan(), self._deletion()
        self._store.delete(deletion.items)
        for name, path in self._folders.items():
            self._delete_folder(name, path)
        return planned

    def _deletion(self) -> Deletion:
        from verifaible.store.deletion import plan

        staying = [path for path in self._all.values() if path not in self._folders.values()]
        return plan(self._store, self._citations, needed=_needed(staying) if self._citations else ())

    def _folder(self, settings: Settings, name: str) -> str:
        for known, path in self._all.items():
            if name.rstrip("/") in (path.name, known) or Path(name).absolute() == path.absolute():
                return known
        if Path(name).is_dir():
            raise ConfigError(
                f"{name} is not in {settings.runs_dir} or {settings.judged_dir}, so no entry can name it. "
                "Delete it by hand."
            )
        return ""

    def _delete_folder(self, name: str, path: Path) -> None:
        from verifaible.runs.folder import held
        from verifaible.store.deletion import log_deleted

        with held(path) if name.startswith("runs/") else nullcontext():
            log_deleted(self._store, path, name)
            try:
                shutil.rmtree(path)
            except OSError as error:
                raise ConfigError(
                    f"{path} cannot be deleted ({error.strerror}), though the custody log says so now. "
                    "Delete it by hand."
                ) from error


def _folders(settings: Settings) -> dict[str, Path]:
    """The folders of runs and of judging, by the names that the custody log gives them."""
    return {
        f"{kind}/{path.name}": path
        for kind, parent in (("runs", settings.runs_dir), ("judged", settings.judged_dir))
        if parent.is_dir()
        for path in sorted(parent.iterdir())
        if path.is_dir() and not path.is_symlink()
    }


def _is_ours(path: Path) -> bool:
    return any((path / mark).is_file() for mark in _MARKS)


def _last_written(path: Path) -> datetime:
    latest = max(each.stat().st_mtime for each in (path, *path.iterdir()))
    return datetime.fromtimestamp(latest, UTC)


def _needed(folders: Sequence[Path]) -> set[str]:
    """Captures that the answers and claims of judged folders, and of a harness's runs, rest on."""
    from verifaible.store.deletion import hashes_in

    files = (folder / name for folder in folders for name in ("answers.jsonl", "claims.jsonl"))
    return {sha256 for file in files if file.is_file() for sha256 in hashes_in(file.read_bytes())}
