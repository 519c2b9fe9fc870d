"""The wheels as they are installed: with each Python that is here, into an empty folder, without the clone.

The only tests that need a package index: pip takes it from its own settings.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.browser.conftest import REPOSITORY
from tests.browser.test_documented_commands import TUTORIALS
from tests.browser.test_walkthroughs import walk

PAGE = "<!doctype html><html lang=en><title>Report</title><p>Revenue rose to 48.2 million euros in 2025.</p>"
_PATIENCE_S = 900
#: A home with a store of its own would hide what is tested.
_KEPT = {name: value for name, value in os.environ.items() if not name.startswith(("VERIFAIBLE_", "PYTHON"))}


def pythons() -> list[str]:
    """The versions that run; a name on the PATH may have nothing behind it."""
    found = [path for minor in (11, 12, 13) if (path := shutil.which(f"python3.{minor}"))]
    return [path for path in found if not subprocess.run([path, "-c", "import venv, ensurepip"], check=False, capture_output=True).returncode]  # fmt: skip


def run(*words: str | Path, folder: Path, status: int = 0, **variables: str) -> str:
    done = subprocess.run(
        words, cwd=folder, env={**_KEPT, **variables}, capture_output=True, text=True, check=False,
        timeout=_PATIENCE_S,
    )  # fmt: skip
    assert done.returncode == status, f"{words}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Built from a copy: the build writes beside its sources."""
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in ("verifaible", "packaging", "cases", "snapshots/sites"):
        shutil.copytree(
            REPOSITORY / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "build")
        )
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(REPOSITORY / name, source)
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        made,
        ".",
        "./packaging/cases",
        folder=source,
    )
    return sorted(made.iterdir())


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "page.html").write_text(PAGE)
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.nightly
@pytest.mark.parametrize("python", pythons(), ids=lambda path: Path(path).name)
def test_what_is_installed_cites_checks_and_runs_the_bench(
    python: str, wheels: list[Path], address: str, tmp_path: Path
) -> None:
    run(python, "-m", "venv", tmp_path / "venv", folder=tmp_path)
    run(tmp_path / "venv/bin/python", "-m", "pip", "install", "-q", *wheels, folder=tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    verifaible = partial(
        run, tmp_path / "venv/bin/verifaible", folder=empty,
        HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path / "data"), VERIFAIBLE_ALLOW_HOSTS=address,
    )  # fmt: skip
    assert "works" in verifaible("setup")
    ran = verifaible("bench", "--model", "oracle", "--case", "us_table_001", "--case", "cn_dynamic_pdf_001")
    assert "verified  2/2" in ran
    cited = verifaible("cite", f"http://{address}/page.html", "--quote", "Revenue rose to 48.2 million euros")
    assert cited.strip() in verifaible("list")
    report = f"Revenue rose to 48.2 million euros in 2025 ([report](http://{address}/page.html)).\n"
    (tmp_path / "report.md").write_text(report)
    assert "supported" in verifaible("check", str(tmp_path / "report.md"))
    assert [path.name for path in empty.iterdir()] == []
    assert (tmp_path / "data" / "verifaible" / "snapshots" / "store").is_dir()


@pytest.mark.nightly
@pytest.mark.parametrize("python", pythons(), ids=lambda path: Path(path).name)
def test_the_tutorials_work_from_the_wheels_in_an_empty_folder(
    python: str, wheels: list[Path], tmp_path: Path
) -> None:
    run(python, "-m", "venv", tmp_path / "venv", folder=tmp_path)
    own, cases = wheels
    run(tmp_path / "venv/bin/python", "-m", "pip", "install", "-q", f"{own}[mcp]", cases, folder=tmp_path)
    for name in TUTORIALS:
        folder = tmp_path / name
        folder.mkdir()
        environment = {
            "HOME": str(tmp_path),
            "PATH": f"{tmp_path / 'venv/bin'}{os.pathsep}/usr/bin:/bin",
            "VERIFAIBLE_HOME": str(folder),
        }
        in_shell = partial(
            subprocess.run, cwd=folder, env=environment, capture_output=True, text=True, check=False,
            timeout=_PATIENCE_S,
        )  # fmt: skip
        walk(name, folder, lambda line, in_shell=in_shell: in_shell(["sh", "-c", line]))  # type: ignore[misc]
