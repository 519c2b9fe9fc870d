"""Action steps: finding the element that is meant, using it, and saying what changed."""
