import { decodeText, editResource, ICalendarError, readCalendars } from 'kalends/icalendar';
import { expect, test } from 'vitest';
import { textOf } from './shapes.ts';

const START = 'DTSTART:20260302T090000Z';
const CONTEXT = { now: 0, calendarZone: 'UTC', email: 'me@example.com' };

function calendar(...lines: readonly string[]): string {
  return calendarOf(lines);
}

function calendarOf(lines: readonly string[]): string {
  return ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

function groupsOf(text: string) {
  return readCalendars(text)[0]?.groups ?? [];
}

/** Well above what each takes on a slow machine, far below what a quadratic reading of the same text would. */
const SECONDS = 60;

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof ICalendarError) return error.message;
    throw error;
  }
  throw new Error('was not refused');
}

test('a text without a calendar is refused', () => {
  for (const text of ['', 'hello', '<html></html>', 'BEGIN:VEVENT\r\nEND:VEVENT', '\0\0\0']) {
    expect(refusal(() => readCalendars(text))).toBe('BEGIN: the text has no VCALENDAR');
  }
});

test('components nested too deep are refused', () => {
  const text = calendar(...Array.from({ length: 100_000 }, () => 'BEGIN:VEVENT'));
  expect(refusal(() => readCalendars(text))).toBe('BEGIN: components may be nested 8 deep at most');
});

test('a component with too many lines is refused', () => {
  const text = textOf({ lines: Array.from({ length: 200_000 }, (_, index) => `X-A:${index}`) });
  expect(refusal(() => readCalendars(text))).toBe('VEVENT: a component may have 100000 lines at most');
});

test('lines that are no property do not count towards the lines of a component, which keeps a thousand of them', () => {
  const broken = Array.from({ length: 100_001 }, () => 'no property');
  const text = textOf({ lines: [START, ...broken, 'SUMMARY:x'] });
  const [read] = readCalendars(text);
  expect(read?.groups[0]?.master?.content?.title).toBe('x');
  expect(read?.problems).toHaveLength(100);
  const edited = editResource(text, { kind: 'event' }, { title: 'y' }, CONTEXT);
  expect(edited.match(/^no property\r$/gm)).toHaveLength(1_000);
  expect(edited).toContain('SUMMARY:y');
});

test('a million lines are read', { timeout: SECONDS * 1000 }, () => {
  const event = (index: number) => ['BEGIN:VEVENT', `UID:${index}`, START, 'SUMMARY:a', 'END:VEVENT'];
  const text = calendarOf(Array.from({ length: 200_000 }, (_, index) => event(index)).flat());
  expect(groupsOf(text).length).toBe(200_000);
});

test('an event without END ends with the text, and costs no other', () => {
  const text = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:a', START, 'END:VEVENT', 'BEGIN:VEVENT', 'UID:b', START].join(
    '\n',
  );
  expect(groupsOf(text).map(({ uid }) => uid)).toEqual(['a', 'b']);
});

test('an event that cannot be read costs no other', () => {
  const text = calendar(
    'BEGIN:VEVENT',
    'UID:a',
    'DTSTART:never',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:b',
    START,
    'END:VEVENT',
  );
  expect(groupsOf(text)).toMatchObject([
    { uid: 'a', master: undefined, unreadable: [{ isMaster: true, reason: expect.stringContaining('DTSTART') }] },
    { uid: 'b', unreadable: [] },
  ]);
});

test('a line that is no property costs itself alone, and its value is not told', () => {
  const [read] = readCalendars(textOf({ lines: [START, 'this is secret', 'SUMMARY:x'] }));
  expect(read?.groups[0]?.master?.content?.title).toBe('x');
  expect(read?.problems).toEqual(['line 8: a line is no property: it needs a name, a colon and a value']);
});

test('a line that is no property is no part of the UID that an event without one gets', () => {
  const uidOf = (...lines: string[]) =>
    groupsOf(textOf({ lines: [START, ...lines] }).replace(/^UID:.*\r\n/m, ''))[0]?.uid;
  expect(uidOf('no property')).toMatch(/@kalends\.invalid$/);
  expect(uidOf('no property')).toBe(uidOf());
});

