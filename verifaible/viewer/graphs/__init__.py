"""The pages of knowledge graphs."""
