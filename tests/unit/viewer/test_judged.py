"""The pages of judged answers over real folders, a real store and its captures."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from tests.unit.viewer.judged_samples import (
    PAGE,
    RICH,
    judge_folder,
    judged_answer,
    passage_of,
    sample_judging,
    sources_in,
)
from verifaible.config import Settings
from verifaible.judge.folder import JudgeFolder
from verifaible.schema.analyst import Claim
from verifaible.schema.judged import JudgedClaim
from verifaible.schema.verdict import Verdict
from verifaible.viewer.app import create_app
from verifaible.viewer.claims import CHECKS, LOOKS, STATUSES, status_of
from verifaible.viewer.passages import WINDOW_CHARS


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample, which nobody changes."""
    home = tmp_path_factory.mktemp("sampled")
    sample_judging(Settings(home=home))
    return home


@pytest.fixture
def folder(settings: Settings, sampled: Path) -> JudgeFolder:
    shutil.copytree(sampled, settings.home, dirs_exist_ok=True)
    return JudgeFolder(settings.home / "judged" / RICH)


@pytest.fixture
def client(settings: Settings, folder: JudgeFolder) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as opened:
        yield opened


def address(page: str = "", run: str = RICH, **query: object) -> str:
    return f"/judged/{quote(run, safe='')}{page}" + (f"?{urlencode(query)}" if query else "")


def opened(client: TestClient, path: str, status: int = 200) -> BeautifulSoup:
    answer = client.get(path)
    assert answer.status_code == status, answer.text[:2000]
    return BeautifulSoup(answer.content, "lxml")


def words(element: object) -> str:
    return " ".join(element.get_text(" ").split())  # type: ignore[attr-defined]


def card(soup: BeautifulSoup, claim: str) -> Any:
    return soup.select_one(f"details.claim:has(#{claim})")


# --- statuses


def test_no_two_statuses_of_a_check_with_another_colour_share_a_sign() -> None:
    for check in CHECKS:
        signs = [LOOKS[status][1] for status in STATUSES[check]]
        assert len(signs) == len(set(signs))


@pytest.mark.parametrize(
    ("outcome", "said", "kind", "citations", "hallucination"),
    [
        ("supported", "", "number", "direct", "exact"),
        ("derived", "", "number", "derivable", "derivable"),
        ("not_found", "", "number", "incorrect", "fabricated"),
        ("contradicted", "7", "number", "incorrect", "contradiction"),
        ("open", "", "name", "undecided", "undecided"),
        ("supported", "", "opinion", "not_needed", "not_needed"),
    ],
)
def test_without_a_check_the_rules_say_the_status(
    outcome: Any, said: str, kind: Any, citations: str, hallucination: str
) -> None:
    found = Verdict(outcome=outcome, said=said)
    claim = Claim(id="c1", start=0, end=1, text="x", kind=kind)
    judged = JudgedClaim(answer="a", claim=claim, finding=found, anywhere=found)
    assert (status_of(judged, "citations"), status_of(judged, "hallucination")) == (citations, hallucination)


# --- lists


def test_runs_of_judging_are_listed_newest_first_page_by_page(client: TestClient, settings: Settings) -> None:
    for number in range(30):
        judge_folder(settings, f"20260101T0000{number:02d}Z-run", judge="")
    first = opened(client, "/judged")
    names = [words(each) for each in first.select("ol.cards h3")]
    assert names[0] == RICH
    assert len(names) == 25
    behind = first.select_one("nav.pages a[rel=next]")
    assert behind is not None
    rest = [words(each) for each in opened(client, str(behind["href"])).select("ol.cards h3")]
    assert len(rest) == 6
    assert sorted(names + rest, reverse=True) == names + rest
    assert "no model: rules only" in words(first.select("ol.cards li.card")[1])


def test_a_run_is_listed_with_its_claims_by_verdict(client: TestClient) -> None:
    line = words(opened(client, "/judged").select_one("ol.cards li"))
    for told in (
        "Judge: deepseek-v3.1",
        "✓ 3 direct",
        "✕ 2 refuted",
        "! 1 judge failed",
        "92 %",
        "answers: 3",
    ):
        assert told in line
    assert RICH in words(opened(client, "/").select_one("section[aria-labelledby=judged]"))


def test_a_damaged_run_says_so_and_hides_no_other(client: TestClient, settings: Settings) -> None:
    broken = judge_folder(settings, "20260301T000000Z-broken")
    (broken.path / "claims.jsonl").write_bytes(b'{"answer": 1}\n')
    (settings.judged_dir / "20260302T000000Z-torn").mkdir()
    (settings.judged_dir / "20260302T000000Z-torn" / "judge.json").write_bytes(b"{")
    (settings.judged_dir / "20260303T000000Z-empty").mkdir()
    lines = opened(client, "/judged").select("ol.cards li.card")
    assert [words(each.select_one("h3")) for each in lines] == [
        "20260302T000000Z-torn",
        "20260301T000000Z-broken",
        RICH,
    ]
    assert "damaged" in words(lines[0])
    assert "damaged" in words(lines[1])
    assert "damaged" in words(opened(client, address(run="20260301T000000Z-broken"), 500).main)


