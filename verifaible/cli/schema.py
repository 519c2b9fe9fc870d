"""``verifaible schema``: the JSON Schemas of what the commands write."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from verifaible.console.output import show_json

#: Name to record, and where one stands. The record is imported when its schema is asked for.
SCHEMAS = {
    "citation": ("verifaible.schema.citation:Citation", "the field `verifaible` of a citation's file"),
    "verification": ("verifaible.schema.check:Check", "a file in `checks/`"),
    "check": ("verifaible.schema.checked:Checked", "what `verifaible check` prints with --json, or writes"),
    "trial": ("verifaible.schema.run:TrialResult", "a line of a run's `results.jsonl`"),
    "run": ("verifaible.schema.run:RunInfo", "a run's `run.json`"),
    "judge": ("verifaible.schema.judged:JudgeInfo", "`judge.json` of judged answers"),
    "judged-answer": ("verifaible.schema.judged:JudgedAnswer", "a line of its `answers.jsonl`"),
    "judged-claim": ("verifaible.schema.judged:JudgedClaim", "a line of its `claims.jsonl`"),
}


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of that name; fields with a default may be missing."""
    place, meaning = SCHEMAS[name]
    module, _, record = place.partition(":")
    found: dict[str, Any] = getattr(import_module(module), record).model_json_schema()
    if name == "check":
        found["properties"]["coverage"] = {"type": "object", "description": "Only in what --out writes."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:verifaible:schema:{name}",
        "$comment": f"Describes {meaning}.",
        **found,
    }


@click.command()
@click.argument("name", type=click.Choice(tuple(SCHEMAS)))
def schema(name: str) -> None:
    """Print the JSON Schema of a file or an output.

    \b
    Examples:
      verifaible schema citation
      verifaible schema check > check.schema.json
    """
    show_json(schema_of(name))
