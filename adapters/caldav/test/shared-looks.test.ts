import { waitlessClock } from '@kalends/conformance';
import type { CalendarRef, EventPage, ProviderSession } from 'kalends/ports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADA, type Harness, startHarness } from './harness.ts';

const CALENDARS = 5;
const requests: string[] = [];
let harness: Harness;
let session: ProviderSession;
const calendars: CalendarRef[] = [];
const tokens = new Map<string, string>();
let setBackMs = 0;

beforeAll(async () => {
  harness = await startHarness({
    clock: waitlessClock(() => harness.sandbox.clock.now() - setBackMs),
    fetch: (input, init) => {
      requests.push(`${init?.method} ${decodeURIComponent(new URL(String(input)).pathname)}`);
      return fetch(input, init);
    },
  });
  session = { ...(await harness.sessionOf(ADA)), isBackground: true };
  for (let number = 0; number < CALENDARS; number += 1) {
    calendars.push(await harness.provider.calendars.create(session, { name: `Calendar ${number}` }));
  }
  // The second pull is the look again that follows a change.
  for (const calendar of [...calendars, ...calendars]) await pull(calendar, {});
});
afterAll(() => harness.close());

/** Pulls as the engine polls, and keeps the token. */
async function pull(calendar: CalendarRef, shared: { readonly sharedSince?: number }): Promise<readonly EventPage[]> {
  const pages: EventPage[] = [];
  const known = { ...shared, tagsOf: async () => new Map<string, string>(), async *listIds() {} };
  const token = tokens.get(calendar.id) ?? null;
  for await (const page of harness.provider.events.pull(session, calendar, token, known)) pages.push(page);
  const next = pages.at(-1)?.nextToken;
  if (next !== undefined) tokens.set(calendar.id, next);
  return pages;
}

async function pollAll(shared: { readonly sharedSince?: number }): Promise<readonly string[]> {
  requests.length = 0;
  for (const calendar of calendars) await pull(calendar, shared);
  return [...requests];
}

it('polls all unchanged calendars of an account with one request', async () => {
  const sharedSince = harness.sandbox.clock.now() + 1;
  harness.sandbox.clock.advance(1000);
  expect(await pollAll({ sharedSince })).toEqual([expect.stringMatching(/^PROPFIND \/caldav\/calendars\/[^/]+\/$/)]);
  // Without leave to share, each calendar looks for itself.
  expect(await pollAll({})).toHaveLength(CALENDARS);
});

it('asks only the calendar that has changed', async () => {
  const [changed] = calendars.slice(2);
  if (changed === undefined) throw new Error('there is no such calendar');
  const start = { dateTime: '2026-03-02T09:00:00Z', timeZone: 'UTC' };
  const end = { dateTime: '2026-03-02T10:00:00Z', timeZone: 'UTC' };
  await harness.provider.events.create(session, changed, { title: 'New', start, end }, { requestId: 'one' });
  const sharedSince = harness.sandbox.clock.now() + 1;
  harness.sandbox.clock.advance(1000);
  const path = Buffer.from(changed.id, 'base64url').toString();
  expect(await pollAll({ sharedSince })).toEqual([
    expect.stringMatching(/^PROPFIND /),
    // The changes, and their text.
    ...Array.from({ length: 2 }, () => `REPORT ${path}`),
  ]);
});

it('looks anew after its clock was set back', async () => {
  await pollAll({});
  setBackMs = 3_600_000;
  const sharedSince = harness.sandbox.clock.now() - setBackMs + 1;
  harness.sandbox.clock.advance(1000);
  expect(await pollAll({ sharedSince })).toEqual([expect.stringMatching(/^PROPFIND /)]);
});
