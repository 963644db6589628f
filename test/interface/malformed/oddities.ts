import type { Dice } from '../../simulation/dice.ts';

/** Texts that some code treats specially. */
const TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '\0',
    '\ud800',
    '\udfff',
    'a\ud800b',
    '.',
    '..',
    '../..',
    '%',
    '%00',
    '%2f',
    '%c0%ae',
    '"',
    "'",
    '\n',
    '\r\n',
    '\u2028',
  ],
  ...[
    "'; DROP TABLE kalends_application; --",
    '<script>',
    '{{7*7}}',
    '🦄',
    'ﷺ',
    '\u202e',
    'İ',
    'ß',
    'a\u0301'.repeat(200),
    '﻿',
  ],
  ...[
    'true',
    'false',
    '0',
    '1',
    '-1',
    '+1',
    '1e9',
    '0x10',
    '1.5',
    'NaN',
    'Infinity',
    '9'.repeat(400),
    'null',
    'undefined',
    '{}',
    '[]',
  ],
  ...['{"a":"b"}', '{"a":1}', '{"__proto__":"x"}', '[[', '90d', '0d', '99999d', '-1d', 'x'.repeat(5_000)],
  ...[
    '2026-03-02',
    '2026-03-02T09:00:00',
    '2026-03-02T09:00:00Z',
    '2026-03-08T02:30:00',
    '2026-02-30',
    '0000-00-00',
    '2026-03-02T24:00:00Z',
  ],
  ...[
    '9999-12-31T23:59:59Z',
    '0001-01-01',
    '-271821-04-20',
    '+275760-09-13T00:00:00Z',
    '2026-03-02T09:00:00+99:00',
    '1969-12-31T23:59:59Z',
  ],
  ...['America/New_York', 'europe/berlin', 'Eastern Standard Time', 'Etc/GMT+14', 'UTC', '+05:30', 'Nowhere/None'],
  ...[
    'startDateTime',
    'updatedDateTime',
    'active',
    'expired',
    'accepted',
    'none',
    'all',
    'following',
    'html',
    'admin',
    'default,focusTime',
    ',',
  ],
  ...[
    'PROVIDER_A',
    'PROVIDER_B',
    'provider_a',
    'Provider_B',
    '#a1b2c3',
    '#GGGGGG',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ],
  ...[
    'RRULE:FREQ=DAILY;COUNT=3',
    'RRULE:FREQ=DAILY;INTERVAL=999999999',
    'RRULE:FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2',
    'RRULE:FREQ=SECONDLY',
  ],
  ...[
    'RRULE:',
    'RRULE:FREQ=DAILY;UNTIL=99999999T999999Z',
    'RDATE:99991231T235959Z',
    'EXDATE;TZID=Nowhere:20260302T090000',
    'RRULE:FREQ=WEEKLY;BYDAY=5MO',
  ],
  ...[
    'a@b.example',
    'A@B.EXAMPLE',
    '@',
    'a@',
    `${'a'.repeat(310)}@b.example`,
    'ä@ö.example',
    '"a b"@c.example',
    'a@b\0',
  ],
  ...[
    'https://receiver.test/',
    'https://10.0.0.1/',
    'http://127.0.0.1:1/',
    'https://user:pass@a.test/',
    'http:/\\a',
    'javascript:alert(1)',
  ],
  ...[
    'https://[::1]/',
    'https://a.test:0/',
    'https://ä.test/',
    'https://a.test/#f',
    'file:///etc/passwd',
    'https://xn--a/',
    '//a.test',
  ],
  ...['W/"x"', '*', '"', '"x"', '""', '"a", "b"', `${'"x",'.repeat(500)}"x"`],
];

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, -(2 ** 53), 4294967296],
  ...[
    [],
    {},
    [[]],
    [null],
    [{}],
    [''],
    { '': '' },
    { a: null },
    { dateTime: 1 },
    { dateTime: '2026-03-02' },
    { date: '2026-03-02' },
  ],
  ...[{ constructor: { prototype: {} } }, { toString: 'x', valueOf: 'x' }, { length: 1e9 }, { toJSON: 'x' }],
];

export function oddText(dice: Dice): string {
  if (dice.chance(0.8)) return dice.pick(TEXTS);
  return String.fromCharCode(
    ...Array.from({ length: dice.below(12) }, () => dice.below(dice.chance(0.5) ? 0x80 : 0x1_0000)),
  );
}

export function oddValue(dice: Dice): unknown {
  if (dice.chance(0.5)) return oddText(dice);
  if (dice.chance(0.7)) return dice.pick(VALUES);
  return dice.pick([
    () => 'ü'.repeat(dice.between(1, 20_000)),
    () => Array.from({ length: dice.between(1, 1_500) }, () => oddText(dice).slice(0, 20)),
    () => Object.fromEntries(Array.from({ length: dice.between(1, 300) }, (_, index) => [`k${index}`, 'x'])),
    () => nested(dice.between(2, 400)),
  ])();
}

function nested(depth: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
