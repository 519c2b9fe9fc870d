"""HTML, tables, PDF and character sets, turned into text, Markdown and grids."""
