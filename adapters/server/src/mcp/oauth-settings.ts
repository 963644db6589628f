import type { McpOAuthOptions } from '@kalends/mcp';
import { z } from 'zod';
import { CommandError } from '../command-error.ts';

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
const secureUrl = z
  .string()
  .refine(isSecureUrl, 'must be an https URL, or http on loopback, such as https://login.example.com')
  .optional();
const text = z.string().min(1, 'must not be empty').optional();

/** Settings of agents' access tokens, as a part of the table of all settings. */
export const MCP_OAUTH_SETTINGS = {
  mcpOAuthIssuer: { variable: 'KALENDS_MCP_OAUTH_ISSUER', flag: 'mcp-oauth-issuer', schema: secureUrl },
  mcpOAuthResource: { variable: 'KALENDS_MCP_OAUTH_RESOURCE', flag: 'mcp-oauth-resource', schema: secureUrl },
  mcpOAuthAudience: { variable: 'KALENDS_MCP_OAUTH_AUDIENCE', flag: 'mcp-oauth-audience', schema: text },
  mcpOAuthJwksUrl: { variable: 'KALENDS_MCP_OAUTH_JWKS_URL', flag: 'mcp-oauth-jwks-url', schema: secureUrl },
  mcpOAuthIntrospectionUrl: {
    variable: 'KALENDS_MCP_OAUTH_INTROSPECTION_URL',
    flag: 'mcp-oauth-introspection-url',
    schema: secureUrl,
  },
  mcpOAuthClientId: { variable: 'KALENDS_MCP_OAUTH_CLIENT_ID', flag: 'mcp-oauth-client-id', schema: text },
  mcpOAuthClientSecret: { variable: 'KALENDS_MCP_OAUTH_CLIENT_SECRET', schema: text },
  mcpOAuthApplication: { variable: 'KALENDS_MCP_OAUTH_APPLICATION', flag: 'mcp-oauth-application', schema: text },
  mcpOAuthApplicationClaim: {
    variable: 'KALENDS_MCP_OAUTH_APPLICATION_CLAIM',
    flag: 'mcp-oauth-application-claim',
    schema: text,
  },
  mcpOAuthReadScope: { variable: 'KALENDS_MCP_OAUTH_READ_SCOPE', flag: 'mcp-oauth-read-scope', schema: text },
  mcpOAuthWriteScope: { variable: 'KALENDS_MCP_OAUTH_WRITE_SCOPE', flag: 'mcp-oauth-write-scope', schema: text },
} as const;

/** Values of these settings. */
export type McpOAuthSettings = {
  readonly [Setting in keyof typeof MCP_OAUTH_SETTINGS]?: string | undefined;
};

/**
 * Returns what the settings say of access tokens; undefined without an issuer. `path` is that of agents on the public host.
 * @throws CommandError naming the setting that is missing, or that says nothing without another
 */
export function mcpOAuthOptions(
  settings: McpOAuthSettings & { readonly publicUrl: string | undefined },
  path: string,
): McpOAuthOptions | undefined {
  const {
    mcpOAuthIssuer: issuer,
    publicUrl,
    mcpOAuthClientId: clientId,
    mcpOAuthClientSecret: clientSecret,
  } = settings;
  if (issuer === undefined) {
    const given = Object.entries(MCP_OAUTH_SETTINGS).find(([name]) => settings[name as keyof McpOAuthSettings]);
    if (given === undefined) return undefined;
    throw new CommandError(`${given[1].variable} needs KALENDS_MCP_OAUTH_ISSUER`);
  }
  const resource = settings.mcpOAuthResource ?? (publicUrl && `${new URL(publicUrl).origin}${path}`);
  if (!resource)
    throw new CommandError('KALENDS_MCP_OAUTH_ISSUER needs KALENDS_PUBLIC_URL or KALENDS_MCP_OAUTH_RESOURCE');
  const { mcpOAuthIntrospectionUrl: url } = settings;
  if ((clientId === undefined) !== (clientSecret === undefined) || (url !== undefined && clientId === undefined)) {
    throw new CommandError('Introspection needs both KALENDS_MCP_OAUTH_CLIENT_ID and KALENDS_MCP_OAUTH_CLIENT_SECRET');
  }
  const { mcpOAuthAudience: audience, mcpOAuthJwksUrl: jwksUrl } = settings;
  const { mcpOAuthReadScope: readScope, mcpOAuthWriteScope: writeScope } = settings;
  return {
    issuer,
    resource,
    application: applicationOf(settings),
    ...(audience && { audience }),
    ...(jwksUrl && { jwksUrl }),
    ...(clientId && clientSecret && { introspection: { clientId, clientSecret, ...(url && { url }) } }),
    ...(readScope && { readScope }),
    ...(writeScope && { writeScope }),
  };
}

function applicationOf({
  mcpOAuthApplication: id,
  mcpOAuthApplicationClaim: claim,
}: McpOAuthSettings): McpOAuthOptions['application'] {
  if (id !== undefined && claim === undefined) return { id };
  if (claim !== undefined && id === undefined) return { claim };
  throw new CommandError(
    'KALENDS_MCP_OAUTH_ISSUER needs either KALENDS_MCP_OAUTH_APPLICATION or KALENDS_MCP_OAUTH_APPLICATION_CLAIM',
  );
}

function isSecureUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
