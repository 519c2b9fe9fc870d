"""What a robots.txt allows, read in time that grows with its size alone."""

from __future__ import annotations

import pytest

from verifaible.net.robots import US, judge


@pytest.mark.parametrize(
    ("rules", "path", "allows"),
    [
        ("Disallow: /private", "/private/a", False),
        ("Disallow: /private", "/public", True),
        ("Disallow: /*.pdf$", "/a/b.pdf", False),
        ("Disallow: /*.pdf$", "/a/b.pdf?x=1", True),
        ("Disallow: /a$", "/a", False),
        ("Disallow: /a$", "/ab", True),
        ("Disallow: /*a*$", "/ba", False),
        ("Disallow: /*ab*ba$", "/aba", True),
        ("Disallow: /\nAllow: /open", "/open/1", True),
        ("Disallow: /*/x", "/a/x/y", False),
    ],
)
def test_rules(rules: str, path: str, allows: bool) -> None:
    assert judge(f"User-agent: *\n{rules}", f"https://site.example{path}") is allows


def test_our_own_group_counts_before_that_of_all() -> None:
    text = f"User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: {US}\nDisallow: /a\n"
    assert [judge(text, f"https://site.example{path}") for path in ("/a", "/b")] == [False, True]


def test_a_file_made_to_take_long_does_not() -> None:
    """Each of these took minutes or more than all time: by going back, and by every agent times every rule."""
    assert judge("User-agent: *\nDisallow: /" + "*a" * 40 + "*b", "https://site.example/" + "a" * 4000)
    many = "User-agent: a\n" * 30_000 + "Disallow: /x\n" * 30_000
    assert judge(many, "https://site.example/x")
