"""Texts for searching: what differs only in form is alike, what reads otherwise is not."""

from __future__ import annotations

import pytest

from verifaible.text.flat import folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("NET  Sales", "net\nsales"),
        ("ﬁne ｶﾞｽ １２", "Fine ガス 12"),
        ("“Foo”\u200b 3–4", '"foo" 3-4'),
        ("Cafe\u0301", "caf\u00e9"),
        ("人民币\u3000汇率", "人民币汇率"),
    ],
)
def test_forms_are_alike(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10²", "102"),
        ("1½", "11⁄2"),
        ("①", "1"),
        ("C++", "C"),
        ("3.4", "34"),
        ("−5", "5"),
        ("resumé", "resume"),
    ],
)
def test_what_reads_otherwise_is_not(one: str, other: str) -> None:
    assert folded(one) != folded(other)
