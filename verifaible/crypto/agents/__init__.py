"""Agents that write reports: on a project, on its past, on the news; each is a tool that a model calls."""
