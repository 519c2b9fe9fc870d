"""Times crawl4ai; run by ``peers.py`` with the Python of an environment that has crawl4ai installed.

Arguments: the address of a browser's debugging port, how often, then the addresses. Prints one JSON
object a page: ``url``, ``seconds`` (each call, after one that is not counted) and ``characters``.
"""

# mypy: ignore-errors
from __future__ import annotations

import asyncio
import json
import sys
import time


async def main(cdp_url: str, times: int, urls: list[str]) -> None:
    """Fetch every page as Markdown, without crawl4ai's cache."""
    from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig

    run = CrawlerRunConfig(cache_mode=CacheMode.BYPASS, verbose=False)
    async with AsyncWebCrawler(config=BrowserConfig(cdp_url=cdp_url, verbose=False)) as crawler:
        for url in urls:
            seconds = []
            for _ in range(times + 1):
                started = time.perf_counter()
                found = await crawler.arun(url, config=run)
                seconds.append(time.perf_counter() - started)
                if not found.success:
                    raise SystemExit(f"crawl4ai did not read {url}: {found.error_message}")
            print(json.dumps({"url": url, "seconds": seconds[1:], "characters": len(found.markdown)}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
