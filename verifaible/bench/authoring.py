"""Commands for authors of cases: ``verifaible bench new`` and ``verifaible bench check``."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifaible.console.options import live_options, read_settings

if TYPE_CHECKING:
    from verifaible.bench.cases.check import CaseChecked
    from verifaible.config import Settings
    from verifaible.schema.case import Case

#: Between two pages of a host: a slow reader's pace.
DELAY_S = 3.0


@click.command()
@click.option("--citation", required=True, metavar="ID", help="An id, its beginning, or latest.")
@click.option("--question", required=True, help="What the case asks.")
@click.option("--answer", required=True, help="The answer as a person would write it.")
@click.option("--id", "case_id", default="", help="Id of the case. Default: from the host and the citation.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Default: cases/ID.json.")
@click.option("--json", "as_json", is_flag=True, help="Print the case as JSON.")
def new(
    *, citation: str, question: str, answer: str, case_id: str, output: Path | None, as_json: bool
) -> None:
    """Write a case file: a question, and the citation that answers it.

    The citation has to state the answer. A file that is there already is never changed.

    \b
    Example:
      verifaible bench new --citation latest --question "What was the rate?" --answer "4.22 %"
    """
    from verifaible.bench.cases.check import lint
    from verifaible.bench.cases.new import case_of, write_case
    from verifaible.store.store import Store

    settings = read_settings()
    with closing(Store.open(settings)) as store:
        case = case_of(store.get(citation), question, answer, case_id=case_id)
    path = output or settings.own_cases_dir / f"{case.id}.json"
    write_case(case, path)
    if as_json:
        click.echo(json.dumps({"file": str(path), "case": case.model_dump(mode="json")}, ensure_ascii=False))
    else:
        click.echo(path)
    for doubt in lint(case):
        click.echo(doubt, err=True)
    click.echo(f"Look through it, then prove it with: verifaible bench check {path} --web live", err=True)


@click.command()
@click.argument("source", required=False, type=click.Path(path_type=Path))
@click.option("--case", "ids", multiple=True, help="Only this case; repeat for several.")
@click.option("--run", "runs", is_flag=True, help="Run the oracle and nop on the offline archives.")
@click.option(
    "--web",
    type=click.Choice(["live", "offline"]),
    help="Play the reference steps there, and tell of each case: ok, drifted, blocked, gone.",
)
@click.option("--record", is_flag=True, help="Record the sites whose cases are all ok, over their replicas.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a case file, and end.")
@click.option("--strict", is_flag=True, help="Fail (status 1) on doubts too, not only on faults.")
@live_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check(
    context: click.Context,
    /,
    *,
    source: Path | None,
    ids: tuple[str, ...],
    runs: bool,
    web: str | None,
    record: bool,
    schema: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Check case files (default: cases/) and list them.

    Faults of a file end the check (status 2). Doubts are told and do not, unless --strict. With
    --run or --web the status is 1 if a case is not ok or nop scores. --web live needs no model and no
    key, and keeps no page unless --record is given; a host is asked every VERIFAIBLE_HOST_DELAY_S
    seconds (here 3 where it is not set).

    \b
    Examples:
      verifaible bench check
      verifaible bench check mine.json --run
      verifaible bench check --web live --case us_table_001
    """
    if record and web != "live":
        raise click.UsageError("--record needs --web live.")
    from verifaible.bench.cases.check import lint_all
    from verifaible.bench.cases.load import load_cases, select
    from verifaible.schema.case import Case

    if schema:
        click.echo(json.dumps(Case.model_json_schema(), ensure_ascii=False, indent=2))
        return
    settings = read_settings()
    where = source or settings.cases_dir
    every = load_cases(where, settings.cases_dir)
    cases = select(every, ids=ids, categories=())
    extended = "extended" in (where.name, where.parent.name)
    doubts = lint_all(cases, extended=extended)
    played = _play(settings, cases, "offline" if runs or web == "offline" else "live") if runs or web else ()
    bad = [each for each in played if each.status != "ok" or each.nop_score]
    if record:
        from verifaible.bench.run.recording import record_proven

        proven = {each.case for each in played if each.status == "ok"}
        record_proven(settings, every, proven, lambda said: click.echo(said, err=True))
    if as_json:
        _print_json(cases, doubts, played)
    else:
        _print_lines(cases, doubts, played)
    told = sum(map(len, doubts.values()))
    also = f" {told} doubts." if told else ""
    click.echo(f"{len(cases)} case{'' if len(cases) == 1 else 's'}, no fault.{also}", err=True)
    if bad or (strict and told):
        context.exit(1)


def _play(settings: Settings, cases: tuple[Case, ...], mode: str) -> tuple[CaseChecked, ...]:
    from verifaible.bench.cases.check import play_cases

    if mode == "live" and "host_delay_s" not in settings.model_fields_set:
        settings = settings.model_copy(update={"host_delay_s": DELAY_S})

    def watch(checked: CaseChecked) -> None:
        click.echo(f"{checked.case}: {checked.status}", err=True)

    return asyncio.run(play_cases(settings, cases, "offline" if mode == "offline" else "live", watch))


def _print_lines(
    cases: tuple[Case, ...], doubts: dict[str, tuple[str, ...]], played: tuple[CaseChecked, ...]
) -> None:
    by_case = {each.case: each for each in played}
    for case in cases:
        fields = [case.id, case.category, ",".join(case.evidence_types), case.question]
        done = by_case.get(case.id)
        if done is not None:
            fields = [case.id, done.status, f"oracle {done.score} {_proof(done)}", f"nop {done.nop_score}"]
            if done.status != "ok":
                fields += [f"then: {done.then}", f"now: {' '.join(done.now.split())[:200]}"]
        click.echo("\t".join(fields))
        for reason in done.reasons if done else ():
            click.echo(f"  {reason}", err=True)
        for doubt in doubts[case.id]:
            click.echo(f"  {case.id}: {doubt}", err=True)


def _proof(done: CaseChecked) -> str:
    return "verified" if done.verified else "not verified"


def _print_json(
    cases: tuple[Case, ...], doubts: dict[str, tuple[str, ...]], played: tuple[CaseChecked, ...]
) -> None:
    by_case = {each.case: each.model_dump(mode="json") for each in played}
    listed = [
        {
            "case": case.id,
            "category": case.category,
            "question": case.question,
            "doubts": list(doubts[case.id]),
            "played": by_case.get(case.id),
        }
        for case in cases
    ]
    click.echo(json.dumps({"cases": listed}, ensure_ascii=False, indent=2))
