"""The page of an answer: everything is escaped, nothing is loaded, and every state can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.evidence.samples import QUOTE, add
from verifaible.answers.check import check
from verifaible.answers.page import answer_html, answer_page
from verifaible.answers.stored import StoredEvidence
from verifaible.config import Settings
from verifaible.errors import CitationNotFound
from verifaible.evidence.audit import record
from verifaible.store.store import Store

EVIL = '<img src=x onerror="alert(1)"><script>alert(2)</script>"\'&'


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store.open(Settings(home=tmp_path_factory.mktemp("home")))


class Nothing:
    """A source that has nothing."""

    def find(self, target: str) -> CitationNotFound:
        raise CitationNotFound(f"Nothing is {target}.")


def soup_of(page: str) -> BeautifulSoup:
    return BeautifulSoup(page, "html.parser")


def page_of(store: Store, text: str, numbers: dict[str, str], question: str = "") -> BeautifulSoup:
    source = StoredEvidence(store, numbers)
    checked = check(text, source, question=question)
    assert record(store, source.checks) == ""
    return soup_of(answer_page(checked, source.citations, store))


def test_page_shows_answer_states_and_evidence(store: Store) -> None:
    citation = add(store, "The rate in February")
    # six characters would be a number where they are digits
    text = f"It was **5.33%** [@v:1]. It was 5.34% [@v:{citation.id[:7]}]. It was 7%. See [@v:9]. Good.\n"
    page = page_of(store, text, {"1": citation.id}, "What was the rate?")
    said = page.get_text(" ", strip=True)
    assert page.h1 is not None
    assert page.h1.get_text() == "What was the rate?"
    assert "5 sentences: 1 supported, 1 not all in the evidence, 1 no evidence, 1 broken marker" in said
    marked = {
        str(each["class"][1]): each.get_text()
        for each in page.select(".answer .s")
        if each.get_text().strip()
    }
    assert set(marked) == {"supported", "partly", "unsupported", "broken", "no_facts"}
    assert page.select_one(".answer strong .s.supported") is not None
    links = page.select(".answer .m a")
    assert [(link["href"], link.get_text()) for link in links] == [(f"#e-{citation.id}", "1")] * 2
    assert page.find(id=f"e-{citation.id}") is not None
    assert "not in the evidence: 5.34%" in said
    # the evidence: claim, quote, verdict, link, hash
    for part in ("The rate in February", QUOTE, "verified", citation.capture.sha256):
        assert part in said
    assert page.select_one(f'a[href^="{citation.final_url}#:~:text="]') is not None
    assert page.select_one('image[href^="data:image/webp;base64,"]') is not None


def test_nothing_of_others_is_markup(store: Store) -> None:
    citation = add(
        store, EVIL, title=EVIL, quote="The rate was 6.1% <b>", body=f"{EVIL} The rate was 6.1% <b>"
    )
    text = (
        f"{EVIL} was 6.1% [@v:1]. [a](javascript:alert(1)) [b](data:text/html,x) ![c](https://a.example/x.png)\n\n"
        f"# {EVIL}\n\n| {EVIL} | [@v:1] |\n|-|-|\n| <svg onload=alert(1)> | `{EVIL}` [@v:{EVIL}] |\n\n"
        f'```{EVIL}\n{EVIL}\n```\n\n<https://a.example/?q=5> [x](https://a.example/ "{EVIL}")\n'
    )
    page = page_of(store, text, {"1": citation.id}, EVIL)
    assert_harmless(page)
    assert "javascript" not in " ".join(str(link.get("href")) for link in page.find_all("a"))
    assert EVIL in page.get_text()


def assert_harmless(page: BeautifulSoup) -> None:
    policy = page.find("meta", attrs={"http-equiv": "Content-Security-Policy"})
    assert isinstance(policy, Tag)
    assert "default-src 'none'" in str(policy["content"])
    assert "unsafe" not in str(policy["content"])
    for element in page.find_all(True):
        assert element.name not in ("script", "iframe", "object", "embed", "form", "link", "base", "img")
        for name, value in element.attrs.items():
            assert not name.startswith("on")
            assert name != "style"
            if name in ("href", "src", "xlink:href"):
                assert re.match(r"https?://|#|data:image/", str(value)), value


def test_capture_that_is_gone_is_said(store: Store) -> None:
    citation = add(store, "Gone soon", quote="It was 8.8%.", url="https://gone.example/")
    path = next(Path(str(store.location)).rglob(f"{citation.capture.sha256}.wacz"))
    path.unlink()
    page = page_of(store, "It was 8.8% [@v:1].", {"1": citation.id})
    assert "This citation does not count." in page.get_text()
    assert [str(each["class"]) for each in page.select(".answer .s")] == ["['s', 'broken']"] * 2


_PARTS = st.sampled_from(
    [
        *(
            "It rose 5%",
            ". ",
            "。",
            "\n",
            "\n\n",
            "- ",
            "1. ",
            "# ",
            "> ",
            "| a | b |\n|---|---|\n",
            "| 1 | 2 |\n",
        ),
        *("**", "*", "_", "`", "[@v:1]", "[", "](http://a.b)", "<b>", "&lt;", "\\", "~~", "![i](x)", "```\n"),
        *("\U00012470", "\U00012472\U00012473", "<http://a.b/[@v:2]>", "增长5%", "“", "”"),
    ]
)


@given(st.lists(_PARTS, max_size=25).map("".join))
def test_any_answer_is_well_formed_html(text: str) -> None:
    checked = check(text, Nothing())  # type: ignore[arg-type]
    html = answer_html(checked, {})
    assert str(BeautifulSoup(html, "html.parser")).count("<span") == html.count("<span")
    assert html.count("<span") == html.count("</span>")
    assert_no_tags_of_others(html)


def assert_no_tags_of_others(html: str) -> None:
    known = {
        *(
            "p",
            "ul",
            "ol",
            "li",
            "h3",
            "h4",
            "h5",
            "h6",
            "blockquote",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
        ),
        *("strong", "em", "code", "pre", "s", "a", "span", "sup", "br", "hr"),
    }
    assert {element.name for element in BeautifulSoup(html, "html.parser").find_all(True)} <= known
