"""The Chromium itself: found, started, its tabs, and whether it still answers."""
