"""Quotes, pages, PDFs and grids by authors who have not seen the code: what is cited, and what must not be.

``tests/suites/traps`` has them: ``texts``, ``pages``, ``pdfs`` and ``grids``, and the files that these name.
Each row says what is quoted from what, and whether that is right (``accept``) or misleads (``refuse``). What
misleads may also be accepted, if it is shown with every sentence of its text.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from urllib.parse import unquote

from scripts.accuracy.outcome import Outcome, Result, tallies
from tests.kit import suites
from verifaible.anchoring.evidence import Found
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ToolError
from verifaible.evidence.mark import draw, refuse_hidden
from verifaible.evidence.material import Material
from verifaible.evidence.observe import observe
from verifaible.evidence.place import passage, place
from verifaible.evidence.refusal import found_in, hidden
from verifaible.extract.document import Document
from verifaible.extract.html import html_document
from verifaible.net.web import Web
from verifaible.schema.anchor import AnchorRequest
from verifaible.text.normalise import key

#: The sets there are, and their files by what is asked in each. The fourth set has no PDFs.
SPLITS = ("dev", "heldout-1", "heldout-2", "heldout-3")
SETS = {"texts": "quotes", "pages": "pages", "pdfs": "PDFs", "grids": "grids"}
_PAGE = "<!doctype html><html lang={lang}><meta charset=utf-8><title>A page</title><body>{body}</body></html>"


@dataclass(frozen=True, slots=True)
class Trap:
    """One line: what is asked of which address, and whether it must be accepted.

    ``markup`` is that of a quote, which needs no file of its own.
    """

    name: str
    kind: str
    path: str
    request: AnchorRequest
    value: str
    accept: bool
    why: str
    markup: str = ""
    language: str = ""


def load(split: str, name: str) -> list[Trap]:
    """What is asked for in one file of a set; nothing where a set has no such file."""
    found = []
    for row in suites.load(f"traps/{name}"):
        if row.split == split:
            given, expect = row.input, row.expect
            path = given.get("file") or f"texts/{row.id}"
            value, accept = expect.get("value", ""), expect["verdict"] == "accept"
            markup, language = given.get("html", ""), given.get("lang", "")
            asked = _request(name, given)
            found.append(Trap(row.id, row.kind, path, asked, value, accept, row.why, markup, language))
    return found


def _request(name: str, item: dict[str, Any]) -> AnchorRequest:
    if name == "grids":
        column = tuple(each.strip() for each in item["column"].split(" / "))
        return AnchorRequest(evidence_type="table", row=(item["row"],), column=column)
    if name == "pdfs":
        return AnchorRequest(evidence_type="pdf", quote=item["quote"], page_number=item["page"])
    return AnchorRequest(quote=item["quote"])


@contextmanager
def _served(split: str) -> Iterator[str]:
    texts = {
        f"/{trap.path}": _PAGE.format(lang=escape(trap.language), body=trap.markup)
        for trap in load(split, "texts")
    }

    class Handler(BaseHTTPRequestHandler):
        types: ClassVar[dict[str, str]] = {".html": "text/html; charset=utf-8", ".pdf": "application/pdf"}

        def do_GET(self) -> None:
            path = unquote(self.path.partition("?")[0])
            file = suites.ROOT / path.lstrip("/")
            if path in texts:
                body, kind = texts[path].encode("utf-8", "surrogatepass"), self.types[".html"]
            elif file.is_file() and file.suffix in self.types:
                body, kind = file.read_bytes(), self.types[file.suffix]
            else:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


async def run(split: str, name: str, home: Path) -> list[Result]:
    """Ask for what each line of a set asks for, as a new citation does, and say what came of it."""
    settings = Settings(home=home, allow_hosts=("127.0.0.1",))
    results = []
    with _served(split) as url:
        async with Browser(settings, offline=False) as browser:
            web = Web.live(settings)
            for trap in load(split, name):
                accepted, said = await _accepted(browser, web, f"{url}/{trap.path}", trap)
                results.append(_result(split, name, trap, accepted, said))
    return results


def read(split: str) -> list[Result]:
    """Ask for the quotes of a set in the text of their markup, without a browser: nothing is looked at."""
    results = []
    for trap in load(split, "texts"):
        markup = _PAGE.format(lang=escape(trap.language), body=trap.markup)
        document = html_document(markup, "https://example.org/")
        found = place(Material(document), trap.request)
        said = f"{found.verdict}: {found.text or found.nearest}"
        accepted = found.verdict == "verified" and (trap.accept or not _shows_all(document, found))
        results.append(_result(split, "texts", trap, accepted, said))
    return results


def _shows_all(document: Document, found: Found) -> bool:
    """Whether whoever is shown the evidence reads every sentence, so that a cut misleads nobody."""
    shown = key(found.anchor.shown.text) if found.anchor is not None else ""
    return all(key(block.text[a:b]) in shown for block in document.blocks for a, b in block.sentences)


def _result(split: str, name: str, trap: Trap, accepted: bool, said: str) -> Result:
    outcome: Outcome = "right"
    if accepted is not trap.accept:
        outcome = "missed" if trap.accept else "false verified"
    said = "" if outcome == "right" else f"{trap.value or trap.request.quote!r} ({trap.why}): {said}"
    shown = f"{split} set, {SETS[name]} {'to accept' if trap.accept else 'to refuse'}"
    return Result(shown, f"{trap.name} ({trap.kind})", outcome, said)


def everything(*, browser: bool) -> list[Result]:
    """All sets; without a browser only the quotes of each."""
    if not browser:
        return [result for split in SPLITS for result in read(split)]
    with tempfile.TemporaryDirectory() as home:
        sets = [asyncio.run(run(split, name, Path(home))) for split in SPLITS for name in SETS]
    return [result for results in sets for result in results]


async def _accepted(browser: Browser, web: Web, url: str, trap: Trap) -> tuple[bool, str]:
    try:
        async with browser.page(web) as session:
            observed = await observe(session, url, (), trap.request)
            placement = found_in(observed.material, trap.request)
            assert placement.anchor is not None
            if observed.document is not None:
                if words := passage(observed.document.body, placement).hidden:
                    raise hidden(words, url)
            else:
                _, drawn = await draw(session, observed.material, placement)
                await refuse_hidden(session, drawn)
    except ToolError as error:
        return False, f"{error.code}: {error}"
    said = f"{placement.verdict}: {placement.text or placement.nearest}"
    if not trap.accept and trap.markup and _shows_all(observed.material.document, placement):
        return False, "accepted, and shown with all that turns it round"
    same = not trap.value or key(placement.text) == key(trap.value)
    return placement.verdict == "verified" and same, said


def main() -> None:
    """Run a set, and print what came out and what did not come out right."""
    parser = argparse.ArgumentParser(prog="python -m scripts.accuracy.traps", description=__doc__)
    parser.add_argument("split", choices=SPLITS)
    parser.add_argument("--only", choices=SETS, action="append", help="a file of it; all unless given")
    arguments = parser.parse_args()
    for name in arguments.only or SETS:
        with tempfile.TemporaryDirectory() as home:
            results = asyncio.run(run(arguments.split, name, Path(home)))
        for tally in tallies(results):
            print(f"{tally.kind}: {tally.right} of {tally.total} right")
        for each in results:
            if each.outcome != "right":
                print(f"  {each.outcome}: {each.name}: {each.said[:300]!r}")


if __name__ == "__main__":
    main()
