import { corruptingFetch, type ProviderWorld, providerConformance } from '@kalends/conformance';
import type { CalendarRef, ProviderSession } from 'kalends/ports';
import { describe, test } from 'vitest';
import { ADA, BEN, createHarness, type Harness } from './harness.ts';

/** Every optional part of a world is there, so that every case is played. */
type WholeWorld = ProviderWorld & Required<Pick<ProviderWorld, 'guest' | 'expireFeeds' | 'corrupt'>>;

/** The account's own calendars: the primary one, and one beside it. */
const CALENDARS = {
  'primary calendar': (harness) => harness.primary(ADA),
  'secondary calendar': (harness, session) => harness.provider.calendars.create(session, { name: 'Beside' }),
} satisfies Record<string, (harness: Harness, session: ProviderSession) => Promise<CalendarRef>>;

describe.each(Object.keys(CALENDARS) as (keyof typeof CALENDARS)[])('%s', (name) => {
  providerConformance({
    test: (name, run) => test(name, () => run()),
    async createWorld(): Promise<WholeWorld> {
      const { fetch, corrupt } = corruptingFetch((event) => ({ ...event, start: 'soon' }));
      const harness = await createHarness({ odd: true, fetch });
      const session = await harness.session(ADA);
      const calendar = await CALENDARS[name](harness, session);
      return {
        provider: harness.provider,
        session,
        calendar,
        async attach(eventId, name) {
          harness.control('addAttachment', { email: ADA, calendarId: calendar.id, eventId, name, size: 5 });
        },
        guest: { session: await harness.session(BEN), calendar: await harness.primary(BEN) },
        async expireFeeds() {
          harness.control('expireDeltaTokens');
        },
        corrupt,
        close: harness.close,
      };
    },
  });
});
