"""The S3 server of the store's tests, and the places that a run can be at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.evidence.conftest import s3_endpoint, s3_url
from verifaible.runs.place import Place, place_at

__all__ = ["s3_endpoint", "s3_url"]


@pytest.fixture(params=["folder", "memory", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place for runs, of each kind."""
    if request.param == "folder":
        return tmp_path / "runs"
    if request.param == "memory":
        return place_at(f"memory://{tmp_path.name}/runs")
    return place_at(request.getfixturevalue("s3_url") + "/runs")
