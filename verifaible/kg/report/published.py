"""The published figures of FinReflectKG - EvalBench, as data, to stand beside our own.

Facts of the paper's table 1, always marked as published; they were not measured by this package.
"""

from __future__ import annotations

from typing import Final

SOURCE: Final = (
    "published: FinReflectKG - EvalBench (arXiv 2510.05710), table 1: 10-K filings of S&P 100 companies for "
    "fiscal year 2024, judged by Qwen3-32B; how its comprehensiveness becomes per cent is not given"
)
#: The paper's columns, by the mode that the name of an extraction of ours begins with.
MODES: Final = {"single": "Single pass", "multi": "Multi pass", "reflection": "Reflection"}
#: Per cent, by criterion in the order of the paper's rows.
FIGURES: Final = {
    "comprehensiveness": ("62.60", "62.41", "72.01"),
    "faithfulness": ("87.25", "78.73", "83.40"),
    "precision": ("56.06", "58.01", "59.49"),
    "relevance": ("91.46", "82.64", "92.52"),
}
