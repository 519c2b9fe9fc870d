"""Hand-written replicas of the sites of the 21 cases; see README.md in this folder."""
