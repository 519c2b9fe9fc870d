"""``verifaible record``: keep a page, or what the steps of cases load, for the offline web."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifaible.console.options import live_options, read_settings, steps_of
from verifaible.console.output import say, show, show_json, working
from verifaible.errors import ConfigError, ToolError

if TYPE_CHECKING:
    from verifaible.archive.recording import Recorder, Written
    from verifaible.browser.page.session import PageSession
    from verifaible.config import Settings
    from verifaible.schema.action import ActionStep
    from verifaible.schema.case import Case


@click.command()
@click.argument("url", required=False)
@click.option(
    "--steps",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON file with action steps to play on the page.",
)
@click.option(
    "--case", "ids", multiple=True, help="Play the reference steps of this case; all for every one."
)
@click.option("--site", "sites", multiple=True, help="Play the steps of all cases on this site; repeatable.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="File of the recording.")
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the recordings, one a site. Default: snapshots/sites.",
)
@click.option("--force", is_flag=True, help="Replace a replica or a recording of the same site.")
@live_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def record(
    context: click.Context,
    /,
    *,
    url: str | None,
    steps: Path | None,
    ids: tuple[str, ...],
    sites: tuple[str, ...],
    out: Path | None,
    into: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Record URL, or what cases need, from the live web into archives for --web offline.

    \b
    Examples:
      verifaible record https://example.com/rates --out rates.wacz
      verifaible record https://example.com/rates --steps choose-day.json
      verifaible record --site stats.gov.cn --force
      verifaible record --case all --into recorded
    """
    _check_options(url, steps, ids or sites, out, into)
    settings = read_settings()
    from verifaible.archive.recording import Recorder

    folder = into or settings.sites_dir
    with Recorder(settings.secrets) as recorder, working("Recording"):
        if url is not None:
            from verifaible.archive.recording import archive_of
            from verifaible.archive.urls import site_of

            path = out or archive_of(folder, site_of(url))
            played = steps_of(steps) if steps else ()
            written = _record_url(settings, recorder, url, played, path, force=force)
            failed = False
        else:
            from verifaible.bench.run.recording import record_sites

            cases = _chosen_cases(settings, ids, sites)
            written, failed = record_sites(settings, recorder, cases, folder, say, force=force, others=force)
    _say(written, as_json)
    if failed:
        context.exit(1)


def _check_options(
    url: str | None, steps: Path | None, cases: Sequence[str], out: Path | None, into: Path | None
) -> None:
    if (url is None) == (not cases):
        raise click.UsageError("Give a URL, or --case or --site.")
    if cases and (steps or out):
        raise click.UsageError("--steps and --out need a URL. For cases use --into FOLDER.")
    if out and into:
        raise click.UsageError("Give either --out or --into.")
    if out and out.suffix != ".wacz":
        raise click.UsageError("--out: the name of a recording ends with .wacz.")


def _say(written: Sequence[Written], as_json: bool) -> None:
    if as_json:
        fields = ("site", "exchanges", "pages", "replaced")
        rows = [{"path": str(one.path), **{name: getattr(one, name) for name in fields}} for one in written]
        show_json(rows)
        return
    for one in written:
        show(one.path)
        replaced = f", in place of a {one.replaced}" if one.replaced else ""
        say(f"{one.site}: {one.exchanges} exchanges, {one.pages} pages{replaced}.")


# --- one page ----------------------------------------------------------------------------


def _record_url(
    settings: Settings,
    recorder: Recorder,
    url: str,
    steps: tuple[ActionStep, ...],
    path: Path,
    *,
    force: bool,
) -> tuple[Written, ...]:
    from verifaible.archive.recording import require_free
    from verifaible.store.store import Store

    if not force:
        require_free([path])
    signer = Store.open(settings).signer
    asyncio.run(_load(settings, recorder, url, steps))
    return recorder.write_to(dict.fromkeys(recorder.sites, path), force=force, signer=signer)


async def _load(settings: Settings, recorder: Recorder, url: str, steps: Sequence[ActionStep]) -> None:
    """Open a page as a reader and as a citation would, with all that it loads; a video's captions too."""
    from verifaible.browser.recording import RecordingBrowser, scroll_through
    from verifaible.browser.steps.playing import play
    from verifaible.net.robots import robots_of
    from verifaible.net.transcripts import fetch_transcript, is_elsewhere
    from verifaible.net.web import Web

    web = Web.record(settings, recorder)
    if robots := await robots_of(url, web):
        robots.require(url)
    async with RecordingBrowser(settings, offline=False) as browser, browser.page(web) as session:
        loaded = await session.open(url)
        if loaded.document is None:
            await play(session, steps)
            await _refuse_blocked(session)
            await scroll_through(session)
        elif steps:
            raise ConfigError(f"{url} is a file: --steps cannot be played on it. Leave them out.")
    # Only now are all answers read. A download is read by another way than the answers of a page.
    read = {f"{one.request.method} {one.request.url}" for one in session.traffic.exchanges}
    for request in session.traffic.unread:
        if request not in read:
            say(f"Not kept, because the page went on before it was read: {request}")
    if not is_elsewhere(url):
        async with web.client() as client:
            try:
                await fetch_transcript(url, client)
            except ToolError as error:  # the page itself is recorded, whatever becomes of its captions
                say(f"No captions were recorded. {error}")


async def _refuse_blocked(session: PageSession) -> None:
    """Bring all of the page into view, and refuse what is a captcha, a log-in or half of a page."""
    from verifaible.browser.page.readiness import reveal
    from verifaible.evidence.blocked import refuse_blocked
    from verifaible.evidence.reading import read_page
    from verifaible.schema.anchor import AnchorRequest

    await reveal(session)
    refuse_blocked(await read_page(session, AnchorRequest(evidence_type="text")))


# --- cases -------------------------------------------------------------------------------


def _chosen_cases(settings: Settings, ids: tuple[str, ...], sites: tuple[str, ...]) -> tuple[Case, ...]:
    from verifaible.bench.cases.load import load_cases, select
    from verifaible.bench.run.recording import cases_of_sites

    cases = load_cases(settings.cases_dir, settings.cases_dir)
    return cases_of_sites(select(cases, ids=() if "all" in ids else ids, categories=()), sites)
