import { icsFeed } from '@kalends/ics-feed';
import type { EventChange, ProviderSession } from 'kalends/ports';
import { expect, it } from 'vitest';
import { HOSTILE_FILES } from '../../../test/icalendar/hostile-files.ts';

const CALENDAR = {
  id: 'feed',
  timeZone: 'UTC',
  isPrimary: true,
  isShared: false,
  inviteEmail: '',
  allowedOnlineMeetingProviders: [],
  defaultOnlineMeetingProvider: '',
};
const SESSION: ProviderSession = {
  accountId: 'acc_1',
  email: 'feed',
  accessToken: () => Promise.reject(new Error('a feed has no token')),
  credentials: async () => ({ kind: 'url', url: 'https://feeds.example/a.ics' }),
};

async function titlesOf(bytes: Uint8Array, type = 'text/calendar'): Promise<readonly string[]> {
  const fetch = async () => new Response(new Uint8Array(bytes), { headers: { 'content-type': type } });
  const changes: EventChange[] = [];
  for await (const page of icsFeed({ fetch }).events.pull(SESSION, CALENDAR, null)) changes.push(...page.changes);
  const events = changes.flatMap((change) =>
    change.kind === 'event' ? [change.event] : change.kind === 'series' ? [change.master, ...change.exceptions] : [],
  );
  return events.map(({ content }) => content?.title ?? '').sort();
}

it.each(HOSTILE_FILES)('a feed reads or refuses $name', async ({ bytes, titles, rule, feedRule = rule }) => {
  if (titles !== undefined) return expect(await titlesOf(bytes)).toEqual(titles);
  // The rule stands behind the words that it is about the feed.
  const told = new RegExp((feedRule ?? /never/).source.replaceAll('^', ''));
  await expect(titlesOf(bytes)).rejects.toMatchObject({ reason: 'malformed', message: expect.stringMatching(told) });
});

const eventOf = (title: Uint8Array) =>
  Buffer.concat([
    Buffer.from('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTART:20260302T090000Z\r\nDESCRIPTION:Maße\r\nSUMMARY:'),
    title,
    Buffer.from('\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'),
  ]);

it('reads a feed in the charset that its Content-Type names', async () => {
  const lines = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:a',
    'DTSTART:20260302T090000Z',
    'SUMMARY:Größe',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ];
  const latin1 = Buffer.from(lines.join('\r\n'), 'latin1');
  expect(await titlesOf(latin1, 'text/calendar; charset=iso-8859-1')).toEqual(['Größe']);
  const marked = Buffer.from(`\uFEFF${latin1.toString('latin1')}`);
  expect(await titlesOf(marked, 'text/calendar; charset=iso-8859-1')).toEqual(['Größe']);
  await expect(titlesOf(latin1, 'text/calendar; charset=klingon')).rejects.toThrow('charset');
});

it('keeps a feed that has a damaged character: an event’s text was cut within it', async () => {
  expect(await titlesOf(eventOf(Buffer.from('Größe').subarray(0, 3)))).toEqual(['Gr\ufffd']);
});
