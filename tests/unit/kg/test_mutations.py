"""Mutations: one thing of a triple each, the same in every run."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from tests.kit.triple_mutations import CLASSES, detection, mutations
from verifaible.kg.ontology import read_ontology
from verifaible.kg.triples import Triple

METRIC: Final = Triple(
    id="a",
    head="Brennock",
    head_type="company",
    relation="reports",
    tail="net sales",
    tail_type="metric",
    value=Decimal("8.6E+7"),
    unit="USD",
    period="2024-01-01/2024-12-31",
    by="test",
)
#: What each class may change.
_FIELDS: Final = {
    "entity": {"head", "tail"},
    "relation": {"relation"},
    "direction": {"head", "head_type", "tail", "tail_type"},
    "amount": {"value"},
    "unit": {"unit"},
    "date": {"period"},
    "negation": {"negated"},
    "modality": {"modality"},
}


def test_each_class_changes_its_own_fields_and_a_seed_gives_the_same_again() -> None:
    other = METRIC.model_copy(update={"id": "b", "head": "Calder", "tail": "assets"})
    hidden = METRIC.model_copy(update={"id": "c", "ungrounded": "hidden"})
    triples, ontology = (METRIC, other, hidden), read_ontology()
    made = list(mutations(triples, ontology))
    assert made == list(mutations(triples, ontology))
    assert made != list(mutations(triples, ontology, seed=1))
    assert {each.original for each in made} == {"a", "b"}
    assert tuple(each.kind for each in made if each.original == "a") == CLASSES
    for each in made:
        original = METRIC if each.original == "a" else other
        differ = {name for name, value in each.triple if value != getattr(original, name)}
        assert differ
        assert differ <= _FIELDS[each.kind]


def test_what_is_said_of_unchanged_triples_is_counted_by_itself() -> None:
    made = list(mutations((METRIC,), read_ontology()))
    found = {
        each.kind: (each.caught, each.of) for each in detection((METRIC,), made, lambda each: each.negated)
    }
    assert found["negation"] == (1, 1)
    assert found["amount"] == (0, 1)
    assert found["unchanged"] == (0, 1)
