import type { Caller, Engine } from 'kalends';
import { systemClock } from 'kalends/runtime';
import type { McpOptions } from './mcp-options.ts';
import { createMcpParts } from './mcp-parts.ts';
import { createStdioInput } from './stdio-input.ts';

/** A connection that is served. */
export interface McpConnection {
  /** Resolves when the client has ended the connection, or `close` has. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface McpStdioOptions extends McpOptions {
  /** How long the end of standard input waits for the answers of running calls, in milliseconds. @default 15,000 */
  readonly drainMs?: number;
}

const DRAIN_MS = 15_000;

/**
 * Serves one client over standard input and output, on behalf of a caller. Nothing else may write to standard output. All that was asked
 * before standard input ended is answered.
 */
export async function serveMcpStdio(
  engine: Engine,
  caller: Caller,
  options: McpStdioOptions = {},
): Promise<McpConnection> {
  const { logger, drainMs = DRAIN_MS, clock = systemClock } = options;
  const parts = createMcpParts(engine, options);
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const input = createStdioInput(process.stdin, { drainMs, clock });
  const transport = new StdioServerTransport(input.stream);
  const handle = serveStdio(() => parts.createServer(caller), {
    transport,
    onerror: (error) => logger?.warn('an MCP message was refused', { error: error.message }),
  });
  input.watch(transport);
  const closed = new Promise<void>((resolve) => {
    const before = transport.onclose;
    transport.onclose = () => {
      input.close();
      before?.();
      resolve();
    };
  });
  return { closed, close: () => handle.close() };
}
