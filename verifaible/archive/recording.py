"""A recording of the live web: visits are added one by one and written as one archive a site.

Visits lie packed in a temporary file without a name until the recording is written; so a recording that is
broken off, in whatever way, leaves no archive.
"""

from __future__ import annotations

import io
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from verifaible.archive.matching import selecting
from verifaible.archive.reader import RecordedPage, WaczReader
from verifaible.archive.redaction import without_private, without_secrets
from verifaible.archive.signing import Signer
from verifaible.archive.streams import STREAMS
from verifaible.archive.urls import exact_key, site_of
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import StoreError
from verifaible.schema.web import WebExchange, WebRequest

_SPACE = "Free some space or choose another folder, then record it again."


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
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close

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
        clean: list[RecordedPage] = []
        for page in pages:
            address, title, text = (
                without_secrets(each, self._secrets) for each in (page.url, page.title, page.text)
            )
            clean.append(RecordedPage(address, title, page.timestamp, text))
        end = start + packed.getbuffer().nbytes
        self._visits.append(_Visit(site_of(url), tuple(clean), len(exchanges), start, end))

    def mark(self) -> int:
        """Where the recording stands now, for ``back_to``."""
        return len(self._visits)

    def back_to(self, mark: int) -> None:
        """Forget the visits that came after a mark."""
        del self._visits[mark:]

    def write(
        self, folder: Path, *, force: bool = False, signer: Signer | None = None
    ) -> tuple[Written, ...]:
        """Write one archive a site into a folder.

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
        """As ``write``, but only the named sites, each to its file; sites of one file share it.

        No file gets its place before all of them are written, so a full disk changes none.
        """
        if not force:
            require_free(targets.values())
        groups: dict[Path, list[str]] = defaultdict(list)
        for site, path in targets.items():
            groups[path].append(site)
        folders: dict[Path, Path] = {}
        try:
            with ExitStack() as staged:
                for folder in {path.parent for path in groups}:
                    folder.mkdir(parents=True, exist_ok=True)
                    held = tempfile.TemporaryDirectory(dir=folder, prefix=".recording-")
                    folders[folder] = Path(staged.enter_context(held))
                written = [
                    self._write_one(folders[path.parent] / path.name, path, sites, signer)
                    for path, sites in groups.items()
                ]
                for path in groups:
                    (folders[path.parent] / path.name).replace(path)
        except OSError as error:
            raise StoreError(f"The recording cannot be written ({error.strerror}). {_SPACE}") from error
        return tuple(written)

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
                writer.add_page(page.url, page.title, page.timestamp, page.text)
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
