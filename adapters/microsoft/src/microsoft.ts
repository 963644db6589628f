import type { Provider } from 'kalends/ports';
import { createCalendars } from './calendars/calendars.ts';
import { capabilitiesOf } from './capabilities.ts';
import { createEvents } from './events/events.ts';
import { createAuthorization } from './oauth/authorization.ts';
import { type MicrosoftOptions, readOptions } from './options.ts';
import { createPush } from './push/push.ts';
import { createGraphClient } from './transport/graph-client.ts';

/** Raised with every change of how Graph's calendars and events are mapped. */
const MAPPING_VERSION = 3;

/**
 * Microsoft Graph calendars as a provider of the engine. Stateless but for the pacing of each mailbox's requests.
 *
 * @example
 * ```ts
 * const engine = createEngine({ providers: { PROVIDER_B: microsoft({ tenant: 'common' }) }, … });
 * ```
 * @throws RangeError for an option that cannot work
 */
export function microsoft(options: MicrosoftOptions = {}): Provider {
  const settings = readOptions(options);
  const graph = createGraphClient(settings);
  return {
    name: 'microsoft',
    mappingVersion: MAPPING_VERSION,
    authorization: createAuthorization(settings, graph),
    calendars: createCalendars(settings, graph),
    events: createEvents(settings, graph),
    push: createPush(settings, graph),
    capabilities: capabilitiesOf,
  };
}
