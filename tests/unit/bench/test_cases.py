"""Loading cases: every fault of every file is named, the public format loads, filters filter."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.kit.public import needs_public
from tests.unit.bench.samples import CASES, PUBLIC_SET, case, fields, write
from verifaible.bench.cases import digest, lint, load_cases, select
from verifaible.errors import CaseError
from verifaible.schema.case import Case

ORACLE = {
    "steps": [
        {
            "tool": "verifaible_cite",
            "arguments": {
                "claim": "c",
                "source_url": "https://example.com/page",
                "quoted_text": "36 bureaus",
            },
        }
    ],
    "answer": "{1} [@v:1]",
}


def faults(source: Path, built_in: Path | None = None) -> list[str]:
    with pytest.raises(CaseError) as caught:
        load_cases(source, built_in)
    for fault in caught.value.faults:
        assert fault in str(caught.value)
    assert "correct the lines above" in str(caught.value)
    return caught.value.faults


# --- one file a case


def test_folder_loads_in_the_order_of_file_names(tmp_path: Path) -> None:
    write(tmp_path / "b.json", fields(id="first"))
    write(tmp_path / "a.json", fields(id="second"))
    (tmp_path / "notes.txt").write_text("no case")
    assert [each.id for each in load_cases(tmp_path)] == ["second", "first"]


def test_single_file_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(fields(question="多少个？"), ensure_ascii=False).encode())
    assert load_cases(path)[0].question == "多少个？"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not JSON"),
        (b'{"id": "x",}', "is not JSON"),
        ("{}".encode("utf-16"), "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "Input should be a valid dictionary"),
    ],
)
def test_file_without_a_json_object(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    (fault,) = faults(path)
    assert fault.startswith(f"{path}: {said}")


@pytest.mark.parametrize(
    ("changes", "place", "said"),
    [
        ({"answr": "36"}, "answr", "Extra inputs are not permitted"),
        ({"question": None}, "question", "Field required"),
        ({"url": "www.example.com/page"}, "url", "must be an absolute http:// or https:// address"),
        ({"url": "ftp://example.com/page"}, "url", "must be an absolute http:// or https:// address"),
        ({"url": "file:///etc/passwd"}, "url", "must be an absolute http:// or https:// address"),
        ({"url": "http:///page"}, "url", "must be an absolute http:// or https:// address"),
        ({"id": "../x"}, "id", "String should match pattern"),
        ({"evidence_types": ["tabel"]}, "evidence_types.0", "Input should be 'text', 'table'"),
        ({"expect": {"kind": "number", "value": "many"}}, "expect.number.value", "Input should be a valid"),
        ({"expect": {"kind": "figure"}}, "expect", "Input tag 'figure'"),
        ({"oracle": {**ORACLE, "answer": "36"}}, "oracle.answer", "must contain a placeholder such as {1}"),
        ({"oracle": {**ORACLE, "answer": "{2}"}}, "", "oracle.answer names citation 2, but the steps make 1"),
    ],
)
def test_fault_of_a_field(tmp_path: Path, changes: dict[str, Any], place: str, said: str) -> None:
    path = write(tmp_path / "bad.json", fields(**changes))
    (fault,) = faults(path)
    assert fault.startswith(f"{path}: {place}: {said}" if place else f"{path}: {said}")


def test_every_fault_of_every_file_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "1.json", fields(id="same"))
    write(tmp_path / "2.json", fields(id="same", note="?", url="example.com"))
    (tmp_path / "3.json").write_text("{")
    write(tmp_path / "4.json", fields(id="same"))
    write(tmp_path / "5.json", fields(id="good"))
    found = faults(tmp_path)
    assert len(found) == 4
    assert found[0].startswith(f"{tmp_path / '2.json'}: url: must be")
    assert found[1].startswith(f"{tmp_path / '2.json'}: note: Extra inputs")
    assert found[2].startswith(f"{tmp_path / '3.json'}: is not JSON")
    assert found[3] == (
        f"{tmp_path / '4.json'}: id: 'same' is the id of a case in {tmp_path / '1.json'} already"
    )


def test_empty_folder_and_missing_file(tmp_path: Path) -> None:
    assert faults(tmp_path) == [f"{tmp_path}: the folder has no .json file"]
    missing = tmp_path / "missing.json"
    assert faults(missing) == [f"{missing}: cannot be read (No such file or directory)"]


# --- the public format


def public(*cases: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"version": "2.0", "description": "A set", "cases": list(cases), **changes}


def test_public_format(tmp_path: Path) -> None:
    path = write(
        tmp_path / "set.json",
        public(
            fields(id="one", category="text/table", evidence_type="text|table"),
            fields(id="two", category="table"),
            fields(id="three", category="dynamic"),
        ),
    )
    one, two, three = load_cases(path)
    assert (one.id, one.evidence_types) == ("one", ("text", "table"))
    assert (two.id, two.evidence_types) == ("two", ("table",))
    assert (three.id, three.evidence_types, three.oracle) == ("three", (), None)


def test_faults_inside_a_public_set_name_their_place(tmp_path: Path) -> None:
    path = write(
        tmp_path / "set.json",
        public(
            fields(id="one", evidence_type="text|film"),
            fields(id="two", answer=None, points=3),
            fields(id="three", url="example.com"),
            fields(id="one"),
            fields(id="four"),
            fields(id="four"),
        ),
    )
    found = faults(path)
    assert [fault.partition(": ")[0] for fault in found] == [str(path)] * 5
    assert [fault.split(": ")[1:3] for fault in found] == [
        ["cases.0", "evidence_types.1"],
        ["cases.1", "answer"],
        ["cases.1", "points"],
        ["cases.2", "url"],
        ["id", f"'four' is the id of a case in {path} already"],
    ]


@pytest.mark.parametrize("changes", [{"cases": []}, {"cases": {}}, {"cases": ["x"]}, {"name": "?"}])
def test_fault_of_a_public_set_itself(tmp_path: Path, changes: dict[str, Any]) -> None:
    path = write(tmp_path / "set.json", public(fields(), **changes))
    found = faults(path)
    assert all(fault.startswith(f"{path}: {next(iter(changes))}") for fault in found)


def test_oracle_is_lent_only_to_the_same_id_and_url(tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    folder.mkdir()
    write(folder / "one.json", fields(oracle=ORACLE, tags=["x"], language="en"))
    path = write(
        tmp_path / "set.json",
        public(
            fields(answer="37"),
            fields(id="other_001"),
        ),
    )
    same, other = load_cases(path, folder)
    assert same.oracle == Case.model_validate(fields(oracle=ORACLE)).oracle
    assert (same.tags, same.language, same.answer) == (("x",), "en", "37")
    assert other.oracle is None
    elsewhere = write(tmp_path / "set.json", public(fields(url="https://example.com/other")))
    assert load_cases(elsewhere, folder)[0].oracle is None
    assert load_cases(elsewhere, tmp_path / "nowhere")[0].oracle is None


def test_faults_of_the_cases_that_lend_are_reported(tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    folder.mkdir()
    broken = write(folder / "one.json", fields(url="example.com"))
    path = write(tmp_path / "set.json", public(fields()))
    (fault,) = faults(path, folder)
    assert fault.startswith(f"{broken}: url: ")


@needs_public("verifaible-bench/testset.json")
def test_public_test_set_agrees_with_the_cases_of_the_repository() -> None:
    own = {each.id: each for each in load_cases(CASES)}
    given = {each.id: each for each in load_cases(PUBLIC_SET, CASES)}
    assert len(given) == 21
    assert set(given) == set(own)
    for name, each in given.items():
        assert (each.url, each.category) == (own[name].url, own[name].category)
        assert each.oracle == own[name].oracle is not None
        assert not each.evidence_types or set(own[name].evidence_types) <= set(each.evidence_types)


# --- the repository's own cases


def test_json_schema_describes_every_case_file() -> None:
    schema = Case.model_json_schema()
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    paths = sorted(CASES.glob("*.json"))
    assert len(paths) == 21
    for path in paths:
        data = json.loads(path.read_text(encoding="utf-8"))
        assert list(validator.iter_errors(data)) == [], path.name
        assert data["id"] == path.stem
        assert data["oracle"]["steps"]
    assert list(validator.iter_errors(fields(answr="36")))
    assert list(validator.iter_errors(fields(question=None)))


def test_no_oracle_states_the_answer_of_its_case_in_its_template() -> None:
    for each in load_cases(CASES):
        assert each.oracle is not None
        assert each.answer not in each.oracle.answer


# --- digests and filters


def test_digest_is_of_the_content_not_of_the_file(tmp_path: Path) -> None:
    content = fields()
    tidy = write(tmp_path / "tidy.json", content)
    other = tmp_path / "other.json"
    other.write_text(json.dumps(dict(reversed(content.items())), indent=4))
    (one,), (two,) = load_cases(tidy), load_cases(other)
    assert digest(one) == digest(two)
    assert digest(one) != digest(case(answer="37"))
    # RFC 8785 of flat ASCII fields is sorted, compact JSON
    canonical = json.dumps(
        one.model_dump(mode="json", exclude_defaults=True), sort_keys=True, separators=(",", ":")
    )
    assert digest(one) == hashlib.sha256(canonical.encode()).hexdigest()


def test_select() -> None:
    cases = (case(id="a"), case(id="b", category="table"), case(id="c", category="table"))
    assert select(cases, ids=(), categories=()) == cases
    assert select(cases, ids=("c", "a"), categories=()) == (cases[0], cases[2])
    assert select(cases, ids=("c", "a"), categories=("table",)) == (cases[2],)
    with pytest.raises(CaseError) as caught:
        select(cases, ids=("d", "a"), categories=("tabel",))
    assert caught.value.faults == [
        "--case d: there is no such case",
        "--category tabel: there is no such category (there are: table, text)",
    ]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"answer": "143.9"}, True),
        ({"answer": "EUR 143.9"}, False),
        ({"answer": "143.9", "expect": {"kind": "number", "value": "143.9"}}, True),
        ({"answer": "143.9", "expect": {"kind": "number", "value": "143.9", "unit": ""}}, False),
    ],
)
def test_a_number_that_accepts_any_unit_is_named(fields: dict[str, object], named: bool) -> None:
    raw = {"id": "a", "category": "text", "url": "https://a.example/", "question": "?"}
    told = lint(Case.model_validate({**raw, **fields}))
    assert any("'143.9' accepts any currency" in each for each in told) is named
