"""One process runs into a run, wherever it is, and the place of one that died can be taken."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from verifaible.errors import RunError
from verifaible.runs import lease
from verifaible.runs.folder import held
from verifaible.runs.lease import Lease
from verifaible.runs.lines import write_whole
from verifaible.runs.place import Address, Place, place_at


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lease, "BEAT_S", 0.2)


HOLDER = textwrap.dedent(
    """
    import sys, time
    from verifaible.runs.folder import held
    from verifaible.runs.lease import Lease
    from verifaible.runs.place import place_at

    Lease.BEAT_S = 0.2
    place = place_at(sys.argv[1])
    place.mkdir(parents=True, exist_ok=True)
    with held(place):
        print("held", flush=True)
        time.sleep(600)
    """
)


@pytest.mark.parametrize("kind", ["folder", "s3"])
def test_a_second_process_is_refused_until_the_first_has_died(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = str(tmp_path / "run") if kind == "folder" else request.getfixturevalue("s3_url") + "/run"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, where], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with monkeypatch.context() as patient:
            patient.setattr(
                Lease, "BEAT_S", 2.0
            )  # whatever else the machine does, the holder has time to beat
            with pytest.raises(RunError, match="Another process"), held(place_at(where)):
                pass
    finally:
        holder.kill()
        holder.wait()
    with held(place_at(where)):
        pass
    monkeypatch.setattr(lease, "sleep", lambda _: pytest.fail("who ends in order leaves nothing to wait for"))
    with held(place_at(where)):
        pass


def test_held_one_after_the_other(place: Place) -> None:
    place.mkdir(parents=True)
    for _ in range(3):
        with held(place):
            write_whole(place / "a", "1")
            with pytest.raises(RunError, match="Another process"), held(place):
                pass


def test_of_many_who_take_a_dead_ones_place_one_has_it(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    where = f"memory://{tmp_path.name}/run"
    dead = place_at(where)
    assert isinstance(dead, Address)
    dead.files.create(".lease/0000000001.json", b'{"holder":"a machine, process 1","beat":3}')

    all_tried = threading.Barrier(4)

    def take(_: int) -> bool:
        try:
            with held(place_at(where)):
                all_tried.wait(120)
                return True
        except RunError:
            all_tried.wait(120)
            return False

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(take, range(4))) == 1


def test_who_was_taken_for_dead_writes_no_more(tmp_path: Path) -> None:
    where = f"memory://{tmp_path.name}/runs"
    first, other = place_at(where), place_at(where)
    assert isinstance(other, Address)
    with held(first / "run"):
        write_whole(first / "run/a", "1")
        (other / "run").files.create("run/.lease/0000000009.json", b'{"holder":"another, process 2"}')
        for _ in range(1_200):
            time.sleep(0.05)
            if first.files.lost:  # type: ignore[union-attr]
                break
        with pytest.raises(RunError, match="another, process 2"):
            write_whole(first / "run/a", "2")
        write_whole(first / "another run/a", "3")
    assert (other / "run/a").read_bytes() == b"1"
