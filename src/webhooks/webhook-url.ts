import { isIP } from 'node:net';
import { invalid } from '../errors.ts';
import { type AddressGuard, BLOCKED_PORTS, type ResolveHost } from '../network/index.ts';
import type { Clock } from '../ports/index.ts';
import { withDeadline } from '../runtime/index.ts';

const FIELD = 'webhookUrl';
const LONGEST_URL = 2048;
const RESOLVE_MS = 3_000;

/** Checks the URLs of customers' receivers. */
export interface WebhookUrlCheck {
  /**
   * Checks syntax, port, and the literal address or the addresses that the name resolves to now. Accepts an https name that
   * does not resolve yet, because each attempt checks the address it dials. For http, each address must lie in an allowed
   * network.
   * @throws KalendsError InvalidRequest naming webhookUrl
   */
  check(text: string): Promise<void>;
}

export function createWebhookUrlCheck(dependencies: {
  readonly guard: AddressGuard;
  readonly resolveHost: ResolveHost;
  readonly clock: Clock;
}): WebhookUrlCheck {
  const { guard, resolveHost, clock } = dependencies;

  const addressesOf = async (host: string): Promise<readonly string[]> => {
    if (isIP(host) !== 0) return [host];
    try {
      return await withDeadline(clock, RESOLVE_MS, () => resolveHost(host));
    } catch {
      // Unknown for now: the sender resolves the name again at each attempt.
      return [];
    }
  };

  return {
    async check(text) {
      const url = parseWebhookUrl(text, guard);
      const protocol = url.protocol as 'http:' | 'https:';
      const addresses = await addressesOf(hostOf(url));
      const isKnown = addresses.length > 0 || protocol === 'https:';
      if (isKnown && addresses.every((address) => guard.allows(address, protocol))) return;
      const open = addresses.every((address) => guard.allows(address, 'https:'));
      throw invalid(FIELD, open ? 'must use https' : 'must not address a private or reserved network');
    },
  };
}

/** Returns the host, without the brackets of an IPv6 literal. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function parseWebhookUrl(text: string, guard: AddressGuard): URL {
  if (text.length > LONGEST_URL) throw invalid(FIELD, `must be at most ${LONGEST_URL} characters`);
  // URL() silently repairs control characters, spaces and backslashes, so the listed URL would differ from the dialled one.
  if (/[\s\\]/.test(text) || !URL.canParse(text)) throw invalid(FIELD, 'must be a valid HTTPS URL');
  const url = new URL(text);
  const isHttp = url.protocol === 'http:' && guard.opensNetworks;
  if (url.protocol !== 'https:' && !isHttp) throw invalid(FIELD, 'must be a valid HTTPS URL');
  if (url.username !== '' || url.password !== '') throw invalid(FIELD, 'must not contain user-info');
  if (url.port !== '' && BLOCKED_PORTS.has(Number(url.port))) throw invalid(FIELD, `must not use port ${url.port}`);
  return url;
}
