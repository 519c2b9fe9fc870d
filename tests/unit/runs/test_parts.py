"""Lines at an address: nothing that was added is lost or doubled, whatever happens to who writes or reads."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.kit.marks import nightly
from verifaible.errors import RunError, StoreError
from verifaible.evidence.store.files import RemoteFiles
from verifaible.runs.folder import held
from verifaible.runs.lines import DamagedLine, Lines
from verifaible.runs.place import Address, PatientFiles, Place, place_at
from verifaible.schema.base import Record

COUNT = 80


class Number(Record):
    n: int
    said: str = ""


def lines(place: Place, *, alone: bool = False) -> Lines[Number]:
    place.mkdir(parents=True, exist_ok=True)
    return Lines(place / "numbers.jsonl", Number, alone=alone)


def numbers(place: Place) -> list[int]:
    return [each.n for each in lines(place)]


def test_records_come_back_in_their_order(place: Place) -> None:
    written = lines(place)
    assert written.read() == ()
    written.add()
    for n in range(20):
        written.add(Number(n=n, said="\n\u2028"), durable=True)
    written.add(Number(n=20), Number(n=21))
    assert numbers(place) == list(range(22))
    lines(place).add(Number(n=22))  # another process goes on
    assert numbers(place) == list(range(23))


def test_two_who_write_at_once_lose_no_line(place: Place) -> None:
    writers = [lines(place) for _ in range(3)]
    for n in range(70):
        writers[n % 3 if n % 7 else 0].add(Number(n=n))
    assert sorted(numbers(place)) == list(range(70))


def test_threads_lose_no_line(place: Place) -> None:
    written = lines(place)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: written.add(Number(n=n)), range(70)))
    assert sorted(numbers(place)) == list(range(70))


def test_ten_thousand_lines_are_few_objects(tmp_path: Path) -> None:
    place = place_at(f"memory://{tmp_path.name}")
    assert isinstance(place, Address)
    written = lines(place)
    for n in range(10_000):
        written.add(Number(n=n))
    assert len(place.files.names("numbers.jsonl.parts")) <= 50
    assert numbers(place) == list(range(10_000))


def test_a_file_that_was_copied_there_whole_is_read_and_continued(place: Place) -> None:
    lines(place)
    if isinstance(place, Path):
        (place / "numbers.jsonl").write_bytes(b'{"n":1}\n{"n":2}\n{"n"')
    else:
        place.files.replace("numbers.jsonl", b'{"n":1}\n{"n":2}\n{"n"')
    lines(place).add(Number(n=3))
    assert numbers(place) == [1, 2, 3]


def test_parts_that_were_copied_to_a_disk_are_read_and_continued(tmp_path: Path) -> None:
    place = place_at(f"memory://{tmp_path.name}")
    assert isinstance(place, Address)
    written = lines(place)
    for n in range(20):
        written.add(Number(n=n))
    (tmp_path / "numbers.jsonl.parts").mkdir()
    for name in place.files.names("numbers.jsonl.parts"):
        (tmp_path / "numbers.jsonl.parts" / name).write_bytes(place.files.read(f"numbers.jsonl.parts/{name}"))
    lines(tmp_path).add(Number(n=20))
    assert numbers(tmp_path) == list(range(21))


@pytest.mark.parametrize("left", [b"", b'{"n":', b'{"n":17', b"\x00" * 8])
def test_a_torn_object_costs_its_own_lines_and_is_named(tmp_path: Path, left: bytes) -> None:
    place = place_at(f"memory://{tmp_path.name}")
    assert isinstance(place, Address)
    written = lines(place)
    for n in range(1, 20):
        written.add(Number(n=n))
    name = place.files.names("numbers.jsonl.parts")[
        2
    ]  # the 17th, after the first, and the first sixteen in one
    place.files.replace(f"numbers.jsonl.parts/{name}", left)
    with pytest.raises(RunError, match=r"17 of .*numbers\.jsonl is damaged"):
        numbers(place)
    with pytest.warns(DamagedLine, match="17"):
        assert [each.n for each in lines(place, alone=True)] == [*range(1, 17), 18, 19]
    for n in range(20, 40):  # it is not glued to its neighbours when they become one object
        written.add(Number(n=n))
    with pytest.warns(DamagedLine, match="17"):
        assert [each.n for each in lines(place, alone=True)] == [*range(1, 17), *range(18, 40)]


def test_an_object_that_is_gone_is_named(tmp_path: Path) -> None:
    place = place_at(f"memory://{tmp_path.name}")
    assert isinstance(place, Address)
    written = lines(place)
    for n in range(1, 4):
        written.add(Number(n=n))
    place.files.delete(f"numbers.jsonl.parts/{place.files.names('numbers.jsonl.parts')[1]}")
    with pytest.raises(RunError, match=r"Line 2 .*missing"):
        numbers(place)
    with pytest.warns(DamagedLine, match=r"Line 2 .*missing"):
        assert [each.n for each in lines(place, alone=True)] == [1, 3]


def test_who_reads_while_it_is_written_sees_whole_lines_in_order(place: Place) -> None:
    written = lines(place)
    ended = threading.Event()

    def write() -> None:
        for n in range(40):
            written.add(Number(n=n, said="x" * 50))
        ended.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = 0
    while not ended.is_set():
        found = numbers(place)
        assert found == list(range(len(found)))
        assert len(found) >= seen
        seen = len(found)
    writer.join()
    assert numbers(place) == list(range(40))


WRITER = textwrap.dedent(
    """
    import sys
    from verifaible.runs.folder import held
    from verifaible.runs.lease import Lease
    from verifaible.runs.lines import Lines
    from verifaible.runs.place import place_at
    from tests.unit.runs.test_parts import COUNT, Number

    Lease.BEAT_S = 0.1
    place = place_at(sys.argv[1])
    place.mkdir(parents=True, exist_ok=True)
    with held(place):
        lines = Lines(place / "numbers.jsonl", Number)
        there = {each.n for each in lines}
        for n in range(COUNT):
            if n not in there:
                lines.add(Number(n=n, said="x" * 200), durable=True)
                print(n, flush=True)
    """
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folder", "s3"])
@pytest.mark.parametrize("kills", [2, nightly(30)])
def test_killed_at_random_moments_and_continued(
    kind: str, kills: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = str(tmp_path / "run") if kind == "folder" else request.getfixturevalue("s3_url") + "/run"
    chance = random.Random(20261123)
    finished: set[int] = set()
    for number in range(kills + 1):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, place], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        if number < kills:
            for _ in range(chance.randrange(1, 2 * COUNT // kills)):
                if not (line := writer.stdout.readline()):
                    break
                finished.add(int(line))
            time.sleep(chance.random() * 0.02)
            writer.send_signal(signal.SIGKILL)
        finished |= {int(line) for line in writer.stdout.read().split()}
        code = writer.wait()
        assert code in (0, -signal.SIGKILL)
        there = numbers(place_at(place))
        assert finished <= set(there)  # none lost
        assert len(there) == len(set(there))  # none doubled
    assert sorted(there) == list(range(COUNT))


class Server:
    """An S3 server that can be away; what it holds outlives that."""

    def __init__(self) -> None:
        self.port = 0
        self.start()

    def start(self) -> None:
        from moto.server import ThreadedMotoServer

        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=self.port, verbose=False)
        self._server.start()
        self.port = self._server.get_host_and_port()[1]

    def stop(self) -> None:
        assert self._server._server is not None
        self._server.stop()
        self._server._server.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, s3_url: str) -> Iterator[Server]:
    """A server for this test alone."""
    from s3fs import S3FileSystem

    own = Server()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{own.port}")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")  # the waiting that is tested is ours
    S3FileSystem.clear_instance_cache()
    yield own
    own.stop()
    S3FileSystem.clear_instance_cache()


def test_a_bucket_that_is_away_for_a_moment_is_waited_for(server: Server, s3_url: str) -> None:
    place = place_at(f"{s3_url}/run")
    written = lines(place)
    with held(place), ThreadPoolExecutor(4) as pool:
        written.add(Number(n=0))
        server.stop()
        added = [pool.submit(written.add, Number(n=n)) for n in range(1, 9)]
        time.sleep(2.0)
        assert not any(each.done() for each in added)
        server.start()
        for each in added:
            each.result(120)
        written.add(Number(n=9))
    assert sorted(numbers(place)) == list(range(10))


def test_a_bucket_that_stays_away_is_told_and_nothing_is_lost(
    server: Server, s3_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_at(f"{s3_url}/run")
    written = lines(place)
    written.add(Number(n=0))
    server.stop()
    monkeypatch.setattr(PatientFiles, "WAIT_S", 1.0)
    started = time.monotonic()
    with pytest.raises(RunError, match="answers again"):
        written.add(Number(n=1))
    assert time.monotonic() - started < 55  # the minute of others is not waited for
    server.start()
    assert numbers(place) == [0]
    written.add(Number(n=1))
    assert numbers(place) == [0, 1]


def test_an_addition_whose_answer_was_lost_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_at(f"memory://{tmp_path.name}")
    written = lines(place)
    written.add(Number(n=0))
    create, lost = RemoteFiles.create, [True]

    def unheard(files: RemoteFiles, name: str, data: bytes) -> bool:
        made = create(files, name, data)
        if lost and lost.pop():
            raise StoreError("The connection was reset.")
        return made

    monkeypatch.setattr(RemoteFiles, "create", unheard)
    written.add(Number(n=1))
    assert (numbers(place), lost) == ([0, 1], [])
