"""From glyphs to lines: superscripts, scripts from the right, double print, forms."""

from __future__ import annotations

from verifaible.old.extract.pdf_lines import Glyph, Line, paragraphs, reading_lines


def line(text: str, x: float = 0, y: float = 0, raised: str = "") -> Line:
    """A line of glyphs, each 5 points wide; those of ``raised`` stand above it."""
    return tuple(
        Glyph(char, (x + 5 * at, y, x + 5 * at + 5, y + 10), mark == "^")
        for at, (char, mark) in enumerate(zip(text, raised.ljust(len(text)), strict=True))
    )


def said(found: tuple[Line, ...]) -> list[str]:
    return ["".join(glyph.text for glyph in each) for each in found]


def test_raised_figures_are_superscripts_and_a_raised_letter_is_a_mark() -> None:
    assert said(reading_lines([line("in 20234 was", raised="       ^")])) == ["in 2023⁴ was"]
    assert said(reading_lines([line("10-6 m", raised="  ^^")])) == ["10⁻⁶ m"]
    assert said(reading_lines([line("1,870a of", raised="     ^")])) == ["1,870ᵃ of"]
    assert said(reading_lines([line("the 21st day", raised="      ^^")])) == ["the 21st day"]


def test_a_line_that_is_raised_as_a_whole_is_a_line() -> None:
    assert said(reading_lines([line("1999", raised="^^^^")])) == ["1999"]


def test_what_is_printed_twice_in_one_place_is_read_once() -> None:
    once = line("Total 1,999")
    assert said(reading_lines([once, line("Total 1,999", x=0.3), line("Total 1,999", y=40)])) == [
        "Total 1,999",
        "Total 1,999",
    ]


def test_a_line_from_the_right_is_read_from_the_right() -> None:
    # What the eye meets from the left: the last word, 1998, the first word.
    shown = line("גד 1998 בא")
    assert said(reading_lines([shown])) == ["אב 1998 דג"]
    assert said(reading_lines([tuple(reversed(line("בא")))])) == ["אב"]
    assert said(reading_lines([line("Sum 12 kg א now")])) == ["Sum 12 kg א now"]


def test_vowel_signs_stay_with_their_letters() -> None:
    shown = (
        Glyph("ב", (0, 0, 5, 10)),
        Glyph("א", (5, 0, 10, 10)),
        Glyph("\u05b8", (6, 0, 9, 10)),
    )
    assert said(reading_lines([shown])) == ["א\u05b8ב"]


def test_a_filled_field_stands_behind_its_label() -> None:
    lines = [
        line("Name:"),
        line("Sum:", y=30),
        line("End", y=60),
        line("18", x=50, y=31),
        line("Ada", x=50, y=1),
    ]
    fields = ((48.0, 0.0, 120.0, 12.0), (48.0, 30.0, 120.0, 42.0))
    assert said(reading_lines(lines, fields)) == ["Name:", "Ada", "Sum:", "18", "End"]
    assert said(reading_lines(lines)) == ["Name:", "Sum:", "End", "18", "Ada"]


def spaced(text: str, gap: float) -> Line:
    """Glyphs with a blank made for the gap behind each that no blank of the file follows."""
    found: list[Glyph] = []
    x = 0.0
    for char, behind in zip(text, [*text[1:], " "], strict=True):
        found.append(Glyph(char, (x, 0, x + 5, 10)))
        x += 5 + gap
        if char != " " != behind:
            found.append(Glyph(" ", (x - gap, 0, x, 10), made=True))
    return tuple(found)


def test_letters_that_are_all_set_apart_are_words() -> None:
    assert said(reading_lines([spaced("NOTICE TO ALL", 4)])) == ["NOTICE TO ALL"]


def test_what_stands_apart_by_itself_is_left_apart() -> None:
    assert said(reading_lines([spaced("ABCD", 7)])) == ["A B C D"]  # cells
    assert said(reading_lines([spaced("1234", 4)])) == ["1 2 3 4"]
    assert said(reading_lines([(*line("of A"), *spaced("BCD", 4))])) == ["of AB C D"]


def test_a_gap_before_a_new_beginning_parts_paragraphs() -> None:
    shown = [line("Pets pay", y=0), line("The lift is free", y=20), line("Smoking is not", y=32)]
    assert paragraphs(shown) == (1,)
    assert paragraphs([line("no dogs", y=0), line("in the lift", y=20)]) == ()
    assert paragraphs([line("left", y=40), line("The right column", x=200, y=0)]) == ()


def test_wide_lines_of_one_paragraph_are_not_parted() -> None:
    wide = ["The board of", "Acme met and", "did not close", "Berlin, which", "it owns."]
    shown = [line(text, y=22 * at) for at, text in enumerate(wide)]
    assert paragraphs(shown) == ()
    assert paragraphs([*shown, line("Pets are free", y=22 * 5 + 8)]) == (5,)
    assert paragraphs([line("董事会批准", y=0), line("该方案的内容", y=20)]) == ()
    assert paragraphs([line("董事会批准", y=0), line("该方案的内容", y=30)]) == (1,)
