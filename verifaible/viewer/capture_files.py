"""What a capture holds: its text, its pictures, pages of a PDF, and the WACZ to download.

All of it comes from pages that may have been written to attack whoever looks at them. So no markup of a page
is ever served: of a page there is the text that was read from it, escaped, and the picture that was taken of
it. Each answer says for itself that it is sandboxed, loads nothing and is nobody's business but this
server's; its media type is one of a short list of ours, whatever the captured server said.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeAlias

from markupsafe import Markup
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from verifaible.errors import BadArguments, CitationNotFound, VerifaibleError, WrongContent
from verifaible.evidence.material import read_material
from verifaible.extract.images import flattened, image_type
from verifaible.reporting.pages import page_head
from verifaible.schema.anchor import Rect
from verifaible.schema.citation import Citation, Mark
from verifaible.viewer.respond import viewer_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from verifaible.store.store import Store

#: A citation never changes; nobody but this browser keeps what it was sent.
_CACHE = "private, max-age=31536000, immutable"
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
#: What fences every answer in. A sandboxed document cannot be opened in a tab of its own with any other
#: opener policy (HTML, "create navigation params by fetching").
FENCE = {
    "Content-Security-Policy": (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; "
        "frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "unsafe-none",
    "X-DNS-Prefetch-Control": "off",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
_HTML = "text/html; charset=utf-8"
#: Pictures that are sent as what they are; everything else is a file to be saved.
_PICTURES = {f"image/{name}" for name in ("png", "jpeg", "gif", "webp", "avif", "bmp", "x-icon", "svg+xml")}
_STYLE = (
    "body{margin:1rem;max-width:46rem;font:16px/1.5 system-ui,sans-serif;white-space:pre-wrap;"
    "overflow-wrap:anywhere;unicode-bidi:plaintext}"
    "span{background:#fff6d6;color:#000}"
    "mark{background:#ffe08a;color:#000;unicode-bidi:isolate;scroll-margin:6rem}"
)

#: Makes a part of a citation from the number in its address (0: there is none): bytes and media type.
_Maker: TypeAlias = "Callable[[Citation, Store, int], tuple[bytes, str]]"


def capture_routes() -> list[Route]:
    """The routes to what was captured, to be mounted under ``/captured``.

    ``/{id}/text`` (with ``#evidence`` where the evidence is marked), ``picture/{n}``, ``pdf/{n}.png``,
    ``image``, ``capture.wacz``.
    """

    def route(path: str, make: _Maker) -> Route:
        async def answer(request: Request) -> Response:
            return await asyncio.to_thread(_answer, request, make)

        return Route(f"/{{id}}/{path}", answer)

    return [
        route("text", _text),
        route("picture/{n}", _picture),
        route("image", _image),
        route("pdf/{n}.png", _pdf_page),
        Route("/{id}/capture.wacz", _download),
    ]


def _answer(request: Request, make: _Maker) -> Response:
    store = viewer_of(request).store
    try:
        citation = store.get(str(request.path_params["id"]))
        data, kind = make(citation, store, _number(request))
    except VerifaibleError as error:
        return _refused(error)
    shown = kind == _HTML or kind in _PICTURES
    part = "-".join(request.url.path.rpartition(citation.id)[2].removesuffix(".png").split("/")[1:])
    manner, name = "inline" if shown else "attachment", f"verifaible-{citation.id}-{part}"
    headers = {
        **FENCE,
        "Cache-Control": _CACHE,
        "Content-Disposition": f'{manner}; filename="{name}"',
        "Content-Type": kind if shown else "application/octet-stream",
    }
    return Response(data, headers=headers)


def _refused(error: VerifaibleError) -> Response:
    absent = isinstance(error, CitationNotFound | BadArguments | WrongContent)
    return PlainTextResponse(str(error), 404 if absent else 500, {**FENCE, "Cache-Control": "no-store"})


def _number(request: Request) -> int:
    """The number in an address, 0 where it has none.

    Raises:
        BadArguments: what stands there is none, or too large for anything that is here.
    """
    text = str(request.path_params.get("n", ""))
    if text and _NUMBER.fullmatch(text) is None:
        raise BadArguments(
            f"{text[:40]!r} is no number from 1 to 999999. Follow a link of the citation's page."
        )
    return int(text or 0)


def text_and_place(citation: Citation, store: Store) -> tuple[str, int, int]:
    """The text that was read when a citation was made, and where the words asked for are in it.

    Both places are equal where the words cannot be marked in it: they are in a table, or were read in
    another way.

    Raises:
        WrongContent: the citation is of a video.
        StoreError: the capture is damaged.
    """
    with store.open_capture(citation) as reader:
        material = read_material(citation, reader)
    if material.transcript is not None:
        raise WrongContent(f"Citation {citation.id} is of a video: its captions are on the citation's page.")
    text, anchor = material.document.text, citation.anchor
    start, end = anchor.start or 0, anchor.end or 0
    return (text, start, end) if anchor.text.startswith(text[start:end]) else (text, start, start)


def _text(citation: Citation, store: Store, _: int) -> tuple[bytes, str]:
    """The text of the page with the evidence marked: not the page's markup."""
    text, start, end = text_and_place(citation, store)
    low, high, evidence = start, start, Markup("")
    if start < end:
        low, high = start - len(citation.anchor.around[0]), end + len(citation.anchor.around[1])
        evidence = Markup("<span>{}<mark id=evidence>{}</mark>{}</span>").format(
            text[low:start], text[start:end], text[end:high]
        )
    page = Markup("<!doctype html>{}<title>{}</title><body>{}{}{}").format(
        page_head(_STYLE, pictures=False, indexed=False),
        citation.title or citation.final_url,
        text[:low],
        evidence,
        text[high:],
    )
    return page.encode("utf-8", "replace"), _HTML


def _picture(citation: Citation, store: Store, number: int) -> tuple[bytes, str]:
    if number > len(citation.picture.tiles):
        raise WrongContent(f"Citation {citation.id} has no picture {number}.")
    data = store.pictures(citation)[number - 1]
    return data, image_type(data)


def _image(citation: Citation, store: Store, _: int) -> tuple[bytes, str]:
    with store.open_capture(citation) as reader:
        if "evidence/image.bin" not in reader.names():
            raise WrongContent(f"The capture of citation {citation.id} holds no image.bin.")
        data = reader.read("evidence/image.bin")
    return data, image_type(data)


def _pdf_page(citation: Citation, store: Store, number: int) -> tuple[bytes, str]:
    from verifaible.extract.pdf import PdfFile

    if citation.evidence_type != "pdf":
        raise WrongContent(f"Citation {citation.id} is of a {citation.evidence_type}, not of a PDF.")
    with store.open_capture(citation) as reader:
        body = reader.read("evidence/source.pdf")
    with PdfFile(body) as pdf:
        data = pdf.picture(number)
        if number == citation.anchor.page_number:
            width, height = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])  # the header of a PNG
            scale = width / pdf.page_size(number)[0]
            rects = [each.model_dump() for each in citation.anchor.rects]
            areas = [Rect(**{side: value * scale for side, value in rect.items()}) for rect in rects]
            marks = [Mark(rect=area, kind="text") for area in areas]
            data = flattened([(0, data)], marks, (0, 0, width, height))
    return data, "image/png"


async def _download(request: Request) -> Response:
    """The capture as a file."""
    held, store = ExitStack(), viewer_of(request).store

    def opened() -> Response:
        citation = store.get(str(request.path_params["id"]))
        return FileResponse(
            held.enter_context(store.sealed_file(citation.capture.sha256)),
            headers={**FENCE, "Cache-Control": _CACHE},
            media_type="application/octet-stream",
            filename=f"verifaible-{citation.id}.wacz",
            background=BackgroundTask(held.close),
        )

    try:
        return await asyncio.to_thread(opened)
    except VerifaibleError as error:
        held.close()
        return _refused(error)
