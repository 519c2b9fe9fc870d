"""Pages to Markdown: visible content, whole tables, links, and the signs of a script-built page."""

from __future__ import annotations

import pytest

from verifaible.old.extract.html import Heading, Link, _Marks, parse_html, to_markdown
from verifaible.old.extract.strip import strip_hidden
from verifaible.old.extract.visible import visible_text

URL = "https://www.example.org/news/2024/page.html"
PARAGRAPH = "<p>居民消费价格同比上涨百分之零点二，其中城市上涨百分之零点二，农村上涨百分之零点三。</p>" * 6


def page(body: str, head: str = "") -> str:
    return f"<!doctype html><html><head><title>标题 - 站</title>{head}</head><body>{body}</body></html>"


@pytest.mark.parametrize(
    "markup",
    [
        "<p style='display:none'>SECRET</p>",
        "<p style='color:red;DISPLAY : None !important'>SECRET</p>",
        "<p style='visibility:hidden'>SECRET</p>",
        "<p hidden>SECRET</p>",
        "<p aria-hidden='true'>SECRET</p>",
        "<dialog>SECRET</dialog>",
        "<script>SECRET</script><style>SECRET</style><template>SECRET</template><noscript>SECRET</noscript>",
        "<!-- SECRET --><textarea>SECRET</textarea><svg><text>SECRET</text></svg>",
    ],
)
def test_hidden_text_does_not_come_through(markup: str) -> None:
    read = to_markdown(page(f"<main><h1>H</h1>{PARAGRAPH}{markup}tail</main>"), URL)

    assert "SECRET" not in read.markdown + read.text
    assert "tail" in read.text


@pytest.mark.parametrize(
    "markup",
    [
        "<p style='opacity:0.5'>SHOWN</p>",
        "<p style='left:-20px'>SHOWN</p>",
        "<p style='height:0'>SHOWN</p>",
        "<p style='border-color:transparent;background-color:transparent'>SHOWN</p>",
        "<p style='max-width:100px;overflow:hidden'>SHOWN</p>",
        "<p aria-hidden=false>SHOWN</p>",
        "<dialog open>SHOWN</dialog>",
        "<details open><summary>s</summary>SHOWN</details>",
    ],
)
def test_shown_text_is_not_taken_for_hidden(markup: str) -> None:
    read = to_markdown(page(f"<main>{PARAGRAPH}{markup}</main>"), URL)
    assert "SHOWN" in read.text
    assert "SHOWN" in read.markdown


def test_invisible_characters_are_dropped_but_joiners_of_scripts_stay() -> None:
    root = parse_html("<p>1\u200b2 \U000e0041\U000e0042x\u200dy \u00ad می\u200cخواهم</p>")
    strip_hidden(root)
    assert visible_text(root) == "12 xy می\u200cخواهم"


def test_every_data_table_is_whole_wherever_it_stands() -> None:
    table = "<table><caption>T{0}</caption><tr><th>a<th>b<tr><td>{0}1<td>{0}2<tr><td>{0}3<td>{0}4</table>"
    first = f"<article><h1>H</h1>{PARAGRAPH}{table.format(1)}{PARAGRAPH}</article>"
    body = f"{first}<footer>{table.format(2)}</footer>"
    read = to_markdown(page(body), URL)

    for number in "12":
        assert (
            f"**T{number}**\n\n| a | b |\n| --- | --- |\n| {number}1 | {number}2 |\n| {number}3 | {number}4 |"
            in (read.markdown)
        )
    assert len(read.tables) == 2
    assert "VFTABLE" not in read.markdown


def test_a_layout_table_is_opened_and_keeps_its_text() -> None:
    nested = "<table><tr><th>k<th>v<tr><td>GDP<td>5.0</table>"
    read = to_markdown(page(f"<table><tr><td>{PARAGRAPH}{nested}<td><p>aside</p></table>"), URL)
    assert "| GDP | 5.0 |" in read.markdown
    assert "居民消费价格同比上涨" in read.markdown
    assert (
        "居民消费价格同比上涨百分之零点二，其中城市上涨百分之零点二，农村上涨百分之零点三。 |"
        not in read.markdown
    )


def test_links_are_absolute_and_references() -> None:
    links = "<a href='../a b.pdf'>公告</a>、<a href='javascript:x()'>脚本</a>"
    body = f"<article><h1>H</h1>{PARAGRAPH}<p>见{links}</p></article>"
    read = to_markdown(page(body), URL)
    assert read.links == (Link("https://www.example.org/news/a b.pdf", "公告"),)
    assert "[公告][1]" in read.markdown
    assert read.references == ("https://www.example.org/news/a%20b.pdf",)
    assert "javascript" not in read.markdown


def test_the_base_element_counts() -> None:
    read = to_markdown(page(f"{PARAGRAPH}<a href=x>t</a>", "<base href='/root/'>"), URL)
    assert read.links == (Link("https://www.example.org/root/x", "t"),)


