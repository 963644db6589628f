import { createRateLimiter, type Peer } from '@kalends/http';
import type { Engine } from 'kalends';
import type { Clock, Logger } from 'kalends/ports';
import { deriveKey, parseSecrets, systemClock } from 'kalends/runtime';
import { CommandError } from '../command-error.ts';
import type { Settings } from '../settings.ts';
import { loadMcp } from './load-mcp.ts';
import { MCP_OAUTH_SETTINGS, type McpOAuthSettings, mcpOAuthOptions } from './oauth-settings.ts';

/** Path of the server at which agents reach it. */
export const MCP_PATH = '/mcp';

/** Path at which clients read about the authorization of a resource; that with its own path behind it too. @see RFC 9728 §3.1 */
const METADATA_PATH = '/.well-known/oauth-protected-resource';

export interface McpSettings extends Pick<Settings, 'mcp' | 'publicUrl' | 'rateLimit'>, McpOAuthSettings {
  readonly mcpHosts: readonly string[];
  readonly trustProxy?: Settings['trustProxy'];
  readonly proxyHeader?: Settings['proxyHeader'];
  readonly secret: string;
}

type McpAnswer = (request: Request, peer?: Peer) => Promise<Response>;

/** Answers requests at `/mcp`, and for the metadata of its authorization where access tokens are admitted. */
export interface McpMount extends McpAnswer {
  matches(pathname: string): boolean;
}

const NOT_INSTALLED = 'Agents are not served here: @kalends/mcp is not installed.\n';

/**
 * Creates the answer at `/mcp`; `@kalends/mcp` is loaded at the first request. Undefined where the settings turn it off.
 * @throws CommandError for settings of access tokens that do not fit together
 */
export function mountMcp(
  engine: Engine,
  settings: McpSettings,
  { logger, clock = systemClock }: { readonly logger: Logger; readonly clock?: Clock },
): McpMount | undefined {
  const { mcp, rateLimit, trustProxy, proxyHeader } = settings;
  if (mcp === 'off') return undefined;
  const limiter =
    rateLimit === 0 ? undefined : createRateLimiter({ perSecond: rateLimit, burst: 2 * rateLimit }, clock);
  const oauth = mcpOAuthOptions(settings, MCP_PATH);
  const options = {
    ...(oauth && { oauth }),
    readOnly: mcp === 'read-only',
    hosts: hostsOf(settings),
    ...(trustProxy !== undefined && { trustProxy }),
    ...(proxyHeader !== undefined && { proxyHeader }),
    previewKey: deriveKey(parseSecrets(settings.secret).current, 'mcp-preview'),
    logger,
    clock,
    countCall: async (key: string) => (await limiter?.take(key))?.refused,
  };
  let handler: Promise<McpAnswer | undefined> | undefined;
  const answerTo: McpAnswer = async (request, peer = {}) => {
    handler ??= loadMcp().then((library) => library?.createMcpHandler(engine, options));
    const answer = await handler;
    if (answer === undefined) {
      return new Response(NOT_INSTALLED, { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    }
    return answer(request, peer);
  };
  return Object.assign(answerTo, {
    matches: (pathname: string) =>
      pathname === MCP_PATH ||
      (oauth !== undefined && (pathname === METADATA_PATH || pathname.startsWith(`${METADATA_PATH}/`))),
  });
}

/** Looks up the application whose accounts access tokens reach. @throws CommandError naming the setting, where there is none */
export async function checkTokenApplication(
  engine: Pick<Engine, 'applications'>,
  { mcp, mcpOAuthApplication: id }: Pick<McpSettings, 'mcp' | 'mcpOAuthApplication'>,
): Promise<void> {
  if (mcp === 'off' || id === undefined) return;
  if ((await engine.applications.find(id))?.status === 'ACTIVE') return;
  const variable = MCP_OAUTH_SETTINGS.mcpOAuthApplication.variable;
  throw new CommandError(`${variable}: there is no application ${id}; "kalends app list" shows all`, 1);
}

/** The names of the settings, and that of the public URL. */
function hostsOf({ mcpHosts, publicUrl }: McpSettings): readonly string[] {
  return [...mcpHosts, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
}
