"""The pages of the viewer: lists, search, one citation; nothing hostile gets through."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import get_args
from urllib.parse import parse_qs, urlsplit

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.unit.evidence.samples import NOW, TILE, add, check, draft_of, evidence, material
from verifaible.config import Settings
from verifaible.crypto.chat.conversations import TurnEnded
from verifaible.errors import AnchorNotFound, StoreError
from verifaible.kg.triples import Ungrounded
from verifaible.schema.analyst import FaultCode, SourceKind
from verifaible.schema.check import Check, Verdict
from verifaible.schema.citation import CaptureRef, Match, WebMode
from verifaible.schema.judged import Outcome
from verifaible.schema.run import EndedBy
from verifaible.schema.verdict import Operation
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store
from verifaible.text.flat import folded as fold
from verifaible.viewer.app import create_app
from verifaible.viewer.claims import CHECKS
from verifaible.viewer.passages import Held
from verifaible.viewer.text import pieces, size

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{ 7*7 }}"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture
def client(store: Store, tmp_path: Path) -> Iterator[TestClient]:
    settings = Settings(home=tmp_path, store=store.location)
    with TestClient(create_app(settings), base_url="http://localhost", follow_redirects=False) as opened:
        yield opened


def several(store: Store, count: int) -> list[str]:
    """Citations of one capture, a second apart; the ids, newest first."""
    first = material(store, "Claim 0")
    capture: CaptureRef = first["draft"].capture
    made = [store.add(**first).id]
    for number in range(1, count):
        draft = draft_of(evidence(), capture, f"Claim {number}", first["draft"].request.quote)
        later = draft.model_copy(update={"created_at": NOW + timedelta(seconds=number // 2)})
        made.append(store.add(later, capture=None, tiles=(TILE,)).id)
    newest_first = store.rows(newest_first=True)
    assert {row.id for row in newest_first} == set(made)
    return [row.id for row in newest_first]


def soup(client: TestClient, path: str, **headers: str) -> BeautifulSoup:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return BeautifulSoup(answer.text, "lxml")


def listed(page: BeautifulSoup) -> list[str]:
    return [str(link["href"]).rpartition("/")[2] for link in page.select(".card h3 a")]


# --- lists and search


def test_an_empty_store_says_how_to_begin(client: TestClient) -> None:
    page = soup(client, "/")
    shown = [block.text for block in page.select("pre")]
    assert any(text.startswith("verifaible cite") for text in shown)
    assert any(text.startswith("python -m verifaible.bench") for text in shown)
    assert soup(client, "/citations").select(".card") == []


def test_the_list_pages_through_everything_once(client: TestClient, store: Store) -> None:
    expected = several(store, 120)
    path, found, pages = "/citations", [], 0
    while path:
        page = soup(client, path)
        found += listed(page)
        pages += 1
        following = page.select_one("a[rel=next]")
        path = str(following["href"]) if following else ""
    assert found == expected
    assert pages == 3


def test_the_first_page_has_the_newest(client: TestClient, store: Store) -> None:
    newest = several(store, 15)
    assert listed(soup(client, "/")) == newest[:10]


def test_search_finds_chinese_without_word_breaks_and_marks_it(client: TestClient, store: Store) -> None:
    wanted = add(
        store, "2025年末全国人口总量", quote="全国人口总量为 140489 万人", body="全国人口总量为 140489 万人"
    )
    add(store, "Another claim")
    page = soup(client, "/citations?q=人口总量 140489万人")
    assert listed(page) == [wanted.id]
    assert [mark.text for mark in page.select(".card mark")] == ["人口总量", "人口总量", "140489 万人"]
    search = page.select_one("header input[type=search]")
    assert search is not None
    assert search["value"] == "人口总量 140489万人"


def test_a_claim_that_is_the_quote_is_shown_once(client: TestClient, store: Store) -> None:
    add(store, "It was 5.4 percent.", quote="It was 5.4\u00a0percent.")
    assert soup(client, "/citations").select(".card .around") == []


def test_search_looks_at_claims_quotes_titles_and_addresses(client: TestClient, store: Store) -> None:
    one = add(store, "The ALPHA rate", url="https://beta.example/gamma", title="Delta notes")
    add(store, "Another", quote="It was 4.1% in March.")
    for words in ("alpha", "5.33%", "BETA.example", "delta NOTES", "alpha delta gamma"):
        assert listed(soup(client, f"/citations?q={words.replace('%', '%25')}")) == [one.id], words
    assert listed(soup(client, "/citations?q=alpha epsilon")) == []


def test_filters_go_together_and_stay_in_the_links(client: TestClient, store: Store) -> None:
    made = [add(store, f"Claim {number}") for number in range(3)]
    store.add_check(check(made[1], "gone"))
    page = soup(client, "/citations?verdict=gone&type=text")
    assert listed(page) == [made[1].id]
    assert listed(soup(client, "/citations?verdict=gone&type=table")) == []
    chosen = {str(each["value"]) for each in page.select("select option[selected]")}
    assert chosen == {"gone", "text"}
    later = soup(client, f"/citations?verdict=gone&type=text&after={made[2].id}")
    (newest,) = later.select("nav.pages a")
    assert parse_qs(urlsplit(str(newest["href"])).query) == {"verdict": ["gone"], "type": ["text"]}


@pytest.mark.parametrize(
    "query", ["after=nothing", "type=nonsense", "verdict=%00", "q=%25_%5C", "q=" + "x" * 5000, "after=%F0%9F"]
)
def test_strange_queries_give_a_page(client: TestClient, store: Store, query: str) -> None:
    add(store)
    assert client.get(f"/citations?{query}").status_code == 200


# --- one citation


def test_a_citation_shows_its_evidence_and_its_proof(client: TestClient, store: Store) -> None:
    citation = add(store, "The rate of February", check=None)
    store.add_check(check(citation, "changed"))
    page = soup(client, f"/citations/{citation.id}")
    assert page.select_one("h1").text == "The rate of February"  # type: ignore[union-attr]
    assert page.select_one("blockquote mark").text == citation.anchor.text  # type: ignore[union-attr]
    text = page.get_text(" ", strip=True)
    assert citation.capture.sha256 in text
    assert re.search(r"Entry of the custody log \d+ ", text)
    assert [
        row.select("td")[1].get_text(" ", strip=True) for row in page.select("#history ~ table tbody tr")
    ] == ["≠ changed"]
    link = page.select_one("header.evidence a[target=_blank]")
    assert link is not None
    assert (link["href"], link["rel"]) == (
        "https://statistics.example/release#:~:text=The%20rate%20was%205.33%25%20in%20February.",
        ["noopener", "noreferrer"],
    )
    assert page.select_one(".around-evidence mark").text == citation.anchor.text  # type: ignore[union-attr]
    assert page.select_one(f"a[href='/captured/{citation.id}/text#evidence']") is not None


def test_a_quote_is_marked_in_its_sentence(client: TestClient, store: Store) -> None:
    page = {"quote": "The rate was 5.33%", "body": "One. Mark: the rate was 5.33% in May. Two."}
    made = store.add(**material(store, **page))
    quote = soup(client, f"/citations/{made.id}").select_one("blockquote")
    assert quote is not None
    assert quote.decode_contents() == "Mark: <mark>the rate was 5.33%</mark> in May."


def test_the_text_that_was_read_is_shown_escaped_with_the_evidence_marked(
    client: TestClient, store: Store
) -> None:
    body = "Once: <b onclick=x>The rate</b> &amp;\nTwice: it was 5.33% in May.\nEnd."
    citation = store.add(**material(store, quote="it was 5.33% in May.", body=body))
    page = client.get(f"/captured/{citation.id}/text")
    shown = BeautifulSoup(page.text, "lxml")
    assert shown.body is not None
    assert shown.body.get_text() == body
    assert [mark.text for mark in shown.select("mark#evidence")] == [citation.anchor.text]
    assert not shown.select("b")
    # What was read in another way than now (readings beside their characters) is not marked at a wrong place.
    odd = citation.anchor.model_copy(update={"start": 4, "end": 12})
    other = material(store, "Other", quote="it was 5.33% in May.", body=body)
    kept = store.add(**{**other, "draft": other["draft"].model_copy(update={"anchor": odd})})
    assert "<mark" not in client.get(f"/captured/{kept.id}/text").text


def test_the_beginning_of_an_id_is_enough_and_an_unknown_one_says_so(
    client: TestClient, store: Store
) -> None:
    citation = add(store)
    assert soup(client, f"/citations/{citation.id[:8]}").select_one("article") is not None
    answer = client.get("/citations/0123456789")
    assert answer.status_code == 404
    assert "No citation 0123456789" in answer.text


def test_a_damaged_capture_is_told_and_the_rest_goes_on(client: TestClient, store: Store) -> None:
    broken, whole = add(store, "Broken"), add(store, "Whole", quote="Another sentence stands here.")
    path = Path(store.location) / capture_file(broken.capture.sha256)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    answer = client.get(f"/citations/{broken.id}")
    assert answer.status_code == 500
    assert "Restore it from a copy" in answer.text
    assert listed(soup(client, "/citations")) == [row.id for row in store.rows(newest_first=True)]
    assert client.get(f"/citations/{whole.id}").status_code == 200


def test_the_history_grows_while_the_page_is_kept(client: TestClient, store: Store) -> None:
    citation = add(store)
    assert soup(client, f"/citations/{citation.id}").select("#history ~ table tbody tr") == []
    client.post(f"/citations/{citation.id}/verify")
    assert len(soup(client, f"/citations/{citation.id}").select("#history ~ table tbody tr")) == 1


# --- making one


def test_a_link_fills_the_form_in_and_makes_nothing(client: TestClient, store: Store) -> None:
    page = soup(client, f"/cite?url=https://a.example/x&quote={HOSTILE.replace('&', '%26')}")
    assert page.select_one("#quote").text == HOSTILE  # type: ignore[union-attr]
    assert "javascript:open('http://localhost/cite?url='" in page.pre.text  # type: ignore[union-attr]
    assert_fit_for_the_policy(page)
    assert store.count() == 0


def test_the_button_makes_a_citation_or_says_why_not(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, asked = add(store), []

    async def cite(_: object, url: str, **more: str) -> object:
        asked.append((url, more))
        if "wrong" in more["quote"]:
            raise AnchorNotFound("The page says: The rate was 5.33%.")
        return made

    monkeypatch.setattr("verifaible.client.Verifaible.cite", cite)
    given = {"url": " https://a.example/x ", "quote": "The rate", "claim": "c"}
    answer = client.post("/cite", data=given)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/citations/{made.id}")
    assert asked == [("https://a.example/x", {"quote": "The rate", "claim": "c", "near": ""})]
    refused = client.post("/cite", data={**given, "quote": "wrong <words>"})
    assert refused.status_code == 422
    page = BeautifulSoup(refused.text, "lxml")
    assert "No citation was made. The page says: The rate was 5.33%." in page.select_one("[role=alert]").text  # type: ignore[union-attr]
    assert page.select_one("#quote").text == "wrong <words>"  # type: ignore[union-attr]
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        assert client.post("/cite", data=given, headers=headers).status_code == 403
    assert len(asked) == 2


# --- what is hostile


def test_hostile_texts_are_shown_and_nothing_else(client: TestClient, store: Store) -> None:
    citation = add(
        store,
        f"Claim {HOSTILE}",
        quote=f"Quote {HOSTILE}",
        body=f"Quote {HOSTILE}",
        url="https://h.example/?x=<script>",
        title=f"</title>{HOSTILE}",
    )
    for path in (
        "/",
        "/citations",
        "/citations?q=alert",
        f"/citations/{citation.id}",
        f"/citations/{citation.id}/beside",
    ):
        page = soup(client, path)
        assert_fit_for_the_policy(page)
        assert "alert(1)" in page.get_text()
        assert "{{ 7*7 }}" in page.get_text()


def test_an_address_that_is_no_web_page_is_no_link(client: TestClient, store: Store) -> None:
    citation = add(store, url="javascript:alert(1)//")
    page = soup(client, f"/citations/{citation.id}")
    assert [link["href"] for link in page.select("a[href]") if ":" in str(link["href"])] == []


def assert_fit_for_the_policy(page: BeautifulSoup) -> None:
    """Nothing inline, nothing from elsewhere: the policy would refuse it, so it would be missing."""
    for tag in page.find_all(True):
        assert not [name for name in tag.attrs if name == "style" or name.startswith("on")], tag
    for script in page.select("script"):
        assert str(script["src"]).startswith("/static/")
        assert script.text == ""
    assert page.select("style") == []
    for tag in page.select("[src], link[href], form[action], image[href]"):
        address = str(tag.get("src") or tag.get("href") or tag.get("action"))
        assert address.startswith("/"), tag


@given(st.text(max_size=600), st.lists(st.text(min_size=1, max_size=4), max_size=4))
def test_pieces_are_a_part_of_the_text_and_hits_are_what_was_looked_for(text: str, words: list[str]) -> None:
    folded = tuple(fold(word) for word in words)
    found = pieces(text, folded)
    assert "".join(piece.text for piece in found) == unicodedata.normalize("NFC", text)
    for piece in found:
        assert not piece.hit or any(word and word in fold(piece.text) for word in folded)


def test_sizes_for_people() -> None:
    assert [size(count) for count in (0, 1023, 1024, 200_000, 5_000_000)] == [
        "0 B",
        "1023 B",
        "1 KiB",
        "195 KiB",
        "4.8 MiB",
    ]


# --- words

_WORDS = re.compile(r"(\{\"[^{}]*\"\})\[([a-z_.]+)\]")
#: What a template chooses its words by, and every value that it may have.
CHOSEN: dict[str, object] = {
    "last.verdict": set(get_args(Verdict)) - {"verified"},
    "c.capture.match": get_args(Match),
    "s.source.kind": get_args(SourceKind),
    "fault.code": get_args(FaultCode),
    "d.operation": get_args(Operation),
    "r.ended_by": get_args(EndedBy),
    "info.web": get_args(WebMode),
    "info.gate": ("answer", "citation"),
    "check": CHECKS,
    "judged.claims_by": ("rules", "judge"),
    "d.end.reason": get_args(TurnEnded.model_fields["reason"].annotation),
}
#: The same of a macro's ``name``, ``held`` or ``why``.
CHOSEN_IN = {
    "parts.html": (
        get_args(Check.model_fields["kind"].annotation),
        set(get_args(Held)) - {"held", "unclaimed"},
        set(get_args(Ungrounded)) - {""},
    ),
    "judged_answer.html": get_args(Outcome),
}


def test_every_value_that_words_are_chosen_by_has_its_words() -> None:
    chosen = []
    for template in (files("verifaible.viewer") / "templates").iterdir():
        for said, by in _WORDS.findall(template.read_text(encoding="utf-8")):
            known = CHOSEN.get(by) or CHOSEN_IN[template.name]
            texts = ast.literal_eval(said)
            assert all(texts.values()), (template.name, by)
            all_of = known if isinstance(known, tuple) and isinstance(known[0], tuple) else (known,)
            assert set(texts) in [set(each) for each in all_of], (template.name, by)
            chosen.append(by)
    assert CHOSEN.keys() <= set(chosen)


def test_the_style_and_the_script_are_kept_by_their_content(client: TestClient) -> None:
    page = soup(client, "/")
    for tag, name in (("link[rel=stylesheet]", "href"), ("script", "src"), ("link[rel=icon]", "href")):
        found = page.select_one(tag)
        assert found is not None
        answer = client.get(str(found[name]))
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    assert client.get("/static/viewer.css").headers["cache-control"] == "no-cache"
    for missing in ("/static/none.css", "/static/..%2fapp.py", "/static/%2e%2e/app.py"):
        assert client.get(missing).status_code == 404


@pytest.mark.parametrize(
    "query", [" ".join(f"w{number}" for number in range(3000)), "x" * 50_000], ids=["words", "word"]
)
def test_a_search_that_is_too_long_says_so(client: TestClient, store: Store, query: str) -> None:
    add(store)
    answer = client.get("/citations", params={"q": query})
    assert answer.status_code == 400
    assert "The search is too long" in answer.text


def test_a_check_that_could_not_be_recorded_is_told(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    citation = add(store)

    def refuse(*_: object) -> None:
        raise StoreError("The store cannot be used.")

    monkeypatch.setattr(Store, "add_checks", refuse)
    with pytest.warns(UserWarning, match="not recorded"):
        answer = client.post(f"/citations/{citation.id}/verify")
    assert answer.status_code == 500
    assert "Result: verified." in answer.text
    assert "could not be added to the history" in answer.text


def test_a_check_of_the_latest_leads_to_the_citation_that_was_checked(
    client: TestClient, store: Store
) -> None:
    citation = add(store)
    answer = client.post("/citations/latest/verify")
    assert answer.headers["location"] == f"/citations/{citation.id}#history"


def test_nothing_here_is_said_once(client: TestClient) -> None:
    main = BeautifulSoup(client.get("/nothing").text, "lxml").select_one("main")
    assert main is not None
    assert "There is nothing here" in main.text
    assert "Not Found" not in main.text
