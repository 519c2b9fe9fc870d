"""``verifaible check`` on a report about pages of a local site."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pymupdf
import pytest

from tests.browser.conftest import Site, serving
from tests.command_line import run_command
from tests.kit.marks import nightly
from tests.servers.judge_server import JudgeServer, Question, Said, sensible, verdict
from tests.servers.openai_server import error
from verifaible.config import Settings
from verifaible.evidence.verify import verify
from verifaible.schema.checked import Checked
from verifaible.store.store import Store

PADDING = f"<p>{'The company describes each year what it does, in some detail and for its owners. ' * 4}</p>"
REPORT = """# Acme in 2023

Acme opened 14 shops in Norway in 2023 [1]. Acme opened 41 shops in Sweden in 2023 [1]. Its chief executive said
"we expect the market to grow quickly in the next two years" ([minutes](SITE/shops)).

- Revenue of Devices grew by 39% from 2022 to 2023 [2].
- Acme paid a dividend of 2.5 euros per share in April 2023 [3].
- Acme bought Bolt [4]. Acme sold Bolt [5]. Acme kept Bolt [6].

## References

[1] SITE/shops
[2] SITE/segments
[3] SITE/dividend.pdf
[4] SITE/gone
[5] SITE/members
[6] http://no-such-house.invalid/acme
"""


@pytest.fixture
def report(site: Site, tmp_path: Path) -> Path:
    """A report with six sources, of which three can be read."""
    shops = "Acme opened 14 shops in Norway in 2023. Acme opened 12 shops in Sweden in 2023."
    site.html(
        "/shops",
        f"<h1>Acme shops</h1><p id='shops'></p><script>document.getElementById('shops').textContent = '{shops}'</script>"
        f"<p>“We expect the market to grow slowly in the next two years.”</p>{PADDING}",
    )
    rows = "<tr><th>Segment<th>2022<th>2023</tr><tr><th>Cloud<td>1.2<td>3.4</tr><tr><th>Devices<td>5.6<td>7.8</tr>"
    site.html(
        "/segments", f"<h1>Acme</h1><table><caption>Revenue, USD million</caption>{rows}</table>{PADDING}"
    )
    document = pymupdf.open()
    document.new_page().insert_text(
        (72, 72), "Acme paid a dividend of 2.5 euros per share\nin April 2023.", fontsize=12
    )
    site.file("/dividend.pdf", "application/pdf", document.tobytes())
    site.html("/members", "<h1>Sign in</h1><p>Please sign in to continue.</p><input type=password>")
    path = tmp_path / "report.md"
    path.write_text(REPORT.replace("SITE", site.url), encoding="utf-8")
    return path


@pytest.mark.slow
def test_each_claim_has_its_verdict_evidence_and_citation_and_a_second_run_opens_nothing(
    site: Site, report: Path, tmp_path: Path, no_patience: None
) -> None:
    environment = {"VERIFAIBLE_HOME": str(tmp_path / "home"), "VERIFAIBLE_ALLOW_HOSTS": "127.0.0.1"}
    done = run_command(["check", str(report), "--json"], environment=environment, folder=tmp_path)
    assert done.returncode == 1, done.stderr
    checked = Checked.model_validate_json(done.stdout)
    found = {each.claim.text.split("  ")[0]: each for each in checked.claims}

    def of(words: str) -> str:
        return next(each.verdict for text, each in found.items() if words in text)

    assert of("14 shops") == "supported"
    assert of("41 shops") == "contradicted"
    assert of("quickly") == "altered"
    assert of("39%") == "calculated"
    assert of("2.5 euros") == "supported"
    assert {of("bought"), of("sold"), of("kept")} == {"unreadable"}
    states = {each.url.removeprefix(site.url): each.state for each in checked.sources}
    assert states == {
        "/shops": "read",
        "/segments": "read",
        "/dividend.pdf": "read",
        "/gone": "gone",
        "/members": "login",
        "http://no-such-house.invalid/acme": "made_up",
    }
    contradicted = next(each for text, each in found.items() if "41 shops" in text)
    assert "12 shops in Sweden" in contradicted.said

    store = Store.open(Settings(home=tmp_path / "home"))
    decided = [each for each in checked.claims if each.verdict in ("supported", "calculated", "contradicted")]
    assert all(each.citations for each in decided)
    for name in {name for each in decided for name in each.citations}:
        assert verify(store.get(name), store).check.verdict == "verified"
    store.close()
    opened = [each for each in site.seen if "robots.txt" not in each and "favicon" not in each]
    assert sorted(opened) == [
        f"GET {path}" for path in ("/dividend.pdf", "/gone", "/members", "/segments", "/shops")
    ]

    site.seen.clear()
    again = run_command(["check", str(report), "--json"], environment=environment, folder=tmp_path)
    assert site.seen == []
    told, before = json.loads(again.stdout), json.loads(done.stdout)
    assert [each["citations"] for each in told["claims"]] == [each["citations"] for each in before["claims"]]


PROSE = "The harbour board gave its blessing to the new quay last spring. Fishing crews had asked for it for years."
CLAIMS = """The board of the harbour blessed a new quay in spring [1]. Fishing crews had for years asked for it [1].

[1] SITE/quay
"""


def _misquoting(question: Question) -> Said:
    """A judge that calls everything carried, by words that no source has."""
    return verdict("direct", (next(iter(question.sources)), "The board of the harbour blessed a new quay."))


def _failing(_: Question) -> Said:
    return error(400, "This model cannot judge.")


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    """A page, and the home of all its checks: the first opens it."""
    with serving() as site:
        site.html("/quay", f"<h1>Harbour news</h1><p>{PROSE}</p>{PADDING}")
        yield site, tmp_path_factory.mktemp("harbour")


@pytest.mark.parametrize(
    ("mind", "verdict_", "why", "status"),
    [
        (_misquoting, "undecided", "The judge left it open. The quote is not in the source", 3),
        nightly(_failing, "undecided", "rejected the request with HTTP 400 (This model cannot judge)", 3),
        (sensible, "supported", "As it says.", 0),
    ],
)
def test_a_judge_model_decides_what_the_rules_leave_open_by_words_of_the_source_alone(
    mind: Callable[[Question], Said],
    verdict_: str,
    why: str,
    status: int,
    harbour: tuple[Site, Path],
    tmp_path: Path,
) -> None:
    site, home = harbour
    (tmp_path / "report.md").write_text(CLAIMS.replace("SITE", site.url), encoding="utf-8")
    environment = {
        "VERIFAIBLE_HOME": str(home),
        "VERIFAIBLE_ALLOW_HOSTS": "127.0.0.1",
        "VERIFAIBLE_API_KEY": "none",
    }
    with JudgeServer(mind) as server:
        judge = ["--judge", "scripted/judge", "--base-url", server.base_url, "--api", "chat"]
        done = run_command(["check", "report.md", "--json", *judge], environment=environment, folder=tmp_path)
        assert server.questions
    assert done.returncode == status, done.stderr
    checked = Checked.model_validate_json(done.stdout)
    assert len(checked.claims) == 2
    for each in checked.claims:
        assert each.verdict == verdict_
        assert why in each.reason
        assert all(passage.quote in PROSE for passage in each.passages)
        assert bool(each.citations) == (each.verdict == "supported")
        assert each.by == ("judge" if each.verdict == "supported" else "")
