"""The published JSON Schemas: up to date, valid, and what is really written fits them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator, ValidationError

from tests.unit.bench import samples as trials
from tests.unit.check.samples import sample
from tests.unit.evidence.samples import add, check
from tests.unit.judge import made
from verifaible.check.report import rendered
from verifaible.cli.schema import SCHEMAS, schema, schema_of
from verifaible.console.options import SHORT_HELP
from verifaible.runs.lines import Lines
from verifaible.schema.run import TrialResult
from verifaible.store.sealed import citation_file
from verifaible.store.store import Store

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "schemas"


def test_the_published_schemas_are_up_to_date() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(SCHEMAS)
    for name in SCHEMAS:
        done = CliRunner().invoke(schema, [name], catch_exceptions=False, **SHORT_HELP)
        published = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
        assert published == done.stdout, f"verifaible schema {name} > docs/schemas/{name}.json"
        Draft202012Validator.check_schema(json.loads(published))


def test_the_documentation_lists_them() -> None:
    text = (FOLDER.parent / "python.md").read_text(encoding="utf-8")
    for name, (_, meaning) in SCHEMAS.items():
        assert f"| [`{name}`](schemas/{name}.json) | {meaning} |" in text


def written(name: str, tmp_path: Path) -> list[Any]:
    """What the code writes of a kind."""
    if name in ("citation", "verification"):
        store = Store(tmp_path / "store")
        citation = add(store)
        later = check(citation, "changed")
        store.add_check(later)
        data = json.loads(store.files.read(citation_file(citation.id)))
        checks = [json.loads(line) for line in store.lines.read(f"checks/{citation.id}")]
        return [data["verifaible"]] if name == "citation" else checks
    if name == "check":
        return [sample().model_dump(mode="json"), json.loads(rendered(sample(), "json"))]
    if name in ("trial", "run"):
        result = trials.result(tool_errors={"not_found": 2}, cost_usd=0.5, failure="wrong_answer")
        lines = Lines(tmp_path / "results.jsonl", TrialResult)
        lines.add(result)
        trial = json.loads((tmp_path / "results.jsonl").read_text())
        return [trial] if name == "trial" else [json.loads(trials.info(result).model_dump_json())]
    if name == "judge":
        return [json.loads(made.info().model_dump_json())]
    answer, claims = made.answer("m", "q")
    records = [answer] if name == "judged-answer" else [*claims, *made.claims(["direct"])]
    return [
        json.loads(each.model_dump_json(exclude_defaults=flag)) for each in records for flag in (True, False)
    ]


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_written_fits(name: str, tmp_path: Path) -> None:
    validator = Draft202012Validator(schema_of(name))
    found = written(name, tmp_path)
    assert found
    for each in found:
        validator.validate(each)
        with pytest.raises(ValidationError):
            validator.validate({**each, "no_such_field": 1})