test.each([
  ['LF', '\n'],
  ['CR', '\r'],
  ['a line separator', '\u2028'],
  ['empty lines between', '\r\n\r\n'],
  ['a carriage return too many', '\r\r\n'],
])('lines that end in %s are read', (_name, end) => {
  expect(groupsOf(textOf({ lines: [START, 'SUMMARY:x'] }).replaceAll('\r\n', end))[0]?.master?.content?.title).toBe(
    'x',
  );
});

test('a fold within a character of UTF-8 is no fold of the text', () => {
  const bytes = Buffer.from(textOf({ lines: [START, 'SUMMARY:Größe'] }));
  expect(groupsOf(decodeText(bytes))[0]?.master?.content?.title).toBe('Größe');
});

test('NUL is left out', () => {
  expect(groupsOf(textOf({ lines: [START, 'SUMMARY:a\0b'] }))[0]?.master?.content?.title).toBe('ab');
});

test('UTF-8, UTF-16 and nothing else', () => {
  const text = textOf({ lines: [START, 'SUMMARY:ü Встреча 会议'] });
  const little = Buffer.from(text, 'utf16le');
  for (const bytes of [little, Buffer.from(little).swap16()]) {
    expect(groupsOf(decodeText(bytes))[0]?.master?.content?.title).toBe('ü Встреча 会议');
    expect(groupsOf(decodeText(bytes, { charset: 'utf-16' }))[0]?.master?.content?.title).toBe('ü Встреча 会议');
  }
  const marked = Buffer.from(`\uFEFF${text}`, 'utf16le');
  for (const bytes of [Buffer.from(`\uFEFF${text}`), marked, Buffer.from(marked).swap16()]) {
    expect(groupsOf(decodeText(bytes))[0]?.master?.content?.title).toBe('ü Встреча 会议');
  }
  const rule = 'charset: the text must be UTF-8 or UTF-16';
  expect(refusal(() => decodeText(Buffer.from(text, 'latin1')))).toBe(rule);
  const utf32 = Buffer.from(Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0).buffer).swap32();
  expect(refusal(() => decodeText(utf32))).toBe(rule);
});

test('a stray NUL at the start of a text does not make it UTF-16', () => {
  const text = textOf({ lines: [START, 'SUMMARY:Größe'] });
  for (const start of [`\0${text}`, `\0\0${text}`, `${text[0]}\0${text.slice(1)}`]) {
    for (const charset of [undefined, 'utf-8']) {
      expect(groupsOf(decodeText(Buffer.from(start), { charset }))[0]?.master?.content?.title).toBe('Größe');
    }
    expect(decodeText(Buffer.from(start, 'latin1'), { charset: 'iso-8859-1' })).toBe(start);
  }
});

test('a named charset of single bytes wins over NULs at the start', () => {
  const text = `B\0E\0${textOf({ lines: [START, 'SUMMARY:Größe'] })}`;
  expect(decodeText(Buffer.from(text, 'latin1'), { charset: 'windows-1252' })).toBe(text);
});

test('a line of ten megabytes and one of a hundred thousand parameters are read', { timeout: SECONDS * 1000 }, () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `X-${index}="v:${index}"`).join(';');
  const lines = [START, `DESCRIPTION:${'a\\,'.repeat(3_000_000)}`, `ATTENDEE;${many}:mailto:a@example.com`];
  const content = groupsOf(textOf({ lines }))[0]?.master?.content;
  expect(content?.description.length).toBe(1_000_000);
  expect(content?.attendees.length).toBe(1);
});

