"""Numbers and periods of a text as people write them: values with units and precision, windows and dates."""
