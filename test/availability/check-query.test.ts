import {
  AvailabilityError,
  type AvailabilityQuery,
  availableRanges,
  availableSlots,
  explainSlot,
} from 'kalends/availability';
import { expect, test } from 'vitest';

const DAY = 86_400_000;
const VALID: AvailabilityQuery = {
  window: { startMs: 0, endMs: DAY },
  durationMs: 3_600_000,
  stepMs: 900_000,
  timeZone: 'UTC',
  participants: [
    { id: 'ada', timeZone: 'UTC', busy: [] },
    { id: 'ben', timeZone: 'UTC', busy: [] },
  ],
};

/** A query with fields of the first participant, or of the query. */
const ada = (change: object) => ({ participants: [{ ...VALID.participants[0], ...change }, VALID.participants[1]] });
const hours = (change: object) => ({
  rules: { openHours: [{ days: ['MO'], start: '09:00', end: '17:00', ...change }] },
});
const group = (change: object) => ({ groups: [{ id: 'rooms', members: ['ben'], take: 1, ...change }] });

const REFUSED: readonly (readonly [message: string, change: object])[] = [
  ['window: must have startMs and endMs', { window: null }],
  ['window.startMs: must be a whole number of milliseconds', { window: { startMs: Number.NaN, endMs: 1 } }],
  ['window.endMs: must be after window.startMs', { window: { startMs: 5, endMs: 5 } }],
  ['window: must be at most 366 days long', { window: { startMs: 0, endMs: 366 * DAY + 1 } }],
  ['durationMs: must be a whole number from 60000 to 31622400000', { durationMs: 59_999 }],
  ['stepMs: must be a whole number from 60000 to 86400000', { stepMs: DAY + 1 }],
  ['stepMs: must be a whole number from 60000 to 86400000', { stepMs: 90_000.5 }],
  ['timeZone: must be a time zone, such as Europe/Rome', { timeZone: 'Mars/Olympus' }],
  ['nowMs: must be a whole number of milliseconds', { nowMs: '2026-03-02' }],
  ['nowMs: is needed for noticeMs', { noticeMs: 1 }],
  ['noticeMs: must be a whole number from 0 to 31622400000', { nowMs: 0, noticeMs: -1 }],
  ['mode: must be one of collective, round-robin', { mode: 'all' }],
  ['distribution: must be one of max-availability, max-fairness', { mode: 'round-robin', distribution: 'random' }],
  ['distribution: decides between hosts, and needs the mode round-robin', { distribution: 'max-fairness' }],
  ['weekStart: must be one of MO, TU, WE, TH, FR, SA, SU', { weekStart: 'Monday' }],
  ['isAllDayBusy: must be one of true, false', { isAllDayBusy: 1 }],
  ['isTentativeBusy: must be one of true, false', { isTentativeBusy: 'no' }],
  ['participants: must be a list', { participants: {} }],
  ['participants: must name at least one participant', { participants: [] }],
  ['participants: must have at most 500 entries', { participants: Array.from({ length: 501 }, () => ({})) }],
  ['participants[0]: must be a participant', { participants: [null] }],
  ['participants[0].id: must be a text that is not empty', ada({ id: '' })],
  ['participants[1].id: must be unique, and ben is there twice', ada({ id: 'ben' })],
  ['participants[0].timeZone: must be a time zone, such as Europe/Rome', ada({ timeZone: undefined })],
  ['participants[0].role: must be one of required, optional, host', ada({ role: 'chair' })],
  ['participants[0].role: must not be host unless the mode is round-robin', ada({ role: 'host' })],
  ['participants[0].busy: must be a list', ada({ busy: undefined })],
  ['participants[0].busy[0].endMs: must not be before startMs', ada({ busy: [{ startMs: 2, endMs: 1 }] })],
  [
    'participants[0].busy[0].type: must be one of busy, tentative, oof, workingElsewhere',
    ada({ busy: [{ startMs: 1, endMs: 2, type: 'free' }] }),
  ],
  [
    'participants[0].busy[0].isAllDay: must be one of true, false',
    ada({ busy: [{ startMs: 1, endMs: 2, isAllDay: 1 }] }),
  ],
  ['participants[0].bookings: must be a list', ada({ bookings: 3 })],
  ['participants[0].bookings[0].endMs: must be after startMs', ada({ bookings: [{ startMs: 1, endMs: 1 }] })],
  ['participants[0].assignments: must be a whole number from 0 to 1000000000', ada({ assignments: -1 })],
  ['participants[0].lastAssignedMs: must be a whole number of milliseconds', ada({ lastAssignedMs: 0.5 })],
  ['participants[0].weight: must be a whole number from 1 to 1000', ada({ weight: 0 })],
  ['participants[0].bufferBeforeMs: must be a whole number from 0 to 31622400000', ada({ bufferBeforeMs: -1 })],
  ['participants[0].maxPerDay: must be a whole number from 1 to 10000', ada({ maxPerDay: 0 })],
  ['rules: must be rules', { rules: null }],
  [
    'rules.bufferAfterMs: must be a whole number from 0 to 31622400000',
    { rules: { bufferAfterMs: Number.POSITIVE_INFINITY } },
  ],
  ['rules.minGapMs: must be a whole number from 0 to 31622400000', { rules: { minGapMs: null } }],
  ['rules.maxPerWeek: must be a whole number from 1 to 10000', { rules: { maxPerWeek: 1.5 } }],
  ['rules.openHours: must be a list', { rules: { openHours: {} } }],
  ['rules.openHours[0]: must have start and end', { rules: { openHours: [null] } }],
  ['rules.openHours[0].days: must be a list', hours({ days: 'MO' })],
  ['rules.openHours[0].days: must name at least one weekday', hours({ days: [] })],
  ['rules.openHours[0].days[0]: must be one of MO, TU, WE, TH, FR, SA, SU', hours({ days: [1] })],
  ['rules.openHours[0].days[0]: must be one of MO, TU, WE, TH, FR, SA, SU', hours({ days: [undefined] })],
  ['rules.openHours[0].start: must be a time from 00:00 to 24:00, such as 09:00', hours({ start: '9:00' })],
  ['rules.openHours[0].start: must be before 24:00', hours({ start: '24:00' })],
  ['rules.openHours[0].end: must be a time from 00:00 to 24:00, such as 09:00', hours({ end: '24:01' })],
  ['rules.openHours[0].end: must not be the start; a whole day is 00:00 to 24:00', hours({ end: '09:00' })],
  ['rules.holidays: must be a list', { rules: { holidays: '2026-12-25' } }],
  [
    'rules.holidays[1]: must be a date that exists, such as 2026-12-25',
    { rules: { holidays: ['2026-12-25', '2026-02-29'] } },
  ],
  ['rules.exceptions[0]: must have a date and hours', { rules: { exceptions: [null] } }],
  [
    'rules.exceptions[0].date: must be a date that exists, such as 2026-12-25',
    { rules: { exceptions: [{ date: '2026-12-25T00:00', hours: [] }] } },
  ],
  [
    'rules.exceptions[1].date: must be unique, and 2026-12-24 is there twice',
    {
      rules: {
        exceptions: [
          { date: '2026-12-24', hours: [] },
          { date: '2026-12-24', hours: [] },
        ],
      },
    },
  ],
  ['rules.exceptions[0].hours: must be a list', { rules: { exceptions: [{ date: '2026-12-24' }] } }],
  [
    'rules.exceptions[0].hours[0]: must have start and end',
    { rules: { exceptions: [{ date: '2026-12-24', hours: [1] }] } },
  ],
  ['groups: must be a list', { groups: {} }],
  ['groups[0]: must be a group', { groups: [null] }],
  ['groups[0].id: must be a text that is not empty', group({ id: undefined })],
  ['groups[0].members: must be a list', group({ members: 'ben' })],
  ['groups[0].members[0]: must be the id of a participant, and cem is none', group({ members: ['cem'] })],
  [
    'groups[0].members[1]: ben is in rooms already; a participant is in one group only',
    group({ members: ['ben', 'ben'] }),
  ],
  ['groups[0].take: must be a whole number from 1 to 1', group({ take: 2 })],
  ['groups[0].take: must be a whole number from 1 to 1', group({ take: 0 })],
  [
    'groups[0].members[0]: ada has a role, which members of groups do not have',
    { ...ada({ role: 'optional' }), ...group({ members: ['ada'] }) },
  ],
  [
    'participants: must have a host, as the mode is round-robin',
    { mode: 'round-robin', ...group({ members: ['ada', 'ben'] }) },
  ],
  [
    'participants: must not be optional all of them; require one, or a group',
    { participants: VALID.participants.map((participant) => ({ ...participant, role: 'optional' })) },
  ],
];

