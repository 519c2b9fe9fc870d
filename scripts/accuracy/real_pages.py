"""Citing and re-checking on saved pages of the real web: ``python -m scripts.accuracy.real_pages FOLDER``.

Each page is served by a real server on loopback; every other host has no address. Quotes are chosen by
:mod:`scripts.accuracy.real_reader` and cited as the product does it; then they are asked for with edits
(:mod:`scripts.accuracy.real_edits`), the served page is changed (:mod:`scripts.accuracy.real_drift`), and the
citations are re-checked live. Nothing of a page is kept but its name.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

from scripts.accuracy.outcome import Measured, Result
from scripts.accuracy.real_drift import DRIFTS, drifted, outcome
from scripts.accuracy.real_edits import edits
from scripts.accuracy.real_quotes import Quote, quotes
from scripts.accuracy.real_reader import VISIBLE, WITHIN, Saved, parse
from scripts.accuracy.real_report import section
from scripts.benchmark.serving import serving
from verifaible.browser.page.session import PageSession
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, ToolError
from verifaible.evidence.cite import Collector
from verifaible.evidence.observe import Observed, observe
from verifaible.evidence.place import place
from verifaible.evidence.refusal import found_in
from verifaible.evidence.replay import recheck
from verifaible.evidence.request import CiteRequest
from verifaible.net.guard import UrlGuard
from verifaible.net.web import Web
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.citation import Citation
from verifaible.store.store import Store

SEED = "2026-11"
#: Pages at once: one is read while another is judged.
AT_ONCE = 2
#: Quotes of each kind that are shown to Chromium before one is taken, parts of sentences that are only looked
#: for, and citations of a page that are re-checked after each kind of change.
_POOL, _PARTS, _CHECKED = 12, 20, 2
#: Of a page that takes longer no more is measured.
PAGE_TIMEOUT_S = 900.0


async def _nowhere(host: str, port: int) -> Sequence[str]:
    return ()


@dataclass(slots=True)
class _Bench:
    """The browser, and the pages as they are served now, by path."""

    settings: Settings
    web: Web
    browser: Browser
    collector: Collector
    url: str
    pages: dict[str, bytes]


@dataclass(slots=True)
class _Page:
    """One page under measurement."""

    bench: _Bench
    saved: Saved
    path: str
    measured: Measured
    language: str
    chance: random.Random

    @property
    def url(self) -> str:
        return self.bench.url + self.path

    async def run(self) -> None:
        self.bench.pages[self.path] = self.saved.served()
        cited: list[tuple[Quote, Citation]] = []
        async with self.bench.browser.page(self.bench.web) as session:
            try:
                observed = await observe(session, self.url, (), AnchorRequest(quote="-"))
            except ToolError as error:
                self.measured.add("page read", "missed", str(error))
                return
            self.measured.add("page read", "right")
            chosen, further = await self._chosen(session)
            for quote in chosen:
                citation = await self._cite(session, quote)
                if citation is not None:
                    cited.append((quote, citation))
            self._look(observed, further)
        for quote, _ in cited:
            await asyncio.to_thread(self._edit, observed, quote)
        await self._drift(cited)

    async def _chosen(self, session: PageSession) -> tuple[list[Quote], list[Quote]]:
        """A quote of each kind and variant that a reader sees, and parts of sentences besides."""
        chosen: list[Quote] = []
        further: list[Quote] = []
        for (_, whole), found in quotes(self.saved, self.chance).items():
            pairs = [[quote.mark, quote.text] for quote in found[:_POOL]]
            seen = await session.page.evaluate(VISIBLE, pairs)
            left = [quote for quote, is_seen in zip(found, seen, strict=False) if is_seen]
            chosen += left[:1]
            if not whole:
                further += left[1 : 1 + _PARTS // 3]
        return chosen, further

    async def _cite(self, session: PageSession, quote: Quote) -> Citation | None:
        kind = f"cite: {quote.kind}"
        request = CiteRequest(claim="A claim", url=self.url, anchor=AnchorRequest(quote=quote.text))
        try:
            citation = (await self.bench.collector.collect(request)).citation
        except ToolError as error:
            self.measured.add(kind, "missed", f"{quote.text!r}: {error.code}: {error}")
            return None
        within = await session.page.evaluate(WITHIN, [citation.anchor.css_path or "no-path", quote.mark])
        same = "".join(citation.anchor.text.split()) == "".join(quote.text.split())
        right = within and same and citation.anchor.rects
        self.measured.add(
            kind, "right" if right else "wrong place", f"{quote.text!r}: {citation.anchor.css_path}"
        )
        return citation if right else None

    def _look(self, observed: Observed, further: Sequence[Quote]) -> None:
        """Look for more parts of sentences in what was read."""
        for quote in further:
            placed = place(observed.material, AnchorRequest(quote=quote.text))
            here = placed.verdict == "verified"
            said = f"{quote.text!r}: {placed.verdict}, {(placed.text or placed.nearest)[:80]!r}"
            kind = "found in what was read: part of a sentence"
            self.measured.add(kind, "right" if here else "missed", "" if here else said)

    def _edit(self, observed: Observed, quote: Quote) -> None:
        others = [block for block in self.saved.blocks() if block.mark != quote.mark]
        other = self.chance.choice(others).text if others else ""
        for kind, edited, allowed in edits(
            quote.text, other, self.saved.squeezed, self.chance, self.language
        ):
            try:
                found_in(observed.material, AnchorRequest(quote=edited))
            except ToolError as error:
                came_to, said = ("missed" if allowed else "right"), str(error)
            else:
                came_to, said = ("right" if allowed else "false verified"), "accepted"
            self.measured.add(
                f"{'equal' if allowed else 'edited'}: {kind}",
                came_to,
                f"{edited!r} for {quote.text!r}: {said}",
            )

    async def _drift(self, cited: Sequence[tuple[Quote, Citation]]) -> None:
        for turn, kind in enumerate(DRIFTS):
            checked = 0
            for step in range(len(cited)):
                quote, citation = cited[(turn + step) % len(cited)]
                body = drifted(self.saved, quote, kind, self.chance, self.language)
                if body is None:
                    continue
                self.bench.pages[self.path] = body
                bench, store = self.bench, self.bench.collector.store
                check = await recheck(citation, store, bench.browser, bench.settings, web=bench.web)
                said = f"{quote.where}: {quote.text!r}: {check.verdict}: {check.message[:200]}"
                self.measured.add(f"re-check: {kind}", outcome(kind, check.verdict), said)
                checked += 1
                if checked == _CHECKED:
                    break


async def _measure(bench: _Bench, file: Path) -> Measured:
    measured, started = Measured(file.stem), monotonic()
    saved = parse(await asyncio.to_thread(file.read_bytes))
    language = (saved.root.get("lang") or "").lower().partition("-")[0] or "en"
    chance = random.Random(f"{SEED} {file.stem}")  # noqa: S311
    page = _Page(bench, saved, f"/{file.stem}/page.html", measured, language, chance)
    try:
        async with asyncio.timeout(PAGE_TIMEOUT_S):
            await page.run()
    except TimeoutError:
        measured.add("page measured to its end", "missed", "no time was left")
    except InfrastructureError as error:  # the browser was lost; the next page opens another
        measured.add("page measured to its end", "missed", str(error))
    measured.seconds = round(monotonic() - started, 1)
    return measured


async def run(files: Sequence[Path], kept: Path | None = None) -> list[Measured]:
    """Measure pages; those that ``kept`` has already are not measured again, and new ones are added to it."""
    found = _read(kept)
    left = [file for file in files if file.stem not in {each.page for each in found}]
    pages: dict[str, bytes] = {}

    def answer(path: str, _: bytes) -> tuple[int, dict[str, str], bytes]:
        body = pages.get(path, b"")
        return 200 if body else 404, {"content-type": "text/html; charset=utf-8"}, body

    with tempfile.TemporaryDirectory() as home, serving(answer) as url:
        settings = Settings(home=Path(home), allow_hosts=("127.0.0.1",))
        web = Web("live", settings, UrlGuard(settings.allow_hosts, resolver=_nowhere))
        async with Browser(settings, offline=False) as browser:
            store = Store(Path(home) / "cited")
            bench = _Bench(settings, web, browser, Collector(settings, web, browser, store), url, pages)
            free = asyncio.Semaphore(AT_ONCE)

            async def one(file: Path) -> None:
                async with free:
                    measured = await _measure(bench, file)
                found.append(measured)
                print(
                    f"{measured.page}: {len(measured.results)} cases, {measured.seconds} s",
                    file=sys.stderr,
                    flush=True,
                )
                if kept is not None:
                    with kept.open("a", encoding="utf-8") as lines:
                        lines.write(json.dumps(asdict(measured)) + "\n")

            await asyncio.gather(*map(one, left))
            store.close()
    return [
        each for each in sorted(found, key=lambda each: each.page) if each.page in {f.stem for f in files}
    ]


def _read(kept: Path | None) -> list[Measured]:
    lines = kept.read_text(encoding="utf-8").splitlines() if kept is not None and kept.is_file() else []
    found = [Measured(**json.loads(line)) for line in lines]
    for each in found:
        each.results = [Result(**result) for result in each.results]  # type: ignore[arg-type]
    return found


def saved_pages(folder: Path | None, most: int | None = None) -> list[Path]:
    """The saved pages of a folder, by name; none where there is no such folder."""
    return sorted(folder.glob("*.html"))[:most] if folder is not None and folder.is_dir() else []


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m scripts.accuracy.real_pages", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, help="the first N pages only")
    parser.add_argument("--keep", type=Path, help="a file that keeps what was measured, to go on with")
    chosen = parser.parse_args()
    files = saved_pages(chosen.folder, chosen.pages)
    if not files:
        print(f"Real pages: not measured, {chosen.folder} has no saved page (*.html).")
        return
    measured = asyncio.run(run(files, chosen.keep))
    print(section(measured))
    for page in measured:
        for each in page.results:
            if each.outcome != "right":
                print(f"  {each.outcome}: {each.kind}: {each.name}: {each.said[:420]}")


if __name__ == "__main__":
    main()
