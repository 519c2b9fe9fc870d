"""Public data sets, which stand outside the project: ``VERIFAIBLE_TEST_DATA`` names the folder that has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_VARIABLE = "VERIFAIBLE_TEST_DATA"
_NAMED = os.environ.get(_VARIABLE, "")
#: The folder; without the variable one beside the repository, where it is there.
PUBLIC = Path(_NAMED) if _NAMED else Path(__file__).resolve().parents[3] / "shared" / "data"

if _NAMED and not PUBLIC.is_dir():
    raise pytest.UsageError(f"{_VARIABLE} names {_NAMED}, which is no folder. Correct or unset it.")


def needs_public(name: str) -> pytest.MarkDecorator:
    """Skip a test where a file or folder of the data is missing, unless the variable says that it is there."""
    absent = not (PUBLIC / name).exists()
    return pytest.mark.skipif(
        absent and not _NAMED, reason=f"{name} is not here: {_VARIABLE} names its folder"
    )
