"""``verifaible export`` and ``import``: giving a citation away, and taking one over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifaible.bench.environment import read_settings
from verifaible.commands.progress import working
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.schema.citation import Citation
    from verifaible.store.store import Store

_FORMATS = ("wacz", "jsonld", "picture", "html", "pdf", "csl", "png", "link")
#: What is printed where nothing else is asked for.
_PRINTED = {"csl", "link"}


@click.command()
@click.argument("citation_id", metavar="ID")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder in which the export's folder is made; default: this one.",
)
@click.option(
    "--format",
    "formats",
    type=click.Choice(_FORMATS),
    multiple=True,
    help="What to export, default all but png (one PNG with the marks in it); may be repeated. "
    "Without others, link (the address) and csl (a reference) are only printed.",
)
@click.option(
    "--no-secrets",
    "refuse_secrets",
    is_flag=True,
    help="Export nothing if the capture holds secrets, and name them; default: warn.",
)
@click.option(
    "--strip-secrets",
    is_flag=True,
    help="Write only a copy of the capture without its secrets; it is no longer the sealed one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def export(
    citation_id: str,
    *,
    out: Path,
    formats: tuple[str, ...],
    refuse_secrets: bool,
    strip_secrets: bool,
    as_json: bool,
) -> None:
    """Write citation ID into a folder that can be checked without verifaible.

    It holds the capture (WACZ), the citation (W3C Web Annotation), the picture, a page that shows all of it,
    the same as PDF, the signatures, and VERIFY.txt, which says how to check them by hand.

    \b
    Examples:
      verifaible export 1f3a
      verifaible export 1f3a --out evidence --format html --format pdf
      verifaible export 1f3a --format link
      verifaible export 1f3a --format csl > references.json
    """
    from verifaible.evidence.export import ALL, FORMATS
    from verifaible.evidence.export import export as exported
    from verifaible.store.store import Store

    settings = read_settings()
    store = Store.open(settings)
    citation = store.get(citation_id)
    if strip_secrets:
        if formats or refuse_secrets:
            raise click.UsageError("--strip-secrets writes one file: leave out --format and --no-secrets.")
        _strip(citation, store, out, as_json=as_json)
        return
    wanted = tuple(each for each in ALL if each in (formats or FORMATS))
    if _PRINTED.issuperset(wanted):
        _print(citation, store, formats, as_json=as_json)
        return
    with working(f"Exporting {citation.id}"):
        done = asyncio.run(
            exported(citation, store, settings, out, formats=wanted, refuse_secrets=refuse_secrets)
        )
    if as_json:
        told = {"id": citation.id, "folder": str(done.folder), "files": done.files, "link": done.link}
        told["warnings"] = done.warnings
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    click.echo(str(done.folder))
    click.echo(f"{len(done.files)} files; how to check them by hand is in VERIFY.txt", err=True)
    click.echo(f"On the web: {done.link}", err=True)
    for warning in done.warnings:
        click.echo(f"Before you give it away, look at: {warning}", err=True)


def _strip(citation: Citation, store: Store, out: Path, *, as_json: bool) -> None:
    from verifaible.evidence.export import export_stripped

    done = export_stripped(citation, store, out)
    path = done.folder / done.files[0]
    if as_json:
        told = {"id": citation.id, "file": str(path), "sealed": False, "removed": done.warnings}
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    click.echo(str(path))
    for secret in done.warnings:
        click.echo(f"Removed: {secret}", err=True)
    click.echo(
        "This is no longer the sealed capture: it is not signed, and proves nothing by itself. Pictures and "
        "PDFs are as they were.",
        err=True,
    )


def _print(citation: Citation, store: Store, formats: Sequence[str], *, as_json: bool) -> None:
    from verifaible.evidence.export import reference
    from verifaible.evidence.shown import link_of

    told = {"link": link_of(citation)} if "link" in formats else {}
    if "csl" in formats:
        told["csl"] = reference(citation, store).csl().rstrip()
    whole = (
        json.dumps({"id": citation.id, **told}, ensure_ascii=False) if as_json else "\n".join(told.values())
    )
    click.echo(whole)


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--key", default="", help="Only if a key whose fingerprint begins so vouches for it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def import_(path: Path, key: str, as_json: bool) -> None:
    """Verify the export at PATH (its folder, or a .zip file of it) and take it over into the store.

    What is wrong with it is said, and nothing is stored then. The key of the other store is kept as such, and
    every later check names it.

    \b
    Examples:
      verifaible import verifaible-1f3a5c
      verifaible import evidence.zip --key 28689cdfa1ac15da
    """
    from verifaible.evidence.bundle import fingerprint
    from verifaible.evidence.bundle_import import import_export
    from verifaible.store.store import Store

    if not path.exists():
        raise ConfigError(f"{path} does not exist. Name the folder or the .zip file of an export.")
    with working(f"Verifying {path}"):
        done = import_export(path, Store.open(read_settings()), key=key)
    if as_json:
        told = {
            "id": done.citation.id,
            "new": done.new,
            "added": done.added,
            "key": fingerprint(done.key.public_key),
            "left_out": done.left_out,
            "note": done.note,
            "check": done.check.model_dump(mode="json"),
        }
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    click.echo(done.citation.id)
    click.echo(done.check.message, err=True)
    click.echo(f"It comes from the store with key {fingerprint(done.key.public_key)}.", err=True)
    for line in (
        "" if done.new else f"It was here already; {len(done.added)} files were added.",
        f"Not part of the export, left out: {', '.join(done.left_out)}" if done.left_out else "",
        done.note,
    ):
        if line:
            click.echo(line, err=True)
