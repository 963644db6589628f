import type { Fetch } from '../ports/index.ts';
import { createAddressGuard } from './address-guard.ts';
import { createGuardedConnector, type LookupAll } from './guarded-connector.ts';
import { Agent, fetch, type RequestInfo, type RequestInit } from './undici.ts';
import { unpausedResponses } from './unpaused-responses.ts';

export { isAddressRefused, type LookupAll, REFUSED_ADDRESS } from './guarded-connector.ts';

const CONNECT_TIMEOUT_MS = 10_000;

export interface GuardedFetchOptions {
  /** Networks in CIDR form that may be dialled though they are private, also over http. @default none */
  readonly allowedNetworks?: readonly string[];
  /** @default dns.lookup */
  readonly lookup?: LookupAll;
}

/**
 * Creates a `fetch` for URLs that users chose. It dials public addresses over https, and `allowedNetworks` over both, and checks
 * the address that it dials. Redirects are followed only where `init` says so, and each is checked alike. A refusal rejects
 * with an error that `isAddressRefused` knows. It takes URLs, no `Request`.
 * @throws KalendsError InvalidRequest for a network that is not CIDR
 */
export function guardedFetch({ allowedNetworks = [], lookup }: GuardedFetchOptions = {}): Fetch {
  const guard = createAddressGuard(allowedNetworks, 'allowedNetworks');
  const dispatcher = new Agent({
    connect: createGuardedConnector(guard, CONNECT_TIMEOUT_MS, lookup),
    keepAliveTimeout: 10_000,
    maxHeaderSize: 65_536,
  }).compose(unpausedResponses);
  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError('guardedFetch takes a URL, not a Request');
    const { protocol } = new URL(input);
    if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(`guardedFetch does not speak ${protocol}`);
    // undici cannot read the limit of a signal's listeners where it is 0, which stands for none.
    const signal = init.signal ? { signal: AbortSignal.any([init.signal]) } : {};
    const options = { redirect: 'manual', ...init, ...signal, dispatcher } as RequestInit;
    return (await fetch(input as RequestInfo, options)) as unknown as Response;
  };
}
