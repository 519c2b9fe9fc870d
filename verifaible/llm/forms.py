"""The form that an answer must have: a JSON Schema, in the words that the endpoints take."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field

from verifaible.schema.base import Record


class AnswerForm(Record):
    """A JSON Schema that the model's answer must fit.

    An endpoint that does not know schemas is asked for any JSON object, and one that does not know that
    either, for nothing: so whatever comes back must be validated all the same.

    Attributes:
        name: what it is called; letters, digits, ``_`` and ``-``.
        parameters: the schema of an object, of the part of JSON Schema that strict endpoints take.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    parameters: dict[str, Any]


#: What the two forms of asking for JSON are called among the optional parts of a request.
SCHEMA, OBJECT = "answer schema", "answer object"
#: How a refusal speaks of either.
REFUSED = re.compile(
    r"response.?format|text\.format|json.?schema|json.?object|json.?mode|structured.?output|output.?config"
    r"|guided|grammar|constrained|invalid schema",
    re.I,
)
