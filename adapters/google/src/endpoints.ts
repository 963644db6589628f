import { withoutTrailing } from 'kalends/ports';

/** Google's OAuth endpoints, all absolute URLs. */
export interface GoogleOAuthEndpoints {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly revocationUrl: string;
  /** JSON Web Key Set that signs id_tokens. */
  readonly jwksUrl: string;
  /** `iss` of id_tokens. */
  readonly issuer: string;
}

/** Addresses of Google. The Calendar API is at `{baseUrl}/calendar/v3`. */
export interface GoogleEndpoints {
  readonly baseUrl: string;
  readonly oauth: GoogleOAuthEndpoints;
}

/** Google's public addresses. */
export const GOOGLE_ENDPOINTS: GoogleEndpoints = {
  baseUrl: 'https://www.googleapis.com',
  oauth: {
    authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    revocationUrl: 'https://oauth2.googleapis.com/revoke',
    jwksUrl: 'https://www.googleapis.com/oauth2/v3/certs',
    issuer: 'https://accounts.google.com',
  },
};

/**
 * Returns the addresses of a server that imitates Google under one root, such as `@kalends/sandbox` under `{sandboxUrl}/google`.
 * @example google(googleEndpoints('http://127.0.0.1:4000/google'))
 */
export function googleEndpoints(root: string): GoogleEndpoints {
  const base = withoutTrailing(root, '/');
  return {
    baseUrl: base,
    oauth: {
      authorizationUrl: `${base}/o/oauth2/v2/auth`,
      tokenUrl: `${base}/token`,
      revocationUrl: `${base}/revoke`,
      jwksUrl: `${base}/oauth2/v3/certs`,
      issuer: base,
    },
  };
}
