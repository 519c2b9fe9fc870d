"""``verifaible doctor``: what this machine has."""

from __future__ import annotations

import asyncio
import json

import click

from verifaible.bench.environment import read_settings


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(context: click.Context, /, as_json: bool) -> None:
    """Print what was found on this machine, and what is missing.

    \b
    Example:
      verifaible doctor
    """
    from verifaible.doctor import diagnose, render

    findings = asyncio.run(diagnose(read_settings()))
    if as_json:
        click.echo(json.dumps([finding.model_dump(mode="json") for finding in findings], indent=2))
    else:
        click.echo(render(findings))
    if any(finding.required and not finding.ok for finding in findings):
        context.exit(1)
