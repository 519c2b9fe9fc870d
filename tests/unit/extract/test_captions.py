"""Captions as a Document: every format, every word once, whole sentences with their times."""

from __future__ import annotations

import pytest

from verifaible.errors import NoTranscript
from verifaible.extract.captions import captions_document, looks_like_captions
from verifaible.schema.transcript import Caption, Transcript

SAID = [(1.0, 3.5, "The dam was finished"), (3.5, 6.0, "in 1964. It leaks <a bit>.")]
TEXTS = ["The dam was finished in 1964. It leaks <a bit>."]


def clock(seconds: float, mark: str = ".") -> str:
    return f"00:{int(seconds // 60):02}:{seconds % 60:06.3f}".replace(".", mark)


def vtt(style: str = "") -> str:
    cues = [f"{clock(a)} --> {clock(b)} align:start\n{style}{t.replace('<', '&lt;')}" for a, b, t in SAID]
    return "WEBVTT\nLanguage: en\n\nNOTE no words\nof the film\n\n" + "\n\n".join(cues)


def srt() -> str:
    return "\n".join(
        f"{n}\n{clock(a, ',')} --> {clock(b, ',')}\n<i>{t}</i>\n" for n, (a, b, t) in enumerate(SAID, 1)
    )


def xml(item: str) -> str:
    cues = [
        item.format(a=a, d=b - a, am=int(a * 1000), dm=int((b - a) * 1000), ac=clock(a), bc=clock(b))
        + f"{t.replace('<', '&lt;')}</X>"
        for a, b, t in SAID
    ]
    name = item[1:].split(" ", maxsplit=1)[0]
    return (
        f'<?xml version="1.0" encoding="utf-16"?><tt xml:lang="en"><body>{"".join(cues)}</body></tt>'.replace(
            "X>", f"{name}>"
        )
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(vtt(), id="WebVTT"),
        pytest.param(vtt("<v Ann><c.loud>"), id="WebVTT with tags"),
        pytest.param("\ufeff" + vtt().replace("\n", "\r\n"), id="WebVTT of Windows"),
        pytest.param(srt(), id="SubRip"),
        pytest.param(srt().replace("\n\n", "\n"), id="SubRip without empty lines"),
        pytest.param(xml('<text start="{a}" dur="{d}">'), id="timedtext"),
        pytest.param(xml('<p t="{am}" d="{dm}">'), id="timedtext of milliseconds"),
        pytest.param(xml('<p begin="{ac}" end="{bc}">'), id="TTML"),
    ],
)
def test_every_format_says_the_same(text: str) -> None:
    document = captions_document(text.encode(), "https://example.org/v")
    (block,) = document.blocks
    assert [" ".join(block.text.split())] == TEXTS
    assert [block.text[low:high] for low, high in block.sentences] == [
        "The dam was finished in 1964.",
        "It leaks <a bit>.",
    ]
    assert (block.kind, block.start_s, block.end_s) == ("cue", 1.0, 6.0)
    moments = [(block.text[m.start : m.end], m.start_s, m.end_s) for m in block.moments]
    assert moments == [(said, start, end) for start, end, said in SAID]


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "windows-1251", "koi8-r"])
def test_encodings(codec: str) -> None:
    text = "1\n00:00:01,000 --> 00:00:04,000\nВодохранилище вмещает сорок миллионов литров воды.\n" * 4
    document = captions_document(text.encode(codec))
    assert document.blocks[0].text == "Водохранилище вмещает сорок миллионов литров воды."


def blocks(*lines: tuple[float, float, str]) -> list[list[str]]:
    """The sentences of each block of a transcript."""
    captions = tuple(Caption(start_s=start, duration_s=length, text=text) for start, length, text in lines)
    document = captions_document(Transcript(video_id="v", language="en", captions=captions))
    return [[block.text[low:high] for low, high in block.sentences] for block in document.blocks]


def test_a_block_is_whole_sentences_over_its_cues() -> None:
    assert blocks(
        (0, 3, "The committee decided"),
        (3, 3, "to leave the rate unchanged"),
        (6, 4, "at 4.25 percent. Inflation is not"),
        (10, 4, "where we want it to be."),
        (60, 4, "Good night."),
    ) == [
        [
            "The committee decided to leave the rate unchanged at 4.25 percent.",
            "Inflation is not where we want it to be.",
        ],
        ["Good night."],
    ]


def test_without_full_stops_a_pause_parts_and_cues_are_sentences() -> None:
    assert blocks((0, 2, "we decided"), (2, 2, "to leave it"), (20, 2, "thank you")) == [
        ["we decided", "to leave it"],
        ["thank you"],
    ]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        pytest.param(
            [(0, 4, "hello and welcome"), (2, 4, "hello and welcome to the press"), (4, 4, "the press of today."), (6, 4, "today.")],
            "hello and welcome to the press of today.",
            id="words roll up while they are shown",
        ),
        pytest.param(
            [(0, 2, "the dam\nheld"), (2, 0.01, "held"), (2.01, 2, "held\nfor years."), (4.01, 0.01, "for years.")],
            "the dam held for years.",
            id="lines roll up",
        ),
        pytest.param([(0, 2, "it is very"), (2, 2, "very hard.")], "it is very very hard.", id="said twice"),
        pytest.param([(0, 3, "今天我们宣布加息"), (1, 3, "今天我们宣布加息二十五"), (2, 3, "二十五个基点。")], "今天我们宣布加息二十五个基点。", id="Chinese"),
    ],
)  # fmt: skip
def test_what_rolls_up_is_said_once(lines: list[tuple[float, float, str]], text: str) -> None:
    assert [" ".join(each) for each in blocks(*lines)] == [text]


def test_a_line_said_again_later_is_no_repeat() -> None:
    assert blocks((0, 2, "Rates go up."), (30, 2, "Rates go up.")) == [["Rates go up."]] * 2


@pytest.mark.parametrize("text", ["", "WEBVTT\n\n", "Dear reader,\n1 2 3", "{}", "<html><p>no times</html>"])
def test_what_holds_no_captions_is_refused(text: str) -> None:
    with pytest.raises(NoTranscript):
        captions_document(text)


def test_files_of_captions_are_known_by_their_beginning() -> None:
    assert looks_like_captions(vtt())
    assert looks_like_captions(srt())
    assert not looks_like_captions("WEBVTTX\nfrom 1 --> 2")
