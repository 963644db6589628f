import { createClientAddress, createRateLimiter, type Peer } from '@kalends/http';
import type { Engine } from 'kalends';
import type { Clock, Logger } from 'kalends/ports';
import { deriveKey, parseSecrets, systemClock } from 'kalends/runtime';
import type { Settings } from '../settings.ts';
import { loadMcp } from './load-mcp.ts';

/** Path of the server at which agents reach it. */
export const MCP_PATH = '/mcp';

export interface McpSettings extends Pick<Settings, 'mcp' | 'publicUrl' | 'rateLimit'> {
  readonly mcpHosts: readonly string[];
  readonly trustProxy?: Settings['trustProxy'];
  readonly proxyHeader?: Settings['proxyHeader'];
  readonly secret: string;
}

/** Answers requests at `/mcp`. */
export type McpMount = (request: Request, peer?: Peer) => Promise<Response>;

const NOT_INSTALLED = 'Agents are not served here: @kalends/mcp is not installed.\n';

/** Creates the answer at `/mcp`; `@kalends/mcp` is loaded at the first request. Undefined where the settings turn it off. */
export function mountMcp(
  engine: Engine,
  settings: McpSettings,
  { logger, clock = systemClock }: { readonly logger: Logger; readonly clock?: Clock },
): McpMount | undefined {
  const { mcp, rateLimit } = settings;
  if (mcp === 'off') return undefined;
  const limiter =
    rateLimit === 0 ? undefined : createRateLimiter({ perSecond: rateLimit, burst: 2 * rateLimit }, clock);
  const clientOf = createClientAddress(settings);
  const options = {
    readOnly: mcp === 'read-only',
    hosts: hostsOf(settings),
    previewKey: deriveKey(parseSecrets(settings.secret).current, 'mcp-preview'),
    logger,
    clock,
    countCall: async (key: string) => (await limiter?.take(key))?.refused,
  };
  let handler: Promise<McpMount | undefined> | undefined;
  return async (request, peer = {}) => {
    handler ??= loadMcp().then((library) => library?.createMcpHandler(engine, options));
    const answer = await handler;
    if (answer === undefined) {
      return new Response(NOT_INSTALLED, { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    }
    return answer(request, { remoteAddress: clientOf(peer.remoteAddress, request.headers).address });
  };
}

/** The names of the settings, and that of the public URL. */
function hostsOf({ mcpHosts, publicUrl }: McpSettings): readonly string[] {
  return [...mcpHosts, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
}
