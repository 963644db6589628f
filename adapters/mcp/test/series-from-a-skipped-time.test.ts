import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, type McpClient, type McpWorld, PEOPLE, tokenOf } from './mcp-world.ts';

/* New York's clocks skip 02:00 to 03:00 on 14 March 2027. */

const { email } = PEOPLE.caldav;
let world: McpWorld;
let agent: McpClient;
let password: string;
let place: { readonly accountId: string; readonly calendarId: string };
beforeAll(async () => {
  world = await createMcpWorld('America/New_York');
  agent = await world.connect(world.handler());
  password = world.sandbox.caldav.addAppPassword({ email });
  const accountId = world.accounts.caldav;
  const { data } = await world.engine.calendars.list({ applicationId: world.applicationId }, accountId, {});
  place = { accountId, calendarId: data.find(({ isPrimary }) => isPrimary)?.id ?? '' };
  // Before the first read of the calendar.
  for (const title of ['Shown', 'Start', 'Rule', 'Alone']) await plant(title, '023000', '033000');
  for (const title of ['End', 'End of all']) await plant(title, '013000', '023000');
});
afterAll(() => world.close());

/** Writes three days of a series from 14 March on, as another program of the person does. */
async function plant(title: string, start: string, end: string): Promise<void> {
  const lines = [
    ...[
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//t//EN',
      'BEGIN:VEVENT',
      `UID:${title}`,
      'DTSTAMP:20260101T000000Z',
    ],
    ...[`DTSTART;TZID=America/New_York:20270314T${start}`, `DTEND;TZID=America/New_York:20270314T${end}`],
    ...['RRULE:FREQ=DAILY;COUNT=3', `SUMMARY:${title}`, 'END:VEVENT', 'END:VCALENDAR', ''],
  ];
  const path = Buffer.from(place.calendarId, 'base64url').toString();
  const { status } = await fetch(`${world.url}${path}${encodeURIComponent(title)}.ics`, {
    method: 'PUT',
    headers: {
      authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`,
      'content-type': 'text/calendar; charset=utf-8',
    },
    body: lines.join('\r\n'),
  });
  expect(status).toBe(201);
}

/** The occurrences of a series, in their order. */
async function occurrences(title: string) {
  const window = { startDateTime: '2027-03-01T00:00:00Z', endDateTime: '2027-04-01T00:00:00Z' };
  const query = { ...window, expandRecurrences: true, orderBy: 'startDateTime', search: title } as const;
  const { accountId, calendarId } = place;
  const { data } = await world.engine.events.list({ applicationId: world.applicationId }, accountId, calendarId, query);
  return data.filter((event) => event.title === title);
}

/** Their times by the clock, such as `14T03:30–04:30`. */
const clocks = async (title: string) =>
  (await occurrences(title)).map(({ start, end }) => `${start.dateTime.slice(8, 16)}–${end.dateTime.slice(11, 16)}`);

/** Returns the ids of a series and of its first occurrence. */
async function idsOf(title: string) {
  const [first] = await occurrences(title);
  return { first: first?.id ?? '', series: first?.recurringEventId ?? '' };
}

async function changed(input: object): Promise<string> {
  const preview = await agent.call('preview_change_event', { ...place, ...input });
  expect(preview, preview.text).toMatchObject({ isError: false });
  const done = await agent.call('change_event', { ...place, ...input, previewToken: tokenOf(preview) });
  expect(done, done.text).toMatchObject({ isError: false });
  return preview.text;
}

it('is shown at the times of its first occurrence', async () => {
  const { series } = await idsOf('Shown');
  const { text } = await agent.call('get_event', { ...place, eventId: series });
  expect(text).toContain('when: Sunday 14 March 2027, 03:30–04:30 (America/New_York, UTC-04:00)');
});

it.each([
  ['series', '2027-03-14T05:00', ['14T05:00–06:00', '15T05:00–06:00', '16T05:00–06:00']],
  ['first', '2027-03-14T06:00', ['14T06:00–07:00', '15T06:00–07:00', '16T06:00–07:00']],
] as const)('is moved by the id of the %s as the preview tells', async (which, start, after) => {
  const eventId = (await idsOf('Start'))[which];
  const preview = await changed({ eventId, scope: 'all', start });
  expect(preview).toContain(`at ${start.slice(11)} (America/New_York)`);
  expect(await clocks('Start')).toEqual(after);
});

it.each([
  'series',
  'first',
] as const)('keeps its time of day under another rule, by the id of the %s', async (which) => {
  const eventId = (await idsOf('Rule'))[which];
  const recurrence = [`RRULE:FREQ=DAILY;COUNT=${which === 'series' ? 4 : 2}`];
  const preview = await changed({ eventId, scope: 'all', recurrence });
  expect(preview).toContain('at 02:30 (America/New_York)');
  expect(preview).toContain('Sunday 14 March 2027, 03:30 (America/New_York, UTC-04:00)');
  expect(preview).toContain('Monday 15 March 2027, 02:30 (America/New_York, UTC-04:00)');
  expect((await clocks('Rule')).slice(0, 2)).toEqual(['14T03:30–04:30', '15T02:30–03:30']);
});

it('has its own times where its first occurrence was changed alone', async () => {
  const { first } = await idsOf('Alone');
  await changed({ eventId: first, scope: 'this', start: '2027-03-14T09:00', end: '2027-03-14T12:00' });
  const preview = await changed({ eventId: first, scope: 'all', end: '2027-03-14T05:30' });
  expect(preview).toContain('when: Sunday 14 March 2027, 03:30–04:30');
  expect(preview).toContain('becomes Sunday 14 March 2027, 03:30–05:30');
  expect((await clocks('Alone')).slice(1)).toEqual(['15T02:30–04:30', '16T02:30–04:30']);
});

it.each([
  ['End', 'series'],
  ['End of all', 'first'],
] as const)('keeps its length where the clocks skip its end: %s, by the id of the %s', async (title, which) => {
  expect(await clocks(title)).toEqual(['14T01:30–03:30', '15T01:30–02:30', '16T01:30–02:30']);
  const eventId = (await idsOf(title))[which];
  const input = { eventId, scope: 'all' };
  const refused = await agent.call('preview_change_event', { ...place, ...input, start: '2027-03-14T01:15' });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('which the clocks skip') });
  expect(await changed({ ...input, start: '2027-03-14T00:30' })).toContain('becomes Sunday 14 March 2027, 00:30–01:30');
  expect(await clocks(title)).toEqual(['14T00:30–01:30', '15T00:30–01:30', '16T00:30–01:30']);
});
