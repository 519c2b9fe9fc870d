"""The vocabulary of a graph: which kinds of things there are, and how they may be related. It is data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import Field, ValidationError, model_validator

from verifaible.errors import ConfigError
from verifaible.schema.base import Record


class EntityType(Record):
    """A kind of thing: what it is, examples of it, and what else people call it."""

    definition: str
    examples: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


class Relation(Record):
    """How a head is related to a tail.

    Attributes:
        pairs: the types that head and tail may have.
        inverse: the relation that says the same with head and tail exchanged.
    """

    definition: str
    pairs: tuple[tuple[str, str], ...] = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    inverse: str = ""


class Ontology(Record):
    """Types and relations by their names."""

    types: Mapping[str, EntityType] = Field(min_length=1)
    relations: Mapping[str, Relation] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_exist(self) -> Ontology:
        for name, relation in self.relations.items():
            if unknown := {each for pair in relation.pairs for each in pair} - self.types.keys():
                raise ValueError(f"relation {name!r} pairs types that there are not: {sorted(unknown)}")
            if relation.inverse and relation.inverse not in self.relations:
                raise ValueError(f"relation {name!r} has the inverse {relation.inverse!r}, which is none")
        return self


def read_ontology(path: Path | None = None) -> Ontology:
    """An ontology from a file, or the one that is shipped.

    Raises:
        ConfigError: the file cannot be read, or says something that cannot be.
    """
    if path is None:
        return _shipped()
    try:
        return Ontology.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise ConfigError(
            f"{path} is no ontology: {error}. Take verifaible/kg/ontology.json as a pattern."
        ) from error


@cache
def _shipped() -> Ontology:
    text = resources.files("verifaible.kg").joinpath("ontology.json").read_text(encoding="utf-8")
    return Ontology.model_validate(json.loads(text))
