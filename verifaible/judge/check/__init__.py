"""A judge model, or a local one, for what the rules leave open."""
