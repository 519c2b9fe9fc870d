"""The MCP server: the six tools, the check of an answer, the citations of the store, and a prompt."""
