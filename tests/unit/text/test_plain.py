"""A stretch of an answer without mark-up."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from verifaible.text.markdown import _MARKED_UP, plain

#: Is dropped, and has the stretch read sign by sign.
_UNSEEN = "\u200b"


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(alphabet="ab1 .#;()<>{}@v/:|\n\r比，。", max_size=60), st.text(max_size=60)))
def test_a_stretch_without_mark_up_is_read_as_any_other(text: str) -> None:
    assume(not _MARKED_UP.search(text))
    assert plain(text, 3) == plain(text + _UNSEEN, 3)


def test_places_are_those_of_the_answer() -> None:
    read = plain("It **rose** to 5&#37; [1]\nnow", 10)
    assert read.text.split() == ["It", "rose", "to", "5%", "now"]
    at = read.text.index("rose")
    assert read.span(at, at + 4) == (15, 19)
