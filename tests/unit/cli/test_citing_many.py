"""``verifaible cite --from``: a row costs only itself, and nothing is cited twice."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.unit.evidence.samples import add, check
from verifaible.cli.program import verifaible
from verifaible.client import Verifaible
from verifaible.errors import AnchorNotFound, ConfigError, StoreReadOnly
from verifaible.evidence.cite import Collected
from verifaible.evidence.request import CiteRequest

TABLE = "url,quote,claim\nhttps://a.example/,The rate,One\nhttps://b.example/,nowhere,Two\nhttps://c.example/,The rate,Three\n"


class Web:
    """Stands for pages: cites everything but what is nowhere."""

    def __init__(self) -> None:
        self.asked: list[CiteRequest] = []
        self.found = {"The rate"}
        self.broken: Exception | None = None

    async def collect(self, house: Verifaible, request: CiteRequest) -> Collected:
        self.asked.append(request)
        if self.broken is not None:
            raise self.broken
        if request.anchor.quote not in self.found:
            raise AnchorNotFound("The quote is not there.\nTake the page's own words.")
        citation = add(house.store, request.claim)
        return Collected(citation=citation, check=check(citation))


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Web:
    found = Web()

    async def collect(house: Verifaible, request: CiteRequest) -> Collected:
        return await found.collect(house, request)

    monkeypatch.setattr(Verifaible, "collect", collect)
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quotes.csv").write_text(TABLE, encoding="utf-8")
    return found


def cite(*words: str) -> Result:
    return CliRunner().invoke(verifaible, ["cite", "--from", "quotes.csv", *words], catch_exceptions=False)


def lines(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_that_fails_costs_only_itself(web: Web) -> None:
    done = cite("--out", "cited.csv")
    assert done.exit_code == 1
    assert "row 2: The quote is not there. Take the page's own words." in done.stderr
    assert "2 of 3 cited: cited.csv" in done.stderr
    found = lines("cited.csv")
    assert [line["number"] for line in found] == ["1", "2", "3"]
    assert [bool(line["id"]) for line in found] == [True, False, True]
    assert (found[1]["code"], found[1]["url"]) == ("anchor_not_found", "https://b.example/")
    assert found[0]["verdict"] == "verified"


def test_resume_cites_only_what_has_no_id(web: Web) -> None:
    cite()
    before = lines("quotes.cited.csv")
    with pytest.raises(ConfigError, match="--resume"):
        cite()
    web.asked.clear()
    web.found.add("nowhere")
    Path("quotes.csv").write_text(f"{TABLE}https://d.example/,The rate,Four\n", encoding="utf-8")
    assert cite("--resume").exit_code == 0
    assert sorted(request.url for request in web.asked) == ["https://b.example/", "https://d.example/"]
    after = lines("quotes.cited.csv")
    assert [line["claim"] for line in after] == ["One", "Two", "Three", "Four"]
    assert (after[0]["id"], after[2]["id"]) == (before[0]["id"], before[2]["id"])
    web.asked.clear()
    assert cite("--resume").exit_code == 0
    assert web.asked == []


def test_a_stop_keeps_what_is_done(web: Web) -> None:
    cite("--out", "cited.csv")
    head, first, rest = Path("cited.csv").read_text(encoding="utf-8").split("\n", 2)
    Path("cited.csv").write_text(f"{head}\n{first}\n{rest[:20]}", encoding="utf-8")  # a kill in a line
    web.asked.clear()
    cite("--out", "cited.csv", "--resume")
    assert len(web.asked) == 2
    assert [line["number"] for line in lines("cited.csv")] == ["1", "2", "3"]


def test_columns_are_the_arguments_of_the_api(web: Web) -> None:
    Path("quotes.csv").write_text(
        'url,row,column,page,type,steps\nhttps://a.example/,"[""A"", ""B""]",C,2,,[]\n', encoding="utf-8"
    )
    cite()
    (asked,) = web.asked
    assert (asked.url, asked.steps) == ("https://a.example/", ())
    assert (asked.anchor.row, asked.anchor.column, asked.anchor.page_number) == (("A", "B"), ("C",), 2)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("quote\nx\n", "no url"),
        ("url,cite\nx,y\n", "it has 'cite'"),
        ("url\nx,y\n", "more cells"),
        ("url\n", "no rows"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(web: Web, table: str, said: str) -> None:
    Path("quotes.csv").write_text(table, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        cite()
    assert not Path("quotes.cited.csv").exists()


def test_what_stops_all_rows_is_said_once(web: Web) -> None:
    web.broken = StoreReadOnly("The store cannot be written. Correct it.")
    with pytest.raises(StoreReadOnly):
        cite()
    web.broken = ZeroDivisionError("by zero")
    assert cite("--resume").exit_code == 1
    assert {line["code"] for line in lines("quotes.cited.csv")} == {"unexpected"}


def test_options_that_do_not_fit_together(web: Web) -> None:
    for words in (("https://a.example",), ("--quote", "x"), ("--json",)):
        with pytest.raises(ConfigError, match="each row"):
            cite(*words)
    with pytest.raises(ConfigError, match="--from"):
        CliRunner().invoke(verifaible, ["cite"], catch_exceptions=False)
