"""Deciders of claims: what sources say of them, each answer with the places that it rests on."""
