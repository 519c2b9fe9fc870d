"""``bench probe``: what it says of cases on a site of today's web, and that it asks no more than it must."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.browser.bench_process import OWN_CASES, environment
from tests.browser.conftest import REPOSITORY, Site
from tests.command_line import run_command
from tests.unit.archive.helpers import get, pack
from verifaible.bench.cli import bench

pytestmark = pytest.mark.usefixtures("no_patience")

Probe = Callable[..., CompletedProcess[str]]
SAYS = "The committee met in May and set the overnight rate at {} percent, a quarter less than in March."
FILLER = "<p>It had been expected by most of those who watch the market from day to day.</p>" * 4
CONSENT = "<h1>Before you continue</h1><p>We and our partners use cookies.</p><button>Accept all</button>"
CHECK = "<title>Just a moment</title><p>Please verify you are human to continue.</p>"
MARKUP = {"content-type": "text/html; charset=utf-8"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "cases").mkdir()
    return tmp_path


@pytest.fixture
def probe(home: Path) -> Probe:
    """Run the command in a home of its own, in which loopback may be opened."""

    def run(*arguments: str) -> CompletedProcess[str]:
        variables = environment(
            home / "store", VERIFAIBLE_HOME=str(home), VERIFAIBLE_ALLOW_HOSTS="127.0.0.1,localhost"
        )
        done = run_command(
            ["probe", "--delay", "0", *arguments], environment=variables, folder=home, command=bench
        )
        assert "Traceback" not in done.stderr
        return done

    return run


def case(
    home: Path, name: str, url: str, rate: str = "4.25", *, script: str = "", oracle: bool = True
) -> None:
    """Write a case that expects a rate on a page, after a script has run."""
    cite = {
        "claim": "The rate.",
        "source_url": url,
        "evidence_type": "text",
        "quoted_text": SAYS.format(rate),
        "action_steps": [{"type": "exec_js", "code": script}] if script else [],
    }
    data = {
        "id": name, "category": "text", "language": "en", "url": url,
        "question": "What was the overnight rate set in May?", "answer": f"{rate} %",
        "evidence_types": ["text"],
        "oracle": {"steps": [{"tool": "verifaible_cite", "arguments": cite}], "answer": "It was {1} [@v:1]."},
    }  # fmt: skip
    if not oracle:
        del data["oracle"]
    (home / "cases" / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")


def by_case(done: CompletedProcess[str]) -> dict[str, Any]:
    return {each["case"]: each for each in json.loads(done.stdout)["cases"]}


def asked(site: Site) -> list[str]:
    """The pages that were asked for, in order."""
    return [path for path in (line.partition(" ")[2] for line in site.seen) if "." not in path]


def test_what_each_case_starts_with_and_comes_to(home: Path, probe: Probe, site: Site) -> None:
    case(home, "a_fine", site.html("/fine", f"<p>{SAYS.format('4.25')}</p>{FILLER}"))
    case(home, "b_changed", site.html("/changed", f"<p>{SAYS.format('4.50')}</p>{FILLER}"))
    case(home, "c_consent", site.html("/consent", CONSENT), script="tabs.choose('May')")
    site.pages["/check"] = (403, MARKUP, CHECK)
    case(home, "d_check", f"{site.url}/check")
    case(home, "e_away", f"{site.url}/away")
    case(home, "f_bare", f"{site.url}/bare", oracle=False)
    case(home, "g_down", "http://127.0.0.1:9/")  # nothing listens there
    done = probe("--json")
    assert done.returncode == 1
    found = by_case(done)
    assert {name: each["status"] for name, each in found.items()} == {
        "a_fine": "ok", "b_changed": "drifted", "c_consent": "blocked", "d_check": "blocked", "e_away": "gone",
        "f_bare": "error", "g_down": "error",
    }  # fmt: skip
    starts = {name: (each["start"]["status"], each["start"]["shows"]) for name, each in found.items()}
    assert starts["a_fine"] == starts["b_changed"] == (200, "content")
    assert starts["c_consent"] == (200, "a consent page")
    assert starts["d_check"] == (403, "a captcha or bot check")
    assert starts["e_away"][0] == 404
    assert [each["checked"]["played"] for each in found.values()] == [1, 0, 0, 0, 0, 0, 0]
    assert found["b_changed"]["checked"]["then"] == "4.25 %"
    assert "4.50" in found["b_changed"]["checked"]["now"]
    assert "verify you are human" in found["d_check"]["start"]["said"]
    assert found["a_fine"]["start"]["language"] == "en"
    assert "has no oracle" in found["f_bare"]["checked"]["reasons"][0]
    assert (found["g_down"]["start"]["status"], found["g_down"]["start"]["shows"]) == (0, "")
    assert len({each["next"] for each in found.values()}) == 5
    # one case of a site after the other
    paths = [path for path, _ in groupby(asked(site))]
    assert paths == ["/fine", "/changed", "/consent", "/check", "/away", "/bare"]
    # nothing but the results is kept
    assert sorted(path.name for path in home.iterdir()) == ["cases", "probed"]
    page = (home / "probed" / "live.html").read_text(encoding="utf-8")
    assert "7 of 7 cases probed on the live web: 1 ok, 1 drifted, 2 blocked, 1 gone, 2 error." in page
    assert "a captcha or bot check" in page and "<script" not in page
    assert json.loads((home / "probed" / "live.json").read_text(encoding="utf-8")) == json.loads(done.stdout)

    # what has a result is not asked again, unless the case was corrected; an error is no result
    before = len(asked(site))
    case(home, "b_changed", f"{site.url}/changed", "4.50")
    assert by_case(probe("--json"))["b_changed"]["status"] == "ok"
    assert set(asked(site)[before:]) == {"/changed", "/bare"}
    before = len(asked(site))
    assert probe("--case", "a_fine").returncode == 0
    assert len(asked(site)) == before


@pytest.mark.parametrize("options", [("--record", "--web", "offline"), ("--case", "nothing")])
def test_wrong_use_is_told_before_anything_is_asked(
    home: Path, probe: Probe, options: tuple[str, ...]
) -> None:
    case(home, "a_fine", "http://127.0.0.1:9/")
    done = probe(*options)
    assert done.returncode == 2
    assert not (home / "probed").exists()


@pytest.mark.breadth
@pytest.mark.slow
def test_sites_whose_cases_are_all_ok_are_recorded(home: Path, probe: Probe, site: Site) -> None:
    page = f"<p>{SAYS.format('4.25')}</p>{FILLER}"
    case(home, "a_first", site.html("/first", page))
    case(home, "b_second", site.html("/second", page))
    elsewhere = site.url.replace("127.0.0.1", "localhost")
    case(home, "c_third", f"{elsewhere}/first", "4.50")
    archive = home / "snapshots" / "sites" / "127.0.0.1.wacz"
    archive.parent.mkdir(parents=True)
    replica = pack([get(f"{site.url}/first", b"by hand")], synthetic=True)
    archive.write_bytes(replica)
    done = probe("--record", "--case", "a_first", "--case", "c_third")
    assert "127.0.0.1: not recorded, because these cases are not ok: b_second." in done.stderr
    assert archive.read_bytes() == replica
    done = probe("--record")
    assert done.returncode == 1
    assert "localhost: not recorded, because these cases are not ok: c_third." in done.stderr
    assert [path.name for path in archive.parent.iterdir()] == [archive.name]
    assert f"Recorded: {archive}, in place of a replica." in done.stderr
    assert "127.0.0.1: recorded already." in probe("--record").stderr
    before = len(asked(site))
    assert probe("--case", "a_first", "--again").returncode == 0
    assert set(asked(site)[before:]) == {"/first"}
    site.pages.clear()
    offline = probe("--web", "offline", "--case", "a_first", "--case", "b_second")
    assert offline.returncode == 0, offline.stderr


@pytest.mark.breadth
@pytest.mark.slow
def test_the_replicas_hold_what_every_case_expects(tmp_path: Path) -> None:
    done = run_command(
        ["probe", "--web", "offline", "--out", str(tmp_path / "out"), "--json"],
        environment=environment(tmp_path / "store"),
        folder=REPOSITORY,
        command=bench,
    )
    assert done.returncode == 0, done.stderr
    found = by_case(done)
    assert found.keys() == OWN_CASES.keys()
    assert {each["status"] for each in found.values()} == {"ok"}
    assert all(each["checked"]["played"] == each["steps"] for each in found.values())
    page = (tmp_path / "out" / "offline.html").read_text(encoding="utf-8")
    assert "21 of 21 cases probed on the offline web: 21 ok." in page
    assert page.count("<bdi>replica</bdi>") == 6
