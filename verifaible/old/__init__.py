"""The reading and locating of the first edition, till their last callers have moved to the new packages."""
