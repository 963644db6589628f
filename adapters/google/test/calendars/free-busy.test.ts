import type { PersonBusy, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';

const DAY_MS = 86_400_000;
const MONDAY = Date.UTC(2026, 2, 2);
const [ADA, BEN, CY] = ['ada@office.example', 'ben@office.example', 'cy@office.example'];

let harness: Harness;
let session: ProviderSession;
beforeEach(async () => {
  harness = await startHarness();
  for (const email of [ADA, BEN, CY]) harness.sandbox.google.addMailbox({ email, name: 'P', timeZone: 'UTC' });
  session = harness.sessionOf(ADA);
});
afterEach(() => harness.close());

const control = (name: string, input: Readonly<Record<string, unknown>>) =>
  harness.sandbox.google.controls[name]?.(input);
const put = (email: string, startMs: number, endMs: number) =>
  harness.api(email, 'POST', '/calendars/primary/events', {
    start: { dateTime: new Date(startMs).toISOString() },
    end: { dateTime: new Date(endMs).toISOString() },
  });
const ask = async (addresses: readonly string[], days = 7): Promise<readonly PersonBusy[]> => {
  const window = { startMs: MONDAY, endMs: MONDAY + days * DAY_MS };
  return (await harness.provider.freeBusy?.query(session, { addresses, window })) ?? [];
};
const told = (people: readonly PersonBusy[]) =>
  people.map((person) => ('error' in person ? person.error.reason : person.spans.map(({ startMs }) => startMs)));
const calls = () => harness.sandbox.requests.list().filter(({ path }) => path.endsWith('/freeBusy'));

describe('free/busy of people by their addresses', () => {
  test('is of colleagues and of shared calendars, each with its own error', async () => {
    await put(BEN, MONDAY, MONDAY + 1);
    control('setFreeBusyHidden', { email: CY, hidden: true });
    expect(told(await ask([BEN, CY, 'grace@gmail.example', 'BEN@office.example']))).toEqual([
      [MONDAY],
      'not-found',
      'not-found',
      [MONDAY],
    ]);
    control('setRole', { email: ADA, calendarId: CY, role: 'freeBusyReader' });
    expect(told(await ask([CY]))).toEqual([[]]);
  });

  test('takes a year and a hundred addresses, by calls that Google admits', async () => {
    for (const day of [0, 100, 365]) await put(BEN, MONDAY + day * DAY_MS, MONDAY + day * DAY_MS + 3_600_000);
    const others = Array.from({ length: 99 }, (_, n) => `p${n}@office.example`);
    const [ben, ...rest] = told(await ask([BEN, ...others], 366));
    expect([...(ben as number[])].sort()).toEqual([0, 100, 365].map((day) => MONDAY + day * DAY_MS));
    expect(new Set(rest)).toEqual(new Set(['not-found']));
    expect(calls()).toHaveLength(2 * 7);
  });

  test('joins the members of a group, and asks alone for one that did not fit', async () => {
    await put(BEN, MONDAY, MONDAY + 3_600_000);
    await put(CY, MONDAY + DAY_MS, MONDAY + DAY_MS + 3_600_000);
    const group = 'all@office.example';
    control('setGroup', { email: group, members: [BEN, CY] });
    const others = Array.from({ length: 49 }, (_, n) => `p${n}@office.example`);
    expect(told(await ask([...others, group])).at(-1)).toEqual([MONDAY, MONDAY + DAY_MS]);
    expect(calls()).toHaveLength(2);
    control('setGroup', { email: group, members: [BEN, 'none@office.example'] });
    control('setGroup', { email: 'big@office.example', members: others.concat(BEN, CY) });
    expect(told(await ask([group, 'big@office.example']))).toEqual(['not-found', 'invalid']);
  });

  test('is refused as a whole without a scope, and repeated after a failure', async () => {
    const { sandbox } = harness;
    sandbox.faults.arm({ provider: 'google', path: '.*/freeBusy', kind: 'answer', status: 503, times: 2 });
    expect(told(await ask([BEN]))).toEqual([[]]);
    const scopes = ['https://www.googleapis.com/auth/calendar.events'];
    const { accessToken } = control('issueAccessToken', { email: ADA, scopes }) as { accessToken: string };
    session = { ...session, accessToken: async () => accessToken };
    await expect(ask([BEN])).rejects.toMatchObject({ reason: 'forbidden' });
  });
});
