"""The built-in agents: nop scores nothing, oracle everything, until a page changes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.bench_process import OWN_CASES, bench
from tests.kit.public import needs_public
from tests.unit.bench.samples import PUBLIC_SET, REPOSITORY
from verifaible.archive.reader import WaczReader
from verifaible.archive.wacz import WaczWriter
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

SITES = REPOSITORY / "snapshots" / "sites"


def test_nop_scores_nothing_of_2100(tmp_path: Path) -> None:
    ran = bench(tmp_path, "--model", "nop")
    (summary,) = ran.printed["models"]
    assert (summary["trials"], summary["total"]) == (21, 0)
    assert (summary["passed"]["count"], summary["verified"]["count"], summary["errors"]) == (0, 0, 0)
    assert sum(part["trials"] for part in summary["by_category"]) * 100 == 2_100
    assert set(ran.results) == set(OWN_CASES)
    assert all(each.answer == "" and each.error is None for each in ran.results.values())
    assert not (tmp_path / "store" / "citations").exists()


@pytest.mark.slow
@needs_public("verifaible-bench/testset.json")
def test_public_test_set(tmp_path: Path) -> None:
    ran = bench(tmp_path, "--model", "oracle", "--cases", str(PUBLIC_SET), cases=["us_text_002"])
    (trial,) = ran.results.values()
    assert (trial.case, trial.score, trial.verified, trial.error) == ("us_text_002", 100, True, None)


# --- a page that changes


def rewrite(source: Path, target: Path, change: Callable[[str, bytes], bytes]) -> None:
    """Copy an archive with other bodies."""
    with WaczReader(source) as reader:
        about = reader.metadata
        exchanges, pages = tuple(reader.exchanges()), tuple(reader.pages())
    with WaczWriter(
        target, title=about.title, created=exchanges[0].recorded_at, compress=False, synthetic=True
    ) as writer:
        for each in exchanges:
            body = change(each.request.url, each.response.body)
            response = WebResponse(each.response.status, each.response.headers, body)
            request = WebRequest(
                each.request.url, each.request.method, each.request.headers, each.request.body
            )
            writer.add_exchange(WebExchange(request, response, each.recorded_at))
        for page in pages:
            writer.add_page(page.url, page.title, page.timestamp, page.text)


@pytest.fixture
def changed_home(tmp_path: Path) -> Path:
    """A home in which one figure of one page, and one name of another, are not what they were."""
    home = tmp_path / "home"
    (home / "snapshots" / "sites").mkdir(parents=True)
    shutil.copytree(REPOSITORY / "cases", home / "cases")
    changes = {
        OWN_CASES["cn_table_002"].url: (b"90.9", b"90.8"),
        OWN_CASES["us_text_002"].url: (b"Bowman", b"Barrow"),
    }
    made: set[str] = set()

    def change(url: str, body: bytes) -> bytes:
        before, after = changes.get(url, (b"", b""))
        if not before or before not in body:
            return body
        made.add(url)
        return body.replace(before, after)

    for name in ("stats.gov.cn.wacz", "federalreserve.gov.wacz"):
        rewrite(SITES / name, home / "snapshots" / "sites" / name, change)
    assert made == set(changes)
    return home


@pytest.mark.nightly
@pytest.mark.slow
def test_oracle_fails_where_a_page_changed_and_only_there(tmp_path: Path, changed_home: Path) -> None:
    cases = ("cn_table_002", "us_text_002", "cn_table_004")
    ran = bench(tmp_path, "--model", "oracle", cases=cases, VERIFAIBLE_HOME=str(changed_home))
    figure, quote = ran.results["cn_table_002"], ran.results["us_text_002"]
    assert (figure.score, figure.verified, figure.error) == (0, False, None)
    assert figure.answer == "2026年1月郑州二手住宅销售价格同比指数为90.8[@v:1]。"
    assert any("Expected 90.9" in reason for reason in figure.verified_reasons)
    assert (quote.score, quote.verified, quote.answer, quote.citations) == (0, False, "", ())
    assert quote.error is not None
    assert quote.error.startswith("Oracle step 1 (verifaible_cite) of us_text_002 failed.")
    assert "Barrow" in quote.error  # the nearest text on the page
    other = ran.results["cn_table_004"]
    assert (other.score, other.verified, other.error) == (100, True, None)
