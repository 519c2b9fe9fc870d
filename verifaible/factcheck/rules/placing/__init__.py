"""Where a figure of a claim stands: under which row, column or sentence, and what is said there instead."""
