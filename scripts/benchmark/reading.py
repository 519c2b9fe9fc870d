"""How well and how fast pages are read: ``python -m scripts.benchmark.reading [--articles PATH]``.

Accuracy is that of the suites in ``tests/unit/extract``; times are those of this machine, with nothing of a
network in them. ``--articles`` names a copy of the public article-extraction benchmark
(``ground-truth.json`` and ``html/*.html.gz``): its score counts the shingles of four words that the text
found and the true text share.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import re
import statistics
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from scripts.benchmark.table import Section
from tests.unit.extract.hidden_cases import CHANNELS, HIDDEN
from tests.unit.extract.script_pages import pages
from tests.unit.extract.table_cases import cases
from tests.unit.extract.test_hidden import URL, everything, page_of
from tests.unit.net.local_site import local_site
from tests.unit.tools.contexts import call
from verifaible.archive.lookup import Archive
from verifaible.browser.session import Browser
from verifaible.config import Settings
from verifaible.errors import OfflineMiss
from verifaible.extract.charset import decode_html
from verifaible.extract.html import to_markdown
from verifaible.net.web import Web
from verifaible.schema.web import WebRequest, header
from verifaible.tools.context import ToolContext
from verifaible.tools.web_fetch import web_fetch

_SITES = Path(__file__).resolve().parents[2] / "snapshots" / "sites"
_TOKEN = re.compile(r"\w+", re.UNICODE)
_REPEATS = 15
_CORPUS = 20
_MANY = 60
_AT_ONCE = 4
_SHELL = "<div id=root></div><script>document.getElementById('root').textContent='ready'</script>"


def run(_folder: Path) -> list[Section]:
    """Every table that needs nothing from outside."""
    return [_accuracy(), _times(), _throughput()]


def _accuracy() -> Section:
    leaking = set()
    for number, case in enumerate(HIDDEN):
        filled, words = case.filled(number)
        if words in everything(to_markdown(page_of(filled), URL)):
            leaking.add(case.channel)
    told = [(page.needs, to_markdown(page.html, URL).needs_javascript) for page in pages()]
    needing = [found for needs, found in told if needs]
    whole = [found for needs, found in told if not needs]
    tables = [case for case in cases() if _table(case.html) == case.grid]
    rows = (
        ("channels of hidden text that leak", f"{len(leaking)} of {len(CHANNELS)} ({len(HIDDEN)} spellings)"),
        ("needs-JavaScript detector, recall", f"{sum(needing) / len(needing):.1%} of {len(needing)}"),
        ("needs-JavaScript detector, false positives", f"{sum(whole) / len(whole):.1%} of {len(whole)}"),
        ("tables complete and aligned", f"{len(tables)} of {len(cases())}"),
        (f"tokens of {_CORPUS} pages, characters / 4", f"{_tokens():,}"),
    )
    return Section("Reading pages", "The suites in `tests/unit/extract`.", ("measure", "value"), rows)


def _table(html: str) -> tuple[tuple[str, ...], ...]:
    markdown = to_markdown(f"<body><h1>H</h1>{html}</body>", URL).markdown
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    found = [tuple("".join(cell.split()) for cell in line.strip("|").split("|")) for line in lines]
    return tuple(found[:1] + found[2:])


def _tokens() -> int:
    """No tokenizer is needed: a fourth of the characters, as is usual for a rough count."""
    archive = Archive.open(sorted(_SITES.glob("*.wacz")))
    player = archive.player()
    sizes: list[int] = []
    for url in sorted(archive.urls()):
        try:
            response = player.find(WebRequest(url)).response
        except OfflineMiss:
            continue
        if response.content_type == "text/html" and len(response.body) > 8_000 and len(sizes) < _CORPUS:
            text = decode_html(response.body, header(response.headers, "content-type")).text
            sizes.append(len(to_markdown(text, url).markdown))
    return sum(sizes) // 4


def _times() -> Section:
    static, rendered = asyncio.run(_measured())
    rows = (("static", f"{static:.0f}"), ("rendered", f"{rendered:.0f}"))
    explained = f"Median of {_REPEATS} calls of `web_fetch` on a page on loopback."
    return Section("`web_fetch`", explained, ("page", "ms"), rows)


async def _measured() -> tuple[float, float]:
    settings = Settings(allow_hosts=("127.0.0.1",))
    web = Web.live(settings)
    words = "<p>Consumer prices rose by two tenths of a percent in the year.</p>" * 40
    with local_site() as site:
        for path, body in (("/static", words), ("/shell", _SHELL)):
            site.give(path, 200, f"<h1>Prices</h1>{body}".encode(), content_type="text/html")
        async with Browser(settings, offline=False) as browser:
            context = cast(ToolContext, SimpleNamespace(web=web, browser=browser))
            return await _median(context, site.url + "/static"), await _median(context, site.url + "/shell")


async def _median(context: ToolContext, url: str) -> float:
    tool = web_fetch(context)
    await call(tool, url=url)
    times = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        reply = await call(tool, url=url)
        assert not reply.error_code, reply.text
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def _throughput() -> Section:
    pages_a_second = asyncio.run(_many())
    return Section(
        "Many pages at once",
        f"{_MANY} rendered pages on loopback by `web_fetch`, {_AT_ONCE} at once; goal: at least 6 "
        "a second on two cores.",
        ("what", "pages a second"),
        (("web_fetch, rendered", f"{pages_a_second:.1f}"),),
    )


async def _many() -> float:
    settings = Settings(allow_hosts=("127.0.0.1",))
    web = Web.live(settings)
    places = asyncio.Semaphore(_AT_ONCE)
    with local_site() as site:
        site.give("/shell", 200, f"<h1>Prices</h1>{_SHELL}".encode(), content_type="text/html")
        async with Browser(settings, offline=False) as browser:
            tool = web_fetch(cast(ToolContext, SimpleNamespace(web=web, browser=browser)))

            async def one() -> None:
                async with places:
                    reply = await call(tool, url=f"{site.url}/shell")
                    assert not reply.error_code, reply.text

            await one()
            started = time.perf_counter()
            await asyncio.gather(*(one() for _ in range(_MANY)))
            return _MANY / (time.perf_counter() - started)


def articles(folder: Path) -> Section:
    """F1 of the article bodies: precision and recall of shingles, averaged over the pages."""
    truth = json.loads((folder / "ground-truth.json").read_text(encoding="utf-8"))
    shares: list[tuple[float, float]] = []
    for name, item in truth.items():
        packed = folder / "html" / f"{name}.html.gz"
        html = decode_html(gzip.decompress(packed.read_bytes()), "text/html").text
        page = to_markdown(html, item.get("url") or URL)
        plain = re.sub(r"\]\[\d+\]|[#*_|\[\]>`]", " ", page.markdown)
        shares.append(_shared(_shingles(plain), _shingles(item["articleBody"])))
    precision = statistics.mean(each[0] for each in shares)
    recall = statistics.mean(each[1] for each in shares)
    score = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    rows = ((f"{len(shares)} pages", f"{score:.3f}", f"{precision:.3f}", f"{recall:.3f}"),)
    return Section(
        "Article extraction", "Shingles of four words.", ("set", "F1", "precision", "recall"), rows
    )


def _shingles(text: str, size: int = 4) -> Counter[tuple[str, ...]]:
    words = _TOKEN.findall(text)
    if len(words) < size:
        return Counter({tuple(words): 1} if words else {})
    return Counter(tuple(words[index : index + size]) for index in range(len(words) - size + 1))


def _shared(found: Counter[tuple[str, ...]], true: Counter[tuple[str, ...]]) -> tuple[float, float]:
    """Precision and recall of one page; a page that has no words and gives none is right."""
    both = sum((found & true).values())
    precision = both / sum(found.values()) if found else float(not true)
    return precision, both / sum(true.values()) if true else 1.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=Path, help="folder of the public article-extraction benchmark")
    arguments = parser.parse_args()
    sections = run(Path())
    if arguments.articles and arguments.articles.is_dir():
        sections.append(articles(arguments.articles))
    for section in sections:
        print(section.markdown())


if __name__ == "__main__":
    main()
