// The provider conformance kit against an account at a provider. It makes a calendar of its own there and removes it again.
//   PROVIDER=google CLIENT_ID=… CLIENT_SECRET=… REFRESH_TOKEN=… node --test docs/examples/account-conformance.js
import { setTimeout as wait } from 'node:timers/promises';
import { providerConformance } from '@kalends/conformance';
import { google } from '@kalends/google';
import { microsoft } from '@kalends/microsoft';

/** Declares the kit's tests for one account. What it answers removes the calendar that they use. */
export function accountConformance({ test, provider, client, refreshToken, settleMs = 0, ...options }) {
  const session = connect(provider, client, refreshToken);
  let calendar;

  // One calendar for all tests: providers do not let an account make a hundred of them in a row.
  async function emptyCalendar() {
    calendar ??= await provider.calendars.create(await session, { name: 'kalends conformance', timeZone: 'UTC' });
    for await (const { changes } of provider.events.pull(await session, calendar, null)) {
      for (const { event, master = event } of changes) {
        if (master === undefined || master.seriesId !== null) continue;
        const target = { kind: 'event', providerEventId: master.providerEventId, current: master };
        await provider.events.delete(await session, calendar, target, {});
      }
    }
    return calendar;
  }

  providerConformance({
    test,
    ...options,
    createWorld: async () => ({
      provider,
      session: await session,
      calendar: await emptyCalendar(),
      settle: () => wait(settleMs),
      close: async () => {},
    }),
  });
  return async () => {
    if (calendar !== undefined) await provider.calendars.delete(await session, calendar.id);
  };
}

/** A session that keeps its access token fresh. */
async function connect(provider, client, firstRefreshToken) {
  let refreshToken = firstRefreshToken;
  let grant = await refresh();

  async function refresh() {
    const next = await provider.authorization.refresh({ client, refreshToken });
    refreshToken = next.refreshToken ?? refreshToken;
    return next;
  }

  const { email } = await provider.authorization.identify(grant.accessToken);
  return {
    accountId: email,
    email,
    async accessToken(refused) {
      if (grant.accessToken === refused || grant.expiresAt < Date.now() + 60_000) grant = await refresh();
      return grant.accessToken;
    },
  };
}

if (import.meta.filename === process.argv[1]) {
  const { after, test } = await import('node:test');
  const { PROVIDER, CLIENT_ID, CLIENT_SECRET, REFRESH_TOKEN, TENANT } = process.env;
  const client = {
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    settings: TENANT === undefined ? {} : { tenant: TENANT },
  };
  const provider = { google, microsoft }[PROVIDER]();
  after(accountConformance({ test, provider, client, refreshToken: REFRESH_TOKEN, settleMs: 2_000 }));
}
