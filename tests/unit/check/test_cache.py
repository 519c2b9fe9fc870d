"""What was opened and cited before is kept in lines that survive a kill."""

from datetime import timedelta
from pathlib import Path

from verifaible.check.cache import Cache
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.checked import CheckedSource

GONE = CheckedSource(id="1", url="https://a.example/", state="gone", status=404)
DAY = timedelta(days=1)


def test_a_fresh_visit_stands_for_a_new_one_on_the_same_web(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "checked.jsonl"
    Cache(file).add_visit(GONE.url, "live", GONE, None)
    kept = Cache(file)
    visit = kept.visit(GONE.url, "live", DAY)
    assert visit is not None and visit.source == GONE
    assert kept.visit(GONE.url, "offline", DAY) is None
    assert kept.visit(GONE.url, "live", timedelta(0)) is None


def test_a_line_that_was_cut_off_or_is_damaged_costs_itself_alone(tmp_path: Path) -> None:
    file = tmp_path / "checked.jsonl"
    keeping = Cache(file)
    keeping.add_cited("c", AnchorRequest(quote="one"), citation="1f3a")
    with file.open("ab") as opened:
        opened.write(b'{"key": 5}\n\xff\n[1]\n' + file.read_bytes()[:40])
    kept = Cache(file)
    cited = kept.cited("c", AnchorRequest(quote="one"))
    assert cited is not None and cited.citation == "1f3a"
    assert kept.cited("c", AnchorRequest(quote="two")) is None
