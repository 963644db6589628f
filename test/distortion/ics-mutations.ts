import type { Dice } from '../simulation/dice.ts';

const LONG = 20_000;
const DEEP = 200;

const TEXTS: readonly string[] = [
  ...['', ' ', 'x', '..', '%', '"', '\\', '\\n', ';', ',', ':', '🦄', '__proto__', 'constructor', 'NaN', 'null', '-1'],
  ...['x'.repeat(LONG), '9'.repeat(400), 'mailto:', 'mailto:a@b@c', 'CANCELLED', 'TRUE', '1e9', 'P', 'PT', '-P1D'],
  ...['\u0007', '\ud800', '\ufffe', '\u2028', '\ufeff', 'BEGIN:VEVENT', 'END:VCALENDAR', 'é'.repeat(100)],
];
const TIMES: readonly string[] = [
  ...[
    '00000000',
    '00000501T000000Z',
    '00010101T000000Z',
    '00010101',
    '99991231T235959Z',
    '99991231',
    '99991231T235959',
  ],
  ...['20270229', '20270230T256161Z', '20270203T240000', '20270203T1000', '2027-02-03T10:00:00Z', '20270203T100000z'],
  ...['+2757600913T000000Z', '20270203T100000+0100', '20270203/P1D', '20270203T100000Z,20270204T100000Z', 'today', ''],
  ...['20270328T023000', '20271031T023000', '20270203T235960', '20270203T100000.5Z', ' 20270203T100000Z'],
];
const ZONES: readonly string[] = [
  ...['Nowhere/City', 'Customized Time Zone', 'GMT+01:00', 'W. Europe Standard Time', 'UTC+25', 'europe/berlin', ''],
  ...['"Europe/Berlin"', '/freeassociation.sourceforge.net/Europe/Berlin', 'Etc/GMT+14', 'Europe/Berlin\u0000'],
];
const RULES: readonly string[] = [
  ...['', 'FREQ=NEVER', 'FREQ=DAILY;COUNT=0', 'FREQ=DAILY;INTERVAL=-1', 'FREQ=DAILY;UNTIL=x', 'FREQ=SECONDLY'],
  ...['FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2', 'FREQ=WEEKLY;BYDAY=XX', 'FREQ=DAILY;FREQ=WEEKLY', 'None', 'COUNT=3'],
  ...['FREQ=DAILY;UNTIL=20270101', 'FREQ=YEARLY;BYYEARDAY=400', 'FREQ=MONTHLY;BYSETPOS=1', 'FREQ=DAILY;INTERVAL=1e9'],
];
const LINES: readonly string[] = [
  ...[
    '',
    ' folded',
    '\tfolded',
    ':',
    ';',
    'X',
    'X:',
    ':x',
    'X-ODD;=:x',
    'X-ODD;A="b:x',
    'BEGIN:',
    'END:',
    'BEGIN:VEVENT',
  ],
  ...['END:VEVENT', 'BEGIN:VALARM', 'BEGIN:VCALENDAR', 'END:VCALENDAR', 'BEGIN:X-ODD', 'METHOD:REQUEST', 'DTSTART:'],
  ...['RECURRENCE-ID:20270301T090000Z', 'RECURRENCE-ID;RANGE=THISANDFUTURE:20270119T080000Z', 'STATUS:CANCELLED'],
  ...['DURATION:PT1H', 'DURATION:-PT1H', 'DURATION:P99999999W', 'DTEND;VALUE=DATE:20270101', 'EXDATE:x', 'SEQUENCE:-1'],
  ...[
    'RDATE;VALUE=PERIOD:20270301T090000Z/PT1H',
    'RDATE:x',
    `RDATE:${'20270301T090000Z,'.repeat(2_000)}`,
    'RRULE:FREQ=X',
  ],
  ...[
    'ATTENDEE:x',
    'ATTENDEE;PARTSTAT=ODD:mailto:a@example.com',
    'ORGANIZER:',
    'UID:',
    'UID:other',
    'CLASS:ODD',
    'TZID:x',
  ],
  ...[
    'ATTACH:javascript:1',
    'ATTACH;ENCODING=BASE64;VALUE=BINARY:===',
    'TRIGGER:x',
    'GEO:x;y',
    'CATEGORIES:,,,',
    'DTSTAMP:x',
  ],
];
const WHOLE: readonly string[] = [
  ...['', ' ', 'x', '<html><body>Gone fishing</body></html>', 'BEGIN:VCALENDAR', 'END:VCALENDAR', '{"data":null}'],
  ...[
    'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n',
    'BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:x\r\nEND:VTODO\r\nEND:VCALENDAR\r\n',
  ],
  `BEGIN:VCALENDAR\r\n${'BEGIN:X\r\n'.repeat(DEEP)}${'END:X\r\n'.repeat(DEEP)}END:VCALENDAR\r\n`,
];

