"""What can be done on a page: its requests, scripts, elements, forms and tables."""
