"""Prompts to train on: as many as wanted, different, repeatable, and none of the evaluation's."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import run_command
from tests.kit.public import PUBLIC, needs_public
from training.prompts import TEMPLATES, main, written
from verifaible.crypto.planning.caller import read_prompts

FILES = PUBLIC / "coinvisor/gt.json"


def test_a_thousand_different_prompts_the_same_for_the_same_seed() -> None:
    made = written(1_000, 0)
    assert len(set(made)) == len(made) == 1_000
    assert made == written(1_000, 0)
    assert made != written(1_000, 1)
    assert not any("{" in each for each in made)


def test_every_kind_is_among_the_first_and_what_is_kept_apart_is_not() -> None:
    made = written(200, 3)
    fixed = {text for kind in TEMPLATES.values() for text in kind if "{" not in text}
    assert fixed <= set(made)
    assert not set(made[:50]) & set(written(200, 3, frozenset(made[:50])))


def test_the_file_is_one_that_planning_reads(tmp_path: Path) -> None:
    done = run_command(
        ["--number", "25", str(tmp_path / "prompts.json")], environment={}, folder=tmp_path, command=main
    )
    assert done.returncode == 0
    assert len(read_prompts(tmp_path / "prompts.json")) == 25


@needs_public("coinvisor/gt.json")
def test_no_template_makes_a_prompt_of_the_evaluation() -> None:
    assert not set(written(1_000, 0)) & {each.prompt for each in read_prompts(FILES)}
