"""The part of the client that needs no browser: what is kept, verified, taken over and deleted."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from verifaible.console.options import read_settings
from verifaible.errors import ConfigError, StoreError
from verifaible.store.store import Store

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.evidence.audit import Audit
    from verifaible.evidence.bundle_import import Imported
    from verifaible.evidence.timestamp import EntryCheck, StampedEntry
    from verifaible.library import Deleted, Kept, Kind
    from verifaible.schema.base import EvidenceType
    from verifaible.schema.check import Check, IndexRow, Verdict
    from verifaible.store.entries import CustodyHead
    from verifaible.store.keys import KeyRecord


class StoreClient:
    """The evidence store of some settings, and what it is asked; see :class:`verifaible.Verifaible`."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or read_settings()
        self.store = Store.open(self.settings)

    async def verify(self, citation_id: str, *, hash_only: bool = False) -> Check:
        """Check hashes, signatures and the anchor without a browser; the check is added to the history.

        Args:
            citation_id: the id, its beginning, or ``latest``.
            hash_only: do not look for the evidence in the sealed bytes.

        Raises:
            CitationNotFound: there is none, or several begin so.
            StoreUnreachable: the store cannot be read now.

        Warns:
            UserWarning: the store cannot be added to; the check holds nevertheless.
        """
        from verifaible.evidence.verify import verify

        def verified() -> Check:
            check = verify(self.store.get(citation_id), self.store, hash_only=hash_only).check
            self.record(check)
            return check

        return await asyncio.to_thread(verified)

    async def verify_all(
        self,
        *,
        since: datetime | None = None,
        hash_only: bool = False,
        head: CustodyHead | None = None,
        progress: Callable[[Check], None] | None = None,
    ) -> Audit:
        """Verify every citation, the custody log and the files; the checks are added to the histories.

        Args:
            since: only citations made then or later; the store is examined in any case.
            hash_only: do not look for the evidence in the sealed bytes.
            head: a head of the log that was kept elsewhere (:meth:`head`).
            progress: told of each check.

        Raises:
            StoreError: the store cannot be read.
        """
        from verifaible.evidence.audit import audit

        return await asyncio.to_thread(
            audit, self.store, hash_only=hash_only, since=since, watch=progress, head=head
        )

    # --- what is kept --------------------------------------------------------------------

    async def list(
        self,
        words: str = "",
        *,
        since: datetime | None = None,
        evidence_type: EvidenceType | Literal[""] = "",
        verdict: Verdict | Literal[""] = "",
        capture_verdict: Verdict | Literal[""] = "",
        live_verdict: Verdict | Literal["", "none"] = "",
        limit: int | None = None,
    ) -> Sequence[IndexRow]:
        """The citations of the store, newest first; with ``words``, those that have all of them.

        Args:
            words: looked for in claims, quotes, titles and addresses.
            since: only those made then or later.
            evidence_type: only this kind.
            verdict: only those with this one: the capture's if it does not hold, else the last live look's.
            capture_verdict: only those whose capture had this one when it was checked last.
            live_verdict: only those with this one at the last live look; ``none``: never looked at.
            limit: at most so many.

        Raises:
            StoreError: the store cannot be read.
        """
        return await asyncio.to_thread(
            self.store.rows,
            query=words,
            since=since,
            evidence_type=evidence_type,
            verdict=verdict,
            capture_verdict=capture_verdict,
            live_verdict=live_verdict,
            newest_first=True,
            limit=limit,
        )

    async def show(self, citation_id: str) -> Kept:
        """A citation with its history.

        Raises:
            CitationNotFound: there is none, or several begin so.
        """
        from verifaible.library import kept

        return await asyncio.to_thread(kept, self.store, citation_id)

    async def import_(self, path: Path, *, key: str = "") -> Imported:
        """Verify an export (its folder, or a .zip file of it) and take it over into the store.

        Args:
            path: the export.
            key: only if a key whose fingerprint begins so vouches for it.

        Raises:
            StoreError: something is wrong with it; nothing is stored then.
        """
        from verifaible.evidence.bundle_import import import_export

        return await asyncio.to_thread(import_export, path, self.store, key=key)

    async def delete(
        self,
        *names: str,
        older: timedelta | None = None,
        kinds: Collection[Kind] = ("citations", "runs", "judged"),
        dry_run: bool = False,
    ) -> Deleted:
        """Delete citations, runs or folders of judging; the custody log tells that it was done.

        Args:
            names: ids or their beginnings, and names of folders.
            older: instead, all that was made or written into longer ago.
            kinds: what of that.
            dry_run: only tell what would go.

        Raises:
            ConfigError: neither names nor an age are given, or both.
            CitationNotFound, IntegrityError, RunError: nothing was deleted; says why.
        """
        from verifaible.library import DeletionPlan

        if bool(names) is (older is not None):
            raise ConfigError("Give IDs, or an age.")

        def deleted() -> Deleted:
            deleting = DeletionPlan(self.settings, self.store, names, older=older, kinds=kinds)
            return deleting.plan() if dry_run else deleting.carry_out()

        return await asyncio.to_thread(deleted)

    # --- the store -----------------------------------------------------------------------

    async def reindex(self) -> int:
        """Make the index from the files again; gives the number of citations."""
        return await asyncio.to_thread(self.store.reindex)

    async def rotate_key(self, *, lost: bool = False) -> KeyRecord:
        """Sign with a new key from now on; what older keys signed stays valid.

        Args:
            lost: the private key is gone: the new one is not endorsed by it.
        """
        return await asyncio.to_thread(lambda: self.store.rotate_key(lost=lost))

    async def keys(self) -> Sequence[KeyRecord]:
        """The keys that have signed in this store, oldest first."""
        return await asyncio.to_thread(lambda: tuple(self.store.keys.all()))

    async def head(self) -> CustodyHead:
        """The signed statement of the custody log's end, to be kept somewhere else.

        Raises:
            StoreError: nothing is in the store yet.
        """
        found = await asyncio.to_thread(self.store.custody.head)
        if found is None:
            raise StoreError(
                f"Nothing is in {self.store.location} yet. Make a citation first: verifaible cite --help"
            )
        return found

    async def stamp(self, *authorities: str) -> StampedEntry:
        """Have outside parties time-stamp the custody log; only a hash is sent.

        Args:
            authorities: addresses of RFC 3161 authorities; default: two public ones.

        Raises:
            StoreError: an authority failed; what the others gave is kept.
        """
        from verifaible.evidence.timestamp import AUTHORITIES, stamp_store
        from verifaible.net.web import Web

        async with Web.live(self.settings).client([]) as client:
            return await stamp_store(self.store, authorities or AUTHORITIES, client)

    async def stamps(self, roots: bytes = b"") -> Sequence[EntryCheck]:
        """Check every time stamp of the store, offline.

        Args:
            roots: PEM certificates of authorities that are trusted.
        """
        from verifaible.evidence.timestamp import check_stamps, read_roots

        return await asyncio.to_thread(check_stamps, self.store, read_roots(roots) if roots else ())

    # --- inside ---

    def record(self, check: Check) -> None:
        """Add a check to the history of its citation; what hinders that is a warning."""
        from verifaible.evidence.audit import record

        if unrecorded := record(self.store, [check]):
            warnings.warn(unrecorded, stacklevel=2)
