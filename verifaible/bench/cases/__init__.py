"""The cases: reading, checking, writing them."""
