"""Time stamps of a store: outside parties vouch that its custody log had reached an entry by a time.

Only the SHA-256 of the last entry is sent. Since each entry holds the hash of the one before it,
one stamp covers everything that was in the store by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from pydantic import ValidationError

from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence.stamps.records import Authority, StampCheck, StampingFailed, TimeStamp
from verifaible.evidence.stamps.timestamps import check, openssl_commands, stamp
from verifaible.net.client import HttpClient
from verifaible.schema.base import Record
from verifaible.store.annotation import CanonicalRecord
from verifaible.store.entries import RESTORE, item, line_name, sha256_of
from verifaible.store.log import LOG
from verifaible.store.store import Store

FOLDER = "timestamps"


class StampedEntry(CanonicalRecord):
    """The stamps on one custody entry; ``sha256`` is of the entry's line in the log."""

    entry: int
    sha256: str
    at: datetime
    stamps: tuple[TimeStamp, ...]

    @property
    def file(self) -> str:
        """Its file in the store."""
        return f"{FOLDER}/{self.entry:09}-{self.at:%Y%m%dT%H%M%S}.json"


class EntryCheck(Record):
    """What an offline check of the stamps on one entry found; ``fault`` says if it is not that entry."""

    stamped: StampedEntry
    checks: tuple[StampCheck, ...]
    fault: str = ""

    @property
    def ok(self) -> bool:
        """Whether the entry is the stamped one and no stamp has failed."""
        return not self.fault and all(each.state != "failed" for each in self.checks)


async def stamp_store(store: Store, authorities: Sequence[Authority], client: HttpClient) -> StampedEntry:
    """Have the last custody entry stamped, and keep the stamps in the store.

    Raises:
        StoreError: nothing is in the store.
        StampingFailed: an authority failed; what came from the others is kept in the store.
        ConfigError: too few authorities, or the library is missing.
    """
    number = store.custody.count()
    if not number:
        raise StoreError(f"Nothing is in {store.location} yet. Make a citation first: verifaible cite --help")
    sha256 = sha256_of(store.custody.read(number)[1])
    try:
        stamps, failed = await stamp(sha256, authorities, client), None
    except StampingFailed as error:
        stamps, failed = error.stamps, error
    stamped = StampedEntry(entry=number, sha256=sha256, at=datetime.now(UTC), stamps=stamps)
    if stamps:
        data = stamped.to_bytes()
        with store.turn(), store.taken_back([stamped.file]):
            store.files.create(stamped.file, data)
            store.log([item("timestamp", stamped.file, data)])
    if failed:
        raise failed
    return stamped


def stamped_entries(store: Store) -> Iterator[StampedEntry]:
    """The stamps of a store, oldest entry first; an :class:`IntegrityError` names a damaged file."""
    for name in store.files.names(FOLDER):
        try:
            yield StampedEntry.model_validate_json(store.files.read(f"{FOLDER}/{name}"))
        except ValidationError as error:
            raise IntegrityError(
                f"{FOLDER}/{name} is damaged, or holds a stamp that is not of RFC 3161. Restore it from a "
                "copy of the store."
            ) from error


def check_stamps(store: Store, roots: Sequence[x509.Certificate] = ()) -> list[EntryCheck]:
    """Check every stamp of a store, offline, oldest first; without ``roots``, signatures alone.

    Raises:
        IntegrityError: a file of stamps is damaged.
        ConfigError: the library is missing.
    """
    return [
        EntryCheck(
            stamped=stamped,
            checks=tuple(check(each, stamped.sha256, roots) for each in stamped.stamps),
            fault=_fault(store, stamped),
        )
        for stamped in stamped_entries(store)
    ]


def _fault(store: Store, stamped: StampedEntry) -> str:
    lines = store.lines.read(LOG, stamped.entry - 1, at_most=1)
    if not lines:
        return f"{line_name(stamped.entry)} which was stamped, is missing. {RESTORE}"
    if sha256_of(lines[0]) != stamped.sha256:
        return f"{line_name(stamped.entry)} is not the entry that was stamped. {RESTORE}"
    return ""


def save_stamps(checks: Sequence[EntryCheck], folder: Path) -> list[Path]:
    """Write every stamp as a file into a folder, made if it is missing; files of the same name are replaced.

    The last file is ``CHECK.txt``: commands that check them by openssl, with the roots in ``roots.pem``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files, commands = [], []
    for stamped in (each.stamped for each in checks):
        for number, one in enumerate(stamped.stamps, start=1):
            path = folder / f"{Path(stamped.file).stem}-{number}.tst"
            path.write_bytes(one.der())
            files.append(path)
            commands.append(f"# {one.authority}, on entry {stamped.entry} of the custody log\n")
            commands[-1] += openssl_commands(one, token_file=path.name, roots_file="roots.pem")
    guide = folder / "CHECK.txt"
    guide.write_text("\n".join(commands), encoding="utf-8")
    return [*files, guide]
