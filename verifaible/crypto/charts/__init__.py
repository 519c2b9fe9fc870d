"""Candlestick charts: the evidence is the candles and the parameters, the picture is drawn from them."""
