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
from verifaible.archive.urls import exact_key, site_of
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import StoreError
from verifaible.schema.web import WebExchange, WebRequest

_SPACE = "Free some space or choose another folder, then record it again."


@dataclass(frozen=True, slots=True)
class Written:
    """An archive that was written; ``replaced`` says what stood in its place, as ``standing`` does."""

    path: Path
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

    def write(self, folder: Path, *, signer: Signer | None = None) -> tuple[Written, ...]:
        """Write one archive a site into a folder, which is made; errors are those of ``write_to``."""
        return self.write_to({site: archive_of(folder, site) for site in self.sites}, signer=signer)

    def write_to(self, targets: dict[str, Path], *, signer: Signer | None = None) -> tuple[Written, ...]:
        """Write the archives of these sites, each to its file; sites of one file share it.

        What stands there is replaced, but no file gets its place before all of them are written: a full
        disk changes none.

        Raises:
            StoreError: the disk is full, or a folder cannot be written.
        """
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
                written = [Written(path, standing(path)) for path in groups]
                for path, sites in groups.items():
                    self._write_one(folders[path.parent] / path.name, sites, signer)
                for path in groups:
                    (folders[path.parent] / path.name).replace(path)
        except OSError as error:
            raise StoreError(f"The recording cannot be written ({error.strerror}). {_SPACE}") from error
        return tuple(written)

    def _write_one(self, path: Path, sites: Sequence[str], signer: Signer | None) -> None:
        visits = [visit for visit in self._visits if visit.site in sites]
        with WaczWriter(
            path,
            title=f"Recording of {', '.join(sites)}",
            description=f"What {len(visits)} visits loaded from the web, recorded by verifaible.",
            created=datetime.now(UTC),
            signer=signer,
        ) as writer:
            for exchange in self._of_visits(visits):
                writer.add_exchange(exchange)
            for page in _once([page for visit in visits for page in visit.pages]):
                writer.add_page(page.url, page.title, page.timestamp, page.text)

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
