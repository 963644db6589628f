import { providerConformance } from '@kalends/conformance';
import type { CalendarRef, ProviderSession } from 'kalends/ports';
import { describe, test } from 'vitest';
import { ADA, BEN, createHarness, type Harness } from './harness.ts';

/** The account's own calendars: the primary one, and one beside it. */
const CALENDARS = {
  'primary calendar': (harness) => harness.primary(ADA),
  'secondary calendar': (harness, session) => harness.provider.calendars.create(session, { name: 'Beside' }),
} satisfies Record<string, (harness: Harness, session: ProviderSession) => Promise<CalendarRef>>;

describe.each(Object.keys(CALENDARS) as (keyof typeof CALENDARS)[])('%s', (name) => {
  providerConformance({
    test,
    async createWorld() {
      const harness = await createHarness({ odd: true });
      const session = await harness.session(ADA);
      return {
        provider: harness.provider,
        session,
        calendar: await CALENDARS[name](harness, session),
        guest: { session: await harness.session(BEN), calendar: await harness.primary(BEN) },
        async expireFeeds() {
          harness.control('expireDeltaTokens');
        },
        close: harness.close,
      };
    },
  });
});