def test_links_inside_a_table_stand_in_their_cells() -> None:
    rows = "<tr><th>no<th>file<tr><td>1<td><a href=/1.pdf>one</a>"
    read = to_markdown(page(f"{PARAGRAPH}<table>{rows}</table>"), URL)
    assert "| 1 | [one][1] |" in read.markdown
    assert read.references == ("https://www.example.org/1.pdf",)


def test_title_outline_language_and_date() -> None:
    head = '<meta property="article:published_time" content="2025-01-09T09:30:00+08:00">'
    read = to_markdown(page(f"<h1>一</h1><h2>二 <i>三</i></h2>{PARAGRAPH}<p>2019-01-01</p>", head), URL)
    assert (read.title, read.language, read.published) == ("标题 - 站", "zh", "2025-01-09")
    assert read.outline == (Heading(1, "一"), Heading(2, "二 三"))
    assert to_markdown("<html lang=en-GB><p>x</html>", URL).language == "en-GB"


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ('<meta name="PubDate" content="2025/1/9 09:30">', "2025-01-09"),
        (
            '<script type="application/ld+json">{"@graph":[{"datePublished":"2024-02-29"}]}</script>',
            "2024-02-29",
        ),
        ('<script type="application/ld+json">{broken</script>', ""),
        ('<meta name="pubdate" content="2025-02-30">', ""),
        ("", ""),
    ],
)
def test_only_stated_dates_are_told(head: str, date: str) -> None:
    assert to_markdown(page(f"{PARAGRAPH}<time>2020-05-05</time>", head), URL).published == date


def test_the_main_content_comes_without_the_menus_but_with_its_date_line() -> None:
    menu = "<div>" + "".join(f"<a href=/{n}>栏目{n}</a>" for n in range(40)) + "</div>"
    body = f"{menu}<div><div><h1>标题</h1><p>2025/01/09</p></div><div>{PARAGRAPH}</div></div>{menu}"
    read = to_markdown(page(body), URL)
    assert "栏目7" not in read.markdown
    assert "# 标题\n\n2025/01/09" in read.markdown
    assert "栏目7" in read.text


@pytest.mark.parametrize(
    "html", ["", "\x00", "plain words", "<p>open <b>tags", "<table><td>x", "<frameset></frameset>"]
)
def test_any_markup_is_read(html: str) -> None:
    read = to_markdown(html, URL)
    assert read.text == html.replace("\x00", "").replace("<p>", "").replace("<b>", "").replace(
        "<table><td>", ""
    ).replace("<frameset></frameset>", "")


def test_deep_nesting_is_read() -> None:
    assert "bottom" in to_markdown("<div>" * 2000 + "bottom", URL).text


def test_text_that_looks_like_a_definition_or_a_reference_stays() -> None:
    body = (
        f"<article><h1>H</h1>{PARAGRAPH}<p>[1]: Smith et al. 2020, profits fell 40 percent</p>"
        f"<p>见<a href='/a' title='x'>公告</a>、<a href='/a'>同</a>、<a href='/b_(c)'>附件</a></p>"
        f"<p><code>x = m[0][2]</code></p>{PARAGRAPH}</article>"
    )
    read = to_markdown(page(body), URL)
    assert "Smith et al. 2020, profits fell 40 percent" in read.markdown
    assert "x = m[0][2]" in read.markdown
    assert "见[公告][1]、[同][1]、[附件][2]" in read.markdown
    assert read.references == ("https://www.example.org/a", "https://www.example.org/b_(c)")
    assert "x.invalid" not in read.markdown


def test_marks_of_tables_cannot_be_written_by_a_page() -> None:
    table = "<table><tr><th>城市</th><th>同比</th></tr><tr><td>郑州</td><td>90.9</td></tr></table>"
    words = "<p>VFTABLE9999ELBATFV VFTABLE0000ELBATFV</p>"
    read = to_markdown(page(f"<article><h1>H</h1>{PARAGRAPH}{words}{table}{PARAGRAPH}</article>"), URL)
    assert "VFTABLE9999ELBATFV VFTABLE0000ELBATFV" in read.markdown
    assert read.markdown.count("| 郑州 | 90.9 |") == 1


def test_marks_of_tables_have_any_number_of_digits() -> None:
    marks = _Marks()
    assert marks.tables.findall(marks.table(12_345)) == ["12345"]


@pytest.mark.parametrize(
    "character", ["\u202e", "\u2066", "\u3164", "\u115f", "\u1160", "\u200f\u200f\u200f"]
)
def test_controls_and_fillers_are_no_text(character: str) -> None:
    read = to_markdown(page(f"<article><h1>H</h1>{PARAGRAPH}<p>中{character}文</p></article>"), URL)
    assert f"中{character}文" not in read.text + read.markdown
