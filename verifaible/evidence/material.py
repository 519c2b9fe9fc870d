"""What evidence is looked for in: a source read into a Document, and what else was seen of it.

Nothing here needs a browser: what a capture holds is read again from its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from verifaible.archive.reader import WaczReader
from verifaible.errors import NoText
from verifaible.extract.captions import captions_document
from verifaible.extract.document import Document
from verifaible.extract.page import page_document
from verifaible.extract.snapshot import SNAPSHOT_NAME, Snapshot
from verifaible.schema.base import Record
from verifaible.schema.citation import Citation
from verifaible.schema.transcript import Transcript

#: The files of a capture of a page; the Document is made again from that of ``SNAPSHOT_NAME``.
TEXT: Final = "text.txt"
_PAGE: Final = "page.json"
PAGE_FILES: Final = (SNAPSHOT_NAME, _PAGE)

#: The number of a document in the snapshot, and the path of an element in it.
Element: TypeAlias = tuple[int, str]


class LoadState(Record):
    """How far a page has come.

    ``main_text`` is its visible text without navigation, head and foot; ``busy`` names the shown elements
    that say or look as if something were loading; ``empty`` the places for content in which nothing
    stands; ``failed`` the scripts and data of the page's own site that could not be loaded; ``cut`` is
    true where the document itself broke off.
    """

    main_text: str = ""
    busy: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Material:
    """A source, read.

    Attributes:
        document: what a reader sees.
        snapshot: of a page: what the engine told, with the nodes of the open page where it is open.
        selected: the elements that the request's selector or point named; None if it has neither.
        scrolled: the boxes that were scrolled for what is evidence, by path (empty for the page), with pixels
            from the top of each.
        load_state: how far the page had come; not kept in captures.
        transcript: of a video.
    """

    document: Document
    snapshot: Snapshot | None = None
    selected: tuple[Element, ...] | None = None
    scrolled: tuple[tuple[str, float], ...] = ()
    load_state: LoadState = field(default_factory=LoadState)
    transcript: Transcript | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return self.document.url

    @property
    def title(self) -> str:
        """Its title, "" if it has none."""
        return self.document.title

    @property
    def visible_text(self) -> str:
        """Everything that a reader could see."""
        return f"{self.document.title}\n{self.document.text}"


def page_files(material: Material) -> dict[str, bytes]:
    """The files of a capture that hold a page's material; :func:`page_from_files` reads them back."""
    assert material.snapshot is not None
    page = {"url": material.url, "scrolled": material.scrolled, "selected": material.selected}
    return {
        SNAPSHOT_NAME: material.snapshot.to_json(),
        TEXT: material.document.text.encode(),
        _PAGE: json.dumps(page, ensure_ascii=False, indent=1).encode(),
    }


def page_from_files(files: Mapping[str, bytes]) -> Material:
    """A page's material from the files of a capture.

    Raises:
        ValueError: they are damaged.
    """
    page: dict[str, Any] = json.loads(files[_PAGE])
    snapshot = Snapshot.from_json(files[SNAPSHOT_NAME])
    return Material(
        document=replace(page_document(snapshot), url=page["url"]),
        snapshot=snapshot,
        selected=tuple((number, path) for number, path in page["selected"])
        if page["selected"] is not None
        else None,
        scrolled=tuple((path, top) for path, top in page["scrolled"]),
    )


def read_material(citation: Citation, reader: WaczReader) -> Material:
    """What a capture holds of the page, the PDF (from its own bytes) or the captions.

    Raises:
        ValueError, KeyError, IntegrityError: the capture is damaged.
    """
    if citation.evidence_type == "video":
        transcript = Transcript.model_validate_json(reader.read("evidence/transcript.json"))
        return video_material(citation.source_url, transcript)
    if citation.evidence_type == "pdf":
        return read_pdf(reader.read("evidence/source.pdf"), citation.document_url)
    return page_from_files({name: reader.read(f"evidence/{name}") for name in PAGE_FILES})


def read_pdf(body: bytes, url: str) -> Material:
    """The text of a PDF.

    Raises:
        NoText: it has no text layer.
        WrongContent: it is damaged or needs a password.
    """
    from verifaible.extract.pdf import pdf_document

    document = pdf_document(body, url)
    if not document.blocks:
        raise NoText(
            f"{url} has no text layer (it is a scan), so no passage in it can be checked. "
            "Look for a version with text."
        )
    return Material(document)


def video_material(url: str, transcript: Transcript) -> Material:
    """The captions of a video."""
    return Material(captions_document(transcript, url), transcript=transcript)
