"""A citation: a claim bound to the place that supports it, and to a sealed capture."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from verifaible.schema.action import ActionStep
from verifaible.schema.anchor import Anchor, AnchorRequest, Rect, Shown
from verifaible.schema.base import EvidenceType, Record

#: How an archive answered: ``exact`` URL; ``normalised`` (only cache-busters, query order or the
#: JSONP callback's name differ); ``live`` from the internet.
Match: TypeAlias = Literal["exact", "normalised", "live"]

WebMode: TypeAlias = Literal["live", "record", "offline"]


class CaptureRef(Record):
    """The sealed WACZ a citation rests on, by the SHA-256 of its bytes.

    ``state_sha256`` is the digest of the page's state: what was asked and answered, the DOM and the
    text. Citations of one state share one capture.
    """

    sha256: str
    size_bytes: int
    captured_at: datetime
    state_sha256: str
    web: WebMode
    match: Match = Field("live", description="The weakest archive match that the page was built from.")
    synthetic: bool = Field(False, description="True if a replica, not the real site, was captured.")
    signed_in: bool = Field(False, description="True if it was captured in a signed-in session.")

    @property
    def remark(self) -> str:
        """What a reader has to know of it, in a few words; most often nothing."""
        replica = "a replica, not the real site" if self.synthetic else ""
        signed_in = "captured in a signed-in session" if self.signed_in else ""
        return "; ".join(filter(None, (replica, signed_in)))


#: ``text``: cited words. ``sentence``: the whole evidence, if they are a part of it. ``cell``: the cited
#: cell. ``line``: the cells of a cited row or column. ``cross``: the row and column that lead to a cell.
#: ``area``: a whole table. ``frame``: an image.
MarkKind: TypeAlias = Literal["text", "sentence", "cell", "line", "cross", "area", "frame"]


class Mark(Record):
    """What is marked in a picture: a rectangle in its pixels; ``dark`` if the page is dark there."""

    rect: Rect
    kind: MarkKind
    dark: bool = False


class PictureTile(Record):
    """A file of a picture, lossless WebP and as wide as it: ``y`` and ``height`` are its share, in pixels."""

    sha256: str
    size_bytes: int
    y: int
    height: int


class Picture(Record):
    """The unmodified picture of the evidence and its surroundings; readers draw ``marks`` over it.

    ``width`` and ``height`` are in pixels, one for a CSS pixel of a page. ``x`` and ``y`` are the place
    of its top left corner in the document, in CSS pixels. ``tiles`` lie below one another. Without
    tiles there is no picture, and ``missing`` says why.
    """

    width: int = 0
    height: int = 0
    x: float = 0
    y: float = 0
    tiles: tuple[PictureTile, ...] = ()
    marks: tuple[Mark, ...] = ()
    missing: str = ""


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("it is no single line")
    return text


#: A line that others print between their own: it may not begin another.
Line: TypeAlias = Annotated[str, AfterValidator(_one_line)]


class ValueSource(Record):
    """Where the cited words came to the page from, as far as its capture tells.

    ``response``: an answer holds them, or what they are made of; ``frame``: a message of a WebSocket or an
    event stream does; ``script``: nothing that was recorded does, so a script of the page made them up, or
    asked for them in a way that no capture sees. ``url`` is the address of the answer or the connection,
    empty where several have a part in it. Without a ``kind`` the evidence is a file or captions, kept whole.
    """

    kind: Literal["", "response", "frame", "script"] = ""
    url: Line = ""

    @property
    def said(self) -> str:
        """The same in words, "" where there is nothing to say."""
        several = {"response": "several answers", "frame": "several connections"}
        one = {"response": f"the answer of {self.url}", "frame": f"a message over {self.url}"}
        if self.kind == "script":
            return "the page's own script: nothing that was recorded holds the words"
        return (one if self.url else several).get(self.kind, "")


#: The form of citations and captures that this version writes, and the only one that it reads.
CITATION_FORMAT = 5


class CitationDraft(Record):
    """A citation that has no id yet.

    ``created_at`` is when the evidence was seen; an earlier ``capture.captured_at`` says that the
    page was then in the very state that had been captured before. ``source_url`` is what was
    asked for, ``final_url`` what was reached; ``document_url`` the document the evidence stands
    in, where that is another one (a PDF reached by steps). ``picture`` is empty until it was taken.
    ``replay`` says what a replay can do: re-execute the ``page`` to the same evidence, or only show the
    sealed ``snapshot`` of it, for the ``replay_reason``, a sentence. ``value_source`` says where the words
    came from.
    """

    format: int = CITATION_FORMAT
    created_at: datetime
    claim: str
    source_url: str
    final_url: str
    document_url: str = ""
    title: str = ""
    request: AnchorRequest
    anchor: Anchor
    steps: tuple[ActionStep, ...] = ()
    capture: CaptureRef
    picture: Picture = Field(default_factory=Picture)
    replay: Literal["page", "snapshot"] = "page"
    replay_reason: Line = ""
    value_source: ValueSource = Field(default_factory=ValueSource)

    @property
    def evidence_type(self) -> EvidenceType:
        """The type of evidence the anchor holds."""
        return self.anchor.evidence_type

    @property
    def shown(self) -> Shown:
        """The evidence with its structure, as every place shows it."""
        return self.anchor.in_full

    @property
    def graded(self) -> str:
        """What a replay can do, and if not all, why: the words in which every place says it."""
        if self.replay == "page":
            return "Replay: page. Re-executed offline from its capture, the page shows the same evidence."
        return (
            "Replay: snapshot. What was sealed holds the evidence; the page itself cannot be re-executed. "
            f"{self.replay_reason}"
        )


class Citation(CitationDraft):
    """An immutable citation; ``id`` is global and stable."""

    id: str
