"""What a page asks of the web: answered from an archive, or kept while it is live."""
