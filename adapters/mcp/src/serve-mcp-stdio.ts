import type { Caller, Engine } from 'kalends';
import type { McpOptions } from './mcp-options.ts';
import { createMcpParts } from './mcp-parts.ts';

/** A connection that is served. */
export interface McpConnection {
  /** Resolves when the client has ended the connection, or `close` has. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves one client over standard input and output, on behalf of a caller. Nothing else may write to standard output.
 */
export async function serveMcpStdio(engine: Engine, caller: Caller, options: McpOptions = {}): Promise<McpConnection> {
  const { logger } = options;
  const parts = createMcpParts(engine, options);
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const transport = new StdioServerTransport();
  const handle = serveStdio(() => parts.createServer(caller), {
    transport,
    onerror: (error) => logger?.warn('an MCP message was refused', { error: error.message }),
  });
  const closed = new Promise<void>((resolve) => {
    const before = transport.onclose;
    transport.onclose = () => {
      before?.();
      resolve();
    };
  });
  return { closed, close: () => handle.close() };
}
