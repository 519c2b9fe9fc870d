"""Pure functions that find evidence in text, tables, PDF pages and captions."""
