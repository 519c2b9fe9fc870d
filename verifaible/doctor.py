"""What of a working installation is here, and what is missing: ``verifaible doctor``."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from textwrap import wrap

from verifaible.browser.chromium.setup import probe_browser
from verifaible.config import Settings
from verifaible.errors import CaseError, UserError, VerifaibleError
from verifaible.schema.base import Record

PYTHON_WANTED = (3, 11)
#: Captures hold whole pages, screenshots and documents; with less than this a run may not end.
DISK_WANTED_BYTES = 1 << 30
#: What can be left out of an installation; the other extras say so where they are needed.
EXTRAS = ("models", "pdf", "reading", "search", "video")
KEYS = ("VERIFAIBLE_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_KEY")
FONT_ADVICE = (
    "Install a font with Chinese characters (Debian, Ubuntu: `apt-get install fonts-noto-cjk`), or "
    "screenshots of Chinese pages show empty boxes."
)
_LABEL_WIDTH = 16
_LINE_WIDTH = 100


class Finding(Record):
    """One thing that was looked at.

    Attributes:
        name: what was looked at.
        ok: whether it is as it should be.
        required: whether a run is impossible without it.
        detail: what was found.
        advice: what to do, where it is not ok.
    """

    name: str
    ok: bool
    required: bool
    detail: str
    advice: str = ""


async def diagnose(settings: Settings, environment: Mapping[str, str] = os.environ) -> tuple[Finding, ...]:
    """Everything a run needs, in the order in which to put it right.

    Starts the browser once (about a second) and writes nothing but an unnamed temporary file.
    A fault is a finding and never an exception.
    """
    return (
        _python(),
        _packages(),
        *await _browser(settings),
        _archives(settings),
        _cases(settings),
        _extras(),
        _home(settings),
        _store(settings),
        _disk(settings),
        _keys(settings, environment),
    )


def render(findings: Sequence[Finding]) -> str:
    """The findings as plain text: a line each, what to do below it, and a last line that sums up."""
    lines: list[str] = []
    for finding in findings:
        mark = "ok" if finding.ok else "MISSING" if finding.required else "note"
        lines += _paragraph(f"{mark:<8}{finding.name:<{_LABEL_WIDTH}}", finding.detail)
        if finding.advice and not finding.ok:
            lines += _paragraph(" " * 8 + " " * _LABEL_WIDTH, f"-> {finding.advice}")
    missing = [finding.name for finding in findings if finding.required and not finding.ok]
    last = (
        f"To be put right before a run: {', '.join(missing)}." if missing else "Everything needed is there."
    )
    return "\n".join([*lines, "", last])


def _paragraph(head: str, text: str) -> list[str]:
    indent = " " * len(head)
    return [
        line.rstrip()
        for line in wrap(
            text,
            _LINE_WIDTH,
            initial_indent=head,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    ] or [head.rstrip()]


# --- Python and packages -----------------------------------------------------------------------


def _python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> Finding:
    wanted = ".".join(map(str, PYTHON_WANTED))
    return Finding(
        name="Python",
        ok=version >= PYTHON_WANTED,
        required=True,
        detail=f"{'.'.join(map(str, version))} ({sys.executable})",
        advice=f"Install Python {wanted} or newer, and verifaible into an environment of it.",
    )


def _packages() -> Finding:
    advice = "Run `pip install verifaible` again; in the source tree, `make setup`."
    try:
        wanted = _requirements()
    except metadata.PackageNotFoundError:
        return Finding(
            name="Packages",
            ok=False,
            required=True,
            detail="verifaible itself is not installed, so what it needs is not known.",
            advice=advice,
        )
    present, faults = [], []
    for requirement in wanted:
        name, version = _installed(requirement)
        if not version:
            faults.append(f"{name} is missing")
            continue
        present.append(f"{name} {version}")
        if not satisfies(version, requirement):
            faults.append(f"{name} is {version}, but {requirement} is needed")
    return Finding(
        name="Packages",
        ok=not faults,
        required=True,
        detail=("; ".join(faults) + ". Present: " if faults else "") + ", ".join(present),
        advice=advice,
    )


def _requirements(extra: str = "") -> list[str]:
    """What verifaible requires by itself, or for one of its extras."""
    mark = f'extra == "{extra}"' if extra else ""
    lines = (line.replace("'", '"') for line in metadata.requires("verifaible") or [])
    return [line for line in lines if (mark in line if mark else "extra ==" not in line)]


def _installed(requirement: str) -> tuple[str, str]:
    """The name of a requirement, and the version of it that is installed, if any."""
    name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
    try:
        return name, metadata.version(name)
    except metadata.PackageNotFoundError:
        return name, ""


def _extras() -> Finding:
    try:
        absent = [extra for extra in EXTRAS if not all(_installed(each)[1] for each in _requirements(extra))]
    except metadata.PackageNotFoundError:  # said by the finding on packages
        absent = []
    return Finding(
        name="Extras",
        ok=not absent,
        required=False,
        detail=f"Not installed: {', '.join(absent)}." if absent else f"{', '.join(EXTRAS)} are installed.",
        advice=f'Run `pip install "verifaible[{",".join(absent)}]"` for what you need of it.',
    )


def satisfies(version: str, requirement: str) -> bool:
    """Whether a version keeps the bounds of a requirement; a pre-release counts as what it leads to."""
    from packaging.requirements import Requirement
    from packaging.version import Version

    return Requirement(requirement).specifier.contains(Version(version).base_version)


# --- the browser -------------------------------------------------------------------------------


async def _browser(settings: Settings) -> tuple[Finding, Finding]:
    try:
        probe = await probe_browser(settings)
    except VerifaibleError as error:
        return (
            Finding(
                name="Chromium", ok=False, required=True, detail="Not usable.", advice=str(error).strip()
            ),
            Finding(
                name="Chinese text",
                ok=False,
                required=False,
                detail="Not known without a browser.",
                advice="Put the browser right first.",
            ),
        )
    places = {
        "setting": "named by VERIFAIBLE_BROWSER",
        "playwright": "Playwright's own",
        "path": "on the PATH",
    }
    return (
        Finding(
            name="Chromium",
            ok=True,
            required=True,
            detail=f"{probe.version}, {places[probe.found.source]}: {probe.found.path}; "
            f"started and rendered a page in {probe.seconds:.1f} s",
        ),
        Finding(
            name="Chinese text",
            ok=probe.chinese,
            required=False,
            detail="Drawn as it should be." if probe.chinese else "Drawn as empty boxes.",
            advice=FONT_ADVICE,
        ),
    )


# --- files -------------------------------------------------------------------------------------


def _archives(settings: Settings) -> Finding:
    from verifaible.archive.reader import WaczReader

    paths = settings.archives
    folders = sorted({str(path.parent) for path in paths})
    pages, faults = 0, []
    for path in paths:
        try:
            with WaczReader(path) as reader:
                names = set(reader.names())
                absent = [item.path for item in reader.metadata.resources if item.path not in names]
                if absent:
                    faults.append(f"{path.name} lacks {', '.join(absent)}")
                if not reader.entries():
                    faults.append(f"{path.name} holds no recorded answer")
                pages += sum(1 for _ in reader.pages())
        except (VerifaibleError, OSError) as error:
            faults.append(str(error) if path.name in str(error) else f"{path.name}: {error}")
    found = f"{len(paths)} archives with {pages} pages in {' and '.join(folders)}"
    return Finding(
        name="Offline web",
        ok=bool(paths) and not faults,
        required=settings.cases_dir.is_dir(),
        detail=f"{found}; {'; '.join(faults)}"
        if faults
        else found
        if paths
        else f"No archive (*.wacz) in {settings.sites_dir}.",
        advice="Install verifaible-cases; in the source tree, `git checkout snapshots/sites` restores them.",
    )


def _cases(settings: Settings) -> Finding:
    from verifaible.bench.cases import load_cases

    folder = settings.cases_dir
    there = folder.is_dir() and any(folder.glob("*.json"))
    try:
        count, faults = len(load_cases(folder) if there else ()), list[str]()
    except CaseError as error:
        count, faults = 0, error.faults
    found = f"{count} valid cases in {folder}" if there else f"No case (*.json) in {folder}."
    return Finding(
        name="Cases",
        ok=there and not faults,
        required=folder.is_dir(),
        detail="; ".join(faults) or found,
        advice=(
            "Correct the files; `verifaible bench check --schema` prints the JSON Schema of a case."
            if faults
            else "Install verifaible-cases, or name a folder that holds cases/ in VERIFAIBLE_HOME."
        ),
    )


def _existing(folder: Path) -> Path:
    """The folder itself, or the nearest one above it that exists."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())


