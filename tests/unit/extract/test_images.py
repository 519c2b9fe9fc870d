"""What a picture is, by its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.extract.images import image_type


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\0\x1cftypavif", "image/avif"),
        (b"<svg/>", "image/svg+xml"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><!-- a > b --><!DOCTYPE svg>\n<svg xmlns='x'>", "image/svg+xml"),
        (b"<!-- <svg> -->", ""),
        (b"<!-- <svg>", ""),
        (b"<html><svg></svg></html>", ""),
        (b"<!doctype html><script></script><svg>", ""),
        (b"<svgx>", ""),
        (b"<script>1</script>", ""),
        (b"", ""),
    ],
)
def test_only_what_the_bytes_say_is_a_picture(data: bytes, kind: str) -> None:
    assert image_type(data) == kind


@pytest.mark.parametrize("piece", [b"<!---->", b"<!-->", b"<?>", b"<!--", b" ", b"<!-- > "])
def test_no_bytes_take_long_to_be_told(piece: bytes) -> None:
    # Read twice at each piece, these would take longer than the universe has.
    assert image_type(piece * 2_000) == ""


@given(st.lists(st.sampled_from([b"<!--", b"-->", b"<?", b"<!", b">", b" ", b"<svg", b"<svg>", b"x"])))
def test_nothing_before_the_root_but_comments_and_declarations(parts: list[bytes]) -> None:
    data = b"".join(parts)
    if image_type(data):
        before = data.partition(b"<svg")[0].lstrip()
        assert not before or before.startswith((b"<?", b"<!"))
