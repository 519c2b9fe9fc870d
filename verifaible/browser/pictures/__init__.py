"""Pictures of a page, with the marks over them, and whether a reader sees the cited words."""
