"""What the tests of evidence share: a bench that cites, and looks at what its store holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymupdf
from pydantic import TypeAdapter

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.cite import Collected, Collector
from verifaible.evidence.request import CiteRequest
from verifaible.extract.images import flattened
from verifaible.net.web import Web
from verifaible.schema.action import ActionStep
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.citation import Citation, Picture
from verifaible.store.root import Root
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store

_STEPS: TypeAdapter[tuple[ActionStep, ...]] = TypeAdapter(tuple[ActionStep, ...])


class Bench:
    """Cites into a store of its own."""

    def __init__(self, folder: Path, settings: Settings, web: Web, browser: Browser) -> None:
        self.settings, self.web, self.browser = settings, web, browser
        self.store = Store(folder / "store")
        self.collector = Collector(settings, web, browser, self.store)

    async def collect(self, url: str, steps: list[dict[str, Any]] | None = None, **anchor: Any) -> Collected:
        request = CiteRequest(
            claim="A claim",
            url=url,
            steps=_STEPS.validate_python(steps or []),
            anchor=AnchorRequest.model_validate(anchor),
        )
        return await self.collector.collect(request)

    async def cite(self, url: str, steps: list[dict[str, Any]] | None = None, **anchor: Any) -> Citation:
        return (await self.collect(url, steps, **anchor)).citation

    def stored(self) -> list[str]:
        """Everything in the store that is evidence, a record of it, or a left-over."""
        folders = ("citations", "captures", "pictures", "checks", "tmp")
        named = [path.name for name in folders for path in (self.folder / name).glob("*")]
        return [*named, *(f"entry {entry.number}" for entry in self.store.custody.entries())]

    @property
    def folder(self) -> Path:
        """The store's folder."""
        assert isinstance(self.store.files, Root)
        return self.store.files.folder

    def capture_path(self, citation: Citation) -> Path:
        """Where the capture of a citation is."""
        return self.folder / capture_file(citation.capture.sha256)

    def file(self, citation: Citation, name: str) -> bytes:
        """A file of the capture's ``evidence/``."""
        with self.store.open_capture(citation) as reader:
            return reader.read(f"evidence/{name}")

    def picture(self, citation: Citation, *, marked: bool) -> pymupdf.Pixmap:
        """The picture of a citation, with its marks in it or without."""
        assert citation.picture is not None and citation.picture.tiles, citation.picture
        return drawn(citation.picture, self.store.pictures(citation), marked=marked)

    def is_marked(self, citation: Citation) -> bool:
        """Whether something is marked in the picture, and the marks can be seen."""
        seen, clean = self.picture(citation, marked=True), self.picture(citation, marked=False)
        return bool(seen.samples != clean.samples)

    def json(self, citation: Citation, name: str) -> Any:
        """The same, read as JSON."""
        return json.loads(self.file(citation, name))


def drawn(picture: Picture, files: Sequence[bytes], *, marked: bool) -> pymupdf.Pixmap:
    """A picture as pixels."""
    tiles = [(tile.y, data) for tile, data in zip(picture.tiles, files, strict=True)]
    whole = (0, 0, picture.width, picture.height)
    return pymupdf.Pixmap(flattened(tiles, picture.marks if marked else (), whole))


def pdf(*pages: str, password: str = "") -> bytes:
    """A PDF with a page for each text."""
    document = pymupdf.Document()
    for text in pages:
        document.new_page().insert_textbox((50, 50, 500, 700), text, fontsize=12)
    secret = {
        "encryption": 5,  # AES, 256 bits
        "user_pw": password,
        "owner_pw": password,
    }
    return bytes(document.tobytes(**(secret if password else {})))


def scanned_pdf() -> bytes:
    """A PDF whose only page is a picture."""
    source = pymupdf.Document(stream=pdf("The rate is 5.33"), filetype="pdf")
    picture = source[0].get_pixmap(dpi=50).tobytes("png")
    document = pymupdf.Document()
    document.new_page().insert_image((0, 0, 400, 600), stream=picture)
    return bytes(document.tobytes())


@contextmanager
def nothing_stored(bench: Bench) -> Iterator[None]:
    """What happens inside must leave nothing in the store."""
    yield
    assert bench.stored() == []