def test_no_run_at_all_says_how_to_make_one(tmp_path: Path) -> None:
    with TestClient(create_app(Settings(home=tmp_path)), base_url="http://127.0.0.1") as client:
        assert "python -m verifaible.judge run" in words(opened(client, "/judged").main)
        assert opened(client, "/").select_one("section[aria-labelledby=judged]") is None


@pytest.mark.parametrize("name", ["none", "%2e%2e", "%00", "a%2Fb", ".hidden"])
def test_only_what_is_listed_is_opened(client: TestClient, settings: Settings, name: str) -> None:
    (settings.judged_dir / ".hidden").mkdir()
    for page in ("", "/answers/a1", "/sources/x"):
        assert client.get(f"/judged/{name}{page}").status_code == 404, page


# --- one run


def test_the_answers_of_a_run_are_searched_and_filtered(client: TestClient) -> None:
    def found(**query: Any) -> list[str]:
        soup = opened(client, address(**query))
        return [str(each["href"]).rpartition("/")[2] for each in soup.select("#answers ol.cards h3 a")]

    assert found() == ["a1", "a2", "a3"]
    assert found(model="other-model") == ["a2", "a3"]
    assert found(tag="market") == ["a1", "a3"]
    assert found(has="incorrect") == ["a1"]
    assert found(has="direct") == ["a1", "a2"]
    assert found(q="比特币") == ["a2"]
    assert found(q="CRYPTO state") == ["a1"]
    assert found(q="nowhere") == []
    assert found(check="hallucination", has="fabricated") == ["a1?check=hallucination"]
    assert found(has="no-such-status", tag="", model="") == ["a1", "a2", "a3"]


def test_the_tables_are_those_that_the_report_wrote(client: TestClient, folder: JudgeFolder) -> None:
    cells = [{"text": "model"}, {"text": "<b>8.0</b>", "state": "figure", "level": 3}]
    table = {"name": "made", "title": "Made", "columns": ["Model", "All"], "rows": [{"cells": cells}]}
    (folder.path / "tables.json").write_text(json.dumps({"tables": [table]}))
    section = opened(client, address()).select_one("#made")
    assert section is not None
    assert words(section.select_one("td.heat-3")) == "<b>8.0</b>"
    folder.add_answer(judged_answer("a4", "New."))
    (folder.path / "answers.jsonl").touch()
    for said in ('{"tables": [{"name": 3}]}', "{", "[]"):
        soup = opened(client, address())
        assert soup.select_one("#made") is None
        assert "python -m verifaible.judge report" in words(soup.main)
        (folder.path / "tables.json").write_text(said)


def test_a_run_that_goes_on_is_read_again(client: TestClient, folder: JudgeFolder) -> None:
    assert len(opened(client, address()).select("#answers li.card")) == 3
    folder.add_answer(judged_answer("a4", "New.", query="Newest?"))
    assert len(opened(client, address()).select("#answers li.card")) == 4


# --- an answer


def test_each_claim_is_coloured_and_leads_to_its_card_and_back(client: TestClient) -> None:
    soup = opened(client, address("/answers/a1"))
    chips = soup.select("a.chip")
    assert len(chips) == 11
    for chip in chips:
        target = soup.select_one(str(chip["href"]))
        assert target is not None
        assert target.select_one(f"a[href='#{chip['id']}']") is not None
        assert target.parent is not None
        assert str(chip["aria-label"]).split(": ")[1] in words(target.parent.summary)
    tones = {str(each["href"]): each["class"][1] for each in chips}
    assert tones["#c1"] == "exact"
    assert tones["#c2"] == "derived"
    assert tones["#c3"] == "refuted"
    assert tones["#c4"] == "missing"
    assert tones["#c7"] == "failed"
    assert tones["#c8"] == "undecided"
    assert tones["#c9"] == "not_needed"
    assert tones["#c10"] == "not_judged"
    counts = words(soup.select_one(".verdict-counts"))
    assert counts == (
        "✓ 2 direct ∑ 1 derived ✕ 2 refuted ∅ 1 citation missing ? 1 undecided ! 1 judge failed "
        "○ 2 not judged – 1 no source needed"
    )


