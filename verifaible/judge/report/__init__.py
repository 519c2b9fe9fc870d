"""What judging came to: figures, tables, sheets, pages."""
