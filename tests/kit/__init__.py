"""What several tests work with: made-up services and records."""
