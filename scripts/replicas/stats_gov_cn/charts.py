"""Line charts as SVG, the same to the byte every time."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, TOP, STEP_X, STEP_Y = 640, 300, 60, 50, 44, 40


def line_chart(title: str, labels: Sequence[str], values: Sequence[Decimal]) -> bytes:
    """Draw one index (per cent) over months around the line of 50; returns an SVG file."""
    middle = TOP + (HEIGHT - 2 * TOP) // 2
    points = [(LEFT + STEP_X * i, middle - int((value - 50) * STEP_Y)) for i, value in enumerate(values)]
    path = " ".join(f"{x},{y}" for x, y in points)
    marks = "".join(
        f'<circle cx="{x}" cy="{y}" r="3" fill="#1f5fa8"/>'
        f'<text x="{x}" y="{y - 8}" font-size="11" text-anchor="middle">{value}</text>'
        f'<text x="{x}" y="{HEIGHT - 12}" font-size="9" text-anchor="middle">{escape(label)}</text>'
        for (x, y), value, label in zip(points, values, labels, strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">'
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="{WIDTH // 2}" y="24" font-size="15" text-anchor="middle">{escape(title)}</text>'
        f'<line x1="{LEFT - 20}" x2="{WIDTH - 20}" y1="{middle}" y2="{middle}"'
        f' stroke="#c00" stroke-dasharray="4"/>'
        f'<polyline points="{path}" fill="none" stroke="#1f5fa8" stroke-width="2"/>{marks}</svg>\n'
    ).encode()
