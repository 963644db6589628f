import { icsFeed } from '@kalends/ics-feed';
import type { ProviderSession } from 'kalends/ports';
import { expect, it } from 'vitest';

const SESSION: ProviderSession = {
  accountId: 'acc_1',
  email: 'feed',
  accessToken: () => Promise.reject(new Error('a feed has no token')),
  credentials: async () => ({ kind: 'url', url: 'https://feeds.example/a.ics' }),
};

/** Runs work and counts the turns that others got meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isRunning = false;
  return turns;
}

const stamp = (index: number) =>
  `${new Date(Date.UTC(2026, 2, 2, 9) + index * 86_400_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
const feedOf = (events: readonly (readonly string[])[]) =>
  ['BEGIN:VCALENDAR', ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']), 'END:VCALENDAR', ''].join(
    '\r\n',
  );

const FEEDS = {
  'of 4,000 events': feedOf(Array.from({ length: 4_000 }, (_, n) => [`UID:${n}`, `DTSTART:${stamp(n)}`])),
  'of a series with 4,000 exceptions': feedOf([
    ['UID:s', `DTSTART:${stamp(0)}`, 'RRULE:FREQ=DAILY'],
    ...Array.from({ length: 4_000 }, (_, n) => ['UID:s', `RECURRENCE-ID:${stamp(n)}`, `DTSTART:${stamp(n)}`]),
  ]),
};

it.each(Object.entries(FEEDS))('a feed %s is read in turns of twenty steps', async (_name, text) => {
  const { calendars } = icsFeed({ fetch: async () => new Response(text) });
  const pull = async () => {
    for await (const _ of calendars.pull(SESSION, null));
  };
  // 200 turns each to gather the events, to map them, and to tell them from those of the last reading.
  expect(await turnsDuring(pull)).toBeGreaterThanOrEqual(600);
});

it('a feed of long lines is read in turns too', async () => {
  const text = feedOf([['UID:a', `DTSTART:${stamp(0)}`, `DESCRIPTION:${'text\\, '.repeat(600_000)}`]]);
  const { calendars } = icsFeed({ fetch: async () => new Response(text) });
  const pull = async () => {
    for await (const _ of calendars.pull(SESSION, null));
  };
  // 4.2 MB in steps of 32 kB.
  expect(await turnsDuring(pull)).toBeGreaterThanOrEqual(6);
});