def _home(settings: Settings) -> Finding:
    return Finding(name="Home", ok=True, required=True, detail=f"{settings.home} ({settings.home_source})")


def _store(settings: Settings) -> Finding:
    if isinstance(settings.store_location, str):
        return _shared_store(settings)
    from verifaible.store.audit import links, strangers
    from verifaible.store.files import open_files

    place = _existing(settings.store_location)
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"x")
            file.flush()
        fault = ""
    except OSError as error:
        fault = f"{place} cannot be written to: {error.strerror or error}."
    advice = "Make the folder writable for you, or name another one in VERIFAIBLE_STORE."
    detail = str(settings.store_location)
    if place != settings.store_location:
        detail += " (is made at its first use)"
    elif not fault:
        files = open_files(place)
        if found := links(files):
            fault, advice = " ".join(found), "`verifaible verify --all` tells what else is wrong."
        detail = " ".join((detail, *strangers(files)))
    return Finding(name="Evidence store", ok=not fault, required=True, detail=fault or detail, advice=advice)


def _shared_store(settings: Settings) -> Finding:
    from verifaible.store.entries import DESCRIPTION
    from verifaible.store.store import Store

    url = settings.store_location
    try:
        there = Store.open(settings).files.exists(DESCRIPTION)
        fault = ""
    except UserError as error:
        there, fault = False, str(error)
    return Finding(
        name="Evidence store",
        ok=not fault,
        required=True,
        detail=fault or (url if there else f"{url} (is made at its first use)"),
        advice="Check the address, the credentials and VERIFAIBLE_INDEX, or name another VERIFAIBLE_STORE.",
    )


def _disk(settings: Settings) -> Finding:
    location = settings.store_location
    place = _existing(settings.home if isinstance(location, str) else location)
    free = shutil.disk_usage(place).free
    return Finding(
        name="Disk",
        ok=free >= DISK_WANTED_BYTES,
        required=False,
        detail=f"{free / (1 << 30):.1f} GiB free at {place}",
        advice=f"Free {DISK_WANTED_BYTES >> 30} GiB, or name a store on another disk in VERIFAIBLE_STORE.",
    )


def _keys(settings: Settings, environment: Mapping[str, str]) -> Finding:
    have = [name for name in KEYS if environment.get(name, "").strip()]
    if settings.api_key and KEYS[0] not in have:
        have.insert(0, KEYS[0])
    return Finding(
        name="API keys",
        ok=bool(have),
        required=False,
        detail=", ".join(f"{name} {'is set' if name in have else 'is not set'}" for name in KEYS),
        advice="The built-in agents oracle and nop need none. For other models set OPENROUTER_API_KEY, or "
        "VERIFAIBLE_BASE_URL and VERIFAIBLE_API_KEY.",
    )
