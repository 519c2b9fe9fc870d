"""A run folder: what is read back is whole, whatever happened while it was written."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.marks import nightly
from tests.unit.bench.samples import REPOSITORY, info, result, transcript
from verifaible.bench.run_dir import RunFolder, find_run
from verifaible.errors import RunError
from verifaible.runs.lines import DamagedLine
from verifaible.schema.run import TrialResult

#: Ends at no trial by itself; says on standard output how many bytes of results there are.
WRITER = """
import sys
from pathlib import Path
from tests.unit.bench.samples import info, transcript
from tests.unit.bench.test_folder import long_result
from verifaible.bench.run_dir import RunFolder

folder = RunFolder(Path(sys.argv[1]))
for trial in range(1, 1_000_000):
    done = long_result(trial)
    folder.add(done, transcript(done))
    folder.write_info(info(done, settings={"trials": trial}))
    print(trial, flush=True)
"""


def long_result(trial: int) -> TrialResult:
    """A trial whose line takes long enough to write for a kill to hit it."""
    return result(trial=trial, answer=f"{trial} " + "郑　　州" * 30_000)


def made(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "runs", ("z-ai/glm-5", "oracle"))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    folder = made(tmp_path)
    first, second = result(), result(case="cn_text_002", score=0, answer='36\n"?"\u2028', error="no\r\n")
    folder.write_info(info(first, second))
    for each in (second, first):
        folder.add(each, transcript(each))
    assert folder.info() == info(first, second)
    assert folder.results() == (second, first)
    assert folder.transcripts() == (transcript(second), transcript(first))
    assert folder.write_report("# Run\n").read_text() == "# Run\n"
    assert RunFolder(folder.path).results() == (second, first)


def test_name_says_the_models_and_is_never_used_twice(tmp_path: Path) -> None:
    names = [made(tmp_path).path.name for _ in range(3)]
    assert len(set(names)) == 3
    assert all("-z-ai-glm-5+oracle" in name for name in names)


def test_new_folder_has_no_results(tmp_path: Path) -> None:
    assert made(tmp_path).results() == ()


def test_half_written_last_line_is_not_read(tmp_path: Path) -> None:
    folder = made(tmp_path)
    folder.add(result(), transcript(result()))
    path = folder.path / "results.jsonl"
    whole = path.read_bytes()
    line = result(trial=2).model_dump_json().encode()
    for cut in (1, len(line) // 2, len(line)):
        path.write_bytes(whole + line[:cut])
        assert folder.results() == (result(),)
    path.write_bytes(whole + line + b"\n")
    assert folder.results() == (result(), result(trial=2))


def test_part_files_and_transcripts_without_a_line_are_ignored(tmp_path: Path) -> None:
    folder = made(tmp_path)
    folder.write_info(info(result()))
    folder.add(result(), transcript(result()))
    (written,) = (folder.path / "trials").iterdir()
    (folder.path / ".run.json.part").write_text('{"id": "half')
    (folder.path / "trials" / f".{written.name}.part").write_text('{"model": "half')
    shutil.copy(written, written.with_name(written.name.replace("--1.json", "--2.json")))
    assert folder.info() == info(result())
    assert folder.transcripts() == (transcript(result()),)


def test_models_of_similar_names_keep_their_own_transcripts(tmp_path: Path) -> None:
    folder = made(tmp_path)
    names = ("a/b", "a-b", "a:b", "a//b", "a%2Fb")
    trials = [result(model=name) for name in names]
    for each in trials:
        folder.add(each, transcript(each))
    assert [each.model for each in folder.transcripts()] == list(names)
    assert len(list((folder.path / "trials").iterdir())) == len(names)


@pytest.mark.parametrize("seed", [0, 1, 2, *map(nightly, range(3, 12))])
def test_kill_at_any_moment(tmp_path: Path, seed: int) -> None:
    """SIGKILL in the middle of writing trials: what is read back is whole and in order."""
    folder = made(tmp_path)
    chance = random.Random(seed)
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder.path)], cwd=REPOSITORY, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        for _ in range(chance.randint(1, 12)):
            said = writer.stdout.readline()
        for _ in range(chance.randint(0, 200_000)):  # somewhere within the next trials, not at their border
            pass
        writer.send_signal(signal.SIGKILL)
        said = (said + writer.stdout.read()).split()[-1]
    done = folder.results()
    assert done == tuple(long_result(trial) for trial in range(1, len(done) + 1))
    assert len(done) >= int(said)
    assert folder.transcripts() == tuple(transcript(each) for each in done)
    assert folder.info().settings["trials"] in (len(done) - 1, len(done))


#: Forks for each n-th line of run_dir.py and lines.py that three trials run through; the fork kills itself there.
KILLED_EVERYWHERE = """
import os, signal, sys
from pathlib import Path
from tests.unit.bench.samples import info, result, transcript
from verifaible.bench import run_dir as module
from verifaible.runs import lines

def write(place, point):
    reached = 0
    def trace(frame, event, argument):
        nonlocal reached
        if frame.f_code.co_filename not in (module.__file__, lines.__file__):
            return None
        if event == "line":
            reached += 1
            if reached == point:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace
    folder = module.RunFolder(place)
    sys.settrace(trace)
    for trial in (1, 2, 3):
        folder.write_info(info(result(trial=trial), settings={"trials": trial}))
        folder.add(result(trial=trial), transcript(result(trial=trial)))
    folder.write_report("# Run")
    os._exit(0)