test('texts beside the description are mirrored up to 32,768 characters, and longer links and values not at all', () => {
  const long = 'x'.repeat(100_000);
  const lines = [
    START,
    `SUMMARY:${'x'.repeat(32_767)}\u{1F600}`,
    `LOCATION:${long}`,
    `URL:https://example.com/${long}`,
    `CONFERENCE:https://example.com/${long}`,
    `COLOR:${long}`,
    `ORGANIZER;CN=${long}:mailto:o@example.com`,
    `ATTENDEE;CN=${long};X-RESPONSE-COMMENT=${long}:mailto:a@example.com`,
    `X-KALENDS-PUBLIC:short=1`,
    `X-KALENDS-PUBLIC:long=${'x'.repeat(400_000)}`,
    `X-KALENDS-LOCATION:%7B%22city%22%3A%22${'x'.repeat(400_000)}%22%7D`,
  ];
  const content = groupsOf(textOf({ lines }))[0]?.master?.content;
  const cut = long.slice(0, 32_768);
  expect(content?.title).toBe('x'.repeat(32_767));
  expect([content?.location, content?.customColor, content?.organizer?.name]).toEqual([cut, cut, cut]);
  expect(content?.attendees).toMatchObject([{ name: cut, comment: cut }]);
  expect([content?.webLink, content?.conferenceData, content?.locationDetails]).toEqual(['', undefined, undefined]);
  expect(content?.publicExtendedProperties).toEqual({ short: '1' });
});

test.each([
  { joinUrl: 'https://x.example/1', conferenceId: 5 },
  { joinUrl: 'https://x.example/1', conferenceType: {} },
  { joinUrl: 'https://x.example/1', conferenceDetails: { entryPoints: [{ uri: 5 }] } },
])('a record of ours that is no conference does not count, and the link does: %j', (record) => {
  const own = `X-KALENDS-CONFERENCE:${encodeURIComponent(JSON.stringify(record))}`;
  const text = textOf({ lines: [START, 'CONFERENCE;VALUE=URI:https://x.example/1', own] });
  const content = groupsOf(text)[0]?.master?.content;
  expect(content?.conferenceData).toEqual({ joinUrl: 'https://x.example/1' });
});

test('a text that was cut stays whole in an edit of another field', () => {
  const text = textOf({ lines: [START, 'SUMMARY:a', `LOCATION:${'x'.repeat(100_000)}`] });
  const unfolded = editResource(text, { kind: 'event' }, { title: 'b' }, CONTEXT).replaceAll('\r\n ', '');
  expect(unfolded).toContain(`LOCATION:${'x'.repeat(100_000)}\r\n`);
});

test('of tens of thousands of attendees, properties and categories the first are read', () => {
  const count = 30_000;
  const numbers = Array.from({ length: count }, (_, index) => index);
  const lines = [
    START,
    ...numbers.map((index) => `ATTENDEE:mailto:a${index}@example.com`),
    ...numbers.map((index) => `X-KALENDS-PRIVATE:k${index}=v`),
    `CATEGORIES:${numbers.join(',')}`,
    `CATEGORIES:${numbers.map((index) => `c${index}`).join(',')}`,
  ];
  const [group] = groupsOf(textOf({ lines }));
  const { content, unreadableParts } = group?.master ?? {};
  expect(content?.attendees).toHaveLength(5_000);
  expect(Object.keys(content?.privateExtendedProperties ?? {})).toHaveLength(1_000);
  const { categories = [] } = content ?? {};
  expect(categories).toEqual(numbers.slice(0, categories.length).map(String));
  expect(numbers.slice(0, categories.length).join().length).toBeLessThanOrEqual(32_768);
  expect(numbers.slice(0, categories.length + 1).join().length).toBeGreaterThan(32_768);
  expect(unreadableParts).toEqual(['ATTENDEE may occur 5000 times at most']);
  const slot = ['RECURRENCE-ID:20260302T090000Z', ...lines];
  const [alone] = groupsOf(textOf({ lines: slot }));
  expect(alone?.exceptions[0]?.unreadableParts).toEqual(unreadableParts);
});

test('a category that is too long is left out whole, also at a comma of its own', () => {
  const long = `${'b'.repeat(32_700)}\\,${'c'.repeat(2_000)}`;
  const [group] = groupsOf(textOf({ lines: [START, `CATEGORIES:a,${long},d`] }));
  expect(group?.master?.content?.categories).toEqual(['a']);
});

test('of more than a thousand rules none is read, and one fault tells of all', () => {
  const lines = (rules: number) =>
    Array.from({ length: rules }, (_, index) => `RRULE:FREQ=${index === 0 ? 'DAILY' : 'NEVER'}`);
  const read = (rules: number) =>
    groupsOf(textOf({ lines: [START, ...lines(rules), 'RDATE:20260303T090000Z'] }))[0]?.master;
  expect(read(1_000)?.content?.recurrence).toEqual(['RRULE:FREQ=DAILY', 'RDATE:20260303T090000Z']);
  expect(read(1_001)?.content?.recurrence?.every((line) => line.startsWith('RDATE'))).toBe(true);
  expect(read(90_000)?.unreadableParts).toEqual(['RRULE cannot be read']);
});

