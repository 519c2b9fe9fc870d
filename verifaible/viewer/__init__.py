"""What readers and other agents connect to: the viewer, and the MCP server."""
