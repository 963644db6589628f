import type { Json } from '../interface/world.ts';
import type { Dice } from '../simulation/dice.ts';

/** A JSON value with objects of any depth. */
type Path = readonly (string | number)[];

const DEEP = 200;
const LONG = 20_000;

/** Texts that some code treats specially. */
const TEXTS: readonly string[] = [
  ...['', ' ', 'x', '\0', '\ud800', '..', '.', '%', '%00', '../..', '"', '\n', '🦄', '__proto__', 'constructor', 'NaN'],
  ...['null', 'undefined', '{}', '[]', '-1', '1e9', 'x'.repeat(LONG), '9'.repeat(400), 'a@b@c', '<b>', 'javascript:1'],
  ...['unknown', 'unknownFutureValue', 'UNDEFINED_VALUE', 'cancelled', 'seriesMaster', 'occurrence', 'exception'],
];
const DATES: readonly string[] = [
  ...['0000-00-00', '0000-05-01T00:00:00Z', '0001-01-01T00:00:00Z', '0001-01-01', '9999-12-31T23:59:59.9999999'],
  ...['9999-12-31', '9999-12-31T23:59:59-12:00', '+275760-09-13T00:00:00Z', '-271821-04-20T00:00:00Z', '10000-01-01'],
  ...[
    '2027-02-29',
    '2027-02-30T25:61:61Z',
    '2027-02-03T24:00:00',
    '2027-02-03T10:00',
    '2027-02-03',
    '20270203T100000Z',
  ],
  ...['Mon, 01 Feb 2027', '1801526400', '2027-02-03T10:00:00+99:00', '2027-02-03T10:00:00.123456789Z', 'today'],
];
const ZONES: readonly string[] = [
  ...[
    'Nowhere/City',
    'tzone://Microsoft/Custom',
    'tzone://Microsoft/Utc',
    'Customized Time Zone',
    'GMT+01:00',
    'W. Europe',
  ],
  ...[
    'Kamchatka Standard Time',
    'Mid-Atlantic Standard Time',
    'UTC+25',
    'Europe/Berlin ',
    'europe/berlin',
    'Etc/GMT+14',
  ],
];
const LINES: readonly Json[] = [
  ...['RRULE:', 'RRULE', '', ':', 'RRULE:FREQ=NEVER', 'RRULE:FREQ=DAILY;COUNT=0', 'RRULE:FREQ=DAILY;INTERVAL=-1'],
  ...['RRULE:FREQ=DAILY;UNTIL=x', 'RRULE:FREQ=SECONDLY', 'RRULE:FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2', 'EXRULE:FREQ=X'],
  ...[
    'RRULE:FREQ=WEEKLY;BYDAY=XX',
    'RRULE:FREQ=DAILY;FREQ=WEEKLY',
    'RDATE:99991231T235959Z',
    'RDATE:+2757600913T000000Z',
  ],
  ...[
    'RRULE:DATE;TZID=Europe/Berlin:20270301T090000',
    'EXDATE;TZID=GMT+01:00:20270301T090000',
    'EXDATE;VALUE=DATE:2027',
  ],
  ...['EXDATE;TZID=Nowhere:20270302T090000', 'X-NAME:1', 'BEGIN:VEVENT', `RDATE:${'20270301T090000Z,'.repeat(2_000)}`],
  ...[7, null, {}, [], true],
];
const NUMBERS: readonly number[] = [0, -1, 1.5, -0.1, 1e308, -1e308, 2 ** 53, 2 ** 31, 40_321, 1e21, 5e-324];
const OTHERS: readonly Json[] = [null, true, false, [], {}, [null], [[]], [7], { id: 7 }, { '': '' }, { dateTime: {} }];

/**
 * Distorts one object of a provider as no schema foresees: drops, retypes, nests, exaggerates. Changes one to three places,
 * or replaces the object as a whole. `id` is left alone in most draws, so that what is set aside can be named.
 */
export function mutated(wire: Json, dice: Dice): Json {
  if (dice.chance(0.03)) return dice.pick([null, 7, 'x', [], {}, true, { id: wire.id }, { id: null }]);
  let value = wire;
  for (let changes = dice.pick([1, 1, 1, 2, 3]); changes > 0; changes -= 1) {
    const places = placesOf(value).filter((path) => path[0] !== 'id' || dice.chance(0.3));
    if (places.length > 0) value = changed(value, dice.pick(places), dice);
  }
  return value;
}

function placesOf(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const place = [...path, Array.isArray(value) ? Number(name) : name];
    return [place, ...placesOf(item, place)];
  });
}

function changed(value: Json, [step, ...rest]: Path, dice: Dice): Json {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  if (step === undefined) return copy;
  if (rest.length > 0) copy[step] = changed(copy[step], rest, dice);
  else if (dice.chance(0.2)) delete copy[step];
  else copy[step] = odd(copy[step], step, dice);
  // A deleted element of an array leaves a hole, which JSON shows as null.
  return copy;
}

/** Returns a value in place of another, often one that nearly fits. */
function odd(value: Json, name: string | number, dice: Dice): Json {
  if (dice.chance(0.1)) return deep(dice);
  if (dice.chance(0.4)) return fitting(value, String(name), dice);
  return dice.pick([dice.pick(TEXTS), dice.pick(DATES), dice.pick(ZONES), dice.pick(NUMBERS), dice.pick(OTHERS)]);
}

function fitting(value: Json, name: string, dice: Dice): Json {
  if (/zone/i.test(name)) return dice.pick(ZONES);
  if (/date|start|end|created|updated|modified/i.test(name) && typeof value === 'string') return dice.pick(DATES);
  if (name === 'recurrence' && Array.isArray(value)) return [...value, dice.pick(LINES)];
  if (typeof value === 'string') return /^(?:RRULE|RDATE|EXDATE)/.test(value) ? dice.pick(LINES) : dice.pick(TEXTS);
  if (typeof value === 'number') return dice.pick(NUMBERS);
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return [...value, ...value, dice.pick(OTHERS), dice.pick(TEXTS)];
  return { ...value, '': value, value };
}

function deep(dice: Dice): Json {
  const isArray = dice.chance(0.5);
  let value: Json = 'x';
  for (let depth = 0; depth < DEEP; depth += 1) value = isArray ? [value] : { value };
  return value;
}
