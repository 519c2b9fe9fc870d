"""A real PostgreSQL and a real S3 server on this machine, started when a test first needs them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit import services
from tests.kit.marks import nightly
from tests.unit.evidence.places_of_stores import Place, drop_tables


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database of a PostgreSQL server that stops when the tests end."""
    with services.postgres(tmp_path_factory.getbasetemp().parent / "postgres.lock") as url:
        yield url


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """The address of an S3 server on loopback."""
    with services.s3() as address:
        yield address


@pytest.fixture
def s3_url(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A place in a bucket of its own."""
    url, environment = services.bucket(s3_endpoint, f"bucket-{abs(hash(tmp_path))}")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return url


PLACES = ["folder and sqlite", nightly("folder and postgres"), "s3 and postgres"]


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A place for a store: a folder with each kind of index, and a bucket with the one that can be shared."""
    kind = str(request.param)
    index_url = ""
    if kind.endswith("postgres"):
        index_url = request.getfixturevalue("postgres_url")
        drop_tables(index_url)
    location = request.getfixturevalue("s3_url") if kind.startswith("s3") else str(tmp_path / "store")
    found = Place(location, index_url)
    yield found
    found.close()


@pytest.fixture
def closed_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
