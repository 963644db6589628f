import { withoutTrailing } from 'kalends/ports';

/** Addresses of Microsoft's services. */
export interface MicrosoftEndpoints {
  /** Root of the sign-in service, above the tenant. */
  readonly loginUrl: string;
  /** Root of the Graph API with its version. */
  readonly graphUrl: string;
}

/** The worldwide cloud. National clouds and local servers have other roots. */
export const PUBLIC_ENDPOINTS: MicrosoftEndpoints = {
  loginUrl: 'https://login.microsoftonline.com',
  graphUrl: 'https://graph.microsoft.com/v1.0',
};

/**
 * Returns the addresses of a server that offers sign-in and Graph under one root, as a local test server does:
 * `{root}/{tenant}/oauth2/v2.0/…` and `{root}/v1.0/…`.
 */
export function microsoftEndpoints(root: string): MicrosoftEndpoints {
  const base = withoutTrailing(root, '/');
  return { loginUrl: base, graphUrl: `${base}/v1.0` };
}
