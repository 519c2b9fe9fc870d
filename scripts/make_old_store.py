"""Makes a store with one citation of every kind, and an export: what later versions must go on reading.

Run it when a format changes, with the version that writes the one to keep:
``python -m scripts.make_old_store tests/stores/format-N``. The pages are on an invented host, the video is
the replica's. The signing key is kept outside the store and thrown away.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pymupdf

from verifaible.api import Verifaible
from verifaible.archive.wacz import WaczWriter
from verifaible.config import Settings
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

REPOSITORY = Path(__file__).resolve().parents[1]
SITE = "https://kept.example"
TEXT = "In 2025 the harbour handled 4.2 million tonnes, 3.5 % more than the year before."
_PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>{}</title><body>{}'
_TABLE = (
    "<h1>Tonnes by quarter</h1><table><caption>Harbour, 2025</caption><tr><th>Quay<th>First<th>Second</tr>"
    "<tr><th>North<td>812,300<td>901,450</tr><tr><th>South<td>655,010<td>702,118</tr></table>"
)
_SCRIPTED = """<h1>Rates</h1><select id="day"><option>Monday<option>Tuesday</select>
<p id="out">Choose a day.</p>
<script>document.getElementById("day").onchange = async (event) => {
  const answer = await fetch("/rate?day=" + event.target.value);
  document.getElementById("out").textContent = (await answer.json()).said;
};</script>"""


def _svg() -> str:
    circle = '<circle cx="80" cy="45" r="40"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="160" height="90">{circle}</svg>'


def _pdf() -> bytes:
    document = pymupdf.Document()
    document.new_page().insert_text((60, 90), "Net assets stood at EUR 1,234.5 million.", fontsize=12)  # type: ignore[no-untyped-call]
    return bytes(document.tobytes())  # type: ignore[no-untyped-call]


def _site() -> dict[str, tuple[str, bytes]]:
    html = "text/html; charset=utf-8"
    return {
        "/text": (html, _PAGE.format("Text", f"<h1>The harbour</h1><p>{TEXT}</p>").encode()),
        "/table": (html, _PAGE.format("Table", _TABLE).encode()),
        "/image": (
            html,
            _PAGE.format("Image", '<h1>Chart</h1><img src="/chart.svg" alt="Tonnes a year">').encode(),
        ),
        "/chart.svg": ("image/svg+xml", _svg().encode()),
        "/dynamic": (html, _PAGE.format("Dynamic", _SCRIPTED).encode()),
        "/rate?day=Tuesday": ("application/json", b'{"said": "On Tuesday the rate was 5.33 per cent."}'),
        "/report.pdf": ("application/pdf", _pdf()),
    }


async def make(target: Path) -> None:
    """Make the store at ``target``, which must not be there yet."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        sites = home / "snapshots" / "sites"
        sites.mkdir(parents=True)
        now = datetime.now(UTC)
        with WaczWriter(
            sites / "kept.example.wacz", title="kept.example", created=now, synthetic=True
        ) as writer:
            for path, (kind, body) in _site().items():
                response = WebResponse(200, (("content-type", kind),), body)
                writer.add_exchange(WebExchange(WebRequest(SITE + path), response, now))
        shutil.copy(REPOSITORY / "snapshots" / "sites" / "youtube.com.wacz", sites)
        settings = Settings(home=home, store=str(target), signing_key=home / "signing.pem")
        async with Verifaible(settings, web="offline") as verifaible:
            await verifaible.cite(f"{SITE}/text", quote="handled 4.2 million tonnes")
            cell = await verifaible.cite(f"{SITE}/table", row="South", column="Second")
            await verifaible.cite(f"{SITE}/image", alt="Tonnes a year", evidence_type="image")
            await verifaible.cite(f"{SITE}/report.pdf", quote="EUR 1,234.5 million", page_number=1)
            steps = [{"type": "select", "selector": "#day", "value": "Tuesday"}]
            await verifaible.cite(f"{SITE}/dynamic", quote="the rate was 5.33 per cent", steps=steps)
            await verifaible.cite(
                "https://www.youtube.com/watch?v=iG9CE55wbtY", quote="They will in a minute", at="4:08"
            )
            await verifaible.export(cell.id, home / "export")
        shutil.make_archive(str(target.with_name(f"export-{target.name}")), "zip", home / "export")
    (target / "index.sqlite").unlink(missing_ok=True)  # made again from the files


if __name__ == "__main__":
    asyncio.run(make(Path(sys.argv[1]).resolve()))
