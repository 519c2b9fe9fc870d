"""The pictures of a page that are taken after each step: what an operator would have seen. No evidence."""

from __future__ import annotations

from verifaible.archive.reader import WaczReader


def step_file(number: int) -> str:
    """The name of the picture after a step, counted from 1, in ``evidence/``."""
    return f"step-{number}.jpg"


def step_picture(reader: WaczReader, number: int) -> bytes:
    """The picture after a step, as JPEG; empty where the capture has none (those made before had none)."""
    name = f"evidence/{step_file(number)}"
    data = reader.read(name) if name in reader.names() else b""
    return data if data.startswith(b"\xff\xd8\xff") else b""
