import type { EventChange, ProviderEvent, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, GRACE, type Harness, startHarness } from './harness.ts';

const ZONE = 'Europe/London';
const OTHER = { email: 'other@example.org' };
const DAYS = ['2026-03-03', '2026-03-04'];

let harness: Harness;
let ada: ProviderSession;
let grace: ProviderSession;
beforeEach(async () => {
  harness = await startHarness();
  [ada, grace] = [await harness.sessionOf(ADA), await harness.sessionOf(GRACE)];
});
afterEach(() => harness.close());

async function eventsOf(session: ProviderSession, email: string): Promise<readonly ProviderEvent[]> {
  const found: ProviderEvent[] = [];
  const calendar = await harness.primaryOf(email);
  for await (const { changes } of harness.provider.events.pull(session, calendar, null)) {
    for (const change of changes) found.push(...partsOf(change));
  }
  return found;
}

function partsOf(change: EventChange): readonly ProviderEvent[] {
  if (change.kind === 'series') return [change.master, ...change.exceptions];
  return change.kind === 'event' ? [change.event] : [];
}

/** Ada has a daily series with another guest, and invites Grace to some of its occurrences alone. */
async function invite(days: readonly string[]): Promise<void> {
  const { events } = harness.provider;
  const calendar = await harness.primaryOf(ADA);
  const at = (time: string) => ({ dateTime: `2026-03-02T${time}:00+00:00`, timeZone: ZONE });
  const times = { start: at('09:00'), end: at('10:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };
  const input = { title: 'Daily', ...times, attendees: [OTHER] };
  const [made] = await events.create(ada, calendar, input, { requestId: 'a'.repeat(32) });
  if (made?.kind !== 'series') throw new Error('no series');
  const { master } = made;
  for (const day of days) {
    const recurrenceId = { kind: 'instant', startMs: Date.parse(`${day}T09:00:00Z`) } as const;
    const target = {
      kind: 'occurrence',
      seriesId: master.providerEventId,
      recurrenceId,
      current: master,
      master,
    } as const;
    await events.update(ada, calendar, target, { attendees: [OTHER, { email: GRACE }] }, {});
  }
}

async function removeFirst(): Promise<readonly EventChange[]> {
  const [first] = await eventsOf(grace, GRACE);
  if (first === undefined) throw new Error('Grace has no invitation');
  const target = { kind: 'event', providerEventId: first.providerEventId, current: first } as const;
  return harness.provider.events.delete(grace, await harness.primaryOf(GRACE), target, {});
}

/** Answers of Grace in Ada's calendar, by day. */
async function answers(): Promise<readonly (string | undefined)[]> {
  const shown = await eventsOf(ada, ADA);
  const exceptions = shown.filter(({ recurrenceId }) => recurrenceId !== null);
  return exceptions.map(({ content }) => content?.attendees.find(({ email }) => email === GRACE)?.responseStatus);
}

test('a guest who deletes the invitation to one occurrence declines it', async () => {
  await invite(DAYS.slice(0, 1));
  expect(await answers()).toEqual(['needsAction']);
  expect((await removeFirst()).map(({ kind }) => kind)).toEqual(['deleted']);
  expect(await eventsOf(grace, GRACE)).toEqual([]);
  expect(await answers()).toEqual(['declined']);
});

test('a guest who deletes one of several such invitations declines that one', async () => {
  await invite(DAYS);
  await removeFirst();
  const left = await eventsOf(grace, GRACE);
  expect(left.map(({ isCancelled, content }) => [isCancelled, content?.myResponseStatus])).toEqual([
    [false, 'declined'],
    [false, 'needsAction'],
  ]);
  expect(await answers()).toEqual(['declined', 'needsAction']);
});
