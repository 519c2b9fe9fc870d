"""What a page shows, and where in it the evidence is."""
