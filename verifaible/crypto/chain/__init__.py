"""What stands on the Ethereum chain: blocks, transfers, who sends and receives, and patterns among them."""
