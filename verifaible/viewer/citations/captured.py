"""What a capture holds, for the viewer: its text, its pictures, pages of a PDF, and the WACZ to download.

All of it comes from pages that may have been written to attack whoever looks at them. So no markup of a page
is ever served: of a page there is the text that was read from it, escaped, and the picture that was taken of
it. Each answer says for itself that it is sandboxed, loads nothing and is nobody's business but this
server's; its media type is one of a short list of ours, whatever the captured server said.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from verifaible.errors import BadArguments, CitationNotFound, VerifaibleError, WrongContent
from verifaible.evidence.material import read_material
from verifaible.extract.images import flattened, image_type
from verifaible.reporting.pages import page_head
from verifaible.schema.anchor import Rect
from verifaible.schema.citation import Citation, Mark
from verifaible.store.store import Store
from verifaible.viewer.keeping import Kept

if TYPE_CHECKING:
    from starlette.requests import Request

#: The store that a request reads.
StoreOf: TypeAlias = "Callable[[Request], Store]"

#: A citation never changes; nobody but this browser keeps what it was sent.
_CACHE = "private, max-age=31536000, immutable"
_KEPT_BYTES = 64_000_000
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
_SHUT = (
    "accelerometer",
    "autoplay",
    "camera",
    "clipboard-read",
    "clipboard-write",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "geolocation",
    "gyroscope",
    "hid",
    "identity-credentials-get",
    "idle-detection",
    "local-fonts",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "picture-in-picture",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "storage-access",
    "usb",
    "window-management",
    "xr-spatial-tracking",
)
#: What fences every answer in. A sandboxed document can not be opened in a tab of its own with any other
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
    "Permissions-Policy": ", ".join(f"{name}=()" for name in _SHUT),
    "X-DNS-Prefetch-Control": "off",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
#: What is sent as what it is, with the ending of its file; everything else is a file to be saved.
_TYPES = {
    "text/html; charset=utf-8": "html",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/x-icon": "ico",
    "image/svg+xml": "svg",
}
_HTML = "text/html; charset=utf-8"
_STYLE = (
    "body{margin:1rem;max-width:46rem;font:16px/1.5 system-ui,sans-serif;white-space:pre-wrap;"
    "overflow-wrap:anywhere;unicode-bidi:plaintext}"
    "span{background:#fff6d6;color:#000}"
    "mark{background:#ffe08a;color:#000;unicode-bidi:isolate;scroll-margin:6rem}"
)


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a citation, ready to be sent."""

    data: bytes
    media_type: str
    name: str


_Maker: TypeAlias = Callable[[Citation, Store], _Part]


def captured_routes(store_of: StoreOf) -> list[Route]:
    """The routes to what was captured, to be mounted under ``/captured``.

    ``/{id}/text`` (for ``<iframe sandbox>``, with ``#evidence`` where the evidence is marked),
    ``picture/{n}``, ``pdf/{n}.png``, ``image``, ``capture.wacz``.

    Args:
        store_of: the store that a request reads.
    """
    kept: Kept[_Part] = Kept(_KEPT_BYTES, lambda part: len(part.data))

    def route(path: str, make: Callable[[Request], _Maker], name: str) -> Route:
        async def answer(request: Request) -> Response:
            return await asyncio.to_thread(_answered, request, store_of, make, kept)

        return Route(f"/{{id}}/{path}", answer, name=name)

    return [
        route("text", lambda _: _text, "captured_text"),
        route("picture/{n}", lambda request: _picture(_number(request)), "captured_picture"),
        route("image", lambda _: _image, "captured_image"),
        route("pdf/{n}.png", lambda request: _pdf_page(_number(request)), "captured_pdf"),
        Route("/{id}/capture.wacz", partial(_download, store_of=store_of), name="captured_wacz"),
    ]


def _answered(
    request: Request, store_of: StoreOf, make: Callable[[Request], _Maker], kept: Kept[_Part]
) -> Response:
    try:
        store = store_of(request)
        citation = store.get(str(request.path_params["id"]))
        maker = make(request)
        part_of = request.url.path.rpartition(str(request.path_params["id"]))[2]
        part = kept.get((store.location, citation.id, part_of), None, lambda: maker(citation, store))
    except VerifaibleError as error:
        return _refused(error)
    return _sent(part)


def _refused(error: VerifaibleError) -> Response:
    absent = isinstance(error, CitationNotFound | BadArguments | WrongContent)
    return PlainTextResponse(str(error), 404 if absent else 500, {**FENCE, "Cache-Control": "no-store"})


