import { type AvailabilityQuery, explainSlot, type Participant } from 'kalends/availability';
import { instantOfText } from 'kalends/zones';
import { expect, test } from 'vitest';

const MINUTE = 60_000;
const ROME = 'Europe/Rome';
const at = (clock: string) => instantOfText(`2026-03-02T${clock}`, ROME);
const range = (from: string, to: string) => ({ startMs: at(from), endMs: at(to) });

const ada: Participant = {
  id: 'ada',
  timeZone: ROME,
  busy: [range('12:00', '13:00')],
  openHours: [{ days: ['MO'], start: '09:00', end: '17:00' }],
};
const QUERY: AvailabilityQuery = {
  window: range('08:00', '20:00'),
  durationMs: 30 * MINUTE,
  stepMs: 30 * MINUTE,
  timeZone: ROME,
  participants: [ada],
};

const codesAt = (clock: string, change: Partial<AvailabilityQuery> = {}, participant: Partial<Participant> = {}) =>
  explainSlot({ ...QUERY, participants: [{ ...ada, ...participant }], ...change }, at(clock)).obstacles.map(
    ({ code }) => code,
  );
const textsAt = (clock: string, change: Partial<AvailabilityQuery>) =>
  explainSlot({ ...QUERY, ...change }, at(clock)).obstacles.map(({ text }) => text);

test('a slot that is offered has no obstacle', () => {
  expect(explainSlot(QUERY, at('11:30'))).toEqual({
    startMs: at('11:30'),
    endMs: at('12:00'),
    start: '2026-03-02T11:30:00+01:00',
    end: '2026-03-02T12:00:00+01:00',
    isOffered: true,
    obstacles: [],
    participants: [{ id: 'ada', isFree: true, obstacles: [] }],
  });
});

test('busy time and buffers, with the interval', () => {
  const { obstacles, isOffered, participants } = explainSlot(QUERY, at('12:30'));
  const busy = {
    code: 'busy',
    text: 'ada is busy from 2026-03-02T12:00:00+01:00 to 2026-03-02T13:00:00+01:00',
    participantId: 'ada',
    interval: range('12:00', '13:00'),
  };
  expect([isOffered, obstacles, participants]).toEqual([
    false,
    [busy],
    [{ id: 'ada', isFree: false, obstacles: [busy] }],
  ]);
  expect(codesAt('11:30', {}, { bufferAfterMs: 1 })).toEqual(['buffer']);
  expect(codesAt('13:00', {}, { bufferBeforeMs: 1 })).toEqual(['buffer']);
  expect(codesAt('13:00', {}, { bufferAfterMs: 30 * MINUTE })).toEqual([]);
});

test('every rule of time that is violated is there', () => {
  expect(codesAt('07:45', { nowMs: at('08:00'), noticeMs: 30 * MINUTE })).toEqual([
    'outside-window',
    'too-soon',
    'off-step',
    'outside-open-hours',
  ]);
  expect(codesAt('19:45')).toEqual(['outside-window', 'off-step', 'outside-open-hours']);
});

test('hours, holidays and exceptions', () => {
  expect(textsAt('16:45', {})).toEqual([
    'slots start at multiples of 30 minutes after midnight',
    'ada is open on 2026-03-02 at 09:00–17:00 (Europe/Rome)',
  ]);
  expect(textsAt('10:00', { rules: { holidays: ['2026-03-02'] } })).toEqual(['ada has a holiday on 2026-03-02']);
  expect(textsAt('10:00', { rules: { exceptions: [{ date: '2026-03-02', hours: [] }] } })).toEqual([
    'ada is closed on 2026-03-02',
  ]);
});

test('bookings: the gap, the day and the week', () => {
  const bookings = [range('09:00', '09:30')];
  expect(codesAt('10:00', {}, { bookings, minGapMs: 31 * MINUTE })).toEqual(['min-gap']);
  expect(codesAt('10:00', {}, { bookings, minGapMs: 30 * MINUTE })).toEqual([]);
  expect(codesAt('15:00', {}, { bookings, maxPerDay: 1, maxPerWeek: 1 })).toEqual(['max-per-day', 'max-per-week']);
  expect(codesAt('15:00', {}, { bookings, maxPerDay: 2, maxPerWeek: 2 })).toEqual([]);
});

test('optional participants are explained, and stand against no slot', () => {
  const ben: Participant = { ...ada, id: 'ben', role: 'optional' };
  const { isOffered, participants } = explainSlot({ ...QUERY, participants: [{ ...ada, busy: [] }, ben] }, at('12:00'));
  expect([isOffered, participants.map(({ id, isFree }) => [id, isFree])]).toEqual([
    true,
    [
      ['ada', true],
      ['ben', false],
    ],
  ]);
});

test('groups', () => {
  const rooms = ['r1', 'r2', 'r3'].map((id) => ({ ...ada, id, busy: id === 'r3' ? [] : ada.busy }));
  const groups = [{ id: 'rooms', members: ['r1', 'r2', 'r3'], take: 2 }];
  expect(explainSlot({ ...QUERY, participants: rooms, groups }, at('12:00')).obstacles).toEqual([
    { code: 'too-few-in-group', text: 'rooms needs 2 of its 3 members, and 1 can come', groupId: 'rooms' },
  ]);
});

test('hosts', () => {
  const hosts = [ada, { ...ada, id: 'ben', assignments: 1, busy: [] }];
  const query = { ...QUERY, mode: 'round-robin', participants: hosts } as const;
  expect(explainSlot(query, at('12:00')).isOffered).toBe(true);
  expect(textsAt('12:00', { ...query, distribution: 'max-fairness' })).toEqual([
    'ada is next in line and has other slots',
  ]);
  expect(textsAt('18:00', query)).toEqual(['none of the 2 hosts is free']);
  // With the window of her meeting alone, ada has no slot, and it is the turn of ben.
  const window = range('12:00', '13:00');
  expect(textsAt('12:00', { ...query, window, distribution: 'max-fairness' })).toEqual([]);
});
