from __future__ import annotations

from time import process_time
from types import SimpleNamespace
from typing import Any

from verifaible.check.run import Comparison
from verifaible.schema.analyst import Claim


def lent(text: str, *claims: Claim) -> tuple[str, ...] | None:
    answer: Any = SimpleNamespace(answer=text)
    found = Comparison(answer, claims, {}, {})._lent(claims[0])
    return found.cites if found is not None else None


def of(text: str, words: str, *cites: str, broken: tuple[str, ...] = ()) -> Claim:
    start = text.index(words)
    end = start + len(words)
    return Claim(id=words, start=start, end=end, text=words, kind="number", cites=cites, broken=broken)


def test_a_sentence_without_a_mark_has_the_source_of_the_next_mark_of_its_paragraph() -> None:
    text = "It rose by 5. It fell by 3. It was 7 [1]. It is 9 [2]."
    first, second, third, last = "It rose by 5", "It fell by 3", "It was 7", "It is 9"
    claims = (of(text, first), of(text, second), of(text, third, "1"), of(text, last, "2"))
    assert lent(text, *claims) == ("1",)
    assert lent(text, *claims[1:]) == ("1",)


def test_neither_the_next_paragraph_nor_a_mark_that_leads_nowhere_lends_a_source() -> None:
    text = "It rose by 5.\n\nIt was 7 [1]."
    other = of(text, "It was 7", "1")
    assert lent(text, of(text, "It rose by 5"), other) is None
    same = text.replace("\n\n", " ")
    assert lent(same, of(same, "It rose by 5", broken=("9",)), of(same, "It was 7", "1")) is None
    assert lent(same, of(same, "It rose by 5")) is None


def test_the_next_mark_is_found_without_a_look_at_every_claim() -> None:
    text = "It is 5. " * 5_000 + "It was 7 [1]."
    claims = [
        Claim(id=str(at), start=9 * at, end=9 * at + 7, text="It is 5", kind="number") for at in range(5_000)
    ]
    answer: Any = SimpleNamespace(answer=text)
    compared = Comparison(answer, [*claims, of(text, "It was 7", "1")], {}, {})
    started = process_time()
    found = [compared._lent(each) for each in claims]
    assert process_time() - started < 0.5
    assert {each.cites for each in found if each is not None} == {("1",)} and None not in found
