/* 股票成交概况的列（产品代码与名称）和行（字段与指标） */
var overviewDayConfig = {
  codes: "01,02,03,11,17",
  columns: [["17", "股票"], ["01", "主板A"], ["02", "主板B"], ["03", "科创板"], ["11", "股票回购"]],
  items: [
    ["LIST_NUM", "挂牌数"], ["TOTAL_VALUE", "市价总值（亿元）"], ["NEGO_VALUE", "流通市值（亿元）"],
    ["TRADE_AMT", "成交金额（亿元）"], ["TRADE_VOL", "成交量（亿股）"], ["AVG_PE_RATE", "平均市盈率（倍）"],
    ["TOTAL_TO_RATE", "换手率（％）"], ["NEGO_TO_RATE", "流通换手率（％）"]
  ]
};
