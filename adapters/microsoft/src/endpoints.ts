import { withoutTrailing } from 'kalends/ports';

/** Where Microsoft's services are. */
export interface MicrosoftEndpoints {
  /** Root of the sign-in service, below which the tenant stands. */
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
 * The endpoints of a server that offers sign-in and Graph under one root, as a local test server does:
 * `{root}/{tenant}/oauth2/v2.0/…` and `{root}/v1.0/…`.
 */
export function microsoftEndpoints(root: string): MicrosoftEndpoints {
  const base = withoutTrailing(root, '/');
  return { loginUrl: base, graphUrl: `${base}/v1.0` };
}
