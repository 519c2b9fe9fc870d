"""Talking to the analyst: a caller that plans and calls tools, and an answerer that writes from results."""
