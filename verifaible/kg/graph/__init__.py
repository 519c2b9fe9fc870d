"""The graph that triples make: entities, edges, merges of names, and files for other programs."""
