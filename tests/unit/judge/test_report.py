"""The reports of a folder: everything is in them, nothing in them is obeyed, a rerun writes the same."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from tests.unit.judge import made as making
from tests.unit.judge.made import answer, claim, claims, derived, folder, passage
from verifaible.errors import RunError
from verifaible.judge import report as reports
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report import write_outputs
from verifaible.judge.results import read_results
from verifaible.runs.lines import DamagedLine
from verifaible.schema.analyst import InputFault, Source
from verifaible.schema.verdict import Verdict

HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>\x1b[31m\u202e{{7*7}}'


def items() -> list[making.Item]:
    evidence = Verdict(outcome="supported", passages=(passage("TVL is $4.9B"),), reason="It says so.")
    against = Verdict(outcome="contradicted", passages=(passage("$3.9B", start=40, end=45),), said="$3.9B")
    made = [
        claim("", 1, "direct", "exact", by="rules", anywhere=evidence),
        claim("", 2, "derivable", "derivable", anywhere=derived()),
        claim("", 3, "incorrect", "contradiction", anywhere=against, reason="Not 4.9."),
        claim("", 4, "missing", cites=()),
        claim("", 5, "failed", "abstain"),
        claim("", 6, "not_needed", cites=(), kind="opinion"),
    ]
    fault = InputFault(code="citation_missing", message="src_77 is not among the sources. Add it.")
    return [
        answer("m1", "q1", made, rubric=(8, 9, 7, 10), errors=(0,) * 7, faults=(fault,)),
        answer("m2", "q1", (), rubric=(6, "failed", 7, 8)),
    ]


@pytest.fixture
def judged(tmp_path: Path) -> JudgeFolder:
    return folder(tmp_path, items())


def parsed(path: Path) -> Any:
    return html.document_fromstring(path.read_text(encoding="utf-8"))


def test_a_damaged_line_of_a_claim_costs_that_claim_and_is_told(judged: JudgeFolder) -> None:
    path = judged.path / "claims.jsonl"
    first, *others = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first[:30] + b"\n" + b"".join(others))
    with pytest.warns(DamagedLine, match=r"Line 1 of .*claims\.jsonl"):
        write_outputs(judged)
    assert "1 claims are in no figure" in (judged.path / "report.md").read_text(encoding="utf-8")


def test_every_file_is_written(judged: JudgeFolder) -> None:
    names = {path.name for path in write_outputs(judged)}
    assert {
        "report.html",
        "report.md",
        "tables.json",
        "answers.csv",
        "claims.csv",
    } == names
    assert {path.name for path in judged.path.iterdir()} == {
        *(*names, "answers.jsonl", "claims.jsonl", "judge.json")
    }


def test_a_rerun_writes_the_same_bytes(judged: JudgeFolder) -> None:
    first = {path.name: path.read_bytes() for path in write_outputs(judged)}
    assert {path.name: path.read_bytes() for path in write_outputs(judged)} == first


def test_nothing_is_loaded_and_nothing_runs(judged: JudgeFolder) -> None:
    tree = parsed(write_outputs(judged)[0])
    assert not tree.xpath("//script|//link|//iframe|//object|//embed|//img|//form|//@style|//@src")
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    (style,) = tree.xpath("//style/text()")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "url(" not in style
    assert "@import" not in style
    ids = tree.xpath("//@id")
    assert len(set(ids)) == len(ids)
    assert all(tree.xpath(f"//*[@id='{link[1:]}']") for link in tree.xpath("//@href[starts-with(., '#')]"))


def test_hostile_text_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    finding = Verdict(
        outcome="contradicted", passages=(passage(HOSTILE, file=HOSTILE),), said=HOSTILE, reason=HOSTILE
    )
    rows = [claim("", 1, "incorrect", "contradiction", text=HOSTILE, anywhere=finding, reason=HOSTILE)]
    rows.append(claim("", 2, "failed", text=HOSTILE, broken=(HOSTILE,)))
    source = Source(id="src_1", kind="page", url="javascript:alert(1)", title=HOSTILE, capture="ab" * 32)
    fault = InputFault(code="encoding", message=HOSTILE)
    whole = answer(HOSTILE, HOSTILE, rows, tags=(HOSTILE,), sources=(source,), faults=(fault,))
    page, markdown, *_ = write_outputs(
        folder(tmp_path, [whole], judge=HOSTILE, input=f"x/{HOSTILE}", version=HOSTILE)
    )
    tree = parsed(page)
    assert not tree.xpath("//script|//img|//*[@onerror]")
    assert not [link for link in tree.xpath("//@href") if "javascript" in link]
    for text in (page.read_text(), markdown.read_text()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<script>" not in markdown.read_text()
    assert "{{7*7}}" in tree.text_content()


def test_each_claim_has_its_verdicts_and_its_evidence(judged: JudgeFolder) -> None:
    tree = parsed(write_outputs(judged)[0])
    text = [" ".join(each.text_content().split()) for each in tree.xpath("//ol[@class='claims']/li")]
    assert len(text) == 6
    assert "sources: exact by rules" in text[0]
    assert "percent_change(TVL before 4.0 USD, TVL now 4.9 USD) = 22.5 %" in text[1]
    assert "citation: incorrect by the judge · Not 4.9." in text[2]
    assert "the source says: $3.9B" in text[2]
    assert "evidence/source.txt 40–45" in text[2]
    assert f"SHA-256 {making.CAPTURE}" in text[2]
    assert "failed: half a JSON" in text[4]
    assert "citation: not needed" in text[5]
    whole = " ".join(tree.text_content().split())
    assert "does not prove that the server told the truth" in whole
    assert "src_77 is not among the sources" in whole
    assert "16 replies, new or from the cache" in whole


def test_every_figure_of_the_heat_map_is_a_number_too(judged: JudgeFolder) -> None:
    tree = parsed(write_outputs(judged)[0])
    coloured = tree.xpath("//section[@id='heat-map']//td[contains(@class, 'heat-')]")
    assert coloured
    assert all(cell.text_content()[0].isdigit() for cell in coloured)


def test_what_a_reader_must_know_first(tmp_path: Path) -> None:
    unknown = answer("m1", "q", claims(["not_judged/not_judged"]), sources_known=False)
    made = folder(tmp_path, [unknown], finished_at=None, judge="")
    made.add_claim(claim("gone", 1, "direct"))
    told = " ".join(reports.warnings(read_results(made)))
    for words in ("did not end", "sources are not known", "without all their claims"):
        assert words in told
    assert "no judge: rules alone" in " ".join(reports.made_of(read_results(made)))
    assert "No answer was judged." in reports.warnings(read_results(folder(tmp_path / "none", [])))


def test_json_has_what_the_page_has(judged: JudgeFolder) -> None:
    write_outputs(judged)
    found = json.loads((judged.path / "tables.json").read_text())
    page = " ".join(parsed(judged.path / "report.html").text_content().split())
    markdown = (judged.path / "report.md").read_text()
    for table in found["tables"]:
        assert table["title"] in page
        assert table["title"] in markdown
        for row in table["rows"]:
            for cell in row["cells"]:
                assert " ".join(cell["text"].split()) in page
    assert found["answers"][0]["citations"]["counts"]["direct"] == 1
    assert found["failures"] == [
        {"fault": "half a JSON", "count": 1},
        {"fault": "prose instead of JSON", "count": 1},
    ]


def test_what_a_page_has_no_room_for_is_told(tmp_path: Path) -> None:
    many = [answer("m", f"q{at}", claims(["direct/exact"] * 350)) for at in range(20)]
    tree = parsed(write_outputs(folder(tmp_path, many))[0])
    assert len(tree.xpath("//ol[@class='claims']/li")) == reports.MAX_CLAIMS
    text = " ".join(tree.text_content().split())
    assert "and 150 more claims of this answer" in text
    assert "and 11 more answers" in text


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError):
        write_outputs(JudgeFolder(tmp_path))
