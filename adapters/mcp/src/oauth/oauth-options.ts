import type { Fetch } from 'kalends/ports';

/** Which authorization server issues the access tokens of agents, and what they may do here. */
export interface McpOAuthOptions {
  /** Issuer identifier of the authorization server, exactly as its tokens and its metadata have it; https, or http on loopback. */
  readonly issuer: string;
  /** The URL of this server as clients know it: the resource that they name to the authorization server (RFC 8707). */
  readonly resource: string;
  /** Audience that tokens have to name. @default `resource` */
  readonly audience?: string;
  /** Address of the keys that sign its JWTs. @default that of the server's metadata (RFC 8414, OpenID Connect Discovery) */
  readonly jwksUrl?: string;
  /** Asks the authorization server about each token (RFC 7662), as opaque tokens need. @default tokens are JWTs */
  readonly introspection?: {
    readonly clientId: string;
    readonly clientSecret: string;
    /** @default that of the server's metadata */
    readonly url?: string;
  };
  /** Application whose accounts tokens reach: one for all, or the value of a claim of each token. */
  readonly application: { readonly id: string } | { readonly claim: string };
  /** Scope that lets a token read. @default `calendars.read` */
  readonly readScope?: string;
  /** Scope that lets a token read and write. @default `calendars.write` */
  readonly writeScope?: string;
  /** Asks the authorization server. @default fetch */
  readonly fetch?: Fetch;
}