/** Queries of callers in JavaScript, which no compiler has read. */
const untyped = (change: object) => ({ ...VALID, ...change }) as AvailabilityQuery;

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof AvailabilityError) {
      expect(error.message.startsWith(`${error.field}: `)).toBe(true);
      return error.message;
    }
    throw error;
  }
  return 'is accepted';
}

test('a valid query is accepted', () => {
  expect(availableSlots(VALID).total).toBe(93);
});

test.each(REFUSED)('%s', (message, change) => {
  const query = untyped(change);
  expect(messageOf(() => availableSlots(query))).toBe(message);
  expect(messageOf(() => availableRanges(query))).toBe(message);
  expect(messageOf(() => explainSlot(query, 0))).toBe(message);
});

test('options of a page', () => {
  const slots = (options: object) => messageOf(() => availableSlots(VALID, options));
  expect(slots({ limit: 0 })).toBe('limit: must be a whole number from 1 to 1000');
  expect(slots({ limit: 1001 })).toBe('limit: must be a whole number from 1 to 1000');
  expect(slots({ order: 'best' })).toBe('order: must be start or rank');
  const { nextCursor } = availableSlots(VALID, { limit: 1 });
  expect(slots({ cursor: nextCursor })).toBe('is accepted');
  expect(slots({ cursor: nextCursor, order: 'rank' })).toBe(
    'cursor: must be the nextCursor of a page in the order "rank"',
  );
  expect(slots({ cursor: 'start_' })).toBe('cursor: must be the nextCursor of a page in the order "start"');
  expect(messageOf(() => availableRanges(VALID, { cursor: nextCursor }))).toBe(
    'cursor: must be the nextCursor of a page in the order "range"',
  );
});

test('the start of an explained slot', () => {
  expect(messageOf(() => explainSlot(VALID, Number.NaN))).toBe('startMs: must be a whole number of milliseconds');
});
