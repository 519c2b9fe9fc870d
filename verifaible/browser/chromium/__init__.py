"""The Chromium itself: found, started or connected to, its tabs, and whether it still answers."""