test('thousands of rules and a hundred thousand dates are read or left out, in bounded time', {
  timeout: SECONDS * 1000,
}, () => {
  const dates = Array.from({ length: 100_000 }, (_, index) => new Date(Date.UTC(2026, 2, 2, 9) + index * 86_400_000));
  const stamp = (date: Date) => `${date.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const rules = Array.from({ length: 5000 }, () => 'RRULE:FREQ=DAILY');
  const [group] = groupsOf(textOf({ lines: [START, ...rules, `EXDATE:${dates.map(stamp).join(',')}`] }));
  const exdate = group?.master?.content?.recurrence?.find((line) => line.startsWith('EXDATE'));
  expect(exdate?.split(',').length).toBe(100_000);
});

test('zones defined ten thousand times are looked at once each', { timeout: SECONDS * 1000 }, () => {
  const zone = (index: number) => [
    'BEGIN:VTIMEZONE',
    `TZID:z${index % 5000}`,
    'BEGIN:STANDARD',
    'DTSTART:20000101T000000',
    'TZOFFSETTO:+0317',
    'END:STANDARD',
    'END:VTIMEZONE',
  ];
  const event = (index: number) => [
    'BEGIN:VEVENT',
    `UID:${index}`,
    `DTSTART;TZID=z${index}:20260302T090000`,
    'END:VEVENT',
  ];
  const lines = Array.from({ length: 10_000 }, (_, index) => [...zone(index), ...event(index)]).flat();
  expect(groupsOf(calendar(...lines)).length).toBe(10_000);
});

test('a VTIMEZONE within itself, or without a name, defines nothing', () => {
  const zone = ['BEGIN:VTIMEZONE', 'TZID:loop', 'BEGIN:VTIMEZONE', 'TZID:loop', 'END:VTIMEZONE', 'END:VTIMEZONE'];
  const text = calendar(
    ...zone,
    'BEGIN:VTIMEZONE',
    'END:VTIMEZONE',
    'BEGIN:VEVENT',
    'UID:a',
    'DTSTART;TZID=loop:20260302T090000',
    'END:VEVENT',
  );
  expect(groupsOf(text)[0]?.master?.content?.start).toEqual({ dateTime: '2026-03-02T09:00:00+00:00', timeZone: 'UTC' });
});

test('ten thousand exceptions of one series are read and edited in bounded time', { timeout: SECONDS * 1000 }, () => {
  const stamp = (index: number) =>
    `${new Date(Date.UTC(2026, 2, 2, 9) + index * 86_400_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const own = (index: number) => [
    'BEGIN:VEVENT',
    'UID:s',
    `RECURRENCE-ID:${stamp(index)}`,
    `DTSTART:${stamp(index)}`,
    'SUMMARY:old',
    'END:VEVENT',
  ];
  const master = ['BEGIN:VEVENT', 'UID:s', START, 'SUMMARY:old', 'RRULE:FREQ=DAILY', 'END:VEVENT'];
  const text = calendar(...master, ...Array.from({ length: 10_000 }, (_, index) => own(index)).flat());
  const edited = editResource(text, { kind: 'event' }, { title: 'new' }, CONTEXT);
  const [group] = groupsOf(edited);
  expect(new Set(group?.exceptions.map(({ content }) => content?.title))).toEqual(new Set(['new']));
});

test.each(['__proto__', 'constructor', 'toString'])('%s is a name like any other', (name) => {
  const lines = [START, `X-KALENDS-PUBLIC:${name}=1`, `ATTENDEE;${name}=x:mailto:a@example.com`, `${name}:x`];
  const content = groupsOf(textOf({ lines }))[0]?.master?.content;
  expect(content?.attendees.length).toBe(1);
  expect(Object.getPrototypeOf(content?.publicExtendedProperties)).toBe(Object.prototype);
});
