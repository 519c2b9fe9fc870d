"""Build the replicas under ``scripts/replicas/`` into ``snapshots/sites/<name>.wacz``.

    python -m scripts.replicas.build [--check] [SITE ...]

The result is the same to the byte wherever it is built: nothing is compressed, and every date
comes from the replica itself. ``--check`` writes nothing and fails if a committed file differs.
"""

from __future__ import annotations

import argparse
import importlib
import io
import pkgutil
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bs4 import BeautifulSoup, Tag

import scripts.replicas
from scripts.replicas.common import Exchange, Site
from verifaible.archive.wacz import WaczWriter
from verifaible.schema.web import WebExchange, WebRequest, WebResponse, header

SITES = Path(__file__).resolve().parents[2] / "snapshots" / "sites"
_INVISIBLE = ("script", "style", "template", "noscript", "head", "svg")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BREAK = "\x1e"
_CELLS = ("td", "th", "option")
_BLOCKS = (
    *("address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "div", "dl", "dt"),
    *("figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li"),
    *("main", "nav", "ol", "p", "pre", "section", "select", "table", "tr", "ul"),
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w\-]+)", re.IGNORECASE)
# The web means the larger set by each of these names (WHATWG Encoding, 4.2).
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "ascii": "cp1252",
}


def load_sites() -> list[Site]:
    """Every replica package's ``SITE``, by name; SystemExit where a package has none."""
    sites: dict[str, Site] = {}
    for module in pkgutil.iter_modules(scripts.replicas.__path__):
        if not module.ispkg:
            continue
        package = importlib.import_module(f"scripts.replicas.{module.name}")
        site = getattr(package, "SITE", None)
        if not isinstance(site, Site):
            raise SystemExit(
                f"scripts/replicas/{module.name} has no SITE: Site. Add one, or move the folder away."
            )
        if site.name in sites:
            raise SystemExit(f"Two replicas are named {site.name}. Rename one of them.")
        sites[site.name] = site
    return [sites[name] for name in sorted(sites)]


def build_site(site: Site) -> bytes:
    """The bytes of a site's archive."""
    exchanges = list(site.exchanges())
    if not exchanges:
        raise SystemExit(f"The replica {site.name} has no exchanges. Nothing was written.")
    created = max(_moment(exchange) for exchange in exchanges)
    target = io.BytesIO()
    with WaczWriter(
        target,
        title=site.title,
        description=site.description,
        created=created,
        software="verifaible scripts/replicas",
        compress=False,
        synthetic=True,
    ) as writer:
        for exchange in exchanges:
            writer.add_exchange(web_exchange(exchange))
            if exchange.page_title:
                text = page_text(exchange.body, exchange.content_type)
                writer.add_page(exchange.url, exchange.page_title, _moment(exchange), text)
    return target.getvalue()


def web_exchange(exchange: Exchange) -> WebExchange:
    """The record of a replica's exchange, with the headers its fields stand for."""
    headers = list(exchange.headers)
    if exchange.content_type and not header(exchange.headers, "content-type"):
        headers.insert(0, ("Content-Type", exchange.content_type))
    if not header(exchange.headers, "content-length") and exchange.body:
        headers.append(("Content-Length", str(len(exchange.body))))
    sent = (("Content-Type", exchange.request_content_type),) if exchange.request_content_type else ()
    return WebExchange(
        request=WebRequest(exchange.url, exchange.method, sent, exchange.request_body),
        response=WebResponse(exchange.status, tuple(headers), exchange.body),
        recorded_at=_moment(exchange),
    )


def page_text(body: bytes, content_type: str) -> str:
    """What a reader can see of a page or a PDF, for the full-text index; one block a line."""
    media = content_type.partition(";")[0].strip().lower()
    if media == "application/pdf":
        return _pdf_text(body)
    if media in {"text/html", "application/xhtml+xml"}:
        return _html_text(decode(body, content_type))
    return decode(body, content_type).strip() if media.startswith("text/") else ""


def decode(body: bytes, content_type: str) -> str:
    """Text in the charset of the header, else of the ``meta`` element, else UTF-8."""
    named = re.search(r"charset\s*=\s*[\"']?([\w\-]+)", content_type, re.IGNORECASE)
    meta = _CHARSET.search(body[:1024])
    label = named[1] if named else meta[1].decode("ascii") if meta else "utf-8"
    return body.decode(_SUPERSETS.get(label.lower(), label))


def _html_text(html: str) -> str:
    soup = BeautifulSoup(html, "lxml")
    for element in soup.find_all(_INVISIBLE):
        element.decompose()
    for element in soup.find_all(_is_hidden):
        element.decompose()
    for element in soup.find_all(_CELLS):
        element.append(" ")
    for element in soup.find_all(_BLOCKS):
        element.insert_before(_BREAK)
        element.insert_after(_BREAK)
    # Only ASCII white space collapses in HTML: an ideographic space is a character of the text.
    text = re.sub(r"[ \t\r\n\f]+", " ", soup.get_text())
    lines = (line.strip(" ") for line in text.split(_BREAK))
    return "\n".join(line for line in lines if line)


def _is_hidden(element: Tag) -> bool:
    return element.has_attr("hidden") or bool(_HIDDEN.search(str(element.get("style", ""))))


def _pdf_text(body: bytes) -> str:
    import pymupdf

    with pymupdf.Document(stream=body, filetype="pdf") as document:  # type: ignore[no-untyped-call]
        return "\n".join(page.get_text().strip() for page in document).strip()


def _moment(exchange: Exchange) -> datetime:
    return datetime.fromisoformat(exchange.recorded_at.replace("Z", "+00:00")).astimezone(UTC)


def run(sites: Iterable[Site], folder: Path, *, check: bool) -> list[str]:
    """Build the sites into ``folder``, or compare; gives the names of files that differed."""
    differing: list[str] = []
    for site in sites:
        path = folder / f"{site.name}.wacz"
        data = build_site(site)
        if path.exists() and path.read_bytes() == data:
            continue
        differing.append(path.name)
        if not check:
            folder.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(".tmp")
            temporary.write_bytes(data)
            temporary.replace(path)
    return differing


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.replicas.build", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("sites", nargs="*", metavar="SITE", help="names of sites; all of them without any")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file differs")
    parser.add_argument("--output", type=Path, default=SITES, help="folder of the archives")
    options = parser.parse_args(arguments)
    sites = load_sites()
    names = {site.name for site in sites}
    if unknown := sorted(set(options.sites) - names):
        parser.error(f"no replica is named {', '.join(unknown)}; there are: {', '.join(sorted(names))}")
    chosen = [site for site in sites if not options.sites or site.name in options.sites]
    differing = run(chosen, options.output, check=options.check)
    for name in differing:
        print(f"{name}: {'differs from what scripts/replicas makes' if options.check else 'written'}")
    print(f"{len(chosen)} sites, {len(differing)} {'differ' if options.check else 'written'}")
    if options.check and differing:
        print("Run `python -m scripts.replicas.build` and commit the result.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
