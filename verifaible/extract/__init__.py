"""Sources read into one record, the Document: pages, HTML, PDF, captions, data."""
