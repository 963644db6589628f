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

it("names the owner's address for invitations, where the principal is named by it", () => {
  expect(shared.inviteEmail).toBe(GRACE);
});

it("shows the account neither as organizer nor as a guest of another person's event", async () => {
  const input = {
    title: 'Alone',
    start: { dateTime: '2026-03-02T09:00:00Z', timeZone: 'UTC' },
    end: { dateTime: '2026-03-02T10:00:00Z', timeZone: 'UTC' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
  };
  const owner = await harness.sessionOf(GRACE);
  const own = await harness.primaryOf(GRACE);
  const { events } = harness.provider;
  await events.create(owner, own, input, { requestId: 'one' });
  expect(await contentsOf(owner, own)).toEqual([
    { organizer: { email: GRACE, isSelf: true }, myResponseStatus: 'accepted' },
  ]);
  expect(await contentsOf(session, shared)).toEqual([{ organizer: undefined, myResponseStatus: undefined }]);
});

async function contentsOf(as: ProviderSession, calendar: ProviderCalendar) {
  const found = [];
  const known = { tagsOf: async () => new Map<string, string>(), async *listIds() {} };
  for await (const { changes } of harness.provider.events.pull(as, calendar, null, known)) {
    for (const change of changes) {
      if (change.kind === 'series') found.push(change.master.content);
      else if (change.kind === 'event') found.push(change.event.content);
    }
  }
  return found.map((content) => ({ organizer: content?.organizer, myResponseStatus: content?.myResponseStatus }));
}
