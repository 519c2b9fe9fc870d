"""The MCP server: the six tools, the citations of the store as resources, and a prompt."""
