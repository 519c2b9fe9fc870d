"""Every form of a marker, read alike by the score of a trial and the page of a run."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from verifaible.scoring.match import answer_markers
from verifaible.text.markers import find_markers
from verifaible.viewer.marked import marked_answer

#: Each form with the numbers of the citations that it marks.
FORMS: dict[str, tuple[int, ...]] = {
    # as the prompts ask for, and as docs/checking.md promises
    "[@v:1]": (1,),
    "[@v:1][@v:2]": (1, 2),
    "[@v:1, 2]": (1, 2),
    "[@v:1,2]": (1, 2),
    "[@v:1, @v:2]": (1, 2),
    "[@v:1；3、4]": (1, 3, 4),
    "【@v:1】": (1,),
    # spaces, case, full width
    "[ @V : 1 ]": (1,),
    "[@v: 07 ]": (7,),
    "【＠ｖ：３】": (3,),
    "［@v：3］": (3,),
    "[@v:\u0661]": (1,),
    "[@v:1,\n2]": (1, 2),
    # one sign too many or too few
    "[@v:1,]": (1,),
    "[@v:,1]": (1,),
    "[@v:1,,2]": (1, 2),
    "[@v:1 @v:2]": (1, 2),
    "[@v:1, and more]": (1,),
    # where it stands
    "\\[@v:1\\]": (1,),
    "`[@v:1]`": (1,),
    "```\nx [@v:1]\n```": (1,),
    "**[@v:1]**": (1,),
    "([@v:1])": (1,),
    "[[@v:1]]": (1,),
    "[@v:**1**]": (1,),
    "[@v:1](https://example.com)": (1,),
    "| a |\n|---|\n| [@v:1] |": (1,),
    # what is no number marks nothing
    "[@v:1-3]": (),
    "[@v:1 2]": (),
    "[@v:1 and 2]": (),
    "[@v:1f3a]": (),
    "[@v:1.]": (),
    "[@v:1@v:]": (),
    "[@v:]": (),
    "[@v:99999999999999999999]": (),
    # and what is no marker
    "[v:1] (@v:1) [@v 1] [1] @v:1": (),
    "[see @v:1]": (),
    "[@v:[1]]": (),
    "[@v:1\n\n2]": (),
    "&#91;@v:1&#93;": (),
}


@pytest.mark.parametrize("form", FORMS)
def test_all_readers_read_a_form_alike(form: str) -> None:
    text = form if form.startswith(("`", "|")) else f"It rose 5 % {form}."
    numbers = FORMS[form]
    assert tuple(number for marker in find_markers(text) for number in marker.numbers) == numbers
    assert answer_markers(text) == numbers
    known = {number: f"c{number}" for number in range(10)}
    page = marked_answer(text, known)
    links = BeautifulSoup(page.html, "html.parser").select("a.marker")
    assert [link["aria-label"] for link in links] == [f"Evidence {number}" for number in numbers]
    assert page.marked == len(numbers)
