import { ProviderError } from 'kalends/ports';
import { type Answer, type FetchSettings, fetchAnswer } from './fetch-answer.ts';
import { asSecure, isSameSite } from './same-site.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** An answer with the address that gave it, after redirects. */
export interface Exchange extends Answer {
  readonly url: string;
}

export interface FollowedRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly signal: AbortSignal | undefined;
  /** Redirects that are followed. */
  readonly redirects: number;
}

/**
 * Fetches, and follows redirects by hand: `fetch` drops the authorization when the host changes, and asks any host. Method and
 * body stay as they are, save after 303. A redirect from https to http on the same host is followed over https.
 * @throws ProviderError as `fetchAnswer`; forbidden for a redirect to another site or to http, malformed for too many
 */
export async function fetchFollowing(
  settings: FetchSettings,
  { url: first, init, signal, redirects }: FollowedRequest,
): Promise<Exchange> {
  let url = first;
  let request = init;
  for (let followed = 0; ; followed += 1) {
    const answer = await fetchAnswer(settings, url, request, signal);
    const location = answer.headers.get('location');
    if (redirects === 0 || !REDIRECTS.has(answer.status) || location === null) return { ...answer, url };
    if (followed === redirects) throw new ProviderError('malformed', `${settings.provider} redirects too often`);
    url = targetOf(settings.provider, location, url);
    if (answer.status === 303) request = { ...request, method: 'GET', body: null };
  }
}

function targetOf(provider: string, location: string, url: string): string {
  const from = new URL(url);
  if (!URL.canParse(location, url)) throw new ProviderError('malformed', `${provider} redirects to no address`);
  const to = asSecure(from, new URL(location, from));
  if (isSameSite(from, to)) return to.href;
  const isPlain = from.protocol === 'https:' && to.protocol === 'http:';
  const rule = isPlain
    ? `${provider} redirects to plain http, ${to.protocol}//${to.host}, where no credentials are sent`
    : `${provider} redirects to another site, ${to.protocol}//${to.host}; name that one as the server`;
  throw new ProviderError('forbidden', rule, { field: 'serverUrl' });
}