/** Distorts the text of an object as no server should: cuts, drops, repeats, exaggerates, in one to three places or as a whole. */
export function mutatedIcs(text: string, dice: Dice): string {
  if (dice.chance(0.03)) return dice.pick(WHOLE);
  if (dice.chance(0.07)) return text.slice(0, dice.below(text.length));
  let lines: readonly string[] = text.split('\r\n');
  for (let changes = dice.pick([1, 1, 1, 2, 3]); changes > 0; changes -= 1) lines = changed(lines, dice);
  return lines.join(dice.chance(0.05) ? dice.pick(['\n', '\r']) : '\r\n');
}

function changed(lines: readonly string[], dice: Dice): readonly string[] {
  const at = dice.below(lines.length);
  const line = lines[at] ?? '';
  const other = dice.below(lines.length);
  return dice.pick([
    () => lines.toSpliced(at, 1),
    () => lines.toSpliced(other, 0, line),
    () => lines.toSpliced(at, 0, dice.pick(LINES)),
    () => lines.toSpliced(at, dice.below(8)),
    () => lines.toSpliced(other, 0, ...lines.slice(at, at + dice.below(30))),
    () => lines.with(at, withoutOne(line, dice)),
    () => lines.with(at, otherParameter(line, dice)),
    () => lines.with(at, otherValue(line, dice)),
    () => lines.with(at, otherValue(line, dice)),
    () => lines.with(at, otherValue(line, dice)),
  ])();
}

function withoutOne(line: string, dice: Dice): string {
  const at = dice.below(line.length + 1);
  return line.slice(0, at) + dice.pick(['', '', '\u0001', 'é', '"', ';', ':']) + line.slice(at + 1);
}

function otherParameter(line: string, dice: Dice): string {
  const [name = '', ...rest] = line.split(':');
  const added = dice.pick(['TZID=Nowhere', 'VALUE=DATE', 'VALUE=PERIOD', 'VALUE=X', 'TZID=', 'ENCODING=BASE64', 'X="']);
  return [dice.chance(0.5) ? name.replace(/;.*/, '') : `${name};${added}`, ...rest].join(':');
}

function otherValue(line: string, dice: Dice): string {
  const [name = ''] = line.split(':', 1);
  if (/TZID=/.test(name) && dice.chance(0.4)) {
    return line.replace(/TZID=[^:;]*/, () => `TZID=${dice.pick(ZONES)}`);
  }
  return `${name}:${fitting(name, dice)}`;
}

function fitting(name: string, dice: Dice): string {
  if (dice.chance(0.2)) return dice.pick([...TEXTS, ...TIMES]);
  if (/^TZID/.test(name)) return dice.pick(ZONES);
  if (/^RRULE/.test(name)) return dice.pick(RULES);
  return /^(DT|EXDATE|RDATE|RECURRENCE-ID|CREATED|LAST-MODIFIED)/.test(name) ? dice.pick(TIMES) : dice.pick(TEXTS);
}
