# ruff: noqa: E501 - a case is one line
"""A second batch of tables, in the shapes that offices, bourses, filings, leagues and timetables use.

It was written before the code was tried on it. Where a careful reader would take either of two
texts for the cell (with the currency sign that stands in a cell of its own, or without), both are
given.
"""

from __future__ import annotations

from scripts.accuracy.table_cases import rows, table

#: Balance sheet as a filing prints it: the sign, the figure and the bracket stand in cells of their own.
_FILING = table(
    "|{colspan=3}December 31, 2023||{colspan=3}December 31, 2022\n"
    "Net sales|$|4,812.6|||$|4,455.1|\n"
    "Cost of sales||(2,901.3|)|||(2,744.8|)\n"
    "Gross profit||1,911.3||||1,710.3|\n"
    "Other loss, net||(14.2|)|||(9.7|)\n"
    "Net income|$|702.4|||$|611.9|"
)
_FILING_SPLIT = table(
    "|{colspan=5}Three Months Ended March 31,\n|{colspan=2}2024||{colspan=2}2023\n"
    "Revenues:|||||\n"
    "Product|$|310.5||$|288.0\n"
    "Service||94.1|||87.6\n"
    "Total revenues|$|404.6||$|375.6\n"
    "Costs:|||||\n"
    "Product|$|150.2||$|149.9\n"
    "Service||41.8|||40.3\n"
    "Total costs|$|192.0||$|190.2"
)
_TREASURY = table(
    "!Date|!1 Mo|!3 Mo|!1 Yr|!10 Yr|!30 Yr\n"
    "01/02/2024|5.55|5.46|4.80|3.95|4.08\n01/03/2024|5.54|5.48|4.81|3.91|4.05\n02/01/2024|5.49|5.42|4.68|3.87|4.10"
)
_ISO_DATES = table(
    "!Date|!Open|!Close\n2024-03-04|101.2|102.5\n2024-03-05|102.4|101.9\n2024-04-03|99.8|100.6"
)
_LONG_DATES = table(
    "Session|Turnover|Deals\n4 March 2024|1,204|88\n5 March 2024|1,377|91\n4 April 2024|998|73"
)
_ZH_DATES = table(
    "日期|收盘价|成交量\n2024年3月4日|12.35|8,801\n2024年3月14日|12.90|9,120\n2024年4月3日|11.88|7,654"
)
_YEARBOOK = table(
    "{rowspan=2}指标|{rowspan=2}代码|{colspan=2}2022年|{colspan=2}2023年\n数量|金额|数量|金额\n"
    "甲|乙|1|2|3|4\n合计|01|520|88.4|561|95.2\n国有|02|130|30.1|128|29.9\n私营|03|390|58.3|433|65.3"
)
_YEARBOOK_SUB = table(
    "项 目|单 位|2021 年|2022 年\n一、人口||| \n年末总人口|万人|312.5|311.8\n其中：女|万人|154.9|154.7\n"
    "二、农业||| \n粮食产量|万吨|88.2|90.4\n其中：小麦|万吨|35.6|36.1\n三、工业|||\n发电量|亿千瓦时|120.3|131.7"
)
_YEARBOOK_EN = table(
    "年份 Year|总人口 Total Population|男 Male|女 Female\n2020|1,412|723|689\n2021|1,413|722|691\n2022|1,412|722|690"
)
_BOURSE = (
    "<table><caption>Most active shares</caption><thead>"
    + rows("!{scope=col}Symbol|!{scope=col}Last|!{scope=col}Chg|!{scope=col}Chg %|!{scope=col}Vol")
    + "</thead><tbody>"
    + rows("<a href='#'>AKR</a>|41.20|−0.35|−0.84%|1.2M\n<a href='#'>AKRB</a>|38.75|+0.10|+0.26%|310K\n<a href='#'>ORK</a>|77.05|0.00|0.00%|2.9M")
    + "</tbody></table>"
)  # fmt: skip
_LEAGUE = table(
    "!Pos|!Club|!P|!W|!D|!L|!GF|!GA|!GD|!Pts\n1|Harfleet (C)|38|26|7|5|81|33|+48|85\n"
    "2|Norby Town|38|24|8|6|77|40|+37|80\n3|Skelwick|38|22|6|10|64|45|+19|72\n18|Oxmoor (R)|38|8|8|22|35|70|−35|32"
)
_BOX_SCORE = table("!|!Q1|!Q2|!Q3|!Q4|!T\n!Harbour Kings|24|31|18|29|102\n!Valley Foxes|27|22|30|20|99")
_MEDALS = table(
    "!Rank|!Nation|!Gold|!Silver|!Bronze|!Total\n1|!Norland|12|8|9|29\n{rowspan=2}2|!Estmark|10|11|5|26\n!Suvia|10|11|5|26\n"
    "4|!Tarn|7|3|12|22\n!{colspan=2}Totals (4 entries)|39|33|31|103"
)
_TIMETABLE = table(
    "!Station|!Train 101|!Train 103|!Train 105\n!Arles d.|06:10|08:40|–\n!Beaucaire a.|06:22|08:52|11:05\n"
    "!Beaucaire d.|06:24|08:54|11:07\n!Nîmes a.|06:41|09:11|11:24"
)
_CLASSES = table(
    "节次|星期一|星期二|星期三\n第一节|语文|数学|{rowspan=2}实验\n第二节|英语|体育\n第三节|数学|语文|音乐"
)
_BLANK_CORNER = table(
    "|{colspan=2}Men|{colspan=2}Women\n|2021|2022|2021|2022\nEmployed|61.2|61.9|54.0|55.1\nUnemployed|4.4|4.1|4.6|4.0\nInactive|34.4|34.0|41.4|40.9"
)
_THREE_LEVEL = (
    "<table><thead>"
    + rows("!{rowspan=3}Sector|!{colspan=4}Exports|!{colspan=2}Imports\n!{colspan=2}EU|!{colspan=2}Rest of world|!{rowspan=2}EU|!{rowspan=2}Rest of world\n!Q1|!Q2|!Q1|!Q2")
    + "</thead><tbody>" + rows("!Food|11|12|13|14|15|16\n!Metals|21|22|23|24|25|26") + "</tbody></table>"
)  # fmt: skip
_GROUPS = (
    "<table><thead>" + rows("!Region|!Crop|!Area|!Yield") + "</thead><tbody>"
    + rows("{rowspan=3}Upland|Oats|12|3.1\nRye|9|2.8\nSubtotal|21|\n{rowspan=3}Lowland|Oats|30|4.4\nRye|15|3.9\nSubtotal|45|")
    + "</tbody><tfoot>" + rows("{colspan=2}Total|66|") + "</tfoot></table>"
)  # fmt: skip
_MID_TH = table("!Hour|!Line 1|!Line 2\n06|10|12\n07|22|25\n!{colspan=3}Weekend\n06|4|5\n07|8|9")
_MID_TH_NEW = table(
    "!Product|!2022|!2023\nCopper|10.1|10.4\nZinc|5.5|5.2\n!Product|!2023|!2024 (est.)\nGold|1.2|1.3\nSilver|7.7|7.9"
)
_TWO_HEADS = (
    "<table><thead>" + rows("!Bank|!Rate") + "</thead><tbody>" + rows("Alder|2.10\nBirch|2.25") + "</tbody><thead>"
    + rows("!Bank|!Rate") + "</thead><tbody>" + rows("Cedar|1.95\nDogwood|2.40") + "</tbody></table>"
)  # fmt: skip
_EMPTY_HEADS = table("!Name|!|!2023|!\nKarlstad|▲|93.8|*\nVisby|▼|24.9|\nKiruna||22.4|**")
_HEADERS_ATTR = (
    "<table><tr><td></td><th id=c1 scope=col>Height</th><th id=c2 scope=col>Depth</th></tr>"
    "<tr><th id=r1 scope=row>Lake Orm</th><td headers='c1 r1'>212</td><td headers='c2 r1'>48</td></tr>"
    "<tr><th id=r2 scope=row>Lake Ule</th><td headers='c1 r2'>97</td><td headers='c2 r2'>11</td></tr></table>"
)
_NESTED = (
    "<table><tr><th>Plan</th><th>Details</th></tr><tr><td>Basic</td><td><table><tr><th>Item</th><th>Price</th></tr>"
    "<tr><td>Line</td><td>9.50</td></tr><tr><td>Router</td><td>3.00</td></tr></table></td></tr><tr><td>Plus</td><td>on request</td></tr></table>"
)
_SIDE_THREE = table(
    "Code|Name|Code|Name|Code|Name\n36|Krypton|47|Silver|79|Gold\n37|Rubidium|48|Cadmium|80|Mercury\n38|Strontium|49|Indium|81|Thallium"
)
_SIDE_GROUPS = table(
    "!{rowspan=2}Month|!{colspan=2}Airport A|!{colspan=2}Airport B\n!Arrivals|!Departures|!Arrivals|!Departures\n"
    "January|101|103|201|203\nFebruary|111|113|211|213\nMarch|121|123|221|223"
)
_ARIA = (
    "<div role=grid aria-label=Orders><div role=row><div role=columnheader>Order</div><div role=columnheader>Status</div>"
    "<div role=columnheader>Sum</div></div><div role=row><div role=rowheader>A-17</div><div role=gridcell>open</div><div role=gridcell>88.10</div></div>"
    "<div role=row><div role=rowheader>A-18</div><div role=gridcell>paid</div><div role=gridcell>12.00</div></div></div>"
)
_ARIA_SPAN = (
    "<div role=table><div role=rowgroup><div role=row><span role=columnheader>Team</span><span role=columnheader aria-colspan=2>Points</span></div>"
    "<div role=row><span role=columnheader></span><span role=columnheader>home</span><span role=columnheader>away</span></div></div>"
    "<div role=rowgroup><div role=row><span role=rowheader>Reds</span><span role=cell>31</span><span role=cell>19</span></div>"
    "<div role=row><span role=rowheader>Blues</span><span role=cell>28</span><span role=cell>24</span></div></div></div>"
)
_NOTED = table(
    "!Indicator|!2021|!2022<sup>p</sup>|!2023<sup>(e)</sup>\n!Unemployment rate [1]|6.4|6.1|5.9\n!Inflation<sup>2)</sup>|2.5|8.4|5.0\n!Deficit †|-3.1|-2.9|-2.2"
)
_UNIT_COLUMN = table(
    "Indicator|Unit|2022|2023\nGDP|bn €|512.0|530.4\nGDP per head|€|41,200|42,300\nDebt|% of GDP|61.0|59.8"
)
_UNIT_LINE = table(
    "{colspan=3}单位：万元\n项目|本期金额|上期金额\n一、营业收入|8,812.5|7,990.1\n减：营业成本|5,120.0|4,870.6\n二、营业利润|1,204.7|1,010.2\n加：营业外收入|35.1|22.8\n三、利润总额|1,239.8|1,033.0"
)
_BALANCE_ZH = table(
    "资产|期末余额|期初余额|负债和所有者权益|期末余额|期初余额\n货币资金|310.2|288.9|短期借款|120.0|150.0\n"
    "存货|95.4|101.7|应付账款|88.3|79.6\n资产总计|405.6|390.6|负债和所有者权益总计|405.6|390.6"
)
_TITLED = table(
    "!{colspan=3}Table 4. Rents by district\n!District|!1 room|!2 rooms\nAlt|610|890\nNeu|700|1,020"
)
_MONTH_COLUMNS = table("Year|Jan|Feb|Mar|Ave\n2022|7.5|7.9|8.5|8.0\n2023|6.4|6.0|5.0|5.8")
_QUARTERS = table(
    "!{rowspan=2}|!{colspan=2}2022|!{colspan=2}2023\n!Q3|!Q4|!Q3|!Q4\n!Orders|31|32|33|34\n!Backlog|41|42|43|44"
)
_SUBROWS = table("!Age|!Men|!Women\n0–4|12|11\n5–14|25|24\n15–24|30|28\n65+|18|23\nAll ages|85|86")
_SPLIT_WORDS = table("!Item|!Net<br>assets|!Gross<br>as&shy;sets\n!Fund<br>One|10|12\n!Fund&nbsp;Two|20|24")
_LINKED = table(
    "!Country|!Capital|!Population\n<a title=Fr>France</a> <small>(metropolitan)</small>|Paris|65.8\nFrance (overseas)|–|2.2\nMonaco|Monaco|0.04"
)
_VOTES = table(
    "!{colspan=2}Party|!Votes|!%|!Seats\n{style='background:#c00'}|Labour Union|412,008|41.2|60\n{style='background:#00c'}|Free League|377,510|37.8|55\n"
    "{colspan=2}Valid votes|789,518|100|115"
)
_COLGROUP = (
    "<table><colgroup><col><col span=2></colgroup><thead>" + rows("!Kind|!{colspan=2 scope=colgroup}Weight\n!|!net|!gross")
    + "</thead><tbody>" + rows("!Box|5|6\n!Crate|15|17") + "</tbody></table>"
)  # fmt: skip
_NO_HEAD = table("Opening hours|9:00–17:00\nTelephone|555 0142\nPrice|£8.50\nChildren|£4.25")
_DRUG = table(
    "!{rowspan=2}Adverse event|!{colspan=2}Drug (N=412)|!{colspan=2}Placebo (N=409)\n!n|!%|!n|!%\nHeadache|41|10.0|39|9.5\nNausea|25|6.1|12|2.9"
)
_CITIES = (
    "<h2>North</h2>"
    + table("!Town|!Snow (cm)\nAla|40\nBro|12")
    + "<h2>South</h2>"
    + table("!Town|!Rain (mm)\nAla|310\nCor|95")
)
_RATES = table(
    "币种|现汇买入价|现钞买入价|现汇卖出价\n美元|718.02|712.18|721.04\n港币|91.79|91.06|92.16\n澳大利亚元|471.32|456.67|474.79"
)
_FX_DUP = table("Pair|Bid|Ask\nEUR/USD|1.0852|1.0854\nUSD/EUR|0.9213|0.9215\nEUR/CHF|0.9571|0.9574")

