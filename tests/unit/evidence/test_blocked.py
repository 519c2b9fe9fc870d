"""Half-loaded pages: what the text says, and what the page looks like."""

from __future__ import annotations

import pytest

from tests.unit.evidence.pages import page
from verifaible.errors import PageBlocked
from verifaible.evidence.blocked import HALF_LOADED, is_unready, refuse_blocked, why_blocked
from verifaible.evidence.material import LoadState

MENU = "\n".join(f"Menu entry number {n}: figures of 20{n:02}" for n in range(40))
SENTENCE = "The overnight rate was 5.31 per cent on 2 May, the bank said."


@pytest.mark.parametrize(
    "line",
    [
        "Loading…",
        "LOADING",
        "Loading data, please wait...",
        "Still loading the page",
        "Fetching latest quotes …",
        "Please wait while we prepare your report",
        "Your report is being prepared",
        "Loading 40 %...",
        "加载中",
        "数据加载中，请稍候……",
        "正在加载",
        "努力加载中。。。",
        "请稍候",
    ],
)
def test_lines_that_say_that_something_is_on_its_way(line: str) -> None:
    assert why_blocked(page(f"Home\nAbout us\n{line}\n© 2025 A, 12 B Street")) != ""
    assert why_blocked(page(f"Home\nAbout us\n{line}\n{SENTENCE}")) == ""


@pytest.mark.parametrize(
    "line",
    ["Loading dock", "Loading bay 4", "Loading and unloading", "加载率", "Waiting rooms", "请稍候片刻的历史"],
)
def test_lines_that_only_hold_the_words(line: str) -> None:
    assert why_blocked(page(f"Home\nAbout us\n{line}")) == ""


@pytest.mark.parametrize(
    "state",
    [
        LoadState(main_text="Yields", busy=("main > div",)),
        LoadState(main_text="Yields\nLoading…"),
        LoadState(failed=("https://a.test/app.js",), empty=("#app",)),
    ],
)
def test_a_long_menu_does_not_make_up_for_what_is_missing(state: LoadState) -> None:
    assert why_blocked(page(MENU, state=state)) == HALF_LOADED
    assert why_blocked(page(MENU, state=state.model_copy(update={"main_text": SENTENCE}))) == ""
    assert why_blocked(page(MENU, SENTENCE, state=state)) == "", "the content stands in a frame"
    assert why_blocked(page(MENU, state=state, picture=400)) == "", "the content is a picture"
    assert why_blocked(page(MENU, state=state, picture=40)) == HALF_LOADED


@pytest.mark.parametrize(
    "state",
    [
        LoadState(main_text="Yields", failed=("https://a.test/ads.js",)),
        LoadState(main_text="Yields", empty=("#app",)),
        LoadState(),
    ],
)
def test_what_alone_says_nothing(state: LoadState) -> None:
    assert why_blocked(page("Pump 7\nOff", state=state)) == ""


def test_a_document_that_broke_off_is_refused_whatever_it_says() -> None:
    material = page(SENTENCE * 40, state=LoadState(main_text=SENTENCE * 40, cut=True))
    with pytest.raises(PageBlocked, match=HALF_LOADED):
        refuse_blocked(material)
    assert not is_unready(material), "waiting does not bring the rest"


def test_what_is_given_more_time() -> None:
    assert is_unready(page("Home\nLoading…"))
    assert is_unready(page(""))
    assert not is_unready(page(SENTENCE))
    assert not is_unready(page("404\nHome"))
