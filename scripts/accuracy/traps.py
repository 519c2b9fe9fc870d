"""Quotes, pages, PDFs and grids by authors who have not seen the code: what is cited, and what must not be.

A folder has ``texts.jsonl``, ``pages.jsonl``, ``pdfs.jsonl`` and ``grids.jsonl``, and the files that they
name. Each line says what is quoted from what, and whether that is right (``accept``) or misleads
(``refuse``).
"""

from __future__ import annotations

import argparse
import asyncio
import json
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
from verifaible.anchoring.fold import fold
from verifaible.browser.reading import FrameText, PageText
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ToolError
from verifaible.evidence.check.replay import passage
from verifaible.evidence.make.collect import found_in, refuse_hidden
from verifaible.evidence.make.request import CiteRequest
from verifaible.evidence.observing.material import PageMaterial
from verifaible.evidence.observing.observe import draw, observe
from verifaible.evidence.observing.places import place
from verifaible.extract.html import parse_html
from verifaible.extract.visible import visible_lines
from verifaible.net.web import Web
from verifaible.schema.citation import AnchorRequest

FOLDERS = tuple(
    Path(__file__).resolve().parents[2] / "tests" / "traps" / name
    for name in ("first", "second", "third", "fourth")
)
#: The files of a folder, and how what is asked in each is called.
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


def load(folder: Path, name: str) -> list[Trap]:
    """The lines of one file of a folder, as requests; none where there is no such file."""
    lines = folder / f"{name}.jsonl"
    if not lines.is_file():
        return []
    found = []
    for line in lines.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        path = item.get("file") or f"texts/{item['id']}"
        value = item.get("value", "")
        accept = item["expect"] == "accept"
        markup, language = item.get("html", ""), item.get("lang", "")
        asked = _request(name, item)
        found.append(
            Trap(item["id"], item["kind"], path, asked, value, accept, item["why"], markup, language)
        )
    return found


def _request(name: str, item: dict[str, Any]) -> AnchorRequest:
    if name == "grids":
        column = tuple(each.strip() for each in item["column"].split(" / "))
        return AnchorRequest(evidence_type="table", row=(item["row"],), column=column)
    if name == "pdfs":
        return AnchorRequest(evidence_type="pdf", quote=item["quote"], page_number=item["page"])
    return AnchorRequest(quote=item["quote"])


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    texts = {
        f"/{trap.path}": _PAGE.format(lang=escape(trap.language), body=trap.markup)
        for trap in load(folder, "texts")
    }

    class Handler(BaseHTTPRequestHandler):
        types: ClassVar[dict[str, str]] = {".html": "text/html; charset=utf-8", ".pdf": "application/pdf"}

        def do_GET(self) -> None:
            path = unquote(self.path.partition("?")[0])
            file = folder / path.lstrip("/")
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


async def run(folder: Path, name: str, home: Path) -> list[Result]:
    """Ask for what each line of a file asks for, as a new citation does, and say what came of it."""
    settings = Settings(home=home, allow_hosts=("127.0.0.1",))
    results = []
    with _served(folder) as url:
        async with Browser(settings, offline=False) as browser:
            web = Web.live(settings)
            for trap in load(folder, name):
                accepted, said = await _accepted(browser, web, f"{url}/{trap.path}", trap)
                results.append(_result(folder, name, trap, accepted, said))
    return results


def read(folder: Path) -> list[Result]:
    """Ask for the quotes of a folder in the text of their markup, without a browser: nothing is looked at."""
    results = []
    for trap in load(folder, "texts"):
        text = "\n".join(visible_lines(parse_html(_PAGE.format(lang="", body=trap.markup)).body))
        frame = FrameText(path=(), url="https://example.org/", start=0, text=text, language=trap.language)
        page = PageMaterial(url=frame.url, title="", page=PageText(frames=(frame,)))
        found = place(page, trap.request)
        said = f"{found.verdict}: {found.found or found.nearest}"
        results.append(_result(folder, "texts", trap, found.verdict == "verified", said))
    return results


def _result(folder: Path, name: str, trap: Trap, accepted: bool, said: str) -> Result:
    outcome: Outcome = "right"
    if accepted is not trap.accept:
        outcome = "missed" if trap.accept else "false verified"
    said = "" if outcome == "right" else f"{trap.value or trap.request.quote!r} ({trap.why}): {said}"
    shown = f"{folder.name} set, {SETS[name]} {'to accept' if trap.accept else 'to refuse'}"
    return Result(shown, f"{trap.name} ({trap.kind})", outcome, said)


def everything(*, browser: bool) -> list[Result]:
    """All sets; without a browser only the quotes of each."""
    if not browser:
        return [result for folder in FOLDERS for result in read(folder)]
    with tempfile.TemporaryDirectory() as home:
        sets = [asyncio.run(run(folder, name, Path(home))) for folder in FOLDERS for name in SETS]
    return [result for results in sets for result in results]


async def _accepted(browser: Browser, web: Web, url: str, trap: Trap) -> tuple[bool, str]:
    try:
        async with browser.page(web) as session:
            observed = await observe(session, url, (), trap.request)
            placement = found_in(observed, CiteRequest(claim="", url=url, anchor=trap.request))
            assert placement.anchor is not None
            if observed.document is not None:
                fault = passage(observed.document.body, placement.anchor).fault(url)
                if fault is not None:
                    raise fault
            else:
                drawn = await draw(session, observed.material, placement)
                await refuse_hidden(session, drawn.anchor)
    except ToolError as error:
        return False, f"{error.code}: {error}"
    said = f"{placement.verdict}: {placement.found or placement.nearest}"
    same = not trap.value or fold(placement.found).text == fold(trap.value).text
    return placement.verdict == "verified" and same, said


def main() -> None:
    """Run the sets of a folder, and print what came out and what did not come out right."""
    parser = argparse.ArgumentParser(prog="python -m scripts.accuracy.traps", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=SETS, action="append", help="a set to run; all unless given")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    for name in arguments.only or SETS:
        with tempfile.TemporaryDirectory() as home:
            results = asyncio.run(run(folder, name, Path(home)))
        for tally in tallies(results):
            print(f"{tally.kind}: {tally.right} of {tally.total} right")
        for each in results:
            if each.outcome != "right":
                print(f"  {each.outcome}: {each.name}: {each.said[:300]!r}")


if __name__ == "__main__":
    main()
