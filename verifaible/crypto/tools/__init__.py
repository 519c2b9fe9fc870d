"""Data tools, one file a provider; ``registry`` lists them."""
