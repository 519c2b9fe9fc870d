"""``verifaible list``, ``show``, ``export``, ``import`` and ``delete``: what is kept."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from verifaible.cli.program import within
from verifaible.console.options import Age, Day, json_option, read_settings
from verifaible.console.output import say, show, show_json, working
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.library import Deleted, Kept
    from verifaible.schema.check import IndexRow
    from verifaible.schema.citation import Citation
    from verifaible.store.store import Store

_TYPES: Final = ("text", "table", "pdf", "video", "image")
_VERDICTS: Final = ("verified", "moved", "changed", "ambiguous", "gone", "blocked", "error")
_FORMATS: Final = ("wacz", "jsonld", "picture", "html", "pdf", "csl", "png", "link")
_KINDS: Final = ("citations", "runs", "judged")
#: Formats that are printed where nothing else is asked for.
_PRINTED: Final = {"csl", "link"}
#: On a line of a list, in characters: of a claim, and of the evidence from the first word asked for.
_LINE: Final = 80
_TABLE_ROWS: Final = 12


# --- list and show


@click.command("list")
@click.argument("words", nargs=-1)
@click.option("--type", "evidence_type", type=click.Choice(_TYPES), help="Only this kind of evidence.")
@click.option(
    "--verdict",
    type=click.Choice(_VERDICTS),
    help="Only those with this verdict: the capture's if it does not hold, else the last live look's.",
)
@click.option(
    "--capture-verdict",
    type=click.Choice(_VERDICTS),
    help="Only those whose capture had this verdict when it was checked last.",
)
@click.option(
    "--live-verdict",
    type=click.Choice((*_VERDICTS, "none")),
    help="Only those with this verdict at the last look at the live web; none: never looked at.",
)
@click.option("--since", type=Day(), help="Only citations made on that day or later (2026-03-02).")
@click.option("--limit", type=click.IntRange(1), help="At most so many.")
@json_option
def list_(words: tuple[str, ...], as_json: bool, **chosen: Any) -> None:
    """List the citations of the store, newest first; with WORDS, those that have all of them.

    WORDS are looked for in claims, quotes, titles and addresses; case, width and white space do not matter,
    so Chinese is found without word breaks. A line has the id, when it was made, the claim, the verdicts of
    the capture and of the last look at the live web, the address, and the evidence with the words asked for
    between ⟦ and ⟧.

    \b
    Examples:
      verifaible list
      verifaible list 人口 2025 --limit 20
    """
    given = {name: value for name, value in chosen.items() if value is not None}
    rows = within(lambda client: client.list(" ".join(words), **given))
    for row in rows:
        if as_json:
            show_json(row, indent=None)
        else:
            show(line_of(row))
    if not rows:
        wanted = "citation that matches" if words or given else "citation"
        say(f"There is no {wanted} in {read_settings().store_location}. `verifaible cite` makes one.")


def line_of(row: IndexRow) -> str:
    """A citation on a line of a list; the evidence is shortened at its end, never around the words."""
    claim = " ".join(row.claim.split())[:_LINE]
    evidence = " / ".join(" ".join(line.split()) for line in row.shown.shortened(_LINE).marked.splitlines())
    return f"{row.id}\t{row.created_at:%Y-%m-%d %H:%M}\t{claim}\t{row.said}\t{row.source_url}\t{evidence}"


@click.command("show")
@click.argument("citation_id", metavar="ID")
@json_option
def show_command(citation_id: str, as_json: bool) -> None:
    """Show citation ID: the claim, the evidence with its surroundings, where it stands, and its history.

    Reads the store only. ID is an id, its beginning, or latest.

    \b
    Examples:
      verifaible show latest
      verifaible show 1f3a --json
    """
    found = within(lambda client: client.show(citation_id))
    if as_json:
        show_json(found.as_json())
        return
    for line in described(found):
        show(line)


def described(found: Kept) -> list[str]:
    """A citation for people, line by line."""
    from verifaible.evidence.bundle import utc
    from verifaible.evidence.shown import link_of, place_of, told

    citation, anchor = found.citation, found.citation.anchor
    lines = [
        f"citation  {citation.id}",
        f"claim     {citation.claim}",
        f"verdict   {found.state.overall or 'not checked'}",
        f"state     {found.state.said}",
        f"where     {place_of(anchor)}",
        *_indented("evidence", told(anchor)),
        f"source    {citation.document_url or citation.final_url}",
        f"on today's web  {link_of(citation)}",
        f"captured  {utc(citation.capture.captured_at)}"
        + (f" ({citation.capture.remark})" if citation.capture.remark else ""),
        f"capture   {found.capture}",
        f"replay    {citation.graded}",
    ]
    if citation.value_source.said:
        lines.append(f"words from  {citation.value_source.said}")
    if citation.picture.missing:
        lines.append(f"picture   none: {citation.picture.missing}")
    if citation.steps:
        lines.append(f"steps     {', '.join(step.type for step in citation.steps)}")
    lines += [
        f"check     {utc(check.at)}  {check.kind}  {check.verdict}  {check.message}" for check in found.checks
    ]
    return lines


def _indented(name: str, text: str) -> list[str]:
    first, *rest = [" ".join(line.split()) for line in text.splitlines()] or [""]
    shown = [f"{name:<10}{first}", *(f"{'':<10}{line}" for line in rest[: _TABLE_ROWS - 1])]
    left = len(rest) - _TABLE_ROWS + 1
    return [*shown, f"{'':<10}… {left} more lines"] if left > 0 else shown


# --- export and import


@click.command()
@click.argument("citation_id", metavar="ID")
@click.option(
    "--output",
    "-o",
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
@json_option
def export(
    citation_id: str, output: Path, formats: tuple[str, ...], refuse_secrets: bool, as_json: bool
) -> None:
    """Write citation ID into a folder that can be checked without verifaible.

    It holds the capture (WACZ), the citation (W3C Web Annotation), the picture, a page that shows all of it,
    the same as PDF, the signatures, and VERIFY.txt, which says how to check them by hand.

    \b
    Examples:
      verifaible export 1f3a
      verifaible export 1f3a --output evidence --format html --format pdf
      verifaible export 1f3a --format link
      verifaible export 1f3a --format csl > references.json
    """
    from verifaible.evidence.export import ALL, FORMATS

    wanted = tuple(each for each in ALL if each in (formats or FORMATS))
    if _PRINTED.issuperset(wanted):
        _print_references(citation_id, formats, as_json=as_json)
        return
    with working(f"Exporting {citation_id}"):
        done = within(
            lambda client: client.export(citation_id, output, formats=wanted, refuse_secrets=refuse_secrets)
        )
    if as_json:
        name = within(lambda client: client.show(citation_id)).citation.id
        files = {"id": name, "folder": str(done.folder), "files": done.files, "link": done.link}
        show_json({**files, "warnings": done.warnings})
        return
    show(done.folder)
    say(f"{len(done.files)} files; how to check them by hand is in VERIFY.txt")
    say(f"On the web: {done.link}")
    for warning in done.warnings:
        say(f"Before you give it away, look at: {warning}")


def _print_references(citation_id: str, formats: tuple[str, ...], *, as_json: bool) -> None:
    from verifaible.evidence.export import reference
    from verifaible.evidence.shown import link_of

    async def told(client: Any) -> tuple[Citation, Store]:
        return client.store.get(citation_id), client.store

    citation, store = within(told)
    found = {"link": link_of(citation)} if "link" in formats else {}
    if "csl" in formats:
        found["csl"] = reference(citation, store).rstrip()
    if as_json:
        show_json({"id": citation.id, **found}, indent=None)
    else:
        show("\n".join(found.values()))


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--key", default="", help="Only if a key whose fingerprint begins so vouches for it.")
@json_option
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

    if not path.exists():
        raise ConfigError(f"{path} does not exist. Name the folder or the .zip file of an export.")
    with working(f"Verifying {path}"):
        done = within(lambda client: client.import_(path, key=key))
    whose = fingerprint(done.key.public_key)
    if as_json:
        told = {"id": done.citation.id, "new": done.new, "added": done.added, "key": whose}
        told |= {"left_out": done.left_out, "note": done.note, "check": done.check.model_dump(mode="json")}
        show_json(told)
        return
    show(done.citation.id)
    say(done.check.message)
    say(f"It comes from the store with key {whose}.")
    for line in (
        "" if done.new else f"It was here already; {len(done.added)} files were added.",
        f"Not part of the export, left out: {', '.join(done.left_out)}" if done.left_out else "",
        done.note,
    ):
        if line:
            say(line)


# --- delete


@click.command()
@click.argument("names", metavar="[ID]...", nargs=-1)
@click.option("--older", type=Age(), metavar="AGE", help="All that is older than this: 90d, 12h.")
@click.option("--only", multiple=True, type=click.Choice(_KINDS), help="Of --older only these; repeatable.")
@click.option("--dry-run", is_flag=True, help="Only list what would be deleted.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def delete(
    *,
    names: tuple[str, ...],
    older: timedelta | None,
    only: tuple[Any, ...],
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete citations, runs or folders of judging; a signed entry of the custody log tells that it was done.

    ID is a citation's id or its beginning, or the name of a folder in runs/ or judged/. With --older, all
    whose citation was made, or whose folder was last written into, before that. A capture goes with its last
    citation; one that a folder in judged/ or runs/ rests on is kept. What would go is listed first.

    \b
    Examples:
      verifaible delete 1f3a
      verifaible delete 20260302T080000Z-oracle --yes
      verifaible delete --older 90d --dry-run
    """
    if bool(names) is (older is not None) or (only and older is None):
        raise click.UsageError("Give IDs, or --older AGE (with --only, if you like).")
    chosen: dict[str, Any] = {"older": older, "kinds": only or _KINDS}
    planned = within(lambda client: client.delete(*names, dry_run=True, **chosen))
    _tell_deletion(planned, as_json=as_json)
    if dry_run or not (planned.citations or planned.folders):
        return
    if not yes:
        click.confirm("Delete all of this? It cannot be undone.", abort=True, err=True)
    within(lambda client: client.delete(*names, **chosen))
    say("Deleted.")


def _tell_deletion(planned: Deleted, *, as_json: bool) -> None:
    if as_json:
        show_json(planned)
    else:
        for line in (*map(line_of, planned.citations), *planned.folders):
            show(line)
    kept = f"; {len(planned.kept)} captures and pictures stay, since others need them" if planned.kept else ""
    files = f"{len(planned.files)} files{kept}"
    say(f"{len(planned.citations)} citations ({files}), {len(planned.folders)} folders")
