"""WARC and WACZ files: writing, reading, and looking a request up in them."""
