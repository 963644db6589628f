import type { EventChange, ProviderCalendar, ProviderSession } from 'kalends/ports';
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

it("names the owner as the organizer of another person's event, which the account goes on changing", async () => {
  const at = (hour: string) => ({ dateTime: `2026-03-02T${hour}:00:00Z`, timeZone: 'UTC' });
  const input = { title: 'For Grace', start: at('09'), end: at('10') };
  const { events } = harness.provider;
  const own = await harness.primaryOf(GRACE);
  const owner = await harness.sessionOf(GRACE);
  for (const attendees of [undefined, [{ email: 'guest@elsewhere.example' }]]) {
    const requestId = attendees === undefined ? 'first' : 'second';
    const made = await events.create(session, shared, { ...input, ...(attendees && { attendees }) }, { requestId });
    const current = eventIn(made);
    const target = { kind: 'event', providerEventId: current.providerEventId, current } as const;
    const attended = { attendees: [{ email: 'guest@elsewhere.example' }, { email: 'other@elsewhere.example' }] };
    const invited = eventIn(await events.update(session, shared, target, attended, {}));
    expect(invited).toMatchObject({ isOrganizer: true, content: { organizer: { email: GRACE, isSelf: false } } });
    expect(invited.content?.myResponseStatus).toBeUndefined();
    const renamed = eventIn(await events.update(session, shared, target, { title: 'Later' }, {}));
    expect(renamed.content).toMatchObject({ title: 'Later', attendees: attended.attendees });
  }
  const seen = (await contentsOf(owner, own)).slice(-2);
  expect(seen.map(({ organizer }) => organizer)).toEqual(Array(2).fill({ email: GRACE, isSelf: true }));
});

it("answers for the account, where it is a guest of the calendar's owner", async () => {
  const at = (hour: string) => ({ dateTime: `2026-03-03T${hour}:00:00Z`, timeZone: 'UTC' });
  const input = { title: 'With Ada', start: at('09'), end: at('10'), attendees: [{ email: ADA }] };
  const { events } = harness.provider;
  const made = await events.create(session, shared, input, { requestId: 'guest' });
  const current = eventIn(made);
  expect(current).toMatchObject({ isOrganizer: true, content: { organizer: { email: GRACE, isSelf: false } } });
  const target = { kind: 'event', providerEventId: current.providerEventId, current } as const;
  const answered = eventIn(await events.respond(session, shared, target, 'accepted', {}));
  expect(answered.content?.myResponseStatus).toBe('accepted');
});

function eventIn([change]: readonly EventChange[]) {
  if (change?.kind !== 'event') throw new Error('no event was answered');
  return change.event;
}

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
