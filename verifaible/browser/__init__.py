"""One warm browser, a fresh context per call: steps, analysis, highlight, capture."""
