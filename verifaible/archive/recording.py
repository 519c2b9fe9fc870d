"""A recording of the live web: visits are added one by one and written as one archive a site.

Bodies lie in a temporary file without a name once they are large, each one once, until the recording is
written; so a recording that is broken off, in whatever way, leaves no archive.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from verifaible.archive.private import without_private, without_secrets
from verifaible.archive.reader import WaczReader
from verifaible.archive.signing import Signer
from verifaible.archive.streams import STREAMS
from verifaible.archive.visits import Loaded, chosen, keys_of
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import StoreError
from verifaible.schema.web import WebExchange

#: Bodies up to this much in all are kept in memory.
MEMORY_BYTES = 64 * 1024 * 1024
_SPACE = "Free some space or choose another folder, then record it again."


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """A page that a visit showed, for the list of pages and for search; ``text`` is what could be read."""

    url: str
    title: str
    recorded_at: datetime
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Written:
    """An archive that was written: how much is in it, and what stood there before.

    ``exchanges`` counts requests with their answers; connections that stay open are records besides.
    ``replaced`` is what ``standing`` said of its place.
    """

    path: Path
    site: str
    exchanges: int
    pages: int
    replaced: str = ""


@dataclass(slots=True)
class _Site:
    visits: list[list[Loaded]] = field(default_factory=list)
    pages: list[RecordedPage] = field(default_factory=list)


def site_of(url: str) -> str:
    """The registrable domain of a URL's host; an address or a local name stands for itself.

    Names that anybody can have (``github.io``) count as suffixes: two such names are two sites.
    """
    from tld import get_fld  # 50 ms: only where something is recorded

    domain = get_fld(url, fail_silently=True, search_private=True)
    return str(domain) if domain else (urlsplit(url).hostname or "").lower().rstrip(".")


def archive_of(folder: Path, site: str) -> Path:
    """The file of a site in a folder of archives: the one that is there, or the one to be made.

    A file is a site's by its name: ``home.treasury.gov.wacz`` is the archive of ``treasury.gov``.
    """
    plain = folder / f"{site.replace(':', '_')}.wacz"
    if plain.exists():
        return plain
    others = (path for path in sorted(folder.glob("*.wacz")) if site_of(f"https://{path.stem}/") == site)
    return next(others, plain)


def standing(path: Path) -> str:
    """What is at a path: ``""`` (nothing), ``"replica"``, ``"recording"``, or another ``"file"``."""
    if not path.exists():
        return ""
    try:
        with WaczReader(path) as reader:
            return "replica" if reader.metadata.synthetic else "recording"
    except StoreError:
        return "file"


def require_free(paths: Iterable[Path]) -> None:
    """Refuse to write over archives.

    Raises:
        StoreError: there is one already; names it, and says what it is.
    """
    for path in paths:
        if what := standing(path):
            raise StoreError(
                f"{path} is there already, and it is a {what}. Replace it with --force, or write elsewhere "
                "with --into FOLDER."
            )


class Recorder:
    """Keeps visits until they are written; use it as a context manager.

    A visit is what one browser context, or one HTTP client, loaded. It goes to the site of the address
    that it began with, third parties' answers included.

    Args:
        secrets: values that are removed wherever they stand, such as keys for search engines.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = tuple(secrets)
        self._sites: dict[str, _Site] = defaultdict(_Site)
        self._exchanges: list[WebExchange] = []  # without bodies
        self._bodies: list[tuple[tuple[int, int], tuple[int, int]]] = []
        self._places: dict[bytes, tuple[int, int]] = {}
        self._file = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 - closed by close
        self._end = 0

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget everything."""
        self._file.close()

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites of which something is kept, by name."""
        return tuple(sorted(self._sites))

    def add(
        self,
        url: str,
        exchanges: Sequence[WebExchange],
        pages: Iterable[RecordedPage] = (),
        *,
        credentials: Iterable[str] = (),
    ) -> None:
        """Keep a visit; one that loaded nothing leaves nothing.

        Args:
            url: what it began with.
            exchanges: all that it loaded, in the order of the requests; see ``archive.private`` for what
                is removed.
            pages: what it showed.
            credentials: names, in lower case, of request headers that are not kept.

        Raises:
            StoreError: the disk is full.
        """
        if not exchanges:
            return
        visit = [self._put(one) for one in without_private(exchanges, self._secrets, credentials)]
        site = self._sites[site_of(url)]
        site.visits.append(visit)
        site.pages += [
            replace(
                page,
                url=without_secrets(page.url, self._secrets),
                title=without_secrets(page.title, self._secrets),
                text=without_secrets(page.text, self._secrets),
            )
            for page in pages
        ]

    def mark(self) -> dict[str, tuple[int, int]]:
        """Where the recording stands now, for ``back_to``."""
        return {name: (len(site.visits), len(site.pages)) for name, site in self._sites.items()}

    def back_to(self, mark: dict[str, tuple[int, int]]) -> None:
        """Forget the visits that came after a mark."""
        for name in list(self._sites):
            visits, pages = mark.get(name, (0, 0))
            del self._sites[name].visits[visits:], self._sites[name].pages[pages:]
            if not visits and not pages:
                del self._sites[name]

    def write(
        self, folder: Path, *, force: bool = False, signer: Signer | None = None
    ) -> tuple[Written, ...]:
        """Write one archive a site into a folder: all of them, or none.

        Args:
            folder: made if it is not there.
            force: replace the archives of these sites that are there.
            signer: signs the archives.

        Raises:
            StoreError: one of the sites has an archive there, or the disk is full.
        """
        return self.write_to(
            {site: archive_of(folder, site) for site in self.sites}, force=force, signer=signer
        )

    def write_to(
        self, targets: dict[str, Path], *, force: bool = False, signer: Signer | None = None
    ) -> tuple[Written, ...]:
        """As ``write``, but only the named sites, each to its file; sites of one file share it."""
        if not force:
            require_free(targets.values())
        groups: dict[Path, list[str]] = defaultdict(list)
        for site, path in targets.items():
            groups[path].append(site)
        staged: list[tuple[Path, Written]] = []
        folders: dict[Path, Path] = {}
        try:
            for path, sites in groups.items():
                if path.parent not in folders:
                    folders[path.parent] = self._staging(path.parent)
                held = folders[path.parent] / path.name
                staged.append((held, self._write_one(held, path, sites, signer)))
            _put_in_place([(held, written.path) for held, written in staged])
        except OSError as error:
            raise StoreError(f"The recording cannot be written ({error.strerror}). {_SPACE}") from error
        finally:
            for folder in folders.values():
                shutil.rmtree(folder, ignore_errors=True)
        return tuple(written for _, written in staged)

    def _staging(self, folder: Path) -> Path:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return Path(tempfile.mkdtemp(dir=folder, prefix=".recording-"))
        except OSError as error:
            raise StoreError(f"{folder} cannot be written ({error.strerror}). {_SPACE}") from error

    def _write_one(self, held: Path, path: Path, sites: Sequence[str], signer: Signer | None) -> Written:
        visits = [visit for site in sites for visit in self._sites[site].visits]
        pages = _once([page for site in sites for page in self._sites[site].pages])
        loaded = chosen(visits)
        name = ", ".join(sites)
        with WaczWriter(
            held,
            title=f"Recording of {name}",
            description=f"What {len(visits)} visits loaded from the web, recorded by verifaible.",
            created=datetime.now(UTC),
            signer=signer,
        ) as writer:
            for one in loaded:
                writer.add_exchange(self._get(one.place))
            for page in pages:
                writer.add_page(page.url, page.title, page.recorded_at, page.text)
        asked = [one for one in loaded if self._exchanges[one.place].request.method not in STREAMS]
        return Written(path, name, len(asked), len(pages), standing(path))

    # --- bodies --------------------------------------------------------------------------

    def _put(self, exchange: WebExchange) -> Loaded:
        try:
            bodies = self._store(exchange.request.body), self._store(exchange.response.body)
        except OSError as error:
            raise StoreError(f"The recording cannot be kept ({error.strerror}). {_SPACE}") from error
        self._bodies.append(bodies)
        self._exchanges.append(
            replace(
                exchange,
                request=replace(exchange.request, body=b""),
                response=replace(exchange.response, body=b""),
            )
        )
        return Loaded(keys_of(exchange), len(self._exchanges) - 1, exchange.recorded_at)

    def _store(self, body: bytes) -> tuple[int, int]:
        digest = sha256(body).digest()
        if digest not in self._places:
            self._file.seek(self._end)
            self._file.write(body)
            self._places[digest] = self._end, len(body)
            self._end += len(body)
        return self._places[digest]

    def _get(self, place: int) -> WebExchange:
        bare = self._exchanges[place]
        sent, answered = (self._load(*where) for where in self._bodies[place])
        return replace(
            bare, request=replace(bare.request, body=sent), response=replace(bare.response, body=answered)
        )

    def _load(self, start: int, length: int) -> bytes:
        self._file.seek(start)
        return self._file.read(length)


def _once(pages: Sequence[RecordedPage]) -> list[RecordedPage]:
    """Each address once: its fullest text, at the place where it came first."""
    found: dict[str, RecordedPage] = {}
    for page in pages:
        if page.url not in found or len(page.text) > len(found[page.url].text):
            found[page.url] = page
    return list(found.values())


def _put_in_place(moves: Sequence[tuple[Path, Path]]) -> None:
    """Move every file to its place, or none: what stood there is put back if one cannot be moved."""
    done: list[tuple[Path, Path | None]] = []
    try:
        for held, path in moves:
            before = held.with_name(f"{held.name}.before") if path.exists() else None
            if before is not None:
                path.replace(before)
            done.append((path, before))
            held.replace(path)
    except OSError:
        for path, before in reversed(done):
            if before is not None:
                before.replace(path)
            else:
                path.unlink(missing_ok=True)
        raise
