"""``bench check --web live``: what it says of cases on a site of today's web, and what it records."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.browser.bench_process import OWN_CASES, environment
from tests.browser.conftest import REPOSITORY, Site
from tests.browser.screens import screen
from tests.browser.walls import Answer, Asked, Wall, denied, served
from tests.command_line import run_command
from tests.unit.archive.helpers import get, pack
from verifaible.browser.page.profiles import save
from verifaible.cli.bench import bench
from verifaible.config import Settings

pytestmark = pytest.mark.usefixtures("no_patience")

Check = Callable[..., CompletedProcess[str]]
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
def check(home: Path) -> Check:
    """Run the command in a home of its own, in which loopback may be opened."""

    def run(*arguments: str) -> CompletedProcess[str]:
        given = ["check", *arguments, *(() if "--web" in arguments else ("--web", "live"))]
        done = run_command(given, environment=at(home), folder=home, command=bench)
        assert "Traceback" not in done.stderr
        return done

    return run


def at(home: Path, **variables: str) -> dict[str, str]:
    """The variables of a home of its own, in which loopback may be opened and is not spared."""
    own = {"VERIFAIBLE_HOME": str(home), "VERIFAIBLE_ALLOW_HOSTS": "127.0.0.1,localhost"}
    return environment(home / "store", **own, **{"VERIFAIBLE_HOST_DELAY_S": "0", **variables})


def case(
    home: Path,
    name: str,
    url: str,
    rate: str = "4.25",
    *,
    script: str = "",
    click: str = "",
    oracle: bool = True,
) -> None:
    """Write a case that expects a rate on a page, after a script has run or a button was clicked."""
    cite = {
        "claim": "The rate.",
        "source_url": url,
        "evidence_type": "text",
        "quoted_text": SAYS.format(rate),
        "action_steps": [{"type": "exec_js", "code": script}] if script else [],
    }
    if click:
        cite["action_steps"] = [{"type": "click", "selector": click}]
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
    return {each["case"]: each["played"] for each in json.loads(done.stdout)["cases"]}


def asked(site: Site) -> list[str]:
    """The pages that were asked for, in order."""
    return [path for path in (line.partition(" ")[2] for line in site.seen) if "." not in path]


@pytest.mark.nightly
def test_what_each_case_comes_to(home: Path, check: Check, site: Site) -> None:
    case(home, "a_fine", site.html("/fine", f"<p>{SAYS.format('4.25')}</p>{FILLER}"))
    case(home, "b_changed", site.html("/changed", f"<p>{SAYS.format('4.50')}</p>{FILLER}"))
    case(home, "c_consent", site.html("/consent", CONSENT), script="tabs.choose('May')")
    site.pages["/check"] = (403, MARKUP, CHECK)
    case(home, "d_check", f"{site.url}/check")
    case(home, "e_away", f"{site.url}/away")
    case(home, "f_bare", f"{site.url}/bare", oracle=False)
    case(home, "g_down", "http://127.0.0.1:9/")  # nothing listens there
    done = check("--json")
    assert done.returncode == 1
    found = by_case(done)
    assert {name: each["status"] for name, each in found.items()} == {
        "a_fine": "ok", "b_changed": "drifted", "c_consent": "blocked", "d_check": "blocked", "e_away": "gone",
        "f_bare": "error", "g_down": "error",
    }  # fmt: skip
    assert [each["played"] for each in found.values()] == [1, 0, 0, 0, 0, 0, 0]
    assert found["b_changed"]["then"] == "4.25 %"
    assert "4.50" in found["b_changed"]["now"]
    assert "verify you are human" in " ".join(found["d_check"]["reasons"])
    assert "has no oracle" in found["f_bare"]["reasons"][0]
    # nothing is kept
    assert [path.name for path in home.iterdir()] == ["cases"]
    before = len(asked(site))
    assert check("--case", "a_fine").returncode == 0
    assert set(asked(site)[before:]) == {"/fine"}


@pytest.mark.parametrize("options", [("--record", "--web", "offline"), ("--case", "nothing")])
def test_wrong_use_is_told_before_anything_is_asked(
    home: Path, check: Check, options: tuple[str, ...]
) -> None:
    case(home, "a_fine", "http://127.0.0.1:9/")
    assert check(*options).returncode == 2


def _consent(asked: Asked) -> Answer:
    """Shows its content once its button was clicked."""
    if "agreed" in asked.cookies:
        return _rates()
    clicked = "onclick=\"document.cookie='agreed=1; path=/';location.reload()\""
    return 200, CONSENT.replace("<button", f"<button id=yes {clicked}"), {}


def _login(asked: Asked) -> Answer:
    """Shows its content to who is signed in; the page of the login signs in by itself."""
    if asked.rest == "/login":
        script = "<script>document.cookie='session=mine; path=/; max-age=3600'</script>"
        return 200, f"<h1>Sign in</h1><input type=password>{script}", {}
    return _rates() if "session" in asked.cookies else denied(401, body="<h1>Sign in</h1>")


def _rates() -> Answer:
    return 200, f"<html lang=en><p>{SAYS.format('4.25')}</p>{FILLER}", {}


@pytest.mark.nightly
@pytest.mark.slow
def test_consent_by_a_step_and_a_login_by_a_profile(home: Path, check: Check) -> None:
    with served(walls={"consent": Wall(_consent), "site": Wall(_login)}) as url:
        case(home, "a_step", f"{url}/consent", click="#yes")
        case(home, "b_none", f"{url}/consent")
        case(home, "c_login", f"{url}/site")
        found = by_case(check("--json"))
        assert {name: each["status"] for name, each in found.items()} == {
            "a_step": "ok", "b_none": "blocked", "c_login": "blocked"
        }  # fmt: skip
        assert "HTTP 401" in found["c_login"]["reasons"][-1]
        cookie = {"name": "session", "value": "mine", "domain": "127.0.0.1", "path": "/"}
        save(Settings(home=home), "press", {"cookies": [cookie], "origins": []})
        done = check("--case", "c_login", "--profile", "press")
        assert done.returncode == 0, done.stderr
    missing = check("--profile", "nobody")
    assert missing.returncode == 2 and "verifaible profile nobody URL" in missing.stderr


@pytest.mark.parametrize(("set_to", "expected"), [("1.5", 1.5), ("", 3)])
def test_a_host_is_asked_at_a_readers_pace(
    home: Path, set_to: str, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []

    async def play(settings: Settings, *_: object) -> tuple[()]:
        seen.append(settings.host_delay_s)
        return ()

    monkeypatch.setattr("verifaible.bench.authoring.play_cases", play)
    case(home, "a_down", "http://127.0.0.1:9/")
    variables = {name: value for name, value in at(home, VERIFAIBLE_HOST_DELAY_S=set_to).items() if value}
    run_command(["check", "--web", "live"], environment=variables, folder=home, command=bench)
    assert seen == [expected]


def test_a_window_needs_a_screen(home: Path, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    case(home, "a_down", "http://127.0.0.1:9/")
    done = check("--pause-on-block")
    assert done.returncode == 2 and "There is no screen for a browser window" in done.stderr


@pytest.mark.nightly
@pytest.mark.slow
def test_a_person_in_a_window(home: Path) -> None:
    """Signs in once and checks with that profile; and passes two checks of two sites, one after the other."""
    passed: set[str] = set()

    def wall(asked: Asked) -> Answer:
        return _rates() if asked.says("host") in passed else (403, CHECK, {})

    with screen() as display, served(walls={"site": Wall(_login), "check": Wall(wall)}) as url:
        variables = at(home, DISPLAY=display)

        def begin(*arguments: str) -> subprocess.Popen[str]:
            return subprocess.Popen(
                [sys.executable, "-c", "from verifaible.cli import main; main()", *arguments],
                cwd=home, env=variables, text=True, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )  # fmt: skip

        with begin("profile", "press", f"{url}/site/login") as person:
            _, said = person.communicate("\n", timeout=300)
        assert person.returncode == 0 and "Sign in, accept, or pass the check." in said, said
        case(home, "a_login", f"{url}/site")
        with begin("bench", "check", "--web", "live", "--headed", "--profile", "press") as person:
            _, said = person.communicate(timeout=300)
        assert person.returncode == 0, said

        elsewhere = url.replace("127.0.0.1", "localhost")
        (home / "cases" / "a_login.json").unlink()
        case(home, "b_check", f"{url}/check")
        case(home, "c_check", f"{elsewhere}/check")
        with begin("bench", "check", "--web", "live", "--pause-on-block") as person:
            assert person.stdin is not None and person.stderr is not None
            told = []
            for line in person.stderr:
                told.append(line)
                if line.startswith("Do in the window"):
                    passed.add(told[-2].split("/")[2])
                    person.stdin.write("\n")
                    person.stdin.flush()
            person.wait(120)
    assert person.returncode == 0, told
    assert sum(line.startswith("Do in the window") for line in told) == len(passed) == 2


@pytest.mark.nightly
@pytest.mark.slow
def test_sites_whose_cases_are_all_ok_are_recorded(home: Path, check: Check, site: Site) -> None:
    page = f"<p>{SAYS.format('4.25')}</p>{FILLER}"
    case(home, "a_first", site.html("/first", page))
    case(home, "b_second", site.html("/second", page))
    elsewhere = site.url.replace("127.0.0.1", "localhost")
    case(home, "c_third", f"{elsewhere}/first", "4.50")
    archive = home / "snapshots" / "sites" / "127.0.0.1.wacz"
    archive.parent.mkdir(parents=True)
    replica = pack([get(f"{site.url}/first", b"by hand")], synthetic=True)
    archive.write_bytes(replica)
    done = check("--record", "--case", "a_first", "--case", "c_third")
    assert "127.0.0.1: not recorded, because these cases are not ok: b_second." in done.stderr
    assert archive.read_bytes() == replica
    done = check("--record")
    assert done.returncode == 1
    assert [path.name for path in archive.parent.iterdir()] == [archive.name]
    assert f"Recorded: {archive}, in place of a replica." in done.stderr
    site.pages.clear()
    offline = check("--web", "offline", "--case", "a_first", "--case", "b_second")
    assert offline.returncode == 0, offline.stderr


@pytest.mark.nightly
@pytest.mark.slow
def test_the_replicas_hold_what_every_case_expects(tmp_path: Path) -> None:
    done = run_command(
        ["check", "--web", "offline", "--json"],
        environment=environment(tmp_path / "store"),
        folder=REPOSITORY,
        command=bench,
    )
    assert done.returncode == 0, done.stderr
    found = by_case(done)
    assert found.keys() == OWN_CASES.keys()
    assert {each["status"] for each in found.values()} == {"ok"}
    assert all(each["played"] for each in found.values())
