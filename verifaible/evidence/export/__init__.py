"""Evidence as files for others, and back."""
