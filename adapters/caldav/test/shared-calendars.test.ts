import type { ProviderCalendar, ProviderSession } from 'kalends/ports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADA, GRACE, type Harness, startHarness } from './harness.ts';

let harness: Harness;
let session: ProviderSession;
let shared: ProviderCalendar;

const pathOf = ({ id }: ProviderCalendar): string => Buffer.from(id, 'base64url').toString();

beforeAll(async () => {
  harness = await startHarness();
  const calendarId = pathOf(await harness.primaryOf(GRACE)).slice('/caldav'.length);
  const path = harness.sandbox.caldav.shareCalendar({ ownerEmail: GRACE, calendarId, withEmail: ADA, role: 'writer' });
  session = await harness.sessionOf(ADA);
  const found = (await listed()).find((calendar) => pathOf(calendar) === `/caldav${decodeURIComponent(path)}`);
  if (found === undefined) throw new Error('the calendar is not listed');
  shared = found;
});
afterAll(() => harness.close());

async function listed(): Promise<readonly ProviderCalendar[]> {
  const found: ProviderCalendar[] = [];
  for await (const { changes } of harness.provider.calendars.pull(session, null)) {
    for (const change of changes) if (change.kind === 'calendar') found.push(change.calendar);
  }
  return found;
}

it('tells calendars of another person from those of the account', async () => {
  const calendars = await listed();
  expect(calendars.map(({ isShared, isPrimary }) => ({ isShared, isPrimary }))).toEqual([
    { isShared: false, isPrimary: true },
    { isShared: true, isPrimary: false },
  ]);
  expect(shared.readOnly).toBe(false);
});