status, point = -1, 0
while status:
    point += int(sys.argv[2])
    place = Path(sys.argv[1]) / f"{point:04}"
    (place / "trials").mkdir(parents=True)
    child = os.fork()
    if not child:
        write(place, point)
    status = os.waitpid(child, 0)[1]
"""


@pytest.mark.parametrize("every", [4, nightly(1)])
def test_kill_at_every_line_that_writes(every: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED_EVERYWHERE, str(tmp_path), str(every)]
    subprocess.run(command, cwd=REPOSITORY, check=True)
    killed = [RunFolder(path) for path in sorted(tmp_path.iterdir())]
    assert len(killed) > 50 // every
    trials = [result(trial=trial) for trial in (1, 2, 3)]
    read = [folder.results() for folder in killed]
    assert all(list(done) == trials[: len(done)] for done in read)
    assert [len(done) for done in read] == sorted(len(done) for done in read)  # nothing done is lost
    assert {len(done) for done in read} == {0, 1, 2, 3}
    for folder, done in zip(killed, read, strict=True):
        assert folder.transcripts() == tuple(transcript(each) for each in done)
        if (folder.path / "run.json").exists():
            assert folder.info().settings["trials"] in (len(done), len(done) + 1)
    assert any(list(folder.path.rglob(".*.part")) for folder in killed)
    whole = {
        (folder.path / "report.md").read_text() for folder in killed if (folder.path / "report.md").exists()
    }
    assert whole == {"# Run"}


#: Lets the line of the second trial meet a limit in its middle, then writes a third without one.
FULL_DISK = """
import resource, sys
from pathlib import Path
from tests.unit.bench.samples import result, transcript
from verifaible.bench.run_dir import RunFolder
from verifaible.runs.lines import DamagedLine
from verifaible.bench.run_dir import find_run
from verifaible.bench.pool import read_run
from verifaible.errors import RunError

folder = RunFolder(Path(sys.argv[1]))
def add(trial):
    folder.add(result(trial=trial, answer="a" * 3_000), transcript(result(trial=trial)))
add(1)
size = (folder.path / "results.jsonl").stat().st_size
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 1_500, hard))
try:
    add(2)
except RunError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
add(3)
"""


def test_full_disk_leaves_no_half_line_for_the_next_one_to_be_glued_to(tmp_path: Path) -> None:
    if resource.getrlimit(resource.RLIMIT_FSIZE)[1] not in (resource.RLIM_INFINITY, -1):
        pytest.skip("file sizes are limited on this machine")
    folder = made(tmp_path)
    command = [sys.executable, "-c", FULL_DISK, str(folder.path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert "results.jsonl cannot be read or written (File too large)" in done.stdout
    assert [each.trial for each in folder.results()] == [1, 3]


def test_faults_of_the_folder_are_a_sentence(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "nowhere")
    with pytest.raises(RunError, match=r"run\.json cannot be read or written \(No such file or directory\)"):
        folder.info()
    with pytest.raises(RunError, match=r"cannot be read or written"):
        folder.add(result(), transcript(result()))
    folder = made(tmp_path)
    (folder.path / "run.json").write_text('{"id": "x"}')
    with pytest.raises(RunError, match=r"run\.json is damaged \(started_at: Field required\)"):
        folder.info()
    (folder.path / "results.jsonl").write_text("{}\n")
    with pytest.raises(RunError, match=r"Line 1 of .*results\.jsonl is damaged \(model: Field required\)"):
        RunFolder(folder.path, whole=True).results()
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(RunError, match="cannot be made"):
        RunFolder.create(file, ("oracle",))


def test_a_damaged_line_costs_its_own_trial_alone(tmp_path: Path) -> None:
    folder = made(tmp_path)
    for trial in (1, 2, 3):
        folder.add(result(trial=trial), transcript(result(trial=trial)))
    path = folder.path / "results.jsonl"
    one, two, three = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(one + two[:40] + b"\n" + three)
    with pytest.warns(DamagedLine, match=r"Line 2 of .*results\.jsonl"):
        assert [each.trial for each in folder.results()] == [1, 3]


def test_a_run_that_ended_before_it_began_is_said_to_be_empty(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is empty: its run ended before anything of it was kept"):
        made(tmp_path).info()


def test_a_link_among_the_runs_is_not_followed(tmp_path: Path) -> None:
    folder = made(tmp_path)
    folder.write_info(info())
    runs = folder.path.parent
    (runs / "zzz").symlink_to(folder.path)
    assert find_run("latest", runs) == folder.path
    with pytest.raises(RunError, match="not a run folder"):
        find_run("zzz", runs)


def test_file_is_on_disk_before_the_trial_counts_as_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, synced = made(tmp_path), []
    monkeypatch.setattr(os, "fsync", lambda number: synced.append(os.fstat(number).st_size))
    folder.add(result(), transcript(result()))
    (told,) = (folder.path / "trials").iterdir()
    assert synced == [told.stat().st_size, (folder.path / "results.jsonl").stat().st_size]


def test_each_session_of_a_run_has_a_folder_for_what_it_records(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "runs", ("a/b",))
    none: tuple[Path, ...] = run.recorded_archives
    assert none == ()
    for name in ("b.example.wacz", "a.example.wacz"):
        sites = run.new_sites()
        sites.mkdir()
        (sites / name).write_bytes(b"archive")
    assert [each.relative_to(run.path).as_posix() for each in run.recorded_archives] == [
        "sites/b.example.wacz",
        "sites-2/a.example.wacz",
    ]
