"""The published figures of CryptoAnalystBench, as data, to stand beside our own.

Facts of the paper's tables 4, 5, 7, 8 and 9, always marked as published; they were not measured by this
package. The printed rows of table 7 do not all add up to 100 %: four of the five are off by more than the
rounding of three figures explains. The paper's 93.45 % accuracy of its error
classifier has to be read beside :func:`all_zero_accuracy`: on the proportions of its own table 9, calling
every answer free of every error is right as often.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from verifaible.schema.base import Record
from verifaible.schema.judged import DIMENSIONS, Dimension

SOURCE: Final = "published: CryptoAnalystBench, tables 4, 5, 7, 8 and 9"
#: Queries of the public set, over which tables 4 and 7 to 9 are made.
QUERIES: Final = 198
#: Of the queries of the public set, sorted, a line each.
QUERIES_SHA256: Final = "2685aabeff9b21cd73a77d05d2605fccb8a27ff987cdd67ccf80a9861ef52455"
#: Section 6: how often the paper's error classifier agrees with its annotators.
TAXONOMY_ACCURACY: Final = Decimal("93.45")


class PublishedModel(Record):
    """The printed figures of one model.

    Attributes:
        name: as in table 4; the other tables spell some names otherwise.
        rubric: table 4, in the order of :data:`~verifaible.schema.judged.DIMENSIONS`, points of 10.
        claims: table 7: exact, derived and fabricated, per cent.
        preciseness: table 8, per cent.
        errors: table 9, proportions in the order of :data:`~verifaible.schema.judged.ERROR_CATEGORIES`.
    """

    name: str
    rubric: tuple[Decimal, ...]
    claims: tuple[Decimal, Decimal, Decimal]
    preciseness: Decimal
    errors: tuple[Decimal, ...]


def _model(name: str, *figures: str) -> PublishedModel:
    rubric, claims, (preciseness,), errors = (tuple(map(Decimal, each.split())) for each in figures)
    exact, derived, fabricated = claims
    return PublishedModel(
        name=name.strip(),
        rubric=rubric,
        claims=(exact, derived, fabricated),
        preciseness=preciseness,
        errors=errors,
    )


#: In the order of table 4: name | rubric | claims | preciseness | errors.
MODELS: Final[tuple[PublishedModel, ...]] = tuple(
    _model(*line.split("|"))
    for line in """\
GPT OSS 120B | 8.27 8.77 7.25 9.17 | 61.72 32.90 5.49 | 89.88 | 0.141 0.025 0.076 0.025 0.167 0.005 0.101
GLM 4.7      | 8.46 8.99 7.85 9.27 | 70.18 28.63 1.22 | 97.14 | 0.136 0.025 0.071 0.005 0.146 0.005 0.162
Kimi K2.5    | 8.78 9.03 8.35 9.58 | 66.98 31.44 1.51 | 95.69 | 0.086 0.010 0.056 0.015 0.096 0.000 0.141
Qwen 235B    | 8.49 8.84 8.01 9.36 | 74.59 23.36 1.76 | 86.95 | 0.172 0.035 0.096 0.000 0.126 0.010 0.126
GPT-5.2      | 8.77 9.21 8.15 9.57 | 66.42 32.02 1.55 | 95.50 | 0.045 0.020 0.056 0.000 0.101 0.000 0.106
""".splitlines()
)

#: Table 5: quadratic-weighted kappa of the paper's judge and its annotators.
KAPPA: Final[dict[Dimension, Decimal]] = dict(
    zip(DIMENSIONS, map(Decimal, ("0.3856", "0.3493", "0.4178", "0.3589")), strict=True)
)


def were_asked(queries: Iterable[str]) -> bool:
    """Whether these are the queries of the public set, all of them and no others."""
    lines = sorted({" ".join(query.split()) for query in queries})
    return hashlib.sha256("\n".join(lines).encode()).hexdigest() == QUERIES_SHA256


def all_zero_accuracy() -> Decimal:
    """Per cent right of a classifier that never finds an error, were the truth as table 9 has it."""
    shares = [share for model in MODELS for share in model.errors]
    return 100 * (1 - sum(shares, Decimal()) / len(shares))
