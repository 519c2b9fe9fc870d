"""Talking to the analyst in the viewer: conversations, turns as they happen, and their evidence."""
