"""Pages with grids from npm: the suite ``grid_pages``.

The cell of row ``r`` and column ``c`` holds ``10000 + 100 r + c``, so that every wrong one shows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.kit import suites

#: Exact versions, so that a failure is ours and not a new release's.
PACKAGES = {
    "ag-grid-community": "36.2.0",
    "tabulator-tables": "6.5.3",
    "handsontable": "18.1.1",
    "datatables.net": "3.1.5",
    "jquery": "4.0.0",
    "antd": "5.29.3",
    "react": "18.3.1",
    "react-dom": "18.3.1",
    "dayjs": "1.11.23",
    "element-plus": "2.14.8",
    "vue": "3.5.45",
}

ROWS, COLUMNS = 120, 12


@dataclass(frozen=True, slots=True)
class GridPage:
    """A grid library: the files it needs (paths in ``node_modules``), the page, and how it is shown.

    ``variants``: as it comes, with headers over headers, with columns that stay, that were moved, sorted,
    scrolled to, a second page.
    """

    name: str
    files: tuple[str, ...]
    data: str
    body: str
    variants: tuple[str, ...]

    def html(self) -> str:
        """The body of the page."""
        tags = [
            f'<link rel="stylesheet" href="/lib/{path}">'
            if path.endswith(".css")
            else f'<script src="/lib/{path}"></script>'
            for path in self.files
        ]
        return f"<h1>{self.name}</h1>{self.data}{''.join(tags)}{self.body}"


def _text(name: str) -> str:
    return (suites.ROOT / name).read_text(encoding="utf-8")


GRIDS = tuple(
    GridPage(
        row.id,
        tuple(row.input["libraries"]),
        _text(row.input["data"]["file"]),
        _text(row.input["file"]),
        tuple(row.expect["variants"]),
    )
    for row in suites.load("grid_pages")
)

#: Names and figures in panes of their own, in another order in the markup, and a head of its own that a box cuts off.
#: Heads in heads, and rows that are scrolled under the heads.
NESTED = """<style>
.n { width: 400px; height: 110px; overflow: auto; font: 14px Arial } .n [role=row] { display: flex; height: 30px }
.n [role] { box-sizing: border-box } .cell, .leaf { width: 100px } .stay { position: sticky; top: 0; background: #fff }
.stay[role=row] { height: 50px } .under { display: flex }
</style><div class="n" id="n" role="grid"><div class="stay" role="row"><div class="leaf" role="columnheader">Club</div>
<div role="columngroup"><div>Home</div><div class="under"><div class="leaf" role="columnheader">Won</div>
<div class="leaf" role="columnheader">Lost</div></div></div><div class="leaf" role="columnheader">Points</div></div>
<div role="row"><div class="cell" role="gridcell">Alder</div><div class="cell" role="gridcell">31</div>
<div class="cell" role="gridcell">7</div><div class="cell" role="gridcell">93</div></div>
<div role="row"><div class="cell" role="gridcell">Birch</div><div class="cell" role="gridcell">18</div>
<div class="cell" role="gridcell">12</div><div class="cell" role="gridcell">54</div></div>
<div role="row"><div class="cell" role="gridcell">Cedar</div><div class="cell" role="gridcell">25</div>
<div class="cell" role="gridcell">14</div><div class="cell" role="gridcell">75</div></div>
</div><script>n.scrollTop = 60</script>"""
PANES = """<style>
.g { position: relative; width: 420px; height: 140px; font: 14px Arial; overflow: hidden }
.pane, .head { position: absolute } .line, .box { position: absolute; height: 30px; line-height: 30px }
.box { width: 100px }
</style><div class="g">
<div class="head" style="left:120px;top:0;width:300px;height:30px"><div class="box" style="left:100px">Lost</div><div class="box" style="left:0">Won</div></div>
<div class="pane" style="left:0;top:0;width:110px;height:140px"><div class="line" style="top:0">Club</div><div class="line" style="top:60px">Alder</div><div class="line" style="top:30px">Birch</div></div>
<div class="pane" style="left:120px;top:30px;width:300px;height:110px">
<div class="line" style="top:30px"><div class="box" style="left:100px">7</div><div class="box" style="left:0">31</div></div>
<div class="line" style="top:0"><div class="box" style="left:0">18</div><div class="box" style="left:100px">12</div></div></div>
</div>"""
#: A header table over a body table; the header of another one further down is not theirs.
TABLES = """<style>table { width: 300px; table-layout: fixed; border-spacing: 0 } .b { height: 52px; overflow: auto; margin-bottom: 30px }</style>
<div><table><tr><th>Wine</th><th>Casks</th></tr></table><div class="b"><table><tr><td>Refosco</td><td>42</td></tr>
<tr><td>Pignolo</td><td>7</td></tr><tr><td>Terrano</td><td>23</td></tr></table></div></div>
<div><table><tr><th>Wine</th><th>Price</th></tr></table><div class="b"><table><tr><td>Ribolla</td><td>9</td></tr></table></div></div>"""

#: A grid that keeps in its tree the rows in view.
GRID = """<h1>Prices of the day</h1><div id="grid" role="grid" aria-rowcount="%(count)d" style="position:relative">
<div role="row"><span role="columnheader">Name</span><span role="columnheader">Price</span></div>
<div id="box" style="height:300px;overflow-y:auto;position:relative"><div id="all"></div></div></div><script>
const names = %(names)s, H = 30;
all.style.cssText = "position:relative;height:" + names.length * H + "px";
function draw() {
  const from = Math.max(0, Math.floor(box.scrollTop / H) - 2);
  all.innerHTML = names.slice(from, from + 14).map((name, i) => `<div role="row" aria-rowindex="${from + i + 2}"
    style="position:absolute;top:${(from + i) * H}px;height:${H}px"><span role="gridcell">${name}</span>
    <span role="gridcell">${(from + i) * 1.5 + 10}</span></div>`).join("");
}
box.addEventListener("scroll", () => requestAnimationFrame(draw));
draw();</script>"""


def grid(names: list[str]) -> str:
    return GRID % {"count": len(names) + 1, "names": json.dumps(names)}
