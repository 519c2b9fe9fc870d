"""A metric over the years of two filings, and questions for it: answered from sealed triples, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import run_command
from tests.unit.kg.test_folder import DEMO
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.kg.folder import GraphFolder
from verifaible.kg.series import find_series, series_of, series_table
from verifaible.store.store import Store

#: Metric, member, start, end, shown: in millions; an instant has no start.
FACTS = {
    2023: (
        ("Revenues", "", "2023-01-30", "2024-01-28", "410"),
        ("Revenues", "", "2022-01-31", "2023-01-29", "390"),
    ),
    2024: (
        ("Revenues", "", "2024-01-29", "2025-02-02", "451"),
        ("Revenues", "", "2023-01-30", "2024-01-28", "412"),
        ("Revenues", "", "2024-11-01", "2025-02-02", "99"),
        ("Revenues", "x:PumpServiceMember", "2024-01-29", "2025-02-02", "51"),
        ("CostOfRevenue", "", "2024-01-29", "2025-02-02", "300"),
        ("NetIncomeLoss", "", "2024-01-29", "2025-02-02", "(12"),
        ("InventoryNet", "", "", "2025-02-02", "77"),
        ("InventoryNet", "", "", "2024-06-30", "88"),
        ("LongTermDebt", "", "", "2025-02-02", "7"),
        ("LongTermDebtCurrent", "", "", "2025-02-02", "3"),
    ),
}


def page(year: int) -> bytes:
    contexts, rows = [], []
    for at, (concept, member, start, end, value) in enumerate(FACTS[year]):
        of = f"<xbrldi:explicitMember dimension='x:Axis'>{member}</xbrldi:explicitMember>" if member else ""
        period = (
            f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
            if start
            else f"<xbrli:instant>{end}</xbrli:instant>"
        )
        contexts.append(
            f"<xbrli:context id='c{at}'><xbrli:entity><xbrli:identifier>1</xbrli:identifier><xbrli:segment>{of}"
            f"</xbrli:segment></xbrli:entity><xbrli:period>{period}</xbrli:period></xbrli:context>"
        )
        sign = " sign='-'" if value.startswith("(") else ""
        rows.append(
            f"<p>{concept}: {value[:1] if sign else ''}<ix:nonFraction name='us-gaap:{concept}' contextRef='c{at}' "
            f"unitRef='u' scale='6'{sign}>{value.strip('(')}</ix:nonFraction>{')' if sign else ''}</p>"
        )
    return (
        f"<div style='display:none'>{''.join(contexts)}<xbrli:unit id='u'><xbrli:measure>iso4217:USD"
        "</xbrli:measure></xbrli:unit></div><p><ix:nonNumeric name='dei:EntityRegistrantName' contextRef='c0'>"
        "Harrow Pumps, Inc.</ix:nonNumeric>, fiscal <ix:nonNumeric name='dei:DocumentFiscalYearFocus' "
        f"contextRef='c0'>{year}</ix:nonNumeric></p>{''.join(rows)}"
    ).encode()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[GraphFolder]:
    home = tmp_path_factory.mktemp("series")
    made, store = [], Store.open(Settings(home=home))
    for year in sorted(FACTS, reverse=True):
        made.append(GraphFolder(home / str(year)))
        made[-1].ingest(page(year), f"{year}.html", store)
        made[-1].extract()
    store.close()
    return made


@pytest.mark.parametrize(
    ("question", "concept", "values", "missing"),
    [
        ("How did Harrow's revenues grow?", "Revenues", {2022: 390, 2023: 412, 2024: 451}, ()),
        ("What was the revenue of Harrow Pumps in fiscal 2023?", "Revenues", {2023: 412}, ()),
        ("revenue since 2021", "Revenues", {2022: 390, 2023: 412, 2024: 451}, (2021,)),
        ("revenue from 2023 to 2025", "Revenues", {2023: 412, 2024: 451}, (2025,)),
        ("pump service revenue", "Revenues (Pump Service)", {2024: 51}, ()),
        ("cost of revenue", "Cost Of Revenue", {2024: 300}, ()),
        ("net income", "Net Income Loss", {2024: -12}, ()),
        ("inventory", "Inventory Net", {2024: 77}, ()),
        ("long term debt", "Long Term Debt", {2024: 7}, ()),
    ],
)
def test_a_question_is_answered_by_the_metric_that_it_names(
    question: str, concept: str, values: dict[int, int], missing: tuple[int, ...], folders: list[GraphFolder]
) -> None:
    found = find_series(question, folders)
    assert found.name == f"Harrow Pumps, Inc.: {concept}"
    assert {year: int(point.value / 10**6) for year, point in found.points.items()} == values
    assert found.missing == missing
    for point in found.points.values():
        folder = next(each for each in folders if each.ingested.source == point.source)
        assert folder.filing().text[point.triple.start : point.triple.end] == point.triple.quote
    table = series_table(found)
    assert len(table.rows) == len(values)
    assert all(str(year) in table.note for year in missing)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("sales of Harrow", "No metric is .* The nearest: none"),
        ("service revenue", "No metric is .*Revenues"),
        ("income", "No metric is .*Net Income Loss"),
        ("debt", "No metric is .*Long Term Debt"),
        ("revenue in 2019", "No metric is .*Revenues"),
        ("weather", "No metric is"),
    ],
)
def test_what_no_metric_is_called_is_not_answered(
    question: str, message: str, folders: list[GraphFolder]
) -> None:
    with pytest.raises(ConfigError, match=message):
        find_series(question, folders)


def test_the_metrics_of_two_companies_are_not_confused(folders: list[GraphFolder], tmp_path: Path) -> None:
    other, store = GraphFolder(tmp_path / "demo"), Store.open(Settings(home=tmp_path))
    other.ingest(DEMO.read_bytes(), "demo.html", store)
    store.close()
    other.extract()
    assert len(series_of([other])) > 20
    with pytest.raises(ConfigError, match="Several metrics are"):
        find_series("revenue", [*folders, other])
    assert find_series("revenue of Brennock Water", [*folders, other]).head.startswith("Brennock")


def test_the_command_prints_a_table_with_sealed_places(folders: list[GraphFolder]) -> None:
    paths = [str(each.path) for each in folders]
    home = {"VERIFAIBLE_HOME": str(folders[0].path.parent)}
    done = run_command(["kg", "ask", "revenue since 2023", *paths], environment=home, folder=Path(paths[0]))
    assert (done.returncode, "+9.5 %" in done.stdout, "2024 (to 2025-02-02)" in done.stdout) == (
        0,
        True,
        True,
    )
    assert folders[0].ingested.source.capture[:16] in done.stdout
    told = run_command(["kg", "ask", "revenue", *paths, "--json"], environment=home, folder=Path(paths[0]))
    assert [row["cells"][1]["value"] for row in json.loads(told.stdout)["rows"]] == [390e6, 412e6, 451e6]
    done = run_command(["kg", "ask", "weather", *paths], environment=home, folder=Path(paths[0]))
    assert (done.returncode, "No metric is" in done.stderr) == (2, True)
