"""The data sheet of an instrument: one upright page, and one whose table is set sideways."""

from __future__ import annotations

from typing import Any

import pymupdf as _pymupdf

from scripts.replicas.common import Exchange

# The library has no annotations of its own.
pymupdf: Any = _pymupdf

URL = "https://www.oceandata.example/docs/datasheets/PL-CTD-19.pdf"
WIDTH, HEIGHT = 595, 842
SIZE = 9
INTRODUCTION = (
    "The PL-CTD-19 measures conductivity, temperature, pressure and dissolved oxygen at 24 Hz.",
    "It is flown on a rosette of 24 bottles or alone on a conducting cable.",
    "",
    "Housing: titanium (6,800 m), aluminium (3,400 m) or plastic (600 m).",
    "Weight in air: 25.4 kg with the titanium housing, 18.1 kg with the aluminium housing.",
    "Weight in water: 16.6 kg and 9.8 kg. Power: 11 to 16 V, 0.9 A at most.",
    "",
    "Accuracy, stability and response times are tabulated on the next page.",
    "All values hold for instruments with a serial number from 0200 on; for older ones see revision B.",
)
TITLE = "Table 1. Performance of the PL-CTD-19 (revision C, May 2024)"
COLUMNS = (
    ("Sensor", 90),
    ("Range", 230),
    ("Initial accuracy", 350),
    ("Stability per month", 480),
    ("Resolution", 620),
    ("Response", 740),
)
ROWS = (
    ("Conductivity", "0 to 70 mS/cm", "0.003 mS/cm", "0.003 mS/cm", "0.0004 mS/cm", "0.065 s"),
    ("Temperature", "-5 to +35 °C", "0.001 °C", "0.0002 °C", "0.0002 °C", "0.070 s"),
    ("Pressure (titanium)", "0 to 7,000 dbar", "0.015 % FS", "0.0015 % FS", "0.001 % FS", "0.015 s"),
    ("Pressure (aluminium)", "0 to 3,500 dbar", "0.015 % FS", "0.0020 % FS", "0.001 % FS", "0.015 s"),
    ("Pressure (plastic)", "0 to 600 dbar", "0.10 % FS", "0.0040 % FS", "0.002 % FS", "0.015 s"),
    ("Dissolved oxygen", "0 to 450 µmol/kg", "2 %", "0.5 %", "0.2 µmol/kg", "1.4 s at 20 °C"),
    ("Fluorescence", "0 to 30 µg/l", "0.02 µg/l", "0.005 µg/l", "0.01 µg/l", "0.30 s"),
)
NOTES = (
    "FS: full scale, the upper end of the range of that housing.",
    "Stability is the typical drift of a sensor in a month of use; that of the oxygen sensor is the drift",
    "in 1,000 profiles.",
)


def exchange() -> Exchange:
    """The PDF; the same to the byte each time."""
    document = pymupdf.open()
    first = document.new_page(width=WIDTH, height=HEIGHT)
    first.insert_text((60, 90), "PL-CTD-19 profiler", fontsize=22, fontname="hebo")
    first.insert_text((60, 115), "Data sheet, revision C, May 2024", fontsize=12)
    for number, line in enumerate(INTRODUCTION):
        first.insert_text((60, 160 + 18 * number), line, fontsize=10)
    _sideways(document.new_page(width=WIDTH, height=HEIGHT))
    stamp = "D:20240514090000Z"
    document.set_metadata(
        {"title": "PL-CTD-19 data sheet", "creationDate": stamp, "modDate": stamp, "producer": "replica"}
    )
    body = bytes(document.tobytes(garbage=4, deflate=True, no_new_id=True))
    return Exchange(URL, body, "application/pdf", page_title="PL-CTD-19 data sheet (PDF)")


def _sideways(page: Any) -> None:
    """A table whose lines run from the foot of the page to its head."""

    def write(along: int, across: int, text: str, font: str = "helv") -> None:
        page.insert_text((across, HEIGHT - along), text, fontsize=SIZE, fontname=font, rotate=90)

    write(60, 90, TITLE, "hebo")
    # Column by column, as spreadsheets print: the text layer does not keep the rows together.
    for column, (name, along) in enumerate(COLUMNS):
        for number, text in enumerate((name, *(row[column] for row in ROWS))):
            write(along - 30, 125 + 28 * number, text, "hebo" if number == 0 else "helv")
    for number in range(len(ROWS) + 1):
        across = 135 + 28 * number
        page.draw_line((across, HEIGHT - 60), (across, 30), width=0.5)
    for number, note in enumerate(NOTES):
        write(60, 380 + 16 * number, note)
