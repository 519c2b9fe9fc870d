"""A captured page for a sandboxed frame, with the evidence marked in it.

A captured page is hostile: whoever wrote it may have written it for whoever looks at it here. What is made
of it is one document that asks for nothing. Its style sheets, pictures and fonts come from the capture and
stand in it; everything else is left out, and nothing in it can run. So the policy it is served with can
forbid all loading, and a fault in this module still meets a browser that runs no script and sends no request
for it.

That nothing is loaded by address is on purpose. A sandboxed document has an opaque origin: for it, every
file of this server is another site's. It would get them only if other sites got them too
(``Cross-Origin-Resource-Policy``), fonts only with ``Access-Control-Allow-Origin``, and none with the cookie
that holds the reader's token.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urljoin

from lxml import etree

from verifaible.archive.reader import WaczReader
from verifaible.errors import WrongContent
from verifaible.evidence.framed.files import CapturedFiles
from verifaible.evidence.framed.place import Marks, place_cells, place_words, resolve
from verifaible.evidence.framed.tree import MARK, TreeWriter, escaped
from verifaible.evidence.observing.places import place
from verifaible.extract.html import parse_html
from verifaible.schema.citation import Citation

__all__ = ["MARK", "POLICY", "FramedPage", "framed_page"]

#: What such a page may load: nothing but what stands in it. Also in the page, for whoever saves it.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; "
    "base-uri 'none'"
)
#: In front of the page's own style sheets, so that these win.
_BASE_STYLE = (
    ":where(html){background:#fff;color:#000;color-scheme:light}"
    ":where(a[data-verifaible-link]){color:LinkText;text-decoration:underline;cursor:default}"
)
#: Behind them.
_OUR_STYLE = (
    ".verifaible-note{display:inline-block!important;padding:4px 8px!important;border:1px dashed "
    "#767676!important;"
    "background:#f6f6f6!important;color:#333!important;font:13px/1.4 sans-serif!important}"
)


@dataclass(frozen=True, slots=True)
class FramedPage:
    """A page to be shown in a sandboxed frame.

    Attributes:
        html: the document, UTF-8.
        placed: whether the evidence is marked; the first mark has the id :data:`MARK`. False where its
        place in
            the captured tree is not certain: the picture with the evidence marked then shows it.
        missing: files that the page names and the capture does not hold.
        left_out: files that were too large to be shown here.
    """

    html: bytes
    placed: bool
    missing: int
    left_out: int


def framed_page(citation: Citation, reader: WaczReader) -> FramedPage:
    """Make the page that a citation was taken from ready for a sandboxed frame.

    Args:
        citation: of a text, a table or an image.
        reader: its capture, opened.

    Raises:
        WrongContent: the evidence is no page (a PDF, a video).
        StoreError: the capture lacks a part, or a part of it is damaged.
    """
    if "evidence/dom.html" not in reader.names():
        raise WrongContent(
            f"Citation {citation.id} is of a {citation.evidence_type}, of which no page was kept. "
            "Look at its picture instead."
        )
    markup = reader.read("evidence/dom.html").decode("utf-8-sig", "replace")
    root = parse_html(markup)
    files = CapturedFiles(reader)
    base = _base_of(root, citation.final_url)
    marks = _marks_of(citation, reader, root)
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    writer = TreeWriter(files, base, citation.final_url, marks)
    parts = [
        "<!doctype html>" if _has_doctype(markup) else "",
        writer.root_tag(root),
        f'<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}"><title>',
        escaped(citation.title or citation.final_url),
        f"</title><style>{_BASE_STYLE}</style>",
        *_sheets_of(root, files, base),
        f"<style>{_OUR_STYLE}</style></head>",
        writer.write(body),
        "</html>",
    ]
    html = "".join(parts).encode("utf-8", "replace")
    return FramedPage(html, bool(marks), files.missing, files.left_out)


def _base_of(root: etree._Element, url: str) -> str:
    """What relative addresses of the page count from."""
    for element in root.iter("base"):
        if element.get("href"):
            try:
                return urljoin(url, element.get("href") or "")
            except ValueError:
                break
    return url


def _has_doctype(markup: str) -> bool:
    """Whether the browser read the page by the standards; what it wrote begins with the doctype then."""
    head = markup[:200].lstrip().lower()
    return head.startswith("<!doctype") and "//dtd html 3" not in head


def _sheets_of(root: etree._Element, files: CapturedFiles, base: str) -> list[str]:
    """The style sheets of the page in their order, all of them for the head."""
    found: list[str] = []
    for element in root.iter("style", "link"):
        if element.tag == "style":
            css = files.rewritten("".join(map(str, element.itertext())), base)
        else:
            kinds = (element.get("rel") or "").lower().split()
            if "stylesheet" not in kinds or "alternate" in kinds or element.get("disabled") is not None:
                continue
            css = files.sheet(element.get("href") or "", base)
        if css.strip():
            media = element.get("media") or ""
            found.append(
                f'<style media="{escaped(media)}">{css}</style>' if media else f"<style>{css}</style>"
            )
    return found


def _marks_of(citation: Citation, reader: WaczReader, root: etree._Element) -> Marks:
    """Where the evidence stands in the tree; nothing where that is not certain."""
    from verifaible.evidence.observing.material import PageMaterial
    from verifaible.evidence.observing.observe import read_material

    anchor = citation.anchor
    material = read_material(citation, reader)
    if not isinstance(material, PageMaterial) or anchor.frame_path:
        return Marks()
    if anchor.table is not None:
        placement = place(material, citation.request, anchor, material)
        if placement.table < 0:
            return Marks()
        return place_cells(root, anchor, material.tables[placement.table].table)
    if anchor.image is not None:
        element = resolve(root, anchor.css_path)
        marks = Marks()
        if element is not None and element.tag in ("img", "svg", "canvas", "video"):
            marks.outlined = element
        return marks
    return place_words(root, anchor, material.page.text)
