"""Times crawl4ai, with the Python of ``make peers``: of each address on standard input text and seconds.

The argument is the address of a browser's debugging port.
"""

# mypy: ignore-errors
from __future__ import annotations

import asyncio
import json
import sys
import time


async def main(cdp_url: str) -> None:
    """Fetch every page as Markdown, without crawl4ai's cache."""
    from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig

    run = CrawlerRunConfig(cache_mode=CacheMode.BYPASS, verbose=False)
    async with AsyncWebCrawler(config=BrowserConfig(cdp_url=cdp_url, verbose=False)) as crawler:
        while url := (await asyncio.to_thread(sys.stdin.readline)).strip():
            started = time.perf_counter()
            found = await crawler.arun(url, config=run)
            seconds = time.perf_counter() - started
            if not found.success:
                raise SystemExit(f"crawl4ai did not read {url}: {found.error_message}")
            print(json.dumps({"seconds": seconds, "text": str(found.markdown)}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
