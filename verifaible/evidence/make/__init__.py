"""Making a citation."""
