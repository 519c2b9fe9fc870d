"""Replies on disk: by content, whole, shared, and unharmed by a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from verifaible.config import Settings
from verifaible.errors import RunError
from verifaible.llm.base import AnswerForm
from verifaible.llm.replies import KeptReply, ModelIdentity, ReplyCache, replies_of, reply_key
from verifaible.schema.chat import Usage

JUDGE = ModelIdentity(slug="m", host="h:1", api="chat", temperature=0.0, request={"seed": 1})
FORM = AnswerForm(name="f", parameters={"type": "object"})
KEY = reply_key(JUDGE, "s", "u", FORM, repeat=0, attempt=1)


def test_a_reply_is_read_back_as_it_was_kept(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies")
    assert cache.get(KEY) is None
    usage = Usage(input_tokens=7, cost_usd=0.1 + 0.2)
    kept = cache.keep(KeptReply(key=KEY, text="{} 亿 \u202e \x00", usage=usage, model="m-1", duration_s=1.5))
    assert ReplyCache(tmp_path / "replies").get(KEY) == kept
    assert kept.text == "{} 亿 \u202e \x00"
    assert kept.usage == usage


def test_a_reply_of_a_later_version_is_not_read_as_one_of_ours(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.keep(KeptReply(key=KEY, text="{}"))
    [file] = tmp_path.rglob(f"{KEY}.json")
    said = json.loads(file.read_bytes())
    assert said["format"] == 1
    file.write_text(json.dumps(said | {"format": 2}), encoding="utf-8")
    assert cache.get(KEY) is None


def test_every_part_of_a_question_makes_another_key() -> None:
    others = [
        reply_key(JUDGE, "s2", "u", FORM, repeat=0, attempt=1),
        reply_key(JUDGE, "s", "u2", FORM, repeat=0, attempt=1),
        reply_key(JUDGE, "su", "", FORM, repeat=0, attempt=1),
        reply_key(JUDGE, "s", "u", FORM, repeat=1, attempt=1),
        reply_key(JUDGE, "s", "u", FORM, repeat=0, attempt=2),
        reply_key(JUDGE, "s", "u", AnswerForm(name="f", parameters={}), repeat=0, attempt=1),
        reply_key(JUDGE, "s", "u", AnswerForm(name="g", parameters={"type": "object"}), repeat=0, attempt=1),
    ]
    for field, value in (
        ("slug", "n"),
        ("host", "h:2"),
        ("api", "responses"),
        ("temperature", None),
        ("max_output_tokens", 5),
        ("request", {"seed": 2}),
    ):
        other = JUDGE.model_copy(update={field: value})
        others.append(reply_key(other, "s", "u", FORM, repeat=0, attempt=1))
    assert len({KEY, *others}) == len(others) + 1
    assert reply_key(JUDGE, "s", "\ud800", FORM, repeat=0, attempt=1)


def test_of_two_replies_to_one_question_the_first_counts(tmp_path: Path) -> None:
    one, two = ReplyCache(tmp_path), ReplyCache(tmp_path)
    first = one.keep(KeptReply(key=KEY, text="first"))
    assert two.keep(KeptReply(key=KEY, text="second")) == first
    assert one.get(KEY) == two.get(KEY)


@pytest.mark.parametrize("damage", [b"", b'{"key": "', b"\xff\xfe", b"{}", b'{"format": 9, "key": "KEY"}'])
def test_a_damaged_reply_is_asked_for_again(damage: bytes, tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.keep(KeptReply(key=KEY, text="first"))
    path = tmp_path / KEY[:2] / f"{KEY}.json"
    path.write_bytes(damage.replace(b"KEY", KEY.encode()))
    assert cache.get(KEY) is None
    assert cache.keep(KeptReply(key=KEY, text="again")).text == "again"
    assert cache.get(KEY) == ReplyCache(tmp_path).get(KEY) != None  # noqa: E711


def test_a_reply_under_another_name_is_not_taken(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.keep(KeptReply(key=KEY, text="first"))
    other = "ab" * 32
    target = tmp_path / "ab" / f"{other}.json"
    target.parent.mkdir(exist_ok=True)
    target.write_bytes((tmp_path / KEY[:2] / f"{KEY}.json").read_bytes())
    assert cache.get(other) is None


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunError, match="cannot be kept in"):
        ReplyCache(tmp_path / "file").keep(KeptReply(key=KEY, text="x"))


WRITER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from verifaible.llm.replies import KeptReply, ReplyCache
    cache = ReplyCache(Path(sys.argv[1]))
    print("ready", flush=True)
    for number in range(int(sys.argv[3])):
        cache.keep(KeptReply(key=f"{number:064x}", text=sys.argv[2] * 20_000))
    """
)


def writer(folder: Path, letter: str, number: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", WRITER, str(folder), letter, str(number)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def test_several_processes_agree_on_each_reply(tmp_path: Path) -> None:
    running = [writer(tmp_path, letter, 50) for letter in "abcd"]
    assert [process.wait(60) for process in running] == [0] * 4
    for process in running:
        assert process.stdout is not None
        process.stdout.close()
    cache = ReplyCache(tmp_path)
    for number in range(50):
        kept = cache.get(f"{number:064x}")
        assert kept is not None
        assert len(kept.text) == 20_000
        assert len(set(kept.text)) == 1


def test_a_kill_leaves_whole_replies_only(tmp_path: Path) -> None:
    process = writer(tmp_path, "x", 1_000_000)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    cache = ReplyCache(tmp_path)
    while cache.get(f"{20:064x}") is None:
        assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait(60)
    process.stdout.close()
    for path in tmp_path.glob("*/[!.]*.json"):
        kept = cache.get(path.stem)
        assert kept is not None
        assert kept.text == "x" * 20_000


def test_replies_in_a_folder_of_the_settings_are_shared(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, replies=tmp_path / "shared")
    cache, other = (replies_of(settings, tmp_path / "beside") for _ in range(2))
    assert cache.get(KEY) is None
    kept = cache.keep(KeptReply(key=KEY, text="first"))
    assert other.get(KEY) == other.keep(KeptReply(key=KEY, text="second")) == kept
    assert not (tmp_path / "beside").exists()
    assert replies_of(Settings(home=tmp_path), tmp_path / "beside").folder == tmp_path / "beside"
