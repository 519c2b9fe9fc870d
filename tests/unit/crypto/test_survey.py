"""Statistics of a questionnaire: means, deviations and counts with their N, and cells that are refused with their place."""

from __future__ import annotations

from pathlib import Path
from statistics import stdev
from subprocess import CompletedProcess

import pytest

from tests.command_line import run_command
from verifaible.crypto.survey import survey
from verifaible.errors import RunError

SHEET = """\
Time,Market [Accuracy],Market [Clarity],News [Timeliness],Better at,Comment
10:01,5,4,N/A,Time;Logic,good
10:02,4,4,5,Time,
10:03,3,,4,,"two
lines"
10:04,5,5,n/a,Logic; Time;Time,
"""


def sheet(folder: Path, text: str = SHEET) -> Path:
    path = folder / "answers.csv"
    path.write_text(text, encoding="utf-8")
    return path


def run(folder: Path, *arguments: str, text: str = SHEET) -> CompletedProcess[str]:
    return run_command(
        ["crypto", "survey", str(sheet(folder, text)), *arguments],
        environment={"HOME": str(folder)},
        folder=folder,
    )


def test_groups_are_means_over_all_their_ratings_with_their_n(tmp_path: Path) -> None:
    found = survey(sheet(tmp_path), ["Better at"]).figures
    market, news = found["groups"]
    assert (market["name"], market["ratings"]) == ("Market", 7)
    assert (market["mean"], market["deviation"]) == pytest.approx((30 / 7, stdev([5, 4, 3, 5, 4, 4, 5])))
    assert (news["ratings"], news["mean"]) == (2, 4.5)
    assert (found["overall"]["ratings"], found["overall"]["mean"]) == (9, pytest.approx(39 / 9))
    assert [(each["name"], each["ratings"]) for each in found["items"]] == [
        ("Market [Accuracy]", 4), ("Market [Clarity]", 3), ("News [Timeliness]", 2),
    ]  # fmt: skip
    (question,) = found["choices"]
    assert [(each["name"], each["count"]) for each in question["options"]] == [("Time", 3), ("Logic", 2)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SHEET.replace("10:02,4", "10:02,6"), r"line 3, column Market \[Accuracy\]: '6'"),
        (SHEET.replace("10:04,5,5", "10:04,5,five"), r"line 6, column Market \[Clarity\]: 'five'"),
        (SHEET.replace("10:02,4", "10:02,4.5"), "line 3"),
        (SHEET.replace("10:02,4", "10:02,0"), "line 3"),
        (SHEET.replace("10:02,4,4,5,Time,", "10:02,4,4,5,Time"), "line 3: 5 cells"),
        (SHEET.replace("Market [Clarity]", "Market [Accuracy]"), "twice"),
        ("Time,Comment\n1,2\n", r"Group \[item\]"),
        ("", "empty"),
        ("A [x]\n", "no answer"),
        ('A [x]\n"4\n', "quote"),
    ],
)
def test_a_faulty_sheet_is_refused_with_line_and_column(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RunError, match=said):
        survey(sheet(tmp_path, text))


def test_the_command_shows_every_figure_with_its_n(tmp_path: Path) -> None:
    result = run(tmp_path, "--choices", "Better at")
    assert result.returncode == 0, result.stderr
    assert "4.29 ± 0.76, n=7" in result.stdout
    assert "Market [Accuracy]" in result.stdout
    assert "75.0 %, 3/4" in result.stdout
    assert "Time, Comment" in result.stderr  # columns that are neither
