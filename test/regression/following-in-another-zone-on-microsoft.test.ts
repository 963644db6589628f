import { expect, test } from 'vitest';
import { useOutlook } from './outlook-world.ts';

/* The new half of a split starts at the same instant in another zone, so that its slots have other dates there. */

const HOUR_MS = 3_600_000;

const outlook = useOutlook();
const { graph, instances } = outlook;

async function shown(id: string): Promise<readonly string[]> {
  return (await instances(id)).map(({ start, subject }) => `${start.dateTime.slice(5, 16)} ${subject}`);
}

/** Eight days in a zone; the fourth, the sixth and the last are special. */
async function daily(day: string, hour: number, timeZone: string): Promise<string> {
  const at = (h: number) => ({ dateTime: `${day}T${String(h).padStart(2, '0')}:00:00`, timeZone });
  const { id } = await graph('POST', '', {
    subject: 'Daily',
    start: at(hour),
    end: at(hour + 1),
    recurrence: {
      pattern: { type: 'daily', interval: 1 },
      range: { type: 'numbered', startDate: day, numberOfOccurrences: 8, recurrenceTimeZone: timeZone },
    },
  });
  const slots = await instances(id);
  for (const at of [3, 5, 7]) await graph('PATCH', `/${slots[at].id}`, { subject: `Special ${at}` });
  return id;
}

/** Moves the fifth day and all behind it to another zone, at the same instant. */
async function continueIn(id: string, timeZone: string): Promise<string> {
  const startMs = Date.parse(`${(await instances(id))[4].start.dateTime.slice(0, 19)}Z`);
  const at = (ms: number) => ({ dateTime: new Date(ms).toISOString(), timeZone });
  const slot = `${new Date(startMs).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;
  const times = { start: at(startMs), end: at(startMs + HOUR_MS) };
  return (await outlook.put(`${id}_${slot}`, times, 'following')).id;
}

test.each([
  ['America/New_York', 22, 'Europe/London', '02:00', 7],
  ['Europe/London', 3, 'America/New_York', '02:00', 6],
  ['Pacific/Auckland', 9, 'America/Los_Angeles', '21:00', 5],
  ['America/Los_Angeles', 14, 'Pacific/Auckland', '21:00', 6],
])('modified occurrences of %s at %i h stay at their instants in %s', async (zone, hour, other, time, first) => {
  const id = await daily('2026-04-06', hour, zone);
  const newId = await continueIn(id, other);
  const days = ['Daily', 'Daily', 'Daily', 'Special 3', 'Daily', 'Special 5', 'Daily', 'Special 7'].map(
    (subject, index) => `04-${String(first + index).padStart(2, '0')}T${time} ${subject}`,
  );
  expect(await shown(id)).toEqual(days.slice(0, 4));
  expect(await shown(newId)).toEqual(days.slice(4));
  await outlook.expectSynced();
});

test.each([
  ['whose clocks change on another day', '2026-03-24', 22, 'America/New_York', 'Europe/London'],
  ['far away, whose clocks change on another day', '2026-03-31', 9, 'Pacific/Auckland', 'America/Los_Angeles'],
])('each modified occurrence is there once in a zone %s', async (_name, day, hour, zone, other) => {
  const newId = await continueIn(await daily(day, hour, zone), other);
  const subjects = (await instances(newId)).map(({ subject }) => subject).filter((subject) => subject !== 'Daily');
  expect(subjects).toHaveLength(new Set(subjects).size);
  expect(subjects).toContain('Special 5');
});
