"""Which tools a model calls for a prompt, measured as the Coinvisor paper (section 4.1) counts."""
