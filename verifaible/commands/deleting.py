"""``verifaible delete``: citations, runs and folders of judging that are no longer wanted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifaible.bench.environment import read_settings
from verifaible.commands.ages import age_of
from verifaible.commands.finding import line_of
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.schema.check import IndexRow
    from verifaible.store.deletion import Deletion
    from verifaible.store.store import Store

_KINDS = ("citations", "runs", "judged")
#: What a folder holds that is a run's or a folder of judging; others were put there by somebody.
_MARKS = ("run.json", "harness.json", "judge.json")


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What was chosen: citations, and folders by the names that the custody log gives them."""

    citations: dict[str, IndexRow] = field(default_factory=dict)
    folders: dict[str, Path] = field(default_factory=dict)


@click.command()
@click.argument("names", metavar="[ID]...", nargs=-1)
@click.option("--older", metavar="AGE", help="All that is older than this: 90d, 12h.")
@click.option("--only", multiple=True, type=click.Choice(_KINDS), help="Of --older only these; repeatable.")
@click.option("--dry-run", is_flag=True, help="Only list what would be deleted.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def delete(
    *,
    names: tuple[str, ...],
    older: str | None,
    only: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete citations, runs or folders of judging; a signed entry of the custody log tells that it was done.

    ID is a citation's id or its beginning, or the name of a folder in runs/ or judged/. With --older, all
    whose citation was made, or whose folder was last written into, before that. A capture goes with its last
    citation; one that a folder in judged/ or runs/ rests on is kept. What would go is listed first.

    \b
    Examples:
      verifaible delete 1f3a
      verifaible delete 20260302T080000Z-oracle --yes
      verifaible delete --older 90d --dry-run
    """
    from verifaible.store.store import Store

    if bool(names) is bool(older) or (only and not older):
        raise click.UsageError("Give IDs, or --older AGE (with --only, if you like).")
    settings = read_settings()
    before = datetime.now(UTC) - age_of("--older", older) if older else None
    store = Store.open(settings)
    chosen = (
        _named(settings, store, names) if before is None else _older(settings, store, before, only or _KINDS)
    )
    _carry_out(settings, store, chosen, yes=yes, as_json=as_json, dry_run=dry_run)


def _named(settings: Settings, store: Store, names: Sequence[str]) -> _Chosen:
    rows = {row.id: row for row in store.rows()}
    chosen = _Chosen()
    for name in names:
        if folder := _folder(settings, name):
            chosen.folders.update([folder])
        else:
            found = store.full_id(name)
            chosen.citations[found] = rows[found]
    return chosen


def _older(settings: Settings, store: Store, before: datetime, kinds: Sequence[str]) -> _Chosen:
    rows = store.rows() if "citations" in kinds else []
    folders = {
        name: path
        for name, path in _folders(settings).items()
        if name.partition("/")[0] in kinds
        and any((path / mark).is_file() for mark in _MARKS)
        and _last_written(path) < before
    }
    return _Chosen({row.id: row for row in rows if row.created_at < before}, folders)


def _folders(settings: Settings) -> dict[str, Path]:
    """The folders of runs and of judging, by the names that the custody log gives them."""
    return {
        f"{kind}/{path.name}": path
        for kind, parent in (("runs", settings.runs_dir), ("judged", settings.judged_dir))
        if parent.is_dir()
        for path in sorted(parent.iterdir())
        if path.is_dir() and not path.is_symlink()
    }


def _folder(settings: Settings, name: str) -> tuple[str, Path] | None:
    """The folder that somebody names, by its name or its path.

    Raises:
        ConfigError: it is another folder.
    """
    for known, path in _folders(settings).items():
        if name.rstrip("/") in (path.name, known) or Path(name).absolute() == path.absolute():
            return known, path
    if Path(name).is_dir():
        raise ConfigError(
            f"{name} is not in {settings.runs_dir} or {settings.judged_dir}, so no entry can name it. Delete "
            "it by hand."
        )
    return None


def _last_written(path: Path) -> datetime:
    latest = max(each.stat().st_mtime for each in (path, *path.iterdir()))
    return datetime.fromtimestamp(latest, UTC)


def _carry_out(
    settings: Settings,
    store: Store,
    chosen: _Chosen,
    *,
    yes: bool,
    as_json: bool,
    dry_run: bool = False,
) -> None:
    """List what goes, ask, and delete it."""
    from verifaible.store.deletion import plan

    def planned() -> Deletion:
        staying = [path for path in _folders(settings).values() if path not in chosen.folders.values()]
        return plan(store, chosen.citations, needed=_needed(staying) if chosen.citations else ())

    deletion = planned()
    _tell(chosen, deletion, as_json=as_json)
    if dry_run or not (chosen.citations or chosen.folders):
        return
    if not yes:
        click.confirm("Delete all of this? It cannot be undone.", abort=True, err=True)
        deletion = planned()  # while somebody thought, another citation may have come to rest on a capture
    store.delete(deletion.items)
    for name, path in chosen.folders.items():
        _delete_folder(store, name, path)
    click.echo("Deleted.", err=True)


def _delete_folder(store: Store, name: str, path: Path) -> None:
    from verifaible.bench.run.folder import RunFolder
    from verifaible.store.deletion import log_deleted

    with RunFolder(path).held() if name.startswith("runs/") else nullcontext():
        log_deleted(store, path, name)
        try:
            shutil.rmtree(path)
        except OSError as error:
            raise ConfigError(
                f"{path} cannot be deleted ({error.strerror}), though the custody log says so now. Delete it "
                "by hand."
            ) from error


def _needed(folders: Sequence[Path]) -> set[str]:
    """Captures that the answers and claims of judged folders, and of a harness's runs, rest on."""
    from verifaible.store.deletion import hashes_in

    files = (folder / name for folder in folders for name in ("answers.jsonl", "claims.jsonl"))
    return {sha256 for file in files if file.is_file() for sha256 in hashes_in(file.read_bytes())}


def _tell(chosen: _Chosen, deletion: Deletion, *, as_json: bool) -> None:
    if as_json:
        told = {
            "citations": [row.model_dump(mode="json") for row in chosen.citations.values()],
            "folders": list(chosen.folders),
            "files": [each.name for each in deletion.items],
            "kept": list(deletion.kept),
        }
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        for line in (*map(line_of, chosen.citations.values()), *chosen.folders):
            click.echo(line)
    kept = (
        f"; {len(deletion.kept)} captures and pictures stay, since others need them" if deletion.kept else ""
    )
    files = f"{len(deletion.items)} files{kept}"
    click.echo(f"{len(chosen.citations)} citations ({files}), {len(chosen.folders)} folders", err=True)
