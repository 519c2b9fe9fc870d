"""Families of models: a judge does not judge its own kin, whose style it prefers.

A family is told from a name alone, which is all that an input gives: the maker, and of a model made from
another's, both. A name that says nothing is of an unknown family: it is judged, and the run says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Final

#: What in a name gives the family away. Names are in lower case, with "-" for every other sign.
_FAMILIES: Final[Mapping[str, str]] = json.loads(
    resources.files("verifaible.llm").joinpath("families.json").read_text(encoding="utf-8")
)


def families(model: str) -> frozenset[str]:
    """The families that a model's name names: none where it says nothing, two for a model made of another."""
    plain = re.sub(r"[^a-z0-9]+", "-", model.lower())
    return frozenset(name for name, sign in _FAMILIES.items() if re.search(sign, plain))


def kinship(judge: str, judged: str) -> str:
    """Why a judge must not judge a model: the sentence; empty where it may."""
    common = sorted(families(judge) & families(judged))
    if not common:
        return ""
    return f"The judge is of the same family ({common[0]}). Name another judge."


def doubt(judge: str, judged: str) -> str:
    """What a run should say of a pair whose kinship is not known; empty where it is known."""
    unknown = [name for name in (judge, judged) if not families(name)]
    if not unknown:
        return ""
    return (
        f"The family of {' and of '.join(unknown)} is not known: whether the judge is of it, nobody checked."
    )