def test_the_other_check_is_chosen_in_the_address(client: TestClient) -> None:
    soup = opened(client, address("/answers/a1", check="hallucination"))
    assert words(soup.select_one(".switch [aria-current]")) == "Hallucination"
    assert soup.select_one("a.chip[href='#c3']")["class"][1] == "refuted"  # type: ignore[index]
    assert "contradicted" in words(card(soup, "c3").summary)
    assert "in no source" in words(card(soup, "c7").summary)
    assert "no source needed" in words(card(soup, "c9").summary)


def test_a_card_says_who_decided_and_shows_the_words_of_the_source(client: TestClient) -> None:
    soup = opened(client, address("/answers/a1"))
    exact = card(soup, "c1")
    assert words(exact.mark) == "Bitcoin trades at $97,000"
    assert "this morning" in words(exact.blockquote)
    assert "Decided by rules, without a model." in words(exact)
    assert "Characters 23–48 of the source" in words(exact)
    judged = words(card(soup, "c6"))
    assert "Decided by the judge." in judged
    assert "2 of 3 replies agree." in judged
    assert "JSON Pointer /tvl/1" in judged
    assert "Half a JSON object came." in words(card(soup, "c7"))
    assert "[9] (leads to no source)" in words(card(soup, "c8"))


def test_a_refuted_claim_shows_what_the_source_says(client: TestClient) -> None:
    refuted = card(opened(client, address("/answers/a1")), "c3")
    assert words(refuted.q) == "Spot ETFs took in $1.2 billion net."
    assert words(refuted.mark) == "Spot ETFs took in $1.2 billion net."


def test_a_derived_claim_shows_its_calculation_with_the_words_of_each_operand(client: TestClient) -> None:
    derived = card(opened(client, address("/answers/a1")), "c2")
    assert [words(row) for row in derived.select(".operands tr")] == [
        "Bitcoin a week ago 92,381 USD",
        "Bitcoin now 97,000 USD",
        "gives 4.999946… %",
    ]
    assert [words(each) for each in derived.select("mark")] == ["$92,381", "$97,000"]


def test_the_rubric_and_the_kinds_of_error_have_reasons_and_no_figure_where_none_was_given(
    client: TestClient,
) -> None:
    soup = opened(client, address("/answers/a1"))
    rubric = [words(row) for row in soup.select("section[aria-labelledby=rubric-name] tr")]
    assert rubric == [
        "Temporal relevance 8 / 10 Fresh figures.",
        "Data consistency 5.5 / 10 One figure is wrong.",
        "Depth no usable reply",
        "Relevance would not say",
    ]
    kinds = [words(row) for row in soup.select("section[aria-labelledby=taxonomy-name] tr")]
    assert [("present" in row, "absent" in row) for row in kinds] == [(False, True), (True, False)] * 3 + [
        (False, True)
    ]
    none = opened(client, address("/answers/a2"))
    assert "not judged" in words(none.select_one("section[aria-labelledby=rubric-name]"))


def test_an_empty_answer_and_its_fault_are_shown(client: TestClient) -> None:
    main = words(opened(client, address("/answers/a3")).main)
    assert "The answer of row 4 is empty." in main
    assert "The answer is empty." in main
    assert "The input gave no sources." in main
    assert "cannot be refuted" in main


def test_nothing_of_an_answer_runs(client: TestClient) -> None:
    for page in ("/answers/a1", ""):
        soup = opened(client, address(page))
        assert soup.title is not None
        assert "owned" not in words(soup.title)
        assert not soup.main.select("script, img, iframe, object, style")  # type: ignore[union-attr]
        assert not [
            each
            for each in soup.find_all(True)
            for name in each.attrs
            if name.startswith("on") or name == "style"
        ]
        assert all(
            str(each["href"]).startswith(("/", "#", "https://", "http://")) for each in soup.select("a[href]")
        )


def test_a_claim_whose_range_is_wrong_is_listed_below(client: TestClient, settings: Settings) -> None:
    folder = judge_folder(settings, "20260401T000000Z-wrong")
    for number, (start, end) in enumerate([(500, 900), (3, 3), (0, 0)], 1):
        claim = Claim(id=f"c{number}", start=start, end=end, text="Elsewhere.", kind="name")
        folder.add_claim(JudgedClaim(answer="a", claim=claim))
    folder.add_answer(judged_answer("a", "Short answer."))
    soup = opened(client, address("/answers/a", run=folder.path.name))
    assert sorted(str(each["id"]) for each in soup.select(".found")) == ["c1", "c2", "c3"]


# --- sources


def source_address(client: TestClient, claim: str = "c1", answer: str = "a1") -> str:
    found = card(opened(client, address(f"/answers/{answer}")), claim)
    return str(found.select_one(".passage a[href*='/sources/']")["href"]).partition("#")[0]


