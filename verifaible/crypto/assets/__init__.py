"""Which asset a name, a ticker, a contract or a market means."""
