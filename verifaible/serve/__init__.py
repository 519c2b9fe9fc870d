"""The doors for readers and for other agents: the viewer, and the MCP server."""
