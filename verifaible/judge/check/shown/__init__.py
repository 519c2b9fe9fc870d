"""What a checked text looks like: on a terminal, on a page, in Markdown and for programs."""
