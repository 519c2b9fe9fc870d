"""The words of a quote that is given with a cell must be those of its row and its heads."""

from __future__ import annotations

import pytest

from tests.kit.snapshots import page_of
from verifaible.errors import AnchorNotFound
from verifaible.evidence.refusal import found_in
from verifaible.schema.anchor import AnchorRequest

PAGE = """<p>表2：二手住宅销售价格指数</p><table>
<tr><td>城市<td>环比<td>同比<td>城市<td>环比<td>同比</tr>
<tr><td>郑　州<td>99.4<td>90.9<td>洛　阳<td>99.3<td>91.1</tr>
<tr><td>武　汉<td>99.5<td>90.7<td>宜　昌<td>99.1<td>92.0</tr></table><p>平均为95.5。</p>"""


@pytest.mark.parametrize(
    ("row", "quote", "foreign"),
    [
        ("郑州", "", ""),
        ("郑州", "90.9", ""),
        ("郑州", "郑州 99.4 90.9", ""),
        ("郑州", "郑　州\t99.4\t90.9", ""),
        ("郑州", "郑州 同比 90.9", ""),
        ("郑州", "表2 郑州 90.9", ""),
        ("郑州", "二手住宅销售价格指数 90.9", ""),
        ("郑州", "91.1", "91.1"),
        ("郑州", "洛阳 90.9", "洛阳"),
        ("郑州", "武汉 90.9", "武汉"),
        ("郑州", "95.5", "95.5"),
        ("郑州", "90.8", "90.8"),
        ("郑州", "深圳 90.9", "深圳"),
        ("洛阳", "90.9", "90.9"),
        ("洛阳", "洛阳 91.1", ""),
    ],
)
def test_words_given_with_a_cell(row: str, quote: str, foreign: str) -> None:
    anchor = AnchorRequest(evidence_type="table", row=(row,), column=("同比",), quote=quote)
    if not foreign:
        assert found_in(page_of(PAGE), anchor).verdict == "verified"
        return
    with pytest.raises(AnchorNotFound, match=f"“{foreign}”"):
        found_in(page_of(PAGE), anchor)
