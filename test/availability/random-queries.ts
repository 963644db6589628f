import fc from 'fast-check';
import type { AvailabilityQuery, Participant, ParticipantRules, Weekday } from 'kalends/availability';

const MINUTE = 60_000;
const DAY = 1440;

/** Changes of clocks in 2026, those at midnight and by half an hour among them. */
const CHANGES: readonly (readonly [zone: string, utc: number])[] = [
  ['Europe/Rome', Date.UTC(2026, 2, 29, 1)],
  ['Europe/Rome', Date.UTC(2026, 9, 25, 1)],
  ['America/New_York', Date.UTC(2026, 2, 8, 7)],
  ['America/New_York', Date.UTC(2026, 10, 1, 6)],
  ['Australia/Lord_Howe', Date.UTC(2026, 3, 4, 15)],
  ['Australia/Lord_Howe', Date.UTC(2026, 9, 3, 15, 30)],
  ['America/Santiago', Date.UTC(2026, 3, 5, 3)],
  ['America/Santiago', Date.UTC(2026, 8, 6, 4)],
  ['Africa/Cairo', Date.UTC(2026, 3, 23, 22)],
  ['Africa/Cairo', Date.UTC(2026, 9, 29, 21)],
  ['America/Havana', Date.UTC(2026, 2, 8, 5)],
  ['America/Havana', Date.UTC(2026, 10, 1, 5)],
  ['Antarctica/Troll', Date.UTC(2026, 2, 29, 1)],
  ['America/St_Johns', Date.UTC(2026, 10, 1, 4, 30)],
];
const OTHER_ZONES = ['UTC', 'Asia/Kathmandu', 'Pacific/Apia', 'Asia/Kolkata', 'America/New_York', 'Europe/Rome'];
const DAYS: readonly Weekday[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

const minutes = (min: number, max: number, step = 5) =>
  fc.integer({ min: Math.ceil(min / step), max: Math.floor(max / step) }).map((count) => count * step);
const maybe = <Value>(value: fc.Arbitrary<Value>, freq = 2) => fc.option(value, { nil: undefined, freq });

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const hours = fc
  .tuple(minutes(0, DAY - 15, 15), minutes(0, DAY, 15))
  .filter(([start, end]) => start !== end)
  .map(([start, end]) => ({ start: clock(start), end: clock(end) }));
const weekly = fc.tuple(fc.subarray([...DAYS], { minLength: 1 }), hours).map(([days, one]) => ({ days, ...one }));

/** Dates around a change of clocks. */
const dateNear = (changeMs: number) =>
  fc.integer({ min: -2, max: 2 }).map((days) => new Date(changeMs + days * DAY * MINUTE).toISOString().slice(0, 10));

function rulesNear(changeMs: number): fc.Arbitrary<ParticipantRules> {
  const length = minutes(0, 60).map((count) => count * MINUTE);
  const exception = fc.record({ date: dateNear(changeMs), hours: fc.array(hours, { maxLength: 2 }) });
  return fc.record({
    bufferBeforeMs: maybe(length),
    bufferAfterMs: maybe(length),
    minGapMs: maybe(minutes(0, 240).map((count) => count * MINUTE)),
    maxPerDay: maybe(fc.integer({ min: 1, max: 3 })),
    maxPerWeek: maybe(fc.integer({ min: 1, max: 4 })),
    openHours: maybe(fc.array(weekly, { minLength: 1, maxLength: 3 })),
    exceptions: maybe(fc.uniqueArray(exception, { maxLength: 2, selector: ({ date }) => date })),
    holidays: maybe(fc.array(dateNear(changeMs), { maxLength: 2 })),
  });
}

/** Participants near a change of clocks; `role` is decided by the query. */
function participantNear(changeMs: number, zone: string): fc.Arbitrary<Omit<Participant, 'id'>> {
  const interval = (longest: number) =>
    fc.tuple(minutes(-2 * DAY, 2 * DAY), minutes(5, longest)).map(([from, length]) => {
      const startMs = changeMs + from * MINUTE;
      return { startMs, endMs: startMs + length * MINUTE };
    });
  const busy = fc
    .tuple(
      interval(300),
      fc.constantFrom(undefined, 'busy', 'tentative', 'oof'),
      fc.constantFrom(undefined, true, false),
    )
    .map(([slot, type, isAllDay]) => ({ ...slot, type, isAllDay }) as const);
  return fc
    .record({
      timeZone: fc.oneof(fc.constant(zone), fc.constantFrom(...OTHER_ZONES)),
      busy: fc.array(busy, { maxLength: 8 }),
      bookings: maybe(fc.array(interval(90), { maxLength: 4 })),
      assignments: maybe(fc.integer({ min: 0, max: 4 })),
      lastAssignedMs: maybe(fc.integer({ min: 0, max: 5 })),
      weight: maybe(fc.integer({ min: 1, max: 3 })),
      rules: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: rulesNear(changeMs) }),
    })
    .map(({ rules, ...participant }) => ({ ...participant, ...rules }));
}

/** Queries near a change of clocks, with groups, buffers, limits, and both modes. All instants are whole minutes. */
export const randomQuery: fc.Arbitrary<AvailabilityQuery> = fc.constantFrom(...CHANGES).chain(([zone, changeMs]) =>
  fc
    .record({
      from: minutes(-DAY, DAY / 2, 1),
      length: minutes(120, 2.2 * DAY),
      duration: fc.oneof(fc.constantFrom(15, 30, 60), minutes(1, 200, 1)),
      step: fc.oneof(fc.constantFrom(15, 30, 60), minutes(10, 400)),
      timeZone: fc.oneof(fc.constant(zone), fc.constantFrom(...OTHER_ZONES)),
      notice: maybe(minutes(0, 600), 1),
      mode: fc.constantFrom(undefined, 'collective', 'round-robin'),
      distribution: fc.constantFrom(undefined, 'max-availability', 'max-fairness'),
      rules: fc.oneof(fc.constant(undefined), rulesNear(changeMs)),
      isAllDayBusy: fc.constantFrom(undefined, true, false),
      isTentativeBusy: fc.constantFrom(undefined, true, false),
      weekStart: fc.constantFrom(undefined, ...DAYS),
      people: fc.array(participantNear(changeMs, zone), { minLength: 1, maxLength: 6 }),
      places: fc.array(fc.constantFrom('own', 'own', 'optional', 'required', 'first', 'second'), {
        minLength: 6,
        maxLength: 6,
      }),
      takes: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2 })),
    })
    .map(({ from, length, duration, step, notice, people, places, takes, mode, distribution, ...rest }) => {
      const placeOf = (index: number) => (index === 0 ? 'own' : (places[index] ?? 'own'));
      const groups = (['first', 'second'] as const).flatMap((id, group) => {
        const members = people.flatMap((_, index) => (placeOf(index) === id ? [`p${index}`] : []));
        return members.length === 0 ? [] : [{ id, members, take: Math.min(members.length, takes[group] ?? 1) }];
      });
      const startMs = changeMs + from * MINUTE;
      return {
        ...rest,
        window: { startMs, endMs: startMs + length * MINUTE },
        durationMs: duration * MINUTE,
        stepMs: step * MINUTE,
        ...(notice === undefined ? {} : { nowMs: startMs - 120 * MINUTE, noticeMs: notice * MINUTE }),
        mode,
        ...(mode === 'round-robin' ? { distribution } : {}),
        participants: people.map((person, index): Participant => {
          const place = placeOf(index);
          const role = place === 'optional' || place === 'required' ? ({ role: place } as const) : {};
          return { id: `p${index}`, ...person, ...role };
        }),
        groups,
      };
    }),
);
