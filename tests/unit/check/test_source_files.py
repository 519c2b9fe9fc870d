"""Sources given as files: a folder, or a list in JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from verifaible.check.source_files import read_source_files
from verifaible.errors import ConfigError


def test_files_of_a_folder_are_named_by_their_stem_and_number(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("It rose.")
    (tmp_path / "src_2.json").write_text('{"rate": 5}')
    (tmp_path / ".hidden").write_text("no")
    found = read_source_files(tmp_path)
    assert [(each.id, each.kind, each.aliases) for each in found] == [
        ("1", "document", ()),
        ("src_2", "api", ("2",)),
    ]


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ([{"id": "a", "text": "It rose."}], [("a", b"It rose.")]),
        ([{"id": 7, "text": "It rose.", "title": "T"}], [("7", b"It rose.")]),
        ([{"text": "It rose."}, {"text": "It fell."}], [("1", b"It rose."), ("2", b"It fell.")]),
        ({"a": {"text": "It rose."}}, [("a", b"It rose.")]),
        ([{"id": "a", "file": "report.txt"}], [("a", b"It stood.")]),
        ([{"id": "a", "data": {"rate": 5}}], [("a", b'{\n "rate": 5\n}')]),
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], [("a", b"x"), ("a#2", b"y")]),
        ([{"id": "a", "url": "https://a.example/"}], []),
    ],
)
def test_a_list_has_words_data_or_files_beside_it(listed: Any, found: Any, tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("It stood.")
    (tmp_path / "sources.json").write_text(json.dumps(listed))
    assert [(each.id, each.body) for each in read_source_files(tmp_path)] == found


@pytest.mark.parametrize(
    ("listed", "why"),
    [
        ("[", "no list of sources"),
        ("5", "no list of sources"),
        ('[{"id": "a", "file": "../secret.txt"}]', "no file beside the list"),
        ('[{"id": "a", "file": "none.txt"}]', "cannot be read"),
    ],
)
def test_what_cannot_be_used_says_why(listed: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text(listed)
    with pytest.raises(ConfigError, match=why):
        read_source_files(tmp_path / "list.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="no sources"):
        read_source_files(tmp_path / "empty")
