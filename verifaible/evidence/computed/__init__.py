"""Values computed from sealed data, sealed themselves with what they were computed from."""
