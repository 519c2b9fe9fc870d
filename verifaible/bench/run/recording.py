"""Recording what the reference steps of cases load, so that the cases can be run offline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from verifaible.agent.base import Task, unwatched
from verifaible.agent.oracle import OracleAgent
from verifaible.archive.recording import Recorder, Written, archive_of, require_free
from verifaible.archive.urls import site_of
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, PageBlocked, RunError
from verifaible.net.robots import robots_of
from verifaible.schema.case import Case
from verifaible.store.store import Store
from verifaible.tools.workspace import Workspace, open_workspace, scratch_settings

#: A page of the live web that failed once is often there a moment later.
ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class CaseRecorded:
    """One case whose reference steps were played; ``error`` says why they came to no answer."""

    case: str
    site: str
    answer: str
    error: str = ""


def cases_of_sites(cases: Sequence[Case], sites: Sequence[str]) -> tuple[Case, ...]:
    """The cases whose source is on one of the sites; all of them where no site is named.

    Raises:
        RunError: a site has no case.
    """
    if not sites:
        return tuple(cases)
    wanted = {name: site_of(f"https://{name.removesuffix('.wacz')}/") for name in sites}
    known = {site_of(case.url) for case in cases}
    for name, site in wanted.items():
        if site not in known:
            raise RunError(f"No case is on the site {name}. There are cases on {', '.join(sorted(known))}.")
    return tuple(case for case in cases if site_of(case.url) in wanted.values())


def record_sites(
    settings: Settings,
    recorder: Recorder,
    cases: Sequence[Case],
    folder: Path,
    say: Callable[[str], None],
    *,
    force: bool,
    others: bool,
) -> tuple[tuple[Written, ...], bool]:
    """Record the sites of cases into a folder; a site one of whose cases failed is left as it is.

    Args:
        settings: limits and paths.
        recorder: an empty one.
        cases: all that the archives of their sites shall hold.
        folder: of the archives.
        say: is told how it goes.
        force: replace what stands in the place of a case's site.
        others: replace also the archives of other sites to which the steps went.

    Returns:
        What was written, and whether a case failed.

    Raises:
        RunError: nothing was recorded.
        StoreError: a site has an archive already, or the disk is full.
        BrowserMissing: there is no Chromium.
    """
    targets = {site: archive_of(folder, site) for site in dict.fromkeys(site_of(each.url) for each in cases)}
    if not force:
        require_free(targets.values())
    signer = Store.open(settings).signer

    def watch(one: CaseRecorded) -> None:
        say(f"{one.case}: {one.error or one.answer}")

    done = asyncio.run(record_cases(settings, cases, recorder, watch))
    failed = {one.site for one in done if one.error}
    for site in sorted(failed):
        say(f"{site}: not written, because the steps of a case on it failed.")
    whole = {site: targets[site] for site in targets if site not in failed and site in recorder.sites}
    for site in () if failed else recorder.sites:  # where steps went that began on another site
        path = archive_of(folder, site)
        if others or site in whole or not path.exists():
            whole[site] = path
        else:
            say(f"{site}: {path} is there already and was left as it is; see verifaible record --force.")
    if not whole:
        raise RunError("Nothing was recorded: no site had all of its cases played. See the reasons above.")
    return recorder.write_to(whole, force=force, signer=signer), bool(failed)


def record_proven(
    settings: Settings, cases: Sequence[Case], proven: Collection[str], say: Callable[[str], None]
) -> None:
    """Replace replicas by recordings, site by site, where every case of a site is proven on the live web.

    Args:
        settings: limits and paths.
        cases: all cases that there are: an archive has to hold those of its site.
        proven: the ids of those whose reference steps have just come to full score.
        say: is told how it goes.

    Raises:
        StoreError: the disk is full.
        BrowserMissing: there is no Chromium.
    """
    for site in dict.fromkeys(site_of(case.url) for case in cases if case.id in proven):
        own = [case for case in cases if site_of(case.url) == site]
        lacking = [case.id for case in own if case.id not in proven]
        if lacking:
            say(f"{site}: not recorded, because these cases are not ok: {', '.join(lacking)}.")
            continue
        with Recorder(settings.secrets) as recorder:
            try:
                written, _ = record_sites(
                    settings, recorder, own, settings.sites_dir, say, force=True, others=False
                )
            except RunError as error:  # this site failed now; the others may not
                say(f"{site}: {error}")
                continue
        for one in written:
            say(f"Recorded: {one.path}{f', in place of a {one.replaced}' if one.replaced else ''}.")


async def record_cases(
    settings: Settings,
    cases: Sequence[Case],
    recorder: Recorder,
    watch: Callable[[CaseRecorded], None],
) -> tuple[CaseRecorded, ...]:
    """Play the reference steps of cases on the live web, one after the other; ``recorder`` keeps all.

    The citations that the steps make are checked as always, and thrown away.

    Raises:
        BrowserMissing: there is no Chromium.
        StoreError: the disk is full.
        ConfigError: the settings name a search engine that cannot be used.
    """
    done: list[CaseRecorded] = []
    with scratch_settings(settings) as own:
        async with open_workspace(own, "record", recorder=recorder) as workspace:
            for case in cases:
                done.append(await _record(workspace, recorder, case))
                watch(done[-1])
    return tuple(done)


async def _record(workspace: Workspace, recorder: Recorder, case: Case) -> CaseRecorded:
    error = ""
    robots = await robots_of(case.url, workspace.web)
    try:
        if robots is not None:
            robots.require(case.url)
    except PageBlocked as left_alone:
        return CaseRecorded(case.id, site_of(case.url), "", str(left_alone))
    mark = recorder.mark()
    for _ in range(ATTEMPTS):
        recorder.back_to(mark)  # what a failed attempt has loaded would answer instead of the next one
        try:
            outcome = await OracleAgent().run(Task.of(case), workspace.toolbox(case.language), unwatched)
        except InfrastructureError as failure:
            error = str(failure)
            continue
        if not outcome.error:
            return CaseRecorded(case.id, site_of(case.url), outcome.answer)
        error = outcome.error
    return CaseRecorded(case.id, site_of(case.url), "", error)
