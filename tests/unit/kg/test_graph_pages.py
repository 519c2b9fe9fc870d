"""The pages of graphs over a small filing, a real store and its capture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from tests.unit.kg.small import SMALL, STATED, add_stated
from verifaible.config import Settings
from verifaible.kg.folder import GraphFolder
from verifaible.kg.graph import Merges
from verifaible.kg.triples import Triple
from verifaible.store.store import Store
from verifaible.viewer.app import create_app

COMPANY = "company/Brennock Water Technologies, Inc."
SCRIPT = "<script>alert('x')</script>"


@pytest.fixture
def folder(tmp_path: Path) -> GraphFolder:
    """A filing's graph, with what a model might add: a hostile name, and a triple without words."""
    made = GraphFolder(tmp_path / "graphs" / "demo & co")
    store = Store.open(Settings(home=tmp_path))
    try:
        made.ingest(SMALL.read_bytes(), "brennock.html", store)
    finally:
        store.close()
    made.extract()
    said = {"head": "Valves", "head_type": "product", "relation": "harms", "tail_type": "risk", "by": "x"}
    add_stated(made)
    made.run("model").replace(
        [
            Triple.model_validate({**said, "id": "1", "tail": SCRIPT, "ungrounded": "not_found"}),
            Triple.model_validate({**said, "id": "2", "tail": "rust", "quote": "other", "end": 5}),
        ]
    )
    return made


@pytest.fixture
def client(tmp_path: Path, folder: GraphFolder) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(home=tmp_path)), base_url="http://127.0.0.1") as opened:
        yield opened


def soup_of(client: TestClient, page: str, status: int = 200, **query: str) -> BeautifulSoup:
    address = f"/graphs/demo%20%26%20co{page}" + (f"?{urlencode(query)}" if query else "")
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    assert "unsafe" not in answer.headers["content-security-policy"]
    return BeautifulSoup(answer.text, "lxml")


def words(soup: BeautifulSoup, selector: str) -> str:
    found = soup.select_one(selector)
    assert found is not None, selector
    return " ".join(found.get_text().split())


def test_the_list_has_each_graph_and_says_which_is_damaged(
    client: TestClient, folder: GraphFolder, tmp_path: Path
) -> None:
    (tmp_path / "graphs" / "broken").mkdir()
    (tmp_path / "graphs" / "broken" / "filing.json").write_text("{")
    (tmp_path / "graphs" / "no graph").mkdir()
    soup = BeautifulSoup(client.get("/graphs").text, "lxml")
    assert [each.get_text() for each in soup.select("li.card h3")] == ["broken", "demo & co"]
    assert "has no filing" in words(soup, "li.card .fault")
    link = soup.select_one("li.card h3 a")
    assert link is not None and link["href"] == "/graphs/demo%20%26%20co"
    assert f"triples: {len(folder.triples())}" in words(soup, "li.card:nth-of-type(2)")


