import type { EventPatch, NewEvent, ProviderCapabilities, Random } from 'kalends/ports';
import { formatDate, formatInstant, formatWall } from 'kalends/zones';

const ZONES = ['Europe/London', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC', 'America/Sao_Paulo'];
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const FROM = Date.UTC(2026, 0, 1);
const PATTERNED_RULES = ['FREQ=DAILY', 'FREQ=DAILY;INTERVAL=3', 'FREQ=WEEKLY', 'FREQ=WEEKLY;INTERVAL=2'];
const WORDS = ['plan', 'Größe', '計画', '🗓', 'a & b', '<tag>', "it's", '"so"', '100 %', 'x;y,z', '\\n', 'naïve'];

/** Fields of an event that the generator supports. */
export const GENERATED_FIELDS = [
  'title',
  'description',
  'location',
  'publicExtendedProperties',
  'privateExtendedProperties',
  'colorId',
  'customColor',
  'visibility',
  'transparency',
  'reminders',
  'attendees',
  'recurrence',
] as const satisfies readonly (keyof EventPatch)[];
export type GeneratedField = (typeof GENERATED_FIELDS)[number];

/** Random values of one event, all from one source, so that one seed gives one event. */
interface Draw {
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/**
 * Generates an event with times and these fields, each within the calendar's capabilities. The same source gives the same
 * event, and a field's value does not depend on the other fields.
 */
export function generatedEvent(
  random: Random,
  capabilities: ProviderCapabilities,
  fields: readonly GeneratedField[] = GENERATED_FIELDS,
): NewEvent {
  const draw = drawFrom(random);
  const times = timesOf(draw);
  const values: Readonly<Record<GeneratedField, unknown>> = {
    title: text(draw, ' '),
    description: text(draw, '\n'),
    location: text(draw, ' '),
    publicExtendedProperties: properties(draw),
    privateExtendedProperties: properties(draw),
    colorId: capabilities.colorIds === 'any' ? text(draw, ' ') : draw.pick(capabilities.colorIds),
    customColor: draw.pick(['#000000', '#a1b2c3', '#ffffff']),
    visibility: draw.pick(capabilities.visibilities),
    transparency: draw.pick(['transparent', 'opaque']),
    reminders: reminders(draw, capabilities),
    attendees: attendees(draw, capabilities),
    recurrence: recurrence(draw, times.isAllDay),
  };
  const chosen = fields.filter((field) => values[field] !== undefined);
  return { ...times, ...Object.fromEntries(chosen.map((field) => [field, values[field]])) };
}

/** Returns the fields that an event created from this input shows. Default reminders depend on the mailbox and are left out. */
export function expectedContent(input: NewEvent): Readonly<Record<string, unknown>> {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  return {
    title: '',
    description: '',
    location: '',
    publicExtendedProperties: {},
    privateExtendedProperties: {},
    colorId: undefined,
    customColor: undefined,
    visibility: 'default',
    transparency: 'opaque',
    ...(given['reminders'] === undefined && input.reminders !== null ? {} : { reminders: { useDefault: true } }),
    attendees: [],
    recurrence: null,
    isAllDay: false,
    ...given,
  };
}

function drawFrom(random: Random): Draw {
  const below = (limit: number) => Math.floor(random.fraction() * limit);
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}

function timesOf(draw: Draw): Required<Pick<NewEvent, 'start' | 'end' | 'isAllDay'>> {
  const day = FROM + draw.below(700) * DAY_MS;
  const minutes = draw.below(24 * 60);
  const [startZone, endZone] = [draw.pick(ZONES), draw.pick(ZONES)];
  const [length, days] = [draw.below(3000), 1 + draw.below(9)];
  const sameZone = draw.below(4) > 0;
  if (draw.below(4) === 0) {
    const midnight = (ms: number) => ({ dateTime: formatWall(ms), timeZone: '' });
    return { isAllDay: true, start: midnight(day), end: midnight(day + days * DAY_MS) };
  }
  const at = day + minutes * MINUTE_MS;
  const point = (zone: string, ms: number) => ({ dateTime: formatInstant(zone, ms), timeZone: zone });
  return {
    isAllDay: false,
    start: point(startZone, at),
    end: point(sameZone ? startZone : endZone, at + length * MINUTE_MS),
  };
}

function text(draw: Draw, between: string): string {
  return Array.from({ length: 1 + draw.below(4) }, () => draw.pick(WORDS)).join(between);
}

function properties(draw: Draw): Readonly<Record<string, string>> {
  const keys = Array.from({ length: 1 + draw.below(3) }, () => `${draw.pick(['crm', 'Room', 'a.b', 'ü', 'x y'])}`);
  return Object.fromEntries(keys.map((key) => [key, draw.below(4) === 0 ? '' : text(draw, ' ')]));
}

function reminders(draw: Draw, { reminders: { methods, maxOverrides } }: ProviderCapabilities): NewEvent['reminders'] {
  const count = 1 + draw.below(maxOverrides);
  const overrides = Array.from({ length: count }, (_, index) => ({
    method: draw.pick(methods),
    minutes: draw.pick([0, 5, 60, 1440, 40_000]) + index,
  }));
  return draw.pick([
    { useDefault: true },
    { useDefault: false, isReminderOn: false, overrides: [] },
    { useDefault: false, isReminderOn: true, overrides },
  ]);
}

function attendees(draw: Draw, { attendees: { max } }: ProviderCapabilities): NewEvent['attendees'] {
  if (max === 0) return undefined;
  const numbers = new Set(Array.from({ length: 1 + draw.below(4) }, () => draw.below(8)));
  return [...numbers].slice(0, max).map((number) => ({
    email: `guest${number}@example.com`,
    name: draw.pick(['Ann', 'Bob', 'Cléo']),
  }));
}

function recurrence(draw: Draw, isAllDay: boolean): readonly string[] {
  const rule = draw.pick(PATTERNED_RULES);
  const until = formatDate(FROM + (800 + draw.below(400)) * DAY_MS).replaceAll('-', '');
  const end = draw.pick(['', `;COUNT=${1 + draw.below(20)}`, `;UNTIL=${until}${isAllDay ? '' : 'T235959Z'}`]);
  return [`RRULE:${rule}${end}`];
}
