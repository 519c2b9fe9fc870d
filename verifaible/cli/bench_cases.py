"""``verifaible bench grade``, ``new`` and ``check``: cases and what answers to them score."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from verifaible.cli.program import within
from verifaible.console.options import json_option, live_options
from verifaible.console.output import say, show, show_json

if TYPE_CHECKING:
    from verifaible.bench.authoring import CaseChecked, CasesChecked

cases_option = click.option(
    "--cases", type=click.Path(path_type=Path), help="Folder of case files, or one file. Default: cases/."
)


@click.command()
@click.argument("case")
@click.option("--answer", required=True, help="The text of an answer; - reads standard input.")
@cases_option
@json_option
def grade(case: str, answer: str, cases: Path | None, as_json: bool) -> None:
    """Tell what an answer to CASE (an id, or a case file) would score, and why.

    \b
    Example:
      verifaible bench grade cn_text_001 --answer "140489 万人"
    """
    text = sys.stdin.read() if answer == "-" else answer
    result = within(lambda client: client.bench_grade(case, text, cases=cases))
    if as_json:
        show_json(result)
        return
    show(f"{result.case}: {'correct' if result.answer_correct else 'wrong'}. {result.explanation}")
    show(f"Score of the text alone: {result.score}; with fitting evidence: {result.score_with_citation}.")


@click.command()
@click.option("--citation", required=True, metavar="ID", help="An id, its beginning, or latest.")
@click.option("--question", required=True, help="What the case asks.")
@click.option("--answer", required=True, help="The answer as a person would write it.")
@click.option("--id", "case_id", default="", help="Id of the case. Default: from the host and the citation.")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="Default: cases/ID.json."
)
@json_option
def new(*, as_json: bool, **options: Any) -> None:
    """Write a case file: a question, and the citation that answers it.

    The citation has to state the answer. A file that is there already is never changed.

    \b
    Example:
      verifaible bench new --citation latest --question "What was the rate?" --answer "4.22 %"
    """
    path, case, doubts = within(lambda client: client.bench_new(**options))
    if as_json:
        show_json({"file": str(path), "case": case.model_dump(mode="json")}, indent=None)
    else:
        show(path)
    for doubt in doubts:
        say(doubt)
    say(f"Look through it, then prove it with: verifaible bench check {path} --web live")


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
@json_option
@click.pass_context
def check(
    context: click.Context,
    /,
    *,
    source: Path | None,
    ids: tuple[str, ...],
    runs: bool,
    web: Literal["live", "offline"] | None,
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
    if schema:
        from verifaible.schema.case import Case

        show_json(Case.model_json_schema())
        return

    def watch(checked: CaseChecked) -> None:
        say(f"{checked.case}: {checked.status}")

    found = within(
        lambda client: client.bench_check(
            source, ids=ids, web="offline" if runs else web, record=record, watch=watch, say=say
        )
    )
    if as_json:
        show_json({"cases": found.as_json()})
    else:
        _show_cases(found)
    doubts = sum(map(len, found.doubts.values()))
    also = f" {doubts} doubts." if doubts else ""
    say(f"{len(found.cases)} case{'' if len(found.cases) == 1 else 's'}, no fault.{also}")
    if any(each.status != "ok" or each.nop_score for each in found.played) or (strict and doubts):
        context.exit(1)


def _show_cases(found: CasesChecked) -> None:
    by_case = {each.case: each for each in found.played}
    for case in found.cases:
        fields = [case.id, case.category, ",".join(case.evidence_types), case.question]
        done = by_case.get(case.id)
        if done is not None:
            proof = "verified" if done.verified else "not verified"
            fields = [case.id, done.status, f"oracle {done.score} {proof}", f"nop {done.nop_score}"]
            if done.status != "ok":
                fields += [f"then: {done.then}", f"now: {' '.join(done.now.split())[:200]}"]
        show("\t".join(fields))
        for reason in done.reasons if done else ():
            say(f"  {reason}")
        for doubt in found.doubts[case.id]:
            say(f"  {case.id}: {doubt}")
