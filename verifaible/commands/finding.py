"""``verifaible list`` and ``show``: what is in the store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from verifaible.bench.environment import read_settings
from verifaible.commands.ages import day

if TYPE_CHECKING:
    from verifaible.schema.check import Check, IndexRow
    from verifaible.schema.citation import Citation
    from verifaible.store.store import Store

_TYPES = ("text", "table", "pdf", "video", "image")
_VERDICTS = ("verified", "moved", "changed", "ambiguous", "gone", "blocked", "error")
#: On a line of a list, in characters: of a claim, and of the evidence from the first word asked for.
_LINE = 80
_TABLE_ROWS = 12


@click.command("list")
@click.argument("words", nargs=-1)
@click.option("--type", "kind", type=click.Choice(_TYPES), help="Only this kind of evidence.")
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
@click.option("--since", help="Only citations made on that day or later (2026-03-02).")
@click.option("--limit", type=click.IntRange(1), help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def list_(words: tuple[str, ...], limit: int | None, as_json: bool, **chosen: str | None) -> None:
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
    rows = _found(words, chosen, limit)
    for row in rows:
        click.echo(row.model_dump_json() if as_json else line_of(row))
    if not rows:
        wanted = "citation that matches" if words or any(chosen.values()) else "citation"
        click.echo(
            f"There is no {wanted} in {read_settings().store_location}. `verifaible cite` makes one.",
            err=True,
        )


@click.command()
@click.argument("citation_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(citation_id: str, as_json: bool) -> None:
    """Show citation ID: the claim, the evidence with its surroundings, where it stands, and its history.

    Reads the store only. ID is an id, its beginning, or latest.

    \b
    Examples:
      verifaible show latest
      verifaible show 1f3a --json
    """
    from verifaible.store.store import Store

    store = Store.open(read_settings())
    citation = store.get(citation_id)
    checks = store.checks(citation.id)
    if as_json:
        told = _told(store, citation, checks)
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    for line in _described(store, citation, checks):
        click.echo(line)


def _found(words: tuple[str, ...], chosen: dict[str, str | None], limit: int | None) -> list[IndexRow]:
    from verifaible.store.store import Store

    return Store.open(read_settings()).rows(
        query=" ".join(words),
        since=day(chosen["since"]),
        evidence_type=chosen["kind"] or "",
        verdict=chosen["verdict"] or "",
        capture_verdict=chosen["capture_verdict"] or "",
        live_verdict=chosen["live_verdict"] or "",
        newest_first=True,
        limit=limit,
    )


def line_of(row: IndexRow) -> str:
    """A citation on a line of a list."""
    claim = " ".join(row.claim.split())[:_LINE]
    return (
        f"{row.id}\t{row.created_at:%Y-%m-%d %H:%M}\t{claim}\t{row.said}\t{row.source_url}\t{_evidence(row)}"
    )


def _evidence(row: IndexRow) -> str:
    """The evidence on one line: shortened at its end, never around the words asked for."""
    lines = row.shown.shortened(_LINE).marked.splitlines()
    return " / ".join(" ".join(line.split()) for line in lines)


def _told(store: Store, citation: Citation, checks: tuple[Check, ...]) -> dict[str, Any]:
    from verifaible.evidence.shown import as_json, link_of
    from verifaible.schema.check import State
    from verifaible.store.sealed import capture_file

    return {
        "id": citation.id,
        "verdict": (state := State.of(checks)).overall,
        "state": state.model_dump(mode="json"),
        "replay": citation.replay,
        "graded": citation.graded,
        "link": link_of(citation),
        "text": citation.anchor.text,
        **as_json(citation.anchor),
        "capture": f"{store.location}/{capture_file(citation.capture.sha256)}",
        "citation": citation.model_dump(mode="json"),
        "checks": [check.model_dump(mode="json") for check in checks],
    }


def _described(store: Store, citation: Citation, checks: tuple[Check, ...]) -> list[str]:
    """A citation for people, line by line."""
    from verifaible.evidence.bundle import utc
    from verifaible.evidence.shown import link_of, place_of, told
    from verifaible.schema.check import State
    from verifaible.store.sealed import capture_file

    anchor = citation.anchor
    lines = [
        f"citation  {citation.id}",
        f"claim     {citation.claim}",
        f"verdict   {State.of(checks).overall or 'not checked'}",
        f"state     {State.of(checks).said}",
        f"where     {place_of(anchor)}",
        *_indented("evidence", told(anchor)),
        f"source    {citation.document_url or citation.final_url}",
        f"on today's web  {link_of(citation)}",
        f"captured  {utc(citation.capture.captured_at)}"
        + (f" ({citation.capture.remark})" if citation.capture.remark else ""),
        f"capture   {store.location}/{capture_file(citation.capture.sha256)}",
        f"replay    {citation.graded}",
    ]
    if citation.value_source.said:
        lines.append(f"words from  {citation.value_source.said}")
    if citation.picture.missing:
        lines.append(f"picture   none: {citation.picture.missing}")
    if citation.steps:
        lines.append(f"steps     {', '.join(step.type for step in citation.steps)}")
    lines += [
        f"check     {utc(check.at)}  {check.kind}  {check.verdict}  {check.message}" for check in checks
    ]
    return lines


def _indented(name: str, text: str) -> list[str]:
    first, *rest = [" ".join(line.split()) for line in text.splitlines()] or [""]
    shown = [f"{name:<10}{first}", *(f"{'':<10}{line}" for line in rest[: _TABLE_ROWS - 1])]
    left = len(rest) - _TABLE_ROWS + 1
    return [*shown, f"{'':<10}… {left} more lines"] if left > 0 else shown
