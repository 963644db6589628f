import type { Clock, ProviderCalendar, ProviderCalendars } from 'kalends/ports';
import type { FeedClient } from './feed-client.ts';
import { readFeed } from './feed-reading.ts';
import { isTooSoon, openToken, sealToken, tokenOf } from './feed-token.ts';
import { refuseWrite } from './refuse-write.ts';

/** Id of the one calendar of an account. */
export const CALENDAR_ID = 'feed';
const COLOR = '#7986cb';

/** The one calendar of each feed. */
export function createFeedCalendars(client: FeedClient, clock: Clock): ProviderCalendars {
  return {
    async *pull(session, token) {
      const known = token === null ? undefined : openToken(token);
      const at = clock.now();
      if (known !== undefined && token !== null && isTooSoon(session, known, at)) {
        yield { changes: [], full: false, nextToken: token, isUnasked: true };
        return;
      }
      const { text, validators } = await client.readFor(session, known ?? {});
      if (text === null && known !== undefined) {
        yield { changes: [], full: false, nextToken: sealToken({ ...known, at }) };
        return;
      }
      const reading = await readFeed(text ?? '');
      const { hostname } = await client.urlOf(session);
      const calendar: ProviderCalendar = {
        id: CALENDAR_ID,
        providerTag: null,
        name: reading.name === '' ? hostname : reading.name.slice(0, 254),
        hexColor: COLOR,
        readOnly: true,
        isPrimary: true,
        isShared: false,
        timeZone: reading.timeZone,
        inviteEmail: '',
        allowedOnlineMeetingProviders: [],
        defaultOnlineMeetingProvider: '',
      };
      const nextToken = sealToken(tokenOf({ ...reading, units: new Map() }, validators, at));
      yield { changes: [{ kind: 'calendar', calendar }], full: token === null, nextToken };
    },
    exists: async (_session, calendarId) => calendarId === CALENDAR_ID,
    create: refuseWrite,
    update: refuseWrite,
    delete: refuseWrite,
  };
}
