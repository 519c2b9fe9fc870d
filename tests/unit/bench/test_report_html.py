"""The page of a report: one file, nothing loaded, nothing of a model's making obeyed."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

from lxml import html

from tests.unit.bench.samples import info, result
from tests.unit.bench.test_summary import GLM, ORACLE
from verifaible.bench.pool import findings_of
from verifaible.bench.report import charts, page

HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>\x1b[31m\u202e{{7*7}}'


def parsed(text: str) -> Any:
    return html.document_fromstring(text)


def of(*trials: Any, **changes: Any) -> str:
    return page(findings_of(trials, info(*trials, **changes)))


def test_nothing_is_loaded_and_nothing_runs() -> None:
    text = of(*GLM, *ORACLE)
    tree = parsed(text)
    assert not tree.xpath("//script|//link|//iframe|//object|//embed|//img|//form|//@style|//@src")
    assert all(href.startswith("#") for href in tree.xpath("//@href"))
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    (style,) = tree.xpath("//style/text()")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
    assert "url(" not in style
    assert "@import" not in style


def test_hostile_text_is_shown_and_not_obeyed() -> None:
    trial = result(
        model=HOSTILE,
        category=HOSTILE,
        language=HOSTILE,
        difficulty=HOSTILE,
        score=0,
        failure="wrong_answer",
        verified_reasons=(HOSTILE,),
        error=HOSTILE,
        cost_usd=1.0,
        input_tokens=5,
    )
    text = of(trial, id=HOSTILE, version=HOSTILE)
    tree = parsed(text)
    assert not tree.xpath("//script|//img|//*[@onerror]")
    assert "\x1b" not in text
    assert "\u202e" not in text
    shown = " ".join(tree.text_content().split())
    assert "<script>alert(2)</script>" in shown
    assert "{{7*7}}" in shown
    assert "49" not in re.findall(r"\d+", tree.xpath("string(//h1)"))


def test_charts_can_be_heard_and_have_a_table() -> None:
    tree = parsed(of(*GLM, *ORACLE))
    drawings = tree.xpath("//figure/svg")
    assert drawings
    for drawing in drawings:
        assert drawing.get("role") == "img"
        labels = drawing.get("aria-labelledby").split()
        assert [drawing.xpath(f"./*[@id='{label}']")[0].tag for label in labels] == ["title", "desc"]
        assert drawing.getparent().getparent().xpath(".//table")
    ids = tree.xpath("//@id")
    assert len(set(ids)) == len(ids)
    assert all(tree.xpath(f"//*[@id='{link[1:]}']") for link in tree.xpath("//@href"))


def test_bars_are_as_long_as_their_figures() -> None:
    found = {chart.name: chart for chart in charts(findings_of((*GLM, *ORACLE), info(*GLM, *ORACLE)))}
    bars = {bar.label: bar for bar in found["average"].bars}
    assert [part.width for part in bars["z-ai/glm-5"].segments] == [70.0]
    assert bars["z-ai/glm-5"].whisker is not None
    assert bars["DeepSeek-R1 (published)"].segments[0].width == 51.4
    assert bars["DeepSeek-R1 (published)"].whisker is None
    for chart in found.values():
        for bar in chart.bars:
            assert all(0 <= part.x <= part.x + part.width <= 100.05 for part in bar.segments)
            assert bar.y < chart.height


def test_cells_of_the_matrix_are_coloured_by_their_scores() -> None:
    tree = parsed(of(result(case="a"), result(case="b", score=0), result(case="c", score=80)))
    cells = {row.xpath("string(th)"): row.xpath("td")[0] for row in tree.xpath("//*[@id='scores']//tbody/tr")}
    assert {case: cell.get("class") for case, cell in cells.items()} == {
        "a": "mark-full",
        "b": "mark-none",
        "c": "mark-part",
    }


def test_the_published_stand_apart() -> None:
    tree = parsed(of(*GLM))
    rows = tree.xpath("//*[@id='leaderboard']//tr[@class='theirs']/th")
    assert rows[0].text_content() == "GLM-5 (published)"
    assert len(rows) == 4


def test_long_lists_are_folded_and_cut() -> None:
    many = [result(case=f"c{at}", score=0, verified_reasons=("why",)) for at in range(250)]
    tree = parsed(of(*many))
    assert len(tree.xpath("//*[@id='not-verified']//li")) == 201
    assert "and 50 more" in tree.text_content()
    assert not tree.xpath("//details/@open")
