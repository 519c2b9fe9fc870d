"""Cells of tables: by the path of their headers, and found again in another version of the page."""