Wanted = str | tuple[str, ...] | None
#: Class, name, HTML, row anchors, column anchors, the text or texts of the place; None: it must be refused.
CASES: tuple[tuple[str, str, str, tuple[str, ...], tuple[str, ...], Wanted], ...] = (
    ("filings", "sign in its own cell", _FILING, ("Net sales",), ("December 31, 2023",), ("$\t4,812.6", "$\t4,812.6\t", "$4,812.6", "4,812.6")),
    ("filings", "bracket in its own cell", _FILING, ("Cost of sales",), ("December 31, 2022",), ("(2,744.8\t)", "\t(2,744.8\t)", "(2,744.8)")),
    ("filings", "figure alone", _FILING, ("Gross profit",), ("December 31, 2023",), ("1,911.3", "\t1,911.3\t", "\t1,911.3")),
    ("filings", "row that stands twice", _FILING_SPLIT, ("Product",), ("2024",), None),
    ("filings", "section named", _FILING_SPLIT, ("Costs:", "Service"), ("2023",), ("40.3", "\t40.3")),
    ("filings", "section without its colon", _FILING_SPLIT, ("Revenues", "Product"), ("2024",), ("$\t310.5", "$310.5", "310.5")),
    ("filings", "header path", _FILING_SPLIT, ("Total costs",), ("Three Months Ended March 31,", "2023"), ("$\t190.2", "$190.2", "190.2")),
    ("filings", "a year that is not there", _FILING, ("Net sales",), ("December 31, 2021",), None),
    ("dates as rows", "US date as printed", _TREASURY, ("01/03/2024",), ("10 Yr",), "3.91"),
    ("dates as rows", "one and thirty", _TREASURY, ("02/01/2024",), ("1 Yr",), "4.68"),
    ("dates as rows", "header part of another", _TREASURY, ("01/02/2024",), ("Yr",), None),
    ("dates as rows", "ISO", _ISO_DATES, ("2024-03-05",), ("Close",), "101.9"),
    ("dates as rows", "ISO, asked in words", _ISO_DATES, ("5 March 2024",), ("Open",), "102.4"),
    ("dates as rows", "words, asked as ISO", _LONG_DATES, ("2024-04-04",), ("Deals",), "73"),
    ("dates as rows", "a day that is not there", _LONG_DATES, ("6 March 2024",), ("Deals",), None),
    ("dates as rows", "Chinese", _ZH_DATES, ("2024年3月4日",), ("收盘价",), "12.35"),
    ("dates as rows", "Chinese, asked as ISO", _ZH_DATES, ("2024-04-03",), ("成交量",), "7,654"),
    ("dates as rows", "months across", _MONTH_COLUMNS, ("2022",), ("Feb",), "7.9"),
    ("dates as rows", "month in full", _MONTH_COLUMNS, ("2023",), ("March",), "5.0"),
    ("yearbooks", "under a row of 甲 and 乙", _YEARBOOK, ("国有",), ("2023年", "金额"), "29.9"),
    ("yearbooks", "leaf that stands twice", _YEARBOOK, ("私营",), ("金额",), None),
    ("yearbooks", "letter-spaced year", _YEARBOOK_SUB, ("粮食产量",), ("2022年",), "90.4"),
    ("yearbooks", "part of a section", _YEARBOOK_SUB, ("其中：女",), ("2021年",), "154.9"),
    ("yearbooks", "section and row", _YEARBOOK_SUB, ("二、农业", "其中：小麦"), ("2022年",), "36.1"),
    ("yearbooks", "unit column", _YEARBOOK_SUB, ("发电量",), ("单位",), "亿千瓦时"),
    ("yearbooks", "two languages, one asked", _YEARBOOK_EN, ("2021",), ("女",), "691"),
    ("yearbooks", "two languages, the other", _YEARBOOK_EN, ("2022",), ("Male",), "722"),
    ("bourses", "a symbol that begins another", _BOURSE, ("AKR",), ("Last",), "41.20"),
    ("bourses", "header that begins another", _BOURSE, ("ORK",), ("Chg",), "0.00"),
    ("bourses", "the longer header", _BOURSE, ("AKRB",), ("Chg %",), "+0.26%"),
    ("bourses", "currency pair", _FX_DUP, ("USD/EUR",), ("Ask",), "0.9215"),
    ("bourses", "pair that is not there", _FX_DUP, ("CHF/EUR",), ("Ask",), None),
    ("bourses", "bank rates", _RATES, ("港币",), ("现钞买入价",), "91.06"),
    ("bourses", "a part of two columns", _RATES, ("美元",), ("买入价",), None),
    ("sports", "one-letter headers", _LEAGUE, ("Norby Town",), ("W",), "24"),
    ("sports", "one letter of several", _LEAGUE, ("Skelwick",), ("L",), "10"),
    ("sports", "mark after the club", _LEAGUE, ("Harfleet",), ("Pts",), "85"),
    ("sports", "quarters of a match", _BOX_SCORE, ("Valley Foxes",), ("Q3",), "30"),
    ("sports", "shared rank", _MEDALS, ("Suvia",), ("Gold",), "10"),
    ("sports", "shared rank, the rank asked", _MEDALS, ("2",), ("Gold",), None),
    ("sports", "totals", _MEDALS, ("Totals (4 entries)",), ("Bronze",), "31"),
    ("timetables", "arrival and departure", _TIMETABLE, ("Beaucaire d.",), ("Train 103",), "08:54"),
    ("timetables", "neither named", _TIMETABLE, ("Beaucaire",), ("Train 105",), None),
    ("timetables", "no stop", _TIMETABLE, ("Arles d.",), ("Train 105",), "–"),
    ("timetables", "lesson over two hours", _CLASSES, ("第二节",), ("星期三",), "实验"),
    ("timetables", "after a span", _CLASSES, ("第三节",), ("星期三",), "音乐"),
    ("header rows", "blank corner, td only", _BLANK_CORNER, ("Unemployed",), ("Women", "2022"), "4.0"),
    ("header rows", "year alone", _BLANK_CORNER, ("Employed",), ("2021",), None),
    ("header rows", "leaf over two levels", _THREE_LEVEL, ("Metals",), ("Imports", "EU"), "25"),
    ("header rows", "three levels", _THREE_LEVEL, ("Food",), ("Exports", "Rest of world", "Q2"), "14"),
    ("header rows", "middle and leaf", _THREE_LEVEL, ("Metals",), ("EU", "Q1"), "21"),
    ("header rows", "title over everything", _TITLED, ("Neu",), ("2 rooms",), "1,020"),
    ("header rows", "empty corner over two rows", _QUARTERS, ("Backlog",), ("2023", "Q3"), "43"),
    ("header rows", "quarter alone", _QUARTERS, ("Backlog",), ("Q3",), None),
    ("header rows", "arms of a trial", _DRUG, ("Nausea",), ("Placebo (N=409)", "%"), "2.9"),
    ("header rows", "arm without its number", _DRUG, ("Headache",), ("Drug", "n"), "41"),
    ("header rows", "colgroup", _COLGROUP, ("Crate",), ("gross",), "17"),
    ("row groups", "in a group", _GROUPS, ("Lowland", "Rye"), ("Yield",), "3.9"),
    ("row groups", "subtotal of a group", _GROUPS, ("Upland", "Subtotal"), ("Area",), "21"),
    ("row groups", "crop alone", _GROUPS, ("Oats",), ("Area",), None),
    ("row groups", "total in the foot", _GROUPS, ("Total",), ("Area",), "66"),
    ("headers in the body", "before the section", _MID_TH, ("Weekend", "07"), ("Line 2",), "9"),
    ("headers in the body", "new header row", _MID_TH_NEW, ("Gold",), ("2023",), "1.2"),
    ("headers in the body", "new header row, above it", _MID_TH_NEW, ("Zinc",), ("2023",), "5.2"),
    ("headers in the body", "a column of the other part", _MID_TH_NEW, ("Copper",), ("2024 (est.)",), None),
    ("headers in the body", "thead twice", _TWO_HEADS, ("Dogwood",), ("Rate",), "2.40"),
    ("headers in the body", "thead twice, column", _TWO_HEADS, (), ("Rate",), "2.10\n2.25\n1.95\n2.40"),
    ("empty headers", "after an empty header", _EMPTY_HEADS, ("Visby",), ("2023",), "24.9"),
    ("empty headers", "headers attribute", _HEADERS_ATTR, ("Lake Ule",), ("Depth",), "11"),
    ("empty headers", "colour column", _VOTES, ("Free League",), ("Seats",), "55"),
    ("empty headers", "sum of the votes", _VOTES, ("Valid votes",), ("Votes",), "789,518"),
    ("nested", "inner", _NESTED, ("Router",), ("Price",), "3.00"),
    ("nested", "outer", _NESTED, ("Plus",), ("Details",), "on request"),
    ("side by side", "third group", _SIDE_THREE, ("80",), ("Name",), "Mercury"),
    ("side by side", "second group", _SIDE_THREE, ("47",), ("Name",), "Silver"),
    ("side by side", "asked by the name", _SIDE_THREE, ("Krypton",), ("Code",), "36"),
    ("side by side", "headers over groups", _SIDE_GROUPS, ("February",), ("Airport B", "Arrivals"), "211"),
    ("side by side", "groups, leaf alone", _SIDE_GROUPS, ("March",), ("Departures",), None),
    ("side by side", "assets", _BALANCE_ZH, ("存货",), ("期初余额",), "101.7"),
    ("side by side", "liabilities", _BALANCE_ZH, ("应付账款",), ("期末余额",), "88.3"),
    ("footnotes", "letter on the year", _NOTED, ("Inflation",), ("2022",), "8.4"),
    ("footnotes", "bracketed letter", _NOTED, ("Deficit",), ("2023",), "-2.2"),
    ("footnotes", "number in square brackets", _NOTED, ("Unemployment rate",), ("2021",), "6.4"),
    ("footnotes", "small print beside the name", _LINKED, ("France (overseas)",), ("Population",), "2.2"),
    ("units", "unit column", _UNIT_COLUMN, ("GDP per head",), ("2023",), "42,300"),
    ("units", "shorter name", _UNIT_COLUMN, ("GDP",), ("2022",), "512.0"),
    ("units", "unit line on top", _UNIT_LINE, ("一、营业收入",), ("本期金额",), "8,812.5"),
    ("units", "numbering left out", _UNIT_LINE, ("利润总额",), ("上期金额",), "1,033.0"),
    ("units", "operator left out", _UNIT_LINE, ("营业成本",), ("本期金额",), "5,120.0"),
    ("units", "age bands", _SUBROWS, ("5–14",), ("Women",), "24"),
    ("units", "age band with a hyphen", _SUBROWS, ("15-24",), ("Men",), "30"),
    ("units", "an age inside a band", _SUBROWS, ("20",), ("Men",), None),
    ("units", "open band", _SUBROWS, ("65+",), ("Women",), "23"),
    ("broken words", "soft hyphen and line break", _SPLIT_WORDS, ("Fund Two",), ("Gross assets",), "24"),
    ("broken words", "line break in the row", _SPLIT_WORDS, ("Fund One",), ("Net assets",), "10"),
    ("broken words", "half of two headers", _SPLIT_WORDS, ("Fund One",), ("assets",), None),
    ("no headers", "two columns", _NO_HEAD, ("Telephone",), (), "Telephone\t555 0142"),
    ("no headers", "first row too", _NO_HEAD, ("Opening hours",), (), "Opening hours\t9:00–17:00"),
    ("several tables", "the column decides", _CITIES, ("Ala",), ("Rain (mm)",), "310"),
    ("several tables", "the row decides", _CITIES, ("Bro",), ("Snow (cm)",), "12"),
    ("several tables", "row of one, column of the other", _CITIES, ("Cor",), ("Snow (cm)",), None),
    ("lists", "rows out of order", _RATES, ("澳大利亚元", "美元"), ("现汇卖出价",), ("721.04\n474.79", "474.79\n721.04")),
    ("lists", "columns of a league", _LEAGUE, ("Skelwick",), ("W", "D", "L"), "22\t6\t10"),
    ("lists", "one row of two is missing", _RATES, ("美元", "英镑"), ("现汇卖出价",), None),
    ("lists", "three years", _NOTED, ("Inflation",), ("2021", "2022", "2023"), "2.5\t8.4\t5.0"),
    ("ARIA", "grid with a label", _ARIA, ("A-18",), ("Sum",), "12.00"),
    ("ARIA", "a header over two", _ARIA_SPAN, ("Blues",), ("Points", "away"), "24"),
    ("not there", "row that is a cell", _LEAGUE, ("85",), ("Club",), None),
    ("not there", "unit instead of a row", _UNIT_COLUMN, ("% of GDP share",), ("2022",), None),
    ("not there", "column of another table's kind", _BOURSE, ("ORK",), ("Price",), None),
    ("not there", "another club", _LEAGUE, ("Norby City",), ("Pts",), None),
    ("not there", "another quarter", _QUARTERS, ("Orders",), ("2023", "Q2"), None),
)  # fmt: skip
