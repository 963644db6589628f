import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** Opens a server of one feed on a free port. */
export async function openFeed(text: string) {
  const state = {
    url: '',
    text,
    status: 200,
    /** Headers of every answer. */
    headers: {} as Record<string, string>,
    isZipped: false,
    /** Whether it knows If-None-Match and If-Modified-Since. */
    validates: true,
    seen: [] as IncomingHttpHeaders[],
  };
  const server = createServer(({ headers }, response) => {
    state.seen.push(headers);
    const etag = `"${Buffer.from(state.text).length}-${state.text.split('\n').length}"`;
    if (state.status !== 200) return void response.writeHead(state.status, state.headers).end();
    if (state.validates && headers['if-none-match'] === etag) return void response.writeHead(304).end();
    const body = state.isZipped ? gzipSync(state.text) : Buffer.from(state.text);
    response.writeHead(200, {
      'content-type': 'text/calendar; charset=utf-8',
      ...(state.validates ? { etag, 'last-modified': 'Mon, 02 Mar 2026 09:00:00 GMT' } : {}),
      ...(state.isZipped ? { 'content-encoding': 'gzip' } : {}),
      ...state.headers,
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/private-4711/feed.ics`;
  return state;
}

const calendar = (lines: readonly string[], events: readonly (readonly string[])[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//kalends//tests//EN',
    ...lines,
    ...events.flatMap((event) => ['BEGIN:VEVENT', ...event, 'END:VEVENT']),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const STAMP = 'DTSTAMP:20260101T000000Z';

/** All-day events, one of them every year. */
export const HOLIDAYS = calendar(
  ['X-WR-CALNAME:Holidays in Utopia', 'X-WR-TIMEZONE:Europe/Lisbon', 'REFRESH-INTERVAL;VALUE=DURATION:PT12H'],
  [
    [
      'UID:new-year@utopia.example',
      STAMP,
      'DTSTART;VALUE=DATE:20260101',
      'SUMMARY:New Year',
      'RRULE:FREQ=YEARLY',
      'TRANSP:TRANSPARENT',
    ],
    [
      'UID:more@utopia.example',
      STAMP,
      'DTSTART;VALUE=DATE:20260207',
      'DTEND;VALUE=DATE:20260209',
      'SUMMARY:More’s days',
    ],
  ],
);

/** Matches of a league: a series with a moved match, a match that has no start, and one whose series the feed lacks. */
export const MATCHES = (more: readonly (readonly string[])[] = []) =>
  calendar(
    ['NAME:Harbour League'],
    [
      [
        'UID:training',
        STAMP,
        'DTSTART;TZID=Europe/Berlin:20260302T190000',
        'DTEND;TZID=Europe/Berlin:20260302T203000',
        'RRULE:FREQ=WEEKLY;COUNT=4',
        'SUMMARY:Training',
      ],
      [
        'UID:training',
        STAMP,
        'RECURRENCE-ID;TZID=Europe/Berlin:20260309T190000',
        'DTSTART;TZID=Europe/Berlin:20260310T190000',
        'DTEND;TZID=Europe/Berlin:20260310T203000',
        'SUMMARY:Training\\, moved',
      ],
      ['UID:broken', STAMP, 'SUMMARY:No time yet'],
      [
        'UID:cup',
        STAMP,
        'RECURRENCE-ID:20260314T140000Z',
        'DTSTART:20260314T150000Z',
        'DTEND:20260314T170000Z',
        'SUMMARY:Semi-final',
      ],
      ...more,
    ],
  );

/** A flight between two zones. */
export const FLIGHT = [
  'UID:XY123-20260320@airline.example',
  STAMP,
  'DTSTART;TZID=America/New_York:20260320T210000',
  'DTEND;TZID=Europe/London:20260321T090000',
  'SUMMARY:XY123 New York to London',
  'LOCATION:JFK Terminal 7',
  'STATUS:CONFIRMED',
] as const;
