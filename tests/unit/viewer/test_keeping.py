"""What the viewer keeps: at most so much, the last asked for, and nothing of what failed."""

from __future__ import annotations

import pytest

from verifaible.viewer.keeping import Kept


def test_what_was_asked_for_last_is_kept_up_to_a_size() -> None:
    kept, made = Kept[bytes](16, len), list[str]()

    def get(name: str, size: int = 4, stamp: object = None) -> None:
        def make() -> bytes:
            made.append(name)
            return bytes(size)

        kept.get(name, stamp, make)

    for name in "abcdaeab":
        get(name)
    assert "".join(made) == "abcdeb"  # "b" made room for "e", and "c" for "b"
    get("a", 2, stamp="changed")
    get("f", 2)
    get("b")  # 4 + 4 + 4 + 2 + 2: a value that was made anew counts once
    assert "".join(made) == "abcdebaf"
    for name in "LLdeb":  # what is larger than a quarter is not kept, and drives nothing out
        get(name, 5)
    assert "".join(made) == "abcdebafLL"


def test_what_cannot_be_made_leaves_nothing_behind() -> None:
    kept = Kept[bytes](10)

    def failing() -> bytes:
        raise ValueError

    for number in range(3):
        with pytest.raises(ValueError):
            kept.get(number, None, failing)
    assert not kept._making
