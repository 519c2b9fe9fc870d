"""Numbers in a text: by value, with sign, scale, unit and role."""
