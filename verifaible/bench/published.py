"""The published figures of VerifAIble Bench (report of February 2026), as data.

Facts of the report's tables, to stand beside our own runs, always marked as published. They
are not measurements of this package. The report's total for DeepSeek-R1 (1,080, with 11
passes and 10 full scores) is not the sum of its own 21 cells and of its own category table
(1,180; 12; 11): the cells are what is used, the printed figures are kept beside.
"""

from __future__ import annotations

import hashlib
from typing import Final

from verifaible.schema.base import Record

SOURCE: Final = "published: VerifAIble Bench Evaluation Report, February 2026"


class PublishedModel(Record):
    """The figures printed for one model.

    ``printed_*`` are from section 4.1 and Appendix A, as printed; tokens from Appendix C;
    rounds, tool calls and durations are means a case (section 4.4), ``total_minutes`` is of
    the whole run.
    """

    name: str
    short_name: str
    printed_total: int
    printed_average: float
    printed_passed: int
    printed_full: int
    average_rounds: float
    average_tool_calls: float
    average_duration_s: int
    total_minutes: float
    input_tokens: int
    output_tokens: int

    @property
    def total_tokens(self) -> int:
        """Input and output tokens of the whole run."""
        return self.input_tokens + self.output_tokens


class PublishedCase(Record):
    """One row of Appendix A; ``scores`` follow :data:`MODELS`."""

    case: str
    category: str
    scores: tuple[int, int, int, int]


class PublishedCategory(Record):
    """One row of section 4.2; ``totals`` follow :data:`MODELS`."""

    name: str
    category: str
    cases: int
    totals: tuple[int, int, int, int]


def _model(name: str, short: str, printed: tuple[int, float, int, int], *figures: float) -> PublishedModel:
    total, average, passed, full = printed
    rounds, calls, duration, minutes, given, written = figures
    return PublishedModel(
        name=name,
        short_name=short,
        printed_total=total,
        printed_average=average,
        printed_passed=passed,
        printed_full=full,
        average_rounds=rounds,
        average_tool_calls=calls,
        average_duration_s=int(duration),
        total_minutes=minutes,
        input_tokens=int(given),
        output_tokens=int(written),
    )


#: In the order of the columns of Appendix A.
MODELS: Final[tuple[PublishedModel, ...]] = (
    _model("GLM-5", "glm-5", (2100, 100.0, 21, 21), 7.7, 6.7, 159, 55.7, 1_866_536, 31_507),
    _model("MiniMax-M2.5", "minimax-m2.5", (1680, 80.0, 17, 16), 10.6, 9.7, 204, 71.3, 3_453_171, 54_435),
    _model("Kimi-K2.5", "kimi-k2.5", (1680, 80.0, 17, 16), 8.0, 7.0, 173, 60.6, 2_654_870, 39_759),
    _model("DeepSeek-R1", "deepseek-r1", (1080, 51.4, 11, 10), 5.0, 4.0, 329, 115.0, 1_016_392, 160_241),
)


def _cases(category: str, rows: str) -> tuple[PublishedCase, ...]:
    split = [row.split() for row in rows.split(";")]
    return tuple(
        PublishedCase(case=case, category=category, scores=(int(glm), int(minimax), int(kimi), int(deepseek)))
        for case, glm, minimax, kimi, deepseek in split
    )


#: Appendix A, in its order within each category; categories as the report names them there.
CASES: Final[tuple[PublishedCase, ...]] = (
    *_cases("text", "cn_text_001 100 100 100 100; cn_text_002 100 100 100 100"),
    *_cases("text/table", "cn_text_table_001 100 100 100 100"),
    *_cases(
        "table",
        "cn_table_001 100 100 100 100; cn_table_002 100 100 0 0; cn_table_003 100 100 100 100;"
        "cn_table_004 100 100 100 80; cn_table_005 100 100 100 100; cn_table_006 100 100 100 100",
    ),
    *_cases(
        "dynamic",
        "cn_dynamic_001 100 0 100 0; cn_dynamic_002 100 0 0 0; cn_dynamic_003 100 0 0 0;"
        "cn_dynamic_004 100 0 0 0",
    ),
    *_cases("dynamic+pdf", "cn_dynamic_pdf_001 100 100 80 0; cn_dynamic_pdf_002 100 100 100 0"),
    *_cases("text", "us_text_001 100 100 100 100; us_text_002 100 100 100 100; us_text_003 100 80 100 100"),
    *_cases("table", "us_table_001 100 100 100 100"),
    *_cases("video", "video_001 100 100 100 0; video_002 100 100 100 0"),
)

#: Section 4.2, as printed; its "Static Text" takes in the one text/table case.
CATEGORIES: Final[tuple[PublishedCategory, ...]] = tuple(
    PublishedCategory(name=name, category=category, cases=cases, totals=totals)
    for name, category, cases, totals in (
        ("Static Text", "text", 6, (600, 580, 600, 600)),
        ("Static Table", "table", 7, (700, 700, 600, 580)),
        ("Dynamic Page", "dynamic", 4, (400, 0, 100, 0)),
        ("Dynamic+PDF", "dynamic+pdf", 2, (200, 200, 180, 0)),
        ("Video", "video", 2, (200, 200, 200, 0)),
    )
)


#: The questions with their answers as the public set has them, as the first digits of their SHA-256.
_ASKED: Final = frozenset(
    (
        *("10fc5a5861bd", "d28bb172f2e9", "373c9c019353", "e91e821bd4f4", "ed2fb0a2557d"),
        *("020673959fc4", "f3087f708377", "fdf880745e41", "0d479859e712", "1fe0514b8104"),
        *("8d831bf8577a", "c48adac93ed0", "70ed70a45e42", "4646becbef0b", "7f26748571dc"),
        *("05d345b84d14", "1e9497ca2f3e", "db8c0ae63d41", "2d510e3317e2", "eba2cd62c081"),
        "63806c001747",
    )
)


def was_asked(question: str, answer: str) -> bool:
    """Whether the published models were asked this, word for word, with this answer in mind."""
    return hashlib.sha256(f"{question}\n{answer}".encode()).hexdigest()[:12] in _ASKED


def published_scores(name: str) -> dict[str, int]:
    """The published score of each case for a model, by its printed or its short name.

    Raises:
        KeyError: no such model was published.
    """
    for index, model in enumerate(MODELS):
        if name in (model.name, model.short_name):
            return {row.case: row.scores[index] for row in CASES}
    raise KeyError(f"{name!r} is not among the published models: {', '.join(m.name for m in MODELS)}.")


def cell_total(name: str) -> int:
    """The sum of the 21 published cells of a model, which for DeepSeek-R1 is not the printed total."""
    return sum(published_scores(name).values())
