// The provider conformance kit against an account at a provider. It makes a calendar of its own there and removes it again.
//   PROVIDER=google CLIENT_ID=… CLIENT_SECRET=… REFRESH_TOKEN=… node --test docs/examples/account-conformance.js
import { setTimeout as wait } from 'node:timers/promises';
import { openAccount, providerConformance } from '@kalends/conformance';
import { google } from '@kalends/google';
import { microsoft } from '@kalends/microsoft';

/** Declares the kit's tests for one account. What it returns removes the calendar that they use. */
export function accountConformance({ test, provider, client, refreshToken, settleMs = 0, ...options }) {
  let opening;
  const open = () => {
    opening ??= openAccount({ provider, client, refreshToken, now: Date.now, settle: () => wait(settleMs) });
    return opening;
  };
  providerConformance({ test, ...options, createWorld: async () => (await open()).createWorld() });
  return async () => (await opening)?.close();
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
