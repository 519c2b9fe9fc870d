"""What runs came to: figures, tables, charts, pages."""