def test_a_source_has_the_words_marked_and_says_that_they_verify(client: TestClient) -> None:
    soup = opened(client, source_address(client))
    mark = soup.select_one("mark#evidence")
    assert mark is not None
    assert mark.get_text() == "Bitcoin trades at $97,000"
    assert "Verified now" in words(soup.main)
    proof = words(soup.select_one("section[aria-labelledby=proof-name]"))
    assert "answers.csv" in proof
    assert "That the site said so" in proof
    back = soup.find("a", string="Back to the claim")
    assert back is not None
    assert str(back["href"]).endswith("/answers/a1#c1")


def test_the_pointer_of_a_value_in_json_is_told(client: TestClient) -> None:
    soup = opened(client, source_address(client, "c5"))
    assert "/ethereum/usd_24h_change" in words(soup.main)
    assert soup.select_one("mark#evidence").get_text() == "-1.25"  # type: ignore[union-attr]
    assert "Ether <b>&amp;</b>" in soup.pre.get_text()  # type: ignore[union-attr]


def test_a_long_source_is_read_page_by_page_to_its_end(client: TestClient) -> None:
    soup = opened(client, source_address(client))
    read = soup.pre.get_text().rstrip("…")  # type: ignore[union-attr]
    assert PAGE.startswith(read)
    while (later := soup.select_one("a[rel=next]")) is not None:
        soup = opened(client, str(later["href"]))
        read += soup.pre.get_text().strip("…")  # type: ignore[union-attr]
    assert read == PAGE
    assert soup.select_one("a[rel=prev]") is not None
    assert len(PAGE) > 5 * WINDOW_CHARS


def test_a_changed_capture_is_a_fault_on_the_answer_and_on_the_source(
    client: TestClient, settings: Settings
) -> None:
    before = source_address(client)
    capture = before.split("/sources/")[1].split("?")[0]
    (file,) = Path(str(settings.store_location)).rglob(f"{capture}*")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.chmod(0o644)
    file.write_bytes(bytes(data))
    soup = opened(client, address("/answers/a1"))
    assert "do not re-verify in the store: 3" in words(soup.select_one("p.notice[role=alert]"))
    assert card(soup, "c1").has_attr("open")
    assert "was changed" in words(card(soup, "c1"))
    assert not card(soup, "c6").has_attr("open")
    source = words(opened(client, before).main)
    assert "The capture is gone or was changed." in source
    assert "Verified now" not in source


def test_other_words_at_the_place_are_a_fault(client: TestClient, settings: Settings) -> None:
    page, _ = sources_in(settings)
    folder = judge_folder(settings, "20260401T000000Z-moved")
    right = passage_of(page, PAGE, "$97,000")
    wrong = right.model_copy(update={"quote": "$79,000"})
    claim = Claim(id="c1", start=0, end=5, text="Price", kind="number", cites=("1",))
    folder.add_claim(
        JudgedClaim(answer="a", claim=claim, finding=Verdict(outcome="supported", passages=(wrong,)))
    )
    folder.add_answer(judged_answer("a", "Price is high.", (page,)))
    soup = opened(client, address("/answers/a", run=folder.path.name))
    assert "does not have these words" in words(card(soup, "c1"))
    link = str(card(soup, "c1").select_one(".passage a")["href"]).partition("#")[0]
    told = words(opened(client, link).main)
    assert "has other words at this place" in told
    assert "$79,000" in told


@pytest.mark.parametrize(
    "query",
    ["start=9999999&end=99999999", "start=-1&end=x", "start=50&end=10", "from=99999999", "start=²&from=१"],
)
def test_a_range_that_cannot_be_is_no_crash(client: TestClient, query: str) -> None:
    plain = source_address(client).partition("?")[0]
    assert "the capture is whole" in words(opened(client, f"{plain}?{query}").main)


def test_only_captures_of_the_run_are_shown(client: TestClient) -> None:
    assert client.get(address("/sources/" + "ab" * 32)).status_code == 404


def test_the_data_of_a_page_are_those_that_it_shows(client: TestClient) -> None:
    answers = client.get(address(".json", has="incorrect")).json()["answers"]
    assert [each["id"] for each in answers["items"]] == ["a1"] and answers["total"] == 1
    said = client.get(address("/answers/a1.json")).json()
    assert [each["status"] for each in said["cards"]][:4] == ["direct", "derivable", "incorrect", "missing"]
    assert said["cards"][0]["passages"][0]["passage"]["quote"] == "Bitcoin trades at $97,000"
    assert said["rubric"]["Temporal relevance"]["value"] == 8


@pytest.mark.parametrize("page", ["", "/answers/a1", "/answers/a1?check=hallucination", "/answers/a3"])
def test_every_page_has_one_heading_and_says_where_it_is(client: TestClient, page: str) -> None:
    soup = opened(client, address(page))
    assert soup.html["lang"] == "en"  # type: ignore[index]
    assert len(soup.select("h1")) == 1
    assert words(soup.select_one("header nav [aria-current]")) == "Judged answers"
