"""What every command shares: options, and the one way in which output and errors are shown."""
