export { createMcpHandler, type McpHandler, type McpHandlerOptions, type McpPeer } from './mcp-handler.ts';
export type { McpOptions } from './mcp-options.ts';
export type { McpOAuthOptions } from './oauth/oauth-options.ts';
export { type McpConnection, type McpStdioOptions, serveMcpStdio } from './serve-mcp-stdio.ts';
