"""Integrations: tools of MCP servers. The `mcp` library is imported when the first server starts (DESIGN 3)."""
