"""``verifaible doctor`` and ``setup``: what this machine has and lacks."""

from __future__ import annotations

import asyncio
import json
from functools import partial

import click

from verifaible.bench.environment import read_settings
from verifaible.errors import InfrastructureError, UserError


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


@click.command()
@click.option("--system", is_flag=True, help="Install packages of the system too (Debian, Ubuntu; as root).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def setup(context: click.Context, /, *, system: bool, as_json: bool) -> None:
    """Find a Chromium that works; where there is none, have Playwright download its own.

    \b
    Example:
      verifaible setup
    """
    from verifaible.browser.chromium.installing import BY_HAND, set_up_here

    try:
        probe = set_up_here(read_settings(), partial(click.echo, err=True), system=system)
    except (UserError, InfrastructureError) as error:
        click.echo(f"{error}\n\n{BY_HAND}", err=True)
        context.exit(1)
    found = {"path": str(probe.found.path), "version": probe.version, "chinese": probe.chinese}
    told = f"Chromium {probe.version} works: {probe.found.path} ({probe.seconds:.1f} s)"
    click.echo(json.dumps(found) if as_json else told)
