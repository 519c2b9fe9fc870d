"""Edit the hand-made archives of the offline web, and check those that are committed.

    python -m scripts.replica unpack snapshots/sites/stats.gov.cn.wacz FOLDER
    python -m scripts.replica pack FOLDER snapshots/sites/stats.gov.cn.wacz
    python -m scripts.replica check [ARCHIVE ...]

In the folder, ``archive.json`` describes the replica, and ``exchanges/`` has a JSON file for each request
with the address, the heads and the names of the files that hold the bodies; they are packed, and answered, in
the order of their names. One with a ``title`` is a page that search finds, by the words in its
``.search.txt``: whoever changes the words of a page changes those too. Lengths, hashes and the index are made
by ``pack``.

``check`` demands of each archive (all of ``snapshots/sites`` if none is named) that it is marked synthetic,
that the project's own reader finds no fault, and that unpacked and packed again it has the same bytes.
"""

from __future__ import annotations

import argparse
import io
import json
import mimetypes
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from verifaible.archive.reader import WaczReader
from verifaible.archive.validate import faults as wrong_with
from verifaible.archive.wacz import WaczWriter
from verifaible.archive.warc import warc_date
from verifaible.errors import StoreError
from verifaible.schema.web import Headers, WebExchange, WebRequest, WebResponse

SITES = Path(__file__).resolve().parents[1] / "snapshots" / "sites"
#: What the writer makes; other files of an archive lie in ``files/``.
MADE = ("archive/", "indexes/", "pages/", "datapackage")


def unpack(archive: Path, folder: Path) -> None:
    """Write a replica as files that a person can edit, into a new or empty folder."""
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty. Choose another folder, or empty it first.")
    (folder / "exchanges").mkdir(parents=True, exist_ok=True)
    with WaczReader(archive) as reader:
        about = reader.metadata
        if not about.synthetic:
            raise SystemExit(f"{archive.name} is a recording: only replicas are edited.")
        named = {name: getattr(about, name) for name in ("title", "description", "created", "software")}
        _write_json(folder / "archive.json", named)
        pages = list(reader.pages())
        for number, exchange in enumerate(reader.exchanges(), 1):
            address = exchange.request.url.partition("://")[2]
            name = f"{number:04}-{re.sub(r'[^A-Za-z0-9.]+', '-', address)[:60].strip('-.')}"
            head = _head(folder / "exchanges", name, exchange)
            if pages and (pages[0].url, pages[0].timestamp) == (exchange.request.url, exchange.recorded_at):
                page = pages.pop(0)
                head["title"] = page.title
                (folder / "exchanges" / f"{name}.search.txt").write_bytes(page.text.encode())
            _write_json(folder / "exchanges" / f"{name}.json", head)
        if pages:
            raise SystemExit(f"{archive.name} lists a page that it does not hold: {pages[0].url}")
        for path in (name for name in reader.names() if not name.startswith(MADE)):
            (folder / "files" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "files" / path).write_bytes(reader.read(path))


def _head(exchanges: Path, name: str, exchange: WebExchange) -> dict[str, Any]:
    """What the JSON file of an exchange says; its bodies are written beside it."""
    request, response = exchange.request, exchange.response
    suffix = mimetypes.guess_extension(response.content_type) or ".bin"
    bodies = {"sent_body": (".sent", request.body), "body": (f".body{suffix}", response.body)}
    for end, body in bodies.values():
        if body:
            (exchanges / (name + end)).write_bytes(body)
    return {
        "url": request.url,
        "method": request.method,
        "sent": [f"{key}: {value}" for key, value in request.headers],
        "status": response.status,
        "headers": [f"{key}: {value}" for key, value in response.headers],
        "recorded_at": warc_date(exchange.recorded_at),
        **{key: name + end for key, (end, body) in bodies.items() if body},
    }


def pack(folder: Path, archive: Path) -> None:
    """Make a replica of a folder; the same files give the same bytes."""
    exchanges, files = folder / "exchanges", folder / "files"
    about = json.loads((folder / "archive.json").read_bytes())
    created = datetime.fromisoformat(about.pop("created"))
    packed = io.BytesIO()
    with WaczWriter(packed, **about, created=created, compress=False, synthetic=True) as writer:
        for path in sorted(exchanges.glob("*.json")):
            if path.name.endswith(".body.json"):
                continue
            head = json.loads(path.read_bytes())
            sent, body = (
                (exchanges / head[key]).read_bytes() if key in head else b"" for key in ("sent_body", "body")
            )
            request = WebRequest(head["url"], head["method"], _pairs(head["sent"]), sent)
            response = WebResponse(head["status"], _pairs(head["headers"]), body)
            moment = datetime.fromisoformat(head["recorded_at"])
            writer.add_exchange(WebExchange(request, response, moment))
            if "title" in head:
                words = path.with_name(f"{path.stem}.search.txt").read_bytes().decode()
                writer.add_page(request.url, head["title"], moment, words)
        for path in sorted(path for path in files.rglob("*") if path.is_file()):
            writer.add_file(path.relative_to(files).as_posix(), path.read_bytes())
    archive.write_bytes(packed.getvalue())


def _pairs(lines: list[str]) -> Headers:
    return tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in lines))


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def faults(archive: Path) -> Iterator[str]:
    """What is wrong with a committed archive, one sentence each."""
    try:
        with WaczReader(archive) as reader:
            yield from wrong_with(reader)
            if not reader.metadata.synthetic:
                yield "It is not marked synthetic: only replicas are committed."
                return
        with tempfile.TemporaryDirectory() as temporary:
            folder, again = Path(temporary) / "folder", Path(temporary) / archive.name
            unpack(archive, folder)
            pack(folder, again)
            if again.read_bytes() != archive.read_bytes():
                yield "Unpacked and packed again it has other bytes. Commit what `pack` makes of it."
    except (StoreError, SystemExit) as error:
        yield str(error)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.replica", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    for name, metavars in {"unpack": ("ARCHIVE", "FOLDER"), "pack": ("FOLDER", "ARCHIVE")}.items():
        command = commands.add_parser(name)
        for place, metavar in zip(("source", "target"), metavars, strict=True):
            command.add_argument(place, metavar=metavar, type=Path)
    commands.add_parser("check").add_argument("archives", metavar="ARCHIVE", type=Path, nargs="*")
    given = parser.parse_args(arguments)
    if given.command != "check":
        try:
            (unpack if given.command == "unpack" else pack)(given.source, given.target)
        except (OSError, StoreError) as error:
            raise SystemExit(str(error)) from error
        return 0
    archives = given.archives or sorted(SITES.glob("*.wacz"))
    found = [f"{archive.name}: {fault}" for archive in archives for fault in faults(archive)]
    print(*found, f"{len(archives)} archives, {len(found)} faults", sep="\n")
    return 1 if found or not archives else 0


if __name__ == "__main__":
    sys.exit(main())
