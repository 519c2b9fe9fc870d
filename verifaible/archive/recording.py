"""A recording of the live web: visits are added one by one and written as one archive a site.

Visits lie packed in a temporary file without a name once they are large, until the recording is written; so
a recording that is broken off, in whatever way, leaves no archive.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from verifaible.archive.matching import selecting
from verifaible.archive.reader import WaczReader
from verifaible.archive.redaction import without_private, without_secrets
from verifaible.archive.signing import Signer
from verifaible.archive.streams import STREAMS
from verifaible.archive.urls import exact_key, site_of
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import StoreError
from verifaible.schema.web import WebExchange, WebRequest

#: Visits up to this much in all are kept in memory.
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


@dataclass(frozen=True, slots=True)
class _Visit:
    """One visit: what it showed, how many exchanges it had, and where they lie in the temporary file."""

    site: str
    pages: tuple[RecordedPage, ...]
    count: int
    start: int
    end: int


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
        self._visits: list[_Visit] = []
        self._file = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 - closed by close

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
        return tuple(sorted({visit.site for visit in self._visits}))

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
            exchanges: all that it loaded, in the order of the requests; see ``archive.redaction`` for what
                is removed.
            pages: what it showed.
            credentials: names, in lower case, of request headers that are not kept.

        Raises:
            StoreError: the disk is full.
        """
        if not exchanges:
            return
        packed = io.BytesIO()
        with WaczWriter(packed, title="", created=datetime.now(UTC), compress=False) as writer:
            for one in without_private(exchanges, self._secrets, credentials):
                writer.add_exchange(one)
        try:
            start = self._file.seek(0, io.SEEK_END)
            self._file.write(packed.getbuffer())
        except OSError as error:
            raise StoreError(f"The recording cannot be kept ({error.strerror}). {_SPACE}") from error
        clean = tuple(
            replace(
                page,
                url=without_secrets(page.url, self._secrets),
                title=without_secrets(page.title, self._secrets),
                text=without_secrets(page.text, self._secrets),
            )
            for page in pages
        )
        size = packed.getbuffer().nbytes
        self._visits.append(_Visit(site_of(url), clean, len(exchanges), start, start + size))

    def mark(self) -> int:
        """Where the recording stands now, for ``back_to``."""
        return len(self._visits)

    def back_to(self, mark: int) -> None:
        """Forget the visits that came after a mark."""
        del self._visits[mark:]

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
        visits = [visit for visit in self._visits if visit.site in sites]
        pages = _once([page for visit in visits for page in visit.pages])
        name, count = ", ".join(sites), 0
        with WaczWriter(
            held,
            title=f"Recording of {name}",
            description=f"What {len(visits)} visits loaded from the web, recorded by verifaible.",
            created=datetime.now(UTC),
            signer=signer,
        ) as writer:
            for exchange in self._of_visits(visits):
                writer.add_exchange(exchange)
                count += exchange.request.method not in STREAMS
            for page in pages:
                writer.add_page(page.url, page.title, page.recorded_at, page.text)
        return Written(path, name, count, len(pages), standing(path))

    def _of_visits(self, visits: Sequence[_Visit]) -> Iterator[WebExchange]:
        """What is kept of the visits to one site, those that loaded the most first.

        A look-up answers repeated requests in recorded order, for each browser context from the start. So one
        request has its answers from one visit only: else a second visit's first answer would be given as the
        first visit's second.
        """
        known: set[tuple[str, ...]] = set()
        for visit in sorted(visits, key=lambda each: -each.count):
            self._file.seek(visit.start)
            asked: set[tuple[str, ...]] = set()
            with WaczReader(self._file.read(visit.end - visit.start)) as reader:
                for exchange in reader.exchanges():
                    key = _key(exchange.request)
                    if key not in known:
                        asked.add(key)
                        yield exchange
            known |= asked


def _key(request: WebRequest) -> tuple[str, ...]:
    """Equal for requests that a look-up answers alike, to the letter."""
    chosen = (f"{name}: {value}" for name, value in sorted(selecting(request.headers).items()))
    return request.method, exact_key(request.url), sha256(request.body).hexdigest(), *chosen


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
