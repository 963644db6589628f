import { type Provider, ProviderError, type ProviderPush } from 'kalends/ports';
import { createAccountLooks } from './account/account-looks.ts';
import { createPersonOf } from './account/account-person.ts';
import { createAuthorization } from './account/authorization.ts';
import { createCalendars } from './calendars/calendars.ts';
import { capabilitiesOf } from './capabilities.ts';
import { createEvents } from './events/events.ts';
import { createObjectCalls } from './events/object-calls.ts';
import { MAPPING_VERSION } from './events/object-reading.ts';
import { type CaldavOptions, type CaldavPreset, readOptions } from './options.ts';
import { createDavClient } from './protocol/dav-client.ts';

/**
 * Creates the CalDAV provider (RFC 4791, 6578, 6638, 6764) for servers that people name, with an app password or a bearer token.
 * It has no push: calendars are polled. Its only state is the pacing of calls, the last look at each account's calendars, and its addresses.
 * @example createEngine({ providers: { CALDAV: caldav() }, storage, secret, publicUrl })
 * @throws KalendsError InvalidRequest naming an option that is unknown or wrong
 */
export function caldav(options: CaldavOptions = {}): Provider {
  return createCaldav('caldav', { title: 'The CalDAV server', serverUrl: undefined }, options);
}

/**
 * Creates the provider of iCloud's calendars. People sign in with their address and an app-specific password.
 * @throws KalendsError InvalidRequest naming an option that is unknown or wrong
 * @see https://support.apple.com/102654
 */
export function icloud(options: CaldavOptions = {}): Provider {
  return createCaldav('icloud', { title: 'iCloud', serverUrl: 'https://caldav.icloud.com/' }, options);
}

function createCaldav(name: string, preset: CaldavPreset, options: CaldavOptions): Provider {
  const settings = readOptions(options, preset);
  const client = createDavClient(settings);
  const looks = createAccountLooks(client, settings.clock);
  const personOf = createPersonOf(client, settings.clock);
  return {
    name,
    mappingVersion: MAPPING_VERSION,
    authorization: createAuthorization(settings, client),
    calendars: createCalendars(settings, client),
    events: createEvents(settings, { calls: createObjectCalls(settings, client), looks, personOf }),
    push: NO_PUSH,
    capabilities: capabilitiesOf,
  };
}

const noPush = (): ProviderError => new ProviderError('push-unsupported', 'CalDAV has no push: calendars are polled');

const NO_PUSH: ProviderPush = {
  open: () => Promise.reject(noPush()),
  renew: () => Promise.reject(noPush()),
  close: async () => {},
  receive: async () => ({ response: new Response(null, { status: 404 }), notifications: [] }),
};
