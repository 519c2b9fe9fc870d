"""How alike two findings are: their words, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence

from verifaible.schema.anchor import Rect
from verifaible.text.equivalence import folded


def text_similarity(old: str, new: str) -> float:
    """How alike two texts are after folding, from 0 to 1 (1 for equal texts)."""
    from rapidfuzz.fuzz import ratio

    return round(float(ratio(folded(old), folded(new))) / 100, 4)


def overlap(old: Sequence[Rect], new: Sequence[Rect]) -> float:
    """Intersection over union of two sets of rectangles, from 0 to 1; sets do not overlap themselves."""

    def common(a: Rect, b: Rect) -> float:
        width = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
        height = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
        return max(0.0, width) * max(0.0, height)

    intersection = sum(common(a, b) for a in old for b in new)
    union = sum(rect.width * rect.height for rect in (*old, *new)) - intersection
    return round(min(1.0, intersection / union), 4) if union > 0 else 0.0
