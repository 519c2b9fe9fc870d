"""Real date pickers from npm, each on a page that says which date its own callback was given."""
