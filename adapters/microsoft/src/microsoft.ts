import type { OAuthProvider } from 'kalends/ports';
import { createCalendars } from './calendars/calendars.ts';
import { createFreeBusy } from './calendars/schedules.ts';
import { capabilitiesOf } from './capabilities.ts';
import { createEvents } from './events/events.ts';
import { createAuthorization } from './oauth/authorization.ts';
import { type MicrosoftOptions, readOptions } from './options.ts';
import { createPush } from './push/push.ts';
import { createGraphClient } from './transport/graph-client.ts';

/** Version of the mapping of Graph's calendars and events; raise it with every change. */
const MAPPING_VERSION = 9;

/**
 * Creates the Microsoft Graph provider. Its only state is the pacing of calls, per mailbox and
 * process, and a count of failing change feeds.
 *
 * @example
 * ```ts
 * const engine = createEngine({ providers: { PROVIDER_B: microsoft({ tenant: 'common' }) }, storage, secret });
 * ```
 * @throws KalendsError InvalidRequest naming an option that is unknown or wrong
 */
export function microsoft(options: MicrosoftOptions = {}): OAuthProvider {
  const settings = readOptions(options);
  const graph = createGraphClient(settings);
  return {
    name: 'microsoft',
    mappingVersion: MAPPING_VERSION,
    authorization: createAuthorization(settings, graph),
    calendars: createCalendars(settings, graph),
    events: createEvents(settings, graph),
    push: createPush(settings, graph),
    freeBusy: createFreeBusy(graph),
    capabilities: capabilitiesOf,
  };
}
