/** A file that wants to do harm, or that a program has written in its own way. */
export interface HostileFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Titles of the events that a reader of it finds; undefined for a file that is refused. */
  readonly titles?: readonly string[];
  /** Number of events that an import refuses by themselves. @default 0 */
  readonly refused?: number;
  /** Rule that an import names when it refuses the file. */
  readonly rule?: RegExp;
  /** Rule that the reading of it as a feed names. @default `rule` */
  readonly feedRule?: RegExp;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const START = 'DTSTART:20260302T090000Z';
const event = (...lines: readonly string[]) => ['BEGIN:VEVENT', START, ...lines, 'END:VEVENT'];
const calendar = (...lines: readonly string[]) => ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''];
const textOf = (lines: readonly string[], end = '\r\n') => lines.join(end);
const ONE = calendar(...event('UID:one', 'SUMMARY:Größe'));
const utf16 = Buffer.from(`\uFEFF${textOf(ONE)}`, 'utf16le');

/** Folds a line after each 75 octets, also within characters. */
function foldedByOctets(line: string): Uint8Array {
  const octets = Buffer.from(line);
  const parts: Uint8Array[] = [octets.subarray(0, 75)];
  for (let at = 75; at < octets.length; at += 74) parts.push(utf8('\r\n '), octets.subarray(at, at + 74));
  return Buffer.concat(parts);
}

const LONG = `SUMMARY:x${'ö€📅'.repeat(30)}`;

const CHARSETS: readonly HostileFile[] = [
  { name: 'a byte order mark of UTF-8', bytes: utf8(`\uFEFF${textOf(ONE)}`), titles: ['Größe'] },
  { name: 'UTF-16, little end first', bytes: utf16, titles: ['Größe'] },
  { name: 'UTF-16, big end first', bytes: Buffer.from(utf16).swap16(), titles: ['Größe'] },
  {
    name: 'Latin-1 that says nothing of it',
    bytes: Buffer.from(textOf(ONE), 'latin1'),
    rule: /^charset: the text must be/,
  },
  { name: 'UTF-16 without a mark', bytes: utf16.subarray(2), titles: ['Größe'] },
  { name: 'an archive', bytes: Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0), rule: /^charset/ },
];

const FOLDING: readonly HostileFile[] = [
  {
    name: 'folds within characters',
    bytes: Buffer.concat([
      utf8('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:one\r\nDTSTART:20260302T090000Z\r\n'),
      foldedByOctets(LONG),
      utf8('\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'),
    ]),
    titles: [LONG.slice(8)],
  },
  {
    name: 'folds by tabs, within names and behind empty lines',
    bytes: utf8(textOf(calendar(...event('UI', '\tD:one', 'SUMM', ' ARY:Gr', ' ', '\töße')))),
    titles: ['Größe'],
  },
  { name: 'a continuation of nothing', bytes: utf8(`  \r\n ${textOf(ONE)}`), titles: ['Größe'] },
  {
    name: 'folds within characters, behind a carriage return too many',
    bytes: Buffer.from(
      Buffer.concat([
        utf8(textOf(['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:one', START, ''])),
        foldedByOctets(LONG),
        utf8('\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'),
      ])
        .toString('latin1')
        .replaceAll('\r\n', '\r\r\n'),
      'latin1',
    ),
    titles: [LONG.slice(8)],
  },
  { name: 'line feeds alone', bytes: utf8(textOf(ONE, '\n')), titles: ['Größe'] },
  { name: 'carriage returns alone', bytes: utf8(textOf(ONE, '\r')), titles: ['Größe'] },
  { name: 'empty lines everywhere', bytes: utf8(textOf(ONE, '\r\n\r\n')), titles: ['Größe'] },
];

const series = ['UID:series', 'SUMMARY:Series', 'RRULE:FREQ=DAILY;COUNT=3'];
const slot = (from: string, to: string, title: string) => [
  'BEGIN:VEVENT',
  'UID:series',
  `RECURRENCE-ID:202603${from}T090000Z`,
  `DTSTART:202603${to}T090000Z`,
  `SUMMARY:${title}`,
  'END:VEVENT',
];

const CYCLES: readonly HostileFile[] = [
  {
    name: 'events that are related to themselves and to each other',
    bytes: utf8(
      textOf(
        calendar(
          ...event('UID:a', 'SUMMARY:a', 'RELATED-TO:a', 'RELATED-TO;RELTYPE=CHILD:b'),
          ...event('UID:b', 'SUMMARY:b', 'RELATED-TO;RELTYPE=CHILD:a'),
        ),
      ),
    ),
    titles: ['a', 'b'],
  },
  {
    name: 'occurrences that change places, one of them a series of its own',
    bytes: utf8(
      textOf(
        calendar(
          ...event(...series),
          ...slot('03', '04', 'third'),
          ...slot('04', '03', 'second').toSpliced(2, 0, 'RRULE:FREQ=DAILY'),
        ),
      ),
    ),
    titles: ['Series', 'second', 'third'],
  },
  {
    name: 'a component within itself',
    bytes: utf8(
      textOf(
        calendar(
          'BEGIN:VEVENT',
          'UID:outer',
          START,
          'SUMMARY:outer',
          ...event('UID:inner', 'SUMMARY:inner'),
          'END:VEVENT',
        ),
      ),
    ),
    titles: ['outer'],
  },
];

const BOMBS: readonly HostileFile[] = [
  {
    name: 'components nested deeply',
    bytes: utf8('BEGIN:VCALENDAR\r\n'.repeat(9)),
    rule: /^BEGIN: components may be nested 8 deep at most/,
    feedRule: /nested 8 deep|cut off/,
  },
  {
    name: 'components nested deeply, and closed',
    bytes: utf8(`${'BEGIN:VCALENDAR\r\n'.repeat(9)}${'END:VCALENDAR\r\n'.repeat(9)}`),
    rule: /^BEGIN: components may be nested 8 deep at most/,
    feedRule: /nested 8 deep/,
  },
  {
    name: 'a hundred thousand lines in an event, and one more',
    bytes: utf8(textOf(calendar(...event('UID:one', ...Array.from({ length: 100_001 }, () => 'X-A:1'))))),
    rule: /^VEVENT: a component may have 100000 lines at most/,
  },
  {
    name: 'rules that never end, and dates without number',
    bytes: utf8(
      textOf(
        calendar(
          ...event('UID:fast', 'SUMMARY:fast', 'RRULE:FREQ=SECONDLY;COUNT=999999999'),
          ...event('UID:never', 'SUMMARY:never', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'),
          ...event(
            'UID:many',
            'SUMMARY:many',
            `EXDATE:${'20260302T090000Z,'.repeat(130_000)}20260303T090000Z`,
            'RRULE:FREQ=DAILY;COUNT=3',
          ),
          ...event('UID:good', 'SUMMARY:good'),
        ),
      ),
    ),
    titles: ['fast', 'good', 'many', 'never'],
    refused: 2,
  },
  {
    name: 'an alarm that repeats without end, and one before time began',
    bytes: utf8(
      textOf(
        calendar(
          ...event(
            'UID:one',
            'SUMMARY:one',
            'BEGIN:VALARM',
            'ACTION:DISPLAY',
            'TRIGGER:-P999999W',
            'REPEAT:999999999',
            'DURATION:PT1S',
            'END:VALARM',
          ),
        ),
      ),
    ),
    titles: ['one'],
  },
];

export const HOSTILE_FILES: readonly HostileFile[] = [...CHARSETS, ...FOLDING, ...CYCLES, ...BOMBS];
