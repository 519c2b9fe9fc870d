/* 基金成交概况的列（产品代码与名称）和行（字段与指标） */
var overviewDayConfig = {
  codes: "05,13,16,14,15,12",
  columns: [["05", "基金"], ["13", "ETF"], ["16", "公募REITs"], ["14", "LOF"], ["12", "基金回购"]],
  items: [["LIST_NUM", "挂牌数"], ["TRADE_VOL", "成交量（亿份）"], ["TRADE_AMT", "成交金额（亿元）"]]
};
