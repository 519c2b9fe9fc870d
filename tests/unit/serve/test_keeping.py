"""What the viewer keeps: at most so much, the last asked for, and nothing of what failed."""

from __future__ import annotations

import pytest

from verifaible.serve.keeping import Kept


def test_what_was_asked_for_last_is_kept_up_to_a_size() -> None:
    kept, made = Kept[bytes](10, len), list[str]()

    def get(name: str, size: int, stamp: object = None) -> None:
        kept.get(name, stamp, lambda: made.append(name) or bytes(size))

    for name, size in (("a", 4), ("b", 4), ("a", 4), ("c", 4), ("a", 4), ("b", 4)):
        get(name, size)
    assert made == ["a", "b", "c", "b"]  # "b" made room for "c"
    get("a", 2, stamp="changed")
    get("d", 4)
    get("b", 4)  # 2 + 4 + 4: a value that was made anew counts once
    assert made == ["a", "b", "c", "b", "a", "d"]


def test_what_cannot_be_made_leaves_nothing_behind() -> None:
    kept = Kept[bytes](10)

    def failing() -> bytes:
        raise ValueError

    for number in range(3):
        with pytest.raises(ValueError):
            kept.get(number, None, failing)
    assert not kept._making
