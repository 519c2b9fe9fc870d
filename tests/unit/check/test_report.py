"""Every output of a checked text: coverage first, the same bytes, and nothing of others obeyed."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
from bs4 import BeautifulSoup
from rich.console import Console

from tests.unit.check.samples import SOURCES, TEXT, checked, claimed, passage, sample
from tests.unit.check.sarif_parts import SCHEMA
from verifaible.check import report as outputs
from verifaible.errors import RunError
from verifaible.schema.checked import CLAIM_VERDICTS, Checked, CheckedSource, ClaimVerdict, Nearest

COVERAGE = "10 claims: 5 checked, 2 wrong, 5 open (1 not checked, 3 with no source that could be read, 1 without a source)."
ADVICE = (
    "1 claim was read beside the source but not decided by rules. A model decides: "
    "verifaible check report.md --judge MODEL"
)
EVIL = "</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) @all {0} | \u202e `code`"


def evil() -> Checked:
    """A text, a source and findings that try to be more than words."""
    text = f"The value is 5 {EVIL}.\n"
    source = CheckedSource(id="s", url="javascript:alert(1)", title=EVIL, state="read", label=EVIL)
    claim = claimed(
        text.strip(),
        "contradicted",
        text=text,
        cites=("s",),
        passages=(passage(EVIL, "s"),),
        sentences=(f"Before {EVIL} after",),
        said=EVIL,
        reason=EVIL,
        nearest=Nearest(passage=passage(EVIL, "s"), share=0.5),
    )
    return checked(text, (claim,), sources=(source,), name=EVIL, title=EVIL, faults=(EVIL,), judge=EVIL)


def page_of(record: Checked) -> BeautifulSoup:
    return BeautifulSoup(outputs.rendered(record, "html"), "html.parser")


def log_of(record: Checked) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(outputs.rendered(record, "sarif"))
    jsonschema.Draft202012Validator(SCHEMA).validate(log)
    return log


def on_screen(record: Checked) -> list[str]:
    console = Console(width=100, height=40, file=io.StringIO())
    console.print(outputs.terminal(record))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("format", get_args(outputs.Format))
def test_the_same_record_gives_the_same_bytes_with_coverage(format: outputs.Format, tmp_path: Path) -> None:
    out = tmp_path / f"report.{format}"
    outputs.write(sample(), out, format)
    again = Checked.model_validate(sample().model_dump())
    assert out.read_bytes() == outputs.rendered(again, format).encode()
    assert COVERAGE in out.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be written"):
        outputs.write(sample(), tmp_path / "none" / "report.html", "html")


def test_json_is_the_record() -> None:
    data = json.loads(outputs.rendered(sample(), "json"))
    told = data.pop("coverage")
    assert Checked.model_validate(data) == sample()
    assert (told["compared"], told["checkable"], told["words"]) == (5, 10, COVERAGE)
    assert set(told["verdicts"]) == set(CLAIM_VERDICTS)


def test_markdown_says_coverage_first_then_what_to_look_at_worst_first() -> None:
    text = outputs.rendered(sample(), "md")
    order = [
        COVERAGE,
        "| ✕ contradicted | 1 |",
        "**✕ contradicted** (report.md:14:3)",
        "Asia: 17.1",
        "**≠",
        "**⊘",
        "**?",
    ]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert "  - source: gone (status 404): The server says: Not Found." in text
    assert "✓ supported**" not in text


def test_a_comment_stays_below_what_code_hosts_take() -> None:
    many = tuple(claimed(TEXT, "undecided", reason="&" * 5000, said="&" * 5000) for _ in range(500))
    record = checked(claims=many, sources=SOURCES * 200, faults=("&" * 999,) * 99, title="&" * 999)
    text = outputs.rendered(record, "md")
    assert len(text) < 65_536
    assert text.count(" more.") == 3


def test_screen_has_coverage_counts_worst_findings_and_unread_sources() -> None:
    lines = on_screen(sample())
    assert lines[1].startswith("10 claims: 5 checked, 2 wrong, 5 open")
    shown = "\n".join(lines)
    assert shown.index("14:3") < shown.index("4:31") < shown.index("7:3")
    assert "the source says: Asia: 17.1" in shown
    assert "https://no-such-host.invalid/a" in shown
    assert ADVICE in " ".join(shown.split())


def test_what_decides_the_open_claims_is_said_once_and_not_where_a_model_was_asked() -> None:
    for format in ("html", "md"):
        assert outputs.rendered(sample(), format).count("--judge MODEL") == 1
        asked = sample().model_copy(update={"judge": "some/model"})
        assert "--judge MODEL" not in outputs.rendered(asked, format)


def test_screen_holds_however_much_was_found() -> None:
    claims = tuple(
        claimed("Europe", verdict, said="w " * 300) for verdict in CLAIM_VERDICTS for _ in range(60)
    )
    lines = on_screen(checked(claims=claims, sources=SOURCES * 20, faults=("f" * 300,) * 9, title="t " * 300))
    assert 30 <= len(lines) < 40
    assert max(map(len, lines)) <= 100
    assert any("more; --out report.html" in line for line in lines)


def test_page_shows_every_claim_where_it_stands_with_its_evidence() -> None:
    page, record = page_of(sample()), sample()
    for number, claim in enumerate(record.claims, 1):
        flag = page.select_one(f'.said a[href="#c{number}"]')
        card = page.select_one(f".card:has(#c{number})")
        assert flag is not None
        assert card is not None
        assert claim.verdict in flag["class"] and claim.verdict in card["class"]
        assert flag.find_parent(class_="row") is card.find_parent(class_="row")
    altered = page.select_one(".card.altered")
    assert altered is not None
    assert altered.mark is not None and altered.mark.get_text() == "expects to renew its fleet by 2029"
    assert "Northwind expects to renew its fleet by 2029, said Ms Aalto." in altered.get_text()
    assert [(each.name, each.get_text().strip()) for each in altered.select(".diff > *")] == [
        ("del", "double"),
        ("ins", "renew"),
        ("del", "2027"),
        ("ins", "2029"),
    ]
    table = page.select_one(".card.contradicted table.cited")
    assert table is not None
    assert [each.get_text() for each in table.select("th")] == ["Region", "Revenue", "Margin"]
    assert [each.get_text() for each in table.select("td.cell")] == ["17.1"]
    for each in page.select(".fixed"):  # hashes and offsets
        assert each.find_parent("details", class_="details") is not None
    calculated = page.select_one(".card.calculated")
    assert calculated is not None
    assert all(each in calculated.get_text() for each in (") = 17.6 %", "revenue 2024: 41.0 million USD"))
    assert [li.get("id") for li in page.select(".sources > li")] == ["s1", "s2", "s3", "s4", "s5"]


def test_claims_that_overlap_share_the_colour_of_the_worst_and_keep_their_flags() -> None:
    text = "The company opened offices in Oslo, Lima and Accra in May.\n"
    verdicts: dict[str, ClaimVerdict] = {"Oslo": "supported", "Lima": "contradicted", "Accra": "undecided"}
    claims = tuple(
        claimed(text.strip() if city == "Oslo" else city, verdict, text=text)
        for city, verdict in verdicts.items()
    )
    page = page_of(checked(text, claims))
    assert {" ".join(each["class"]) for each in page.select(".s")} == {"s contradicted"}
    assert [each["href"] for each in page.select(".said .flag")] == ["#c1", "#c2", "#c3"]


def test_words_of_others_are_nothing_but_words() -> None:
    page = page_of(evil())
    assert not page.select("img, script, iframe, [onerror], [style]")
    assert all(str(each["href"]).startswith(("#", "http")) for each in page.select("[href]"))
    assert "\u202e" not in page.select(".card")[0].get_text()
    text = outputs.rendered(evil(), "md")
    assert not any(each in text for each in ("<img", "@all", "](java", " `code`"))
    for result in log_of(evil())["runs"][0]["results"]:
        assert "{0}" not in result["message"]["text"].replace("{{0}}", "")
        assert "](" not in result["message"]["text"]
    assert not any("\u202e" in line for line in on_screen(evil()))


def test_a_text_without_claims_or_words_is_still_reported() -> None:
    for record in (checked("", (), sources=()), checked(TEXT, ())):
        for format in get_args(outputs.Format):
            assert "has no claim that a source could hold" in outputs.rendered(record, format)
        assert log_of(record)["version"] == "2.1.0"
        assert on_screen(record)


def test_sarif_places_findings_in_the_file() -> None:
    run = log_of(sample())["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert run["artifacts"] == [{"location": {"uri": "report.md"}, "hashes": {"sha-256": sample().sha256}}]
    lines = TEXT.split("\n")
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        region = result["locations"][0]["physicalLocation"]["region"]
        start = region["charOffset"]
        assert TEXT[start : start + region["charLength"]] == region["snippet"]["text"]
        assert lines[region["startLine"] - 1][region["startColumn"] - 1] == region["snippet"]["text"][0]
        assert lines[region["endLine"] - 1][region["endColumn"] - 2] == region["snippet"]["text"][-1]
    levels = {result["ruleId"]: result["level"] for result in run["results"]}
    assert levels == {
        "claim-contradicted": "error",
        "claim-altered": "error",
        "claim-unreadable": "warning",
        "claim-undecided": "warning",
        "claim-no-source": "note",
        "source-gone": "error",
        "source-made-up": "error",
        "source-paywall": "warning",
    }
    contradicted = next(each for each in run["results"] if each["ruleId"] == "claim-contradicted")
    assert "The source says: Asia: 17.1" in contradicted["message"]["text"]
    assert contradicted["relatedLocations"][0]["message"]["text"] == "17.1"


def test_sarif_names_a_finding_alike_wherever_it_moves() -> None:
    def prints(record: Checked) -> list[str]:
        return [each["partialFingerprints"]["claim/v1"] for each in log_of(record)["runs"][0]["results"]]

    text = "A is 5. A is 5. B is 6.\n"
    claims = [claimed(words, "undecided", text=text, cites=()) for words in ("A is 5.", "A is 5.", "B is 6.")]
    moved = "New first line.\n\n" + text
    later = [claimed(words, "undecided", text=moved, cites=()) for words in ("A is 5.", "A is 5.", "B is 6.")]
    first = prints(checked(text, tuple(claims), sources=()))
    assert first == prints(checked(moved, tuple(later), sources=()))
    assert len(set(first)) == 3


def test_sarif_holds_the_words_of_a_file_that_is_no_text() -> None:
    record = sample().model_copy(update={"sha256": "0" * 64, "name": "annual report.pdf"})
    run = log_of(record)["runs"][0]
    text, given = run["artifacts"]
    assert (text["contents"]["text"], text["parentIndex"]) == (TEXT, 1)
    assert given["location"]["uri"] == "annual%20report.pdf"
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": text["location"]["uri"], "index": 0}
