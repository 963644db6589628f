import { createHash } from 'node:crypto';
import {
  checkTransportNames,
  readTransportOptions,
  type TransportOptions,
  wrongOption,
} from '@kalends/provider-transport';
import { type GuardedFetchOptions, guardedFetch } from 'kalends/guarded-fetch';
import { type CredentialAuthorization, type CredentialProvider, ProviderError, type ProviderPush } from 'kalends/ports';
import { capabilities } from './capabilities.ts';
import { createFeedCalendars } from './feed-calendars.ts';
import { createFeedClient, type FeedClient } from './feed-client.ts';
import { createFeedEvents } from './feed-events.ts';

/** Version of the mapping of feeds; raise it with every change. */
const MAPPING_VERSION = 7;
/** A feed is read as a whole: memory is some ten times as much. */
const MAX_FEED_BYTES = 5_000_000;

const DEFAULT_LIMITS = {
  concurrency: 2,
  callsPerInterval: Number.POSITIVE_INFINITY,
  intervalMs: 1_000,
  maxAnswerBytes: MAX_FEED_BYTES,
};

export interface IcsFeedOptions
  extends Omit<TransportOptions, 'retry' | 'random'>,
    Pick<GuardedFetchOptions, 'allowedNetworks'> {}

/**
 * Creates the provider of calendar feeds: public `.ics` addresses and `webcal:` links, read-only. An account is one feed with one
 * calendar. Addresses inside private networks are refused unless `allowedNetworks` opens them; a `fetch` of your own guards by itself.
 * @example createEngine({ providers: { ICS: icsFeed() }, storage, secret, publicUrl })
 * @throws KalendsError InvalidRequest naming an option that is unknown or wrong
 */
export function icsFeed(options: IcsFeedOptions = {}): CredentialProvider {
  checkTransportNames(options, ['allowedNetworks'] satisfies (keyof IcsFeedOptions)[]);
  const { allowedNetworks = [] } = options;
  if (!Array.isArray(allowedNetworks)) throw wrongOption('allowedNetworks', 'must be a list');
  const fetch = options.fetch ?? guardedFetch({ allowedNetworks });
  const settings = readTransportOptions('the feed', { ...options, fetch }, DEFAULT_LIMITS);
  const client = createFeedClient(settings);
  return {
    name: 'ics-feed',
    mappingVersion: MAPPING_VERSION,
    authorization: feedAuthorization(client),
    calendars: createFeedCalendars(client, settings.clock),
    events: createFeedEvents(client, settings.clock),
    push: PUSH,
    capabilities: () => capabilities,
  };
}

function feedAuthorization(client: FeedClient): CredentialAuthorization {
  return {
    kind: 'credentials',
    kinds: ['url'],
    async verify(credentials, signal) {
      if (credentials.kind !== 'url') throw new ProviderError('unsupported', 'a feed has an address alone');
      const url = new URL(credentials.url.replace(/^webcal(s?):/i, 'https:'));
      await client.read(url.href, {}, signal).catch((error: unknown) => {
        const isRefused = ProviderError.isInstance(error) && error.reason === 'unauthorized';
        throw isRefused ? new ProviderError('invalid-grant', error.message, { cause: error }) : error;
      });
      // The address may be a secret: its hash names the account.
      const hash = createHash('sha256').update(url.href).digest('hex').slice(0, 24);
      const identity = { providerAccountId: `${url.host}/${hash}`, email: `${hash}@${url.hostname}` };
      return { credentials: { kind: 'url', url: url.href }, identity: { ...identity, isEmailVerified: false } };
    },
  };
}

const PUSH: ProviderPush = {
  open: () => Promise.reject(new ProviderError('push-unsupported', 'A feed cannot be watched.')),
  renew: async () => null,
  close: async () => undefined,
  receive: async () => ({ response: new Response(null, { status: 404 }), notifications: [] }),
};
