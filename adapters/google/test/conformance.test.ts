import { providerConformance } from '@kalends/conformance';
import type { CalendarRef, ProviderSession } from 'kalends/ports';
import { describe, test } from 'vitest';
import { ADA, GRACE, type Harness, primaryOf, startHarness } from './harness.ts';

const GUEST = { email: GRACE, calendar: primaryOf(GRACE) };

/** The account's own calendars: the primary one, and one beside it. */
const CALENDARS = {
  'primary calendar': async () => primaryOf(ADA),
  'secondary calendar': async (provider, session) => provider.calendars.create(session, { name: 'Beside' }),
} satisfies Record<string, (provider: Harness['provider'], session: ProviderSession) => Promise<CalendarRef>>;

describe.each(Object.keys(CALENDARS) as (keyof typeof CALENDARS)[])('%s', (name) => {
  providerConformance({
    test,
    async createWorld() {
      const harness = await startHarness();
      const session = harness.sessionOf(ADA);
      return {
        provider: harness.provider,
        session,
        calendar: await CALENDARS[name](harness.provider, session),
        guest: { session: harness.sessionOf(GUEST.email), calendar: GUEST.calendar },
        async expireFeeds() {
          harness.sandbox.google.controls['expireSyncTokens']?.({});
        },
        close: harness.close,
      };
    },
  });
});
