import { corruptingFetch, type ProviderWorld, providerConformance } from '@kalends/conformance';
import type { CalendarRef, ProviderSession } from 'kalends/ports';
import { describe, test } from 'vitest';
import { ADA, GRACE, type Harness, primaryOf, startHarness } from './harness.ts';

const GUEST = { email: GRACE, calendar: primaryOf(GRACE) };

/** Every optional part of a world is there, so that every case is played. */
type WholeWorld = ProviderWorld & Required<Pick<ProviderWorld, 'guest' | 'expireFeeds' | 'corrupt'>>;

/** The account's own calendars: the primary one, and one beside it. */
const CALENDARS = {
  'primary calendar': async () => primaryOf(ADA),
  'secondary calendar': async (provider, session) => provider.calendars.create(session, { name: 'Beside' }),
} satisfies Record<string, (provider: Harness['provider'], session: ProviderSession) => Promise<CalendarRef>>;

describe.each(Object.keys(CALENDARS) as (keyof typeof CALENDARS)[])('%s', (name) => {
  providerConformance({
    test: (name, run) => test(name, () => run()),
    async createWorld(): Promise<WholeWorld> {
      const { fetch, corrupt } = corruptingFetch((event) => ({ ...event, start: 'soon' }));
      const harness = await startHarness({ fetch });
      const session = harness.sessionOf(ADA);
      const calendar = await CALENDARS[name](harness.provider, session);
      return {
        provider: harness.provider,
        session,
        calendar,
        async attach(eventId, title) {
          const fileUrl = `https://drive.google.com/open?id=${encodeURIComponent(title)}`;
          const attachment = { fileUrl, title, mimeType: 'text/plain' };
          harness.sandbox.google.controls['addAttachment']?.({ calendarId: calendar.id, eventId, attachment });
        },
        guest: { session: harness.sessionOf(GUEST.email), calendar: GUEST.calendar },
        async expireFeeds() {
          harness.sandbox.google.controls['expireSyncTokens']?.({});
        },
        corrupt,
        close: harness.close,
      };
    },
  });
});