def test_the_list_names_a_changed_capture(client: TestClient, tmp_path: Path) -> None:
    (capture,) = tmp_path.rglob("captures/*.wacz")
    data = bytearray(capture.read_bytes())
    data[len(data) // 2] ^= 1
    capture.chmod(0o644)
    capture.write_bytes(data)
    soup = BeautifulSoup(client.get("/graphs").text, "lxml")
    assert capture.stem[:12] in words(soup, "li.card .fault")


def test_a_search_over_all_graphs(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "graphs" / "broken").mkdir()
    (tmp_path / "graphs" / "broken" / "filing.json").write_text("{")
    soup = BeautifulSoup(client.get("/graphs?q=BRENNOCK").text, "lxml")
    assert [each.get_text() for each in soup.select("li.card h3")] == ["demo & co"]
    links = soup.select("li.card ul.entities a")
    assert links[0].get_text() == COMPANY.partition("/")[2]
    assert len(links) > 1 and all("brennock" in each.get_text().lower() for each in links)
    assert all(client.get(str(each["href"])).status_code == 200 for each in links)
    many = BeautifulSoup(client.get("/graphs?q=e").text, "lxml").select("li.card ul.entities a")
    assert len(many) == 6 and client.get(str(many[-1]["href"])).status_code == 200
    assert "Nothing was found" in client.get("/graphs?q=nobody").text


def test_a_search_leads_to_an_entity_and_its_edges_to_the_sealed_words(client: TestClient) -> None:
    soup = soup_of(client, "", q="renneke TOBIAS")
    (found,) = soup.select("ul.entities li a")
    assert found.get_text() == "Tobias Renneke"
    entity = BeautifulSoup(client.get(str(found["href"])).text, "lxml")
    (edge,) = entity.select("ol.edges li a.sealed")
    source = BeautifulSoup(client.get(str(edge["href"])).text, "lxml")
    assert words(source, "mark#evidence") == "Tobias Renneke | 49 | Chief Financial Officer"
    assert words(source, ".sentence").startswith("| Tobias Renneke | 49 |")  # its row
    assert "just verified" in words(source, ".badge").lower() or "✓" in words(source, ".badge")
    assert words(source, "p.stated").startswith("Tobias Renneke holds position Chief Financial Officer")


def test_every_edge_opens_words_that_hold(client: TestClient, folder: GraphFolder) -> None:
    capture = folder.ingested.source.capture[:16]
    for name in ("xbrl", STATED):
        for triple in folder.run(name).triples:
            soup = soup_of(client, "/source", edge=f"{capture}/{name}/{triple.id}")
            assert soup.select_one(".badge.verified") is not None
            found = soup.select_one("mark#evidence")
            assert found is not None and found.get_text() == triple.quote


def test_words_that_do_not_hold_and_triples_without_words_are_told(
    client: TestClient, folder: GraphFolder
) -> None:
    capture = folder.ingested.source.capture[:16]
    changed = soup_of(client, "/source", edge=f"{capture}/model/2")
    assert changed.select_one("p.notice[role=alert]") is not None
    assert words(changed, "blockquote") == "other"
    without = soup_of(client, "/source", edge=f"{capture}/model/1")
    assert without.select_one("mark") is None and without.select_one(".badge.verified") is None
    assert "Ungrounded" in words(without, "p.notice")


def test_names_run_nowhere(client: TestClient) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("", {"q": "script"}),
        ("/entity", {"id": "product/Valves"}),
        ("/entity", {"id": f"risk/{SCRIPT}"}),
    ]
    for page, query in asked:
        soup = soup_of(client, page, **query)
        assert all(script.get("src") and not script.get_text() for script in soup.select("script"))
        assert SCRIPT in soup.get_text()


def test_each_end_of_an_edge_has_an_address(client: TestClient) -> None:
    soup = soup_of(client, "/entity", id=COMPANY, relation="owns")
    ends = {str(link["href"]) for name in soup.select("ol.edges bdi") for link in name.find_parents("a")}
    assert len(ends) > 1
    for address in ends:
        assert client.get(address).status_code == 200
    assert COMPANY not in {parse_qs(urlsplit(address).query)["id"][0] for address in ends}


def test_one_relation_alone_and_a_merge_that_shows_at_once(client: TestClient, folder: GraphFolder) -> None:
    soup = soup_of(client, "/entity", id=COMPANY, relation="owns")
    owned = [each for each in folder.triples() if each.relation == "owns"]
    assert len(soup.select("ol.edges li")) == len(owned) > 1
    merges = Merges(folder)
    merges.given("subsidiary", "Brennock Pumps LLC", "Brennock Valves Limited")
    soup_of(client, "/entity", 404, id="subsidiary/Brennock Pumps LLC")
    merged = soup_of(client, "/entity", id="subsidiary/Brennock Valves Limited")
    assert len(merged.select("ol.edges li")) == 4
    merges.undo("1")
    soup_of(client, "/entity", id="subsidiary/Brennock Pumps LLC")


def test_what_is_not_there_is_told(client: TestClient) -> None:
    assert client.get("/graphs/none").status_code == 404
    assert client.get("/graphs/..%2F..%2Fetc/entity").status_code == 404
    soup_of(client, "/entity", 404, id="company/Nobody")
    soup_of(client, "/source", 404, edge="x")
    assert "No" in words(soup_of(client, "", q="nobody at all"), "section.part")