def _sent(part: _Part) -> Response:
    ending = _TYPES.get(part.media_type)
    kind = part.media_type if ending else "application/octet-stream"
    manner = "inline" if ending else "attachment"
    headers = {
        **FENCE,
        "Cache-Control": _CACHE,
        "Content-Disposition": f'{manner}; filename="{part.name}.{ending or "bin"}"',
        "Content-Type": kind,
    }
    return Response(part.data, headers=headers)


def _number(request: Request) -> int:
    """The number in an address.

    Raises:
        BadArguments: it is none, or too large for anything that is here.
    """
    text = str(request.path_params["n"])
    if _NUMBER.fullmatch(text) is None:
        raise BadArguments(
            f"{text[:40]!r} is no number from 1 to 999999. Follow a link of the citation's page."
        )
    return int(text)


# --- what is sent


def _text(citation: Citation, store: Store) -> _Part:
    """The text that was read when the citation was made, with the evidence marked: not the page's markup."""
    from markupsafe import Markup

    with store.open_capture(citation) as reader:
        material = read_material(citation, reader)
    anchor = citation.anchor
    text = material.document.text
    if material.transcript is not None:
        raise WrongContent(f"Citation {citation.id} is of a video: its captions are on the citation's page.")
    start, end = anchor.start or 0, anchor.end or 0
    low, high = start - len(anchor.around[0]), end + len(anchor.around[1])
    evidence = Markup("<span>{}<mark id=evidence>{}</mark>{}</span>").format(
        text[low:start], text[start:end], text[end:high]
    )
    if start == end or not anchor.text.startswith(text[start:end]):  # read in another way, or in a table
        evidence, low, high = Markup(""), start, start
    page = Markup("<!doctype html>{}<title>{}</title><body>{}{}{}").format(
        page_head(_STYLE, pictures=False, indexed=False),
        citation.title or citation.final_url,
        text[:low],
        evidence,
        text[high:],
    )
    return _Part(page.encode("utf-8", "replace"), _HTML, f"verifaible-{citation.id}-text")


def _picture(number: int) -> _Maker:
    def make(citation: Citation, store: Store) -> _Part:
        if number > len(citation.picture.tiles):
            raise WrongContent(f"Citation {citation.id} has no picture {number}.")
        data = store.pictures(citation)[number - 1]
        return _Part(data, image_type(data), f"verifaible-{citation.id}-picture-{number}")

    return make


def _image(citation: Citation, store: Store) -> _Part:
    return _file(citation, store, "image.bin", "image")


def _file(citation: Citation, store: Store, name: str, called: str) -> _Part:
    with store.open_capture(citation) as reader:
        if f"evidence/{name}" not in reader.names():
            raise WrongContent(f"The capture of citation {citation.id} holds no {name}.")
        data = reader.read(f"evidence/{name}")
    return _Part(data, image_type(data), f"verifaible-{citation.id}-{called}")


def _pdf_page(number: int) -> _Maker:
    def make(citation: Citation, store: Store) -> _Part:
        from verifaible.extract.pdf import PdfFile

        if citation.evidence_type != "pdf":
            raise WrongContent(f"Citation {citation.id} is of a {citation.evidence_type}, not of a PDF.")
        with store.open_capture(citation) as reader:
            body = reader.read("evidence/source.pdf")
        anchor = citation.anchor
        with PdfFile(body) as pdf:
            data = pdf.picture(number)
            if number == anchor.page_number:
                data = _marked(data, anchor.rects, pdf.page_size(number)[0])
        return _Part(data, "image/png", f"verifaible-{citation.id}-pdf-{number}")

    return make


def _marked(png: bytes, rects: Iterable[Rect], points: float) -> bytes:
    """A picture of a page that is so many points wide, with rectangles of the page marked."""
    width, height = int.from_bytes(png[16:20]), int.from_bytes(png[20:24])  # the header of a PNG
    scale = width / points
    areas = ({side: value * scale for side, value in rect.model_dump().items()} for rect in rects)
    marks = [Mark(rect=Rect(**area), kind="text") for area in areas]
    return flattened([(0, png)], marks, (0, 0, width, height))


# --- the capture as a file


async def _download(request: Request, store_of: StoreOf) -> Response:
    held = ExitStack()
    try:
        return await asyncio.to_thread(_wacz, request, store_of, held)
    except VerifaibleError as error:
        held.close()
        return _refused(error)


def _wacz(request: Request, store_of: StoreOf, held: ExitStack) -> Response:
    store = store_of(request)
    citation = store.get(str(request.path_params["id"]))
    return FileResponse(
        held.enter_context(store.sealed_file(citation.capture.sha256)),
        headers={**FENCE, "Cache-Control": _CACHE},
        media_type="application/octet-stream",
        filename=f"verifaible-{citation.id}.wacz",
        background=BackgroundTask(held.close),
    )
