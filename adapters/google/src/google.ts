import type { OAuthProvider } from 'kalends/ports';
import { createCalendars } from './calendars/calendars.ts';
import { createFreeBusy } from './calendars/free-busy.ts';
import { capabilitiesOf } from './capabilities.ts';
import { MAPPING_VERSION } from './events/event-reading.ts';
import { createEvents } from './events/events.ts';
import { createAuthorization } from './oauth/authorization.ts';
import { type GoogleOptions, readOptions } from './options.ts';
import { createPush } from './push/push.ts';
import { createGoogleClient } from './transport/google-client.ts';

/**
 * Creates the Google Calendar provider. Its only state is the pacing of calls, per mailbox and process.
 * @example createEngine({ providers: { PROVIDER_A: google() }, storage, secret, publicUrl })
 * @throws KalendsError InvalidRequest naming an option that is unknown or wrong
 * @see https://developers.google.com/workspace/calendar/api/v3/reference
 */
export function google(options: GoogleOptions = {}): OAuthProvider {
  const settings = readOptions(options);
  const client = createGoogleClient(settings);
  return {
    name: 'google',
    mappingVersion: MAPPING_VERSION,
    authorization: createAuthorization(settings, client),
    calendars: createCalendars(settings, client),
    events: createEvents(settings, client),
    push: createPush(client),
    freeBusy: createFreeBusy(client),
    capabilities: capabilitiesOf,
  };
}
